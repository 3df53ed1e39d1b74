//! How the tree stays within its bounds: what was explored least recently goes first.

use crate::node::{NONE, Node, NodeId};
use crate::steps::Steps;
use crate::tree::{PathTree, ROOT};
use crate::{FlipCounts, FlipStatus};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl PathTree {
    /// Bytes used, approximately.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.interner.bytes() + self.counts.len() * size_of::<FlipCounts>();
        self.stats.bytes + tables + self.free.len() * (size_of::<Node>() + 4)
    }

    /// If the tree is over its bound, drops leaves, except `keep`, until three quarters of it are left. If `keep`
    /// and what leads there alone are too large, everything is forgotten.
    pub(crate) fn shrink_if_needed(&mut self, keep: NodeId) {
        if self.bytes() <= self.limits.max_bytes {
            return;
        }
        let goal = self.limits.max_bytes / 4 * 3;
        let is_leaf = |(_, n): &(NodeId, &Node)| n.kids.is_empty() && n.parent != NONE;
        let leaves = (0..).zip(&self.nodes).filter(is_leaf).map(|(id, n)| Reverse((n.touched, id)));
        let mut oldest: BinaryHeap<_> = leaves.collect();
        while self.bytes() > goal
            && let Some(Reverse((_, leaf))) = oldest.pop()
        {
            if leaf == keep {
                continue;
            }
            let parent = self.drop_leaf(leaf);
            let above = &self.nodes[parent as usize];
            if above.kids.is_empty() && above.parent != NONE {
                oldest.push(Reverse((above.touched, parent)));
            }
        }
        if self.bytes() > self.limits.max_bytes {
            self.forget_all();
        }
    }

    /// Drops a leaf, leaving a mark that its first branch was taken; its parent.
    fn drop_leaf(&mut self, leaf: NodeId) -> NodeId {
        let gone = std::mem::replace(&mut self.nodes[leaf as usize], Node::new(Steps::new(&[]), NONE, 0));
        self.stats.bytes -= gone.bytes();
        self.stats.nodes -= 1;
        self.stats.evicted += 1;
        self.free.push(leaf);
        let end = self.nodes[gone.parent as usize].steps.len() as u32;
        self.change(gone.parent, |parent| {
            parent.kids.retain(|&k| k != leaf);
            if let Some(first) = gone.steps.get(0) {
                parent.set_mark(end, first, FlipStatus::Taken);
            }
        });
        gone.parent
    }

    fn forget_all(&mut self) {
        self.stats.evicted += self.stats.nodes as u64;
        self.nodes.clear();
        self.nodes.push(Node::new(Steps::new(&[]), NONE, 0));
        self.free.clear();
        self.stats.nodes = 1;
        self.stats.bytes = self.nodes[ROOT as usize].bytes();
    }
}
