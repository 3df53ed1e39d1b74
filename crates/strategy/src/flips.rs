//! Small questions about decisions that several strategies ask.

use path_tree::Decision;
use program::{BranchId, ProgramMap};

/// The branches that a decision did not take: one for a two-way conditional or a decision of a library model, several for a switch, none for a call.
pub fn alternatives(map: &ProgramMap, decision: &Decision) -> impl Iterator<Item = BranchId> + use<> {
    let taken = decision.step.branch();
    let own = taken.and_then(|b| map.branches.get(b.index())).map(|b| map.branches_of(b.cond));
    let library = taken.and_then(|b| map.library_outcome(b)).map(|outcome| map.library_branch(!outcome));
    own.into_iter().flatten().chain(library).filter(move |&b| Some(b) != taken)
}
