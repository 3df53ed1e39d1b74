//! Bitwuzla against the reference evaluator: on random expressions over all operations and many widths, the value
//! under given input bytes must be the only one possible.

use crate::generator::Generator;
use expr::{Evaluator, Op};
use solve::{Answer, Limits, Query, Solver};
use solve_smt::Bitwuzla;

pub const UNLIMITED: Limits = Limits { work: 0, millis: 0 };

/// Asks with all input bytes fixed: `e` can have the value the evaluator says, and cannot have another.
pub fn agrees(generator: &mut Generator, solver: &mut Bitwuzla, e: expr::ExprId) {
    let bytes = generator.bytes.clone();
    let input = |_: u32, offset: u32| bytes[offset as usize];
    let value = Evaluator::new(&generator.arena, &input).eval(e);
    let arena = &mut generator.arena;
    let constant = arena.constant(&value);
    let mut constraints: Vec<_> = (0..bytes.len())
        .map(|k| {
            let (byte, fixed) = (arena.input(0, k as u32), arena.const_u64(8, bytes[k].into()));
            arena.raw(Op::Eq, 1, &[byte, fixed], 0)
        })
        .collect();
    let equal = arena.raw(Op::Eq, 1, &[e, constant], 0);
    let differs = arena.raw(Op::Ne, 1, &[e, constant], 0);
    constraints.push(equal);
    let mut query = Query { arena, arena_id: generator.id, constraints: &constraints, hint: &input };
    let answer = solver.solve(&mut query, &UNLIMITED);
    assert!(matches!(answer, Answer::Sat(_)), "{:?} = {value:?}: {answer:?}", query.arena.node(e));
    if let Answer::Sat(model) = answer {
        assert!(model.iter().all(|(&(_, offset), &byte)| bytes[offset as usize] == byte));
    }
    *constraints.last_mut().unwrap() = differs;
    let mut query = Query { arena, arena_id: generator.id, constraints: &constraints, hint: &input };
    let answer = solver.solve(&mut query, &UNLIMITED);
    // Which of two operands that are not numbers the x87 keeps is left open.
    let is_x87_nan = value.width() == 80
        && floats::unpack(floats::Format::Extended, value.low_128()).class == floats::Class::Nan;
    if is_x87_nan && matches!(answer, Answer::Unknown(solve::Unknown::Unsupported(_))) {
        return;
    }
    let Answer::Unsat(core) = answer else { panic!("{:?} != {value:?}: {answer:?}", query.arena.node(e)) };
    assert!(core.is_sorted() && core.iter().all(|&index| index < constraints.len()));
}

#[test]
fn every_operation_at_every_width_has_the_evaluators_value() {
    let mut solver = Bitwuzla::default();
    for round in 0..3 {
        let mut generator = Generator::new(round);
        for &op in Op::ALL.iter().filter(|op| !op.is_float()) {
            for width in crate::generator::WIDTHS {
                if let Some(e) = generator.operation(op, width, 0) {
                    agrees(&mut generator, &mut solver, e);
                }
            }
        }
    }
}

#[test]
fn deep_random_expressions_have_the_evaluators_value() {
    for seed in 100..160 {
        let mut solver = Bitwuzla::default();
        let mut generator = Generator::new(seed);
        for round in 0..4 {
            let width = crate::generator::WIDTHS[(seed as usize + round) % crate::generator::WIDTHS.len()];
            let e = generator.expression(width, 4);
            agrees(&mut generator, &mut solver, e);
        }
    }
}

#[test]
fn a_very_wide_expression_works() {
    let mut generator = Generator::new(7);
    let mut solver = Bitwuzla::default();
    let byte = generator.arena.input(0, 1);
    let wide = generator.arena.raw(Op::ZExt, 16_384, &[byte], 0);
    let count = generator.arena.constant(&expr::Bits::new(16_384, 16_000));
    let shifted = generator.arena.raw(Op::Shl, 16_384, &[wide, count], 0);
    agrees(&mut generator, &mut solver, shifted);
    let swapped = generator.arena.raw(Op::Bswap, 16_384, &[shifted], 0);
    agrees(&mut generator, &mut solver, swapped);
}
