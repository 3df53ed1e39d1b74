//! Nodes of the radix tree: a chain of steps, what is known at each place along it, and the forks at its end.

use crate::FlipStatus;
use crate::steps::Steps;

/// Number of a node.
pub(crate) type NodeId = u32;
/// Parent of the root.
pub(crate) const NONE: NodeId = u32::MAX;
/// The "step" of the mark that says: some path ended here.
pub(crate) const END: u32 = u32::MAX;

/// What is known of `step` after `at` steps of a node's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) at: u32,
    pub(crate) step: u32,
    pub(crate) status: FlipStatus,
}

/// A chain without forks.
#[derive(Debug)]
pub(crate) struct Node {
    /// The steps from the parent's end to this node's end; empty only in the root.
    pub(crate) steps: Steps,
    /// Chains that go on from the end; their first steps differ.
    pub(crate) kids: Vec<NodeId>,
    /// Sorted by `at`, then `step`.
    pub(crate) marks: Vec<Mark>,
    pub(crate) parent: NodeId,
    /// When it was last walked along for an insertion or a mark.
    pub(crate) touched: u32,
}

impl Node {
    pub(crate) fn new(steps: Steps, parent: NodeId, touched: u32) -> Node {
        Node { steps, kids: Vec::new(), marks: Vec::new(), parent, touched }
    }

    /// What the marks say of `step` after `at` steps.
    pub(crate) fn mark(&self, at: u32, step: u32) -> Option<FlipStatus> {
        self.find(at, step).ok().map(|i| self.marks[i].status)
    }

    /// Sets a mark; what it said before.
    pub(crate) fn set_mark(&mut self, at: u32, step: u32, status: FlipStatus) -> Option<FlipStatus> {
        match self.find(at, step) {
            Ok(i) => Some(std::mem::replace(&mut self.marks[i].status, status)),
            Err(i) => {
                self.marks.insert(i, Mark { at, step, status });
                None
            }
        }
    }

    /// Removes a mark.
    pub(crate) fn clear_mark(&mut self, at: u32, step: u32) {
        if let Ok(i) = self.find(at, step) {
            self.marks.remove(i);
        }
    }

    fn find(&self, at: u32, step: u32) -> Result<usize, usize> {
        self.marks.binary_search_by_key(&(at, step), |m| (m.at, m.step))
    }

    /// Bytes used, approximately (with the allocator's overhead).
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Node>()
            + 32
            + self.steps.bytes()
            + self.kids.capacity() * 4
            + self.marks.capacity() * size_of::<Mark>()
    }
}
