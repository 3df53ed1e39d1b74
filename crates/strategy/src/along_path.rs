//! *SearchAlongPath* of Burnim & Sen 2008 (UCB/EECS-2008-123), section 4.2, over all static paths at once.
//!
//! The question: from a place of an execution, which branches can be forced next so that the execution goes on along
//! *some* static path of at most a given weight to an uncovered branch? A static path that agrees with the execution is
//! fixed by one kind of choice only: at each call, to enter the called function and never leave it, or to
//! skip over its body. So all static paths are followed together by walking the path log: on one level of the call
//! stack each branch costs 1; at a call the walk continues both inside (recursively) and behind the call. Where the
//! execution takes b and a paired branch lies within the weight left of an uncovered branch, that branch is a
//! [`Step`] to force. Common prefixes are thus forced once.
//!
//! Without a path log (flavours other than `path`) only the input-dependent decisions are known. Then a decision's
//! level is guessed from its function: the decisions of one function are taken to be one visit of it.

use crate::flips::alternatives;
use crate::{Knowledge, RunPath};
use program::{BranchId, Distances, FunctionId};
use rustc_hash::FxHashMap;
use trace_abi::path_log;

/// A branch to be forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Decision to be flipped.
    pub at: u32,
    /// Wanted branch.
    pub branch: BranchId,
    /// Weight left behind it.
    pub left: u32,
}

/// Decisions looked at without a path log, per unit of weight.
const GUESSED_PER_WEIGHT: usize = 64;
/// Entries of the path log looked at in one search: bounds the work on long paths of cheap calls.
const MAX_ENTRIES: usize = 1 << 18;

/// The steps that lead from just behind decision `at` of `path` (taken as it is) along static paths of at most
/// `weight` branches to one of the branches that `distances` leads to; nearest to `at` first.
pub fn steps_after(
    known: &Knowledge,
    distances: &Distances,
    path: &RunPath,
    at: usize,
    weight: u32,
) -> Vec<Step> {
    if path.log.is_empty() || path.log_at.len() != path.decisions.len() {
        return guessed(known, distances, path, at, weight);
    }
    let log = Log::new(path);
    let Some(entry) = log.entry_of(at) else { return guessed(known, distances, path, at, weight) };
    let mut walk = LogWalk { known, distances, path, log, steps: Vec::new(), looked_at: 0 };
    walk.level(entry + 1, weight);
    walk.steps
}

/// Adds the branches beside `decision` that are near enough to an uncovered one.
fn add_near(
    known: &Knowledge,
    distances: &Distances,
    path: &RunPath,
    at: usize,
    weight: u32,
    steps: &mut Vec<Step>,
) {
    for branch in alternatives(known.map(), &path.decisions[at]) {
        if distances.of_branch(branch).is_some_and(|d| d < weight) {
            steps.push(Step { at: at as u32, branch, left: weight - 1 });
        }
    }
}

/// The path log, with the entries that are decisions.
struct Log<'p> {
    entries: &'p [u32],
    /// Index in `entries` of each decision's branch, by decision, ascending.
    decided_at: Vec<usize>,
}

impl<'p> Log<'p> {
    /// The log of a path. Whether a decision is recorded right before or right after its entry is found out by
    /// comparing branches.
    fn new(path: &'p RunPath) -> Log<'p> {
        let is_entry = |(index, k): (usize, usize)| {
            let branch = path.decisions[k].step.branch().map(|b| b.0 | path_log::BRANCH);
            branch.is_some() && path.log.get(index).copied() == branch
        };
        let agreeing = |back: usize| {
            let places = path.log_at.iter().map(|&p| (p as usize).wrapping_sub(back));
            places.zip(0..).filter(|&x| is_entry(x)).count()
        };
        let back = usize::from(agreeing(1) > agreeing(0));
        let decided_at = path.log_at.iter().map(|&p| (p as usize).saturating_sub(back)).collect();
        Log { entries: &path.log, decided_at }
    }

    fn entry_of(&self, decision: usize) -> Option<usize> {
        self.decided_at.get(decision).copied()
    }

    /// The decision whose entry this is.
    fn decision_at(&self, entry: usize) -> Option<usize> {
        self.decided_at.binary_search(&entry).ok()
    }

    /// Index of the exit that belongs to the function entered at `enter`; the end of the log if it never returned.
    fn exit_of(&self, enter: usize) -> usize {
        let mut depth = 0usize;
        for (i, e) in self.entries.iter().enumerate().skip(enter) {
            match e & path_log::TAG {
                path_log::ENTER => depth += 1,
                path_log::EXIT => {
                    depth -= 1;
                    if depth == 0 {
                        return i;
                    }
                }
                _ => {}
            }
        }
        self.entries.len()
    }
}

struct LogWalk<'a> {
    known: &'a Knowledge,
    distances: &'a Distances,
    path: &'a RunPath,
    log: Log<'a>,
    steps: Vec<Step>,
    looked_at: usize,
}

impl LogWalk<'_> {
    /// Follows the execution from an entry of the log on one level of the call stack. Calls inside are entered by
    /// recursion; its depth is bounded, as each level costs entries.
    fn level(&mut self, from: usize, weight: u32) {
        let mut levels = vec![(from, weight)];
        while let Some((mut i, mut weight)) = levels.pop() {
            let mut inside = Vec::new();
            while weight > 0 && self.looked_at < MAX_ENTRIES {
                let Some(&entry) = self.log.entries.get(i) else { break };
                self.looked_at += 1;
                let id = entry & !path_log::TAG;
                match entry & path_log::TAG {
                    path_log::ENTER => {
                        if self.is_near(FunctionId(id), weight) {
                            inside.push((i + 1, weight));
                        }
                        i = self.log.exit_of(i);
                    }
                    path_log::EXIT => break,
                    _ => {
                        if let Some(at) = self.log.decision_at(i) {
                            add_near(self.known, self.distances, self.path, at, weight, &mut self.steps);
                        }
                        weight -= 1;
                    }
                }
                i += 1;
            }
            levels.append(&mut inside);
        }
        self.steps.sort_by_key(|s| s.at);
    }

    /// Whether some uncovered branch lies within `weight` of a function's entry.
    fn is_near(&self, function: FunctionId, weight: u32) -> bool {
        if function.index() >= self.known.map().functions.len() {
            return false;
        }
        let entry = self.known.graph().entry(function);
        self.distances.of(entry).is_some_and(|d| d <= weight)
    }
}

/// As [`steps_after`], from the decisions alone.
fn guessed(known: &Knowledge, distances: &Distances, path: &RunPath, at: usize, weight: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut used: FxHashMap<FunctionId, u32> = FxHashMap::default();
    // Decisions of library models are in no function.
    let own_function = |b: BranchId| known.map().branches.get(b.index()).map(|_| known.map().function_of(b));
    let own = path.decisions[at].step.branch().and_then(own_function);
    let most = weight as usize * GUESSED_PER_WEIGHT;
    for (k, decision) in path.decisions.iter().enumerate().skip(at + 1).take(most) {
        let Some(function) = decision.step.branch().and_then(own_function) else { continue };
        let used = used.entry(function).or_default();
        if *used < weight {
            add_near(known, distances, path, k, weight - *used, &mut steps);
        } else if Some(function) == own {
            break;
        }
        *used += 1;
    }
    steps
}
