//! Bounded depth-first search: *BoundedDFS(p, i, depth)* of Burnim & Sen, "Heuristics for Scalable Dynamic Test
//! Generation", UCB/EECS-2008-123, section 2.4.
//!
//! Along the current path, from position i, the first branch not picked yet is forced; when that succeeds, the new
//! path is searched likewise from the next position, with the depth that is left; then the search goes on along the
//! old path. Branches that cannot be forced (infeasible, no answer, divergence) do not count towards the depth.
//!
//! The paper's text hands `depth - 1` to every recursive call, but its count of exactly 2^d - 1 forced branches needs the
//! depth to shrink by each branch forced before along the same path (and CREST does so): that is what is done here.
//!
//! What differs: the recursion is an explicit stack. A switch counts once however many of its other branches are
//! forced. When the search is finished with budget left, it begins again at the next seed, then at random inputs.

use crate::flips::alternatives;
use crate::start::{Begin, Start, Starts};
use crate::{Goal, GoalResult, Strategy, View};
use program::BranchId;
use trace::RunId;

/// Bounded depth-first search.
#[derive(Debug)]
pub struct BoundedDfs {
    depth: u32,
    starts: Starts,
    stack: Vec<Frame>,
}

/// One call of BoundedDFS.
#[derive(Debug)]
struct Frame {
    run: RunId,
    /// The decision picked.
    at: usize,
    /// How many of its other branches have been picked.
    picked: usize,
    /// Whether one of them was forced.
    forced: bool,
    /// Decisions that may still be forced along this path.
    depth: u32,
}

impl BoundedDfs {
    /// A search to this depth.
    pub fn new(start: Start, depth: u32) -> BoundedDfs {
        BoundedDfs { depth, starts: Starts::new(start, false), stack: Vec::new() }
    }

    fn call(&mut self, run: RunId, at: usize, depth: u32) {
        self.stack.push(Frame { run, at, picked: 0, forced: false, depth });
    }
}

impl Frame {
    /// The next branch to force along this path; `None` when this call is done.
    fn pick(&mut self, view: &View<'_>) -> Option<Goal> {
        let path = view.paths.path(self.run)?;
        while self.depth > 0 {
            let decision = path.decisions.get(self.at)?;
            if let Some(branch) = alternatives(view.known.map(), decision).nth(self.picked) {
                self.picked += 1;
                return Some(Goal::Flip { run: self.run, at: self.at as u32, branch });
            }
            self.depth -= u32::from(self.forced);
            (self.at, self.picked, self.forced) = (self.at + 1, 0, false);
        }
        None
    }
}

impl Strategy for BoundedDfs {
    fn next(&mut self, view: &View<'_>) -> Goal {
        loop {
            while let Some(frame) = self.stack.last_mut() {
                if let Some(goal) = frame.pick(view) {
                    return goal;
                }
                self.stack.pop();
            }
            match self.starts.begin() {
                Begin::At(run) => self.call(run, 0, self.depth),
                Begin::Ask(goal) => return goal,
            }
        }
    }

    fn observe(&mut self, _: &View<'_>, goal: &Goal, result: &GoalResult) {
        let Some(run) = result.run() else { return };
        match (*goal, self.stack.last_mut()) {
            (Goal::Flip { at, .. }, Some(frame)) => {
                frame.forced = true;
                let left = frame.depth - 1;
                self.call(run, at as usize + 1, left);
            }
            _ => self.call(run, 0, self.depth),
        }
    }

    fn adopt(&mut self, _: &View<'_>, run: RunId, _: &[BranchId]) {
        self.starts.add(run);
    }
}
