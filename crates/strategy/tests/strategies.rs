//! Each strategy against small programs, with everything real but the solver and the target.

mod sim;

use program::BranchId;
use sim::Sim;
use std::collections::BTreeMap;
use strategy::{Goal, Kind, Options};
use trace::testing::*;

/// `depth` conditions in a row, each over its own byte: a full binary tree of paths.
fn ladder(depth: u32) -> Program {
    Program::main((0..depth).map(|k| if_(byte(k).lt(128), [], [])).collect::<Vec<_>>())
}

/// A magic word, checked byte by byte, behind a wide field of other conditions, which are not worth anything.
fn needle(word: &[u8], hay: u32) -> Program {
    let n = word.len() as u32;
    let mut body: Vec<Stmt> = (0..hay).map(|k| if_(byte(n + k).lt(128), [], [])).collect();
    let mut inner = vec![crash()];
    for (k, &letter) in word.iter().enumerate().rev() {
        inner = vec![if_(byte(k as u32).eq(letter), inner, [])];
    }
    body.extend(inner);
    Program::main(body)
}

fn turns_to_crash(program: &Program, kind: Kind, seed: u64, len: usize, most: usize) -> Option<usize> {
    let mut sim = Sim::new(program, kind, seed, Options::default(), len);
    sim.seed(&vec![0; len]);
    for turn in 0..most {
        if sim.crashed {
            return Some(turn);
        }
        sim.turn();
    }
    None
}

#[test]
fn bounded_dfs_forces_exactly_two_to_the_depth_minus_one_branches() {
    for depth in 1..=5 {
        let options = Options { depth, ..Options::default() };
        let mut sim = Sim::new(&ladder(7), Kind::BoundedDfs, 1, options, 7);
        sim.seed(&[0; 7]);
        while !matches!(sim.goals.last(), Some(Goal::Random { .. })) {
            sim.turn();
        }
        assert_eq!(sim.forced, (1 << depth) - 1, "depth {depth}");
        sim.runs.pop(); // the random input of the next search
        assert_eq!(sim.paths().len(), 1 << depth, "each forced branch is another path");
    }
}

#[test]
fn bounded_dfs_does_not_count_what_cannot_be_forced() {
    // The second condition follows from the first one; the third is free.
    let program = Program::main([
        if_(byte(0).lt(100), [], []),
        if_(byte(0).lt(100), [], []),
        if_(byte(1).lt(100), [], []),
    ]);
    let options = Options { depth: 2, ..Options::default() };
    let mut sim = Sim::new(&program, Kind::BoundedDfs, 1, options, 2);
    sim.seed(&[0, 0]);
    while !matches!(sim.goals.last(), Some(Goal::Random { .. })) {
        sim.turn();
    }
    assert_eq!(sim.forced, 3, "2^2 - 1, though there is an infeasible flip between");
}

#[test]
fn uniform_random_search_draws_paths_with_probability_two_to_minus_k() {
    // Paths: byte0 small: 2 more conditions (4 paths of length 3); else none (1 path of length 1).
    let two = [if_(byte(1).eq(7), [], []), if_(byte(2).eq(7), [], [])];
    let program = Program::main([if_(byte(0).eq(7), two, [])]);
    // Without seeds each search begins with a random input, and ends where the next one begins.
    let mut sim = Sim::new(&program, Kind::UniformRandom, 42, Options::default(), 3);
    let mut counts = std::collections::BTreeMap::<Vec<trace::Step>, f64>::new();
    let searches = 4000;
    let mut ended = 0;
    while ended <= searches {
        let path = sim.last_run.map(|r| sim.runs[r.0 as usize].1.decisions.iter().map(|d| d.step).collect());
        sim.turn();
        if matches!(sim.goals.last(), Some(Goal::Random { .. })) {
            if let Some(path) = path {
                *counts.entry(path).or_default() += 1.0;
            }
            ended += 1;
        }
    }
    assert_eq!(counts.len(), 5);
    let chi2: f64 = counts
        .iter()
        .map(|(path, n)| {
            let expected = f64::from(searches) / f64::from(1 << path.len());
            (n - expected).powi(2) / expected
        })
        .sum();
    assert!(chi2 < 13.28, "chi-square {chi2} with 4 degrees of freedom exceeds the 1 % point: {counts:?}");
}

#[test]
fn control_flow_directed_search_finds_a_needle_where_depth_first_search_does_not() {
    let program = needle(b"KEY!", 24);
    let options = Options { depth: 14, ..Options::default() };
    let mut sim = Sim::new(&program, Kind::BoundedDfs, 1, options, 28);
    sim.seed(&[0; 28]);
    for _ in 0..300 {
        sim.turn();
    }
    assert!(!sim.crashed);
    for seed in 0..5 {
        let turns = turns_to_crash(&program, Kind::Cfg, seed, 28, 200).expect("found");
        assert!(turns <= 60, "{turns} goals, where 24 decisions and 4 letters wait");
    }
}

#[test]
fn every_guided_strategy_finds_the_needle() {
    let program = needle(b"KEY!", 6);
    for kind in [Kind::Auto, Kind::Generational, Kind::Cfg, Kind::RandomBranch] {
        for seed in 0..3 {
            assert!(turns_to_crash(&program, kind, seed, 10, 1500).is_some(), "{kind}, seed {seed}");
        }
    }
}

#[test]
fn control_flow_directed_search_follows_calls_and_skips_over_bodies() {
    // The way to the crash passes a call whose body holds decisions of its own (to be skipped), and leads into another.
    let program = Program::main([if_(
        byte(0).eq(b'a'),
        [call("noise"), if_(byte(1).eq(b'b'), [call("inner")], [])],
        [],
    )])
    .function("noise", [if_(byte(2).lt(9), [], []), if_(byte(3).lt(9), [], [])])
    .function("inner", [if_(byte(4).eq(b'c'), [crash()], [])]);
    for seed in 0..5 {
        let turns = turns_to_crash(&program, Kind::Cfg, seed, 5, 200);
        assert!(turns.is_some_and(|t| t <= 40), "seed {seed}: {turns:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_goals() {
    let program = needle(b"AB", 5);
    for &kind in Kind::ALL {
        let goals = |seed| {
            let mut sim = Sim::new(&program, kind, seed, Options::default(), 7);
            sim.seed(&[1; 7]);
            for _ in 0..120 {
                sim.turn();
            }
            sim.goals
        };
        assert_eq!(goals(5), goals(5), "{kind}");
    }
}

#[test]
fn no_strategy_is_stuck_on_a_program_without_decisions() {
    let program = Program::main([let_("x", byte(0)), exit(3)]);
    for &kind in Kind::ALL {
        let mut sim = Sim::new(&program, kind, 1, Options::default(), 2);
        sim.seed(&[0; 2]);
        for _ in 0..50 {
            assert!(sim.turn(), "{kind} goes on with random inputs");
        }
    }
}

#[test]
fn what_only_the_run_of_an_aim_leads_to_is_flipped_when_nothing_else_is_left() {
    let program = Program::main((0..3).map(|k| if_(byte(k).eq(7), [], [])).collect::<Vec<_>>());
    let mut sim = Sim::new(&program, Kind::Auto, 1, Options::default(), 3);
    sim.seed(&[7, 7, 7]);
    sim.seed(&[0, 0, 0]);
    // It takes the way that a flip of the first seed's second decision would have taken.
    let run = sim.aimed(&[7, 0, 7]);
    let found = (0..200).any(|_| {
        sim.turn();
        matches!(sim.goals.last(), Some(Goal::Flip { run: of, at: 2, .. }) if *of == run)
    });
    assert!(found, "7, 0 and something else than 7 is left");
}

#[test]
fn switches_are_flipped_to_each_of_their_cases() {
    let cases: Vec<(u64, Vec<Stmt>)> = (1..6).map(|v| (v, vec![])).collect();
    let program = Program::main([switch(byte(0), cases, [])]);
    for kind in
        [Kind::Auto, Kind::BoundedDfs, Kind::Generational, Kind::Cfg, Kind::UniformRandom, Kind::RandomBranch]
    {
        let mut sim = Sim::new(&program, kind, 1, Options::default(), 1);
        sim.seed(&[0]);
        for _ in 0..300 {
            sim.turn();
        }
        assert_eq!(sim.known.coverage().uncovered().count(), 0, "{kind}");
    }
}

/// So many turns of a random branch search that begins at so many zeros.
fn random_branch(program: &Program, seed: u64, len: usize, turns: usize) -> Sim {
    let mut sim = Sim::new(program, Kind::RandomBranch, seed, Options::default(), len);
    sim.seed(&vec![0; len]);
    for _ in 0..turns {
        sim.turn();
    }
    sim
}

#[test]
fn random_branch_search_draws_places_however_often_the_path_passes_them() {
    // Forty decisions of one conditional in a function called again and again, and one elsewhere.
    let mut body: Vec<Stmt> = (0..40).map(|_| call("again")).collect();
    body.push(if_(byte(1).lt(9), [], []));
    let program = Program::main(body).function("again", [if_(byte(0).lt(9), [], [])]);
    for seed in 0..3 {
        let sim = random_branch(&program, seed, 2, 200);
        let flips =
            sim.goals.iter().filter_map(|g| if let Goal::Flip { at, .. } = g { Some(*at) } else { None });
        let (last, others): (Vec<u32>, Vec<u32>) = flips.partition(|&at| at == 40);
        assert!(last.len() > 60 && others.len() > 60, "seed {seed}: {} and {}", last.len(), others.len());
    }
}

#[test]
fn random_branch_search_draws_the_decisions_of_a_place_by_turns() {
    let body: Vec<Stmt> = (0..10).map(|_| call("again")).collect();
    let program = Program::main(body).function("again", [if_(byte(0).lt(9), [], [])]);
    for seed in 0..3 {
        let sim = random_branch(&program, seed, 1, 90);
        let mut times: BTreeMap<BranchId, [u32; 10]> = BTreeMap::new();
        for goal in &sim.goals {
            if let Goal::Flip { at, branch, .. } = goal {
                times.entry(*branch).or_default()[*at as usize] += 1;
            }
        }
        assert_eq!(times.len(), 2, "both ways");
        for (branch, times) in times {
            let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
            assert!(most - least <= 1, "seed {seed}, {branch:?}: {times:?}");
        }
    }
}

#[test]
fn random_branch_search_goes_on_from_runs_that_are_not_turned_away() {
    // Eight gates, each of which turns away what is over 127; behind them twelve conditions that all inputs there get to.
    let mut body: Vec<Stmt> = (0..12).map(|k| if_(byte(8 + k).lt(128), [], [])).collect();
    for k in (0..8).rev() {
        body = vec![if_(byte(k).lt(128), body, [])];
    }
    let program = Program::main(body);
    for seed in 0..3 {
        let sim = random_branch(&program, seed, 20, 300);
        let from =
            sim.goals.iter().filter_map(|g| if let Goal::Flip { run, .. } = g { Some(*run) } else { None });
        let is_through = |run: &trace::RunId| sim.runs[run.0 as usize].1.decisions.len() == 20;
        let (through, away): (Vec<_>, Vec<_>) = from.partition(is_through);
        assert!(through.len() > 2 * away.len(), "seed {seed}: {} and {}", through.len(), away.len());
    }
}

#[test]
fn names_are_read_back_and_wrong_ones_explained() {
    for &kind in Kind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    let error = "dfs".parse::<Kind>().unwrap_err().to_string();
    assert!(error.contains("\"dfs\"") && error.contains("bounded-dfs"), "{error}");
}
