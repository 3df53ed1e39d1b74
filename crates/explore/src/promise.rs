//! What a solved flip promises of its run, and whether the run kept it.

use crate::recent::Recorded;
use events::RunId;
use program::BranchId;
use std::sync::Arc;
use trace::{Decision, Step};

/// The path that a flip's run should take: that of `parent` up to decision `at`, and there `step`.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Run whose path was bent.
    pub parent: RunId,
    /// Its trace.
    pub recorded: Arc<Recorded>,
    /// Index of the flipped decision.
    pub at: u32,
    /// The branch that was promised there.
    pub branch: BranchId,
    /// Decisions that may come out otherwise, ascending.
    pub free: Vec<u32>,
}

/// What a run did with its promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It took the promised path.
    Followed,
    /// It did something else.
    Diverged {
        /// Index of the first decision that differs.
        at: u32,
        /// What was promised there.
        expected: Step,
        /// What it did there; `None` when its path ended before.
        actual: Option<Step>,
        /// It differs before the flipped decision.
        early: bool,
    },
    /// Its trace ended early because records did not fit, so nobody knows.
    Unclear,
}

impl Promise {
    /// Compares the promise with the decisions of the run; `cut` says that the trace was cut off.
    pub fn check(&self, run: &[Decision], cut: bool) -> Kept {
        let at = self.at as usize;
        let parent = &self.recorded.path.decisions;
        let prefix = &parent[..at.min(parent.len())];
        for (k, expected) in prefix.iter().enumerate() {
            let actual = run.get(k).map(|d| d.step);
            let is_free = || self.free.binary_search(&(k as u32)).is_ok();
            if actual == Some(expected.step) || (actual.is_some() && is_free()) {
                continue;
            }
            if actual.is_none() && cut {
                return Kept::Unclear;
            }
            return Kept::Diverged { at: k as u32, expected: expected.step, actual, early: true };
        }
        let actual = run.get(at).map(|d| d.step);
        let expected = Step::Branch(self.branch);
        match actual {
            Some(step) if step == expected => Kept::Followed,
            None if cut => Kept::Unclear,
            _ => Kept::Diverged { at: self.at, expected, actual, early: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strategy::RunPath;
    use trace::{Input, Trace};

    fn steps(branches: &[u32]) -> Vec<Decision> {
        let decision = |(k, &b): (usize, &u32)| Decision {
            event: k as u32,
            step: Step::Branch(BranchId(b)),
            callees: 0,
            context: 0,
        };
        branches.iter().enumerate().map(decision).collect()
    }

    fn branch(b: u32) -> Step {
        Step::Branch(BranchId(b))
    }

    fn promise(path: &[u32], at: u32, branch: u32) -> Promise {
        let path = Arc::new(RunPath { decisions: steps(path), ..RunPath::default() });
        let recorded = Recorded { input: Input::default(), trace: Trace::default(), path };
        let (parent, recorded, branch) = (RunId(0), Arc::new(recorded), BranchId(branch));
        Promise { parent, recorded, at, branch, free: Vec::new() }
    }

    #[test]
    fn the_prefix_and_the_flip_must_match() {
        let p = promise(&[1, 3, 5, 7], 2, 4);
        assert_eq!(p.check(&steps(&[1, 3, 4, 9, 9]), false), Kept::Followed);
        let late = Kept::Diverged { at: 2, expected: branch(4), actual: Some(branch(5)), early: false };
        assert_eq!(p.check(&steps(&[1, 3, 5]), false), late);
        let early = Kept::Diverged { at: 1, expected: branch(3), actual: Some(branch(2)), early: true };
        assert_eq!(p.check(&steps(&[1, 2, 4]), false), early);
        let ended = Kept::Diverged { at: 1, expected: branch(3), actual: None, early: true };
        assert_eq!(p.check(&steps(&[1]), false), ended);
    }

    #[test]
    fn what_was_let_go_may_come_out_otherwise() {
        let p = Promise { free: vec![0], ..promise(&[1, 3, 5], 2, 6) };
        assert_eq!(p.check(&steps(&[2, 3, 6]), false), Kept::Followed);
        assert!(matches!(p.check(&steps(&[2, 4, 6]), false), Kept::Diverged { at: 1, early: true, .. }));
        assert!(matches!(p.check(&[], false), Kept::Diverged { at: 0, .. }), "it must be made");
    }

    #[test]
    fn a_cut_trace_proves_nothing_beyond_its_end() {
        let p = promise(&[1, 3, 5], 2, 4);
        assert_eq!(p.check(&steps(&[1]), true), Kept::Unclear);
        assert_eq!(p.check(&steps(&[1, 3]), true), Kept::Unclear);
        assert!(matches!(p.check(&steps(&[2]), true), Kept::Diverged { at: 0, .. }));
    }
}
