//! The values of a trace's expressions under an input.

use crate::node::{Decoded, Operand};
use crate::tables::TableView;
use crate::{Input, Node, Op, Trace};
use expr::Bits;
use expr::semantics::{apply, apply64, mask, operands};
use rustc_hash::FxHashMap;

/// Values of all nodes of a (validated) trace under an input.
#[derive(Debug)]
pub struct Values<'t> {
    pub(crate) trace: &'t Trace,
    /// The low 64 bits of each.
    low: Vec<u64>,
    /// The whole of those wider than 64 bits.
    wide: FxHashMap<u32, Bits>,
}

impl<'t> Values<'t> {
    /// Evaluates all of it: one linear pass, no arena.
    pub fn new(trace: &'t Trace, input: &Input) -> Values<'t> {
        let low = Vec::with_capacity(trace.nodes.len());
        let mut values = Values { trace, low, wide: FxHashMap::default() };
        values.low.push(0);
        for label in 1..trace.nodes.len() as u32 {
            let v = values.compute(label, input);
            values.low.push(v);
        }
        values
    }

    /// The label whose value this one passes on in this run: the alternative that an [`Op::Ite`] chose, the byte at the address of an
    /// [`Op::Read`] of one. `None` where that is none, or concrete.
    pub fn chosen(&self, label: u32) -> Option<u32> {
        let node = self.trace.nodes[label as usize].unpack();
        let chosen = match node.op()? {
            Op::Ite if self.low(node.l) != 0 => node.r,
            Op::Ite => node.t,
            Op::Read if node.width == 8 => {
                let table = TableView::at(&self.trace.tables, node.a)?;
                table.label(usize::try_from(self.low(node.l).wrapping_sub(table.base)).ok()?)
            }
            _ => 0,
        };
        (chosen != 0).then_some(chosen)
    }

    pub(crate) fn op(&self, label: u32) -> Op {
        Op::from_u8(self.trace.nodes[label as usize].op).expect("a validated trace has known operations only")
    }

    pub(crate) fn width(&self, label: u32) -> u16 {
        self.trace.nodes[label as usize].width
    }

    /// The low 64 bits of a label's value.
    pub fn low(&self, label: u32) -> u64 {
        self.low[label as usize]
    }

    pub(crate) fn bits(&self, label: u32) -> Bits {
        match self.wide.get(&label) {
            Some(b) => b.clone(),
            None => Bits::new(self.width(label), self.low(label)),
        }
    }

    fn compute(&mut self, label: u32, input: &Input) -> u64 {
        let node = Decoded::new(self.trace.nodes[label as usize])
            .expect("a validated trace has known operations only");
        let n = &node.node;
        match node.op {
            Op::Input => return input.byte((n.a >> 32) as u32, n.a as u32).unwrap_or(0).into(),
            Op::Const if n.width <= 64 => return n.a & mask(n.width),
            Op::Const => return self.keep(label, Bits::from_words(n.width, [n.a, n.b].as_slice().into())),
            Op::Read => return self.read(label, n),
            _ => {}
        }
        let mut values = [0u64; 3];
        let mut widths = [0u16; 3];
        let count = operands(node.op);
        for k in 0..count {
            (widths[k], values[k]) = match node.operand(k, |l| self.width(l)) {
                Operand::Label(l) => (self.width(l), self.low(l)),
                Operand::Constant { width, value } => (width, value),
            };
        }
        if n.width <= 64 && widths.iter().all(|&w| w <= 64) {
            return apply64(node.op, n.width, widths[0], node.immediate(), values[0], values[1], values[2]);
        }
        let wide: Vec<Bits> = (0..count)
            .map(|k| match node.operand(k, |l| self.width(l)) {
                Operand::Label(l) => self.bits(l),
                Operand::Constant { width, value } => Bits::new(width, value),
            })
            .collect();
        let refs: Vec<&Bits> = wide.iter().collect();
        let value = apply(node.op, n.width, node.immediate(), &refs);
        self.keep(label, value)
    }

    fn read(&mut self, label: u32, n: &Node) -> u64 {
        let Some(table) = TableView::at(&self.trace.tables, n.a) else { return 0 };
        let offset = self.low(n.l).wrapping_sub(table.base);
        let byte = |k: u64| {
            let k = usize::try_from(offset.wrapping_add(k)).unwrap_or(usize::MAX);
            match (k < table.bytes.len()).then(|| table.label(k)) {
                None => 0,
                Some(0) => table.bytes[k],
                Some(l) => self.low(l) as u8,
            }
        };
        let bytes: Vec<u8> = (0..u64::from(n.width / 8)).map(byte).collect();
        self.keep(label, Bits::from_le_bytes(n.width, &bytes))
    }

    /// Remembers the whole of a wide value; the low 64 bits are returned.
    fn keep(&mut self, label: u32, value: Bits) -> u64 {
        let low = value.low();
        if value.width() > 64 {
            self.wide.insert(label, value);
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PackedNode;

    #[test]
    fn what_is_chosen_is_known_by_the_input() {
        let node = |op: Op, width, [l, r, t]: [u32; 3], a, b| {
            PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t, a, b })
        };
        let nodes = vec![
            PackedNode::default(),
            node(Op::Input, 8, [0; 3], 0, 0),
            node(Op::Input, 8, [0; 3], 1, 0),
            node(Op::Eq, 1, [1, 0, 0], 0, 7),
            node(Op::Ite, 8, [3, 1, 2], 0, 0),
            node(Op::ZExt, 64, [1, 0, 0], 0, 0),
            node(Op::Read, 8, [5, 0, 0], 0, 0),
            node(Op::Read, 16, [5, 0, 0], 0, 0),
        ];
        // At 6: a concrete byte, and the input's second one.
        let header = [6u64.to_le_bytes().as_slice(), &2u32.to_le_bytes(), &1u32.to_le_bytes()].concat();
        let tables = [header, vec![b'x', 9, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]].concat();
        let trace = Trace { nodes, tables, ..Trace::default() };
        let chosen = |first: u8| {
            let values = Values::new(&trace, &Input::stdin([first, 9]));
            ([1, 4, 6, 7].map(|label| values.chosen(label)), values.low(6))
        };
        assert_eq!(chosen(7), ([None, Some(1), Some(2), None], 9));
        assert_eq!(chosen(6), ([None, Some(2), None, None], u64::from(b'x')));
        assert_eq!(chosen(8), ([None, Some(2), None, None], 0), "outside");
    }
}
