//! What the compared values of conditionals without input follow, as far as runs show it: the number of bytes, how often a branch was
//! taken, or something else that differs between inputs.
//!
//! A guess is kept as long as no pair of runs that differ by one edit contradicts it. One value in all runs is no evidence of anything.

use super::Sample;
use super::step::bytes;
use events::Follows;
use program::{BranchId, CondId, ProgramMap};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use strategy::RunPath;

/// Guesses by conditional.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    known: FxHashMap<CondId, Guess>,
}

#[derive(Debug, Default)]
struct Guess {
    /// A value that was seen.
    value: i64,
    /// What was told.
    told: Option<Follows>,
    /// Pairs of runs between which the value moved, and what moved alike in all of them.
    moved: bool,
    by_bytes: bool,
    by_branches: BTreeSet<BranchId>,
}

impl Evidence {
    /// What a run compared at a watched conditional; what is to be told.
    pub fn see(&mut self, cond: CondId, value: i64) -> Option<Follows> {
        let mut fresh = false;
        let guess = self.known.entry(cond).or_insert_with(|| {
            fresh = true;
            Guess { value, ..Guess::default() }
        });
        if fresh || guess.told.is_some() || guess.value == value {
            return None;
        }
        guess.told = Some(Follows::Input);
        guess.told
    }

    /// Two runs whose inputs differ by one edit, with their paths; what is to be told of a watched conditional.
    pub fn compare(
        &mut self,
        cond: CondId,
        (old, new): (&Sample, &Sample),
        counts: &FxHashMap<BranchId, i64>,
        map: &ProgramMap,
    ) -> Option<Follows> {
        let by = new.apart(cond)?.checked_sub(old.apart(cond)?)?.unsigned_abs();
        let more_bytes = bytes(&new.input).abs_diff(bytes(&old.input)) as u64;
        let guess = self.known.entry(cond).or_default();
        let alike = |b: &BranchId| counts.get(b).map_or(0, |n| n.unsigned_abs()) == by;
        if by != 0 && !guess.moved {
            guess.moved = true;
            guess.by_bytes = more_bytes == by;
            guess.by_branches = counts.keys().copied().filter(alike).collect();
        } else if guess.moved {
            guess.by_bytes &= more_bytes == by;
            guess.by_branches.retain(alike);
        }
        if !guess.moved {
            return None;
        }
        let own = |b: &&BranchId| map.function_of(**b) == map.conds[cond.index()].function;
        let branch = guess.by_branches.iter().find(own).or(guess.by_branches.first());
        let follows = match branch {
            _ if guess.by_bytes => Follows::Bytes,
            Some(&branch) => Follows::Branch { branch },
            None => Follows::Input,
        };
        let is_new = guess.told != Some(follows);
        guess.told = Some(follows);
        is_new.then_some(follows)
    }
}

/// How often a run took its branches by input, less how often another did.
pub(super) fn difference(new: &RunPath, old: &RunPath, map: &ProgramMap) -> FxHashMap<BranchId, i64> {
    let mut counts = FxHashMap::default();
    for (path, sign) in [(new, 1), (old, -1)] {
        for branch in path.decisions.iter().filter_map(|d| d.step.branch()) {
            if branch.index() < map.n_own_branches() {
                *counts.entry(branch).or_default() += sign;
            }
        }
    }
    counts.retain(|_, n| *n != 0);
    counts
}
