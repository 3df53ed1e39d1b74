//! The tree itself.

use crate::node::{END, NONE, Node, NodeId};
use crate::steps::{Interner, Steps};
use crate::{Decision, FlipCounts, FlipStatus, Limits};
use program::{BranchId, ProgramMap};

/// What an insertion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// How many decisions at the start were already in the tree.
    pub shared: usize,
    /// No path with exactly these decisions is known.
    pub new: bool,
}

/// Size of the tree and what happened to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeStats {
    /// Nodes.
    pub nodes: usize,
    /// Bytes, approximately.
    pub bytes: usize,
    /// Different paths inserted.
    pub paths: u64,
    /// Paths inserted, with repetitions.
    pub inserted: u64,
    /// Leaves dropped for lack of room.
    pub evicted: u64,
}

/// All paths seen; see the crate's documentation.
#[derive(Debug)]
pub struct PathTree {
    pub(crate) limits: Limits,
    pub(crate) interner: Interner,
    pub(crate) nodes: Vec<Node>,
    pub(crate) free: Vec<NodeId>,
    pub(crate) counts: Vec<FlipCounts>,
    pub(crate) now: u32,
    pub(crate) stats: TreeStats,
}

/// Where a prefix of a path ends: after `at` steps of `node`'s chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) node: NodeId,
    pub(crate) at: u32,
}

/// A path laid along the tree: answers for all its places after one pass over it.
#[derive(Debug)]
pub struct Walk<'t> {
    tree: &'t PathTree,
    /// Nodes along the path, with the depth at which their chain begins.
    legs: Vec<(usize, NodeId)>,
    /// Decisions found in the tree.
    shared: usize,
}

pub(crate) const ROOT: NodeId = 0;

impl PathTree {
    /// An empty tree for paths of this program.
    pub fn new(map: &ProgramMap, limits: Limits) -> PathTree {
        let root = Node::new(Steps::new(&[]), NONE, 0);
        let stats = TreeStats { nodes: 1, bytes: root.bytes(), ..TreeStats::default() };
        PathTree {
            limits,
            interner: Interner::default(),
            nodes: vec![root],
            free: Vec::new(),
            // The last two: decisions of library models.
            counts: vec![FlipCounts::default(); map.branches.len() + 2],
            now: 0,
            stats,
        }
    }

    /// Adds a run's path.
    pub fn insert(&mut self, path: &[Decision]) -> Inserted {
        let (spot, shared) = self.add_prefix(self.kept(path));
        let new = self.change(spot.node, |node| node.set_mark(spot.at, END, FlipStatus::Taken)).is_none();
        self.stats.inserted += 1;
        self.stats.paths += u64::from(new);
        self.shrink_if_needed(spot.node);
        Inserted { shared, new }
    }

    /// What is known of the flip to `wanted` at decision `at` of `path`.
    pub fn status(&self, path: &[Decision], at: usize, wanted: BranchId) -> FlipStatus {
        self.walk(&path[..path.len().min(at + 1)]).status(at, wanted)
    }

    /// Whether the flip is worth trying: nobody tried it, and the tree can remember that it was.
    pub fn is_worth(&self, path: &[Decision], at: usize, wanted: BranchId) -> bool {
        self.status(path, at, wanted) == FlipStatus::Open
    }

    /// Remembers what came of the flip to `wanted` at decision `at` of `path`, and counts it for reports.
    ///
    /// [`FlipStatus::Open`] takes a [`FlipStatus::Pending`] back. A branch that some run took stays taken.
    pub fn mark(&mut self, path: &[Decision], at: usize, wanted: BranchId, status: FlipStatus) {
        if let Some(counts) = self.counts.get_mut(wanted.index()) {
            counts.count(status);
        }
        if at > path.len()
            || at >= self.limits.max_depth
            || matches!(status, FlipStatus::Taken | FlipStatus::Beyond)
        {
            return;
        }
        let (spot, _) = self.add_prefix(&path[..at]);
        if self.is_taken(spot, wanted.0) {
            return;
        }
        self.change(spot.node, |node| match (node.mark(spot.at, wanted.0), status) {
            (Some(FlipStatus::Taken), _) => {}
            (_, FlipStatus::Open) => node.clear_mark(spot.at, wanted.0),
            _ => drop(node.set_mark(spot.at, wanted.0, status)),
        });
        self.shrink_if_needed(spot.node);
    }

    /// Lays `path` along the tree.
    pub fn walk(&self, path: &[Decision]) -> Walk<'_> {
        let path = self.kept(path);
        let mut legs = vec![(0, ROOT)];
        let mut depth = 0;
        let mut node = ROOT;
        while let Some(kid) = self.kid(node, path.get(depth).and_then(|d| self.interner.known(d.step))) {
            legs.push((depth, kid));
            let chain = &self.nodes[kid as usize].steps;
            let common = chain.common(path[depth..].iter().map(|d| self.interner.known(d.step)));
            depth += common;
            node = kid;
            if common < chain.len() {
                break;
            }
        }
        Walk { tree: self, legs, shared: depth }
    }

    /// What came of the flips towards `branch`.
    pub fn counts(&self, branch: BranchId) -> FlipCounts {
        self.counts.get(branch.index()).copied().unwrap_or_default()
    }

    /// Size and history.
    pub fn stats(&self) -> TreeStats {
        TreeStats { bytes: self.bytes(), ..self.stats }
    }

    /// The bounds.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    fn kept<'p>(&self, path: &'p [Decision]) -> &'p [Decision] {
        &path[..path.len().min(self.limits.max_depth)]
    }

    /// The child of `node` that begins with `step`.
    pub(crate) fn kid(&self, node: NodeId, step: Option<u32>) -> Option<NodeId> {
        let step = step?;
        self.nodes[node as usize]
            .kids
            .iter()
            .copied()
            .find(|&k| self.nodes[k as usize].steps.get(0) == Some(step))
    }

    /// Whether some run took `step` at `spot`.
    fn is_taken(&self, spot: Spot, step: u32) -> bool {
        let node = &self.nodes[spot.node as usize];
        match node.steps.get(spot.at as usize) {
            Some(next) if next == step => true,
            Some(_) => false,
            None => self.kid(spot.node, Some(step)).is_some(),
        }
    }
}

impl Walk<'_> {
    /// How many decisions at the start of the path are in the tree.
    pub fn shared(&self) -> usize {
        self.shared
    }

    /// What is known of the flip to `wanted` at decision `at`.
    ///
    /// Where the tree has forgotten the path (or never saw it), everything is open.
    pub fn status(&self, at: usize, wanted: BranchId) -> FlipStatus {
        if at >= self.tree.limits.max_depth {
            return FlipStatus::Beyond;
        }
        let Some(spot) = self.spot(at) else { return FlipStatus::Open };
        if self.tree.is_taken(spot, wanted.0) {
            return FlipStatus::Taken;
        }
        self.tree.nodes[spot.node as usize].mark(spot.at, wanted.0).unwrap_or(FlipStatus::Open)
    }

    /// Whether the flip is worth trying: nobody tried it, and the tree can remember that it was.
    pub fn is_worth(&self, at: usize, wanted: BranchId) -> bool {
        self.status(at, wanted) == FlipStatus::Open
    }

    /// Where the first `at` decisions end.
    fn spot(&self, at: usize) -> Option<Spot> {
        if at > self.shared {
            return None;
        }
        // The last chain that begins before `at` (a place at a node's end belongs to that node, not to its children).
        let leg = self.legs.partition_point(|&(start, _)| start < at).max(1) - 1;
        let (start, node) = self.legs[leg];
        Some(Spot { node, at: (at - start) as u32 })
    }
}
