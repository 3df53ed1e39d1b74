//! The search along static paths, on a path log written by hand.

use program::{BranchId, FunctionId};
use std::sync::Arc;
use strategy::along_path::steps_after;
use strategy::{Decision, Knowledge, RunPath, Step};
use trace::testing::*;
use trace_abi::path_log::{ENTER, EXIT};

/// main: c0; call noise (c of its own); call inner (another); c of main again.
fn known() -> Knowledge {
    let program = Program::main([if_(
        byte(0).eq(b'a'),
        [call("noise"), call("inner"), if_(byte(1).eq(b'b'), [], [])],
        [],
    )])
    .function("noise", [if_(byte(2).lt(9), [], [])])
    .function("inner", [if_(byte(4).eq(b'c'), [crash()], [])]);
    Knowledge::new(Arc::new(FakeTarget::new(&program).map().clone()), path_tree::Limits::default())
}

/// The branch of the `n`-th conditional of a function.
fn branch(known: &Knowledge, function: u32, n: usize, outcome: u32) -> BranchId {
    let conds = known.map().conds.iter().filter(|c| c.function == FunctionId(function));
    BranchId(conds.map(|c| c.first_branch.0).nth(n).unwrap() + outcome)
}

/// A run that took main's first branch; with the log if `logged`, each decision recorded `late` (0: before its entry).
fn path(known: &Knowledge, logged: bool, late: u32) -> RunPath {
    let b = |f, n, o| branch(known, f, n, o).0;
    let log = vec![
        ENTER,
        b(0, 0, 1),
        ENTER | 1,
        b(1, 0, 0),
        EXIT | 1,
        ENTER | 2,
        b(2, 0, 0),
        EXIT | 2,
        b(0, 1, 0),
        EXIT,
    ];
    let decided = [1u32, 3, 6, 8];
    let decision = |(event, &at): (u32, &u32)| Decision {
        event,
        step: Step::Branch(BranchId(log[at as usize])),
        callees: 0,
        context: 0,
    };
    RunPath {
        decisions: (0..).zip(&decided).map(decision).collect(),
        log_at: if logged { decided.map(|at| at + late).to_vec() } else { Vec::new() },
        log: if logged { log.clone() } else { Vec::new() },
        lengths: vec![5],
        past_end: Vec::new(),
    }
}

fn wanted(known: &Knowledge, path: &RunPath, weight: u32) -> Vec<(u32, BranchId)> {
    steps_after(known, known.distances(), path, 0, weight).iter().map(|s| (s.at, s.branch)).collect()
}

#[test]
fn bodies_are_skipped_or_entered_and_what_is_covered_is_no_goal() {
    let mut known = known();
    let all: Vec<BranchId> = (0..known.map().branches.len() as u32).map(BranchId).collect();
    let (inner, last) = (branch(&known, 2, 0, 1), branch(&known, 0, 1, 1));
    let covered: Vec<BranchId> = all.into_iter().filter(|&b| b != inner && b != last).collect();
    known.cover(&covered, &[]);
    for late in [0, 1] {
        let path = path(&known, true, late);
        assert_eq!(
            wanted(&known, &path, 1),
            [(2, inner), (3, last)],
            "weight 1 reaches both, past the noise"
        );
        assert_eq!(wanted(&known, &path, 0), []);
    }
    known.cover(&[last], &[]);
    assert_eq!(wanted(&known, &path(&known, true, 0), 3), [(2, inner)]);
    known.cover(&[inner], &[]);
    assert_eq!(wanted(&known, &path(&known, true, 0), 9), []);
}

#[test]
fn static_paths_do_not_leave_the_function_they_entered() {
    let mut known = known();
    let last = branch(&known, 0, 1, 1);
    let all: Vec<BranchId> =
        (0..known.map().branches.len() as u32).map(BranchId).filter(|&b| b != last).collect();
    known.cover(&all, &[]);
    let path = path(&known, true, 0);
    // From the decision inside noise there is no static path back to main.
    assert!(steps_after(&known, known.distances(), &path, 1, 5).is_empty());
    assert_eq!(steps_after(&known, known.distances(), &path, 0, 5).len(), 1);
}

#[test]
fn without_a_log_the_search_still_finds_its_way() {
    let mut known = known();
    let last = branch(&known, 0, 1, 1);
    let all: Vec<BranchId> =
        (0..known.map().branches.len() as u32).map(BranchId).filter(|&b| b != last).collect();
    known.cover(&all, &[]);
    assert_eq!(wanted(&known, &path(&known, false, 0), 1), [(3, last)]);
}

#[test]
fn a_log_that_makes_no_sense_does_no_harm() {
    let known = known();
    let mut wild = path(&known, true, 0);
    wild.log = vec![EXIT, EXIT | 7, ENTER | 99, 5_000, EXIT, ENTER | 1];
    wild.log_at = vec![0, 90, 3, u32::MAX];
    for at in 0..4 {
        steps_after(&known, known.distances(), &wild, at, 50);
    }
}
