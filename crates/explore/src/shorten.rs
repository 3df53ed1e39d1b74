//! Long inputs made short: as few input events as still show the same.
//!
//! Zeller & Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (TSE 2002): delta debugging, here over the typed
//! values of an input, in call order. First the end is cut off, by halving: what happens after the last event that
//! matters cannot matter. Then ever smaller pieces are left out: of rounds first, as programs that ask for input in a loop ask
//! for the same values in each turn, and the meaning of a value is lost with its place; of single events then. The runs are
//! bounded; what was reached by then is the result.

use trace::{Input, Object, ObjectKind};

/// The shortest input found, and the runs that it took. `shows` runs an input and says whether it still shows what counts.
pub fn shorten(input: &Input, most: u32, shows: &mut dyn FnMut(&Input) -> bool) -> (Input, u32) {
    let is_event = |o: &Object| matches!(o.kind, ObjectKind::Value | ObjectKind::Stdin);
    let (events, before): (Vec<Object>, Vec<Object>) = input.objects.iter().cloned().partition(is_event);
    let mut search = Search { before, left: most, shows };
    let mut pieces = search.cut_off(rounds(events.into_iter().flat_map(lines).collect()));
    pieces = search.leave_out(pieces);
    if pieces.iter().any(|round| round.len() > 1) {
        let single = pieces.concat().into_iter().map(|event| vec![event]).collect();
        pieces = search.leave_out(single);
    }
    let left = search.left;
    (search.input(&[&pieces]), most - left)
}

/// How many events an input has: values, and lines of standard input.
pub fn events(input: &Input) -> usize {
    let of = |o: &Object| match o.kind {
        ObjectKind::Value => 1,
        ObjectKind::Stdin => o.data.split_inclusive(|&b| b == b'\n').count(),
        _ => 0,
    };
    input.objects.iter().map(of).sum()
}

/// Standard input as its lines; anything else as it is.
fn lines(object: Object) -> Vec<Object> {
    if object.kind != ObjectKind::Stdin || object.data.is_empty() {
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
        let begins = head.is_none_or(|head| {
            let is_line = event.kind == ObjectKind::Stdin;
            let same = |o: &Object| (o.name.clone(), o.value_type, o.data.len());
            is_line || same(head) == same(&event)
        });
        match rounds.last_mut().filter(|_| !begins) {
            Some(round) => round.push(event),
            None => rounds.push(vec![event]),
        }
    }
    rounds
}

struct Search<'a> {
    /// What exists before the run.
    before: Vec<Object>,
    /// Runs.
    left: u32,
    shows: &'a mut dyn FnMut(&Input) -> bool,
}

impl Search<'_> {
    fn shows(&mut self, pieces: &[&[Vec<Object>]]) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let input = self.input(pieces);
        (self.shows)(&input)
    }

    /// An input of these events: lines are one standard input again.
    fn input(&self, pieces: &[&[Vec<Object>]]) -> Input {
        let mut objects = self.before.clone();
        let mut stream: Option<usize> = None;
        for event in pieces.iter().copied().flatten().flatten() {
            match stream.filter(|_| event.kind == ObjectKind::Stdin) {
                Some(at) => objects[at].data.extend_from_slice(&event.data),
                None => {
                    objects.push(event.clone());
                    if event.kind == ObjectKind::Stdin {
                        stream = Some(objects.len() - 1);
                    }
                }
            }
        }
        Input { objects }
    }

    /// The shortest beginning that shows it.
    fn cut_off(&mut self, mut pieces: Vec<Vec<Object>>) -> Vec<Vec<Object>> {
        let (mut too_short, mut enough) = (0, pieces.len());
        while too_short < enough && self.left > 0 {
            let middle = usize::midpoint(too_short, enough);
            if self.shows(&[&pieces[..middle]]) {
                enough = middle;
            } else {
                too_short = middle + 1;
            }
        }
        pieces.truncate(enough);
        pieces
    }

    /// Stretches of falling length left out, from the end on.
    fn leave_out(&mut self, mut pieces: Vec<Vec<Object>>) -> Vec<Vec<Object>> {
        let mut size = pieces.len().div_ceil(2);
        while size > 0 && self.left > 0 {
            let mut end = pieces.len();
            let mut fewer = false;
            while end > 0 && self.left > 0 {
                let begin = end.saturating_sub(size);
                if self.shows(&[&pieces[..begin], &pieces[end..]]) {
                    pieces.drain(begin..end);
                    fewer = true;
                }
                end = begin;
            }
            if size > 1 {
                size = size.div_ceil(2).min(size - 1);
            } else if !fewer {
                break;
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(short, Input::stdin("hello\nlogin\nquit\n"));
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
