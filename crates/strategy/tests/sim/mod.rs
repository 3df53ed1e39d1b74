//! A loop in miniature: a strategy against a pretend target, with a complete "solver" for programs whose conditions
//! each depend on one input byte (it tries all 256 values).

use program::BranchId;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use strategy::{Goal, GoalResult, Kind, Knowledge, Options, Paths, RunId, RunPath, Spent, Strategies, View};
use trace::testing::{FakeTarget, Program};
use trace::{Decision, Input, Mode, Outcome, Request, Run, Target};

pub struct Sim {
    target: RefCell<FakeTarget>,
    pub known: Knowledge,
    pub runs: Vec<(Vec<u8>, Arc<RunPath>)>,
    by_input: HashMap<Vec<u8>, RunId>,
    pub strategies: Strategies,
    pub goals: Vec<Goal>,
    pub crashed: bool,
    len: usize,
    dice: u64,
    /// How many flips led to a run.
    pub forced: usize,
    /// How many runs were made for goals.
    pub made: usize,
    /// The run that the last successful goal gave.
    pub last_run: Option<RunId>,
}

struct Stored<'a>(&'a [(Vec<u8>, Arc<RunPath>)]);

impl Paths for Stored<'_> {
    fn path(&self, run: RunId) -> Option<Arc<RunPath>> {
        self.0.get(run.0 as usize).map(|(_, p)| p.clone())
    }
}

impl Sim {
    /// `len`: bytes of every input.
    pub fn new(program: &Program, kind: Kind, seed: u64, options: Options, len: usize) -> Sim {
        let target = FakeTarget::new(program);
        let known = Knowledge::new(Arc::new(target.map().clone()), path_tree::Limits::default());
        Sim {
            target: RefCell::new(target),
            known,
            runs: Vec::new(),
            by_input: HashMap::new(),
            strategies: strategy::make(kind, 1, seed, options),
            goals: Vec::new(),
            crashed: false,
            len,
            dice: seed ^ 0x1234_5678,
            forced: 0,
            made: 0,
            last_run: None,
        }
    }

    fn execute(&self, data: &[u8]) -> (Run, RunPath) {
        let input = Input::stdin(data);
        let request = Request { input: &input, mode: Mode::Symbolic, value_seed: None, max_inputs: None };
        let run = self.target.borrow_mut().run(&request).expect("a pretend target runs");
        let trace = run.trace.as_ref().expect("symbolic");
        let decisions = trace::decisions(trace, self.known.map());
        let log_at = decisions.iter().map(|d| trace.events[d.event as usize].pos).collect();
        let path = RunPath {
            decisions,
            log: trace.path.clone(),
            log_at: if trace.path.is_empty() { Vec::new() } else { log_at },
            lengths: vec![data.len() as u64],
            past_end: run.past_end.clone(),
        };
        (run, path)
    }

    fn take_in(&mut self, data: Vec<u8>) -> (RunId, Vec<BranchId>) {
        let (run, path) = self.execute(&data);
        self.crashed |= matches!(run.outcome, Outcome::Signal(_));
        self.known.tree.insert(&path.decisions);
        let new = self.known.cover(&run.covered, &run.entered);
        let id = RunId(self.runs.len() as u64);
        self.by_input.insert(data.clone(), id);
        self.runs.push((data, Arc::new(path)));
        (id, new)
    }

    /// A seed.
    pub fn seed(&mut self, data: &[u8]) {
        let (run, new) = self.take_in(data.to_vec());
        let view = View { known: &self.known, paths: &Stored(&self.runs), busy: false };
        for s in self.strategies.each() {
            s.adopt(&view, run, &new);
        }
    }

    /// An aim led to a run of this input, which covered nothing new.
    pub fn aimed(&mut self, data: &[u8]) -> RunId {
        let (run, new_branches) = self.take_in(data.to_vec());
        assert_eq!(new_branches, []);
        let view = View { known: &self.known, paths: &Stored(&self.runs), busy: false };
        let result = GoalResult::NewRun { run, followed: true, new_branches };
        self.strategies.of(0).observe(&view, &Goal::Aim, &result);
        run
    }

    /// One turn; `false` when the strategy is finished.
    pub fn turn(&mut self) -> bool {
        let goal = {
            let view = View { known: &self.known, paths: &Stored(&self.runs), busy: false };
            self.strategies.of(0).next(&view)
        };
        self.goals.push(goal);
        if goal == Goal::Finished {
            return false;
        }
        let result = self.pursue(&goal);
        self.last_run = result.run().or(self.last_run);
        let view = View { known: &self.known, paths: &Stored(&self.runs), busy: false };
        // A batch costs what thirty flips do.
        let work = if matches!(goal, Goal::Cheap(_)) { 30_000 } else { 1_000 };
        self.strategies.of(0).charge(&goal, Spent { work, runs: 1 });
        self.strategies.of(0).observe(&view, &goal, &result);
        true
    }

    fn random(&mut self) -> Vec<u8> {
        let len = self.len;
        (0..len)
            .map(|_| {
                self.dice =
                    self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (self.dice >> 40) as u8
            })
            .collect()
    }

    fn pursue(&mut self, goal: &Goal) -> GoalResult {
        let data = match *goal {
            Goal::Random { .. } => self.random(),
            Goal::Flip { run, at, branch } | Goal::Deepen { run, at, branch, .. } => {
                match self.solve(run, at as usize, branch) {
                    Some(data) => data,
                    None => {
                        let path = self.runs[run.0 as usize].1.clone();
                        self.known.tree.mark(
                            &path.decisions,
                            at as usize,
                            branch,
                            path_tree::FlipStatus::Infeasible,
                        );
                        return GoalResult::Infeasible;
                    }
                }
            }
            Goal::Grow { run, to, .. } | Goal::Shrink { run, to, .. } => {
                let mut data = self.runs[run.0 as usize].0.clone();
                data.resize((to as usize).min(self.len * 2), 0);
                data
            }
            Goal::Cheap(_) | Goal::Journey => return GoalResult::Batch { new_branches: Vec::new() },
            Goal::Aim | Goal::Wait | Goal::Finished => unreachable!(),
        };
        self.forced += usize::from(matches!(goal, Goal::Flip { .. }));
        if let Some(&run) = self.by_input.get(&data) {
            return GoalResult::AlreadyDone { run: Some(run) };
        }
        self.made += 1;
        let (run, new_branches) = self.take_in(data);
        GoalResult::NewRun { run, followed: true, new_branches }
    }

    /// Changes one byte of the run's input so that it takes the same decisions up to `at`, and `branch` there.
    fn solve(&self, run: RunId, at: usize, branch: BranchId) -> Option<Vec<u8>> {
        let (data, path) = &self.runs[run.0 as usize];
        let follows = |new: &[Decision]| {
            let same = new.iter().zip(&path.decisions).take(at).filter(|(a, b)| a.step == b.step).count();
            same == at && new.get(at).is_some_and(|d| d.step.branch() == Some(branch))
        };
        for k in 0..data.len() {
            for value in 0..=255 {
                let mut new = data.clone();
                new[k] = value;
                if follows(&self.execute(&new).1.decisions) {
                    return Some(new);
                }
            }
        }
        None
    }

    /// Different paths of all runs.
    pub fn paths(&self) -> BTreeSet<Vec<trace::Step>> {
        self.runs.iter().map(|(_, p)| p.decisions.iter().map(|d| d.step).collect()).collect()
    }
}
