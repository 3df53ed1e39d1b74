//! Compiled constraints give what the reference evaluator gives: every operation at every width, and whole random
//! expressions with tables, wide values and floats.

use expr::{Arena, Bits, Evaluator, ExprId, Op, Table};
use proptest::prelude::*;
use solve_jit::Jit;
use solve_search::{Compiler, Layout, Native, Part, Scratch};

/// Input bytes that expressions read; the expected value follows them.
const INPUTS: u32 = 80;

/// `count` input bytes from `from` on as one value of `width` bits.
fn field(arena: &mut Arena, from: u32, width: u16) -> ExprId {
    let bytes = u32::from(width.div_ceil(8));
    let mut all = arena.input(0, from);
    for k in 1..bytes {
        let high = arena.input(0, from + k);
        all = arena.raw(Op::Concat, 8 * (k as u16 + 1), &[high, all], 0);
    }
    if width.is_multiple_of(8) { all } else { arena.raw(Op::Trunc, width, &[all], 0) }
}

fn part_of(arena: &Arena, constraint: ExprId, limit: usize) -> Option<Part> {
    Part::new(arena, constraint, &mut Layout::default(), &mut Scratch::default(), limit)
}

/// A constraint, interpreted and compiled.
struct Both {
    part: Part,
    native: Box<dyn Native>,
    layout: Layout,
}

impl Both {
    fn new(arena: &Arena, constraint: ExprId) -> Both {
        let mut layout = Layout::default();
        let part = Part::new(arena, constraint, &mut layout, &mut Scratch::default(), usize::MAX)
            .expect("there is no limit");
        let native = Jit::new().expect("this machine is known").compile(&part).expect("it is not too large");
        Both { part, native, layout }
    }

    /// Distance under an input, the same both ways.
    fn distance(&mut self, arena: &Arena, constraint: ExprId, input: &[u8]) -> f64 {
        let bytes: Vec<u8> = (0..self.layout.len()).map(|k| input[self.layout.name(k).1 as usize]).collect();
        self.part.evaluate(&bytes);
        let native = self.native.distance(&bytes);
        let text = || arena.to_text(constraint);
        assert_eq!(native, self.part.distance(), "the distance of\n{}under {input:x?}", text());
        let byte = |_, k: u32| input[k as usize];
        let truth = Evaluator::new(arena, &byte).is_true(constraint);
        assert_eq!(native == 0.0, truth, "the truth of\n{}under {input:x?}", text());
        native
    }
}

fn set(input: &mut [u8], value: &Bits) {
    let bytes = value.words().iter().flat_map(|w| w.to_le_bytes());
    input[INPUTS as usize..].iter_mut().zip(bytes.chain(std::iter::repeat(0))).for_each(|(to, b)| *to = b);
}

/// Compares `e` with the reference evaluator: the code checks that it is what further input bytes say.
fn assert_value(arena: &mut Arena, e: ExprId, inputs: &[Vec<u8>]) {
    let width = arena.width(e);
    let expected = field(arena, INPUTS, width);
    let constraint = arena.raw(Op::Eq, 1, &[e, expected], 0);
    let mut both = Both::new(arena, constraint);
    for input in inputs {
        let mut input = input.clone();
        input.resize(INPUTS as usize + usize::from(width.div_ceil(64)) * 8, 0);
        let value = Evaluator::new(arena, &|_, k| input[k as usize]).eval(e);
        set(&mut input, &value);
        assert_eq!(both.distance(arena, constraint, &input), 0.0);
        input[INPUTS as usize] ^= 1;
        assert!(both.distance(arena, constraint, &input) > 0.0);
    }
}

/// Inputs with extreme and random values.
fn corners() -> Vec<Vec<u8>> {
    let one = |width: usize, value: u128| -> Vec<u8> {
        (0..INPUTS as usize)
            .map(|k| if k % width < 16 { (value >> (8 * (k % width))) as u8 } else { 0 })
            .collect()
    };
    let mut all = vec![vec![0; 80], vec![255; 80], one(32, 1), one(32, 2), one(16, 1 << 63), one(32, 0x7f)];
    let floats =
        [1.0, -1.5, 0.1, f64::NAN, f64::INFINITY, 1e300, -1e-320, 9.3e18, -9.3e18, 2147483648.5, 1e19];
    for value in floats {
        all.push(one(8, value.to_bits().into()));
        all.push(one(4, (value as f32).to_bits().into()));
    }
    // Two different floats, one of which is none.
    let mut mixed = one(8, 0x7ff0_0000_0000_0001);
    mixed[24..48].copy_from_slice(&one(8, 1.5f64.to_bits().into())[24..48]);
    all.push(mixed);
    let mut mixed = one(8, 0xfff8_0000_0000_0007);
    mixed[..24].copy_from_slice(&one(8, 2.5f64.to_bits().into())[..24]);
    all.push(mixed);
    let mut x = 88172645463325252u64;
    for round in 0..40 {
        let bytes = (0..INPUTS).map(|k| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            if round % 2 == 1 && k % 24 > 0 { 0 } else { (x >> 24) as u8 }
        });
        all.push(bytes.collect());
    }
    all
}

const WIDTHS: [u16; 20] = [1, 2, 3, 7, 8, 9, 16, 24, 31, 32, 33, 40, 48, 63, 64, 65, 80, 96, 128, 192];

#[test]
fn every_operation_has_its_value_at_every_width() {
    let inputs = corners();
    for &op in Op::ALL.iter().filter(|op| !matches!(op, Op::Input | Op::Const | Op::Read)) {
        let mut tried = 0;
        for &w in &WIDTHS {
            let others: &[u16] = match op {
                Op::Trunc | Op::ZExt | Op::SExt | Op::Extract | Op::Concat => &WIDTHS,
                Op::FCvt | Op::SToF | Op::UToF | Op::FToS | Op::FToU => &WIDTHS,
                _ => &[0],
            };
            for &other in others {
                tried += u32::from(try_operation(op, w, other, &inputs));
            }
        }
        assert!(tried > 0, "{op:?} has been tried at no width");
    }
}

/// Whether there is such an operation on operands of `w` bits.
fn try_operation(op: Op, w: u16, other: u16, inputs: &[Vec<u8>]) -> bool {
    let (width, widths) = match op {
        _ if op.is_predicate() => (1, [w; 3]),
        Op::Concat => (w + other, [w, other, 0]),
        Op::Ite => (w, [1, w, w]),
        Op::Trunc | Op::ZExt | Op::SExt | Op::Extract => (other, [w; 3]),
        Op::FCvt | Op::SToF | Op::UToF | Op::FToS | Op::FToU => (other, [w; 3]),
        _ => (w, [w; 3]),
    };
    let count = expr::semantics::operands(op);
    let immediates: &[u64] = match op {
        Op::FRound => &[0, 1, 2, 3, 4],
        Op::Libm1 | Op::Extract => &[0, 1, 5],
        Op::Libm2 => &[trace_abi::libm::TABLE.len() as u64 - 1],
        _ => &[0],
    };
    let mut tried = false;
    for &imm in immediates {
        if !expr::semantics::well_formed(op, width, imm, &widths[..count]) {
            continue;
        }
        let mut arena = Arena::new();
        let mut from = 0;
        let args: Vec<ExprId> = widths[..count]
            .iter()
            .map(|&w| {
                from += 24;
                field(&mut arena, from - 24, w)
            })
            .collect();
        let e = arena.raw(op, width, &args, imm);
        assert_value(&mut arena, e, inputs);
        if width == 1 {
            // Its own distance, and that of its negation.
            let negated = arena.not(e);
            for constraint in [e, negated] {
                let mut both = Both::new(&arena, constraint);
                inputs.iter().for_each(|input| {
                    both.distance(&arena, constraint, input);
                });
            }
        }
        tried = true;
    }
    tried
}

#[test]
fn tables_are_read_inside_and_outside() {
    let mut arena = Arena::new();
    let address = field(&mut arena, 0, 64);
    let symbolic = arena.input(0, 8);
    let sum = arena.const_u64(8, 3);
    let symbolic = arena.binary(Op::Add, symbolic, sum);
    let mut entries = vec![None; 20];
    entries[7] = Some(symbolic);
    let bytes: Vec<u8> = (0..20).map(|k| k * 11 + 1).collect();
    let concrete = arena.add_table(Table { base: 0x1000, bytes: bytes.clone().into(), symbolic: vec![] });
    let changing = arena.add_table(Table { base: 0x1000, bytes: bytes.into(), symbolic: entries });
    let mut inputs = Vec::new();
    for offset in [-9i64, -8, -7, -1, 0, 1, 6, 7, 8, 11, 12, 13, 16, 17, 18, 19, 20, 21, 1 << 40] {
        let mut input = vec![0x5au8; 80];
        input[..8].copy_from_slice(&(0x1000 + offset).to_le_bytes());
        inputs.push(input);
    }
    for table in [concrete, changing] {
        for width in [8, 16, 24, 32, 64, 72, 128, 256] {
            let e = arena.raw(Op::Read, width, &[address], table.0.into());
            assert_value(&mut arena, e, &inputs);
        }
    }
}

/// One construction step: an operation and where its operands come from.
type Recipe = (u8, u8, u8, u8, u8);

/// Random expressions, each of the ones before.
struct Pool {
    arena: Arena,
    pool: Vec<ExprId>,
}

impl Pool {
    fn new() -> Pool {
        let mut arena = Arena::new();
        let mut pool: Vec<ExprId> = (0..6).map(|k| arena.input(0, k)).collect();
        pool.extend([16, 32, 64].map(|w| field(&mut arena, 8, w)));
        pool.extend(
            [(8, 0), (8, 0xff), (1, 1), (32, 0x100), (64, 1 << 63)].map(|(w, v)| arena.const_u64(w, v)),
        );
        Pool { arena, pool }
    }

    /// An operand of this width, made by a cast if need be.
    fn operand(&mut self, pick: u8, width: u16) -> ExprId {
        let e = self.pool[self.pool.len() - 1 - pick as usize % self.pool.len()];
        let op = match self.arena.width(e) {
            w if w == width => return e,
            w if w < width && pick & 64 != 0 => Op::SExt,
            w if w < width => Op::ZExt,
            _ => Op::Trunc,
        };
        self.arena.raw(op, width, &[e], 0)
    }

    fn step(&mut self, (op, x, y, z, imm): Recipe) {
        let op = Op::ALL[op as usize % Op::ALL.len()];
        let w = WIDTHS[x as usize % WIDTHS.len()];
        let other = WIDTHS[imm as usize % WIDTHS.len()];
        let (width, widths) = match op {
            Op::Input | Op::Const => return,
            Op::Read => return self.read(x, y, imm),
            _ if op.is_predicate() => (1, [w; 3]),
            Op::Concat => (w + other, [w, other, 0]),
            Op::Ite => (w, [1, w, w]),
            Op::Trunc | Op::ZExt | Op::SExt | Op::Extract => (other, [w; 3]),
            Op::FCvt | Op::SToF | Op::UToF | Op::FToS | Op::FToU => (other, [w; 3]),
            _ => (w, [w; 3]),
        };
        let count = expr::semantics::operands(op);
        let aux = if op.has_aux() || op == Op::Extract { u64::from(z % 8) } else { 0 };
        if width > 320 || !expr::semantics::well_formed(op, width, aux, &widths[..count]) {
            return;
        }
        let args: Vec<ExprId> =
            [x, y, z].iter().zip(widths).take(count).map(|(&pick, w)| self.operand(pick, w)).collect();
        let e = self.arena.raw(op, width, &args, aux);
        self.pool.push(e);
    }

    fn read(&mut self, x: u8, y: u8, imm: u8) {
        let bytes: Vec<u8> = (0..16).map(|k| k * 17).collect();
        let mut entries = vec![None; 16];
        entries[3] = Some(self.operand(y, 8));
        let table = self.arena.add_table(Table { base: 0x10, bytes: bytes.into(), symbolic: entries });
        let address = self.operand(x, 64);
        let e = self.arena.raw(Op::Read, 8 * (1 + u16::from(imm % 10)), &[address], table.0.into());
        self.pool.push(e);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn random_expressions_have_their_values(
        recipes in proptest::collection::vec(any::<Recipe>(), 1..60),
        inputs in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 80), 4),
    ) {
        let mut pool = Pool::new();
        recipes.into_iter().for_each(|recipe| pool.step(recipe));
        let last = pool.pool[pool.pool.len() - 1];
        assert_value(&mut pool.arena, last, &inputs);
        // Conditions that were built along the way, joined.
        let conditions: Vec<ExprId> =
            pool.pool.iter().copied().filter(|&e| pool.arena.width(e) == 1).collect();
        let mut joined = conditions[0];
        for (k, &e) in conditions.iter().enumerate().skip(1).take(12) {
            let op = [Op::And, Op::Or, Op::Xor, Op::Eq][k % 4];
            joined = pool.arena.raw(op, 1, &[joined, e], 0);
        }
        let mut both = Both::new(&pool.arena, joined);
        for input in &inputs {
            both.distance(&pool.arena, joined, input);
        }
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let mut arena = Arena::new();
    let (x, y) = (field(&mut arena, 0, 32), field(&mut arena, 4, 32));
    let constraint = arena.raw(Op::Ult, 1, &[x, y], 0);
    let part = part_of(&arena, constraint, 1000).unwrap();
    let nodes = part.nodes.len();
    assert!(Jit::with_limit(nodes - 1).unwrap().compile(&part).is_none());
    assert!(Jit::with_limit(nodes).unwrap().compile(&part).is_some());
    assert!(part_of(&arena, constraint, nodes - 1).is_none());
}

/// Mappings of this process: code is one each.
fn memory() -> (usize, usize) {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("there is such a file");
    let pages = std::fs::read_to_string("/proc/self/statm").expect("there is such a file");
    (maps.lines().count(), pages.split(' ').next().and_then(|size| size.parse().ok()).expect("a number"))
}

#[test]
fn code_and_memory_are_freed() {
    let mut arena = Arena::new();
    let (x, y) = (field(&mut arena, 0, 128), field(&mut arena, 16, 128));
    let product = arena.raw(Op::Mul, 128, &[x, y], 0);
    let constraint = arena.raw(Op::Ult, 1, &[product, x], 0);
    let part = part_of(&arena, constraint, 1000).unwrap();
    let mut jit = Jit::new().unwrap();
    let mut round = || drop(jit.compile(&part).expect("it is not too large"));
    (0..50).for_each(|_| round());
    let (maps, pages) = memory();
    (0..4000).for_each(|_| round());
    let (maps_after, pages_after) = memory();
    // 4,000 functions that stay would be 4,000 mappings and as many pages; other tests run beside this one.
    assert!(maps_after < maps + 500, "{maps} mappings before, {maps_after} after");
    assert!(pages_after < pages + 3000, "{pages} pages before, {pages_after} after");
}
