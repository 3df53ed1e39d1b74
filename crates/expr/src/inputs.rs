//! Sets of input bytes, one per expression, shared as far as possible.
//!
//! Hash-consed big-endian Patricia tries (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998) with 64 bytes of
//! one object as a bitmap in each leaf. Equal sets have equal handles, a union shares all it can with its
//! operands, so that a chain of a million expressions that each add one byte stays small.

use rustc_hash::FxHashMap;

/// Handle of a set in the arena that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct InputSet(u32);

impl InputSet {
    /// The empty set.
    pub const EMPTY: InputSet = InputSet(0);
}

/// A trie over keys `(object << 32 | offset) >> 6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Trie {
    Empty,
    /// The bytes of one key.
    Leaf {
        key: u64,
        bits: u64,
    },
    /// Keys that agree above bit `bit`; those with the bit clear are on the left. `prefix`: the bits above.
    Fork {
        prefix: u64,
        bit: u8,
        left: InputSet,
        right: InputSet,
    },
}

/// Slots of the direct-mapped cache of unions.
const CACHE: usize = 1 << 12;

#[derive(Clone, Debug)]
pub(crate) struct InputSets {
    tries: Vec<Trie>,
    index: FxHashMap<Trie, InputSet>,
    cache: Vec<(InputSet, InputSet, InputSet)>,
    /// Merge steps so far.
    work: u64,
    /// Every byte that has a set, in the order of making; the first `in_all` of them are in `all`.
    singles: Vec<u64>,
    in_all: usize,
    all: InputSet,
}

/// Merge steps that an arena may spend on exact sets, about a second and 100 MB. After that a union that is not known
/// becomes the set of all bytes seen so far: too large, which costs slicing but is never wrong.
const MAX_WORK: u64 = 1_500_000;

impl Default for InputSets {
    fn default() -> InputSets {
        InputSets {
            tries: vec![Trie::Empty],
            index: FxHashMap::default(),
            cache: Vec::new(),
            work: 0,
            singles: Vec::new(),
            in_all: 0,
            all: InputSet::EMPTY,
        }
    }
}

impl InputSets {
    /// The set of one byte, named as in `Op::Input`.
    pub(crate) fn single(&mut self, byte: u64) -> InputSet {
        self.singles.push(byte);
        self.intern(Trie::Leaf { key: byte >> 6, bits: 1 << (byte & 63) })
    }

    /// The union of two sets, or beyond [`MAX_WORK`] a superset of it.
    pub(crate) fn union(&mut self, a: InputSet, b: InputSet) -> InputSet {
        let trivial = a == b || a == InputSet::EMPTY || b == InputSet::EMPTY;
        if self.work >= MAX_WORK && !trivial { self.everything() } else { self.exact(a, b) }
    }

    /// The union of two sets.
    fn exact(&mut self, a: InputSet, b: InputSet) -> InputSet {
        if a == b || b == InputSet::EMPTY {
            return a;
        }
        if a == InputSet::EMPTY {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        let slot =
            (a.0.wrapping_mul(0x9e37_79b9) ^ b.0.wrapping_mul(0x85eb_ca6b)) as usize >> 8 & (CACHE - 1);
        if self.cache.is_empty() {
            self.cache = vec![Default::default(); CACHE];
        }
        let hit = self.cache[slot];
        if (hit.0, hit.1) == (a, b) {
            return hit.2;
        }
        // At most 58 levels deep.
        let c = self.merge(a, b);
        self.cache[slot] = (a, b, c);
        c
    }

    /// All bytes that have been made.
    fn everything(&mut self) -> InputSet {
        while self.in_all < self.singles.len() {
            let byte = self.singles[self.in_all];
            self.in_all += 1;
            let one = self.intern(Trie::Leaf { key: byte >> 6, bits: 1 << (byte & 63) });
            self.all = self.exact(self.all, one);
        }
        self.all
    }

    pub(crate) fn view(&self, set: InputSet) -> Inputs<'_> {
        Inputs { sets: self, set }
    }

    fn intern(&mut self, t: Trie) -> InputSet {
        *self.index.entry(t).or_insert_with(|| {
            self.tries.push(t);
            InputSet(self.tries.len() as u32 - 1)
        })
    }

    fn get(&self, s: InputSet) -> Trie {
        self.tries[s.0 as usize]
    }

    fn merge(&mut self, a: InputSet, b: InputSet) -> InputSet {
        self.work += 1;
        match (self.get(a), self.get(b)) {
            (Trie::Leaf { key, bits }, Trie::Leaf { key: other, bits: more }) if key == other => {
                self.intern(Trie::Leaf { key, bits: bits | more })
            }
            (
                Trie::Fork { prefix, bit, left, right },
                Trie::Fork { prefix: p, bit: n, left: l, right: r },
            ) if (prefix, bit) == (p, n) => {
                let (left, right) = (self.exact(left, l), self.exact(right, r));
                self.intern(Trie::Fork { prefix, bit, left, right })
            }
            (Trie::Fork { prefix, bit, left, right }, other) if belongs(other, prefix, bit) => {
                self.add_below(prefix, bit, left, right, b)
            }
            (other, Trie::Fork { prefix, bit, left, right }) if belongs(other, prefix, bit) => {
                self.add_below(prefix, bit, left, right, a)
            }
            (x, y) => self.join(a, any_key(x), b, any_key(y)),
        }
    }

    /// The fork with `sub`, which belongs below it, merged into the right side.
    fn add_below(
        &mut self,
        prefix: u64,
        bit: u8,
        left: InputSet,
        right: InputSet,
        sub: InputSet,
    ) -> InputSet {
        let (left, right) = if any_key(self.get(sub)) >> bit & 1 == 0 {
            (self.exact(left, sub), right)
        } else {
            (left, self.exact(right, sub))
        };
        self.intern(Trie::Fork { prefix, bit, left, right })
    }

    /// A fork above two tries of different prefixes.
    fn join(&mut self, a: InputSet, key_a: u64, b: InputSet, key_b: u64) -> InputSet {
        let bit = 63 - (key_a ^ key_b).leading_zeros() as u8;
        let (left, right) = if key_a >> bit & 1 == 0 { (a, b) } else { (b, a) };
        self.intern(Trie::Fork { prefix: above(key_a, bit), bit, left, right })
    }
}

/// The bits of `key` above bit `bit`.
fn above(key: u64, bit: u8) -> u64 {
    key >> bit >> 1
}

/// Some key of a trie, or one that its keys agree with above its own bit.
fn any_key(t: Trie) -> u64 {
    match t {
        Trie::Empty => 0,
        Trie::Leaf { key, .. } => key,
        Trie::Fork { prefix, bit, .. } => prefix << 1 << bit,
    }
}

/// Whether all keys of `t` lie on one side of a fork at `bit` under `prefix`.
fn belongs(t: Trie, prefix: u64, bit: u8) -> bool {
    let lower = match t {
        Trie::Fork { bit: own, .. } => own < bit,
        _ => true,
    };
    lower && above(any_key(t), bit) == prefix
}

/// A set of input bytes, see [`crate::Arena::inputs`].
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    sets: &'a InputSets,
    set: InputSet,
}

impl<'a> Inputs<'a> {
    /// The bytes as (object, offset), ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        self.leaves().flat_map(|(key, bits)| {
            (0..64).filter(move |k| bits >> k & 1 == 1).map(move |k| {
                let byte = key << 6 | k;
                ((byte >> 32) as u32, byte as u32)
            })
        })
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.leaves().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Whether there are none: the expression is the same under every input.
    pub fn is_empty(&self) -> bool {
        self.set == InputSet::EMPTY
    }

    /// Whether a byte is in the set.
    pub fn contains(&self, object: u32, offset: u32) -> bool {
        let byte = u64::from(object) << 32 | u64::from(offset);
        let (key, mut at) = (byte >> 6, self.set);
        loop {
            match self.sets.get(at) {
                Trie::Empty => return false,
                Trie::Leaf { key: k, bits } => return k == key && bits >> (byte & 63) & 1 == 1,
                Trie::Fork { prefix, bit, .. } if above(key, bit) != prefix => return false,
                Trie::Fork { bit, left, right, .. } => at = if key >> bit & 1 == 0 { left } else { right },
            }
        }
    }

    /// The bytes as blocks of 64: (`(object << 32 | offset) / 64`, bitmap), ascending. For fast set algebra.
    pub fn leaves(&self) -> impl Iterator<Item = (u64, u64)> + use<'a> {
        let (sets, mut stack) = (self.sets, vec![self.set]);
        std::iter::from_fn(move || {
            loop {
                match sets.get(stack.pop()?) {
                    Trie::Empty => {}
                    Trie::Leaf { key, bits } => return Some((key, bits)),
                    Trie::Fork { left, right, .. } => stack.extend([right, left]),
                }
            }
        })
    }
}

impl IntoIterator for Inputs<'_> {
    type Item = (u32, u32);
    type IntoIter = std::vec::IntoIter<(u32, u32)>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl std::fmt::Debug for Inputs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn build(sets: &mut InputSets, bytes: &[(u32, u32)]) -> InputSet {
        bytes.iter().fold(InputSet::EMPTY, |s, &(o, k)| {
            let one = sets.single(u64::from(o) << 32 | u64::from(k));
            sets.union(s, one)
        })
    }

    fn bytes() -> impl Strategy<Value = Vec<(u32, u32)>> {
        proptest::collection::vec((0u32..3, prop_oneof![0u32..300, any::<u32>()]), 0..40)
    }

    proptest! {
        #[test]
        fn union_is_the_union_and_equal_sets_have_equal_handles(a in bytes(), b in bytes()) {
            let mut sets = InputSets::default();
            let (x, y) = (build(&mut sets, &a), build(&mut sets, &b));
            let both: BTreeSet<_> = a.iter().chain(&b).copied().collect();
            let union = sets.union(x, y);
            prop_assert!(sets.view(union).iter().eq(both.iter().copied()));
            prop_assert_eq!(sets.view(union).len(), both.len());
            prop_assert_eq!(sets.view(union).is_empty(), both.is_empty());
            let mut reversed: Vec<_> = both.iter().copied().collect();
            reversed.reverse();
            prop_assert_eq!(build(&mut sets, &reversed), union);
            for &(o, k) in a.iter().chain(&b) {
                prop_assert!(sets.view(union).contains(o, k));
                prop_assert_eq!(sets.view(x).contains(o, k), a.contains(&(o, k)));
            }
        }
    }

    #[test]
    fn beyond_the_limit_sets_are_supersets() {
        let mut sets = InputSets::default();
        let (a, b) = (build(&mut sets, &[(0, 1), (0, 900)]), build(&mut sets, &[(0, 2), (1, 7)]));
        sets.work = MAX_WORK;
        let union = sets.union(a, b);
        assert!(sets.view(union).iter().eq([(0, 1), (0, 2), (0, 900), (1, 7)]));
        let later = sets.single(5000);
        let all = sets.union(union, later);
        assert!(sets.view(all).contains(0, 5000) && sets.view(all).contains(1, 7));
        assert_eq!(sets.union(all, a), all);
    }

    #[test]
    fn a_long_chain_stays_small() {
        let mut sets = InputSets::default();
        let mut all = InputSet::EMPTY;
        for k in 0..50_000u64 {
            let one = sets.single(2 * k);
            all = sets.union(all, one);
        }
        assert_eq!(sets.view(all).len(), 50_000);
        assert!(sets.tries.len() < 2_000_000, "{}", sets.tries.len());
    }
}
