//! Making an input small and simple while it still shows the mistake.
//!
//! Delta debugging (Zeller and Hildebrandt, TSE 28(2), 2002), in two phases over each input object. *Shorten*: remove
//! chunks, from half the object down to single bytes, from the end to the beginning, until no byte can go. *Simplify*:
//! replace chunks, then bytes, by `0`, `a` or a blank. What differs from the paper: no granularity is tried twice
//! without a change in between; pieces of a few bytes at every place, and pairs of equal bytes (a name that stands twice)
//! are removed, too; and values that a program asks for keep their number and size (they are zeroed instead).
//! A byte that cannot be replaced by any of the simple ones *matters*, and is reported with its value.

use std::collections::HashSet;
use trace::{Input, ObjectKind};

/// Simple bytes, simplest first.
const SIMPLE: [u8; 3] = [b'0', b'a', b' '];

/// Pieces up to this length are removed at every place.
const LONGEST_PIECE: usize = 4;
/// In objects up to this length, pairs of bytes are removed.
const LONGEST_FOR_PAIRS: usize = 64;

/// A minimised input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimised {
    /// The input.
    pub input: Input,
    /// Runs spent.
    pub runs: u32,
    /// Nothing is left to try.
    pub complete: bool,
    /// Bytes that none of the simple ones can replace.
    pub matter: Vec<(u32, u32)>,
}

/// Makes `input` smaller while `shows` holds of it, with at most `budget` calls of `shows`.
pub fn minimise(input: &Input, budget: u32, shows: &mut dyn FnMut(&Input) -> bool) -> Minimised {
    let mut search = Search { best: input.clone(), budget, runs: 0, tried: HashSet::new(), shows };
    let objects = 0..input.objects.len();
    loop {
        let before = search.best.len();
        for k in objects.clone() {
            search.shorten(k);
        }
        // Shorter objects may let others become shorter.
        if search.best.len() == before || objects.len() < 2 || search.is_over() {
            break;
        }
    }
    let mut matter = Vec::new();
    for k in objects {
        search.simplify(k);
        matter.extend(search.weigh(k).into_iter().map(|offset| (k as u32, offset)));
    }
    let complete = !search.is_over();
    Minimised { complete, input: search.best, runs: search.runs, matter }
}

struct Search<'s> {
    best: Input,
    budget: u32,
    runs: u32,
    /// Inputs that do not show it.
    tried: HashSet<Input>,
    shows: &'s mut dyn FnMut(&Input) -> bool,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.runs >= self.budget
    }

    /// Whether `input` shows it; without budget it does not.
    fn shows(&mut self, input: &Input) -> bool {
        if self.is_over() || self.tried.contains(input) {
            return false;
        }
        self.runs += 1;
        let yes = (self.shows)(input);
        if !yes {
            self.tried.insert(input.clone());
        }
        yes
    }

    /// Takes the best input with object `k` changed to `data`, if that shows it.
    fn take(&mut self, k: usize, data: Vec<u8>) -> bool {
        let mut input = self.best.clone();
        input.objects[k].data = data;
        let yes = self.shows(&input);
        if yes {
            self.best = input;
        }
        yes
    }

    fn shorten(&mut self, k: usize) {
        if self.best.objects[k].kind == ObjectKind::Value {
            return;
        }
        let mut chunk = self.best.objects[k].data.len();
        while chunk > 0 && !self.is_over() {
            let before = self.best.objects[k].data.len();
            let mut end = before;
            while end > 0 && !self.is_over() {
                let start = end.saturating_sub(chunk);
                let mut data = self.best.objects[k].data.clone();
                data.drain(start..end.min(data.len()));
                self.take(k, data);
                end = start.min(self.best.objects[k].data.len());
            }
            let now = self.best.objects[k].data.len();
            // Single bytes go until none can.
            chunk = match chunk {
                1 if now < before => 1,
                1 => usize::from(self.remove_pairs(k) || self.remove_pieces(k)),
                _ => chunk.div_ceil(2).min(now.max(1)),
            };
        }
    }

    /// Removes pieces of a few bytes at every place, not only where chunks begin; whether one went.
    fn remove_pieces(&mut self, k: usize) -> bool {
        for piece in 2..=LONGEST_PIECE {
            for start in 0..(self.best.objects[k].data.len() + 1).saturating_sub(piece) {
                let mut data = self.best.objects[k].data.clone();
                data.drain(start..start + piece);
                if self.take(k, data) {
                    return true;
                }
            }
        }
        false
    }

    /// Removes two equal bytes at once, wherever that can be done; whether any pair went.
    fn remove_pairs(&mut self, k: usize) -> bool {
        let (mut at, mut gone) = (0, false);
        loop {
            let data = &self.best.objects[k].data;
            if at >= data.len() || data.len() > LONGEST_FOR_PAIRS {
                return gone;
            }
            let data = data.clone();
            let twins = (at + 1..data.len()).filter(|&j| data[j] == data[at]);
            let without = twins.map(|j| {
                let mut without = data.clone();
                without.remove(j);
                without.remove(at);
                without
            });
            let went = without.collect::<Vec<_>>().into_iter().any(|d| self.take(k, d));
            gone |= went;
            at += usize::from(!went);
        }
    }

    fn simplify(&mut self, k: usize) {
        let simple = simple_bytes(self.best.objects[k].kind);
        let is_simple = |b: &u8| simple.contains(b);
        let mut chunk = self.best.objects[k].data.len();
        while chunk > 1 && !self.is_over() {
            for start in (0..self.best.objects[k].data.len()).step_by(chunk) {
                let mut data = self.best.objects[k].data.clone();
                let end = (start + chunk).min(data.len());
                if data[start..end].iter().filter(|b| !is_simple(b)).count() > 1 {
                    data[start..end].iter_mut().filter(|b| !simple.contains(b)).for_each(|b| *b = simple[0]);
                    self.take(k, data);
                }
            }
            chunk /= 2;
        }
    }

    /// Makes single bytes simple; the offsets of those that cannot be.
    fn weigh(&mut self, k: usize) -> Vec<u32> {
        let simple = simple_bytes(self.best.objects[k].kind);
        let mut matter = Vec::new();
        for offset in 0..self.best.objects[k].data.len() {
            if self.is_over() {
                break;
            }
            let now = self.best.objects[k].data[offset];
            let rank = simple.iter().position(|&s| s == now).unwrap_or(simple.len());
            let mut data = self.best.objects[k].data.clone();
            let simpler = simple[..rank].iter().any(|&s| {
                data[offset] = s;
                self.take(k, data.clone())
            });
            // One that is simple already matters if no other simple one will do.
            let free = simpler
                || (rank < simple.len()
                    && simple.iter().filter(|&&s| s != now).any(|&s| {
                        data[offset] = s;
                        let mut input = self.best.clone();
                        input.objects[k].data = data.clone();
                        self.shows(&input)
                    }));
            if !free && !self.is_over() {
                matter.push(offset as u32);
            }
        }
        matter
    }
}

/// The simple bytes of an object: of a typed value, zero only.
fn simple_bytes(kind: ObjectKind) -> &'static [u8] {
    if kind == ObjectKind::Value { &[0] } else { &SIMPLE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(text: &[u8], budget: u32, mut shows: impl FnMut(&[u8]) -> bool) -> Minimised {
        minimise(&Input::stdin(text), budget, &mut |i| shows(&i.objects[0].data))
    }

    #[test]
    fn what_does_not_matter_goes() {
        let done = small(b"xx12key:value\n\n7654321", 1000, |d| d.windows(4).any(|w| w == b"key:"));
        assert_eq!(done.input, Input::stdin("key:"));
        assert!(done.complete);
        assert_eq!(done.matter, [(0, 0), (0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn what_must_stay_but_may_be_anything_becomes_simple() {
        let done = small(b"A\xf3\x01\x99Zend", 1000, |d| d.len() >= 5 && d[0] == b'A' && d[4] >= b'Z');
        assert_eq!(done.input, Input::stdin("A000a"));
        assert_eq!(done.matter, [(0, 0)], "the last byte had two choices");
    }

    #[test]
    fn what_stands_twice_goes_twice() {
        let shows = |d: &[u8]| {
            let parts: Vec<&[u8]> = d.split(|&b| b == b'=').collect();
            matches!(parts[..], [a, b] if !a.is_empty() && a == b)
        };
        let done = small(b"bolt=bolt", 1000, shows);
        assert_eq!(done.input.len(), 3);
    }

    #[test]
    fn an_empty_input_is_the_smallest() {
        assert_eq!(small(b"long text", 100, |_| true).input, Input::stdin(""));
    }

    #[test]
    fn the_budget_is_kept_and_the_result_still_shows_it() {
        let text: Vec<u8> = (0..200).collect();
        let shows = |d: &[u8]| d.iter().filter(|b| **b % 7 == 0).count() >= 20;
        let done = small(&text, 50, shows);
        assert!(done.runs <= 50 && !done.complete && shows(&done.input.objects[0].data));
        assert!(done.input.len() < 200);
    }

    #[test]
    fn values_keep_their_size() {
        use trace::Object;
        let value = |d: &[u8]| Object::new(ObjectKind::Value, "x", d);
        let input = Input { objects: vec![value(&[1, 2, 3, 4]), value(&[5, 6])] };
        let done = minimise(&input, 100, &mut |i| i.objects[1].data[0] == 5);
        assert_eq!(done.input.objects, [value(&[0, 0, 0, 0]), value(&[5, 0])]);
    }
}
