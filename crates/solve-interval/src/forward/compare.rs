//! Comparisons and overflow tests: whether they may be false, and true.

use super::wrap::{corners, unsigned_hull};
use crate::domain::{Domain, Value, half};
use crate::range::Range;
use expr::Op;

pub(super) fn forward(op: Op, operands: &[Value]) -> Domain {
    let (a, b) = (operands[0], operands[1]);
    match op {
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => floats(op, a.as_float(), b.as_float()),
        _ => integers(op, a.shape.width, a.as_integer(), b.as_integer()),
    }
}

fn integers(op: Op, width: u16, a: Domain, b: Domain) -> Domain {
    let unsigned = |d| unsigned_hull(d, width);
    match op {
        Op::Eq => equal(a, b),
        Op::Ne => negated(equal(a, b)),
        Op::Ult => less(unsigned(a), unsigned(b)),
        Op::Ule => negated(less(unsigned(b), unsigned(a))),
        Op::Slt => less(a.hull(), b.hull()),
        Op::Sle => negated(less(b.hull(), a.hull())),
        _ => overflow(op, width, a, b),
    }
}

fn negated(b: Domain) -> Domain {
    Domain::boolean(!b.minus.is_empty(), !b.plus.is_empty())
}

fn equal(a: Domain, b: Domain) -> Domain {
    let may_differ = a.as_point().is_none() || a != b;
    Domain::boolean(may_differ, !a.meet(b).is_empty())
}

fn less(a: Range, b: Range) -> Domain {
    Domain::boolean(a.hi >= b.lo, a.lo < b.hi)
}

/// Whether the exact result may lie within the limits, and beyond them.
fn overflow(op: Op, width: u16, a: Domain, b: Domain) -> Domain {
    let half = half(width);
    let signed = matches!(op, Op::SAddO | Op::SSubO | Op::SMulO);
    let (a, b, limits) = match signed {
        true => (a.hull(), b.hull(), Range::new(-half, half - 1)),
        false => (unsigned_hull(a, width), unsigned_hull(b, width), Range::new(0, 2 * half - 1)),
    };
    let exact = match op {
        Op::UAddO | Op::SAddO => Range::new(a.lo + b.lo, a.hi + b.hi),
        Op::USubO | Op::SSubO => Range::new(a.lo - b.hi, a.hi - b.lo),
        // What is cut off is far beyond the limits.
        _ => corners(a, b, |a, b| Some(a.saturating_mul(b))).unwrap_or(limits),
    };
    let beyond = exact.lo < limits.lo || exact.hi > limits.hi;
    Domain::boolean(!exact.meet(limits).is_empty(), beyond)
}

/// The numbers of a range of positions, both zeros as 0.
fn numbers(domain: Domain) -> Range {
    domain.minus.moved(1).hull(domain.plus)
}

fn floats(op: Op, a: Domain, b: Domain) -> Domain {
    let unordered = a.nan || b.nan;
    let (a, b) = (numbers(a), numbers(b));
    let ordered = !a.is_empty() && !b.is_empty();
    if op == Op::FUno {
        return Domain::boolean(ordered, unordered);
    }
    let mut result = Domain::boolean(unordered, false);
    if ordered {
        result = result.join(match op {
            Op::FEq => {
                let may_differ = a.as_point().is_none() || a != b;
                Domain::boolean(may_differ, !a.meet(b).is_empty())
            }
            Op::FLt => less(a, b),
            _ => negated(less(b, a)),
        });
    }
    result
}
