//! The paths of all runs in one tree: which decisions were taken where, and what came of each attempt to
//! leave a known path (a *flip*: the same decisions up to a place, then another branch).
//!
//! A path is the list of a run's [`Decision`]s. The tree holds neither expressions nor inputs, only branch
//! numbers: shared prefixes once, chains without forks packed (a radix tree), 2 or 4 bytes a decision.
//!
//! # Bounds
//!
//! [`Limits::max_depth`] decisions of a path are kept; deeper flips are [`FlipStatus::Beyond`], never worth trying.
//! When the tree grows over [`Limits::max_bytes`], the leaves that were explored least recently are
//! dropped until three quarters are left. Of a dropped leaf only the fact remains that its first branch was taken;
//! the knowledge below it is lost, so a flip there may be tried a second time.

#![forbid(unsafe_code)]

mod counts;
mod evict;
mod grow;
mod node;
mod steps;
mod tree;

pub use counts::FlipCounts;
pub use trace::{Decision, RunId, Step};
pub use tree::{Inserted, PathTree, TreeStats, Walk};

/// What is known of a flip: of one branch at one place of a known path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlipStatus {
    /// Never tried.
    Open,
    /// A worker is at it.
    Pending,
    /// Some run went there.
    Taken,
    /// The solver proved that no input goes there.
    Infeasible,
    /// The solver gave no answer.
    GaveUp,
    /// An input was found, but the run went elsewhere.
    Diverged,
    /// Deeper than the tree remembers.
    Beyond,
}

/// How large the tree may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Decisions kept of each path.
    pub max_depth: usize,
    /// Bytes, approximately.
    pub max_bytes: usize,
}

impl Default for Limits {
    /// 65,536 decisions a path, 160 MB.
    fn default() -> Limits {
        Limits { max_depth: 1 << 16, max_bytes: 160 << 20 }
    }
}
