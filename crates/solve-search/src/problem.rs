//! A query made ready for many evaluations.

use expr::{Arena, ArrayId, ExprId, Op, Plan, Table};
use floats::Format;
use rustc_hash::{FxHashMap, FxHashSet};
use solve::{Model, Query};

/// Index of a node of the problem; operands come before it.
pub(crate) type NodeId = usize;

/// An expression of the query, with operands as indexes here.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub width: u16,
    pub imm: u64,
    pub args: Vec<NodeId>,
    /// Whether input bytes occur in it.
    pub varies: bool,
}

/// Input bytes that the program reads as one value, lowest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    /// Indexes of the bytes.
    pub bytes: Vec<usize>,
    /// The format, if it is used as a float.
    pub float: Option<Format>,
}

/// A query as a list of nodes, its input bytes, and their current values.
pub(crate) struct Problem {
    pub nodes: Vec<Node>,
    /// Constraints, as nodes.
    pub constraints: Vec<NodeId>,
    /// Fields that occur in each constraint.
    pub fields_of: Vec<Vec<usize>>,
    pub fields: Vec<Field>,
    /// Constants that occur, by width.
    pub constants: FxHashMap<u16, Vec<u128>>,
    /// Tables that are read.
    pub tables: FxHashMap<u64, Table>,
    names: Vec<(u32, u32)>,
    index: FxHashMap<(u32, u32), usize>,
    /// Current input.
    pub bytes: Vec<u8>,
    plan: Plan,
}

/// Expressions in the constraints, operands first; `None` if there are more than `limit`.
fn reachable(arena: &Arena, roots: &[ExprId], limit: usize) -> Option<Vec<ExprId>> {
    let (mut seen, mut stack) = (FxHashSet::default(), roots.to_vec());
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        stack.extend(arena.args(e));
        if arena.op(e) == Op::Read {
            stack.extend(arena.table(ArrayId(arena.node(e).imm as u32)).symbolic.iter().flatten());
        }
    }
    // Operands have smaller ids.
    let mut all: Vec<ExprId> = seen.into_iter().collect();
    all.sort_unstable();
    Some(all)
}

impl Problem {
    /// With the run's own bytes as the current input; `None` if there are more than `limit` expressions.
    pub(crate) fn new(query: &Query<'_>, limit: usize) -> Option<Problem> {
        let arena = &*query.arena;
        let all = reachable(arena, query.constraints, limit)?;
        let ids: FxHashMap<ExprId, NodeId> = all.iter().enumerate().map(|(k, &e)| (e, k)).collect();
        let mut problem = Problem {
            nodes: Vec::with_capacity(all.len()),
            constraints: query.constraints.iter().map(|c| ids[c]).collect(),
            fields_of: Vec::new(),
            fields: Vec::new(),
            constants: FxHashMap::default(),
            tables: FxHashMap::default(),
            names: Vec::new(),
            index: FxHashMap::default(),
            bytes: Vec::new(),
            plan: Plan::new(arena, &all),
        };
        for &e in &all {
            problem.add(arena, e, &ids, query.hint);
        }
        problem.find_fields();
        let index = &problem.index;
        let inputs = query.constraints.iter().map(|&c| {
            let bytes: FxHashSet<usize> =
                arena.inputs(c).iter().filter_map(|b| index.get(&b).copied()).collect();
            let touches = |f: &Field| f.bytes.iter().any(|b| bytes.contains(b));
            problem.fields.iter().enumerate().filter(|(_, f)| touches(f)).map(|(k, _)| k).collect()
        });
        problem.fields_of = inputs.collect();
        Some(problem)
    }

    fn add(
        &mut self,
        arena: &Arena,
        e: ExprId,
        ids: &FxHashMap<ExprId, NodeId>,
        hint: &dyn Fn(u32, u32) -> u8,
    ) {
        let n = *arena.node(e);
        let mut imm = n.imm;
        match n.op {
            Op::Input => {
                let name = ((n.imm >> 32) as u32, n.imm as u32);
                imm = self.names.len() as u64;
                self.index.insert(name, self.names.len());
                self.names.push(name);
                self.bytes.push(hint(name.0, name.1));
            }
            Op::Const => {
                let value = arena.as_const(e).map_or(0, |c| c.low_128());
                let same = self.constants.entry(n.width).or_default();
                if !same.contains(&value) && same.len() < 64 {
                    same.push(value);
                }
            }
            Op::Read => {
                let table = arena.table(ArrayId(n.imm as u32));
                self.tables.entry(n.imm).or_insert_with(|| table.clone());
            }
            _ => {}
        }
        let args = arena.args(e).iter().map(|a| ids[a]).collect();
        let varies = !arena.inputs(e).is_empty();
        self.nodes.push(Node { op: n.op, width: n.width, imm, args, varies });
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Evaluates everything under the current input.
    pub(crate) fn evaluate(&mut self) {
        let (index, bytes) = (&self.index, &self.bytes);
        self.plan.run(&|object, offset| index.get(&(object, offset)).map_or(0, |&k| bytes[k]));
    }

    /// Value of a node in the last evaluation; the low 128 bits of wider ones.
    pub(crate) fn value(&self, node: NodeId) -> u128 {
        if self.nodes[node].width <= 64 {
            self.plan.low(node).into()
        } else {
            self.plan.value(node).low_128()
        }
    }

    /// The current input as a model.
    pub(crate) fn model(&self) -> Model {
        self.names.iter().copied().zip(self.bytes.iter().copied()).collect()
    }

    /// Current value of a field.
    pub(crate) fn field(&self, field: usize) -> u128 {
        self.fields[field].bytes.iter().rev().fold(0, |v, &b| v << 8 | u128::from(self.bytes[b]))
    }

    /// Changes a field.
    pub(crate) fn set_field(&mut self, field: usize, value: u128) {
        for (k, &b) in self.fields[field].bytes.iter().enumerate() {
            self.bytes[b] = (value >> (8 * k)) as u8;
        }
    }

    /// Runs of bytes that are put together somewhere, and every byte by itself.
    fn find_fields(&mut self) {
        let mut found: FxHashMap<Vec<usize>, Option<Format>> = FxHashMap::default();
        let mut runs: Vec<Option<Vec<usize>>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let run = match node.op {
                Op::Input => Some(vec![node.imm as usize]),
                Op::Concat => match (&runs[node.args[0]], &runs[node.args[1]]) {
                    (Some(high), Some(low)) if high.len() + low.len() <= 16 => {
                        Some(low.iter().chain(high).copied().collect())
                    }
                    _ => None,
                },
                _ => None,
            };
            let uses_floats = node.op.is_float() && !matches!(node.op, Op::SToF | Op::UToF);
            for &a in &node.args {
                // Inside a longer run it is no field of its own.
                if let Some(bytes) = runs[a].as_ref().filter(|_| run.is_none()) {
                    let float = found.entry(bytes.clone()).or_default();
                    if uses_floats {
                        *float = Format::of_width(self.nodes[a].width);
                    }
                }
            }
            runs.push(run);
        }
        for byte in 0..self.bytes.len() {
            found.entry(vec![byte]).or_default();
        }
        self.fields = found.into_iter().map(|(bytes, float)| Field { bytes, float }).collect();
        // Long ones first; an order that does not depend on the map's.
        self.fields.sort_by(|a, b| b.bytes.len().cmp(&a.bytes.len()).then_with(|| a.bytes.cmp(&b.bytes)));
    }
}
