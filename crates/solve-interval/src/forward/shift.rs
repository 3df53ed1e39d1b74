//! Shifts. A count of the width or more gives zero, or the sign everywhere.

use super::Operation;
use super::wrap::{pairs, unsigned, unsigned_hull, wrap};
use crate::domain::{Domain, Value};
use crate::range::Range;
use expr::Op;

pub(super) fn forward(o: &Operation, operands: &[Value]) -> Option<Domain> {
    let width = o.shape.width;
    let (a, counts) = (operands[0].as_integer(), unsigned_hull(operands[1].as_integer(), width));
    let result = match o.op {
        Op::Shl => left(a, counts, width)?,
        Op::LShr => {
            let by = |x: i128, count: i128| if count >= width.into() { 0 } else { x >> count };
            let count = [counts].into_iter();
            pairs(unsigned(a, width), count, |a, c| wrap(Range::new(by(a.lo, c.hi), by(a.hi, c.lo)), width))
        }
        _ => {
            let by = |x: i128, count: i128| x >> count.min(i128::from(width) - 1);
            let negative = |a: Range| Range::new(by(a.lo, counts.lo), by(a.hi, counts.hi));
            let positive = |a: Range| Range::new(by(a.lo, counts.hi), by(a.hi, counts.lo));
            let mut result = Domain::EMPTY;
            if !a.minus.is_empty() {
                result.minus = negative(a.minus);
            }
            if !a.plus.is_empty() {
                result.plus = positive(a.plus);
            }
            result
        }
    };
    Some(o.integer(result))
}

fn left(a: Domain, counts: Range, width: u16) -> Option<Domain> {
    let zero = if counts.hi >= width.into() { Domain::FALSE } else { Domain::EMPTY };
    let counts = counts.meet(Range::new(0, i128::from(width) - 1));
    if counts.is_empty() {
        return Some(zero);
    }
    // A factor of 2^count, without loss in 128 bits.
    let by = |x: i128, count: i128| x.checked_mul(1 << count);
    let mut all = zero;
    for part in a.parts() {
        let range = match part.lo < 0 {
            true => Range::new(by(part.lo, counts.hi)?, by(part.hi, counts.lo)?),
            false => Range::new(by(part.lo, counts.lo)?, by(part.hi, counts.hi)?),
        };
        all = all.join(wrap(range, width));
    }
    Some(all)
}
