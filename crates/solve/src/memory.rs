//! What is remembered of earlier queries: bounded, shared by all workers, and put into bytes for the next session.
//!
//! Answers refer to constraints by their structural hashes, which are the same in every arena, run and process. Outside the
//! process go models, which are evaluated before they are believed, and contradictions, which have to be believed: whoever
//! keeps the bytes must see to it that they come back as they were, to the same version of the solvers. What was given up on
//! stays behind: the next session may be given more time, or other stages.

use crate::Model;
use crate::two_generations::TwoGenerations;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Cores kept under one hash.
const CORES_PER_HASH: usize = 8;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Weight (about bytes) of exact answers.
    pub answer_bytes: usize,
    /// Weight (about bytes) of cores.
    pub core_bytes: usize,
    /// Number of recent models tried.
    pub models: usize,
    /// Models with more bytes than this are not tried on other queries.
    pub model_len: usize,
}

impl Default for CacheLimits {
    fn default() -> CacheLimits {
        CacheLimits { answer_bytes: 32 << 20, core_bytes: 16 << 20, models: 16, model_len: 4096 }
    }
}

/// An answer that does not refer to a query's indexes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Remembered {
    Sat(Arc<[(u32, u32, u8)]>),
    Unsat(Core),
    /// Not answered within this much work: will not be answered within less.
    OutOfWork(u64),
    Unsupported(Arc<str>),
}

/// Hashes of constraints that contradict each other.
type Core = Arc<[u128]>;

/// See the module. Clones share it.
#[derive(Clone)]
pub struct Memory(Arc<Mutex<Inner>>);

struct Inner {
    limits: CacheLimits,
    answers: TwoGenerations<u128, Remembered>,
    /// Cores under the smallest of their hashes.
    cores: TwoGenerations<u128, Vec<Core>>,
    models: VecDeque<Arc<Model>>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new(CacheLimits::default())
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Memory").field(&self.lock().limits).finish()
    }
}

impl Memory {
    /// Nothing remembered yet.
    pub fn new(limits: CacheLimits) -> Memory {
        Memory(Arc::new(Mutex::new(Inner {
            limits,
            answers: TwoGenerations::new(limits.answer_bytes),
            cores: TwoGenerations::new(limits.core_bytes),
            models: VecDeque::new(),
        })))
    }

    /// Nothing in it is half done when a worker dies: each entry is put in as a whole.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to the set of constraints with this key.
    pub(crate) fn answer(&self, key: u128) -> Option<Remembered> {
        self.lock().answers.get(key).cloned()
    }

    /// Hashes among these that are known to contradict each other.
    pub(crate) fn contradiction(&self, hashes: &[u128]) -> Option<Core> {
        let set: FxHashSet<u128> = hashes.iter().copied().collect();
        let mut inner = self.lock();
        hashes.iter().find_map(|&hash| {
            let cores = inner.cores.get(hash)?;
            cores.iter().find(|core| core.iter().all(|hash| set.contains(hash))).cloned()
        })
    }

    /// The last models, the newest first.
    pub(crate) fn models(&self) -> Vec<Arc<Model>> {
        self.lock().models.iter().cloned().collect()
    }

    pub(crate) fn add_model(&self, model: &Model) {
        let mut inner = self.lock();
        if model.len() <= inner.limits.model_len && inner.limits.models > 0 {
            let others = inner.limits.models - 1;
            inner.models.truncate(others);
            inner.models.push_front(Arc::new(model.clone()));
        }
    }

    pub(crate) fn add(&self, key: u128, answer: Remembered) {
        let mut inner = self.lock();
        let weight = 64
            + match &answer {
                Remembered::Sat(bytes) => 12 * bytes.len(),
                Remembered::Unsat(core) => 16 * core.len(),
                Remembered::OutOfWork(_) => 0,
                Remembered::Unsupported(what) => what.len(),
            };
        if let Remembered::Unsat(core) = &answer {
            inner.add_core(core);
        }
        inner.answers.insert(key, answer, weight);
    }

    /// Models and contradictions, for [`Memory::take_in`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let inner = self.lock();
        let mut out = Vec::new();
        let count = |out: &mut Vec<u8>, n: usize| out.extend((n as u64).to_le_bytes());
        // In order of their keys: the same memory gives the same bytes.
        let mut answers: Vec<(u128, &Remembered)> = inner
            .answers
            .iter()
            .filter(|(_, answer)| matches!(answer, Remembered::Sat(_) | Remembered::Unsat(_)))
            .collect();
        answers.sort_unstable_by_key(|(key, _)| *key);
        for (key, answer) in answers {
            out.extend(key.to_le_bytes());
            match answer {
                Remembered::Sat(bytes) => {
                    out.push(SAT);
                    count(&mut out, bytes.len());
                    for &(object, offset, byte) in bytes.iter() {
                        out.extend(object.to_le_bytes());
                        out.extend(offset.to_le_bytes());
                        out.push(byte);
                    }
                }
                Remembered::Unsat(core) => {
                    out.push(UNSAT);
                    count(&mut out, core.len());
                    core.iter().for_each(|hash| out.extend(hash.to_le_bytes()));
                }
                Remembered::OutOfWork(_) | Remembered::Unsupported(_) => {}
            }
        }
        out
    }

    /// Takes in what another session remembered: all of it, or nothing if these are no such bytes. How many answers it was.
    pub fn take_in(&self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes;
        let mut answers = Vec::new();
        while !rest.is_empty() {
            answers.push((u128::from_le_bytes(*take(&mut rest)?), one_answer(&mut rest)?));
        }
        let n = answers.len();
        answers.into_iter().for_each(|(key, answer)| self.add(key, answer));
        Some(n)
    }
}

const SAT: u8 = 0;
const UNSAT: u8 = 1;

fn take<'b, const N: usize>(rest: &mut &'b [u8]) -> Option<&'b [u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(head)
}

fn one_answer(rest: &mut &[u8]) -> Option<Remembered> {
    let [kind] = *take(rest)?;
    let n = u64::from_le_bytes(*take(rest)?);
    Some(match kind {
        SAT => Remembered::Sat(
            (0..n)
                .map(|_| {
                    let (object, offset, [byte]) = (take(rest)?, take(rest)?, *take(rest)?);
                    Some((u32::from_le_bytes(*object), u32::from_le_bytes(*offset), byte))
                })
                .collect::<Option<_>>()?,
        ),
        // A contradiction of nothing would be one of everything.
        UNSAT if n > 0 => {
            Remembered::Unsat((0..n).map(|_| Some(u128::from_le_bytes(*take(rest)?))).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

impl Inner {
    fn add_core(&mut self, core: &Core) {
        let Some(&first) = core.iter().min() else { return };
        let mut same = self.cores.get(first).cloned().unwrap_or_default();
        // A core that contains the new one says no more than it.
        same.retain(|old| !core.iter().all(|hash| old.contains(hash)));
        same.truncate(CORES_PER_HASH - 1);
        same.insert(0, core.clone());
        let weight = same.iter().map(|core| 48 + 16 * core.len()).sum();
        self.cores.insert(first, same, weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembering() -> Memory {
        let memory = Memory::default();
        memory.add(7, Remembered::Sat([(0, 1, 2), (3, 4, 5)].into()));
        memory.add(8, Remembered::Unsat([10, u128::MAX].into()));
        memory.add(9, Remembered::OutOfWork(5));
        memory
    }

    #[test]
    fn models_and_contradictions_go_to_the_next_session() {
        let (old, new) = (remembering(), Memory::default());
        assert_eq!(new.take_in(&old.to_bytes()), Some(2));
        assert_eq!(new.answer(7), old.answer(7));
        assert_eq!(new.answer(8), old.answer(8));
        assert_eq!(new.contradiction(&[3, u128::MAX, 10]).as_deref(), Some(&[10, u128::MAX][..]));
        assert_eq!((new.contradiction(&[10]), new.answer(9)), (None, None));
        assert_eq!(new.to_bytes(), old.to_bytes());
    }

    #[test]
    fn what_is_cut_off_or_garbage_is_refused_as_a_whole() {
        let bytes = remembering().to_bytes();
        let new = Memory::default();
        let whole = [0, bytes.len() - (16 + 9 + 2 * 16), bytes.len()];
        for len in (0..bytes.len()).filter(|len| !whole.contains(len)) {
            assert_eq!(new.take_in(&bytes[..len]), None, "{len}");
        }
        let empty_core = [&[0; 16][..], &[UNSAT], &[0; 8]].concat();
        let endless = [&[0; 16][..], &[SAT], &[255; 8], &[0; 90]].concat();
        let unknown = [&[0; 16][..], &[2], &[0; 8]].concat();
        for bytes in [empty_core, endless, unknown] {
            assert_eq!(new.take_in(&bytes), None);
        }
        assert_eq!(new.to_bytes(), []);
    }
}
