//! The tree against a plain model (sets of prefixes), on random paths; and its bounds.

use path_tree::{Decision, FlipStatus, Limits, PathTree, Step};
use program::{Branch, BranchId, CallId, CondId, ProgramMap};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn map(branches: u32) -> ProgramMap {
    let branches = (0..branches).map(|b| Branch { cond: CondId(b / 2), outcome: b % 2 }).collect();
    ProgramMap { branches, ..ProgramMap::default() }
}

fn path(steps: &[u32]) -> Vec<Decision> {
    let step = |s: u32| match s {
        1000.. => Step::Call { call: CallId(s - 1000), target: u64::from(s) },
        _ => Step::Branch(BranchId(s)),
    };
    steps
        .iter()
        .zip(0..)
        .map(|(&s, event)| Decision { event, step: step(s), callees: 0, context: 0 })
        .collect()
}

#[derive(Default)]
struct Model {
    prefixes: HashSet<Vec<u32>>,
    paths: HashSet<Vec<u32>>,
    marks: HashMap<Vec<u32>, FlipStatus>,
}

impl Model {
    fn status(&self, prefix: &[u32], wanted: u32) -> FlipStatus {
        let flip: Vec<u32> = prefix.iter().copied().chain([wanted]).collect();
        if self.prefixes.contains(&flip) {
            return FlipStatus::Taken;
        }
        self.marks.get(&flip).copied().unwrap_or(FlipStatus::Open)
    }
}

fn steps() -> impl Strategy<Value = Vec<u32>> {
    // Few different steps: many shared prefixes. 70,000 does not fit into 16 bits; 1000 and 1001 are calls.
    let step = prop_oneof![4 => 0u32..4, 1 => Just(900), 1 => 1000u32..1002];
    prop::collection::vec(step, 0..12)
}

proptest! {
    #[test]
    fn agrees_with_the_model(
        paths in prop::collection::vec((steps(), 0usize..12, 0u32..4, 0u8..4), 1..40)
    ) {
        let mut tree = PathTree::new(&map(1000), Limits::default());
        let mut model = Model::default();
        for (steps, at, wanted, status) in &paths {
            let p = path(steps);
            let shared = (0..=steps.len()).rev().find(|&n| n == 0 || model.prefixes.contains(&steps[..n])).unwrap();
            let inserted = tree.insert(&p);
            prop_assert_eq!(inserted.shared, shared);
            prop_assert_eq!(inserted.new, model.paths.insert(steps.clone()));
            for n in 1..=steps.len() {
                model.prefixes.insert(steps[..n].to_vec());
            }
            if *at < steps.len() {
                let status = [FlipStatus::Infeasible, FlipStatus::GaveUp, FlipStatus::Pending, FlipStatus::Open][*status as usize];
                tree.mark(&p, *at, BranchId(*wanted), status);
                let mut flip = steps[..*at].to_vec();
                flip.push(*wanted);
                model.marks.insert(flip, status);
            }
        }
        for (steps, ..) in &paths {
            let p = path(steps);
            let walk = tree.walk(&p);
            prop_assert_eq!(walk.shared(), steps.len());
            for at in 0..=steps.len() {
                for wanted in 0..4 {
                    let expected = model.status(&steps[..at], wanted);
                    prop_assert_eq!(walk.status(at, BranchId(wanted)), expected);
                    prop_assert_eq!(tree.status(&p, at, BranchId(wanted)), expected);
                }
            }
        }
        prop_assert_eq!(tree.stats().paths as usize, model.paths.len());
    }

    #[test]
    fn stays_within_its_bound_and_never_says_open_for_what_it_still_holds(
        seeds in prop::collection::vec(any::<u32>(), 50..200)
    ) {
        let limits = Limits { max_bytes: 15_000, ..Limits::default() };
        let mut tree = PathTree::new(&map(16), limits);
        for seed in seeds {
            let mut x = seed | 1;
            let steps: Vec<u32> = (0..200).map(|_| { x ^= x << 13; x ^= x >> 17; x ^= x << 5; x % 16 }).collect();
            let p = path(&steps);
            tree.insert(&p);
            prop_assert!(tree.stats().bytes <= limits.max_bytes);
            for at in [0, 10, 199] {
                prop_assert_eq!(tree.status(&p, at, BranchId(steps[at])), FlipStatus::Taken);
            }
        }
        prop_assert!(tree.stats().evicted > 0);
    }
}

#[test]
fn a_dropped_leaf_is_remembered_as_taken() {
    let limits = Limits { max_bytes: 8_000, ..Limits::default() };
    let mut tree = PathTree::new(&map(64), limits);
    let long = |first: u32| {
        let mut steps = vec![first];
        steps.extend((0..500).map(|k| (k * 7 + first) % 64));
        path(&steps)
    };
    for first in 0..30 {
        tree.insert(&long(first));
    }
    assert!(tree.stats().evicted > 20);
    let probe = path(&[63]);
    for first in 0..30 {
        assert_eq!(tree.status(&probe, 0, BranchId(first)), FlipStatus::Taken, "{first}");
    }
    assert_eq!(tree.status(&probe, 0, BranchId(40)), FlipStatus::Open);
}

#[test]
fn deeper_than_the_limit_nothing_is_worth_trying() {
    let mut tree = PathTree::new(&map(4), Limits { max_depth: 3, ..Limits::default() });
    let p = path(&[0, 1, 2, 3, 0]);
    assert!(tree.insert(&p).new);
    assert!(!tree.insert(&path(&[0, 1, 2, 2])).new, "the same as far as the tree remembers");
    assert!(tree.is_worth(&p, 2, BranchId(3)));
    assert_eq!(tree.status(&p, 3, BranchId(1)), FlipStatus::Beyond);
    tree.mark(&p, 4, BranchId(1), FlipStatus::Infeasible);
    assert_eq!(tree.status(&p, 4, BranchId(1)), FlipStatus::Beyond);
    assert_eq!(tree.counts(BranchId(1)).infeasible, 1, "counted for reports all the same");
}

#[test]
fn marks_are_counted_and_what_a_run_takes_stays_taken() {
    let mut tree = PathTree::new(&map(4), Limits::default());
    let (left, right) = (path(&[0, 2]), path(&[0, 3]));
    tree.insert(&left);
    tree.mark(&left, 1, BranchId(3), FlipStatus::Pending);
    assert_eq!(tree.status(&left, 1, BranchId(3)), FlipStatus::Pending);
    tree.insert(&right);
    assert_eq!(tree.status(&left, 1, BranchId(3)), FlipStatus::Taken);
    tree.mark(&left, 1, BranchId(3), FlipStatus::Diverged);
    assert_eq!(tree.status(&left, 1, BranchId(3)), FlipStatus::Taken);
    let counts = tree.counts(BranchId(3));
    assert_eq!((counts.decided, counts.diverged, counts.tried()), (1, 1, 1));
    assert_eq!(tree.counts(BranchId(77)).tried(), 0);
}

#[test]
fn a_long_campaign_stays_small() {
    // What is meant to fit: paths of 10,000 decisions that share their first half with an earlier one.
    let limits = Limits { max_bytes: 4 << 20, ..Limits::default() };
    let mut tree = PathTree::new(&map(1000), limits);
    let mut x = 1u32;
    let mut steps: Vec<u32> = vec![0; 10_000];
    for _ in 0..600 {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let from = (x >> 8) as usize % 10_000;
        for s in &mut steps[from..] {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *s = (x >> 16) % 1000;
        }
        let p = path(&steps);
        tree.insert(&p);
        tree.mark(&p, from, BranchId(1), FlipStatus::Infeasible);
    }
    let stats = tree.stats();
    assert!(stats.bytes <= limits.max_bytes && stats.paths == 600 && stats.evicted > 0, "{stats:?}");
}
