//! Traces and paths of recent runs, least recently used first out, bounded by bytes.
//!
//! A flip needs the trace of its parent run, a strategy its path. When it is no longer here, the loop makes
//! it again by running the parent's input; nothing else is lost.

use events::RunId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use strategy::RunPath;
use trace::{Input, Trace};

/// A run's trace with the input it came from and its path.
#[derive(Debug)]
pub struct Recorded {
    /// What the run consumed.
    pub input: Input,
    /// Its trace.
    pub trace: Trace,
    /// Its path.
    pub path: Arc<RunPath>,
}

impl Recorded {
    /// Whether decisions are missing at the end because records did not fit.
    pub fn is_cut(&self) -> bool {
        self.trace.dropped.nodes + self.trace.dropped.events + self.trace.dropped.tables > 0
    }
}

/// Something whose memory is accounted for.
pub trait Weigh {
    /// Bytes, approximately.
    fn bytes(&self) -> usize;
}

impl Weigh for Recorded {
    fn bytes(&self) -> usize {
        let t = &self.trace;
        let records =
            size_of_val(&*t.nodes) + size_of_val(&*t.events) + t.tables.len() + size_of_val(&*t.path);
        records + self.input.len() + 256
    }
}

impl Weigh for RunPath {
    fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.decisions) + size_of_val(&*self.log) + size_of_val(&*self.log_at);
        lists + size_of_val(&*self.lengths) + size_of_val(&*self.past_end) + 256
    }
}

/// See the module.
pub struct Recent<T> {
    by_run: FxHashMap<RunId, (Arc<T>, u64)>,
    by_age: BTreeMap<u64, RunId>,
    tick: u64,
    bytes: usize,
    limit: usize,
    evicted: u64,
}

impl<T: Weigh> Recent<T> {
    /// Holds at most `limit` bytes, but always the newest.
    pub fn new(limit: usize) -> Recent<T> {
        let (by_run, by_age) = Default::default();
        Recent { by_run, by_age, tick: 0, bytes: 0, limit, evicted: 0 }
    }

    /// Adds that of `run`.
    pub fn insert(&mut self, run: RunId, value: Arc<T>) {
        self.remove(run);
        self.tick += 1;
        self.bytes += value.bytes();
        self.by_run.insert(run, (value, self.tick));
        self.by_age.insert(self.tick, run);
        while self.bytes > self.limit && self.by_run.len() > 1 {
            let Some((_, oldest)) = self.by_age.pop_first() else { break };
            self.remove(oldest);
            self.evicted += 1;
        }
    }

    /// That of `run`, which counts as used now.
    pub fn get(&mut self, run: RunId) -> Option<Arc<T>> {
        let (value, age) = self.by_run.get_mut(&run)?;
        self.by_age.remove(age);
        self.tick += 1;
        *age = self.tick;
        self.by_age.insert(self.tick, run);
        Some(value.clone())
    }

    /// How many were dropped so far.
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    fn remove(&mut self, run: RunId) {
        if let Some((value, age)) = self.by_run.remove(&run) {
            self.bytes -= value.bytes();
            self.by_age.remove(&age);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::PackedNode;

    fn recorded(nodes: usize) -> Arc<Recorded> {
        let node = PackedNode::default();
        Arc::new(Recorded {
            input: Input::stdin([]),
            trace: Trace { nodes: vec![node; nodes], ..Trace::default() },
            path: Arc::default(),
        })
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = Recent::new(2 * recorded(100).bytes());
        cache.insert(RunId(0), recorded(100));
        cache.insert(RunId(1), recorded(100));
        assert!(cache.get(RunId(0)).is_some());
        cache.insert(RunId(2), recorded(100));
        assert!(cache.get(RunId(1)).is_none());
        assert!(cache.get(RunId(0)).is_some() && cache.get(RunId(2)).is_some());
        assert_eq!(cache.evicted(), 1);
    }

    #[test]
    fn the_newest_stays_even_when_too_large() {
        let mut cache = Recent::new(10);
        cache.insert(RunId(0), recorded(100));
        cache.insert(RunId(1), recorded(100));
        assert!(cache.get(RunId(0)).is_none());
        assert!(cache.get(RunId(1)).is_some());
        assert_eq!(cache.bytes, recorded(100).bytes());
        cache.insert(RunId(1), recorded(50));
        assert_eq!(cache.bytes, recorded(50).bytes());
    }
}
