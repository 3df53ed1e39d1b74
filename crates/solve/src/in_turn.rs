//! Decorator: several solvers, cheap ones first. The place of searches in native code and of interval propagation.

use crate::{Answer, Limits, Query, Solver, StageStats, Unknown};

/// Asks solvers one after the other until one knows the answer. If none does, the last one's reason stands.
pub struct InTurn {
    solvers: Vec<Box<dyn Solver>>,
}

impl InTurn {
    /// In the order given.
    pub fn new(solvers: Vec<Box<dyn Solver>>) -> InTurn {
        InTurn { solvers }
    }
}

impl Solver for InTurn {
    fn name(&self) -> &'static str {
        "in turn"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let mut answer = Answer::Unknown(Unknown::Unsupported("no solver is set up".into()));
        for solver in &mut self.solvers {
            answer = solver.solve(query, limits);
            if !matches!(answer, Answer::Unknown(_)) {
                break;
            }
        }
        answer
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        for solver in &self.solvers {
            solver.stages(stages);
        }
    }
}
