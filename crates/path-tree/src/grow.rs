//! How the tree grows: chains are added, and split where a path leaves them.

use crate::node::{Node, NodeId};
use crate::steps::{Steps, branch_of};
use crate::tree::{PathTree, ROOT, Spot};
use crate::{Decision, FlipCounts};

impl PathTree {
    /// Makes sure that `path` (not deeper than the limit) is in the tree; where it ends, and how much of it was there.
    pub(crate) fn add_prefix(&mut self, path: &[Decision]) -> (Spot, usize) {
        self.now = self.now.saturating_add(1);
        let mut depth = 0;
        let mut node = ROOT;
        loop {
            self.nodes[node as usize].touched = self.now;
            let end = Spot { node, at: self.nodes[node as usize].steps.len() as u32 };
            let Some(next) = path.get(depth) else { return (end, depth) };
            let first = self.interner.known(next.step);
            let Some(kid) = self.kid(node, first) else {
                return (self.add_leaf(node, &path[depth..]), depth);
            };
            let chain = &self.nodes[kid as usize].steps;
            let common = chain.common(path[depth..].iter().map(|d| self.interner.known(d.step)));
            depth += common;
            if common < chain.len() {
                self.nodes[kid as usize].touched = self.now;
                if depth == path.len() {
                    return (Spot { node: kid, at: common as u32 }, depth);
                }
                self.split(kid, common);
            }
            node = kid;
        }
    }

    /// Hangs a new chain under the end of `parent`.
    fn add_leaf(&mut self, parent: NodeId, path: &[Decision]) -> Spot {
        let steps: Vec<u32> = path.iter().map(|d| self.interner.number(d.step)).collect();
        for branch in steps.iter().filter_map(|&s| branch_of(s)) {
            if let Some(FlipCounts { decided, .. }) = self.counts.get_mut(branch) {
                *decided = decided.saturating_add(1);
            }
        }
        let leaf = self.add_node(Node::new(Steps::new(&steps), parent, self.now));
        let end = self.nodes[parent as usize].steps.len() as u32;
        self.change(parent, |node| {
            node.kids.push(leaf);
            node.clear_mark(end, steps[0]);
        });
        Spot { node: leaf, at: steps.len() as u32 }
    }

    /// Splits `node` after `at` of its steps; it stays the upper part.
    fn split(&mut self, node: NodeId, at: usize) {
        let upper = &mut self.nodes[node as usize];
        self.stats.bytes -= upper.bytes();
        let (head, tail) = upper.steps.split(at);
        upper.steps = head;
        let mut lower = Node::new(tail, node, upper.touched);
        lower.kids = std::mem::take(&mut upper.kids);
        let first_below = upper.marks.partition_point(|m| m.at as usize <= at);
        lower.marks = upper.marks.split_off(first_below);
        lower.marks.iter_mut().for_each(|m| m.at -= at as u32);
        let kids = lower.kids.clone();
        self.stats.bytes += self.nodes[node as usize].bytes();
        let lower = self.add_node(lower);
        for kid in kids {
            self.nodes[kid as usize].parent = lower;
        }
        self.change(node, |node| node.kids.push(lower));
    }

    fn add_node(&mut self, node: Node) -> NodeId {
        self.stats.bytes += node.bytes();
        self.stats.nodes += 1;
        if let Some(id) = self.free.pop() {
            self.nodes[id as usize] = node;
            return id;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    /// Changes a node, keeping the count of bytes.
    pub(crate) fn change<T>(&mut self, node: NodeId, f: impl FnOnce(&mut Node) -> T) -> T {
        let node = &mut self.nodes[node as usize];
        let before = node.bytes();
        let result = f(node);
        self.stats.bytes = self.stats.bytes + node.bytes() - before;
        result
    }
}
