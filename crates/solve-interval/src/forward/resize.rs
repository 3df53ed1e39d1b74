//! Operations that cut, extend and join bits.

use super::Operation;
use super::wrap::{pairs, unsigned, unsigned_hull, wrap};
use crate::domain::{Domain, Value};
use crate::range::Range;
use expr::Op;

pub(super) fn forward(o: &Operation, operands: &[Value]) -> Option<Domain> {
    let (width, from) = (o.shape.width, operands[0].shape.width);
    let a = operands[0].as_integer();
    let each = |f: &dyn Fn(Range) -> Range| {
        unsigned(a, from).fold(Domain::EMPTY, |all, part| all.join(wrap(f(part), width)))
    };
    let result = match o.op {
        Op::ZExt | Op::Trunc => each(&|part| part),
        Op::SExt => a.parts().fold(Domain::EMPTY, |all, part| all.join(wrap(part, width))),
        Op::Extract => each(&|part| Range::new(part.lo >> o.imm, part.hi >> o.imm)),
        _ => {
            let low_width = operands[1].shape.width;
            let low = unsigned_hull(operands[1].as_integer(), low_width);
            pairs(a.merged(), [low].into_iter(), |high, low| {
                wrap(Range::new((high.lo << low_width) + low.lo, (high.hi << low_width) + low.hi), width)
            })
        }
    };
    Some(o.integer(result))
}
