//! Whatever operands are in their domains, the result is in what `forward` gives, and narrowing loses none of them: for every
//! operation, on random values with the special ones of floats among them.

use super::Operation;
use crate::domain::{Domain, Shape, Value, wide};
use crate::narrow::narrow;
use expr::{Bits, Op, semantics};
use floats::Format;
use proptest::prelude::*;

/// Random choices from a seed.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn pattern(&mut self, width: u16) -> u128 {
        let format = Format::of_width(width);
        let all = u128::from(self.word()) << 64 | u128::from(self.word());
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let raw = match (self.below(8), format) {
            (0, Some(format)) => [
                0,
                format.infinity(false),
                format.default_nan(),
                1,
                floats::from_ordinal(format, crate::domain::infinity(format) - 1),
                floats::from_ordinal(format, 1 << (format.precision() - 1)),
            ][self.below(6) as usize],
            (1..=3, Some(format)) => {
                // A number of moderate size.
                let significand = self.word() >> self.below(64);
                floats::pack(format, false, significand.into(), self.below(30) as i32 - 50)
            }
            (0..=2, _) => all >> self.below(128),
            (3, _) => (1u128 << self.below(u64::from(width))).wrapping_sub(self.below(2).into()),
            (4, _) => self.below(5).into(),
            _ => all,
        };
        let sign = if self.below(3) == 0 { 1 << (width - 1) } else { 0 };
        let complemented = if self.below(6) == 0 { !raw } else { raw };
        (complemented ^ sign) & mask
    }

    fn near(&mut self, width: u16, value: u128) -> u128 {
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let by = u128::from(self.word() >> self.below(64));
        (if self.below(2) == 0 { value.wrapping_add(by) } else { value.wrapping_sub(by) }) & mask
    }
}

/// An operation with the widths of its operands.
fn shaped(op: Op, random: &mut Random) -> Option<(u16, u64, Vec<u16>)> {
    let integer = |r: &mut Random| r.pick(&[1, 2, 7, 8, 16, 31, 32, 33, 64, 80, 100, 120, 128]);
    let format = |r: &mut Random| r.pick(&[16, 32, 64, 80]);
    let count = semantics::operands(op);
    let (width, imm, widths) = match op {
        Op::Input | Op::Const | Op::Read => return None,
        Op::FCvt => (format(random), 0, vec![format(random)]),
        Op::SToF | Op::UToF => (format(random), 0, vec![integer(random)]),
        Op::FToS | Op::FToU => (integer(random), 0, vec![format(random)]),
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => (1, 0, vec![format(random); 2]),
        Op::FRound => {
            let width = format(random);
            (width, random.below(trace_abi::rounding::COUNT.into()), vec![width])
        }
        Op::Libm1 | Op::Libm2 => {
            let width = random.pick(&[32, 64, 80]);
            (width, random.below(trace_abi::libm::TABLE.len() as u64), vec![width; count])
        }
        _ if op.is_float() => {
            let width = format(random);
            (width, 0, vec![width; count])
        }
        _ if op.is_predicate() => (1, 0, vec![integer(random); 2]),
        Op::Extract => {
            let (width, low, above) = (integer(random), random.below(20), random.below(20) as u16);
            (width, low, vec![width + low as u16 + above])
        }
        Op::Trunc => (integer(random), 0, vec![integer(random)]),
        Op::ZExt | Op::SExt => (integer(random), 0, vec![integer(random)]),
        Op::Concat => {
            let (a, b) = (integer(random), integer(random));
            (a + b, 0, vec![a, b])
        }
        Op::Ite => {
            let width = integer(random);
            (width, 0, vec![1, width, width])
        }
        Op::Bswap => {
            let width = random.pick(&[16, 32, 64]);
            (width, 0, vec![width])
        }
        _ => {
            let width = integer(random);
            (width, 0, vec![width; count])
        }
    };
    let fits = widths.iter().chain([&width]).all(|&w| w <= 128);
    (fits && semantics::well_formed(op, width, imm, &widths)).then_some((width, imm, widths))
}

fn shape(width: u16, random: &mut Random) -> Shape {
    match Format::of_width(width) {
        Some(format) if random.below(2) == 0 => Shape::float(format),
        _ => Shape::integer(width),
    }
}

/// A domain around a value and up to two others, often near it.
fn around(shape: Shape, value: &Bits, random: &mut Random) -> Domain {
    let mut domain = shape.of_bits(value);
    for _ in 0..random.below(3) {
        let other = match random.below(2) {
            0 => random.pattern(shape.width),
            _ => random.near(shape.width, value.low_128()),
        };
        domain = domain.join(shape.of_bits(&wide(shape.width, other as i128)));
    }
    if random.below(12) == 0 { shape.top() } else { domain }
}

fn check(op: Op, seed: u64) -> Result<(), TestCaseError> {
    let mut random = Random(seed);
    let Some((width, imm, widths)) = shaped(op, &mut random) else { return Ok(()) };
    let same = widths.len() == 2 && widths[0] == widths[1] && random.below(6) == 0;
    let mut values: Vec<Bits> = widths.iter().map(|&w| wide(w, random.pattern(w) as i128)).collect();
    let mut operands: Vec<Value> = values
        .iter()
        .map(|value| {
            let shape = shape(value.width(), &mut random);
            Value { shape, domain: around(shape, value, &mut random) }
        })
        .collect();
    if same {
        values[1] = values[0].clone();
        operands[1] = operands[0];
    }
    let refs: Vec<&Bits> = values.iter().collect();
    let result = semantics::apply(op, width, imm, &refs);
    let operation = Operation { op, shape: shape(width, &mut random), imm, same, memory: None };
    let given = operation.forward(&operands);
    let text = format!("{operation:?}\n{operands:?}\nof {values:?} is {result:?}, not in {given:?}");
    prop_assert!(given.contains(operation.shape, &result), "{}", text);

    // What the result may be, made smaller, still allows these operands.
    let smaller = around(operation.shape, &result, &mut random);
    let before = operands.clone();
    narrow(&operation, &mut operands, smaller, &mut 0);
    for (k, (operand, value)) in operands.iter().zip(&values).enumerate() {
        let text = format!("{operation:?}\n{before:?}\nof {values:?} is {result:?}, within {smaller:?}");
        prop_assert!(
            operand.domain.contains(operand.shape, value),
            "operand {} of {}\ngives {:?}",
            k,
            text,
            operand
        );
        prop_assert_eq!(operand.domain.meet(before[k].domain), operand.domain, "it grew");
    }
    Ok(())
}

/// One test for each operation.
macro_rules! operations {
    ($($name:ident $op:ident,)+) => {
        $(
            proptest! {
                #![proptest_config(ProptestConfig::with_cases(2_000))]
                #[test]
                fn $name(seed in any::<u64>()) {
                    check(Op::$op, seed)?;
                }
            }
        )+

        #[test]
        fn every_operation_has_a_test() {
            let tested = [$(Op::$op),+];
            let untested = [Op::Input, Op::Const, Op::Read];
            for op in Op::ALL {
                assert!(tested.contains(op) != untested.contains(op), "{op:?}");
            }
        }
    };
}

operations! {
    add Add, sub Sub, mul Mul, udiv UDiv, sdiv SDiv, urem URem, srem SRem, shl Shl, lshr LShr, ashr AShr, and And, or Or,
    xor Xor, umin UMin, umax UMax, smin SMin, smax SMax, uaddsat UAddSat, saddsat SAddSat, usubsat USubSat, ssubsat SSubSat,
    eq Eq, ne Ne, ult Ult, ule Ule, slt Slt, sle Sle, uaddo UAddO, saddo SAddO, usubo USubO, ssubo SSubO, umulo UMulO,
    smulo SMulO, trunc Trunc, zext ZExt, sext SExt, extract Extract, concat Concat, ctpop Ctpop, ctlz Ctlz, cttz Cttz,
    bswap Bswap, bitreverse Bitreverse, abs Abs, ite Ite, fshl Fshl, fshr Fshr, fadd FAdd, fsub FSub, fmul FMul, fdiv FDiv,
    frem FRem, libm2 Libm2, feq FEq, flt FLt, fle FLe, funo FUno, fsqrt FSqrt, fround FRound, libm1 Libm1, ffma FFma,
    fcvt FCvt, stof SToF, utof UToF, ftos FToS, ftou FToU,
}
