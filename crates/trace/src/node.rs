//! Reading the nodes of a trace: which operands they have, and of what widths.

use expr::semantics::{mask, operands, well_formed};
use trace_abi::{Arity, Node, Op, PackedNode};

/// An operand of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A smaller label.
    Label(u32),
    /// A constant operand of a binary operation.
    Constant { width: u16, value: u64 },
}

/// A node whose operation is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub op: Op,
    pub node: Node,
}

impl Decoded {
    /// `None` if there is no such operation.
    pub fn new(node: PackedNode) -> Option<Decoded> {
        Some(Decoded { op: node.op()?, node: node.unpack() })
    }

    /// Labels of the operands, as many as the operation takes; 0 stands for a constant.
    pub fn labels(&self) -> impl Iterator<Item = u32> + use<> {
        [self.node.l, self.node.r, self.node.t].into_iter().take(operands(self.op))
    }

    /// Operand `k`, given the widths of labels.
    pub fn operand(&self, k: usize, width_of: impl Fn(u32) -> u16) -> Operand {
        let n = self.node;
        match (k, self.op.arity()) {
            (0, Arity::Binary) if n.l == 0 => Operand::constant(self.constant_width(width_of(n.r)), n.a),
            (1, Arity::Binary) if n.r == 0 => Operand::constant(self.constant_width(width_of(n.l)), n.b),
            _ => Operand::Label([n.l, n.r, n.t][k]),
        }
    }

    /// Width of a constant operand beside one of width `other`: the same, but what is left in a `Concat`.
    fn constant_width(&self, other: u16) -> u16 {
        if self.op == Op::Concat { self.node.width.saturating_sub(other) } else { other }
    }

    /// The immediate as crate `expr` has it: low bit of an extract, `aux` of the others (the table of a read is not
    /// known here).
    pub fn immediate(&self) -> u64 {
        if self.op == Op::Extract { self.node.a } else { self.node.aux.into() }
    }

    /// What is wrong with the node as the one of label `label`, given the widths of smaller labels.
    pub fn defect(&self, label: u32, width_of: impl Fn(u32) -> u16) -> Option<&'static str> {
        let binary = self.op.arity() == Arity::Binary;
        if self.labels().any(|l| l >= label) {
            return Some("an operand is not a smaller label");
        }
        let zeros = self.labels().filter(|&l| l == 0).count();
        if zeros > usize::from(binary) {
            return Some("an operand is missing");
        }
        let mut widths = [0u16; 3];
        for (k, w) in widths.iter_mut().enumerate().take(operands(self.op)) {
            *w = match self.operand(k, &width_of) {
                Operand::Label(l) => width_of(l),
                Operand::Constant { width: 0, .. } => return Some("a constant operand has no bits"),
                Operand::Constant { width, .. } if width > 64 => {
                    return Some("a constant operand is wider than 64 bits");
                }
                Operand::Constant { width, .. } => width,
            };
        }
        let fits = well_formed(self.op, self.node.width, self.immediate(), &widths[..operands(self.op)]);
        let const_fits = self.op != Op::Const || self.node.width <= 128;
        if self.node.aux != 0 && !self.op.has_aux() {
            return Some("its operation takes no auxiliary number");
        }
        (!fits || !const_fits).then_some("the widths (or the auxiliary number) do not fit the operation")
    }
}

impl Operand {
    fn constant(width: u16, value: u64) -> Operand {
        Operand::Constant { width, value: value & mask(width) }
    }
}
