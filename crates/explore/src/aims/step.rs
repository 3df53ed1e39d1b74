//! What is learned of compared values: which edits move them, and with which values runs went on.

use super::Sample;
use super::edit::{Edit, spots};
use program::{CondId, ProgramMap};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use trace::{Input, Object, ObjectKind};

/// Steps known of one conditional.
const MOST_STEPS: usize = 32;
/// Of these, such as move it by the same.
const MOST_ALIKE: usize = 6;
/// Values of a gate with which runs went on.
const MOST_PASSING: usize = 8;
/// Places where a piece is put in.
const PLACES: usize = 3;

/// An edit that moved a compared value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The edit.
    pub edit: Edit,
    /// By how much.
    pub by: i64,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Steps {
    known: FxHashMap<CondId, Vec<Step>>,
    passing: FxHashMap<CondId, BTreeSet<i64>>,
}

impl Steps {
    /// `edit` made `after` of `before`; the conditionals whose value it moved.
    pub fn learn(&mut self, before: &Sample, after: &Sample, edit: &Edit) -> Vec<CondId> {
        let mut moved = Vec::new();
        for old in &before.compared {
            let Some(new) = after.apart(old.cond).filter(|&new| new != old.apart) else { continue };
            moved.push(old.cond);
            let Some(by) = new.checked_sub(old.apart) else { continue };
            let steps = self.known.entry(old.cond).or_default();
            let is_known = steps.iter().any(|s| s.by == by && s.edit.is_like(edit));
            let alike = steps.iter().filter(|s| s.by == by).count();
            if !is_known && steps.len() < MOST_STEPS && alike < MOST_ALIKE {
                steps.push(Step { edit: edit.clone(), by });
            }
        }
        moved
    }

    /// Steps of a conditional, in the order they were found.
    pub fn of(&self, cond: CondId) -> &[Step] {
        self.known.get(&cond).map_or(&[], Vec::as_slice)
    }

    /// Takes note of the values with which a run passed gates.
    pub fn note_passing<'a>(
        &mut self,
        sample: &Sample,
        chains: impl Iterator<Item = &'a [CondId]>,
        map: &ProgramMap,
    ) {
        for chain in chains {
            for pair in chain.windows(2) {
                let &[gate, next] = pair else { continue };
                let Some(apart) = sample.apart(gate).filter(|_| sample.decides(next, map)) else { continue };
                let values = self.passing.entry(gate).or_default();
                if values.len() < MOST_PASSING {
                    values.insert(apart);
                }
            }
        }
    }

    /// Values with which a run passed a gate, nearest first.
    pub fn passing(&self, gate: CondId, from: i64) -> Vec<i64> {
        let mut values: Vec<i64> = self.passing.get(&gate).into_iter().flatten().copied().collect();
        values.sort_by_key(|v| v.abs_diff(from));
        values
    }
}

impl Step {
    /// `input` with as many of these steps as come closest to `need`.
    pub fn towards(&self, need: i64, input: &Input, longest: usize) -> Vec<Input> {
        let Some(times) = need.checked_div(self.by).filter(|&n| n != 0) else { return Vec::new() };
        let Some(edit) = self.edit.times(times) else { return Vec::new() };
        let at: Vec<Edit> = match &edit {
            Edit::Insert { piece, times, .. } => {
                let spots = spots(input, piece).into_iter().take(PLACES);
                spots.map(|at| Edit::Insert { piece: piece.clone(), at, times: *times }).collect()
            }
            _ => vec![edit],
        };
        at.iter().filter_map(|edit| edit.apply(input, longest)).collect()
    }
}

/// Bytes of an input that exist before the run.
pub(super) fn bytes(input: &Input) -> usize {
    input.objects.iter().filter(|o| o.kind != ObjectKind::Value).map(|o| o.data.len()).sum()
}

/// Bytes of an input, and its number of values.
pub(super) fn size(input: &Input) -> usize {
    input.objects.iter().map(|o: &Object| o.data.len() + 1).sum()
}
