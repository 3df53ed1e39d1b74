//! The expressions of a query as one graph: shared parts once, input bytes grouped into the fields that the program reads.

use crate::domain::{Domain, Shape, Value};
use crate::forward::{Memory, Operation};
use expr::{Arena, ArrayId, ExprId, Op};
use floats::Format;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Longest field in bytes: a long double.
const MAX_FIELD: usize = 10;

/// One expression.
#[derive(Debug)]
pub struct Node {
    pub operation: Operation,
    operands: [u32; 3],
    count: u8,
    /// Those that have it as an operand.
    pub users: Vec<u32>,
    /// What it may be whatever the input.
    pub initial: Domain,
    /// Whether a constraint depends on it.
    pub is_live: bool,
    /// Whether it is a variable.
    is_field: bool,
}

impl Node {
    /// Its operands, which come before it.
    pub fn operands(&self) -> &[u32] {
        &self.operands[..usize::from(self.count)]
    }
}

/// Input bytes that are read as one value: a variable.
#[derive(Debug)]
pub struct Field {
    /// The node that puts them together.
    pub node: u32,
    /// Object and offset of each, lowest first.
    pub bytes: Vec<(u32, u32)>,
}

/// A constraint.
#[derive(Debug)]
pub struct Root {
    pub node: u32,
    /// Index in the query.
    pub constraint: usize,
    /// Indexes of the fields that it reads, ascending.
    pub fields: Vec<u32>,
}

/// Constraints, the last of the query first.
#[derive(Debug, Default)]
pub struct Graph {
    /// Operands first.
    pub nodes: Vec<Node>,
    pub roots: Vec<Root>,
    pub fields: Vec<Field>,
}

impl Graph {
    /// Whether a value depends on more than the fields: on input bytes that stand in memory which is read.
    pub fn reads_input(&self) -> bool {
        let memories = self.nodes.iter().filter_map(|node| node.operation.memory.as_ref());
        memories.into_iter().any(|memory| memory.has_symbolic_bytes())
    }

    /// Of as many constraints as the limits allow, from the goal (the last) backward. `None` if the goal alone is too large.
    pub fn new(arena: &Arena, constraints: &[ExprId], max_nodes: usize, max_roots: usize) -> Option<Graph> {
        let mut chosen: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut roots = Vec::new();
        for (k, &constraint) in constraints.iter().enumerate().rev().take(max_roots) {
            let Some(added) = missing(arena, constraint, &chosen, max_nodes - chosen.len()) else {
                if roots.is_empty() {
                    return None;
                }
                continue;
            };
            chosen.extend(added.into_iter().map(|e| (e, 0)));
            roots.push((constraint, k));
        }
        let mut all: Vec<ExprId> = chosen.keys().copied().collect();
        // Operands have smaller ids.
        all.sort_unstable();
        for (place, e) in all.iter().enumerate() {
            chosen.insert(*e, place as u32);
        }
        let mut graph = Graph::default();
        for &e in &all {
            graph.add(arena, e, &chosen);
        }
        graph.mark_floats();
        graph.start(arena, &all);
        graph.find_fields(arena, &all);
        graph.cut_fields();
        graph.roots = roots
            .iter()
            .map(|&(e, constraint)| Root { node: chosen[&e], constraint, fields: Vec::new() })
            .collect();
        graph.connect();
        Some(graph)
    }

    /// An operand or result with its shape, as `domains` have it.
    pub fn value(&self, domains: &[Domain], node: u32) -> Value {
        Value { shape: self.nodes[node as usize].operation.shape, domain: domains[node as usize] }
    }

    /// The operands of a node; those beyond its count are fillers.
    pub fn values(&self, domains: &[Domain], node: u32) -> ([Value; 3], usize) {
        let n = &self.nodes[node as usize];
        let mut values = [Value { shape: Shape::integer(1), domain: Domain::FALSE }; 3];
        for (value, &operand) in values.iter_mut().zip(n.operands()) {
            *value = self.value(domains, operand);
        }
        (values, n.operands().len())
    }

    /// What each node may be by the fields' domains alone, whatever the constraints say of it.
    pub fn natural(&self, domains: &[Domain], work: &mut u64) -> Vec<Domain> {
        let mut natural: Vec<Domain> = domains.to_vec();
        for (at, node) in self.nodes.iter().enumerate() {
            if node.is_live && node.count > 0 && !node.is_field {
                *work = work.saturating_sub(1);
                let (operands, count) = self.values(&natural, at as u32);
                natural[at] = node.operation.forward(&operands[..count]);
            }
        }
        natural
    }

    fn add(&mut self, arena: &Arena, e: ExprId, places: &FxHashMap<ExprId, u32>) {
        let n = arena.node(e);
        let args = arena.args(e);
        let mut operands = [0; 3];
        args.iter().zip(&mut operands).for_each(|(a, place)| *place = places[a]);
        let at = self.nodes.len() as u32;
        for (k, &operand) in operands[..args.len()].iter().enumerate() {
            if !operands[..k].contains(&operand) {
                self.nodes[operand as usize].users.push(at);
            }
        }
        let memory = (n.op == Op::Read).then(|| Arc::new(Memory::new(arena.table(ArrayId(n.imm as u32)))));
        let gives_float = n.op.is_float() && !n.op.is_predicate() && !matches!(n.op, Op::FToS | Op::FToU);
        let float = if gives_float { Format::of_width(n.width) } else { None };
        let same = args.len() == 2 && args[0] == args[1];
        let shape = Shape { width: n.width, float };
        let operation = Operation { op: n.op, shape, imm: n.imm, same, memory };
        let (count, users) = (args.len() as u8, Vec::new());
        self.nodes.push(Node {
            operation,
            operands,
            count,
            users,
            initial: Domain::EMPTY,
            is_live: false,
            is_field: false,
        });
    }

    /// What is used as a float is followed as one.
    fn mark_floats(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            let is_float = node.operation.shape.float.is_some();
            let first = match node.operation.op {
                Op::SToF | Op::UToF => continue,
                op if op.is_float() => 0,
                Op::Ite if is_float => 1,
                // Masks of the sign.
                Op::And | Op::Or | Op::Xor if is_float => 0,
                _ => continue,
            };
            let (operands, count) = (node.operands, usize::from(node.count));
            for &operand in &operands[first..count] {
                let operation = &mut self.nodes[operand as usize].operation;
                if operation.op != Op::Const {
                    operation.shape.float = Format::of_width(operation.shape.width);
                }
            }
        }
    }

    fn start(&mut self, arena: &Arena, all: &[ExprId]) {
        for (node, &e) in self.nodes.iter_mut().zip(all) {
            let shape = node.operation.shape;
            node.initial = arena.as_const(e).map_or_else(|| shape.top(), |value| shape.of_bits(&value));
        }
    }

    /// Runs of bytes that something else than a longer run reads.
    fn find_fields(&mut self, arena: &Arena, all: &[ExprId]) {
        let mut runs: Vec<Option<Vec<(u32, u32)>>> = vec![None; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let imm = arena.node(all[at]).imm;
            runs[at] = match (node.operation.op, node.operands()) {
                (Op::Input, _) => Some(vec![((imm >> 32) as u32, imm as u32)]),
                (Op::Concat, &[high, low]) => match (&runs[high as usize], &runs[low as usize]) {
                    (Some(high), Some(low)) if high.len() + low.len() <= MAX_FIELD => {
                        Some(low.iter().chain(high).copied().collect())
                    }
                    _ => None,
                },
                _ => None,
            };
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let read = node.users.is_empty() || node.users.iter().any(|&user| runs[user as usize].is_none());
            if let Some(bytes) = runs[at].clone().filter(|_| read) {
                self.fields.push(Field { node: at as u32, bytes });
            }
        }
        for field in &self.fields {
            self.nodes[field.node as usize].is_field = true;
        }
    }

    /// A field whose bytes nothing else reads needs none of them: it is a variable by itself.
    fn cut_fields(&mut self) {
        for k in 0..self.fields.len() {
            let top = self.fields[k].node;
            let (mut inside, mut stack) = (vec![top], self.nodes[top as usize].operands().to_vec());
            while let Some(at) = stack.pop() {
                inside.push(at);
                stack.extend(self.nodes[at as usize].operands());
            }
            let users = |at: u32| self.nodes[at as usize].users.iter();
            if inside[1..].iter().all(|&at| users(at).all(|user| inside.contains(user))) {
                self.nodes[top as usize].count = 0;
            }
        }
    }

    /// Which constraints read which fields, and what is read at all.
    fn connect(&mut self) {
        let mut field_of: Vec<Option<u32>> = vec![None; self.nodes.len()];
        for (k, field) in self.fields.iter().enumerate() {
            field_of[field.node as usize] = Some(k as u32);
        }
        let mut seen = vec![usize::MAX; self.nodes.len()];
        for (k, root) in self.roots.iter_mut().enumerate() {
            let mut stack = vec![root.node];
            while let Some(at) = stack.pop() {
                if std::mem::replace(&mut seen[at as usize], k) == k {
                    continue;
                }
                let node = &mut self.nodes[at as usize];
                node.is_live = true;
                root.fields.extend(field_of[at as usize]);
                stack.extend(node.operands());
            }
            root.fields.sort_unstable();
        }
    }
}

/// The expressions of a constraint that are not chosen yet; `None` if they are more than `limit`. What tables hold is
/// not looked at.
fn missing(
    arena: &Arena,
    constraint: ExprId,
    chosen: &FxHashMap<ExprId, u32>,
    limit: usize,
) -> Option<Vec<ExprId>> {
    let mut added: rustc_hash::FxHashSet<ExprId> = rustc_hash::FxHashSet::default();
    let mut stack = vec![constraint];
    while let Some(e) = stack.pop() {
        if !chosen.contains_key(&e) && added.insert(e) {
            if added.len() > limit {
                return None;
            }
            stack.extend(arena.args(e));
        }
    }
    Some(added.into_iter().collect())
}
