//! Random well-formed expressions, made without simplification so that every operation reaches the solver.

use expr::{Arena, Arity, Bits, ExprId, Op, Table};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Widths that expressions are made of.
pub const WIDTHS: [u16; 9] = [1, 8, 13, 16, 32, 64, 65, 100, 128];

/// Number of input bytes.
pub const INPUTS: u32 = 12;

/// An arena, and the random choices that fill it.
pub struct Generator {
    /// Owner of the expressions.
    pub arena: Arena,
    /// Identity of the arena.
    pub id: u64,
    /// The input.
    pub bytes: Vec<u8>,
    rng: StdRng,
    /// Whether expressions may have float operations.
    pub with_floats: bool,
}

impl Generator {
    /// Everything follows from `seed`.
    pub fn new(seed: u64) -> Generator {
        let mut rng = StdRng::seed_from_u64(seed);
        let bytes = (0..INPUTS).map(|_| if rng.random_bool(0.3) { 0 } else { rng.random() }).collect();
        Generator { arena: Arena::new(), id: seed, bytes, rng, with_floats: false }
    }

    /// A random expression of `width` bits, at most `depth` operations deep above leaves.
    pub fn expression(&mut self, width: u16, depth: u32) -> ExprId {
        if depth == 0 {
            return self.leaf(width);
        }
        for _ in 0..20 {
            let op = Op::ALL[self.rng.random_range(0..Op::ALL.len())];
            if op.is_float() && !self.with_floats {
                continue;
            }
            let operand = if op.is_predicate() && width == 1 {
                WIDTHS[self.rng.random_range(0..WIDTHS.len())]
            } else if op.is_predicate() {
                continue;
            } else {
                width
            };
            if let Some(e) = self.operation(op, operand, depth - 1) {
                return e;
            }
        }
        self.leaf(width)
    }

    /// An `op` of `width` bits (for predicates: of operands of `width` bits), or `None` if there is none.
    pub fn operation(&mut self, op: Op, width: u16, depth: u32) -> Option<ExprId> {
        let (children, result, imm): (Vec<ExprId>, u16, u64) = match op {
            op if op.is_float() => return self.float_operation(op, width, depth),
            Op::Input | Op::Const => return Some(self.leaf(width)),
            Op::Bswap if !width.is_multiple_of(8) => return None,
            Op::Trunc => (vec![self.expression(width + 9, depth)], width, 0),
            Op::Extract => (vec![self.expression(width + 9, depth)], width, 5),
            Op::ZExt | Op::SExt if width < 9 => return None,
            Op::ZExt | Op::SExt => {
                let from = if self.rng.random_bool(0.3) { 1 } else { width - 8 };
                (vec![self.expression(from, depth)], width, 0)
            }
            Op::Concat if width < 2 => return None,
            Op::Concat => {
                let low = self.rng.random_range(1..width);
                (vec![self.expression(width - low, depth), self.expression(low, depth)], width, 0)
            }
            Op::Read if !width.is_multiple_of(8) => return None,
            Op::Read => return Some(self.read(width, depth)),
            Op::Ite => (
                vec![self.expression(1, depth), self.expression(width, depth), self.expression(width, depth)],
                width,
                0,
            ),
            _ => {
                let count = match op.arity() {
                    Arity::Leaf => 0,
                    Arity::Unary => 1,
                    Arity::Binary => 2,
                    Arity::Ternary => 3,
                };
                let children = (0..count).map(|_| self.expression(width, depth)).collect();
                (children, if op.is_predicate() { 1 } else { width }, 0)
            }
        };
        Some(self.arena.raw(op, result, &children, imm))
    }

    /// A float operation whose result has (for predicates: whose operands have) `width` bits; those that are abstracted
    /// are left out.
    fn float_operation(&mut self, op: Op, width: u16, depth: u32) -> Option<ExprId> {
        let formats = [16, 32, 64, 80];
        let is_format = formats.contains(&width);
        let other = formats[self.rng.random_range(0..formats.len())];
        let (operand, result, imm) = match op {
            Op::FRem | Op::Libm1 | Op::Libm2 => return None,
            Op::FToS | Op::FToU if width <= 128 => (other, width, 0),
            Op::FCvt if is_format && other != width => (other, width, 0),
            Op::SToF | Op::UToF if is_format => {
                ([1, 8, 31, 32, 64, 100][self.rng.random_range(0..6)], width, 0)
            }
            Op::FToS | Op::FToU | Op::FCvt | Op::SToF | Op::UToF => return None,
            _ if !is_format => return None,
            Op::FRound => (width, width, self.rng.random_range(0..5)),
            op if op.is_predicate() => (width, 1, 0),
            _ => (width, width, 0),
        };
        let children: Vec<ExprId> = (0..expr::semantics::operands(op))
            .map(|_| match op {
                Op::SToF | Op::UToF => self.expression(operand, depth),
                _ => self.float(operand, depth),
            })
            .collect();
        Some(self.arena.raw(op, result, &children, imm))
    }

    /// A float of moderate size or a special one, often.
    fn float(&mut self, width: u16, depth: u32) -> ExprId {
        if self.rng.random_bool(0.3) || depth == 0 && self.rng.random_bool(0.5) {
            let integer = self.expression(16, 0);
            let float = self.arena.raw(Op::SToF, width, &[integer], 0);
            if width == 16 || self.rng.random_bool(0.5) {
                return float;
            }
            let third = self.arena.constant(&float_constant(width, 3));
            return self.arena.raw(Op::FDiv, width, &[float, third], 0);
        }
        self.expression(width, depth)
    }

    fn leaf(&mut self, width: u16) -> ExprId {
        if self.rng.random_bool(0.25) {
            let words = (0..width.div_ceil(64)).map(|_| self.interesting()).collect();
            return self.arena.constant(&Bits::from_words(width, words));
        }
        let mut e = self.input();
        while self.arena.width(e) < width {
            let byte = self.input();
            let sum = self.arena.width(e) + 8;
            e = self.arena.raw(Op::Concat, sum, &[byte, e], 0);
        }
        if self.arena.width(e) == width { e } else { self.arena.raw(Op::Trunc, width, &[e], 0) }
    }

    fn input(&mut self) -> ExprId {
        let offset = self.rng.random_range(0..INPUTS);
        self.arena.input(0, offset)
    }

    /// Small numbers, and numbers near the bounds, more often than others.
    fn interesting(&mut self) -> u64 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..130),
            1 => u64::MAX - self.rng.random_range(0..3),
            2 => 1 << self.rng.random_range(0..64),
            _ => self.rng.random(),
        }
    }

    /// A read of a table with some symbolic bytes, at an address near the table or far from it.
    fn read(&mut self, width: u16, depth: u32) -> ExprId {
        let length = self.rng.random_range(1..40u64);
        let base = [0, 0x1000, u64::MAX - 7][self.rng.random_range(0..3)];
        let bytes: Vec<u8> =
            (0..length).map(|k| if k / 8 % 2 == 0 { 5 } else { self.rng.random() }).collect();
        let symbolic = if self.rng.random_bool(0.5) {
            Vec::new()
        } else {
            (0..length)
                .map(|_| if self.rng.random_bool(0.2) { Some(self.expression(8, depth)) } else { None })
                .collect()
        };
        let table = self.arena.add_table(Table { base, bytes: bytes.into(), symbolic });
        let byte = self.input();
        let offset = self.arena.raw(Op::ZExt, 64, &[byte], 0);
        let low = self.arena.const_u64(64, if self.rng.random_bool(0.5) { 63 } else { 0xff });
        let offset = self.arena.raw(Op::And, 64, &[offset, low], 0);
        let start = self.arena.const_u64(64, base.wrapping_sub(5));
        let address = self.arena.raw(Op::Add, 64, &[start, offset], 0);
        self.arena.raw(Op::Read, width, &[address], table.0.into())
    }
}

/// A small integer as a float.
fn float_constant(width: u16, value: u128) -> Bits {
    let format = floats::Format::of_width(width).expect("a format's width");
    let bits = floats::pack(format, false, value, 0);
    Bits::from_words(width, [bits as u64, (bits >> 64) as u64].as_slice().into())
}
