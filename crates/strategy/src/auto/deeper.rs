//! Flips that were given up, once more and with more work allowed.
//!
//! The first query of a flip is cut short: most flips are answered in a millisecond, and a hard one is seldom worth a
//! hundred easy ones. What was cut short waits here for its next level. First those that may cover something, and of
//! these the ones whose branch was given up least often, with short prefixes.

use crate::{FlipStatus, Goal, View};
use program::BranchId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use trace::RunId;

/// Levels above that of a first query.
const LEVELS: u8 = 3;
/// Most flips that wait; the least promising ones go first.
const MAX_WAITING: usize = 1 << 14;

/// Flips that were given up.
#[derive(Debug, Default)]
pub(super) struct Deeper {
    waiting: BTreeSet<GivenUp>,
    times: FxHashMap<BranchId, u32>,
}

/// The order is the priority, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GivenUp {
    level: u8,
    covered: bool,
    times: u32,
    at: u32,
    run: RunId,
    branch: BranchId,
}

impl Deeper {
    /// A flip was given up at `level` (0: its first query).
    pub(super) fn add(&mut self, view: &View<'_>, run: RunId, at: u32, branch: BranchId, level: u8) {
        if level >= LEVELS {
            return;
        }
        let times = self.times.entry(branch).or_default();
        *times += 1;
        let covered = view.known.coverage().has(branch);
        self.waiting.insert(GivenUp { level: level + 1, covered, times: *times, at, run, branch });
        if self.waiting.len() > MAX_WAITING {
            self.waiting.pop_last();
        }
    }

    /// Whether no flip is left.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The most promising flip, if it is still given up.
    pub(super) fn pick(&mut self, view: &View<'_>) -> Option<Goal> {
        while let Some(first) = self.waiting.pop_first() {
            if !first.covered && view.known.coverage().has(first.branch) {
                self.waiting.insert(GivenUp { covered: true, ..first });
                continue;
            }
            let GivenUp { level, at, run, branch, .. } = first;
            let Some(path) = view.paths.path(run) else { continue };
            if view.known.tree.status(&path.decisions, at as usize, branch) == FlipStatus::GaveUp {
                return Some(Goal::Deepen { run, at, branch, level });
            }
        }
        None
    }
}
