//! Long inputs made short: as few input events as still show the same.
//!
//! Zeller & Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (TSE 2002): delta debugging, here over the typed
//! values of an input, in call order, and the lines of standard input and of connections. First the end is cut off, by halving: what happens after the last
//! event that matters cannot matter. Then ever smaller pieces are left out: of rounds first, as programs that ask for input in a loop ask
//! for the same values in each turn, and the meaning of a value is lost with its place; of single events then, and of single bytes of
//! lines. Where a program has values and standard input, and there are as many bytes of standard input for each round of values, they go together. The runs are
//! bounded; what was reached by then is the result.

use crate::streams::{self, is_stream};
use trace::{Input, Object, ObjectKind};

/// Streams are not taken apart into bytes where they have more than so many.
const MOST_BYTES: usize = 4 << 10;

/// The shortest input found, and the runs that it took. `shows` runs an input and says whether it still shows what counts; `is_over`
/// says whether no further one is to be made, and is asked before the work that making one is.
pub fn shorten(
    input: &Input,
    most: u32,
    is_over: &dyn Fn() -> bool,
    shows: &mut dyn FnMut(&Input) -> bool,
) -> (Input, u32) {
    if most == 0 || is_over() {
        return (input.clone(), 0);
    }
    let (text, others): (Vec<_>, Vec<_>) = input.objects.iter().cloned().partition(is_stream);
    let (values, before): (Vec<_>, Vec<_>) = others.into_iter().partition(|o| o.kind == ObjectKind::Value);
    let is_one = matches!(text[..], [Object { kind: ObjectKind::Stdin, .. }]);
    let connections =
        Input { objects: text.iter().filter(|o| o.kind == ObjectKind::Connection).cloned().collect() };
    let mut search = Search { connections, before, left: most, made: 0, is_over, shows };
    let mut pieces = if values.is_empty() || !is_one {
        let pieces = text.into_iter().flat_map(lines).map(|line| vec![line]).chain(rounds(values)).collect();
        search.cut_off(&[], pieces, &[])
    } else {
        search.cut_both_off(text, values)
    };
    pieces = search.leave_out(pieces);
    if pieces.iter().any(|round| round.len() > 1) {
        let single = pieces.concat().into_iter().flat_map(lines).map(|event| vec![event]).collect();
        pieces = search.leave_out(single);
    }
    if (1..MOST_BYTES).contains(&pieces.iter().flatten().map(text_len).sum()) {
        let bytes = pieces.concat().into_iter().flat_map(|event| parts(event, 1)).map(|event| vec![event]);
        pieces = search.leave_out(bytes.collect());
    }
    let made = search.made;
    (search.input(&[&pieces]), made)
}

/// Bytes of a stream.
fn text_len(object: &Object) -> usize {
    if is_stream(object) { object.data.len() } else { 0 }
}

/// A stream in parts of so many bytes; anything else as it is.
fn parts(object: Object, size: usize) -> Vec<Object> {
    if text_len(&object) == 0 {
        return vec![object];
    }
    object.data.chunks(size).map(|part| Object { data: part.to_vec(), ..object.clone() }).collect()
}

/// How many events an input has: values, lines of streams, and every further eight bytes of such a line.
pub fn events(input: &Input) -> usize {
    let of = |o: &Object| match o.kind {
        ObjectKind::Value => 1,
        ObjectKind::Stdin | ObjectKind::Connection => {
            o.data.split_inclusive(|&b| b == b'\n').map(|line| line.len().div_ceil(8)).sum()
        }
        _ => 0,
    };
    input.objects.iter().map(of).sum()
}

/// A stream as its lines; anything else as it is.
fn lines(object: Object) -> Vec<Object> {
    if text_len(&object) == 0 {
        return vec![object];
    }
    object
        .data
        .split_inclusive(|&b| b == b'\n')
        .map(|l| Object { data: l.to_vec(), ..object.clone() })
        .collect()
}

/// Rounds of a loop: each begins with an event of the first one's name and type.
fn rounds(events: Vec<Object>) -> Vec<Vec<Object>> {
    let mut rounds: Vec<Vec<Object>> = Vec::new();
    for event in events {
        let head = rounds.first().and_then(|round| round.first());
        let same = |o: &Object| (o.name.clone(), o.value_type, o.data.len());
        let begins = head.is_none_or(|head| same(head) == same(&event));
        match rounds.last_mut().filter(|_| !begins) {
            Some(round) => round.push(event),
            None => rounds.push(vec![event]),
        }
    }
    rounds
}

/// Parts of standard input as one.
fn whole(parts: &[Object]) -> Object {
    Object { data: parts.iter().flat_map(|part| part.data.clone()).collect(), ..parts[0].clone() }
}

struct Search<'a> {
    /// Among others these.
    connections: Input,
    /// What exists before the run.
    before: Vec<Object>,
    /// Runs that may be made.
    left: u32,
    /// Runs that were.
    made: u32,
    is_over: &'a dyn Fn() -> bool,
    shows: &'a mut dyn FnMut(&Input) -> bool,
}

impl Search<'_> {
    fn shows(&mut self, pieces: &[&[Vec<Object>]]) -> bool {
        if self.left > 0 && (self.is_over)() {
            self.left = 0;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.made += 1;
        let input = self.input(pieces);
        (self.shows)(&input)
    }

    /// An input of these events: lines are one stream again. Connections stay, also those on which nothing is said any more:
    /// another number of them would be another program.
    fn input(&self, pieces: &[&[Vec<Object>]]) -> Input {
        let mut input = Input { objects: self.before.clone() };
        for event in pieces.iter().copied().flatten().flatten() {
            match event.kind {
                _ if is_stream(event) => streams::named(&mut input, event).extend(&event.data),
                _ => input.objects.push(event.clone()),
            }
        }
        streams::complete(&mut input, &self.connections);
        input
    }

    /// The shortest beginning of `pieces` that shows it, between what stays.
    fn cut_off(
        &mut self,
        front: &[Vec<Object>],
        mut pieces: Vec<Vec<Object>>,
        back: &[Vec<Object>],
    ) -> Vec<Vec<Object>> {
        let (mut too_short, mut enough) = (0, pieces.len());
        while too_short < enough && self.left > 0 {
            let middle = usize::midpoint(too_short, enough);
            if self.shows(&[front, &pieces[..middle], back]) {
                enough = middle;
            } else {
                too_short = middle + 1;
            }
        }
        pieces.truncate(enough);
        pieces
    }

    /// The ends of values and of standard input cut off; what is left, each round with its part of standard input if they can be
    /// told apart.
    fn cut_both_off(&mut self, text: Vec<Object>, values: Vec<Object>) -> Vec<Vec<Object>> {
        let single = |text: Vec<Object>, size| -> Vec<Vec<Object>> {
            text.into_iter().flat_map(|o| parts(o, size)).map(|part| vec![part]).collect()
        };
        let text = single(text, usize::MAX);
        let rounds = self.cut_off(&text, rounds(values), &[]);
        let bytes = self.cut_off(&[], single(text.concat(), 1), &rounds);
        let size = bytes.len().div_ceil(rounds.len().max(1)).max(1);
        let joined = bytes.concat().chunks(size).map(whole).collect::<Vec<Object>>();
        if joined.len() + 1 < rounds.len() || joined.len() > rounds.len() {
            return bytes.into_iter().chain(rounds).collect();
        }
        let mut joined = joined.into_iter();
        rounds.into_iter().map(|round| joined.next().into_iter().chain(round).collect()).collect()
    }

    /// Stretches of falling length left out, from the end on. Lengths are powers of two and begin at multiples of themselves: so
    /// are the parts in which many programs read.
    fn leave_out(&mut self, mut pieces: Vec<Vec<Object>>) -> Vec<Vec<Object>> {
        let mut size = pieces.len().div_ceil(2).next_power_of_two();
        while size > 0 && self.left > 0 {
            let mut fewer = false;
            for begin in (0..pieces.len()).step_by(size).rev() {
                if self.left == 0 {
                    break;
                }
                let end = (begin + size).min(pieces.len());
                if self.shows(&[&pieces[..begin], &pieces[end..]]) {
                    pieces.drain(begin..end);
                    fewer = true;
                }
            }
            // Single pieces are tried until none can be left out any more.
            size = if size == 1 && fewer { 1 } else { size / 2 };
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without anybody who ends it.
    fn shorten(input: &Input, most: u32, shows: &mut dyn FnMut(&Input) -> bool) -> (Input, u32) {
        super::shorten(input, most, &|| false, shows)
    }

    #[test]
    fn when_it_is_over_no_further_input_is_made() {
        let noise = keys(&"abcdefghij".repeat(100));
        let (asked, tried) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
        let is_over = || {
            asked.set(asked.get() + 1);
            tried.get() >= 3
        };
        let (short, runs) = super::shorten(&noise, 1_000, &is_over, &mut |i| {
            tried.set(tried.get() + 1);
            has(i, "jaja")
        });
        assert_eq!((runs, tried.get()), (3, 3));
        assert!(asked.get() <= 6, "asked {} times: before each run, and once when it was over", asked.get());
        assert!(has(&short, "jaja"));
        assert_eq!(super::shorten(&noise, 1_000, &|| true, &mut |_| true), (noise, 0));
    }

    fn keys(text: &str) -> Input {
        let key = |b| Object::new(ObjectKind::Value, "key", vec![b]);
        let objects = [Object::new(ObjectKind::Arg, "1", *b"kept")];
        Input { objects: objects.into_iter().chain(text.bytes().map(key)).collect() }
    }

    fn text(input: &Input) -> String {
        let values = input.objects.iter().filter(|o| o.kind == ObjectKind::Value);
        values.map(|o| char::from(o.data[0])).collect()
    }

    /// Whether the letters of `word` come in this order.
    fn has(input: &Input, word: &str) -> bool {
        let mut rest = word.chars().peekable();
        text(input).chars().for_each(|c| {
            rest.next_if_eq(&c);
        });
        rest.peek().is_none()
    }

    #[test]
    fn only_what_matters_is_left() {
        let noise = "the quick brown fox jumps over the lazy dog ".repeat(20);
        let (short, runs) = shorten(&keys(&noise), 10_000, &mut |i| has(i, "xyz"));
        assert_eq!(text(&short), "xyz");
        assert_eq!(short.objects[0].data, b"kept");
        assert!(runs < 3_000, "{runs} runs");
    }

    #[test]
    fn standard_input_loses_lines() {
        let text = "hello\nnoise\nnoise\nlogin\nmore noise\nquit\n\nrest";
        let all = |input: &Input| {
            let lines: Vec<&[u8]> = input.objects[0].data.split(|&b| b == b'\n').collect();
            ["hello", "login", "quit"].iter().all(|w| lines.contains(&w.as_bytes()))
        };
        let (short, _) = shorten(&Input::stdin(text), 1_000, &mut |i| !i.objects.is_empty() && all(i));
        assert_eq!(short, Input::stdin("hello\nlogin\nquit"));
    }

    #[test]
    fn connections_lose_lines_and_stay() {
        let connection = |k: &str, text: &str| Object::new(ObjectKind::Connection, k, text.as_bytes());
        let all = |texts: [&str; 3]| Input {
            objects: ["0", "1", "2"].iter().zip(texts).map(|(k, text)| connection(k, text)).collect(),
        };
        let noise = "noise\n".repeat(50);
        let long = all([&format!("{noise}login\n{noise}"), &noise, &format!("{noise}quit\n")]);
        let shows = |i: &Input| {
            let has =
                |k: usize, word: &[u8]| i.objects[k].data.split(|&b| b == b'\n').any(|line| line == word);
            i.objects.len() == 3 && has(0, b"login") && has(2, b"quit")
        };
        assert_eq!(events(&long), 202);
        let (short, runs) = shorten(&long, 1_000, &mut |i| shows(i));
        assert_eq!(short, all(["login", "", "quit"]), "{runs} runs");
    }

    #[test]
    fn rounds_stay_together() {
        let word = |k: usize| Object::new(ObjectKind::Value, "word", vec![k as u8; 6]);
        let key = |k: usize| Object::new(ObjectKind::Value, "key", vec![k as u8]);
        let objects: Vec<Object> = (0..2_000).flat_map(|k| [key(k % 256), word(k)]).collect();
        // Three keys in order, each where a key is asked for.
        let mut shows = |input: &Input| {
            let mut wanted = [7, 99, 200].iter().peekable();
            for (place, object) in input.objects.iter().enumerate() {
                if place % 2 == 0 && wanted.peek().is_some_and(|&&w| object.data[0] == w) {
                    wanted.next();
                }
            }
            wanted.peek().is_none()
        };
        let (short, runs) = shorten(&Input { objects }, 1_000, &mut shows);
        assert_eq!(short.objects.len(), 5, "the last word is not asked for any more");
        assert!(runs < 200, "{runs} runs");
    }

    #[test]
    fn values_go_with_their_part_of_standard_input() {
        let word = |k: usize| Object::new(ObjectKind::Value, "word", vec![(k % 251) as u8; 2]);
        let mut objects: Vec<Object> = (0..1_000).map(word).collect();
        let text: Vec<u8> = (0..3_000).map(|k| (k % 253) as u8).collect();
        objects.insert(0, Object::new(ObjectKind::Stdin, "stdin", text));
        // A word and three bytes each turn: two turns matter, in order, and that the last byte is there.
        let mut shows = |input: &Input| {
            let Some(text) = input.objects.iter().find(|o| o.kind == ObjectKind::Stdin) else { return false };
            let words: Vec<u8> = input.objects[1..].iter().map(|o| o.data[0]).collect();
            let text = text.data.chunks_exact(3);
            let turns: Vec<(u8, u8)> = words.into_iter().zip(text.map(|part| part[2])).collect();
            let at = |turn| turns.iter().position(|&t| t == turn);
            let wanted = |k: usize| ((k % 251) as u8, ((3 * k + 2) % 253) as u8);
            matches!((at(wanted(100)), at(wanted(700))), (Some(a), Some(b)) if a < b)
        };
        let (short, runs) = shorten(&Input { objects }, 1_000, &mut shows);
        assert_eq!((short.objects.len(), short.objects[0].data.len()), (3, 6), "{short:?}");
        assert!(runs < 200, "{runs} runs");
    }

    #[test]
    fn parts_of_standard_input_that_are_read_together_go_together() {
        let part = |k: usize| [k as u8; 32];
        let text: Vec<u8> = (0..19).flat_map(part).collect();
        let has = |input: &Input| {
            let parts: Vec<&[u8]> = input.objects.iter().flat_map(|o| o.data.chunks(32)).collect();
            [3, 9, 17].iter().all(|&k| parts.contains(&&part(k)[..]))
        };
        let (short, runs) = shorten(&Input::stdin(text), 300, &mut |i| has(i));
        assert_eq!(short.len(), 3 * 32, "{runs} runs");
    }

    #[test]
    fn long_lines_lose_bytes() {
        let line = "abc".repeat(100) + "x" + &"def".repeat(100);
        let (short, _) = shorten(&Input::stdin(line), 1_000, &mut |i| {
            i.objects.first().is_some_and(|o| o.data.contains(&b'x') && o.data.starts_with(b"a"))
        });
        assert_eq!(short, Input::stdin("ax"));
    }

    #[test]
    fn runs_are_bounded_and_what_is_reached_still_shows_it() {
        let noise = "abcdefghij".repeat(100);
        for most in [0, 1, 5, 30] {
            let (short, runs) = shorten(&keys(&noise), most, &mut |i| has(i, "jaja"));
            assert!(runs <= most && has(&short, "jaja"), "{most}: {runs}");
        }
    }

    #[test]
    fn nothing_may_be_enough() {
        let (short, _) = shorten(&keys("abc"), 100, &mut |_| true);
        assert_eq!(text(&short), "");
    }
}
