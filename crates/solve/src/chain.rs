//! The one place where the stages of solving are put together.

use crate::{
    Answer, CacheLimits, Cached, Checked, Clock, Domains, InTurn, Lazy, Limits, Metered, Query, Simplified,
    Sliced, Solver, StageStats,
};

/// A back end with all stages around it.
pub struct Chain {
    stages: Box<dyn Solver>,
}

/// All stages around `backend`, which gets what no stage can answer. `clock` is for statistics and for time limits that stages share.
pub fn chain(backend: impl Solver + 'static, clock: &Clock) -> Chain {
    chain_with(Vec::new(), backend, Vec::new(), CacheLimits::default(), clock)
}

/// All stages around `searches`, which are asked in turn first, `backend`, and `last`, which are asked when it gave up.
///
/// From the outside in: the list of constraints is simplified; the goal's part of it is cut out; what is said
/// of single bytes is decided by trying their values; earlier answers are tried; then searches and back end in turn, the
/// back end about as much of the path as it takes; the reference evaluator must confirm their models. What the stages
/// outside the check answer is right by how they are made: a recent model is evaluated, an exact answer was confirmed
/// before for the same expressions, and slicing keeps whatever the run's own bytes do not satisfy.
pub fn chain_with(
    searches: Vec<Box<dyn Solver>>,
    backend: impl Solver + 'static,
    last: Vec<Box<dyn Solver>>,
    limits: CacheLimits,
    clock: &Clock,
) -> Chain {
    let metered = |stage| Box::new(Metered::new(stage, clock.clone())) as Box<dyn Solver>;
    let checked = |solver: Box<dyn Solver>| metered(Box::new(Checked::new(solver)) as Box<dyn Solver>);

    let mut in_turn: Vec<_> = searches.into_iter().map(|search| checked(metered(search))).collect();
    let speaker = in_turn.len();
    in_turn.push(checked(metered(Box::new(Lazy::new(metered(Box::new(backend)), clock.clone())))));
    in_turn.extend(last.into_iter().map(|search| checked(metered(search))));

    let stages = InTurn::new(in_turn, speaker, clock.clone());
    let stages = metered(Box::new(Cached::new(stages, limits)));
    let stages = metered(Box::new(Domains::new(stages)));
    let stages = metered(Box::new(Sliced::new(stages)));
    let stages = metered(Box::new(Simplified::new(stages)));
    Chain { stages }
}

impl Chain {
    /// Counts of every stage, outermost first.
    pub fn stats(&self) -> Vec<StageStats> {
        let mut stages = Vec::new();
        self.stages(&mut stages);
        stages
    }
}

impl Solver for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        self.stages.solve(query, limits)
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.stages.stages(stages);
    }
}
