//! Float operations against the reference evaluator, and queries that need floats solved.

use crate::generator::Generator;
use crate::reference::{UNLIMITED, agrees};
use expr::{Arena, Evaluator, ExprId, Op};
use solve::{Answer, Query, Solver};
use solve_smt::Bitwuzla;

const FORMATS: [u16; 4] = [16, 32, 64, 80];
const INTEGERS: [u16; 6] = [1, 8, 13, 32, 64, 128];

#[test]
fn every_float_operation_has_the_evaluators_value() {
    let mut solver = Bitwuzla::default();
    for round in 0..2 {
        let mut generator = Generator::new(round);
        for &op in Op::ALL.iter().filter(|op| op.is_float()) {
            for width in if matches!(op, Op::FToS | Op::FToU) { &INTEGERS[..] } else { &FORMATS[..] } {
                if let Some(e) = generator.operation(op, *width, 0) {
                    agrees(&mut generator, &mut solver, e);
                }
            }
        }
    }
}

#[test]
fn mixed_random_expressions_have_the_evaluators_value() {
    for seed in 200..212 {
        let mut solver = Bitwuzla::default();
        let mut generator = Generator::new(seed);
        generator.with_floats = true;
        let width = [1, 16, 32, 64, 8][seed as usize % 5];
        let e = generator.expression(width, 3);
        agrees(&mut generator, &mut solver, e);
    }
}

/// Asks for input bytes under which all lines hold; where there are some, the reference evaluator must agree.
fn solve(text: &str) -> Answer {
    let mut arena = Arena::new();
    let constraints: Vec<ExprId> = arena.parse(text).unwrap();
    let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
    let answer = Bitwuzla::default().solve(&mut query, &UNLIMITED);
    if let Answer::Sat(model) = &answer {
        let byte = |o, k| model.get(&(o, k)).copied().unwrap_or(0);
        let mut evaluator = Evaluator::new(&arena, &byte);
        assert!(constraints.iter().all(|&c| evaluator.is_true(c)), "{text}: {model:?}");
    }
    answer
}

/// The float of `width` bits made of the first input bytes.
fn input(width: u16) -> String {
    (1..width / 8).fold("in0[0]".to_string(), |low, k| format!("(Concat in0[{k}] {low})"))
}

fn constant(width: u16, value: f64) -> String {
    let double = u128::from(value.to_bits());
    let bits = if width == 64 { double } else { floats::apply(Op::FCvt, width, 64, 0, [double, 0, 0]) };
    format!("0x{bits:x}:{width}")
}

#[test]
fn equations_over_floats_are_solved() {
    for width in FORMATS {
        let (x, c) = (input(width), |value| constant(width, value));
        let sat = [
            format!("(FEq (FAdd {x} {}) {})", c(1.5), c(4.25)),
            format!("(FEq (FMul {x} {}) {})", c(3.0), c(10.5)),
            format!("(FEq (FDiv {x} {}) {})", c(4.0), c(-2.5)),
            format!("(FEq (FRound 3 {x}) {})\n(FLt {} {x})", c(7.0), c(7.5)),
            format!("(FUno {x} {x})"),
            // Absorbed: x + 1 = x for a number.
            format!("(FEq (FAdd {x} {}) {x})\n(FLt {x} {})", c(1.0), constant(width, f64::INFINITY)),
            // Minus zero: equal to zero, and its reciprocal is not.
            format!("(FEq {x} {})\n(FLt (FDiv {} {x}) {})", c(0.0), c(1.0), c(0.0)),
            format!("(Eq (FToS 32 {x}) 0x{:x}:32)", -37i32),
        ];
        for text in sat {
            assert!(matches!(solve(&text), Answer::Sat(_)), "{text}: {:?}", solve(&text));
        }
        let unsat = [
            format!("(FLt {x} {})\n(FLt {} {x})", c(1.0), c(2.0)),
            format!("(FEq {x} {x})\n(FUno {x} {})", c(0.0)),
            format!("(FLt (FMul {x} {x}) {})", c(0.0)),
        ];
        for text in unsat {
            assert!(matches!(solve(&text), Answer::Unsat(_)), "{text}");
        }
    }
}

#[test]
fn bits_of_computed_floats_are_known() {
    let x = input(32);
    let sum = format!("(FAdd {x} 0x3f800000:32)");
    // The bits of 2.5.
    assert!(matches!(solve(&format!("(Eq {sum} 0x40200000:32)")), Answer::Sat(_)));
    // The quiet bit is set in what is not a number, and the payload is the operand's.
    let nan = format!("(Eq (Extract 0 16 {sum}) 0x1234:16)\n(FUno {sum} {sum})");
    assert!(matches!(solve(&nan), Answer::Sat(_)));
    assert!(matches!(solve(&format!("(Eq (Extract 20 12 {sum}) 0x7fa:12)")), Answer::Unsat(_)));
    // The sign of a negated magnitude.
    let negated = format!("(Or (And {sum} 0x7fffffff:32) 0x80000000:32)");
    assert!(matches!(solve(&format!("(Eq (Extract 31 1 {negated}) 0x0:1)")), Answer::Unsat(_)));
}

#[test]
fn what_is_abstracted_never_contradicts_wrongly_and_is_checked() {
    let x = input(64);
    // A contradiction whatever the sine is.
    let text = format!("(FLt (Libm1 sin {x}) 0x0:64)\n(FLt 0x0:64 (Libm1 sin {x}))");
    assert!(matches!(solve(&text), Answer::Unsat(_)));
    // There is an answer (a multiple of 3), and no wrong one is given.
    let answer =
        solve(&format!("(FEq (FRem {x} 0x4008000000000000:64) 0x0:64)\n(FLt 0x4008000000000000:64 {x})"));
    assert!(!matches!(answer, Answer::Unsat(_)), "{answer:?}");
}
