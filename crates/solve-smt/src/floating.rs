//! Float operations. Those that SMT-LIB has are exact; the remainder and the functions of the C library become fresh
//! variables: a contradiction that is found all the same is one, a model is a candidate.

use crate::context::{Context, Term};
use crate::float::{Float, format, pattern, quiet, shape};
use crate::sys::{Kind, RoundingMode};
use crate::translate::{Failure, Result, Translation, Value};
use expr::{Arena, Bits, ExprId, Op};
use floats::Format;
use trace_abi::rounding;

/// The term of a float operation whose operands are translated.
pub(crate) fn operation(t: &mut Translation, c: &mut Context, arena: &Arena, e: ExprId) -> Result<Value> {
    let node = *arena.node(e);
    let a = node.args[0];
    match node.op {
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => {
            let (a, b) = (t.float(c, arena, a)?, t.float(c, arena, node.args[1])?);
            comparison(c, node.op, &a, &b).map(Value::Bool)
        }
        Op::FToS | Op::FToU => {
            let a = t.float(c, arena, a)?;
            crate::float_integer::to_integer(c, node.op, &a, node.width).map(Value::Bv)
        }
        Op::SToF | Op::UToF => {
            let (format, a) = (format(node.width)?, t.bv(c, a)?);
            let kind = if node.op == Op::SToF { Kind::FpFromSbv } else { Kind::FpFromUbv };
            let mode = c.rounding_mode(RoundingMode::NearestEven)?;
            let term = c.to_float(kind, mode, a, shape(format))?;
            // It is always a number.
            let nan = pattern(c, format, format.default_nan())?;
            Ok(Value::Float(Float { format, term, nan }))
        }
        Op::FCvt => {
            let a = t.float(c, arena, a)?;
            conversion(c, &a, format(node.width)?).map(Value::Float)
        }
        Op::FRem | Op::Libm1 | Op::Libm2 => {
            t.approximate(e);
            Ok(Value::Bv(c.variable(node.width)?))
        }
        _ => arithmetic(t, c, arena, e).map(Value::Float),
    }
}

/// Operations whose operands and result have one format.
fn arithmetic(t: &mut Translation, c: &mut Context, arena: &Arena, e: ExprId) -> Result<Float> {
    let node = *arena.node(e);
    let format = format(node.width)?;
    let mut operands = Vec::new();
    for &a in arena.args(e) {
        operands.push(t.float(c, arena, a)?);
    }
    let mode = match node.op {
        Op::FRound => direction(node.imm),
        _ => RoundingMode::NearestEven,
    };
    let mode = c.rounding_mode(mode)?;
    let kind = match node.op {
        Op::FAdd => Kind::FpAdd,
        Op::FSub => Kind::FpSub,
        Op::FMul => Kind::FpMul,
        Op::FDiv => Kind::FpDiv,
        Op::FSqrt => Kind::FpSqrt,
        Op::FRound => Kind::FpRti,
        Op::FFma => Kind::FpFma,
        op => return Err(Failure::Unsupported(op.name().into())),
    };
    let term = match operands[..] {
        [a] => c.mk2(kind, mode, a.term)?,
        [a, b] => c.mk3(kind, mode, a.term, b.term)?,
        [x, y, z] if format == Format::Half => fused_in_single(c, mode, [x, y, z])?,
        [x, y, z] => c.mk4(kind, [mode, x.term, y.term, z.term])?,
        _ => return Err(Failure::Unsupported(node.op.name().into())),
    };
    let nan = match operands[..] {
        [x, y, z] => no_number(t, c, e, &[y, x, z])?,
        _ => no_number(t, c, e, &operands)?,
    };
    Ok(Float { format, term, nan })
}

fn direction(aux: u64) -> RoundingMode {
    match aux as u8 {
        rounding::TOWARD_ZERO => RoundingMode::TowardZero,
        rounding::UP => RoundingMode::Up,
        rounding::DOWN => RoundingMode::Down,
        rounding::NEAREST_AWAY => RoundingMode::NearestAway,
        _ => RoundingMode::NearestEven,
    }
}

/// Halves are multiplied and added in single precision and then rounded.
fn fused_in_single(c: &mut Context, mode: Term, operands: [Float; 3]) -> Result<Term> {
    let mut wide = [mode; 4];
    for (wide, operand) in wide[1..].iter_mut().zip(operands) {
        *wide = c.to_float(Kind::FpFromFp, mode, operand.term, shape(Format::Single))?;
    }
    let result = c.mk4(Kind::FpFma, wide)?;
    Ok(c.to_float(Kind::FpFromFp, mode, result, shape(Format::Half))?)
}

/// The bits of a result that is not a number: the first operand that is none, made quiet, else the default. Of two such
/// operands the x87 chooses by their significands, which is left open here.
fn no_number(t: &mut Translation, c: &mut Context, e: ExprId, operands: &[Float]) -> Result<Term> {
    let format = operands[0].format;
    let mut nan = pattern(c, format, format.default_nan())?;
    let mut several = c.boolean(false)?;
    let mut some = several;
    for operand in operands.iter().rev() {
        let (is_nan, quiet) = (operand.is_nan(c)?, quiet(c, format, operand.nan)?);
        nan = c.ite(is_nan, quiet, nan)?;
        let another = c.mk2(Kind::And, some, is_nan)?;
        several = c.mk2(Kind::Or, several, another)?;
        some = c.mk2(Kind::Or, some, is_nan)?;
    }
    if format == Format::Extended && operands.len() > 1 {
        t.approximate(e);
        let open = c.variable(format.width())?;
        nan = c.ite(several, open, nan)?;
    }
    Ok(nan)
}

fn comparison(c: &mut Context, op: Op, a: &Float, b: &Float) -> Result<Term> {
    let kind = match op {
        Op::FEq => Kind::FpEqual,
        Op::FLt => Kind::FpLt,
        Op::FLe => Kind::FpLeq,
        _ => {
            let (a, b) = (a.is_nan(c)?, b.is_nan(c)?);
            return Ok(c.mk2(Kind::Or, a, b)?);
        }
    };
    Ok(c.mk2(kind, a.term, b.term)?)
}

/// To another format; what is not a number keeps the high bits of its payload.
fn conversion(c: &mut Context, a: &Float, to: Format) -> Result<Float> {
    let mode = c.rounding_mode(RoundingMode::NearestEven)?;
    let term = c.to_float(Kind::FpFromFp, mode, a.term, shape(to))?;
    let from = a.format;
    let quiet = quiet(c, from, a.nan)?;
    let sign = c.extract(quiet, from.width() - 1, from.width() - 1)?;
    let (have, want) = (from.precision() - 1, to.precision() - 1);
    let payload = if want <= have {
        c.extract(quiet, have - 1, have - want)?
    } else {
        let (high, low) = (c.extract(quiet, have - 1, 0)?, c.bits(&Bits::zero(want - have))?);
        c.mk2(Kind::BvConcat, high, low)?
    };
    // The exponent is all ones, and so is the x87's integer bit.
    let ones = c.bits(&Bits::ones(to.width() - 1 - want))?;
    let head = c.mk2(Kind::BvConcat, sign, ones)?;
    let nan = c.mk2(Kind::BvConcat, head, payload)?;
    Ok(Float { format: to, term, nan })
}

/// Operations on the bits of a computed float that have a meaning for floats: choice, negation, magnitude, and taking the
/// sign. They spare the fresh variable for its bits. `None` for all others.
pub(crate) fn bitwise(
    t: &mut Translation,
    c: &mut Context,
    arena: &Arena,
    e: ExprId,
) -> Result<Option<Value>> {
    let node = *arena.node(e);
    let [x, y, z] = node.args;
    match node.op {
        Op::Ite if t.made_as_float(y).is_some() || t.made_as_float(z).is_some() => {
            let (condition, a, b) = (t.boolean(c, x)?, t.float(c, arena, y)?, t.float(c, arena, z)?);
            let (term, nan) = (c.ite(condition, a.term, b.term)?, c.ite(condition, a.nan, b.nan)?);
            Ok(Some(Value::Float(Float { format: a.format, term, nan })))
        }
        Op::Xor | Op::And | Op::Or => {
            let (Some(a), Some(mask)) = (t.made_as_float(x), arena.as_const(y)) else { return Ok(None) };
            sign_changed(c, node.op, &a, &mask).map(|float| float.map(Value::Float))
        }
        Op::Extract if node.width == 1 && node.imm + 1 == arena.width(x).into() => {
            let Some(a) = t.made_as_float(x) else { return Ok(None) };
            let (is_nan, is_negative) = (a.is_nan(c)?, c.mk1(Kind::FpIsNeg, a.term)?);
            let (sign, one) =
                (c.extract(a.nan, a.format.width() - 1, a.format.width() - 1)?, c.value_u64(1, 1)?);
            let sign = c.mk2(Kind::Equal, sign, one)?;
            Ok(Some(Value::Bool(c.ite(is_nan, sign, is_negative)?)))
        }
        _ => Ok(None),
    }
}

/// A float under an operation of its bits with `mask`, if that only touches the sign.
fn sign_changed(c: &mut Context, op: Op, a: &Float, mask: &Bits) -> Result<Option<Float>> {
    let sign = 1u128 << (a.format.width() - 1);
    let term = match (op, mask.low_128()) {
        (Op::Xor, m) if m == sign => c.mk1(Kind::FpNeg, a.term)?,
        (Op::And, m) if m == sign - 1 => c.mk1(Kind::FpAbs, a.term)?,
        (Op::Or, m) if m == sign => {
            let magnitude = c.mk1(Kind::FpAbs, a.term)?;
            c.mk1(Kind::FpNeg, magnitude)?
        }
        _ => return Ok(None),
    };
    let kind = match op {
        Op::Xor => Kind::BvXor,
        Op::And => Kind::BvAnd,
        _ => Kind::BvOr,
    };
    let mask = c.bits(mask)?;
    let nan = c.mk2(kind, a.nan, mask)?;
    Ok(Some(Float { format: a.format, term, nan }))
}
