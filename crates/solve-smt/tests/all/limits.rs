//! Limits, cores, errors, threads.

use crate::generator::Generator;
use expr::{Arena, ExprId, Op};
use solve::{Answer, Limits, Query, Solver, Unknown};
use solve_smt::{Bitwuzla, Settings};

const UNLIMITED: Limits = Limits { work: 0, millis: 0 };

/// A product of two numbers of `bytes` bytes each, neither 0 nor 1, that must be `product`.
fn factors(arena: &mut Arena, bytes: u32, product: u64) -> Vec<ExprId> {
    let width = 16 * bytes as u16;
    let number = |arena: &mut Arena, first: u32| {
        let mut e = arena.input(0, first);
        for k in 1..bytes {
            let byte = arena.input(0, first + k);
            e = arena.concat(byte, e);
        }
        arena.unary(Op::ZExt, width, e)
    };
    let (a, b) = (number(arena, 0), number(arena, bytes));
    let one = arena.const_u64(width, 1);
    let (a_large, b_large) = (arena.binary(Op::Ult, one, a), arena.binary(Op::Ult, one, b));
    let wanted = arena.const_u64(width, product);
    let multiplied = arena.binary(Op::Mul, a, b);
    vec![a_large, b_large, arena.binary(Op::Eq, multiplied, wanted)]
}

fn ask(
    solver: &mut dyn Solver,
    arena: &mut Arena,
    arena_id: u64,
    constraints: &[ExprId],
    limits: &Limits,
) -> Answer {
    solver.solve(&mut Query { arena, arena_id, constraints, hint: &|_, _| 0 }, limits)
}

/// Too hard for the limits used here: a product of two primes of 32 bits.
const HARD: u64 = 2_654_435_761 * 3_037_000_493;

#[test]
fn a_work_limit_stops_and_the_next_query_is_answered() {
    let mut arena = Arena::new();
    let hard = factors(&mut arena, 4, HARD);
    let easy = factors(&mut arena, 1, 143);
    let mut solver = Bitwuzla::default();
    let limits = Limits { work: 200, millis: 0 };
    for _ in 0..2 {
        assert_eq!(ask(&mut solver, &mut arena, 0, &hard, &limits), Answer::Unknown(Unknown::WorkLimit));
        let answer = ask(&mut solver, &mut arena, 0, &easy, &UNLIMITED);
        let Answer::Sat(model) = answer else { panic!("{answer:?}") };
        let mut values: Vec<u8> = model.into_values().collect();
        values.sort_unstable();
        assert_eq!(values, [11, 13]);
    }
}

#[test]
fn little_work_means_small_circuits() {
    let mut arena = Arena::new();
    let hard = factors(&mut arena, 4, HARD);
    let mut solver = Bitwuzla::default();
    // A product of 64 bits is a circuit of some 4,096 gates, more than belong to so little work: nothing is begun.
    let answer = ask(&mut solver, &mut arena, 0, &hard, &Limits { work: 10, millis: 0 });
    assert_eq!((answer, solver.steps()), (Answer::Unknown(Unknown::WorkLimit), 0));
    assert!(matches!(
        ask(&mut solver, &mut arena, 0, &hard, &Limits { work: 100, millis: 0 }),
        Answer::Unknown(Unknown::WorkLimit)
    ));
    assert!(solver.steps() > 90, "all of that was used: {}", solver.steps());
}

#[test]
fn a_time_limit_stops() {
    let mut arena = Arena::new();
    let hard = factors(&mut arena, 4, HARD);
    let answer = ask(&mut Bitwuzla::default(), &mut arena, 0, &hard, &Limits { work: 0, millis: 50 });
    assert_eq!(answer, Answer::Unknown(Unknown::TimeLimit));
}

#[test]
fn the_same_queries_cost_the_same_work_and_have_the_same_answers() {
    let run = || {
        let mut solver = Bitwuzla::default();
        let mut answers = Vec::new();
        for arena_id in 0..3 {
            let mut arena = Arena::new();
            for (bytes, product) in [(1, 143), (2, 60_491 * 251), (4, HARD), (2, 65_521 * 65_519)] {
                let constraints = factors(&mut arena, bytes, product);
                answers.push(ask(
                    &mut solver,
                    &mut arena,
                    arena_id,
                    &constraints,
                    &Limits { work: 300, millis: 0 },
                ));
            }
        }
        (answers, solver.steps())
    };
    assert_eq!(run(), run());
}

#[test]
fn two_solvers_work_in_two_threads_and_move_between_threads() {
    let work = |mut solver: Bitwuzla| {
        for seed in 0..20 {
            let mut arena = Arena::new();
            let constraints = factors(&mut arena, 1, 11 * (13 + seed % 2 * 4));
            let answer = ask(&mut solver, &mut arena, seed, &constraints, &UNLIMITED);
            assert!(matches!(answer, Answer::Sat(_)));
        }
        solver
    };
    let solvers = [Bitwuzla::default(), Bitwuzla::default()];
    let solvers = std::thread::scope(|scope| {
        let threads = solvers.map(|solver| scope.spawn(move || work(solver)));
        threads.map(|thread| thread.join().unwrap())
    });
    for solver in solvers {
        work(solver);
    }
}

#[test]
fn cores_contradict_by_themselves() {
    let mut cores = 0;
    for seed in 0..40 {
        let mut generator = Generator::new(seed);
        let constraints: Vec<ExprId> = (0..12).map(|_| generator.expression(1, 2)).collect();
        let mut solver = Bitwuzla::default();
        for goal in 1..=constraints.len() {
            let constraints = &constraints[..goal];
            let arena = &mut generator.arena;
            let Answer::Unsat(core) = ask(&mut solver, arena, seed, constraints, &UNLIMITED) else {
                continue;
            };
            assert!(core.is_sorted_by(|a, b| a < b) && !core.is_empty());
            let core: Vec<ExprId> = core.iter().map(|&index| constraints[index]).collect();
            assert!(matches!(
                ask(&mut Bitwuzla::default(), arena, seed, &core, &UNLIMITED),
                Answer::Unsat(_)
            ));
            cores += 1;
        }
    }
    assert!(cores > 20, "only {cores} of the random queries were unsatisfiable");
}

#[test]
fn all_stages_around_it_answer_as_it_does_alone() {
    for seed in 0..30 {
        let mut generator = Generator::new(seed);
        let bytes = generator.bytes.clone();
        let hint = |_: u32, offset: u32| bytes[offset as usize];
        let constraints: Vec<ExprId> = (0..10).map(|_| generator.expression(1, 2)).collect();
        let (mut alone, mut chain) =
            (Bitwuzla::default(), solve::chain(Bitwuzla::default(), &solve::no_clock()));
        for goal in 1..=constraints.len() {
            let mut query = Query {
                arena: &mut generator.arena,
                arena_id: seed,
                constraints: &constraints[..goal],
                hint: &hint,
            };
            let (a, b) = (alone.solve(&mut query, &UNLIMITED), chain.solve(&mut query, &UNLIMITED));
            assert!(matches!(
                (&a, &b),
                (Answer::Sat(_), Answer::Sat(_)) | (Answer::Unsat(_), Answer::Unsat(_))
            ));
            if let Answer::Sat(model) = b {
                let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| hint(o, k));
                let mut evaluator = expr::Evaluator::new(query.arena, &byte);
                assert!(query.constraints.iter().all(|&constraint| evaluator.is_true(constraint)));
            }
        }
    }
}

#[test]
fn a_small_memory_bound_changes_no_answer() {
    let mut solver = Bitwuzla::new(Settings { max_gates: 100, ..Settings::default() });
    let mut arena = Arena::new();
    for _ in 0..5 {
        let constraints = factors(&mut arena, 1, 143);
        assert!(matches!(ask(&mut solver, &mut arena, 0, &constraints, &UNLIMITED), Answer::Sat(_)));
    }
}

#[test]
fn an_error_of_the_library_is_an_answer() {
    let mut arena = Arena::new();
    let constraints = factors(&mut arena, 1, 143);
    let mut solver = Bitwuzla::new(Settings { options: vec![("no-such-option", 1)], ..Settings::default() });
    let answer = ask(&mut solver, &mut arena, 0, &constraints, &UNLIMITED);
    assert!(
        matches!(&answer, Answer::Unknown(Unknown::Failed(text)) if text.contains("no-such-option")),
        "{answer:?}"
    );
    let mut solver = Bitwuzla::new(Settings { options: vec![("rewrite-level", 99)], ..Settings::default() });
    let answer = ask(&mut solver, &mut arena, 0, &constraints, &UNLIMITED);
    assert!(matches!(&answer, Answer::Unknown(Unknown::Failed(_))), "{answer:?}");
}

#[test]
fn too_wide_a_product_is_unsupported_not_endless() {
    let mut arena = Arena::new();
    let (a, b) = (arena.input(0, 0), arena.input(0, 1));
    let (a, b) = (arena.raw(Op::ZExt, 4096, &[a], 0), arena.raw(Op::SExt, 4096, &[b], 0));
    let product = arena.raw(Op::Mul, 4096, &[a, b], 0);
    let goal = arena.raw(Op::Ult, 1, &[a, product], 0);
    let answer = ask(&mut Bitwuzla::default(), &mut arena, 0, &[goal], &UNLIMITED);
    assert!(
        matches!(&answer, Answer::Unknown(Unknown::Unsupported(text)) if text.contains("Mul")),
        "{answer:?}"
    );
}

#[test]
fn the_library_is_the_pinned_version() {
    assert!(Bitwuzla::version().starts_with("0.9.1"), "{}", Bitwuzla::version());
}

#[test]
fn a_query_as_text_names_its_bytes_and_writes_common_parts_once() {
    let mut arena = Arena::new();
    let constraints =
        arena.parse("(Ult 0x3:8 (Add in0[4] in2[1]))\n(Ult (Add in0[4] in2[1]) 0x9:8)").unwrap();
    let script = solve_smt::script(&mut arena, &constraints).unwrap();
    assert_eq!(script.inputs.iter().map(|(byte, _)| *byte).collect::<Vec<_>>(), [(0, 4), (2, 1)]);
    for (_, name) in &script.inputs {
        assert!(script.text.contains(&format!("(declare-const {name} (_ BitVec 8))\n")), "{}", script.text);
    }
    assert_eq!(script.text.matches("bvadd").count(), 1, "{}", script.text);
    assert_eq!(script.text.matches("(assert ").count(), 1);
    assert!(!script.is_approximate);

    // A float's bits are a variable with a definition, which is written once for both.
    let text = "(Ult 0x3:32 (FAdd (Concat (Concat in0[0] in0[1]) (Concat in0[2] in0[3])) 0x3f800000:32))";
    let mut constraints = arena.parse(text).unwrap();
    let once = solve_smt::script(&mut arena, &constraints).unwrap().text;
    constraints.extend(arena.parse(&text.replace("0x3:32", "0x4:32")).unwrap());
    let twice = solve_smt::script(&mut arena, &constraints).unwrap().text;
    let conjunctions = |text: &str| text.matches("(and ").count();
    assert_eq!(conjunctions(&twice), conjunctions(&once) + 1, "{twice}");
}
