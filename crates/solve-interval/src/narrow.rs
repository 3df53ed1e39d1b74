//! Operands narrowed by what an operation may give: the backward half of HC4 (Benhamou, Goualard, Granvilliers and Puget,
//! "Revising hull and box consistency", ICLP 1999), by shaving as in box consistency.
//!
//! There are no inverse operations here. A piece is cut from an end of an operand if with the operand in that piece
//! the operation gives nothing that its result may be. Pieces shrink from the largest to single values, so that an operation
//! which is monotone in the operand is inverted exactly, to the bit, in as many steps as the range has bits; and every
//! inverse is as sound as the operation itself.

use crate::domain::{Domain, Value};
use crate::forward::Operation;
use crate::range::Range;

/// Operands of an operation that gives something in `result`.
pub fn narrow(operation: &Operation, operands: &mut [Value], result: Domain, work: &mut u64) {
    let mut possible = Shaving { operation, result, work };
    let given = possible.forward(operands);
    if given.meet(result) == given {
        return;
    }
    for k in 0..operands.len() {
        let value = operands[k];
        if value.shape.is_followed() && value.domain.as_point().is_none() && !(operation.same && k == 1) {
            let domain = possible.operand(operands, k);
            possible.set(operands, k, domain);
        }
        if operands[k].domain.is_empty() {
            operands.iter_mut().for_each(|operand| operand.domain = Domain::EMPTY);
            return;
        }
    }
}

struct Shaving<'a> {
    operation: &'a Operation,
    result: Domain,
    work: &'a mut u64,
}

impl Shaving<'_> {
    fn forward(&mut self, operands: &[Value]) -> Domain {
        *self.work += 1;
        self.operation.forward(operands)
    }

    fn set(&self, operands: &mut [Value], k: usize, domain: Domain) {
        operands[k].domain = domain;
        if self.operation.same && k == 0 {
            operands[1].domain = domain;
        }
    }

    /// Whether operand `k` may lie in this part of its domain.
    fn is_possible(&mut self, operands: &[Value], k: usize, part: Domain) -> bool {
        let mut changed = [operands[0]; 3];
        changed[..operands.len()].copy_from_slice(operands);
        let changed = &mut changed[..operands.len()];
        self.set(changed, k, part);
        !self.forward(changed).meet(self.result).is_empty()
    }

    fn operand(&mut self, operands: &[Value], k: usize) -> Domain {
        let Domain { plus, minus, nan } = operands[k].domain;
        let plus = self.part(operands, k, plus);
        let minus = self.part(operands, k, minus);
        Domain { plus, minus, nan: nan && self.is_possible(operands, k, Domain::NAN) }
    }

    fn part(&mut self, operands: &[Value], k: usize, part: Range) -> Range {
        let mut possible = |range: Range| self.is_possible(operands, k, Domain::number(range));
        if part.is_empty() {
            return Range::EMPTY;
        }
        let lo = part.lo
            + cut(part.hi - part.lo, &mut |from, to| !possible(Range::new(part.lo + from, part.lo + to)));
        if lo > part.hi {
            return Range::EMPTY;
        }
        let hi =
            part.hi - cut(part.hi - lo, &mut |from, to| !possible(Range::new(part.hi - to, part.hi - from)));
        Range::new(lo, hi)
    }
}

/// How many of the numbers 0, 1, … `length` can be cut off at the beginning, where `impossible` knows of ranges.
fn cut(length: i128, impossible: &mut dyn FnMut(i128, i128) -> bool) -> i128 {
    if !impossible(0, 0) {
        return 0;
    }
    if impossible(0, length) {
        return length + 1;
    }
    let mut done = 1;
    // Pieces that grow while it goes well, then shrink.
    let mut power = 0;
    while done <= length && impossible(done, length.min(done + (1 << power) - 1)) {
        done = (done + (1 << power)).min(length + 1);
        power += 1;
    }
    while power > 0 && done <= length {
        power -= 1;
        if impossible(done, length.min(done + (1 << power) - 1)) {
            done = (done + (1 << power)).min(length + 1);
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_cut_as_is_impossible() {
        for length in 0..70 {
            for first in 0..=length + 1 {
                assert_eq!(cut(length, &mut |_, to| to < first), first, "{length}");
            }
        }
    }
}
