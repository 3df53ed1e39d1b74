//! Coverage of one search: from the log and the decisions of its runs, forgotten when it begins anew.

use program::BranchId;
use std::sync::Arc;
use strategy::own_coverage::OwnCoverage;
use strategy::{Decision, Knowledge, Paths, RunPath, Step, View};
use trace::RunId;
use trace::testing::*;
use trace_abi::path_log::{ENTER, EXIT};

/// The same path for every run but number 9, which is forgotten.
struct Same(Arc<RunPath>);

impl Paths for Same {
    fn path(&self, run: RunId) -> Option<Arc<RunPath>> {
        (run.0 != 9).then(|| self.0.clone())
    }
}

#[test]
fn what_was_covered_is_new_once_and_again_after_a_new_beginning() {
    let program = Program::main([if_(byte(0).eq(b'a'), [if_(byte(1).eq(b'b'), [], [])], [])]);
    let mut known =
        Knowledge::new(Arc::new(FakeTarget::new(&program).map().clone()), path_tree::Limits::default());
    let conds: Vec<u32> = known.map().conds.iter().map(|c| c.first_branch.0).collect();
    let (outer, inner) = (BranchId(conds[0] + 1), BranchId(conds[1]));
    // The inner condition depends on nothing: it is in the log only.
    let decision = Decision { event: 0, step: Step::Branch(outer), callees: 0, context: 0 };
    let path = RunPath {
        decisions: vec![decision],
        log: vec![ENTER, outer.0, inner.0, EXIT],
        log_at: vec![1],
        ..RunPath::default()
    };
    // The campaign has covered all there is.
    let all: Vec<BranchId> = (0..known.map().branches.len() as u32).map(BranchId).collect();
    known.cover(&all, &[]);
    let paths = Same(Arc::new(path));
    let view = View { known: &known, paths: &paths, busy: false };
    let mut own = OwnCoverage::default();
    assert_eq!(own.distances(&view).of_branch(outer), Some(0));
    assert!(!own.take_in(known.map(), &paths, RunId(9)), "nothing is known of a run that is forgotten");
    assert!(own.take_in(known.map(), &paths, RunId(1)));
    assert!(!own.take_in(known.map(), &paths, RunId(2)));
    assert_eq!(own.distances(&view).of_branch(outer), Some(1), "beside the inner branch that was taken");
    assert_eq!(own.distances(&view).of_branch(inner), None);
    own.forget();
    assert_eq!(own.distances(&view).of_branch(inner), Some(0));
    assert!(own.take_in(known.map(), &paths, RunId(1)));
}
