//! From the labels of a trace to expressions, made when they are asked for.

use crate::node::{Decoded, Operand};
use crate::tables::TableView;
use crate::{Node, Op, Trace};
use expr::{Arena, ArrayId, Bits, ExprId, Table};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Not lifted yet.
const NONE: ExprId = ExprId(u32::MAX);

/// The constraint of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Held {
    /// Not asked for yet.
    #[default]
    Unasked,
    /// It constrains nothing.
    Nothing,
    /// This.
    That(ExprId),
}

/// A trace with the arena of its expressions.
///
/// Expressions are lifted lazily, without recursion, and live as long as this value. `T` is however the caller
/// holds the trace: `&Trace`, `Arc<Trace>`, or a type of its own that lends one.
#[derive(Clone, Debug)]
pub struct Lifted<T: AsRef<Trace>> {
    pub(crate) trace: T,
    /// The expressions. Whoever solves may add its own.
    pub arena: Arena,
    pub(crate) exprs: Vec<ExprId>,
    pub(crate) tables: FxHashMap<u64, ArrayId>,
    /// Constraint of each event; those behind the last were not asked for.
    pub(crate) constraints: Vec<Held>,
}

impl AsRef<Trace> for Trace {
    fn as_ref(&self) -> &Trace {
        self
    }
}

impl<T: AsRef<Trace>> Lifted<T> {
    /// Nothing is lifted yet.
    pub fn new(trace: T) -> Lifted<T> {
        let exprs = vec![NONE; trace.as_ref().nodes.len()];
        Lifted { trace, arena: Arena::new(), exprs, tables: FxHashMap::default(), constraints: Vec::new() }
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        self.trace.as_ref()
    }

    /// The expression of a label.
    ///
    /// # Panics
    /// If the trace has no such label; labels of a validated trace's events are fine.
    pub fn expr(&mut self, label: u32) -> ExprId {
        assert!(label != 0, "label 0 is concrete");
        let mut stack = vec![label];
        while let Some(&at) = stack.last() {
            if self.exprs[at as usize] != NONE {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_missing(at, &mut stack);
            if stack.len() == before {
                self.exprs[at as usize] = self.make(at);
                stack.pop();
            }
        }
        self.exprs[label as usize]
    }

    /// Pushes what must be lifted before `label`: operands, and for a read the labels of a new table.
    fn push_missing(&self, label: u32, stack: &mut Vec<u32>) {
        let trace = self.trace.as_ref();
        let node = decode(trace, label);
        let missing = |l: &u32| *l != 0 && self.exprs[*l as usize] == NONE;
        stack.extend(node.labels().filter(missing));
        if node.op == Op::Read && !self.tables.contains_key(&node.node.a) {
            stack.extend(view(trace, node.node.a).labels().filter(missing));
        }
    }

    fn make(&mut self, label: u32) -> ExprId {
        let trace = self.trace.as_ref();
        let node = decode(trace, label);
        let Node { width, a, b, .. } = node.node;
        match node.op {
            Op::Input => return self.arena.input((a >> 32) as u32, a as u32),
            Op::Const => return self.arena.constant(&Bits::from_words(width, [a, b].as_slice().into())),
            _ => {}
        }
        let mut args = [NONE; 3];
        for (k, arg) in args.iter_mut().enumerate().take(expr::semantics::operands(node.op)) {
            *arg = match node.operand(k, |l| trace.nodes[l as usize].width) {
                Operand::Label(l) => self.exprs[l as usize],
                Operand::Constant { width, value } => self.arena.const_u64(width, value),
            };
        }
        let (op, count) = (node.op, expr::semantics::operands(node.op));
        let imm = node.immediate();
        let imm = if op == Op::Read { self.table(a).0.into() } else { imm };
        self.arena.build(op, width, imm, &args[..count])
    }

    fn table(&mut self, offset: u64) -> ArrayId {
        if let Some(&t) = self.tables.get(&offset) {
            return t;
        }
        let view = view(self.trace.as_ref(), offset);
        let symbolic = view.labels().map(|l| (l != 0).then(|| self.exprs[l as usize])).collect();
        let table = Table { base: view.base, bytes: Arc::from(view.bytes), symbolic };
        let id = self.arena.add_table(table);
        self.tables.insert(offset, id);
        id
    }
}

fn decode(trace: &Trace, label: u32) -> Decoded {
    Decoded::new(trace.nodes[label as usize]).expect("a validated trace has known operations only")
}

fn view(trace: &Trace, offset: u64) -> TableView<'_> {
    TableView::at(&trace.tables, offset).expect("a validated trace's tables lie in its area")
}
