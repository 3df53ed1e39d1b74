//! Steps as numbers, packed: branches as they are, (call, target) pairs interned above them.

use program::CallId;
use rustc_hash::FxHashMap;
use trace::Step;

/// First number of an interned call.
const CALLS: u32 = 1 << 31;
/// Different (call, target) pairs told apart; all further ones share one number. A tested program that invents
/// targets must not fill the memory.
const MAX_CALLS: usize = 1 << 16;

/// Numbers of steps.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    calls: FxHashMap<(CallId, u64), u32>,
}

impl Interner {
    /// The number of `step`, new if needed.
    pub(crate) fn number(&mut self, step: Step) -> u32 {
        match step {
            Step::Branch(b) => b.0 & !CALLS,
            Step::Call { call, target } => {
                let next = self.calls.len();
                if next >= MAX_CALLS {
                    return self.calls.get(&(call, target)).copied().unwrap_or(CALLS | MAX_CALLS as u32);
                }
                *self.calls.entry((call, target)).or_insert(CALLS | next as u32)
            }
        }
    }

    /// The number of `step` if it has one.
    pub(crate) fn known(&self, step: Step) -> Option<u32> {
        match step {
            Step::Branch(b) => Some(b.0 & !CALLS),
            Step::Call { call, target } => {
                let overflow = (self.calls.len() >= MAX_CALLS).then_some(CALLS | MAX_CALLS as u32);
                self.calls.get(&(call, target)).copied().or(overflow)
            }
        }
    }

    /// Bytes used, approximately.
    pub(crate) fn bytes(&self) -> usize {
        self.calls.capacity() * 24
    }
}

/// The branch that a number stands for.
pub(crate) fn branch_of(number: u32) -> Option<usize> {
    (number < CALLS).then_some(number as usize)
}

/// A list of step numbers, two bytes each when all are small.
#[derive(Debug)]
pub(crate) enum Steps {
    Short(Box<[u16]>),
    Long(Box<[u32]>),
}

impl Steps {
    pub(crate) fn new(steps: &[u32]) -> Steps {
        if steps.iter().all(|&s| s <= u32::from(u16::MAX)) {
            Steps::Short(steps.iter().map(|&s| s as u16).collect())
        } else {
            Steps::Long(steps.into())
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Steps::Short(s) => s.len(),
            Steps::Long(s) => s.len(),
        }
    }

    pub(crate) fn get(&self, i: usize) -> Option<u32> {
        match self {
            Steps::Short(s) => s.get(i).map(|&s| u32::from(s)),
            Steps::Long(s) => s.get(i).copied(),
        }
    }

    /// How many steps at the start agree with `path`.
    pub(crate) fn common(&self, path: impl Iterator<Item = Option<u32>>) -> usize {
        match self {
            Steps::Short(s) => s.iter().zip(path).take_while(|(a, b)| Some(u32::from(**a)) == *b).count(),
            Steps::Long(s) => s.iter().zip(path).take_while(|(a, b)| Some(**a) == *b).count(),
        }
    }

    /// The first `at` steps and the rest.
    pub(crate) fn split(&self, at: usize) -> (Steps, Steps) {
        match self {
            Steps::Short(s) => (Steps::Short(s[..at].into()), Steps::Short(s[at..].into())),
            Steps::Long(s) => (Steps::new(&s[..at]), Steps::new(&s[at..])),
        }
    }

    /// Heap bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Steps::Short(s) => s.len() * 2,
            Steps::Long(s) => s.len() * 4,
        }
    }
}
