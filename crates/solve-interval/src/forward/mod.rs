//! What an operation may give, from what its operands may be: one file per family of operations.
//!
//! All soundness lies here: narrowing operands (`narrow`) only asks these functions. Operations that are not known give
//! everything; operands that are single values give the reference meaning's value.

mod bitwise;
mod compare;
mod float;
mod integer;
mod library;
mod resize;
mod shift;
mod table;
#[cfg(test)]
mod tests;
mod wrap;

pub use table::Memory;

use crate::domain::{Domain, Shape, Value};
use expr::{Bits, Op, semantics};
use std::sync::Arc;

/// An operation whose operands are elsewhere.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Which.
    pub op: Op,
    /// Of the result.
    pub shape: Shape,
    /// As in [`expr::Node::imm`].
    pub imm: u64,
    /// The first two operands are the same expression.
    pub same: bool,
    /// What [`Op::Read`] reads.
    pub memory: Option<Arc<Memory>>,
}

impl Operation {
    /// What it may give.
    pub fn forward(&self, operands: &[Value]) -> Domain {
        if operands.iter().any(|value| value.domain.is_empty()) {
            return Domain::EMPTY;
        }
        if !self.shape.is_followed() {
            return self.shape.top();
        }
        if !operands.iter().all(|value| value.shape.is_followed()) {
            return match self.op {
                op if op.is_predicate() => Domain::boolean(true, true),
                _ => self.shape.top(),
            };
        }
        if let Some(exact) = self.exactly(operands) {
            return exact;
        }
        let result = match self.op {
            op if op.is_predicate() => Some(compare::forward(op, operands)),
            op if op.is_float() => float::forward(self, operands),
            Op::Ite => Some(self.choice(operands)),
            Op::Read => self.memory.as_ref().and_then(|memory| memory.read(self.shape.width, operands[0])),
            Op::And | Op::Or | Op::Xor => bitwise::forward(self, operands),
            Op::Shl | Op::LShr | Op::AShr => shift::forward(self, operands),
            Op::Trunc | Op::ZExt | Op::SExt | Op::Extract | Op::Concat => resize::forward(self, operands),
            _ => integer::forward(self, operands),
        };
        result.unwrap_or_else(|| self.shape.top())
    }

    /// The value of an operation on single values.
    fn exactly(&self, operands: &[Value]) -> Option<Domain> {
        if self.op == Op::Read || operands.is_empty() {
            return None;
        }
        let first = operands[0].as_bits()?;
        let mut values: [Bits; 3] = [first, Bits::zero(1), Bits::zero(1)];
        for (value, operand) in values.iter_mut().zip(operands).skip(1) {
            *value = operand.as_bits()?;
        }
        let [a, b, c] = &values;
        let result = semantics::apply(self.op, self.shape.width, self.imm, &[a, b, c][..operands.len()]);
        Some(self.shape.of_bits(&result))
    }

    fn choice(&self, operands: &[Value]) -> Domain {
        let condition = operands[0].domain;
        let side = |possible: bool, value: Value| {
            if possible { value.seen_as(self.shape) } else { Domain::EMPTY }
        };
        let (yes, no) = (!condition.minus.is_empty(), !condition.plus.is_empty());
        side(yes, operands[1]).join(side(no, operands[2]))
    }

    /// An integer result in the result's shape.
    fn integer(&self, domain: Domain) -> Domain {
        Value { shape: Shape::integer(self.shape.width), domain }.seen_as(self.shape)
    }

    /// A float result in the result's shape.
    fn float(&self, domain: Domain) -> Domain {
        match self.shape.float {
            Some(_) => domain,
            None => match floats::Format::of_width(self.shape.width) {
                Some(format) => Value { shape: Shape::float(format), domain }.as_integer(),
                None => self.shape.top(),
            },
        }
    }
}
