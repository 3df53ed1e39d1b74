//! Runs whose traces a worker has lifted into expressions, and the questions it asks of them.
//!
//! A worker lifts all its runs into one arena: runs of one program share most of their expressions, and a solver
//! keeps what it translated as long as the arena stays the same ([`solve::Query::arena_id`]), also when a strategy
//! goes from run to run. When it has grown too large, everything is dropped and a new arena begun.

use crate::probe::{Probe, Where};
use crate::recent::Recorded;
use crate::repair::Repair;
use crate::task::Flip;
use events::RunId;
use expr::{Arena, ExprId};
use program::{BranchId, ProgramMap};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use trace::{DATA, Decision, Event, EventKind, Goal, Lifted, Step, Trace, more_events_alike};

/// A shared trace, as [`Lifted`] wants to hold it.
#[derive(Clone, Debug)]
pub struct Shared(pub Arc<Recorded>);

impl AsRef<Trace> for Shared {
    fn as_ref(&self) -> &Trace {
        &self.0.trace
    }
}

/// How firmly a constraint of a path holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    /// No jump depends on it: another outcome makes other values, and no other path.
    Data,
    /// A value pinned where precision was lost: a guess.
    Pin,
    /// The path is taken only while it holds.
    Path,
}

impl Hold {
    fn of(event: &Event) -> Hold {
        match EventKind::from_u8(event.kind) {
            Some(EventKind::Pin) => Hold::Pin,
            Some(EventKind::Branch) if event.aux == DATA => Hold::Data,
            _ => Hold::Path,
        }
    }
}

/// One constraint of a path.
#[derive(Clone, Copy, Debug)]
struct Constraint {
    expr: ExprId,
    hold: Hold,
    /// Index of its event in the trace.
    event: u32,
}

/// A lifted run with its path constraint so far.
pub struct LiftedRun {
    /// Identifies the arena for solvers.
    pub arena_id: u64,
    /// The expressions.
    pub lifted: Lifted<Shared>,
    path: Vec<Constraint>,
    /// Length of `path` before each event looked at so far.
    upto: Vec<u32>,
    /// What stands in `path`, and how firmly it holds.
    known: FxHashMap<ExprId, Hold>,
    recorded: Arc<Recorded>,
}

/// What must hold for a flip or a repair: constraints of the path, then the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Everything, pins included; the goal is last.
    pub constraints: Vec<ExprId>,
    /// Which of them are pins: indexes, ascending.
    pub pins: Vec<usize>,
    /// Which of them the path does not need: decisions that no jump depends on, ascending.
    pub data: Vec<usize>,
    /// The event in the trace that each comes from, but for the goal.
    pub events: Vec<u32>,
}

impl Question {
    /// Whether constraint `k` is a pin.
    pub fn is_pin(&self, k: usize) -> bool {
        self.pins.binary_search(&k).is_ok()
    }

    /// Whether the path does without constraint `k`.
    pub fn is_data(&self, k: usize) -> bool {
        self.data.binary_search(&k).is_ok()
    }

    /// The decisions of `path` that these constraints come from, ascending.
    pub fn decisions(&self, constraints: &[usize], path: &[Decision]) -> Vec<u32> {
        let events = constraints.iter().filter_map(|&k| self.events.get(k));
        let at = |event: &u32| path.binary_search_by_key(event, |decision| decision.event).ok();
        let mut all: Vec<u32> = events.filter_map(at).map(|at| at as u32).collect();
        all.sort_unstable();
        all
    }

    /// The branches that these constraints come from, the goal aside, in the order of the path; `None` if one comes from
    /// something else.
    pub fn contradicts(&self, constraints: &[usize], path: &[Decision]) -> Option<Vec<BranchId>> {
        let branch = |&event: &u32| {
            let at = path.binary_search_by_key(&event, |decision| decision.event).ok()?;
            match path[at].step {
                Step::Branch(branch) => Some(branch),
                Step::Call { .. } => None,
            }
        };
        constraints.iter().filter_map(|&k| self.events.get(k)).map(branch).collect()
    }
}

impl LiftedRun {
    /// Nothing is lifted yet.
    pub fn new(arena_id: u64, recorded: Arc<Recorded>) -> LiftedRun {
        let lifted = Lifted::new(Shared(recorded.clone()));
        let (path, upto, known) = Default::default();
        LiftedRun { arena_id, lifted, path, upto, known, recorded }
    }

    /// Takes over what another run has in common with this one, of which nothing is lifted yet: the run of a flip does what its parent
    /// did up to the flip. Both must get the same arena.
    fn begin_like(&mut self, other: &LiftedRun) {
        let alike = self.lifted.take_over(&other.lifted);
        let events = alike.min(other.upto.len());
        self.upto = other.upto[..events].to_vec();
        let constraints = other.upto.get(events).map_or(other.path.len(), |&n| n as usize);
        self.path = other.path[..constraints].to_vec();
        self.known = self.path.iter().map(|c| (c.expr, c.hold)).collect();
    }

    /// The run's input and trace.
    pub fn recorded(&self) -> &Arc<Recorded> {
        &self.recorded
    }

    /// What must hold for `flip`, or why that cannot be said.
    ///
    /// # Errors
    /// A text for people, when the trace has no such decision or the wanted branch is not one of it.
    pub fn question(&mut self, flip: &Flip, map: &ProgramMap) -> Result<Question, String> {
        let decision = self.recorded.path.decisions.get(flip.at as usize).copied();
        let decision = decision.ok_or_else(|| format!("the path has no decision {}", flip.at))?;
        let event = decision.event as usize;
        let goal = self.lifted.goal(event, Goal::Take(flip.branch), map);
        let goal = goal.ok_or_else(|| format!("decision {} has no branch {}", flip.at, flip.branch.0))?;
        Ok(self.reach(event, goal, map))
    }

    /// What must hold for `repair`, or why that cannot be said.
    ///
    /// # Errors
    /// A text for people, when the trace has no assumption there.
    pub fn repair(&mut self, repair: &Repair, map: &ProgramMap) -> Result<Question, String> {
        let at = repair.at as usize;
        let assumed = self.lifted.trace().events.get(at).filter(|e| e.kind == EventKind::Assume as u8);
        let goal = if assumed.is_some() { self.lifted.goal(at, Goal::Other, map) } else { None };
        let goal = goal.ok_or_else(|| format!("event {at} is no assumption"))?;
        Ok(self.reach(at, goal, map))
    }

    /// What must hold for `probe`, or why that cannot be said.
    ///
    /// # Errors
    /// A text for people, when the trace has no such condition there.
    pub fn probe(&mut self, probe: &Probe, map: &ProgramMap) -> Result<Question, String> {
        let at = probe.at as usize;
        let goal = match probe.to {
            Where::Far => self.lifted.far_outside(at),
            Where::Outside => self.lifted.goal(at, Goal::Other, map),
        };
        let goal = goal.ok_or_else(|| format!("event {at} is no condition of an access"))?;
        Ok(self.reach(at, goal, map))
    }

    /// The path up to (and without) `event`, then `goal`.
    fn reach(&mut self, event: usize, goal: ExprId, map: &ProgramMap) -> Question {
        self.extend(event, map);
        let path = &self.path[..self.upto[event] as usize];
        let all = |hold: Hold| (0..path.len()).filter(|&k| path[k].hold == hold).collect();
        let (pins, data) = (all(Hold::Pin), all(Hold::Data));
        let constraints = path.iter().map(|c| c.expr).chain([goal]).collect();
        let events = path.iter().map(|c| c.event).collect();
        Question { constraints, pins, data, events }
    }

    /// Brings the path constraint up to (and without) event `upto`.
    fn extend(&mut self, upto: usize, map: &ProgramMap) {
        while self.upto.len() <= upto {
            let index = self.upto.len();
            self.upto.push(self.path.len() as u32);
            if let Some(expr) = self.lifted.constraint(index, map)
                && !self.lifted.arena.is_true(expr)
            {
                let hold = Hold::of(&self.lifted.trace().events[index]);
                // It may come again and hold more firmly.
                if self.known.get(&expr).is_none_or(|&known| known < hold) {
                    self.known.insert(expr, hold);
                    self.path.push(Constraint { expr, hold, event: index as u32 });
                }
            }
        }
    }
}

/// A worker's lifted runs, most recently used last.
pub struct LiftedRuns {
    /// Only the last of them holds the arena; the others' are empty.
    runs: VecDeque<(RunId, LiftedRun)>,
    max_nodes: usize,
    worker: u32,
    generation: u64,
}

/// Lifted runs kept at once.
const MAX_RUNS: usize = 64;

impl LiftedRuns {
    /// Begins a new arena when the old one has about `max_nodes` expressions.
    pub fn new(worker: u32, max_nodes: usize) -> LiftedRuns {
        LiftedRuns { runs: VecDeque::new(), max_nodes, worker, generation: 0 }
    }

    /// Whether the run is lifted.
    pub fn contains(&self, run: RunId) -> bool {
        self.runs.iter().any(|(r, _)| *r == run)
    }

    /// The lifted run, made from its trace if it is not here.
    pub fn get(
        &mut self,
        run: RunId,
        recorded: impl FnOnce() -> Option<Arc<Recorded>>,
    ) -> Option<&mut LiftedRun> {
        let found = self.runs.iter().position(|(r, _)| *r == run);
        let recorded = if found.is_none() { Some(recorded()?) } else { None };
        let mut arena =
            self.runs.back_mut().map(|(_, last)| std::mem::take(&mut last.lifted.arena)).unwrap_or_default();
        let known = found.and_then(|k| self.runs.remove(k));
        let mut entry = known.or_else(|| recorded.map(|r| (run, self.begun(r))))?;
        if self.is_full(&arena, &entry.1) {
            let recorded = entry.1.recorded.clone();
            entry.1 = LiftedRun::new(0, recorded);
            arena = Arena::new();
            self.runs.clear();
            self.generation += 1;
        }
        entry.1.lifted.arena = arena;
        entry.1.arena_id = u64::from(self.worker) << 48 | self.generation;
        if self.runs.len() >= MAX_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(entry);
        self.runs.back_mut().map(|(_, r)| r)
    }

    /// A run that is new here, begun like the one that it has most in common with.
    fn begun(&self, recorded: Arc<Recorded>) -> LiftedRun {
        let mut run = LiftedRun::new(0, recorded);
        let mut best = (0, None);
        for (_, other) in self.runs.iter().rev() {
            if let Some(alike) = more_events_alike(run.lifted.trace(), other.lifted.trace(), best.0) {
                best = (alike, Some(other));
            }
        }
        if let Some(other) = best.1 {
            run.begin_like(other);
        }
        run
    }

    /// Forgets all runs and begins a new arena: runs are numbered anew.
    pub fn begin_anew(&mut self) {
        self.runs.clear();
        self.generation += 1;
    }

    /// Whether arena and traces have grown too large; a single run is given more room.
    fn is_full(&self, arena: &Arena, next: &LiftedRun) -> bool {
        let labels: usize = self.runs.iter().map(|(_, r)| r.lifted.trace().nodes.len()).sum();
        let used = arena.len() + (labels + next.lifted.trace().nodes.len()) / 2;
        used > if self.runs.is_empty() { 4 * self.max_nodes } else { self.max_nodes }
    }
}
