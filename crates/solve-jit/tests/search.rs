//! The search on compiled constraints: what it finds satisfies the query, the same question has the same answer, limits hold.

use expr::{Arena, Evaluator, ExprId, Op};
use proptest::prelude::*;
use solve::{Answer, Limits, Query, Solver};
use solve_jit::Jit;
use solve_search::{Compiler, Native, Part, Scope, Search, Settings, Shelf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const NO_LIMITS: Limits = Limits { work: 0, millis: 0 };

/// Counts what is compiled, and how often that is evaluated.
struct Counting {
    jit: Jit,
    compiled: Arc<AtomicU64>,
    evaluated: Arc<AtomicU64>,
}

struct Counted(Box<dyn Native>, Arc<AtomicU64>);

impl Compiler for Counting {
    fn compile(&mut self, part: &Part) -> Option<Box<dyn Native>> {
        self.compiled.fetch_add(1, Ordering::Relaxed);
        Some(Box::new(Counted(self.jit.compile(part)?, self.evaluated.clone())))
    }
}

impl Native for Counted {
    fn distance(&mut self, bytes: &[u8]) -> f64 {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.distance(bytes)
    }
}

fn compiling() -> (Shelf, Arc<AtomicU64>, Arc<AtomicU64>) {
    let (compiled, evaluated) = <(Arc<AtomicU64>, Arc<AtomicU64>)>::default();
    let jit = Jit::new().expect("this machine is known");
    let compiler = Counting { jit, compiled: compiled.clone(), evaluated: evaluated.clone() };
    (Shelf::new(Some(Box::new(compiler))), compiled, evaluated)
}

fn ask(
    search: &mut Search,
    arena: &mut Arena,
    constraints: &[ExprId],
    hint: &[u8],
    limits: &Limits,
) -> Answer {
    let hint = |_: u32, k: u32| hint.get(k as usize).copied().unwrap_or(0);
    let mut query = Query { arena, arena_id: 1, constraints, hint: &hint };
    let answer = search.solve(&mut query, limits);
    if let Answer::Sat(model) = &answer {
        let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| hint(o, k));
        let mut evaluator = Evaluator::new(arena, &byte);
        assert!(constraints.iter().all(|&c| evaluator.is_true(c)), "a wrong model");
    }
    answer
}

/// A checksum of eight letters that has to be a given one: nothing to invert, much to try.
fn checksum(arena: &mut Arena, bits: u32) -> Vec<ExprId> {
    let letters: String = (0..8).map(|k| format!("(Ule 0x61:8 in0[{k}])\n(Ule in0[{k}] 0x7a:8)\n")).collect();
    let sum = (0..8).fold("0x1505:32".to_string(), |h, k| {
        format!("(Xor (Add (Shl {h} 0x5:32) (LShr {h} 0x2:32)) (ZExt 32 in0[{k}]))")
    });
    arena.parse(&format!("{letters}(Eq (Extract 3 {bits} {sum}) 0x5a5:{bits})")).expect("it is well-formed")
}

#[test]
fn what_is_evaluated_often_is_compiled() {
    let mut arena = Arena::new();
    let (easy, hard) = (checksum(&mut arena, 12), checksum(&mut arena, 24));
    let (shelf, compiled, evaluated) = compiling();
    let mut search = Search::on(Settings::new(Scope::Rest), shelf);
    let answer = ask(&mut search, &mut arena, &easy, b"abcdefgh", &NO_LIMITS);
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
    ask(&mut search, &mut arena, &hard, b"abcdefgh", &NO_LIMITS);
    assert!(compiled.load(Ordering::Relaxed) > 0);
    assert!(evaluated.load(Ordering::Relaxed) > 100);
}

#[test]
fn the_same_questions_have_the_same_answers() {
    let answers = || {
        let (shelf, ..) = compiling();
        let short = Settings { max_evaluations: 2_000, max_steps: 200_000, ..Settings::new(Scope::Rest) };
        let mut quick = Search::on(short, shelf.clone());
        let mut rest = Search::on(Settings { seed: 7, ..Settings::new(Scope::Rest) }, shelf);
        let mut arena = Arena::new();
        let constraints = checksum(&mut arena, 12);
        let upto = (1..=constraints.len()).map(|n| &constraints[..n]);
        upto.flat_map(|c| [&mut quick, &mut rest].map(|s| ask(s, &mut arena, c, b"ABCDEFGH", &NO_LIMITS)))
            .collect::<Vec<_>>()
    };
    assert_eq!(answers(), answers());
}

#[test]
fn a_limit_on_work_is_kept() {
    // It has no solution.
    let mut arena = Arena::new();
    let text = "(Eq (Mul (Concat in0[1] in0[0]) (Concat in0[1] in0[0])) 0x2:16)\n(Ne in0[2] in0[3])";
    let mut constraints = arena.parse(text).expect("it is well-formed");
    constraints.reverse();
    let counts = |limits: &Limits| {
        let (shelf, _, evaluated) = compiling();
        let mut search = Search::on(Settings::new(Scope::Rest), shelf);
        let answer = ask(&mut search, &mut arena.clone(), &constraints, &[0; 4], limits);
        assert!(matches!(answer, Answer::Unknown(solve::Unknown::WorkLimit)), "{answer:?}");
        evaluated.load(Ordering::Relaxed)
    };
    assert!(counts(&NO_LIMITS) > 2000);
    // So few are interpreted.
    assert_eq!(counts(&Limits { work: 100, millis: 0 }), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A path that the run takes up to the goal, which another input satisfies.
    #[test]
    fn models_satisfy_the_query(
        run in any::<[u8; 8]>(),
        other in any::<[u8; 8]>(),
        steps in proptest::collection::vec((0usize..9, 0u32..8, 0u32..8, any::<u16>()), 1..12),
    ) {
        let mut arena = Arena::new();
        let mut constraints = Vec::new();
        for (op, a, b, c) in steps {
            let ops = [Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::And, Op::Or, Op::Shl, Op::LShr, Op::URem];
            let (a, b) = (arena.input(0, a), arena.input(0, b));
            let (low, high) = (arena.input(0, u32::from(c) % 8), arena.concat(b, a));
            let low = arena.unary(Op::ZExt, 16, low);
            let value = arena.binary(ops[op], high, low);
            // True under both inputs.
            let under = |input: &[u8; 8], arena: &Arena| {
                Evaluator::new(arena, &|_, k| input[k as usize]).eval_u64(value)
            };
            let most = under(&run, &arena).max(under(&other, &arena));
            let most = arena.const_u64(16, most);
            constraints.push(arena.binary(Op::Ule, value, most));
        }
        let goal = arena.input(0, 3);
        let wanted = arena.const_u64(8, other[3].into());
        constraints.push(arena.binary(Op::Eq, goal, wanted));
        constraints.retain(|&c| !arena.is_const(c));
        let (shelf, ..) = compiling();
        let mut search = Search::on(Settings::new(Scope::Rest), shelf);
        let answer = ask(&mut search, &mut arena, &constraints, &run, &NO_LIMITS);
        prop_assert!(!matches!(answer, Answer::Unsat(_)));
    }
}
