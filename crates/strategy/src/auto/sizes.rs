//! Longer and shorter inputs.

use crate::start::Rng;
use crate::{Fill, Goal, RunPath};
use rand::RngExt;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use trace::RunId;

/// Most goals waiting, and most reads past the end told apart.
const MAX_WAITING: usize = 4096;
/// Longest length asked for.
const MAX_LEN: u64 = 1 << 20;

/// Goals that change an input's length.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    waiting: VecDeque<Goal>,
    /// (object, length, length asked for) of reads past the end that were answered.
    answered: FxHashSet<(u32, u64, u64)>,
}

impl Sizes {
    /// A run came in. Growing is worth it when the program wanted more than there was, and for runs that covered
    /// something new; shrinking for the latter only.
    pub(super) fn add(&mut self, run: RunId, path: &RunPath, fruitful: bool) {
        for &(object, needed) in &path.past_end {
            let Some(&len) = path.lengths.get(object as usize) else { continue };
            let first = self.answered.len() < MAX_WAITING && self.answered.insert((object, len, needed));
            if (first || fruitful) && needed > len {
                self.grow(run, object, needed.min(len.saturating_mul(4).max(256)), Fill::Zeros);
                self.grow(run, object, len.saturating_mul(2).max(needed.min(len + 64)), Fill::Tail);
            }
        }
        if !fruitful {
            return;
        }
        for (object, &len) in (0..).zip(&path.lengths).filter(|(_, len)| **len > 1) {
            self.push(Goal::Shrink { run, object, to: len / 2 });
            self.grow(run, object, len.saturating_mul(2), Fill::Tail);
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn grow(&mut self, run: RunId, object: u32, to: u64, fill: Fill) {
        self.push(Goal::Grow { run, object, to: to.clamp(1, MAX_LEN), fill });
    }

    fn push(&mut self, goal: Goal) {
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(goal);
    }

    /// Mostly the newest goal, sometimes the oldest; a zero filling is printable characters half of the time.
    pub(super) fn pick(&mut self, rng: &mut Rng) -> Option<Goal> {
        let newest = rng.random_bool(0.75);
        let mut goal = if newest { self.waiting.pop_back() } else { self.waiting.pop_front() }?;
        if let Goal::Grow { fill, .. } = &mut goal
            && *fill == Fill::Zeros
            && rng.random_bool(0.5)
        {
            *fill = Fill::Printable;
        }
        Some(goal)
    }
}
