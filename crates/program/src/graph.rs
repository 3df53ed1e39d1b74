//! The combined control-flow and static call graph (CFCG) of Burnim & Sen 2008, section 4.1.
//!
//! Its vertices are the program's statements. Here a statement is a branch (taken edges of conditionals; branches
//! come first and have their own numbers), or a place in a block: before its first step, between two steps, or
//! before its terminator. From a call there are edges to the entry of the called function and past the call; there
//! are none from a function's exit back to its callers. Indirect calls have no callees until they are seen
//! ([`Cfcg::add_call`]); the paper's CREST leaves them out altogether.

use crate::{BlockId, BranchId, CallId, Callee, FunctionId, ProgramMap, Step};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

/// A vertex of the graph. Numbers below the number of branches are the branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vertex(pub u32);

/// The graph.
#[derive(Clone, Debug)]
pub struct Cfcg {
    branches: u32,
    /// Vertex before the first step, by block.
    heads: Vec<u32>,
    /// Vertex before the call, by call (`u32::MAX` if no block has it as a step).
    calls: Vec<u32>,
    /// Entry vertex, by function.
    entries: Vec<u32>,
    forward: Csr,
    backward: Csr,
    /// Edges found later, in both directions.
    seen: BTreeMap<u32, Vec<u32>>,
    seen_back: BTreeMap<u32, Vec<u32>>,
}

/// Adjacency in two flat vectors.
#[derive(Clone, Debug, Default)]
struct Csr {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Csr {
    fn new(vertices: usize, edges: &[(u32, u32)]) -> Csr {
        let mut starts = vec![0u32; vertices + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for i in 0..vertices {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Csr { starts, targets }
    }

    fn of(&self, v: u32) -> &[u32] {
        &self.targets[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}

impl Cfcg {
    /// The graph of a program, without indirect calls.
    pub fn new(map: &ProgramMap) -> Cfcg {
        let branches = map.branches.len() as u32;
        let mut heads = Vec::with_capacity(map.blocks.len());
        let mut next = branches;
        for block in &map.blocks {
            heads.push(next);
            next += block.steps.len() as u32 + 1;
        }
        let entries: Vec<u32> = map.functions.iter().map(|f| heads[f.first_block.index()]).collect();
        let mut calls = vec![u32::MAX; map.calls.len()];
        let mut edges = Vec::new();
        for (block, &head) in map.blocks.iter().zip(&heads) {
            for (at, step) in (head..).zip(&block.steps) {
                match *step {
                    Step::Call(call) => {
                        calls[call.index()] = at;
                        if let Callee::Function(f) = map.calls[call.index()].callee {
                            edges.push((at, entries[f.index()]));
                        }
                        edges.push((at, at + 1));
                    }
                    Step::Select(cond) => {
                        for b in map.branches_of(cond) {
                            edges.extend([(at, b.0), (b.0, at + 1)]);
                        }
                    }
                }
            }
            let end = head + block.steps.len() as u32;
            for succ in &block.succs {
                let to = heads[succ.to.index()];
                match succ.branch {
                    Some(b) => edges.extend([(end, b.0), (b.0, to)]),
                    None => edges.push((end, to)),
                }
            }
        }
        let forward = Csr::new(next as usize, &edges);
        edges.iter_mut().for_each(|e| *e = (e.1, e.0));
        let backward = Csr::new(next as usize, &edges);
        Cfcg {
            branches,
            heads,
            calls,
            entries,
            forward,
            backward,
            seen: BTreeMap::new(),
            seen_back: BTreeMap::new(),
        }
    }

    /// Adds the edge of an indirect call to a function that it was seen to call; whether it was not there before.
    pub fn add_call(&mut self, call: CallId, callee: FunctionId) -> bool {
        let (Some(&from), Some(&to)) = (self.calls.get(call.index()), self.entries.get(callee.index()))
        else {
            return false;
        };
        if from == u32::MAX || self.successors(Vertex(from)).any(|v| v.0 == to) {
            return false;
        }
        self.seen.entry(from).or_default().push(to);
        self.seen_back.entry(to).or_default().push(from);
        true
    }

    /// Number of branches: the first vertices.
    pub fn branches(&self) -> u32 {
        self.branches
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.forward.starts.len() - 1
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Vertex of a branch.
    pub fn branch(&self, branch: BranchId) -> Vertex {
        Vertex(branch.0)
    }

    /// The branch that a vertex is, if it is one.
    pub fn as_branch(&self, v: Vertex) -> Option<BranchId> {
        (v.0 < self.branches).then_some(BranchId(v.0))
    }

    /// Entry of a function.
    pub fn entry(&self, function: FunctionId) -> Vertex {
        Vertex(self.entries[function.index()])
    }

    /// The place before a call; `None` if no block has it as a step.
    pub fn call(&self, call: CallId) -> Option<Vertex> {
        self.calls.get(call.index()).copied().filter(|&v| v != u32::MAX).map(Vertex)
    }

    /// The place behind a call, where it returns to.
    pub fn behind(&self, call: CallId) -> Option<Vertex> {
        self.call(call).map(|v| Vertex(v.0 + 1))
    }

    /// Block to whose inside a vertex belongs, and before which of its steps it stands (the number of steps: before
    /// its terminator); `None` for a branch.
    pub fn place(&self, v: Vertex) -> Option<(BlockId, usize)> {
        if v.0 < self.branches {
            return None;
        }
        let block = self.heads.partition_point(|&h| h <= v.0) - 1;
        Some((BlockId(block as u32), (v.0 - self.heads[block]) as usize))
    }

    /// Immediate successors.
    pub fn successors(&self, v: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        let seen = self.seen.get(&v.0).map_or(&[][..], Vec::as_slice);
        self.forward.of(v.0).iter().chain(seen).copied().map(Vertex)
    }

    /// Immediate predecessors.
    pub fn predecessors(&self, v: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        let seen = self.seen_back.get(&v.0).map_or(&[][..], Vec::as_slice);
        self.backward.of(v.0).iter().chain(seen).copied().map(Vertex)
    }

    /// Everything that can be reached from these vertices (with them).
    pub fn reachable(&self, from: impl IntoIterator<Item = Vertex>) -> Reachable {
        let mut reached = FixedBitSet::with_capacity(self.len());
        let mut stack: Vec<Vertex> = from.into_iter().filter(|v| !reached.put(v.0 as usize)).collect();
        while let Some(v) = stack.pop() {
            stack.extend(self.successors(v).filter(|s| !reached.put(s.0 as usize)));
        }
        Reachable { reached }
    }
}

/// A set of vertices.
#[derive(Clone, Debug)]
pub struct Reachable {
    reached: FixedBitSet,
}

impl Reachable {
    /// Whether the vertex is in it.
    pub fn has(&self, v: Vertex) -> bool {
        self.reached.contains(v.0 as usize)
    }
}

impl ProgramMap {
    /// The function where user code begins: `main` (under whatever name the instrumenter gave it) or a libFuzzer harness.
    pub fn entry(&self) -> Option<FunctionId> {
        let named = |name: &str| self.functions.iter().position(|f| f.linkage_name == name);
        let entry = ["main", trace_abi::USER_MAIN, "LLVMFuzzerTestOneInput"].into_iter().find_map(named);
        entry.map(|i| FunctionId(i as u32))
    }

    /// Branches that can be reached from the entry by the graph's edges; if `indirect`, any indirect call may go to any
    /// function whose address is taken (by branch id). Without an entry everything counts as reachable.
    pub fn reachable_branches(&self, graph: &Cfcg, indirect: bool) -> Vec<bool> {
        match self.reachable(graph, indirect) {
            Some(reached) => (0..self.branches.len() as u32).map(|b| reached.has(Vertex(b))).collect(),
            None => vec![true; self.branches.len()],
        }
    }

    /// What can be reached from the entry, likewise; `None` without an entry.
    pub fn reachable(&self, graph: &Cfcg, indirect: bool) -> Option<Reachable> {
        let mut roots = vec![graph.entry(self.entry()?)];
        if indirect {
            let taken = self.functions.iter().zip(0..).filter(|(f, _)| f.address_taken);
            roots.extend(taken.map(|(_, i)| graph.entry(FunctionId(i))));
        }
        Some(graph.reachable(roots))
    }
}
