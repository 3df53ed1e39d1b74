//! What intervals call unsatisfiable, Bitwuzla does not call satisfiable: random small queries over integers and floats.

use expr::{Arena, ExprId, Op};
use proptest::prelude::*;
use solve::{Answer, Limits, Query, Random, Solver};
use solve_interval::{Interval, Scope, Settings};

const ARITHMETIC: &[Op] =
    &[Op::Add, Op::Sub, Op::Mul, Op::UDiv, Op::SDiv, Op::URem, Op::SRem, Op::And, Op::Or, Op::Xor];
const FLOATS: &[Op] = &[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv];
const COMPARISONS: &[Op] = &[Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle, Op::SMulO, Op::UAddO];
const FLOAT_COMPARISONS: &[Op] = &[Op::FEq, Op::FLt, Op::FLe, Op::FUno];

/// Expressions of one width over two fields of the input.
struct Builder {
    arena: Arena,
    random: Random,
    width: u16,
    float: bool,
    pool: Vec<ExprId>,
}

impl Builder {
    fn new(seed: u64) -> Builder {
        let (mut arena, mut random) = (Arena::new(), Random::new(seed));
        let float = random.one_in(2);
        let width = if float { 16 } else { *random.pick(&[8, 16, 32]).unwrap() };
        let mut pool = Vec::new();
        for field in 0..2 {
            let bytes: Vec<ExprId> =
                (0..u32::from(width / 8)).map(|k| arena.input(0, 4 * field + k)).collect();
            let whole = bytes.into_iter().reduce(|low, high| arena.concat(high, low)).unwrap();
            pool.push(whole);
        }
        for _ in 0..2 {
            let value = random.word() >> random.below(64);
            pool.push(arena.const_u64(width, value));
        }
        Builder { arena, random, width, float, pool }
    }

    fn pick(&mut self) -> ExprId {
        *self.random.pick(&self.pool).unwrap()
    }

    fn step(&mut self) {
        let (a, b) = (self.pick(), self.pick());
        let e = match (self.float, self.random.below(8)) {
            (true, 0) => self.arena.unary(Op::FSqrt, self.width, a),
            (true, 1) => self.arena.build(Op::FRound, self.width, 2, &[a]),
            (true, 2) => {
                let integer = self.arena.unary(Op::FToS, 32, a);
                self.arena.unary(Op::SToF, self.width, integer)
            }
            (true, _) => {
                let op = *self.random.pick(FLOATS).unwrap();
                self.arena.binary(op, a, b)
            }
            (false, _) => {
                let op = *self.random.pick(ARITHMETIC).unwrap();
                self.arena.binary(op, a, b)
            }
        };
        self.pool.push(e);
    }

    fn constraint(&mut self) -> ExprId {
        let op = *self.random.pick(if self.float { FLOAT_COMPARISONS } else { COMPARISONS }).unwrap();
        let (a, b) = (*self.pool.last().unwrap(), self.pick());
        let e = if self.random.one_in(2) { self.arena.binary(op, a, b) } else { self.arena.binary(op, b, a) };
        if self.random.one_in(3) { self.arena.not(e) } else { e }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn no_proof_is_refuted_by_bitwuzla(seed in any::<u64>()) {
        let mut builder = Builder::new(seed);
        let mut constraints = Vec::new();
        for _ in 0..1 + builder.random.below(3) {
            for _ in 0..1 + builder.random.below(3) {
                builder.step();
            }
            constraints.push(builder.constraint());
        }
        let arena = &mut builder.arena;
        let mut query = Query { arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
        let settings = Settings { max_work: 5_000, ..Settings::new(Scope::Supported) };
        let limits = Limits { work: 20_000, millis: 0 };
        if let Answer::Unsat(core) = Interval::new(settings).solve(&mut query, &limits) {
            let core: Vec<ExprId> = core.iter().map(|&k| constraints[k]).collect();
            let mut query = Query { arena, arena_id: 1, constraints: &core, hint: &|_, _| 0 };
            let answer = solve_smt::Bitwuzla::default().solve(&mut query, &limits);
            let text: Vec<String> = core.iter().map(|&e| arena.to_text(e)).collect();
            prop_assert!(!matches!(answer, Answer::Sat(_)), "{:?}\n{}", answer, text.join("\n"));
        }
    }
}
