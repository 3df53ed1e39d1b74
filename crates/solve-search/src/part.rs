//! One constraint made ready for many evaluations: its expressions in order, the comparisons it is made of, the fields its
//! input bytes form, and the constants that occur.
//!
//! It does not refer to an arena: input bytes are numbered by a [`Layout`], so that a part can be kept and used for
//! every query in which an equal constraint occurs.

use crate::distance::Formulas;
use expr::{Arena, ArrayId, Bits, ExprId, Op, Plan};
use floats::Format;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Index of a node of a part; operands come before it.
pub type NodeId = usize;

/// Constants of one width that are remembered.
const MAX_CONSTANTS: usize = 64;

/// Bytes of a field at most.
const MAX_FIELD: usize = 16;

/// Numbers for input bytes: the places of their values in what is evaluated.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    names: Vec<(u32, u32)>,
    index: FxHashMap<(u32, u32), usize>,
}

impl Layout {
    /// The number of byte `(object, offset)`, a new one if it has none yet.
    pub fn place(&mut self, name: (u32, u32)) -> usize {
        *self.index.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// Object and offset of a byte.
    pub fn name(&self, byte: usize) -> (u32, u32) {
        self.names[byte]
    }

    /// How many bytes have numbers.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// An expression of a constraint, with operands as indexes here.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Operation.
    pub op: Op,
    /// Result width in bits.
    pub width: u16,
    /// As in [`expr::Node::imm`]; of an input byte its number, of a read the index in [`Part::tables`], of a constant
    /// wider than 64 bits the index in [`Part::wide`].
    pub imm: u64,
    /// Operands; only as many count as the operation takes.
    pub operands: [u32; 3],
    /// Whether input bytes occur in it.
    pub varies: bool,
}

impl Node {
    /// Operands.
    pub fn args(&self) -> &[u32] {
        &self.operands[..expr::semantics::operands(self.op)]
    }

    /// An operand.
    pub fn arg(&self, k: usize) -> NodeId {
        self.operands[k] as NodeId
    }
}

/// Memory that is read.
#[derive(Clone, Debug)]
pub struct PartTable {
    /// Address of the first byte.
    pub base: u64,
    /// Concrete value of each byte.
    pub bytes: Arc<[u8]>,
    /// Offsets of symbolic bytes, ascending, and the nodes of their values.
    pub symbolic: Vec<(u32, u32)>,
}

/// Input bytes that the program reads as one value, lowest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Numbers of the bytes.
    pub bytes: Vec<usize>,
    /// The format, if it is used as a float.
    pub float: Option<Format>,
}

impl Field {
    /// Its value in an input.
    pub(crate) fn of(&self, bytes: &[u8]) -> u128 {
        self.bytes.iter().rev().fold(0, |v, &b| v << 8 | u128::from(bytes[b]))
    }

    /// The bytes with which it has a value.
    pub(crate) fn with(&self, value: u128) -> impl Iterator<Item = (usize, u8)> {
        self.bytes.iter().enumerate().map(move |(k, &b)| (b, (value >> (8 * k)) as u8))
    }
}

/// A constraint.
#[derive(Debug)]
pub struct Part {
    /// Everything it is made of, operands first; the constraint itself is the last.
    pub nodes: Vec<Node>,
    /// Constants of more than 64 bits.
    pub wide: Vec<Bits>,
    /// Tables.
    pub tables: Vec<PartTable>,
    /// Comparisons and how they are joined.
    pub formulas: Formulas,
    /// Numbers of its input bytes, ascending.
    pub bytes: Vec<usize>,
    /// Its fields, long ones first.
    pub(crate) fields: Vec<Field>,
    /// Constants that occur, by width.
    pub(crate) constants: FxHashMap<u16, Vec<u128>>,
    plan: Plan,
}

/// Where the expressions of an arena are in the part that is being made: kept from part to part, so that no part needs a
/// table of its own.
#[derive(Default)]
pub struct Scratch {
    /// Part number and place.
    places: Vec<(u32, u32)>,
    part: u32,
}

impl Scratch {
    /// Expressions in a constraint, operands first; `None` if there are more than `limit`.
    fn reachable(&mut self, arena: &Arena, root: ExprId, limit: usize) -> Option<Vec<ExprId>> {
        if self.places.len() < arena.len() {
            self.places.resize(arena.len(), (0, 0));
        }
        if self.part == u32::MAX {
            self.places.fill((0, 0));
            self.part = 0;
        }
        self.part += 1;
        let (mut all, mut stack) = (Vec::new(), vec![root]);
        while let Some(e) = stack.pop() {
            let place = &mut self.places[e.index()];
            if place.0 == self.part {
                continue;
            }
            place.0 = self.part;
            all.push(e);
            if all.len() > limit {
                return None;
            }
            stack.extend(arena.args(e));
            if arena.op(e) == Op::Read {
                stack.extend(arena.table(ArrayId(arena.node(e).imm as u32)).symbolic.iter().flatten());
            }
        }
        // Operands have smaller ids.
        all.sort_unstable();
        all.iter().zip(0..).for_each(|(e, k)| self.places[e.index()].1 = k);
        Some(all)
    }

    fn place(&self, e: ExprId) -> u32 {
        self.places[e.index()].1
    }
}

impl Part {
    /// A constraint (of width 1) made ready; `None` if it has more than `limit` expressions.
    pub fn new(
        arena: &Arena,
        constraint: ExprId,
        layout: &mut Layout,
        scratch: &mut Scratch,
        limit: usize,
    ) -> Option<Part> {
        let all = scratch.reachable(arena, constraint, limit)?;
        let mut plan = Plan::in_order(arena, &all, &|e| scratch.place(e));
        plan.rename_inputs(&mut |object, offset| (0, layout.place((object, offset)) as u32));
        let mut part = Part {
            nodes: Vec::with_capacity(all.len()),
            wide: Vec::new(),
            tables: Vec::new(),
            formulas: Formulas::default(),
            bytes: Vec::new(),
            fields: Vec::new(),
            constants: FxHashMap::default(),
            plan,
        };
        let mut tables = FxHashMap::default();
        for &e in &all {
            part.add(arena, e, scratch, layout, &mut tables);
        }
        part.bytes.sort_unstable();
        part.bytes.dedup();
        part.find_fields();
        part.formulas = Formulas::new(&part.nodes);
        Some(part)
    }

    fn add(
        &mut self,
        arena: &Arena,
        e: ExprId,
        scratch: &Scratch,
        layout: &mut Layout,
        tables: &mut FxHashMap<u64, u64>,
    ) {
        let n = *arena.node(e);
        let mut imm = n.imm;
        match n.op {
            Op::Input => {
                let byte = layout.place(((n.imm >> 32) as u32, n.imm as u32));
                imm = byte as u64;
                self.bytes.push(byte);
            }
            Op::Const => {
                let value = arena.as_const(e).unwrap_or_else(|| Bits::zero(n.width));
                let same = self.constants.entry(n.width).or_default();
                if !same.contains(&value.low_128()) && same.len() < MAX_CONSTANTS {
                    same.push(value.low_128());
                }
                if n.width > 64 {
                    imm = self.wide.len() as u64;
                    self.wide.push(value);
                }
            }
            Op::Read => {
                imm = *tables.entry(n.imm).or_insert_with(|| {
                    let table = arena.table(ArrayId(n.imm as u32));
                    let symbolic =
                        table.symbolic.iter().zip(0..).filter_map(|(s, k)| Some((k, scratch.place((*s)?))));
                    let (base, bytes) = (table.base, table.bytes.clone());
                    self.tables.push(PartTable { base, bytes, symbolic: symbolic.collect() });
                    self.tables.len() as u64 - 1
                });
            }
            _ => {}
        }
        let mut operands = [0; 3];
        arena.args(e).iter().zip(&mut operands).for_each(|(a, o)| *o = scratch.place(*a));
        let varies = !arena.inputs(e).is_empty();
        self.nodes.push(Node { op: n.op, width: n.width, imm, operands, varies });
    }

    /// The constraint's node.
    pub fn root(&self) -> NodeId {
        self.nodes.len() - 1
    }

    /// Evaluates everything under these bytes, by the reference evaluator's operations. [`Part::value`] and
    /// [`Part::distance`] follow from it.
    pub fn evaluate(&mut self, bytes: &[u8]) {
        self.plan.run(&|_, byte| bytes[byte as usize]);
        let Part { formulas, nodes, plan, .. } = self;
        formulas.measure(nodes, &|node| value(nodes, plan, node));
    }

    /// How far from true the constraint was in the last evaluation: 0 if it holds, else more.
    pub fn distance(&self) -> f64 {
        self.formulas.distance()
    }

    /// Value of a node in the last evaluation; the low 128 bits of wider ones.
    pub fn value(&self, node: NodeId) -> u128 {
        value(&self.nodes, &self.plan, node)
    }

    /// Runs of bytes that are put together somewhere, and every byte by itself.
    fn find_fields(&mut self) {
        // Runs by the node that ends them: of concatenations the bytes, lowest first.
        let mut runs: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        let mut found: FxHashMap<Vec<usize>, Option<Format>> = FxHashMap::default();
        for (k, node) in self.nodes.iter().enumerate() {
            if node.op == Op::Concat && node.varies {
                let bytes_of = |a: NodeId| match self.nodes[a].op {
                    Op::Input => Some(vec![self.nodes[a].imm as usize]),
                    _ => runs.get(&(a as u32)).cloned(),
                };
                if let (Some(mut low), Some(high)) = (bytes_of(node.arg(1)), bytes_of(node.arg(0)))
                    && low.len() + high.len() <= MAX_FIELD
                {
                    low.extend(high);
                    runs.insert(k as u32, low);
                    continue;
                }
            }
            let uses_floats = node.op.is_float() && !matches!(node.op, Op::SToF | Op::UToF);
            for &a in node.args() {
                // Inside a longer run it is no field of its own.
                if let Some(bytes) = runs.get(&a) {
                    let float = found.entry(bytes.clone()).or_default();
                    if uses_floats {
                        *float = Format::of_width(self.nodes[a as usize].width);
                    }
                }
            }
        }
        let mut fields: Vec<Field> = found.into_iter().map(|(bytes, float)| Field { bytes, float }).collect();
        // Long ones first; an order that does not depend on the map's.
        fields.sort_by(|a, b| b.bytes.len().cmp(&a.bytes.len()).then_with(|| a.bytes.cmp(&b.bytes)));
        fields.extend(self.bytes.iter().map(|&byte| Field { bytes: vec![byte], float: None }));
        self.fields = fields;
    }
}

fn value(nodes: &[Node], plan: &Plan, node: NodeId) -> u128 {
    if nodes[node].width <= 64 { plan.low(node).into() } else { plan.value(node).low_128() }
}
