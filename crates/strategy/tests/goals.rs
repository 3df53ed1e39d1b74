//! Goals beside branches: functions, outcomes in their calling contexts, callees.

use path_tree::Limits;
use program::{BranchId, CallId, Cond, CondId, CondKind, FunctionId, GoalKind, ProgramMap};
use std::sync::Arc;
use strategy::{Decision, Knowledge, Step};
use trace::testing::*;

/// A check that is called twice: its conditional stands in the map once more for each call.
fn checked() -> (Knowledge, CondId) {
    let program = Program::main([call("check"), call("check"), if_(byte(1).eq(b'b'), [call("rare")], [])])
        .function("check", [if_(byte(0).eq(b'a'), [], [])])
        .function("rare", []);
    let mut map: ProgramMap = FakeTarget::new(&program).map().clone();
    let is_check = |c: &Cond| map.functions[c.function.index()].name == "check";
    let of = CondId(map.conds.iter().position(is_check).expect("there") as u32);
    for call in [0, 1] {
        let id = CondId(map.conds.len() as u32);
        let kind = CondKind::Goal(GoalKind::Context { of, calls: vec![CallId(call)] });
        let first_branch = BranchId(map.branches.len() as u32);
        map.conds.push(Cond { kind, first_branch, ..map.conds[of.index()].clone() });
        map.branches.extend((0..2).map(|outcome| program::Branch { cond: id, outcome }));
    }
    (map.goal_conds, map.goal_branches) = (2, 4);
    (Knowledge::new(Arc::new(map), Limits::default()), of)
}

#[test]
fn an_outcome_is_wanted_until_each_caller_had_it_or_cannot() {
    let (mut known, of) = checked();
    let map = known.map().clone();
    let [no, yes] = [0, 1].map(|k| BranchId(map.conds[of.index()].first_branch.0 + k));
    let within = |branch, context| map.in_context(branch, context).expect("told apart");
    assert!(known.is_wanted(yes, 1) && known.is_wanted(yes, 2) && !known.is_wanted(yes, 0));
    let new = known.cover_others(&[within(yes, 1)]);
    assert_eq!(new, [within(yes, 1)]);
    assert_eq!(known.cover_others(&new), []);
    assert!(!known.is_wanted(yes, 1) && known.is_wanted(yes, 2) && known.is_wanted(no, 1));
    known.refute(yes, 2);
    assert!(!known.is_wanted(yes, 2));
}

#[test]
fn a_campaign_is_complete_when_branches_functions_and_contexts_are() {
    let (mut known, of) = checked();
    let map = known.map().clone();
    let branches: Vec<BranchId> = (0..map.n_own_branches() as u32).map(BranchId).collect();
    let functions: Vec<FunctionId> = (0..map.functions.len() as u32).map(FunctionId).collect();
    known.cover(&branches, &functions[..2]);
    assert!(!known.is_complete(), "{} functions", functions.len());
    assert_eq!(known.open_functions().collect::<Vec<_>>(), functions[2..]);
    let entry = known.graph().entry(functions[2]);
    assert_eq!(known.distances().of(entry), Some(0), "a function that was not entered is a goal");
    known.cover(&[], &functions);
    assert_ne!(known.distances().of(entry), Some(0));
    assert!(!known.is_complete(), "contexts");
    let first = map.first_goal() as u32;
    known.cover_others(&[BranchId(first), BranchId(first + 1), BranchId(first + 2)]);
    assert!(!known.is_complete());
    known.refute(BranchId(map.conds[of.index()].first_branch.0 + 1), 2);
    assert!(known.is_complete());
}

#[test]
fn callees_that_the_input_can_choose_are_wanted_once_each() {
    let (mut known, _) = checked();
    let branch = |which| known.map().call_branch(CallId(0), which).expect("there");
    let branches = [branch(0), branch(1), branch(2)];
    let chose =
        |which: usize| Decision { event: 0, step: Step::Branch(branches[which]), callees: 3, context: 0 };
    assert_eq!(known.callees(), None);
    assert_eq!(known.cover_choices(&[chose(1), chose(1)]), [branches[1]]);
    assert!(!known.is_wanted(branches[1], 3) && known.is_wanted(branches[2], 3));
    assert!(known.is_wanted(branches[1], 4), "another choice: a table that holds one more");
    let callees = known.callees().expect("seen");
    assert_eq!((callees.covered, callees.total), (1, 3));
    known.refute(branches[0], 3);
    known.cover_choices(&[chose(2)]);
    assert_eq!(known.callees().map(|c| c.covered), Some(3));
}
