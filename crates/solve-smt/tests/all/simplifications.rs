//! Every example of a simplification rule (`expr/tests/simplify/*.txt`, `before => after`) is proved: no input tells the
//! two sides apart. There the sides are compared under some inputs; here under all.

use expr::{Arena, Op};
use solve::{Answer, Limits, Query, Solver};
use solve_smt::Bitwuzla;
use std::path::Path;

/// The lines of all files.
fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../expr/tests/simplify");
    let mut lines = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        lines.extend(text.lines().filter(|line| line.contains(" => ")).map(str::to_owned));
    }
    lines.sort();
    lines
}

/// What the solver says of "the sides differ".
fn difference(solver: &mut Bitwuzla, id: u64, before: &str, after: &str) -> Answer {
    let mut arena = Arena::new();
    // What comes out in several lines is written in one.
    let left = *arena.parse(before).unwrap().last().unwrap();
    let right = *arena.parse(&after.replace("; ", "\n")).unwrap().last().unwrap();
    let differs = arena.raw(Op::Ne, 1, &[left, right], 0);
    let mut query = Query { arena: &mut arena, arena_id: id, constraints: &[differs], hint: &|_, _| 0 };
    solver.solve(&mut query, &Limits { work: 0, millis: 0 })
}

#[test]
fn both_sides_of_every_rule_are_equal_under_all_inputs() {
    let mut solver = Bitwuzla::default();
    let examples = examples();
    assert!(examples.len() > 100, "{} examples", examples.len());
    let mut unproved = Vec::new();
    for (id, line) in examples.iter().enumerate() {
        let (before, after) = line.split_once(" => ").unwrap();
        match difference(&mut solver, id as u64, before, after) {
            Answer::Unsat(_) => {}
            answer => unproved.push(format!("{line}: {answer:?}")),
        }
    }
    assert!(unproved.is_empty(), "{}", unproved.join("\n"));
}

#[test]
fn a_wrong_rule_would_be_noticed() {
    let mut solver = Bitwuzla::default();
    let answer = difference(&mut solver, 1, "(UDiv in0[0] 0x2:8)", "(AShr in0[0] 0x1:8)");
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}
