//! Queries that are proved unsatisfiable or solved by intervals, and random ones over two bytes against all inputs.

use expr::{Arena, Evaluator, ExprId, Op, Plan};
use proptest::prelude::*;
use solve::{Answer, Limits, Query, Random, Solver, Starts, Unknown};
use solve_interval::{Interval, Scope, Settings};

const LIMITS: Limits = Limits { work: 0, millis: 0 };

fn ask(arena: &mut Arena, constraints: &[ExprId], settings: Settings, starts: &Starts) -> Answer {
    let mut query = Query { arena, arena_id: 1, constraints, hint: &|_, _| 0 };
    let answer = Interval::handing_to(settings, starts.clone()).solve(&mut query, &LIMITS);
    if let Answer::Sat(model) = &answer {
        let byte = |o, k| model.get(&(o, k)).copied().unwrap_or(0);
        let mut evaluator = Evaluator::new(arena, &byte);
        for &constraint in constraints {
            assert!(evaluator.is_true(constraint), "{}", arena.to_text(constraint));
        }
    }
    answer
}

fn solve(text: &str, scope: Scope) -> Answer {
    let mut arena = Arena::new();
    let constraints = arena.parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    ask(&mut arena, &constraints, Settings::new(scope), &Starts::default())
}

/// Text of the value of so many bytes that begins at byte `k`.
fn field(k: u32, bytes: u32) -> String {
    (1..bytes).fold(format!("in0[{k}]"), |low, n| format!("(Concat in0[{}] {low})", k + n))
}

fn double(k: u32) -> String {
    field(k, 8)
}

fn number(x: f64) -> String {
    format!("{:#x}:64", x.to_bits())
}

/// Asserts a core, with constraints as lines.
fn assert_unsat(lines: &[String], scope: Scope, core: &[usize]) {
    assert_eq!(solve(&lines.join("\n"), scope), Answer::Unsat(core.to_vec()), "{lines:?}");
}

#[test]
fn library_functions_keep_to_their_ranges() {
    let x = double(0);
    for function in ["sin", "cos", "tanh", "erf"] {
        let beyond = format!("(FLt {} (Libm1 {function} {x}))", number(1.0));
        assert_unsat(&[beyond], Scope::Unsupported, &[0]);
        let within = format!("(FLt {} (Libm1 {function} {x}))", number(0.75));
        assert!(matches!(solve(&within, Scope::Unsupported), Answer::Sat(_)), "{function}");
    }
    let negative = |f: &str| format!("(FLt (Libm1 {f} {x}) {})", number(0.0));
    for function in ["exp", "exp2", "exp10", "acos", "acosh", "erfc"] {
        assert_unsat(&[negative(function)], Scope::Unsupported, &[0]);
    }
}

#[test]
fn input_that_stands_in_memory_is_as_free_as_what_addresses_it() {
    let text = "$1 = (Ite (Eq in0[0] 0x1:8) in0[1] 0x0:8)\n@0 = table 0x1000 $1 02\n\
        (Eq (Read @0 8 (Add (ZExt 64 (Extract 0 1 in0[2])) 0x1000:64)) 0x63:8)";
    // in0[0] is 1 and in0[1] 99, which no value of in0[2] alone gives.
    assert!(!matches!(solve(text, Scope::Supported), Answer::Unsat(_)));
}

#[test]
fn remainders_are_below_their_divisors() {
    let x = double(0);
    assert_unsat(&[format!("(FLe {0} (FRem {x} {0}))", number(10.0))], Scope::Unsupported, &[0]);
    let largest = format!("(FLt {} (FRem {x} {}))", number(9.99), number(10.0));
    assert!(matches!(solve(&largest, Scope::Unsupported), Answer::Sat(_)));
}

#[test]
fn functions_that_rise_bound_their_operands() {
    let x = double(0);
    // x > 10 and exp(x) < 1000; beside them something else about x.
    let lines = [
        format!("(FLt {} {x})", number(10.0)),
        format!("(FLt {x} {})", number(1e6)),
        format!("(FLt (Libm1 exp {x}) {})", number(1000.0)),
    ];
    assert_unsat(&lines, Scope::Unsupported, &[0, 2]);
    // log(x) in (1, 2) and x * x > 60.
    let lines = [
        format!("(FLt {} (Libm1 log {x}))", number(1.0)),
        format!("(FLt (Libm1 log {x}) {})", number(2.0)),
        format!("(FLt {} (FMul {x} {x}))", number(60.0)),
    ];
    // (The other side of the line has no logarithm.)
    assert_unsat(&lines, Scope::Unsupported, &[1, 2]);
}

#[test]
fn the_gamma_function_rises_from_its_least_value_on() {
    let equation = format!("(FEq (Libm1 tgamma {}) {})", double(0), number(120.0));
    assert!(matches!(solve(&equation, Scope::Unsupported), Answer::Sat(_)));
    let lines = [
        format!("(FLt {} {})", number(10.0), double(0)),
        format!("(FLt (Libm1 lgamma {}) {})", double(0), number(5.0)),
    ];
    assert_unsat(&lines, Scope::Unsupported, &[0, 1]);
}

#[test]
fn what_is_said_of_a_shared_expression_meets_there() {
    let sine = format!("(Libm1 sin (FMul {} {}))", double(0), double(8));
    let lines = [format!("(FLt {} {sine})", number(0.5)), format!("(FLt {sine} {})", number(0.25))];
    assert_unsat(&lines, Scope::Unsupported, &[0, 1]);
}

#[test]
fn floats_are_those_of_the_machine() {
    let (x, one) = (double(0), number(1.0));
    // x + 1 == x - 1 has solutions for large numbers, and none below 2^53.
    let same = format!("(FEq (FAdd {x} {one}) (FSub {x} {one}))");
    assert!(matches!(solve(&same, Scope::Supported), Answer::Sat(_)));
    // A square is no negative number, of zeros neither; -0 is no divisor that gives plus infinity.
    let square = format!("(FLt (FMul {x} {x}) {})", number(0.0));
    assert_unsat(&[square], Scope::Supported, &[0]);
    let lines = [
        format!("(FLe {x} {})", number(-0.0)),
        format!("(Slt {x} 0x0:64)"),
        format!("(FLt {} (FDiv {one} {x}))", number(0.0)),
    ];
    assert_unsat(&lines, Scope::Supported, &[1, 2]);
    // What is not a number is unequal to itself; a sum of numbers between -5 and 5 is one.
    assert!(matches!(solve(&format!("(FUno {x} {x})"), Scope::Supported), Answer::Sat(_)));
    let lines = [
        format!("(FLe (And {x} 0x7fffffffffffffff:64) {})", number(5.0)),
        format!("(FUno (FAdd {x} {x}) {one})"),
    ];
    assert_unsat(&lines, Scope::Supported, &[0, 1]);
}

#[test]
fn long_doubles_are_followed() {
    let x = format!("(FCvt 80 {})", double(0));
    let ten = "(FCvt 80 0x4024000000000000:64)";
    let lines = [format!("(FLt (FMul {x} {x}) {ten})"), format!("(FLt {ten} {x})")];
    assert_unsat(&lines, Scope::Unsupported, &[0, 1]);
}

#[test]
fn equations_with_few_solutions_are_solved() {
    let x = double(0);
    // sin(x) = 0.5 to within 1e-9, for an x between 100 and 103: one solution, near 101.05...
    let lines = [
        format!("(FLt {} {x})", number(100.0)),
        format!("(FLt {x} {})", number(103.0)),
        format!("(FLt {} (Libm1 sin {x}))", number(0.5 - 1e-9)),
        format!("(FLt (Libm1 sin {x}) {})", number(0.5 + 1e-9)),
    ];
    assert!(matches!(solve(&lines.join("\n"), Scope::Unsupported), Answer::Sat(_)));
    // A product of two words, each above 2.
    let (a, b) = (field(0, 4), field(4, 4));
    let (a, b) = (format!("(ZExt 64 {a})"), format!("(ZExt 64 {b})"));
    let lines = [
        format!("(Ult 0x2:64 {a})"),
        format!("(Ult 0xffff:64 {b})"),
        format!("(Eq (Mul {a} {b}) {:#x}:64)", 3u64 * 1_000_003),
    ];
    let settings = Settings { max_work: 200_000, ..Settings::new(Scope::Supported) };
    let mut arena = Arena::new();
    let constraints = arena.parse(&lines.join("\n")).unwrap();
    assert!(matches!(ask(&mut arena, &constraints, settings, &Starts::default()), Answer::Sat(_)));
}

#[test]
fn products_and_quotients_of_integers_have_bounds() {
    let (a, b) = (format!("(SExt 64 {})", field(0, 4)), format!("(SExt 64 {})", field(4, 4)));
    let lines = [
        format!("(Slt {a} 0x64:64)"),
        format!("(Slt 0x0:64 {a})"),
        format!("(Slt {b} 0x64:64)"),
        format!("(Slt 0x0:64 {b})"),
        format!("(Slt 0x2710:64 (Mul {a} {b}))"),
    ];
    // (That b is positive is not needed: 99 * 99 < 10000.)
    assert_unsat(&lines, Scope::Supported, &[0, 1, 2, 4]);
    let lines = [format!("(Slt 0x5:64 {b})"), format!("(Slt 0x80000000:64 (SDiv (Mul {a} {a}) {b}))")];
    assert!(matches!(solve(&lines.join("\n"), Scope::Supported), Answer::Sat(_)));
}

#[test]
fn other_queries_are_left_to_others_and_samples_are_handed_on() {
    let others = |text: &str, scope| {
        assert!(matches!(solve(text, scope), Answer::Unknown(Unknown::Unsupported(_))), "{text}");
    };
    // Of integers without products there are proofs only.
    assert_eq!(solve("(Ult in0[0] 0x5:8)", Scope::Supported), Answer::Unknown(Unknown::WorkLimit));
    let lines =
        ["(Ult in0[0] 0x5:8)", "(Ult in0[1] 0x5:8)", "(Ult 0x8:8 (Add in0[0] in0[1]))"].map(str::to_owned);
    assert_unsat(&lines, Scope::Supported, &[0, 1, 2]);
    others(&format!("(FLt {} {})", double(0), number(0.0)), Scope::Unsupported);
    others(&format!("(FLt (Libm1 sin {}) {})", double(0), number(0.0)), Scope::Supported);
    // Intervals cannot tell that this holds nowhere.
    let (x, y) = (double(0), double(8));
    let text = format!("(FLt {} (FSub (Libm1 tgamma {x}) (Libm1 lgamma {y})))\n(FLt {x} {y})", number(1e300));
    let mut arena = Arena::new();
    let constraints = arena.parse(&text).unwrap();
    let starts = Starts::default();
    let settings = Settings { max_work: 50, ..Settings::new(Scope::Unsupported) };
    assert_eq!(ask(&mut arena, &constraints, settings, &starts), Answer::Unknown(Unknown::WorkLimit));
    let query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
    let best = starts.of(&query);
    assert!(!best.is_empty() && best.iter().all(|model| model.contains_key(&(0, 15))));
}

/// Random expressions over two bytes, integers and small floats mixed.
struct Builder {
    arena: Arena,
    pool: Vec<ExprId>,
    random: Random,
}

impl Builder {
    fn new(seed: u64) -> Builder {
        let mut arena = Arena::new();
        let mut pool = vec![arena.input(0, 0), arena.input(0, 1)];
        let both = arena.concat(pool[1], pool[0]);
        pool.push(both);
        for (width, value) in [(8, 3), (8, 0x80), (16, 0x3c00), (16, 100), (16, 0xfffe), (32, 7)] {
            pool.push(arena.const_u64(width, value));
        }
        Builder { arena, pool, random: Random::new(seed) }
    }

    /// Something of a width, brought to it if need be.
    fn of_width(&mut self, width: u16) -> ExprId {
        let fitting: Vec<ExprId> =
            self.pool.iter().copied().filter(|&e| self.arena.width(e) == width).collect();
        if let Some(&e) = self.random.pick(&fitting).filter(|_| !self.random_one_in(4)) {
            return e;
        }
        let pool = self.pool.clone();
        let e = *self.random.pick(&pool).unwrap();
        match self.arena.width(e) {
            w if w < width => {
                let op = if self.random.one_in(2) { Op::ZExt } else { Op::SExt };
                self.arena.unary(op, width, e)
            }
            w if w > width => {
                let low = self.random.below(usize::from(w - width) + 1) as u16;
                self.arena.extract(e, low, width)
            }
            _ => e,
        }
    }

    fn random_one_in(&self, n: u64) -> bool {
        (self.pool.len() as u64).is_multiple_of(n)
    }

    fn step(&mut self) {
        const OPS: &[Op] = &[
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::UDiv,
            Op::SDiv,
            Op::URem,
            Op::SRem,
            Op::Shl,
            Op::LShr,
            Op::AShr,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::UMin,
            Op::SMax,
            Op::UAddSat,
            Op::SSubSat,
            Op::Ctlz,
            Op::Abs,
            Op::Ite,
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FRem,
            Op::FSqrt,
            Op::FFma,
            Op::FRound,
            Op::FCvt,
            Op::SToF,
            Op::UToF,
            Op::FToS,
            Op::FToU,
            Op::Libm1,
            Op::Libm2,
        ];
        let op = *self.random.pick(OPS).unwrap();
        let width = *self.random.pick(&[8, 16, 32]).unwrap();
        let float = *self.random.pick(&[16, 32]).unwrap();
        let e = match op {
            Op::Ite => {
                let (c, a, b) = (self.predicate(), self.of_width(width), self.of_width(width));
                self.arena.ite(c, a, b)
            }
            Op::Ctlz | Op::Abs => {
                let a = self.of_width(width);
                self.arena.unary(op, width, a)
            }
            Op::FSqrt => {
                let a = self.of_width(float);
                self.arena.unary(op, float, a)
            }
            Op::FFma => {
                let args = [self.of_width(float), self.of_width(float), self.of_width(float)];
                self.arena.ternary(op, args[0], args[1], args[2])
            }
            Op::FRound => {
                let (a, mode) = (self.of_width(float), self.random.below(5) as u64);
                self.arena.build(op, float, mode, &[a])
            }
            Op::FCvt => {
                let a = self.of_width(float);
                self.arena.unary(op, if float == 16 { 32 } else { 16 }, a)
            }
            Op::SToF | Op::UToF => {
                let a = self.of_width(width);
                self.arena.unary(op, float, a)
            }
            Op::FToS | Op::FToU => {
                let a = self.of_width(float);
                self.arena.unary(op, width, a)
            }
            Op::Libm1 | Op::Libm2 => {
                let arity = if op == Op::Libm1 { 1 } else { 2 };
                let all: Vec<u64> = (0..trace_abi::libm::TABLE.len() as u64)
                    .filter(|&id| trace_abi::libm::has_arity(id, arity))
                    .collect();
                let id = *self.random.pick(&all).unwrap();
                let args = [self.of_width(32), self.of_width(32)];
                self.arena.build(op, 32, id, &args[..usize::from(arity)])
            }
            _ if op.is_float() => {
                let (a, b) = (self.of_width(float), self.of_width(float));
                self.arena.binary(op, a, b)
            }
            _ => {
                let (a, b) = (self.of_width(width), self.of_width(width));
                self.arena.binary(op, a, b)
            }
        };
        self.pool.push(e);
    }

    fn predicate(&mut self) -> ExprId {
        const OPS: &[Op] = &[
            Op::Eq,
            Op::Ne,
            Op::Ult,
            Op::Ule,
            Op::Slt,
            Op::Sle,
            Op::UAddO,
            Op::SMulO,
            Op::FEq,
            Op::FLt,
            Op::FLe,
            Op::FUno,
        ];
        let op = *self.random.pick(OPS).unwrap();
        let width = if op.is_float() { *self.random.pick(&[16, 32]).unwrap() } else { 16 };
        // What was made last is the most interesting.
        let last = *self.pool.last().unwrap();
        let a = if self.arena.width(last) == width { last } else { self.of_width(width) };
        let b = self.of_width(width);
        let swap = self.random.one_in(2);
        self.arena.binary(op, if swap { b } else { a }, if swap { a } else { b })
    }
}

/// Whether some input of two bytes satisfies them.
fn is_satisfiable(arena: &Arena, constraints: &[ExprId]) -> bool {
    let mut plan = Plan::new(arena, constraints);
    (0..=u16::MAX).any(|input| plan.first_false(&|_, k| input.to_le_bytes()[k as usize]).is_none())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn answers_agree_with_all_inputs(seed in any::<u64>()) {
        let mut builder = Builder::new(seed);
        let mut constraints = Vec::new();
        for _ in 0..1 + builder.random.below(3) {
            for _ in 0..builder.random.below(5) {
                builder.step();
            }
            let constraint = builder.predicate();
            if !builder.arena.is_const(constraint) {
                constraints.push(constraint);
            }
        }
        let mut arena = builder.arena;
        for scope in [Scope::Supported, Scope::Unsupported] {
            match ask(&mut arena, &constraints, Settings::new(scope), &Starts::default()) {
                Answer::Unsat(core) => {
                    let core: Vec<ExprId> = core.iter().map(|&k| constraints[k]).collect();
                    let text: Vec<String> = core.iter().map(|&e| arena.to_text(e)).collect();
                    prop_assert!(!is_satisfiable(&arena, &core), "satisfiable:\n{}", text.join("\n"));
                }
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
    }
}
