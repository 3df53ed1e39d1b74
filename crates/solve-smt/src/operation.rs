//! Operations one by one. Their meaning is fixed in `trace_abi::Op`; most are Bitwuzla's own.

use crate::context::{Context, Term};
use crate::counting;
use crate::sys::Kind;
use crate::translate::{Failure, Result, Translation, Value};
use expr::{Arena, ExprId, Op};

/// The term of an expression whose operands are translated.
pub(crate) fn operation(t: &mut Translation, c: &mut Context, arena: &Arena, e: ExprId) -> Result<Value> {
    let node = *arena.node(e);
    let args = &node.args;
    if node.width == 1
        && let Some(value) = boolean_operation(t, c, arena, node.op, args)?
    {
        return Ok(value);
    }
    if let Some(float) = crate::floating::bitwise(t, c, arena, e)? {
        return Ok(float);
    }
    if let Some(kind) = direct(node.op) {
        let (a, b) = (t.bv(c, args[0])?, t.bv(c, args[1])?);
        let term = c.mk2(kind, a, b)?;
        return Ok(if node.op.is_predicate() { Value::Bool(term) } else { Value::Bv(term) });
    }
    let w = node.width;
    let term = match node.op {
        Op::ZExt | Op::SExt => return extension(t, c, arena, node.op, args[0], w).map(Value::Bv),
        Op::Ne => {
            let (a, b) = (t.bv(c, args[0])?, t.bv(c, args[1])?);
            let equal = c.mk2(Kind::Equal, a, b)?;
            return Ok(Value::Bool(c.mk1(Kind::Not, equal)?));
        }
        Op::Trunc => {
            let a = t.bv(c, args[0])?;
            if arena.width(args[0]) == w { a } else { c.extract(a, w - 1, 0)? }
        }
        Op::Extract => {
            let (a, low) = (t.bv(c, args[0])?, node.imm as u16);
            if arena.width(args[0]) == w { a } else { c.extract(a, low + w - 1, low)? }
        }
        Op::Ite => {
            let (condition, a, b) = (t.boolean(c, args[0])?, t.bv(c, args[1])?, t.bv(c, args[2])?);
            c.ite(condition, a, b)?
        }
        Op::Fshl | Op::Fshr => {
            let (a, b, count) = (t.bv(c, args[0])?, t.bv(c, args[1])?, t.bv(c, args[2])?);
            funnel(c, node.op, w, [a, b, count])?
        }
        Op::UMin | Op::UMax | Op::SMin | Op::SMax => {
            let (a, b) = (t.bv(c, args[0])?, t.bv(c, args[1])?);
            let signed = matches!(node.op, Op::SMin | Op::SMax);
            let less = c.mk2(if signed { Kind::BvSlt } else { Kind::BvUlt }, a, b)?;
            if matches!(node.op, Op::UMin | Op::SMin) { c.ite(less, a, b)? } else { c.ite(less, b, a)? }
        }
        Op::UAddSat | Op::SAddSat | Op::USubSat | Op::SSubSat => {
            let (a, b) = (t.bv(c, args[0])?, t.bv(c, args[1])?);
            saturating(c, node.op, w, a, b)?
        }
        Op::Ctpop | Op::Ctlz | Op::Cttz | Op::Bswap | Op::Bitreverse => {
            let a = t.bv(c, args[0])?;
            match node.op {
                Op::Ctpop => counting::ones(c, a, w)?,
                Op::Ctlz => counting::leading_zeros(c, a, w)?,
                Op::Cttz => counting::trailing_zeros(c, a, w)?,
                Op::Bswap => counting::reversed(c, a, w, 8)?,
                _ => counting::reversed(c, a, w, 1)?,
            }
        }
        Op::Abs => {
            let a = t.bv(c, args[0])?;
            let zero = zero(c, w)?;
            let (negative, negated) = (c.mk2(Kind::BvSlt, a, zero)?, c.mk1(Kind::BvNeg, a)?);
            c.ite(negative, negated, a)?
        }
        op => return Err(Failure::Unsupported(op.name().into())),
    };
    Ok(Value::Bv(term))
}

/// Binary operations that Bitwuzla has under another name. Shifts by the width or more and divisions by zero mean what
/// they mean in SMT-LIB.
fn direct(op: Op) -> Option<Kind> {
    Some(match op {
        Op::Add => Kind::BvAdd,
        Op::Sub => Kind::BvSub,
        Op::Mul => Kind::BvMul,
        Op::UDiv => Kind::BvUdiv,
        Op::SDiv => Kind::BvSdiv,
        Op::URem => Kind::BvUrem,
        Op::SRem => Kind::BvSrem,
        Op::Shl => Kind::BvShl,
        Op::LShr => Kind::BvShr,
        Op::AShr => Kind::BvAshr,
        Op::And => Kind::BvAnd,
        Op::Or => Kind::BvOr,
        Op::Xor => Kind::BvXor,
        Op::Eq => Kind::Equal,
        Op::Ult => Kind::BvUlt,
        Op::Ule => Kind::BvUle,
        Op::Slt => Kind::BvSlt,
        Op::Sle => Kind::BvSle,
        Op::UAddO => Kind::BvUaddOverflow,
        Op::SAddO => Kind::BvSaddOverflow,
        Op::USubO => Kind::BvUsubOverflow,
        Op::SSubO => Kind::BvSsubOverflow,
        Op::UMulO => Kind::BvUmulOverflow,
        Op::SMulO => Kind::BvSmulOverflow,
        Op::Concat => Kind::BvConcat,
        _ => return None,
    })
}

/// Operations of width 1 whose operands have width 1 too, as native connectives; `None` if there is no such form, or
/// if all operands are bit-vectors anyway.
fn boolean_operation(
    t: &mut Translation,
    c: &mut Context,
    arena: &Arena,
    op: Op,
    args: &[ExprId; 3],
) -> Result<Option<Value>> {
    let connective = match op {
        Op::And => Kind::And,
        Op::Or => Kind::Or,
        Op::Xor | Op::Ne => Kind::Xor,
        Op::Eq => Kind::Equal,
        Op::Ite => Kind::Ite,
        _ => return Ok(None),
    };
    if op == Op::Ite {
        if !t.is_boolean(args[1]) && !t.is_boolean(args[2]) {
            return Ok(None);
        }
        let (condition, a, b) = (t.boolean(c, args[0])?, t.boolean(c, args[1])?, t.boolean(c, args[2])?);
        return Ok(Some(Value::Bool(c.ite(condition, a, b)?)));
    }
    if arena.width(args[0]) != 1 || (!t.is_boolean(args[0]) && !t.is_boolean(args[1])) {
        return Ok(None);
    }
    let (a, b) = (t.boolean(c, args[0])?, t.boolean(c, args[1])?);
    // Negation is spelled as exclusive or with 1.
    let negated = match op {
        Op::Xor | Op::Ne if arena.is_true(args[1]) => Some(a),
        Op::Xor | Op::Ne if arena.is_true(args[0]) => Some(b),
        _ => None,
    };
    Ok(Some(Value::Bool(match negated {
        Some(term) => c.mk1(Kind::Not, term)?,
        None => c.mk2(connective, a, b)?,
    })))
}

fn zero(c: &mut Context, width: u16) -> Result<Term> {
    Ok(c.bits(&expr::Bits::zero(width))?)
}

fn extension(
    t: &mut Translation,
    c: &mut Context,
    arena: &Arena,
    op: Op,
    a: ExprId,
    width: u16,
) -> Result<Term> {
    let from = arena.width(a);
    if let Value::Bool(condition) = t.native(a)? {
        let high = if op == Op::SExt { expr::Bits::ones(width) } else { expr::Bits::new(width, 1) };
        let (high, low) = (c.bits(&high)?, zero(c, width)?);
        return Ok(c.ite(condition, high, low)?);
    }
    let kind = if op == Op::SExt { Kind::BvSignExtend } else { Kind::BvZeroExtend };
    let a = t.bv(c, a)?;
    Ok(c.extend(kind, a, width - from)?)
}

/// With r = count mod w: `fshl` is `a << r | b >> (w - r)`, `fshr` is `a << (w - r) | b >> r`; a shift by w gives 0,
/// but a count of w need not fit into w bits when w = 1.
fn funnel(c: &mut Context, op: Op, w: u16, [a, b, count]: [Term; 3]) -> Result<Term> {
    if w == 1 {
        return Ok(if op == Op::Fshl { a } else { b });
    }
    let rest = if w.is_power_of_two() {
        let mask = c.bits(&expr::Bits::new(w, u64::from(w) - 1))?;
        c.mk2(Kind::BvAnd, count, mask)?
    } else {
        let width = c.bits(&expr::Bits::new(w, w.into()))?;
        c.mk2(Kind::BvUrem, count, width)?
    };
    let width = c.bits(&expr::Bits::new(w, w.into()))?;
    let other = c.mk2(Kind::BvSub, width, rest)?;
    let (left, right) = if op == Op::Fshl { (rest, other) } else { (other, rest) };
    let (high, low) = (c.mk2(Kind::BvShl, a, left)?, c.mk2(Kind::BvShr, b, right)?);
    Ok(c.mk2(Kind::BvOr, high, low)?)
}

/// On overflow the bound on the side of the true result: for signed operations that of the first operand's sign (a
/// sum overflows only if both have the same sign, a difference only if they differ).
fn saturating(c: &mut Context, op: Op, w: u16, a: Term, b: Term) -> Result<Term> {
    let (overflow, exact) = match op {
        Op::UAddSat => (Kind::BvUaddOverflow, Kind::BvAdd),
        Op::SAddSat => (Kind::BvSaddOverflow, Kind::BvAdd),
        Op::USubSat => (Kind::BvUsubOverflow, Kind::BvSub),
        _ => (Kind::BvSsubOverflow, Kind::BvSub),
    };
    let bound = match op {
        Op::UAddSat => c.bits(&expr::Bits::ones(w))?,
        Op::USubSat => zero(c, w)?,
        _ => {
            let zero = zero(c, w)?;
            let negative = c.mk2(Kind::BvSlt, a, zero)?;
            let lowest = counting::single_bit(c, w, w - 1)?;
            let highest = c.mk1(Kind::BvNot, lowest)?;
            c.ite(negative, lowest, highest)?
        }
    };
    let (overflow, exact) = (c.mk2(overflow, a, b)?, c.mk2(exact, a, b)?);
    Ok(c.ite(overflow, bound, exact)?)
}
