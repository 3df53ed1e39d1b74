//! A bounded map that forgets what was not used for long: when the younger half is full, the older half is dropped.
//! Cheaper than a linked list, deterministic, and what is looked up moves to the younger half.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The map. Each entry has a weight; entries of at most `capacity` weight are kept.
pub(crate) struct TwoGenerations<K, V> {
    young: FxHashMap<K, (V, usize)>,
    old: FxHashMap<K, (V, usize)>,
    young_weight: usize,
    half: usize,
}

impl<K: Eq + Hash + Copy, V> TwoGenerations<K, V> {
    /// An empty map that keeps entries of at most `capacity` weight.
    pub(crate) fn new(capacity: usize) -> TwoGenerations<K, V> {
        TwoGenerations {
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            young_weight: 0,
            half: capacity / 2,
        }
    }

    /// The value of a key, which is thereby used.
    pub(crate) fn get(&mut self, key: K) -> Option<&V> {
        if let Some((value, weight)) = self.old.remove(&key) {
            self.insert(key, value, weight);
        }
        self.young.get(&key).or_else(|| self.old.get(&key)).map(|(value, _)| value)
    }

    /// Adds or replaces a value. One that alone is heavier than half the capacity is not kept.
    pub(crate) fn insert(&mut self, key: K, value: V, weight: usize) {
        self.remove(key);
        if weight > self.half {
            return;
        }
        if self.young_weight + weight > self.half {
            self.old = std::mem::take(&mut self.young);
            self.young_weight = 0;
        }
        self.young_weight += weight;
        self.young.insert(key, (value, weight));
    }

    /// All entries, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.young.iter().chain(&self.old).map(|(key, (value, _))| (*key, value))
    }

    /// Forgets a key.
    pub(crate) fn remove(&mut self, key: K) {
        if let Some((_, weight)) = self.young.remove(&key) {
            self.young_weight -= weight;
        }
        self.old.remove(&key);
    }

    #[cfg(test)]
    fn weight(&self) -> usize {
        self.young.values().chain(self.old.values()).map(|(_, weight)| weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_within_its_capacity_and_keeps_what_is_used() {
        let mut map = TwoGenerations::new(100);
        map.insert(7u64, 7, 5);
        for k in 1000..2000u64 {
            map.insert(k, k, 10);
            assert_eq!(map.get(7), Some(&7));
            assert!(map.weight() <= 100);
        }
        assert_eq!(map.get(1000), None);
        assert_eq!(map.get(1999), Some(&1999));
    }

    #[test]
    fn what_is_too_heavy_is_not_kept() {
        let mut map = TwoGenerations::new(10);
        map.insert(1u64, 'a', 4);
        map.insert(2, 'b', 6);
        assert_eq!(map.get(1), Some(&'a'));
        assert_eq!(map.get(2), None);
    }
}
