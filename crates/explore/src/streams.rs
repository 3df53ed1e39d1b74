//! The streams of a journey: standard input, and connections that the program accepts.
//!
//! Each is one object of the whole input, of which a leg reads a part. The input of a leg holds what comes from its snapshot on: of
//! standard input what is not read yet, of connections all of them, in their order, each with what its client says next. Clients speak one
//! after the other: on the first connection that the program has not closed, as long as nobody spoke on a later one. Where a client has
//! nothing more to say and a later one has, the connection is over, and the program reads its end; the last one is over when
//! the journey is.

use crate::random::Dice;
use strategy::Letters;
use trace::{Advanced, Input, Object, ObjectKind, SnapshotId};

/// Of so many stretches of random input one changes to the next connection.
const HANGS_UP: usize = 4;
/// What is said before that, at most.
const LAST_WORDS: usize = 64;

/// Where a journey is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The frozen run.
    pub at: SnapshotId,
    /// All inputs up to there.
    pub behind: Input,
    /// The connection on which a client speaks next, counted from 0; as many as there are when there is none.
    pub speaks: usize,
}

/// Whether an object is a stream.
pub fn is_stream(object: &Object) -> bool {
    matches!(object.kind, ObjectKind::Stdin | ObjectKind::Connection)
}

/// Whether there is one.
pub fn has_any(input: &Input) -> bool {
    input.objects.iter().any(is_stream)
}

/// Connections, in their order.
fn connections(input: &Input) -> impl Iterator<Item = &Object> {
    input.objects.iter().filter(|o| o.kind == ObjectKind::Connection)
}

/// The stream of this kind and name; put in front of the values if it was not there.
pub fn named<'a>(input: &'a mut Input, like: &Object) -> &'a mut Vec<u8> {
    let is_it = |o: &Object| o.kind == like.kind && o.name == like.name;
    let at = input.objects.iter().position(is_it).unwrap_or_else(|| {
        let behind = input.objects.iter().rposition(|o| o.kind == like.kind).map_or(0, |k| k + 1);
        input.objects.insert(behind, Object { data: Vec::new(), ..like.clone() });
        behind
    });
    &mut input.objects[at].data
}

/// An input that names no stream of `shape` gets it, with nothing in it: runs from a snapshot are given all connections.
pub fn complete(input: &mut Input, shape: &Input) {
    let all: Vec<Object> = connections(shape)
        .map(|like| Object { data: std::mem::take(named(input, like)), ..like.clone() })
        .collect();
    if !all.is_empty() {
        input.objects.retain(|o| o.kind != ObjectKind::Connection);
        input.objects.splice(0..0, all);
    }
}

/// All that is said on any connection is said on this one.
pub fn address(input: &mut Input, shape: &Input, speaks: usize) {
    let said: Vec<u8> = connections(input).flat_map(|o| o.data.clone()).collect();
    input.objects.retain(|o| o.kind != ObjectKind::Connection);
    complete(input, shape);
    if let Some(like) = connections(shape).nth(speaks) {
        *named(input, like) = said;
    }
}

/// Puts text behind what the streams of `shape` give: standard input, and the connection on which a client speaks.
pub fn say(input: &mut Input, shape: &Input, speaks: usize, text: &[u8]) {
    complete(input, shape);
    for like in stdin(shape).chain(connections(shape).nth(speaks)) {
        named(input, like).extend(text);
    }
}

fn stdin(shape: &Input) -> impl Iterator<Item = &Object> {
    shape.objects.iter().filter(|o| o.kind == ObjectKind::Stdin)
}

/// Puts `n` random bytes behind what the streams of `shape` give. Now and then the client says some of them and no more, and the next one the
/// rest.
pub fn babble(
    input: &mut Input,
    shape: &Input,
    speaks: usize,
    n: usize,
    (dice, letters): (&mut Dice, Letters),
) {
    complete(input, shape);
    for like in stdin(shape) {
        named(input, like).extend(dice.text(like, n, letters));
    }
    let said_last = connections(input).collect::<Vec<_>>().iter().rposition(|o| !o.data.is_empty());
    let speaks = speaks.max(said_last.unwrap_or(0));
    let mut left = n;
    let mut clients = connections(shape).skip(speaks).peekable();
    if let Some(like) = clients.next() {
        if clients.peek().is_some() && dice.below(HANGS_UP) == 0 {
            let last_words = dice.below(n.min(LAST_WORDS) + 1);
            named(input, like).extend(dice.text(like, last_words, letters));
            left -= last_words;
        }
        let like = if left < n { clients.next().unwrap_or(like) } else { like };
        named(input, like).extend(dice.text(like, left, letters));
    }
}

/// Takes what streams gave out of an input, which stays with them.
pub fn without_words(input: &Input) -> Input {
    let mut input = input.clone();
    input.objects.retain(|o| o.kind != ObjectKind::Stdin);
    input.objects.iter_mut().filter(|o| is_stream(o)).for_each(|o| o.data.clear());
    input
}

/// The inputs of a run that went on, behind those before.
pub fn joined(mut before: Input, behind: &Input) -> Input {
    for object in &behind.objects {
        match object.kind {
            _ if is_stream(object) => named(&mut before, object).extend(&object.data),
            ObjectKind::Value => before.objects.push(object.clone()),
            // What exists before the run belongs to its start, and is there.
            _ => {}
        }
    }
    before
}

/// Where a run froze that was given `behind` since the program's start; a client spoke on connection `speaks` before.
pub fn place(advanced: &Advanced, mut behind: Input, speaks: usize) -> Option<Place> {
    let at = advanced.snapshot?;
    let mut told = advanced.connections.iter();
    for object in &mut behind.objects {
        match object.kind {
            ObjectKind::Stdin => object.data.truncate(advanced.stream_at as usize),
            ObjectKind::Connection => object.data.truncate(told.next().map_or(0, |p| p.read as usize)),
            _ => {}
        }
    }
    let all = &advanced.connections;
    let open = all.iter().position(|p| !p.is_closed).unwrap_or(all.len());
    let heard = all.iter().rposition(|p| p.read > 0).unwrap_or(0);
    Some(Place { at, behind, speaks: speaks.max(open).max(heard) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use trace::Progress;

    fn connection(k: usize, text: &str) -> Object {
        Object::new(ObjectKind::Connection, k.to_string(), text.as_bytes())
    }

    fn input(texts: &[&str]) -> Input {
        Input { objects: texts.iter().enumerate().map(|(k, text)| connection(k, text)).collect() }
    }

    fn value(byte: u8) -> Object {
        Object::new(ObjectKind::Value, "key", vec![byte])
    }

    #[test]
    fn what_is_said_goes_to_the_one_who_speaks() {
        let shape = input(&["", "", ""]);
        let mut said = Input::default();
        say(&mut said, &shape, 1, b"hello");
        assert_eq!(said, input(&["", "hello", ""]));
        address(&mut said, &shape, 2);
        assert_eq!(said, input(&["", "", "hello"]));
        address(&mut said, &shape, 3);
        assert_eq!(said, input(&["", "", ""]), "nobody is there");
        let mut partial = Input { objects: vec![connection(2, "x"), value(7)] };
        complete(&mut partial, &shape);
        assert_eq!(partial.objects, [&input(&["", "", "x"]).objects[..], &[value(7)]].concat());
        let mut text = Input::default();
        say(&mut text, &Input::stdin(""), 0, b"abc");
        assert_eq!(text, Input::stdin("abc"));
    }

    #[test]
    fn streams_go_on_where_they_were() {
        let mut before = input(&["ab", ""]);
        before.objects.push(value(1));
        let mut behind = input(&["cd", "x"]);
        behind.objects.push(value(2));
        let whole = joined(before, &behind);
        assert_eq!(whole.objects, [&input(&["abcd", "x"]).objects[..], &[value(1), value(2)]].concat());
        assert_eq!(without_words(&input(&["ab", "c"])), input(&["", ""]));
    }

    fn advanced(connections: &[(u64, bool)]) -> Advanced {
        let run = fixtures::run(&[]);
        let connections = connections.iter().map(|&(read, is_closed)| Progress { read, is_closed }).collect();
        let snapshot = Some(SnapshotId(1));
        Advanced { run, snapshot, idle: 0, inputs: 0, stream_at: 2, connections, refused: None }
    }

    #[test]
    fn a_place_holds_what_was_read_and_who_speaks() {
        let at = |told: &[(u64, bool)], speaks| {
            let place = place(&advanced(told), input(&["abcdef", "xyz"]), speaks).expect("frozen");
            (place.behind, place.speaks)
        };
        assert_eq!(at(&[(3, false), (0, false)], 0), (input(&["abc", ""]), 0));
        assert_eq!(at(&[(4, true), (0, false)], 0), (input(&["abcd", ""]), 1));
        assert_eq!(at(&[(6, false), (1, false)], 0), (input(&["abcdef", "x"]), 1), "the first one is over");
        assert_eq!(at(&[(6, true), (3, true)], 0).1, 2, "nobody is left");
        assert_eq!(at(&[(6, false), (0, false)], 1).1, 1, "there is no way back");
        let place = place(&advanced(&[]), Input::stdin("abcd"), 0).expect("frozen");
        assert_eq!((place.behind, place.speaks), (Input::stdin("ab"), 0));
    }

    #[test]
    fn random_words_change_to_the_next_connection_now_and_then() {
        let (shape, mut dice, mut changes) = (input(&["", "", ""]), Dice::new(1), 0);
        for _ in 0..400 {
            let mut said = input(&["", "abc"]);
            babble(&mut said, &shape, 0, 100, (&mut dice, Letters::All));
            let lengths: Vec<usize> = said.objects.iter().map(|o| o.data.len()).collect();
            assert_eq!((lengths[0], lengths.iter().sum::<usize>()), (0, 103), "{lengths:?}");
            assert!(lengths[2] == 0 || lengths[1] <= 3 + LAST_WORDS, "{lengths:?}");
            changes += usize::from(lengths[2] > 0);
        }
        assert!((60..140).contains(&changes), "{changes}");
        let mut last = Input::default();
        babble(&mut last, &input(&[""]), 0, 9, (&mut dice, Letters::All));
        assert_eq!(last.objects[0].data.len(), 9);
    }
}
