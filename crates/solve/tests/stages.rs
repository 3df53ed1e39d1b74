//! Every stage, and all together, against trying all inputs.

use expr::{Arena, Evaluator, ExprId, Op};
use proptest::prelude::*;
use solve::{
    Answer, CacheLimits, Cached, Checked, Domains, InTurn, Lazy, Limits, Memory, Model, Query, Simplified,
    Sliced, Solver, Unknown, chain, no_clock,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const UNLIMITED: Limits = Limits { work: 0, millis: 0 };

/// Input bytes, of which only the two lowest bits matter.
const INPUTS: u32 = 5;

/// Tries all inputs; counts queries; the core is made minimal by leaving out one constraint after the other.
#[derive(Clone, Default)]
struct Brute {
    asked: Arc<AtomicU64>,
}

fn inputs(query: &Query<'_>) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = query.constraints.iter().flat_map(|&c| query.arena.inputs(c)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn model_of(query: &Query<'_>, constraints: &[ExprId]) -> Option<Model> {
    let inputs = inputs(query);
    (0..1u32 << (2 * inputs.len())).find_map(|choice| {
        let model: Model =
            inputs.iter().enumerate().map(|(k, &byte)| (byte, (choice >> (2 * k) & 3) as u8)).collect();
        holds(query.arena, constraints, &model, query.hint).then_some(model)
    })
}

fn holds(arena: &Arena, constraints: &[ExprId], model: &Model, hint: &dyn Fn(u32, u32) -> u8) -> bool {
    let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| hint(o, k));
    let mut evaluator = Evaluator::new(arena, &byte);
    constraints.iter().all(|&constraint| evaluator.is_true(constraint))
}

impl Solver for Brute {
    fn name(&self) -> &'static str {
        "brute"
    }

    fn solve(&mut self, query: &mut Query<'_>, _limits: &Limits) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(model) = model_of(query, query.constraints) {
            return Answer::Sat(model);
        }
        let mut core: Vec<usize> = (0..query.constraints.len()).collect();
        for index in 0..query.constraints.len() {
            let rest: Vec<usize> = core.iter().copied().filter(|&k| k != index).collect();
            let constraints: Vec<ExprId> = rest.iter().map(|&k| query.constraints[k]).collect();
            if model_of(query, &constraints).is_none() {
                core = rest;
            }
        }
        Answer::Unsat(core)
    }
}

/// Always answers with the same.
struct Fixed(Answer);

impl Solver for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn solve(&mut self, _query: &mut Query<'_>, _limits: &Limits) -> Answer {
        self.0.clone()
    }
}

/// A constraint described without an arena.
#[derive(Clone, Debug)]
enum Shape {
    Compare(u8, u32, u32, u8),
    Both(Box<Shape>, Box<Shape>),
    Either(Box<Shape>, Box<Shape>),
    Negated(Box<Shape>),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = (0..4u8, 0..INPUTS, 0..INPUTS, 0..4u8).prop_map(|(op, a, b, c)| Shape::Compare(op, a, b, c));
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Shape::Both(a.into(), b.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Shape::Either(a.into(), b.into())),
            inner.prop_map(|a| Shape::Negated(a.into())),
        ]
    })
}

fn build(arena: &mut Arena, shape: &Shape) -> ExprId {
    match shape {
        Shape::Compare(op, a, b, c) => {
            let three = arena.const_u64(8, 3);
            let small = |arena: &mut Arena, k: u32| {
                let byte = arena.input(0, k);
                arena.binary(Op::And, byte, three)
            };
            let (a, b, c) = (small(arena, *a), small(arena, *b), arena.const_u64(8, (*c).into()));
            let op = [Op::Eq, Op::Ult, Op::Ne, Op::Ule][usize::from(*op)];
            let right = if op == Op::Ult || op == Op::Ne { arena.binary(Op::Add, b, c) } else { c };
            arena.binary(op, a, right)
        }
        Shape::Both(a, b) => {
            let (a, b) = (build(arena, a), build(arena, b));
            arena.binary(Op::And, a, b)
        }
        Shape::Either(a, b) => {
            let (a, b) = (build(arena, a), build(arena, b));
            arena.binary(Op::Or, a, b)
        }
        Shape::Negated(a) => {
            let a = build(arena, a);
            arena.not(a)
        }
    }
}

/// Asks `solver` and all inputs; the answers must agree, the model must satisfy, the core must contradict.
fn compare(solver: &mut dyn Solver, arena: &mut Arena, arena_id: u64, constraints: &[ExprId], hint: &[u8]) {
    let hint = |_: u32, k: u32| hint[k as usize];
    let mut query = Query { arena, arena_id, constraints, hint: &hint };
    let expected = model_of(&query, constraints);
    match solver.solve(&mut query, &UNLIMITED) {
        Answer::Sat(model) => {
            assert!(expected.is_some());
            assert!(
                holds(query.arena, constraints, &model, &hint),
                "{model:?} does not satisfy {constraints:?}"
            );
        }
        Answer::Unsat(core) => {
            assert!(expected.is_none());
            assert!(core.is_sorted_by(|a, b| a < b));
            let core: Vec<ExprId> = core.iter().map(|&index| constraints[index]).collect();
            assert!(model_of(&query, &core).is_none(), "{core:?} is no core");
        }
        Answer::Unknown(reason) => panic!("{reason:?}"),
    }
}

proptest! {
    #[test]
    fn every_stage_answers_as_trying_all_inputs_does(
        groups in prop::collection::vec(prop::collection::vec(shapes(), 1..6), 1..8),
        hint in prop::collection::vec(0..4u8, INPUTS as usize),
    ) {
        let brute = Brute::default();
        let small = CacheLimits { answer_bytes: 600, core_bytes: 600, models: 2, model_len: 4 };
        let mut solvers: Vec<Box<dyn Solver>> = vec![
            Box::new(Simplified::new(brute.clone())),
            Box::new(Sliced::new(brute.clone())),
            Box::new(Cached::new(brute.clone(), Memory::default())),
            Box::new(Cached::new(brute.clone(), Memory::new(small))),
            Box::new(Checked::new(brute.clone())),
            Box::new(Domains::new(brute.clone())),
            Box::new(Lazy::new(brute.clone(), no_clock())),
            Box::new(Domains::new(Lazy::new(brute.clone(), no_clock()))),
            Box::new(chain(brute.clone(), &no_clock())),
        ];
        for solver in &mut solvers {
            // Two arenas with the same expressions under other ids: caches work across them.
            for arena_id in 0..2 {
                let mut arena = Arena::new();
                if arena_id == 1 {
                    arena.input(9, 9);
                }
                for group in &groups {
                    let constraints: Vec<ExprId> = group.iter().map(|shape| build(&mut arena, shape)).collect();
                    for goal in 1..=constraints.len() {
                        compare(&mut **solver, &mut arena, arena_id, &constraints[..goal], &hint);
                    }
                }
            }
        }
    }
}

/// An arena, and the constraints `input k == value`.
fn equalities(pairs: &[(u32, u64)]) -> (Arena, Vec<ExprId>) {
    let mut arena = Arena::new();
    let constraints = pairs
        .iter()
        .map(|&(k, value)| {
            let (byte, value) = (arena.input(0, k), arena.const_u64(8, value));
            arena.binary(Op::Eq, byte, value)
        })
        .collect();
    (arena, constraints)
}

/// An arena, and the constraints `input 0 + input 1 == value`.
fn sums(values: &[u64]) -> (Arena, Vec<ExprId>) {
    let mut arena = Arena::new();
    let (a, b) = (arena.input(0, 0), arena.input(0, 1));
    let sum = arena.binary(Op::Add, a, b);
    let equal = |&value: &u64| {
        let value = arena.const_u64(8, value);
        arena.binary(Op::Eq, sum, value)
    };
    let constraints = values.iter().map(equal).collect();
    (arena, constraints)
}

fn ask(solver: &mut dyn Solver, arena: &mut Arena, constraints: &[ExprId], limits: &Limits) -> Answer {
    solver.solve(&mut Query { arena, arena_id: 0, constraints, hint: &|_, _| 0 }, limits)
}

#[test]
fn a_wrong_model_does_not_leave_the_check() {
    let (mut arena, constraints) = sums(&[1]);
    let wrong = Answer::Sat(Model::from([((0, 0), 2)]));
    let answer = ask(&mut Checked::new(Fixed(wrong.clone())), &mut arena, &constraints, &UNLIMITED);
    assert_eq!(answer, Answer::Unknown(Unknown::WrongModel));
    let mut chain = chain(Fixed(wrong), &no_clock());
    assert_eq!(ask(&mut chain, &mut arena, &constraints, &UNLIMITED), Answer::Unknown(Unknown::WrongModel));
    assert_eq!(chain.stats().iter().map(|stage| stage.wrong_models).max(), Some(1));
}

#[test]
fn only_what_bears_on_the_goal_reaches_the_back_end() {
    // Under the all-zero hint the first holds and is not connected; the second does not hold; the third is the goal.
    let (mut arena, constraints) = equalities(&[(0, 0), (1, 1), (2, 2)]);
    let answer = ask(&mut Sliced::new(Brute::default()), &mut arena, &constraints, &UNLIMITED);
    assert_eq!(answer, Answer::Sat(Model::from([((0, 1), 1), ((0, 2), 2)])));
}

#[test]
fn what_was_answered_is_not_asked_again() {
    let (mut arena, constraints) = equalities(&[(0, 1), (0, 2), (1, 1), (2, 3)]);
    let brute = Brute::default();
    let mut cached = Cached::new(brute.clone(), Memory::default());
    let asked = || brute.asked.load(Ordering::Relaxed);
    assert_eq!(ask(&mut cached, &mut arena, &constraints[..2], &UNLIMITED), Answer::Unsat(vec![0, 1]));
    assert_eq!(asked(), 1);
    // The same in another order, and a superset.
    let (a, b, c) = (constraints[0], constraints[1], constraints[2]);
    assert_eq!(ask(&mut cached, &mut arena, &[b, a], &UNLIMITED), Answer::Unsat(vec![0, 1]));
    assert_eq!(ask(&mut cached, &mut arena, &[b, c, a], &UNLIMITED), Answer::Unsat(vec![0, 2]));
    assert_eq!(asked(), 1);
    // A model that satisfies a part of what it was made for.
    assert!(matches!(ask(&mut cached, &mut arena, &[a, c], &UNLIMITED), Answer::Sat(_)));
    assert_eq!(ask(&mut cached, &mut arena, &[c], &UNLIMITED), Answer::Sat(Model::from([((0, 1), 1)])));
    assert_eq!(asked(), 2);
}

#[test]
fn what_one_worker_asked_no_other_asks() {
    let (mut arena, constraints) = equalities(&[(0, 1), (0, 2), (1, 1)]);
    let (brute, memory) = (Brute::default(), Memory::default());
    let mut workers = [0, 1].map(|_| Cached::new(brute.clone(), memory.clone()));
    for worker in &mut workers {
        assert_eq!(ask(worker, &mut arena, &constraints[..2], &UNLIMITED), Answer::Unsat(vec![0, 1]));
        assert!(matches!(ask(worker, &mut arena, &constraints[2..], &UNLIMITED), Answer::Sat(_)));
        assert_eq!(brute.asked.load(Ordering::Relaxed), 2);
    }
    let next = Memory::default();
    assert_eq!(next.take_in(&memory.to_bytes()), Some(2));
    let mut resumed = Cached::new(brute.clone(), next);
    assert_eq!(ask(&mut resumed, &mut arena, &constraints, &UNLIMITED), Answer::Unsat(vec![0, 1]));
    assert!(matches!(ask(&mut resumed, &mut arena, &constraints[2..], &UNLIMITED), Answer::Sat(_)));
    assert_eq!(brute.asked.load(Ordering::Relaxed), 2);
}

#[test]
fn out_of_work_is_remembered_until_more_is_allowed() {
    let (mut arena, constraints) = equalities(&[(0, 1)]);
    let mut cached = Cached::new(Fixed(Answer::Unknown(Unknown::WorkLimit)), Memory::default());
    let little = Limits { work: 10, millis: 0 };
    for _ in 0..2 {
        let answer = ask(&mut cached, &mut arena, &constraints, &little);
        assert_eq!(answer, Answer::Unknown(Unknown::WorkLimit));
    }
    let brute = Brute::default();
    let fixed = Fixed(Answer::Unknown(Unknown::WorkLimit));
    let mut cached = Cached::new(
        InTurn::new(vec![Box::new(fixed), Box::new(brute.clone())], 1, no_clock()),
        Memory::default(),
    );
    assert!(matches!(ask(&mut cached, &mut arena, &constraints, &little), Answer::Sat(_)));
    assert_eq!(brute.asked.load(Ordering::Relaxed), 1);
}

#[test]
fn statistics_name_every_stage_and_say_who_answered() {
    let (mut arena, constraints) = sums(&[1, 2]);
    let time = Arc::new(AtomicU64::new(0));
    let clock: solve::Clock = {
        let time = time.clone();
        Arc::new(move || std::time::Duration::from_micros(time.fetch_add(1, Ordering::Relaxed)))
    };
    let mut chain = chain(Brute::default(), &clock);
    for _ in 0..3 {
        ask(&mut chain, &mut arena, &constraints, &UNLIMITED);
    }
    let stats = chain.stats();
    let counts: Vec<_> = stats.iter().map(|stage| (stage.name, stage.asked, stage.unsat)).collect();
    assert_eq!(
        counts,
        [
            ("simplify", 3, 3),
            ("slice", 3, 3),
            ("domains", 3, 3),
            ("cache", 3, 3),
            ("check", 1, 1),
            ("lazy", 1, 1),
            ("brute", 1, 1)
        ]
    );
    assert!(stats.windows(2).all(|pair| pair[0].time > pair[1].time));
}

#[test]
fn what_one_byte_decides_needs_no_solver() {
    let (mut arena, mut constraints) = equalities(&[(0, 1), (0, 2), (1, 3)]);
    let differs = arena.not(constraints[0]);
    let never = || Domains::new(Fixed(Answer::Unknown(Unknown::WorkLimit)));
    assert_eq!(ask(&mut never(), &mut arena, &constraints[..2], &UNLIMITED), Answer::Unsat(vec![0, 1]));
    let answer = ask(&mut never(), &mut arena, &[differs, constraints[1]], &UNLIMITED);
    assert_eq!(answer, Answer::Sat(Model::from([((0, 0), 2)])));
    // The sum of two bytes, one of which is the goal's: under the zeros of the run the other stays as it is.
    let (a, b, five) = (arena.input(0, 1), arena.input(0, 2), arena.const_u64(8, 5));
    let sum = arena.binary(Op::Add, a, b);
    constraints = vec![arena.binary(Op::Ult, sum, five), constraints[2]];
    let answer = ask(&mut never(), &mut arena, &constraints, &UNLIMITED);
    assert_eq!(answer, Answer::Sat(Model::from([((0, 1), 3)])));
}

/// Remembers how many constraints it was asked about each time.
struct Counting(Brute, Arc<std::sync::Mutex<Vec<usize>>>);

impl Solver for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        self.1.lock().unwrap().push(query.constraints.len());
        self.0.solve(query, limits)
    }
}

#[test]
fn what_no_model_breaks_is_not_asked_about() {
    let (mut arena, mut constraints) = equalities(&[(1, 0), (2, 0), (3, 0)]);
    let (a, b, two) = (arena.input(0, 0), arena.input(0, 1), arena.const_u64(8, 2));
    let sum = arena.binary(Op::Add, a, b);
    constraints.push(arena.binary(Op::Eq, sum, two));
    let asked = Arc::default();
    let mut lazy = Lazy::new(Counting(Brute::default(), Arc::clone(&asked)), no_clock());
    assert!(matches!(ask(&mut lazy, &mut arena, &constraints, &UNLIMITED), Answer::Sat(_)));
    assert_eq!(*asked.lock().unwrap(), [2], "the goal, and what is said of one of its bytes");
}
