//! Arithmetic, minima, saturation and counting on integers.

use super::Operation;
use super::wrap::{corners, pairs, unsigned, unsigned_hull, wrap};
use crate::domain::{Domain, Value, half};
use crate::range::Range;
use expr::Op;

pub(super) fn forward(o: &Operation, operands: &[Value]) -> Option<Domain> {
    let width = o.shape.width;
    let a = operands[0].as_integer();
    let b = operands.get(1).map_or(Domain::EMPTY, |value| value.as_integer());
    let result = match o.op {
        Op::Add => pairs(a.merged(), b.merged(), |a, b| wrap(Range::new(a.lo + b.lo, a.hi + b.hi), width)),
        Op::Sub if o.same => Domain::number(Range::point(0)),
        Op::Sub => pairs(a.merged(), b.merged(), |a, b| wrap(Range::new(a.lo - b.hi, a.hi - b.lo), width)),
        Op::Mul => product(a, b, width, o.same)?,
        Op::UDiv => unsigned_quotient(a, b, width),
        Op::SDiv => signed_quotient(a, b, width),
        Op::URem => unsigned_remainder(a, b, width),
        Op::SRem => signed_remainder(a, b),
        Op::UMin | Op::UMax => extreme(o.op, unsigned(a, width), unsigned(b, width), width),
        Op::SMin | Op::SMax => extreme(o.op, a.parts(), b.parts(), width),
        Op::UAddSat | Op::SAddSat | Op::USubSat | Op::SSubSat => saturated(o.op, a, b, width),
        Op::Abs => a.plus_or(wrap(a.minus.complement().moved(1), width)),
        Op::Ctpop | Op::Cttz => wrap(Range::new(0, width.into()), width),
        Op::Ctlz => leading_zeros(a, width),
        _ => return None,
    };
    Some(o.integer(result))
}

impl Domain {
    /// The part with the sign bit clear, and something else.
    fn plus_or(self, other: Domain) -> Domain {
        Domain { minus: Range::EMPTY, ..self }.join(other)
    }
}

fn product(a: Domain, b: Domain, width: u16, same: bool) -> Option<Domain> {
    let times = |a: Range, b: Range| corners(a, b, i128::checked_mul);
    if same {
        // A number is on one side of zero.
        let squares =
            [a.minus, a.plus].map(|part| if part.is_empty() { Some(part) } else { times(part, part) });
        return Some(wrap(squares[0]?, width).join(wrap(squares[1]?, width)));
    }
    let mut all = Domain::EMPTY;
    for x in a.parts() {
        for y in b.parts() {
            all = all.join(wrap(times(x, y)?, width));
        }
    }
    Some(all)
}

/// A divisor of zero gives all ones.
fn unsigned_quotient(a: Domain, b: Domain, width: u16) -> Domain {
    pairs(unsigned(a, width), unsigned(b, width), |a, b| {
        let by_zero = if b.contains(0) { Domain::TRUE } else { Domain::EMPTY };
        let b = b.meet(Range::new(1, i128::MAX));
        let quotient = if b.is_empty() { b } else { Range::new(a.lo / b.hi, a.hi / b.lo) };
        by_zero.join(wrap(quotient, width))
    })
}

/// A divisor of zero gives -1, or 1 for a negative dividend.
fn signed_quotient(a: Domain, b: Domain, width: u16) -> Domain {
    let b_parts = [b.minus, b.plus.meet(Range::new(1, i128::MAX))];
    let divisors = b_parts.into_iter().filter(|part| !part.is_empty());
    let mut all = pairs(a.parts(), divisors, |a, b| {
        wrap(corners(a, b, i128::checked_div).unwrap_or(Range::new(i128::MIN, i128::MAX)), width)
    });
    if b.plus.contains(0) {
        if !a.plus.is_empty() {
            all = all.join(Domain::TRUE);
        }
        if !a.minus.is_empty() {
            all = all.join(wrap(Range::point(1), width));
        }
    }
    all
}

/// A divisor of zero gives the dividend.
fn unsigned_remainder(a: Domain, b: Domain, width: u16) -> Domain {
    pairs(unsigned(a, width), unsigned(b, width), |a, b| {
        let unchanged = if b.contains(0) { wrap(a, width) } else { Domain::EMPTY };
        let b = b.meet(Range::new(1, i128::MAX));
        if b.is_empty() {
            return unchanged;
        }
        let remainder = match b.as_point() {
            Some(b) if a.lo / b == a.hi / b => Range::new(a.lo % b, a.hi % b),
            _ if a.hi < b.lo => a,
            _ => Range::new(0, a.hi.min(b.hi - 1)),
        };
        unchanged.join(wrap(remainder, width))
    })
}

/// Sign of the dividend; a divisor of zero gives the dividend.
fn signed_remainder(a: Domain, b: Domain) -> Domain {
    let magnitudes = [b.minus.complement().moved(1), b.plus.meet(Range::new(1, i128::MAX))];
    let magnitude = magnitudes[0].hull(magnitudes[1]);
    let mut all = if b.plus.contains(0) { a } else { Domain::EMPTY };
    if magnitude.is_empty() {
        return all;
    }
    for part in a.parts() {
        let negative = part.lo < 0;
        let dividend = if negative { part.complement().moved(1) } else { part };
        let result = match magnitude.as_point() {
            Some(b) if dividend.lo / b == dividend.hi / b => Range::new(dividend.lo % b, dividend.hi % b),
            _ if dividend.hi < magnitude.lo => dividend,
            _ => Range::new(0, dividend.hi.min(magnitude.hi - 1)),
        };
        let signed = if negative { result.complement().moved(1) } else { result };
        all = all.join(Domain::number(signed));
    }
    all
}

fn extreme(
    op: Op,
    a: impl Iterator<Item = Range>,
    b: impl Iterator<Item = Range> + Clone,
    width: u16,
) -> Domain {
    let least = matches!(op, Op::UMin | Op::SMin);
    pairs(a, b, |a, b| {
        let range = match least {
            true => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            false => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        };
        wrap(range, width)
    })
}

fn saturated(op: Op, a: Domain, b: Domain, width: u16) -> Domain {
    let half = half(width);
    let signed = matches!(op, Op::SAddSat | Op::SSubSat);
    let (a, b, limits) = match signed {
        true => (a.hull(), b.hull(), Range::new(-half, half - 1)),
        false => (unsigned_hull(a, width), unsigned_hull(b, width), Range::new(0, 2 * half - 1)),
    };
    let range = match op {
        Op::UAddSat | Op::SAddSat => Range::new(a.lo + b.lo, a.hi + b.hi),
        _ => Range::new(a.lo - b.hi, a.hi - b.lo),
    };
    let clamped = |x: i128| x.clamp(limits.lo, limits.hi);
    wrap(Range::new(clamped(range.lo), clamped(range.hi)), width)
}

fn leading_zeros(a: Domain, width: u16) -> Domain {
    let range = unsigned_hull(a, width);
    let zeros = |x: i128| i128::from(x.leading_zeros()) - i128::from(128 - width);
    wrap(Range::new(zeros(range.hi), zeros(range.lo)), width)
}
