//! Small questions about decisions that several strategies ask.

use path_tree::Decision;
use program::{BranchId, ProgramMap};

/// The branches that a decision did not take: one for a two-way conditional, several for a switch, none for a call.
pub fn alternatives(map: &ProgramMap, decision: &Decision) -> impl Iterator<Item = BranchId> + use<> {
    let taken = decision.step.branch().filter(|b| b.index() < map.branches.len());
    let all = taken.map(|b| map.branches_of(map.branches[b.index()].cond));
    all.into_iter().flatten().filter(move |&b| Some(b) != taken)
}
