//! Inputs made from inputs: coverage-guided mutation for cheap runs.
//!
//! A [`Mutator`] keeps a corpus (inputs that covered something no other did), a dictionary ([`tokens`]: constants that the
//! program compared its input with; those it might have found where it looked for another are put there, `places`) and
//! makes new inputs from both. What an input covers is found out by whoever runs it.
//!
//! The mutations are libafl's ("havoc" as in AFL, tokens, splicing; Fioraldi et al., "LibAFL: a framework to build modular and
//! reusable fuzzers", CCS 2022). Its fuzzer loop, executors and event managers are not used: they own the process and the
//! clock, and the engine's loop must be deterministic for a seed. Its power schedules want execution times, which a batch does
//! not tell and a deterministic engine must not use; so the schedule is ours (`schedule`).

#![forbid(unsafe_code)]

mod chains;
mod characters;
mod digits;
mod growth;
mod havoc;
mod letters;
mod places;
mod repeat;
mod schedule;
mod spoken;
pub mod tokens;

use growth::Growth;
use havoc::Havoc;
pub use places::Place;
use places::Substitutes;
use schedule::{Schedule, SeedId};
pub use spoken::spoken;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;
use trace::{Input, Object, ObjectKind};

/// Most inputs in a corpus: beyond it the least promising are no longer drawn.
const MAX_SEEDS: usize = 1 << 14;
/// One mutant in so many is spliced from two inputs.
const SPLICED: usize = 16;
/// The same of those made for the frontier: what a branch there wants is often something that another input does before.
const SPLICED_AT_FRONTIER: usize = 4;
/// The same of those of texts of values.
const SPLICED_TEXTS: usize = 4;
/// Where a letter of a text of values is to be changed, all but one in so many times the text is.
const LETTERS: usize = 4;
/// Most bytes of inputs in a corpus.
const MAX_BYTES: usize = 64 << 20;

/// See the crate.
pub struct Mutator {
    havoc: Havoc,
    schedule: Schedule,
    seeds: Vec<Arc<Input>>,
    known: HashMap<Arc<Input>, SeedId>,
    bytes: usize,
    max_input: usize,
    growth: Growth,
    words: BTreeSet<Vec<u8>>,
    substitutes: Substitutes,
}

/// A new input and what it was made from.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The input.
    pub input: Input,
    /// For [`Mutator::found`].
    pub parent: Parent,
}

/// The corpus entry that a mutant was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent(SeedId);

impl Mutator {
    /// An empty corpus; inputs of at most `max_input` bytes will be made. The same `seed` and calls give the same inputs.
    pub fn new(seed: u64, max_input: usize) -> Mutator {
        Mutator {
            havoc: Havoc::new(seed),
            schedule: Schedule::default(),
            seeds: Vec::new(),
            known: HashMap::new(),
            bytes: 0,
            max_input,
            growth: Growth::new(max_input),
            words: BTreeSet::new(),
            substitutes: Substitutes::default(),
        }
    }

    /// Number of inputs in the corpus.
    pub fn len(&self) -> usize {
        self.seeds.len()
    }

    /// Whether there is nothing to mutate.
    pub fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }

    /// Puts an input into the corpus; false if it is there, is too long or has no bytes to change, or the corpus is full.
    pub fn add(&mut self, input: &Input) -> bool {
        self.insert(input, |schedule| schedule.add(input.len()))
    }

    /// The same with an input that is new to this corpus only: whoever found it gave it the turns that new ones get. It covers these branches.
    pub fn adopt(&mut self, input: &Input, branches: impl Iterator<Item = u32>) -> bool {
        self.insert(input, |schedule| schedule.adopt(input.len(), branches))
    }

    fn insert(&mut self, input: &Input, enter: impl FnOnce(&mut Schedule) -> SeedId) -> bool {
        let room = self.seeds.len() < MAX_SEEDS && self.bytes + input.len() <= MAX_BYTES;
        if !room || input.len() > self.max_input || input.objects.is_empty() || self.known.contains_key(input)
        {
            return false;
        }
        let input = Arc::new(input.clone());
        self.bytes += input.len();
        self.growth.found(input.len());
        let mut at = 0;
        while at < input.objects.len() {
            let text = letters::around(&input.objects, at);
            at = text.end;
            self.havoc.add(&text_of(&input.objects[text]));
        }
        self.known.insert(input.clone(), enter(&mut self.schedule));
        self.seeds.push(input);
        true
    }

    /// A run of `input` covers these branches; those that no input of the corpus covered before. Of no interest if it is not in the
    /// corpus.
    pub fn covers(&mut self, input: &Input, branches: impl Iterator<Item = u32>) -> Vec<u32> {
        match self.known.get(input) {
            Some(&seed) => self.schedule.covers(seed, branches),
            None => Vec::new(),
        }
    }

    /// These are the branches that some run took and whose conditionals have others that no run took.
    pub fn set_frontier(&mut self, branches: &[u32]) {
        self.schedule.set_frontier(branches);
    }

    /// Puts a word into the dictionary; false if it is there or is of no use.
    pub fn add_token(&mut self, token: &[u8]) -> bool {
        let is_new = self.havoc.add_token(token);
        if is_new {
            self.words.insert(token.to_vec());
        }
        is_new
    }

    /// A run of `input` looked for words at these places: other words of the dictionary will be put there.
    pub fn add_places(&mut self, input: &Arc<Input>, places: &[Place]) {
        self.substitutes.add(input, places, &self.words, self.max_input);
    }

    /// The next input with a word put in the place of another; each comes once.
    pub fn substitute(&mut self) -> Option<Input> {
        self.substitutes.pop()
    }

    /// A mutant of the next input in turn; `None` while the corpus is empty.
    pub fn mutant(&mut self) -> Option<Mutant> {
        let mut input = Input::default();
        let parent = self.mutant_into(&mut input)?;
        Some(Mutant { input, parent })
    }

    /// As [`Mutator::mutant`], in place of another input, whose memory is used again.
    pub fn mutant_into(&mut self, input: &mut Input) -> Option<Parent> {
        let seed = self.schedule.next(|n| self.havoc.below(n))?;
        input.clone_from(&self.seeds[seed.index()]);
        // Mostly one object; long ones hold more that can be changed.
        let at = self.object(input);
        let text = letters::around(&input.objects, at);
        if text.len() > 1 && self.havoc.below(LETTERS) != 0 {
            self.change_text(input, text);
            return Some(Parent(seed));
        }
        let most = self.growth.next().max(input.len());
        let room = most.saturating_sub(input.len() - input.objects[at].data.len());
        let spliced = self.splice(&mut input.objects[at], at, room);
        if !spliced || self.havoc.below(2) == 0 {
            self.change(&mut input.objects[at], room);
        }
        Some(Parent(seed))
    }

    /// A mutant of this entry covered something new.
    pub fn found(&mut self, parent: Parent) {
        self.schedule.reward(parent.0);
    }

    /// Index of the object to change: by length, and now and then any.
    fn object(&mut self, input: &Input) -> usize {
        let weights = || input.objects.iter().map(|o| o.data.len() + 4);
        let mut left = self.havoc.below(weights().sum());
        for (at, weight) in weights().enumerate() {
            if left < weight {
                return at;
            }
            left -= weight;
        }
        0
    }

    /// Now and then: all of another input behind or before all of this one, or a tail of it behind a head of this one. What leads
    /// a program that keeps state on is often one of its inputs after another.
    fn splice(&mut self, object: &mut Object, at: usize, room: usize) -> bool {
        let one_in = if self.schedule.is_at_frontier() { SPLICED_AT_FRONTIER } else { SPLICED };
        if matches!(object.kind, ObjectKind::Value | ObjectKind::End) || self.havoc.below(one_in) != 0 {
            return false;
        }
        // Leaders are pieces that do one thing.
        let leader =
            if self.havoc.below(2) == 0 { self.schedule.some_leader(|n| self.havoc.below(n)) } else { None };
        let other = leader.map_or_else(|| self.havoc.below(self.seeds.len()), SeedId::index);
        let Some(other) = self.seeds[other].objects.get(at).filter(|o| o.kind == object.kind) else {
            return false;
        };
        match self.havoc.below(4) {
            0 => object.data.extend_from_slice(&other.data),
            1 => _ = object.data.splice(..0, other.data.iter().copied()),
            _ => {
                object.data.truncate(self.havoc.below(object.data.len() + 1));
                object.data.extend_from_slice(&other.data[self.havoc.below(other.data.len() + 1)..]);
            }
        }
        object.data.truncate(room);
        true
    }

    /// As [`Mutator::change`], now and then with another input's text from some letter on. The program asks for as many letters as
    /// before: behind a shorter text stays what was there.
    fn change_text(&mut self, input: &mut Input, text: Range<usize>) {
        let mut letters = text_of(&input.objects[text.clone()]);
        let is_spliced = self.havoc.below(SPLICED_TEXTS) == 0;
        if is_spliced {
            let other = &self.seeds[self.havoc.below(self.seeds.len())].objects;
            let from = self.havoc.below(letters.len());
            if text.start < other.len() {
                let other = text_of(&other[letters::around(other, text.start)]);
                let tail = letters.iter_mut().zip(other).skip(from);
                tail.for_each(|(letter, other)| *letter = other);
            }
        }
        if !is_spliced || self.havoc.below(2) == 0 {
            let room = letters.len();
            letters = self.havoc.mutate(letters, room);
        }
        let changed = input.objects[text].iter_mut().zip(letters);
        changed.for_each(|(object, letter)| object.data[0] = letter);
    }

    fn change(&mut self, object: &mut Object, room: usize) {
        if object.kind == ObjectKind::End {
            return;
        }
        let old_len = object.data.len();
        let data = std::mem::take(&mut object.data);
        object.data = self.havoc.mutate(data, room);
        match object.kind {
            // A typed value keeps its size.
            ObjectKind::Value => object.data.resize(old_len, 0),
            ObjectKind::Arg | ObjectKind::Env => {
                object.data.iter_mut().filter(|b| **b == 0).for_each(|b| *b = b'0');
            }
            _ => {}
        }
    }
}

fn text_of(objects: &[Object]) -> Vec<u8> {
    objects.iter().flat_map(|o| o.data.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn mutator(inputs: &[Input]) -> Mutator {
        let mut m = Mutator::new(7, 64);
        inputs.iter().for_each(|i| assert!(m.add(i)));
        m
    }

    #[test]
    fn the_same_seed_and_calls_give_the_same_inputs() {
        let run = |seed| {
            let mut m = Mutator::new(seed, 100);
            m.add(&Input::stdin(*b"hello world"));
            m.add_token(b"magic");
            (0..200)
                .map(|k| {
                    let mutant = m.mutant().expect("a mutant");
                    if k % 50 == 0 {
                        m.found(mutant.parent);
                        m.add(&mutant.input);
                    }
                    mutant.input
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn mutants_differ_stay_in_bounds_and_keep_their_shape() {
        let objects = vec![
            Object::new(ObjectKind::Arg, "1", *b"word"),
            Object {
                value_type: trace::ValueType::Signed,
                ..Object::new(ObjectKind::Value, "int", [1, 2, 3, 4])
            },
            Object::new(ObjectKind::Stdin, "stdin", vec![b'x'; 40]),
        ];
        let input = Input { objects };
        let mut m = mutator(std::slice::from_ref(&input));
        let mutants: Vec<Input> = (0..3000).map(|_| m.mutant().expect("a mutant").input).collect();
        for mutant in &mutants {
            assert!(mutant.len() <= 64);
            assert_eq!(mutant.objects[1].data.len(), 4);
            assert!(!mutant.objects[0].data.contains(&0));
            let shape = |i: &Input| i.objects.iter().map(|o| (o.kind, o.name.clone())).collect::<Vec<_>>();
            assert_eq!(shape(mutant), shape(&input));
        }
        let changed = |at: usize| mutants.iter().filter(|m| m.objects[at] != input.objects[at]).count();
        assert!((0..3).all(|at| changed(at) > 100), "{:?}", [changed(0), changed(1), changed(2)]);
        assert!(mutants.iter().collect::<HashSet<_>>().len() > 2000);
    }

    #[test]
    fn values_of_one_byte_are_changed() {
        let value =
            Object { value_type: trace::ValueType::Signed, ..Object::new(ObjectKind::Value, "char", [0]) };
        let mut m = mutator(&[Input { objects: vec![value; 20] }]);
        let mutants: HashSet<Input> = (0..2000).map(|_| m.mutant().expect("a mutant").input).collect();
        assert!(mutants.iter().all(|i| i.objects.iter().all(|o| o.data.len() == 1)));
        assert!(mutants.len() > 500, "{}", mutants.len());
    }

    #[test]
    fn words_of_the_dictionary_turn_up() {
        let mut m = mutator(&[Input::stdin(*b"................")]);
        assert!(m.add_token(b"DOCTYPE"));
        assert!(!m.add_token(b"DOCTYPE") && !m.add_token(b""));
        let has = |i: &Input| i.objects[0].data.windows(7).any(|w| w == b"DOCTYPE");
        assert!((0..2000).filter(|_| has(&m.mutant().expect("a mutant").input)).count() > 20);
    }

    #[test]
    fn values_of_one_byte_are_a_text() {
        let value = |name: &str, letter| Object::new(ObjectKind::Value, name, [letter]);
        let input = |text: &[u8]| {
            let letters = text.iter().map(|&letter| value("key", letter));
            Input { objects: [value("first", 7)].into_iter().chain(letters).collect() }
        };
        let mut m = mutator(&[input(b"................"), input(b"abcdefghijklmnop")]);
        m.add_token(b"DOCTYPE");
        let mutants: Vec<Input> = (0..4000).map(|_| m.mutant().expect("a mutant").input).collect();
        let text = |i: &Input| text_of(&i.objects[1..]);
        assert!(mutants.iter().all(|i| i.objects.len() == 17 && i.objects.iter().all(|o| o.data.len() == 1)));
        let having =
            |word: &[u8]| mutants.iter().filter(|i| text(i).windows(word.len()).any(|w| w == word)).count();
        assert!(having(b"DOCTYPE") > 20 && having(b"...klmnop") > 5);
        assert!(mutants.iter().any(|i| i.objects[0].data != [7]));
    }

    #[test]
    fn one_input_follows_another() {
        let mut m = mutator(&[Input::stdin(*b"one whole input;"), Input::stdin(*b"another whole one;")]);
        let whole = b"one whole input;another whole one;";
        let count =
            (0..2000).filter(|_| m.mutant().expect("a mutant").input.objects[0].data == whole).count();
        assert!(count > 2, "{count}");
    }

    #[test]
    fn pieces_of_other_inputs_turn_up() {
        let mut m = mutator(&[Input::stdin(*b"aaaaaaaaaaaa"), Input::stdin(*b"<b><b><b><b>")]);
        let mixed = |i: &Input| {
            let d = &i.objects[0].data;
            d.windows(4).any(|w| w == b"aaaa") && d.windows(4).any(|w| w == b"<b><" || w == b"b><b")
        };
        assert!((0..4000).filter(|_| mixed(&m.mutant().expect("a mutant").input)).count() > 20);
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let mut m = Mutator::new(1, 4);
        assert!(m.mutant().is_none());
        assert!(!m.add(&Input::stdin(*b"too long")));
        assert!(!m.add(&Input::default()));
        assert!(m.add(&Input::stdin(*b"ok")) && !m.add(&Input::stdin(*b"ok")));
        assert_eq!((m.len(), m.is_empty()), (1, false));
    }
}
