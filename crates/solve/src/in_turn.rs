//! Decorator: several solvers, cheap ones first. The place of searches.

use crate::{Answer, Limits, Query, Solver, StageStats, Unknown};

/// Asks solvers one after the other until one knows the answer. If none does, the reason of one of them stands.
pub struct InTurn {
    solvers: Vec<Box<dyn Solver>>,
    speaker: usize,
}

impl InTurn {
    /// In the order given; `speaker` is the index of the one whose reason for not answering stands.
    pub fn new(solvers: Vec<Box<dyn Solver>>, speaker: usize) -> InTurn {
        InTurn { solvers, speaker }
    }
}

impl Solver for InTurn {
    fn name(&self) -> &'static str {
        "in turn"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let mut reason = Unknown::Unsupported("no solver is set up".into());
        for (k, solver) in self.solvers.iter_mut().enumerate() {
            match solver.solve(query, limits) {
                Answer::Unknown(given) if k == self.speaker => reason = given,
                Answer::Unknown(_) => {}
                answer => return answer,
            }
        }
        Answer::Unknown(reason)
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        for solver in &self.solvers {
            solver.stages(stages);
        }
    }
}
