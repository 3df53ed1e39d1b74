//! Small questions about decisions that several strategies ask.

use path_tree::Decision;
use program::{BranchId, ProgramMap};

/// The branches that a decision did not take: one for a two-way conditional, a decision of a library model or a check, several for a switch
/// or a call whose callee the input chooses, none for a call of a calculated address.
pub fn alternatives(map: &ProgramMap, decision: &Decision) -> impl Iterator<Item = BranchId> + use<> {
    let taken = decision.step.branch();
    let own = taken.and_then(|b| map.branches.get(b.index())).map(|b| map.branches_of(b.cond));
    let library = taken.and_then(|b| map.library_outcome(b)).map(|outcome| map.library_branch(!outcome));
    let call = taken.and_then(|b| map.call_outcome(b)).map(|(call, _)| call);
    let first = call.and_then(|call| map.call_branch(call, 0));
    let callees = first.map(|first| (first.0..first.0 + u32::from(decision.callees)).map(BranchId));
    let check =
        taken.and_then(|b| map.check_outcome(b)).map(|(check, fails)| map.check_branch(check, !fails));
    own.into_iter()
        .flatten()
        .chain(library)
        .chain(check)
        .chain(callees.into_iter().flatten())
        .filter(move |&b| Some(b) != taken)
}
