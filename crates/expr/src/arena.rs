//! The arena that owns expressions: hash-consing, constants of any width, tables.
//!
//! This file stores; `build` constructs with simplification, on top of [`Arena::raw`].

use crate::hash::Hasher;
use crate::inputs::{InputSet, InputSets};
use crate::semantics::{operands, well_formed};
use crate::{Bits, Inputs, Op};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An expression in an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

impl ExprId {
    /// As an index: operands have smaller indexes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A table in an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);

/// A snapshot of memory that [`Op::Read`] reads from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Address of the first byte.
    pub base: u64,
    /// Concrete value of each byte.
    pub bytes: Arc<[u8]>,
    /// Expression (width 8) of each byte that is symbolic; empty if none is.
    pub symbolic: Vec<Option<ExprId>>,
}

impl Table {
    /// The expression of byte `k`, if it is symbolic.
    pub fn symbolic_byte(&self, k: usize) -> Option<ExprId> {
        self.symbolic.get(k).copied().flatten()
    }
}

/// One expression. Operands come before it in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Operation.
    pub op: Op,
    /// Result width in bits.
    pub width: u16,
    /// Operands; only the first `op.arity()` count, the others are 0.
    pub args: [ExprId; 3],
    /// `Input`: object << 32 | offset. `Const`: the value if width <= 64, else an index of the wide constants.
    /// `Extract`: low bit. `Read`: the [`ArrayId`]. `FRound`: the direction (`trace_abi::rounding`). `Libm1`, `Libm2`:
    /// the function (index in `trace_abi::libm::TABLE`).
    pub imm: u64,
}

/// Owner of hash-consed expressions: equal expressions have equal ids.
///
/// An expression costs about 55 bytes. All constructors but [`Arena::raw`] simplify.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    hashes: Vec<u128>,
    node_inputs: Vec<InputSet>,
    index: HashTable<ExprId>,
    wide: Vec<Bits>,
    wide_index: FxHashMap<Bits, u32>,
    tables: Vec<Table>,
    table_facts: Vec<(u128, InputSet)>,
    table_index: FxHashMap<u128, ArrayId>,
    inputs: InputSets,
    /// How deep in simplification rules the construction is.
    pub(crate) depth: u8,
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Number of expressions; ids below it are valid.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no expressions.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of an expression.
    #[inline]
    pub fn node(&self, e: ExprId) -> &Node {
        &self.nodes[e.index()]
    }

    /// Operation of an expression.
    #[inline]
    pub fn op(&self, e: ExprId) -> Op {
        self.nodes[e.index()].op
    }

    /// Width of an expression in bits.
    #[inline]
    pub fn width(&self, e: ExprId) -> u16 {
        self.nodes[e.index()].width
    }

    /// Operands of an expression.
    #[inline]
    pub fn args(&self, e: ExprId) -> &[ExprId] {
        let n = &self.nodes[e.index()];
        &n.args[..operands(n.op)]
    }

    /// Value of a constant of any width, `None` for other expressions.
    pub fn as_const(&self, e: ExprId) -> Option<Bits> {
        let n = self.node(e);
        match n.op {
            Op::Const if n.width <= 64 => Some(Bits::new(n.width, n.imm)),
            Op::Const => Some(self.wide[n.imm as usize].clone()),
            _ => None,
        }
    }

    /// Value of a constant of at most 64 bits.
    pub fn as_u64(&self, e: ExprId) -> Option<u64> {
        let n = self.node(e);
        (n.op == Op::Const && n.width <= 64).then_some(n.imm)
    }

    /// Whether an expression is a constant.
    pub fn is_const(&self, e: ExprId) -> bool {
        self.op(e) == Op::Const
    }

    /// Whether an expression is the constant 1 of width 1.
    pub fn is_true(&self, e: ExprId) -> bool {
        self.width(e) == 1 && self.as_u64(e) == Some(1)
    }

    /// Whether an expression is the constant 0 of width 1.
    pub fn is_false(&self, e: ExprId) -> bool {
        self.width(e) == 1 && self.as_u64(e) == Some(0)
    }

    /// A table.
    pub fn table(&self, a: ArrayId) -> &Table {
        &self.tables[a.0 as usize]
    }

    /// Number of tables; ids below it are valid.
    pub fn n_tables(&self) -> usize {
        self.tables.len()
    }

    /// Structural hash: the same for equal expressions in every arena, run and process.
    #[inline]
    pub fn hash(&self, e: ExprId) -> u128 {
        self.hashes[e.index()]
    }

    /// Structural hash of a table's content.
    pub fn table_hash(&self, a: ArrayId) -> u128 {
        self.table_facts[a.0 as usize].0
    }

    /// Input bytes an expression depends on, ascending. Costs nothing: they are kept as expressions are made. In
    /// arenas with very many different sets it may be a superset.
    pub fn inputs(&self, e: ExprId) -> Inputs<'_> {
        self.inputs.view(self.node_inputs[e.index()])
    }

    /// The same as a handle that is cheap to copy and compare: two expressions of this arena have the same
    /// handle if they depend on the same input bytes.
    #[inline]
    pub fn input_set(&self, e: ExprId) -> InputSet {
        self.node_inputs[e.index()]
    }

    /// The bytes of a set of this arena.
    pub fn view_inputs(&self, set: InputSet) -> Inputs<'_> {
        self.inputs.view(set)
    }

    /// Union of two sets of this arena.
    pub fn union_inputs(&mut self, a: InputSet, b: InputSet) -> InputSet {
        self.inputs.union(a, b)
    }

    /// The parts of a conjunction (of width 1), left to right, without repeats; the expression itself if it is none.
    pub fn conjuncts(&self, e: ExprId) -> Vec<ExprId> {
        let (mut parts, mut stack, mut seen) = (Vec::new(), vec![e], rustc_hash::FxHashSet::default());
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.node(e) {
                Node { op: Op::And, width: 1, args, .. } => stack.extend([args[1], args[0]]),
                _ => parts.push(e),
            }
        }
        parts
    }

    /// Input byte `offset` of object `object` (width 8).
    pub fn input(&mut self, object: u32, offset: u32) -> ExprId {
        let imm = u64::from(object) << 32 | u64::from(offset);
        self.raw(Op::Input, 8, &[], imm)
    }

    /// A constant.
    pub fn constant(&mut self, value: &Bits) -> ExprId {
        if value.width() <= 64 {
            return self.const_u64(value.width(), value.low());
        }
        let k = match self.wide_index.get(value) {
            Some(&k) => k,
            None => {
                let k = self.wide.len() as u32;
                self.wide.push(value.clone());
                self.wide_index.insert(value.clone(), k);
                k
            }
        };
        self.raw(Op::Const, value.width(), &[], k.into())
    }

    /// A constant, `value` cut to `width` bits.
    pub fn const_u64(&mut self, width: u16, value: u64) -> ExprId {
        if width > 64 {
            return self.constant(&Bits::new(width, value));
        }
        self.raw(Op::Const, width, &[], value & crate::semantics::mask(width))
    }

    /// The constant 1 or 0 of width 1.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.const_u64(1, value.into())
    }

    /// Adds a table; an equal one is added only once.
    ///
    /// # Panics
    /// If `symbolic` is neither empty nor as long as `bytes`, or holds an expression of a width other than 8.
    pub fn add_table(&mut self, table: Table) -> ArrayId {
        assert!(table.symbolic.is_empty() || table.symbolic.len() == table.bytes.len(), "one entry per byte");
        let mut h = Hasher::new(0x7ab1e).word(table.base).word(table.bytes.len() as u64);
        let mut set = InputSet::EMPTY;
        for (k, &byte) in table.bytes.iter().enumerate() {
            match table.symbolic_byte(k) {
                Some(e) => {
                    assert_eq!(self.width(e), 8, "a table's expressions are bytes");
                    h = h.word(256).hash(self.hash(e));
                    set = self.inputs.union(set, self.node_inputs[e.index()]);
                }
                None => h = h.word(byte.into()),
            }
        }
        let hash = h.finish();
        if let Some(&a) = self.table_index.get(&hash)
            && self.tables[a.0 as usize] == table
        {
            return a;
        }
        let a = ArrayId(self.tables.len() as u32);
        self.tables.push(table);
        self.table_facts.push((hash, set));
        self.table_index.insert(hash, a);
        a
    }

    /// Adds exactly this node, or finds it, without simplification and without folding.
    ///
    /// Constants must come through [`Arena::constant`]; `imm` is as in [`Node::imm`].
    ///
    /// # Panics
    /// If the widths do not agree with what [`Op`] documents.
    pub fn raw(&mut self, op: Op, width: u16, args: &[ExprId], imm: u64) -> ExprId {
        self.check_shape(op, width, args, imm);
        let mut node = Node { op, width, args: [ExprId(0); 3], imm };
        node.args[..args.len()].copy_from_slice(args);
        let hash = self.node_hash(&node, args);
        let (nodes, hashes) = (&self.nodes, &self.hashes);
        if let Some(&e) = self.index.find(hash as u64, |e| nodes[e.index()] == node) {
            return e;
        }
        let e = ExprId(u32::try_from(nodes.len()).expect("fewer than 2^32 expressions"));
        self.index.insert_unique(hash as u64, e, |e| hashes[e.index()] as u64);
        let set = self.inputs_of(&node, args);
        self.nodes.push(node);
        self.hashes.push(hash);
        self.node_inputs.push(set);
        e
    }

    fn inputs_of(&mut self, node: &Node, args: &[ExprId]) -> InputSet {
        let mut set = match node.op {
            Op::Input => self.inputs.single(node.imm),
            Op::Read => self.table_facts[node.imm as usize].1,
            _ => InputSet::EMPTY,
        };
        for &a in args {
            set = self.inputs.union(set, self.node_inputs[a.index()]);
        }
        set
    }

    fn node_hash(&self, node: &Node, args: &[ExprId]) -> u128 {
        let mut h = Hasher::new((node.op as u64) << 16 | u64::from(node.width));
        h = match node.op {
            Op::Const if node.width > 64 => {
                self.wide[node.imm as usize].words().iter().fold(h, |h, &w| h.word(w))
            }
            Op::Read => h.hash(self.table_facts[node.imm as usize].0),
            _ => h.word(node.imm),
        };
        args.iter().fold(h, |h, &a| h.hash(self.hash(a))).finish()
    }

    fn check_shape(&self, op: Op, width: u16, args: &[ExprId], imm: u64) {
        let mut widths = [0; 3];
        args.iter().zip(&mut widths).for_each(|(&a, w)| *w = self.width(a));
        let widths = &widths[..args.len()];
        if !well_formed(op, width, imm, widths) {
            panic!(
                "{} of width {width} cannot have operands of widths {widths:?} (immediate {imm})",
                op.name()
            );
        }
    }
}
