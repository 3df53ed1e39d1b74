//! The one place where the stages of solving are put together.

use crate::{
    Answer, Cached, Checked, Clock, Domains, Goals, InTurn, Lazy, Learned, Limits, Memory, Metered, Query,
    Simplified, Sliced, Solver, StageStats,
};

/// A back end with all stages around it.
pub struct Chain {
    stages: Box<dyn Solver>,
}

/// Which decorators a chain has.
#[derive(Clone, Debug)]
pub struct Decorators {
    /// [`Simplified`].
    pub simplify: bool,
    /// [`Sliced`].
    pub slice: bool,
    /// [`Domains`].
    pub domains: bool,
    /// [`Lazy`], around the back end.
    pub lazy: bool,
    /// [`Learned`], around the back end, and the order in which searches and back end are asked; with the kinds of goals, which stages
    /// outside may share.
    pub learn: Option<Goals>,
    /// [`Cached`], if at all, and what it remembers.
    pub cache: Option<Memory>,
}

impl Default for Decorators {
    fn default() -> Decorators {
        Decorators {
            simplify: true,
            slice: true,
            domains: true,
            lazy: true,
            learn: Some(Goals::default()),
            cache: Some(Memory::default()),
        }
    }
}

/// All stages around `backend`, which gets what no stage can answer. `clock` is for statistics and for time limits that
/// stages share.
pub fn chain(backend: impl Solver + 'static, clock: &Clock) -> Chain {
    chain_with(Vec::new(), Some(Box::new(backend)), Vec::new(), Decorators::default(), clock)
}

/// The decorators around `searches`, which are asked in turn first, `backend`, and `last`, which are asked when it gave
/// up.
///
/// From the outside in: the list of constraints is simplified; the goal's part of it is cut out; what is said
/// of single bytes is decided by trying their values; earlier answers are tried; then searches and back end in turn, the
/// back end about as much of the path as it takes; the reference evaluator must confirm their models. What the stages
/// outside the check answer is right by how they are made: remembered models are evaluated, and slicing keeps whatever the run's
/// own bytes do not satisfy.
pub fn chain_with(
    searches: Vec<Box<dyn Solver>>,
    backend: Option<Box<dyn Solver>>,
    last: Vec<Box<dyn Solver>>,
    decorators: Decorators,
    clock: &Clock,
) -> Chain {
    let metered = |stage| Box::new(Metered::new(stage, clock.clone())) as Box<dyn Solver>;
    let checked = |solver: Box<dyn Solver>| metered(Box::new(Checked::new(solver)) as Box<dyn Solver>);

    // The back end's reason for not answering stands, or that of the last search before it.
    let speaker = if backend.is_some() { searches.len() } else { searches.len().saturating_sub(1) };
    let backend = backend.map(|backend| match decorators.lazy {
        true => Box::new(Lazy::new(metered(backend), clock.clone())) as Box<dyn Solver>,
        false => backend,
    });
    let backend = backend.map(|backend| match &decorators.learn {
        Some(goals) => Box::new(Learned::new(backend, goals.clone())) as Box<dyn Solver>,
        None => backend,
    });
    let in_turn = searches.into_iter().chain(backend).chain(last);
    let in_turn = in_turn.map(|solver| checked(metered(solver))).collect();

    let in_turn = InTurn::new(in_turn, speaker, clock.clone());
    let mut stages: Box<dyn Solver> = Box::new(match decorators.learn {
        Some(goals) => in_turn.learning(goals),
        None => in_turn,
    });
    if let Some(memory) = decorators.cache {
        stages = metered(Box::new(Cached::new(stages, memory)));
    }
    if decorators.domains {
        stages = metered(Box::new(Domains::new(stages)));
    }
    if decorators.slice {
        stages = metered(Box::new(Sliced::new(stages)));
    }
    if decorators.simplify {
        stages = metered(Box::new(Simplified::new(stages)));
    }
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
