//! Queries that need a search: each text is a list of constraints over the bytes of one input object.

use expr::{Arena, Evaluator, ExprId, Op};
use solve::{Answer, Limits, Model, Query, Solver};
use solve_search::{Scope, Search, Settings};

const NO_LIMITS: Limits = Limits { work: 0, millis: 0 };

fn ask(text: &str, hint: &[u8], scope: Scope, limits: &Limits) -> Answer {
    let mut arena = Arena::new();
    let parsed: Vec<ExprId> = arena.parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let constraints: Vec<ExprId> = parsed.into_iter().map(|e| arena.simplify(e)).collect();
    let hint = |_: u32, k: u32| hint.get(k as usize).copied().unwrap_or(0);
    let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &hint };
    let answer = Search::new(Settings::new(scope)).solve(&mut query, limits);
    if let Answer::Sat(model) = &answer {
        let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| hint(o, k));
        let mut evaluator = Evaluator::new(&arena, &byte);
        assert!(constraints.iter().all(|&c| evaluator.is_true(c)), "a wrong model for {text}");
    }
    answer
}

fn solved(text: &str, scope: Scope) -> Model {
    match ask(text, &[], scope, &NO_LIMITS) {
        Answer::Sat(model) => model,
        other => panic!("{text}: {other:?}"),
    }
}

/// The value of `width` bits in the input from byte `from` on.
fn input(width: u16, from: u16) -> String {
    (1..width / 8).fold(format!("in0[{from}]"), |low, k| format!("(Concat in0[{}] {low})", from + k))
}

fn constant(width: u16, value: f64) -> String {
    let double = u128::from(value.to_bits());
    let bits = if width == 64 { double } else { floats::apply(Op::FCvt, width, 64, 0, [double, 0, 0]) };
    format!("0x{bits:x}:{width}")
}

#[test]
fn equations_with_library_functions_are_solved() {
    for width in [32, 64, 80] {
        let (x, y) = (input(width, 0), input(width, 16));
        let c = |value| constant(width, value);
        for text in [
            format!("(FLt {} (Libm1 sin {x}))", c(0.999)),
            format!("(FEq (Libm1 exp {x}) {})", c(1.0)),
            format!("(FEq (Libm1 log {x}) {})", c(2.0)),
            format!("(FEq (Libm2 pow {x} {}) {})", c(3.0), c(343.0)),
            format!("(FEq (Libm2 pow {x} {y}) {})\n(FLt {} {x})\n(FLt {} {y})", c(1024.0), c(1.5), c(1.5)),
            format!("(FLt (Libm1 cos {x}) {})\n(FLt {} {x})\n(FLt {x} {})", c(-0.9), c(100.0), c(200.0)),
            format!("(FEq (FRem {x} {}) {})\n(FLt {} {x})", c(7.0), c(5.0), c(1000.0)),
            format!("(FLe (Libm1 tgamma {x}) {})\n(FLe {} (Libm1 tgamma {x}))", c(24.0), c(23.9)),
            format!("(FLt (FAdd (Libm1 sin {x}) (Libm1 cos {y})) {})", c(-1.99)),
            format!("(FUno (Libm1 log {x}) {x})\n(FEq {x} {x})",),
        ] {
            solved(&text, Scope::Unsupported);
        }
    }
}

#[test]
fn long_doubles_are_solved() {
    let (x, y) = (input(80, 0), input(80, 16));
    let c = |value| constant(80, value);
    for text in [
        format!("(FEq (FAdd {x} {}) {})", c(1.0), c(4.25)),
        format!("(FEq (FMul {x} {x}) {})", c(2.25)),
        format!("(FEq (FSub (FMul {x} {}) {y}) {})\n(FLt {y} {})", c(3.0), c(10.5), c(-1.0)),
        format!("(Eq (FToS 32 (FDiv {x} {})) 0x2a:32)", c(3.0)),
        // One third is not a double.
        format!("(FEq (FMul {x} {}) {})\n(FEq {x} (FDiv {} {}))", c(3.0), c(1.0), c(1.0), c(3.0)),
        format!("(FUno {x} {y})"),
    ] {
        solved(&text, Scope::Unsupported);
    }
}

#[test]
fn digits_in_text_are_found() {
    // Three digits as a number, a hundredth of it, its square root.
    let digit = |k: u16| format!("(Sub (ZExt 32 in0[{k}]) 0x30:32)");
    let ten = "0xa:32";
    let number = format!("(Add (Mul (Add (Mul {} {ten}) {}) {ten}) {})", digit(0), digit(1), digit(2));
    let digits: String = (0..3).map(|k| format!("(Ule 0x30:8 in0[{k}])\n(Ule in0[{k}] 0x39:8)\n")).collect();
    let value = format!("(FDiv (SToF 64 {number}) {})", constant(64, 100.0));
    let text = format!("{digits}(FEq (Libm1 log2 {value}) {})", constant(64, 3.0));
    let Answer::Sat(model) = ask(&text, b"123", Scope::Unsupported, &NO_LIMITS) else { panic!("not found") };
    let text: Vec<u8> = (0..3).map(|k| model[&(0, k)]).collect();
    assert_eq!(text, b"800");
}

#[test]
fn integer_queries_are_searched_when_nothing_else_knows() {
    let x = input(32, 0);
    // A product of two factors, a hash of few rounds, a byte that must differ.
    solved(&format!("(Eq (Mul {x} {x}) 0x{:x}:32)", 12345u32.wrapping_mul(12345)), Scope::Rest);
    let hash = (0..3)
        .fold("0x811c9dc5:32".to_string(), |h, k| format!("(Mul (Xor {h} (ZExt 32 in0[{k}])) 0x1000193:32)"));
    solved(&format!("(Eq (Extract 0 12 {hash}) 0x123:12)"), Scope::Rest);
    solved("(Ne in0[0] 0x0:8)", Scope::Rest);
    let either = format!("(Or (Eq {x} 0x12345678:32) (And (Ult 0x5:32 {x}) (Slt {x} 0x0:32)))");
    solved(&either, Scope::Rest);
}

#[test]
fn what_has_no_solution_ends_with_the_work_limit_and_scopes_are_kept() {
    let x = input(64, 0);
    let text = format!("(FLt {} (Libm1 sin {x}))", constant(64, 1.5));
    let limits = Limits { work: 3000, millis: 0 };
    assert!(matches!(
        ask(&text, &[], Scope::Unsupported, &limits),
        Answer::Unknown(solve::Unknown::WorkLimit)
    ));
    let other = |text: &str, scope| {
        matches!(ask(text, &[], scope, &limits), Answer::Unknown(solve::Unknown::Unsupported(_)))
    };
    assert!(other(&text, Scope::Rest));
    assert!(other("(Ne in0[0] 0x0:8)", Scope::Unsupported));
}

#[test]
fn the_same_question_has_the_same_answer() {
    let x = input(64, 0);
    let text = format!("(FLt {} (Libm1 sin {x}))\n(FLt {} {x})", constant(64, 0.5), constant(64, 50.0));
    let first = solved(&text, Scope::Unsupported);
    assert_eq!(solved(&text, Scope::Unsupported), first);
}
