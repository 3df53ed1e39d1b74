//! Inputs that were run, remembered by hash within a bound.

use events::RunId;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use trace::Input;

/// A bounded map from input hashes to runs, in two generations: when the young one is full, the old one is dropped
/// and the young one becomes the old one.
pub struct Seen {
    young: FxHashMap<u128, RunId>,
    old: FxHashMap<u128, RunId>,
    half: usize,
}

impl Seen {
    /// Remembers at least `capacity / 2` of the newest inputs, and at most `capacity`.
    pub fn new(capacity: usize) -> Seen {
        Seen { young: FxHashMap::default(), old: FxHashMap::default(), half: (capacity / 2).max(1) }
    }

    /// Remembers that `run` was a run of `input`.
    pub fn insert(&mut self, input: &Input, run: RunId) {
        let key = fingerprint(input);
        if self.young.contains_key(&key) {
            return;
        }
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, run);
    }

    /// The run of this input.
    pub fn get(&self, input: &Input) -> Option<RunId> {
        let key = fingerprint(input);
        self.young.get(&key).or_else(|| self.old.get(&key)).copied()
    }

    /// Whether something was forgotten already.
    pub fn has_forgotten(&self) -> bool {
        !self.old.is_empty() && self.young.len() + self.old.len() >= self.half
    }
}

/// 128 bits from two differently seeded 64-bit hashes; equal on all machines of one word size.
pub fn fingerprint(input: &Input) -> u128 {
    let half = |seed: u64| {
        let mut h = rustc_hash::FxHasher::default();
        seed.hash(&mut h);
        input.hash(&mut h);
        h.finish()
    };
    (half(0x9e37_79b9_7f4a_7c15) as u128) << 64 | half(0xd1b5_4a32_d192_ed03) as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_the_newest_within_the_bound() {
        let mut seen = Seen::new(8);
        for k in 0..100u8 {
            assert_eq!(seen.get(&Input::stdin([k])), None);
            seen.insert(&Input::stdin([k]), RunId(k.into()));
        }
        for k in 96..100u8 {
            assert_eq!(seen.get(&Input::stdin([k])), Some(RunId(k.into())));
        }
        assert_eq!(seen.get(&Input::stdin([0])), None);
        assert!(seen.young.len() + seen.old.len() <= 8);
        assert!(seen.has_forgotten());
    }

    #[test]
    fn object_borders_matter() {
        use trace::{Object, ObjectKind};
        let two = |a: &[u8], b: &[u8]| Input {
            objects: vec![Object::new(ObjectKind::Stdin, "stdin", a), Object::new(ObjectKind::File, "@@", b)],
        };
        assert_ne!(fingerprint(&two(b"ab", b"c")), fingerprint(&two(b"a", b"bc")));
    }
}
