//! Distances in the graph: how many branches lie between a statement and the nearest uncovered branch
//! (*UncoveredDistance* of Burnim & Sen 2008, section 4.3).
//!
//! One run of Dijkstra's algorithm on the reversed graph from all uncovered branches. All weights are 0 or 1 (1 iff
//! the edge's target is a branch), so a double-ended queue takes the place of the heap.

use crate::{BranchId, Cfcg, Coverage, Vertex};
use std::collections::VecDeque;

/// Distance of every vertex to the nearest of a set of branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    to: Vec<u32>,
    branches: u32,
}

const FAR: u32 = u32::MAX;

impl Distances {
    /// To the branches that are not covered.
    pub fn to_uncovered(graph: &Cfcg, coverage: &Coverage) -> Distances {
        Distances::to(graph, coverage.uncovered())
    }

    /// To these branches.
    pub fn to(graph: &Cfcg, goals: impl IntoIterator<Item = BranchId>) -> Distances {
        Distances::to_vertices(graph, goals.into_iter().map(|goal| graph.branch(goal)))
    }

    /// To these places: a branch that leads to one without another branch on the way has distance 0, as a goal has.
    pub fn to_vertices(graph: &Cfcg, goals: impl IntoIterator<Item = Vertex>) -> Distances {
        let mut to = vec![FAR; graph.len()];
        let mut queue = VecDeque::new();
        for v in goals {
            to[v.0 as usize] = 0;
            queue.push_back((0, v));
        }
        while let Some((distance, v)) = queue.pop_front() {
            if distance > to[v.0 as usize] {
                continue;
            }
            let weight = u32::from(graph.as_branch(v).is_some());
            for p in graph.predecessors(v) {
                let new = distance + weight;
                if new < to[p.0 as usize] {
                    to[p.0 as usize] = new;
                    if weight == 0 { queue.push_front((new, p)) } else { queue.push_back((new, p)) }
                }
            }
        }
        Distances { to, branches: graph.branches() }
    }

    /// Fewest branches on a path from `v` (not counted) to a goal (counted); `None` if there is no path.
    pub fn of(&self, v: Vertex) -> Option<u32> {
        self.to.get(v.0 as usize).copied().filter(|&d| d != FAR)
    }

    /// Distance from a branch; 0 if it is itself a goal; `None` for decisions of library models, which have no place in
    /// the graph.
    pub fn of_branch(&self, branch: BranchId) -> Option<u32> {
        if branch.0 < self.branches { self.of(Vertex(branch.0)) } else { None }
    }
}
