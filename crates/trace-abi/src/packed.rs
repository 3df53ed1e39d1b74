//! How a node lies in shared memory: 16 bytes.
//!
//! A long run is bound by the memory it writes: a page that is written for the first time costs a fault and its zeroing, more
//! than filling it does. No node needs all fields of [`Node`]: it has operands, or one operand and a number beside it. Which, is
//! said by its *form*.

use crate::{Node, Op};

/// A node as it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct PackedNode {
    /// An [`Op`] as number.
    pub op: u8,
    /// [`Node::aux`] in the low six bits, the form in the high two.
    pub form: u8,
    /// Result width in bits.
    pub width: u16,
    /// The first label.
    pub first: u32,
    /// More labels, or a number.
    pub rest: u64,
}

/// `first` is `l`; `rest` is `r`, and `t` above it.
const LABELS: u8 = 0;
/// `first` is `l`; `rest` is `b`, the value of the right operand.
const NUMBER_RIGHT: u8 = 1;
/// `first` is `r`; `rest` is `a`, the value of the left operand.
const NUMBER_LEFT: u8 = 2;
/// `first` is `l`; `rest` is `a`.
const NUMBER: u8 = 3;

impl PackedNode {
    /// Largest [`Node::aux`].
    pub const MAX_AUX: u8 = 0x3f;

    /// A node that has at most three labels, or one and a number; of others something is lost.
    #[inline(always)]
    pub const fn new(n: Node) -> PackedNode {
        let (form, first, rest) = if n.a | n.b == 0 {
            (LABELS, n.l, n.r as u64 | (n.t as u64) << 32)
        } else if n.b != 0 {
            (NUMBER_RIGHT, n.l, n.b)
        } else if n.l == 0 && n.r != 0 {
            (NUMBER_LEFT, n.r, n.a)
        } else {
            (NUMBER, n.l, n.a)
        };
        PackedNode { op: n.op, form: n.aux & PackedNode::MAX_AUX | form << 6, width: n.width, first, rest }
    }

    /// All its fields.
    #[inline(always)]
    pub const fn unpack(self) -> Node {
        let zero = Node {
            op: self.op,
            aux: self.form & PackedNode::MAX_AUX,
            width: self.width,
            l: 0,
            r: 0,
            t: 0,
            a: 0,
            b: 0,
        };
        match self.form >> 6 {
            LABELS => Node { l: self.first, r: self.rest as u32, t: (self.rest >> 32) as u32, ..zero },
            NUMBER_RIGHT => Node { l: self.first, b: self.rest, ..zero },
            NUMBER_LEFT => Node { r: self.first, a: self.rest, ..zero },
            _ => Node { l: self.first, a: self.rest, ..zero },
        }
    }

    /// The node's operation, or `None` if the number is none.
    #[inline]
    pub const fn op(&self) -> Option<Op> {
        Op::from_u8(self.op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Node = Node { op: Op::Add as u8, aux: 0, width: 32, l: 0, r: 0, t: 0, a: 0, b: 0 };

    #[test]
    fn every_shape_of_node_comes_back_as_it_was() {
        let big = u64::MAX - 5;
        let shapes = [
            Node { op: Op::Input as u8, width: 8, a: 7 << 32 | 9, ..PLAIN },
            Node { op: Op::Input as u8, width: 8, ..PLAIN },
            Node { op: Op::Const as u8, width: 64, a: big, ..PLAIN },
            Node { l: 3, r: u32::MAX, ..PLAIN },
            Node { l: 3, b: big, ..PLAIN },
            Node { l: 3, b: 0, ..PLAIN },
            Node { r: 3, a: big, ..PLAIN },
            Node { r: 3, a: 0, ..PLAIN },
            Node { op: Op::Extract as u8, l: 3, a: 24, ..PLAIN },
            Node { op: Op::Read as u8, l: 3, a: big, ..PLAIN },
            Node { op: Op::Ite as u8, l: 1, r: 2, t: u32::MAX, width: crate::MAX_WIDTH, ..PLAIN },
            Node { op: Op::Libm2 as u8, aux: PackedNode::MAX_AUX, l: 1, b: big, ..PLAIN },
        ];
        for n in shapes {
            assert_eq!(PackedNode::new(n).unpack(), n);
        }
    }
}
