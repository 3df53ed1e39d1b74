//! What is known of the program and its runs: kept by the loop, read by strategies.

use fixedbitset::FixedBitSet;
use path_tree::{Decision, Limits, PathTree, RunId};
use program::{BranchId, CallId, Cfcg, Coverage, Distances, FunctionId, GoalKind, ProgramMap, Tally, Vertex};
use rustc_hash::FxHashSet;
use std::sync::{Arc, OnceLock};
use trace_abi::path_log;

/// The path of a run and what a strategy may want to know of its input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunPath {
    /// Decisions that depended on the input, in program order.
    pub decisions: Vec<Decision>,
    /// The log of every branch, function entry and exit (flavour `path`; see `trace_abi::path_log`), else empty.
    pub log: Vec<u32>,
    /// For each decision, the length of `log` when it was made; empty without a log.
    pub log_at: Vec<u32>,
    /// Length of each input object in bytes (0 for typed values, which do not grow or shrink).
    pub lengths: Vec<u64>,
    /// Reads past the end of an object: (object, length that would have been needed).
    pub past_end: Vec<(u32, u64)>,
}

impl RunPath {
    /// The branches it took, as often as it took them: those of the log, and those of its decisions (in library models there is no
    /// log).
    pub fn branches(&self) -> impl Iterator<Item = BranchId> {
        let logged = self.log.iter().filter(|&e| e & path_log::TAG == path_log::BRANCH);
        let logged = logged.map(|e| BranchId(e & !path_log::TAG));
        logged.chain(self.decisions.iter().filter_map(|d| d.step.branch()))
    }
}

/// Paths of runs, by number. A path may have been forgotten and be made anew (by running the input again).
pub trait Paths {
    /// The path of `run`; `None` if it cannot be had (a concrete run, an input that is no longer kept).
    fn path(&self, run: RunId) -> Option<Arc<RunPath>>;
}

/// Everything a strategy sees.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Map, coverage, distances, tree.
    pub known: &'a Knowledge,
    /// Paths of runs.
    pub paths: &'a dyn Paths,
    /// Goals are out whose results are still to come: a shared strategy without anything to do waits for them.
    pub busy: bool,
}

/// What is known of a program.
#[derive(Debug)]
pub struct Knowledge {
    map: Arc<ProgramMap>,
    graph: Cfcg,
    coverage: Coverage,
    /// Branches that count in no coverage and that some run covered: of library code (no goals, but a run that is the first
    /// somewhere in a library's code is worth going on from) and of goals beside the source's branches.
    others: FixedBitSet,
    /// Functions of the program that can be reached at all.
    reachable: FixedBitSet,
    /// Indirect calls whose callee the input chose, and among how many.
    choices: FxHashSet<(CallId, u16)>,
    /// Callees that were called there, as the call's branches.
    chosen: FxHashSet<(BranchId, u16)>,
    /// Branches in a setting ([`Decision::setting`]) that were shown to be infeasible on some path.
    refuted: FxHashSet<(BranchId, u16)>,
    distances: OnceLock<Distances>,
    /// Whether the loop knows of something to try for a conditional that runs decided without input ([`crate::Goal::Aim`]).
    pub aims: bool,
    /// Paths of all runs, and what came of each flip. The loop inserts every symbolic run and marks every flip.
    pub tree: PathTree,
}

impl Knowledge {
    /// Nothing known but the program's text.
    pub fn new(map: Arc<ProgramMap>, limits: Limits) -> Knowledge {
        let graph = Cfcg::new(&map);
        let mut reachable = FixedBitSet::with_capacity(map.n_own_functions());
        let reached = map.reachable(&graph, true);
        let is_reached = |f: &usize| {
            reached.as_ref().is_none_or(|reached| reached.has(graph.entry(FunctionId(*f as u32))))
        };
        reachable.extend((0..map.n_own_functions()).filter(is_reached));
        Knowledge {
            graph,
            coverage: Coverage::new(&map),
            others: FixedBitSet::with_capacity(map.branches.len()),
            reachable,
            choices: FxHashSet::default(),
            chosen: FxHashSet::default(),
            refuted: FxHashSet::default(),
            distances: OnceLock::new(),
            aims: false,
            tree: PathTree::new(&map, limits),
            map,
        }
    }

    /// The program.
    pub fn map(&self) -> &Arc<ProgramMap> {
        &self.map
    }

    /// What was covered.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The combined control-flow and call graph, with the indirect calls seen.
    pub fn graph(&self) -> &Cfcg {
        &self.graph
    }

    /// Distance of each branch to the nearest goal that was not reached: an uncovered branch, a function that was not entered, a call
    /// that reports an error, a call whose context decides. Computed again when something changed.
    pub fn distances(&self) -> &Distances {
        self.distances.get_or_init(|| Distances::to_vertices(&self.graph, self.goals_ahead()))
    }

    fn goals_ahead(&self) -> impl Iterator<Item = Vertex> + '_ {
        let branches = self.coverage.uncovered().map(|b| self.graph.branch(b));
        let functions = self.open_functions().map(|f| self.graph.entry(f));
        let calls = self.map.goal_conds().filter_map(|(cond, kind)| {
            let is_met = self.map.branches_of(cond).any(|b| self.has_reached(b));
            let call = match kind {
                GoalKind::Context { calls, .. } => *calls.last()?,
                GoalKind::ErrorCall(call) => *call,
            };
            if is_met { None } else { self.graph.call(call) }
        });
        branches.chain(functions).chain(calls)
    }

    /// Functions of the program that can be reached, as far as its text tells, and that no run entered.
    pub fn open_functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let open = self.reachable.ones().map(|f| FunctionId(f as u32));
        open.filter(|&f| !self.coverage.entered(f))
    }

    /// Whether some run took this branch, which may be one of library code or of a goal.
    pub fn has_reached(&self, branch: BranchId) -> bool {
        self.coverage.has(branch) || self.others.contains(branch.index())
    }

    /// Whether a decision for `branch` in this setting ([`Decision::setting`]) would be new: in a calling context in which no run took it,
    /// or of a callee that was not chosen; and nothing is known that speaks against it.
    pub fn is_wanted(&self, branch: BranchId, setting: u16) -> bool {
        let open = match self.map.in_context(branch, setting) {
            Some(within) => !self.others.contains(within.index()),
            None => self.map.call_outcome(branch).is_some() && !self.chosen.contains(&(branch, setting)),
        };
        open && !self.refuted.contains(&(branch, setting))
    }

    /// Whether every goal was reached: branches, functions, calls that report errors, outcomes in their calling contexts, callees that the
    /// input chooses.
    pub fn is_reached(&self) -> bool {
        self.are_settled(|_| false)
    }

    /// Whether every goal was reached, or was infeasible on a path at least. Another path may still lead there: this says that nothing is
    /// left only where all that is known of was tried.
    pub fn is_complete(&self) -> bool {
        self.are_settled(|key| self.refuted.contains(key))
    }

    fn are_settled(&self, is_out: impl Fn(&(BranchId, u16)) -> bool) -> bool {
        let branches = self.coverage.absolute();
        branches.covered == branches.total
            && self.open_functions().next().is_none()
            && self.map.goal_conds().all(|(cond, kind)| self.is_settled(cond, kind, &is_out))
            && self.count_callees(&is_out).is_none_or(|callees| callees.covered == callees.total)
    }

    fn is_settled(
        &self,
        cond: program::CondId,
        kind: &GoalKind,
        is_out: &impl Fn(&(BranchId, u16)) -> bool,
    ) -> bool {
        let reached = |b: BranchId| self.others.contains(b.index());
        match kind {
            GoalKind::Context { calls, .. } if calls.is_empty() => true,
            GoalKind::Context { of, .. } => {
                let context = self.map.context_number(cond);
                let mut pairs = self.map.branches_of(cond).zip(self.map.branches_of(*of));
                pairs.all(|(b, of)| reached(b) || is_out(&(of, context)))
            }
            GoalKind::ErrorCall(_) => {
                let function = self.map.conds[cond.index()].function;
                !self.reachable.contains(function.index()) || self.map.branches_of(cond).all(reached)
            }
        }
    }

    /// Callees that the input can choose at indirect calls, as far as calls were seen, and how many of them were called or cannot be;
    /// `None` if there was no such call.
    pub fn callees(&self) -> Option<Tally> {
        self.count_callees(&|key| self.refuted.contains(key))
    }

    fn count_callees(&self, is_out: &impl Fn(&(BranchId, u16)) -> bool) -> Option<Tally> {
        if self.choices.is_empty() {
            return None;
        }
        let mut tally = Tally::default();
        for &(call, callees) in &self.choices {
            for branch in (0..u64::from(callees)).filter_map(|which| self.map.call_branch(call, which)) {
                let key = (branch, callees);
                tally.count(self.chosen.contains(&key) || is_out(&key));
            }
        }
        Some(tally)
    }

    /// Those of `branches` whose conditional has another branch that no run took: whoever takes them is one decision away from something
    /// new. Ascending if they are. Branches of library code are left out.
    pub fn half_taken(&self, branches: &[BranchId]) -> Vec<BranchId> {
        let is_half =
            |branch: &BranchId| {
                branch.index() < self.map.n_own_branches()
                    && self.map.branches.get(branch.index()).is_some_and(|own| {
                        self.map.branches_of(own.cond).any(|other| !self.coverage.has(other))
                    })
            };
        branches.iter().copied().filter(is_half).collect()
    }

    /// Takes in what a run covered; the branches no run covered before, ascending.
    pub fn cover(&mut self, branches: &[BranchId], functions: &[FunctionId]) -> Vec<BranchId> {
        for &f in functions {
            if self.coverage.add_function(f) {
                self.distances.take();
            }
        }
        let new: Vec<BranchId> = branches.iter().copied().filter(|&b| self.coverage.add_branch(b)).collect();
        if !new.is_empty() {
            self.distances.take();
        }
        new
    }

    /// Those branches of library code and of goals among `branches` that no run covered before; takes them in.
    pub fn cover_others(&mut self, branches: &[BranchId]) -> Vec<BranchId> {
        let own = self.map.n_own_branches();
        let all = own..self.others.len();
        let seen = &mut self.others;
        let new: Vec<BranchId> =
            branches.iter().copied().filter(|b| all.contains(&b.index()) && !seen.put(b.index())).collect();
        if new.last().is_some_and(|b| b.index() >= self.map.first_goal()) {
            self.distances.take();
        }
        new
    }

    /// Takes in which callees the input chose on a path; those choices that no run made before.
    pub fn cover_choices(&mut self, path: &[Decision]) -> Vec<BranchId> {
        let mut new = Vec::new();
        for decision in path.iter().filter(|d| d.callees > 0) {
            let Some(branch) = decision.step.branch() else { continue };
            let Some((call, _)) = self.map.call_outcome(branch) else { continue };
            self.choices.insert((call, decision.callees));
            if self.chosen.insert((branch, decision.callees)) {
                new.push(branch);
            }
        }
        new
    }

    /// Takes in that no input takes `branch` in this setting, on one path at least.
    pub fn refute(&mut self, branch: BranchId, setting: u16) {
        if setting > 0 {
            self.refuted.insert((branch, setting));
        }
    }

    /// Takes in that an indirect call went to a function of the program.
    pub fn indirect_call(&mut self, call: CallId, callee: FunctionId) {
        if self.graph.add_call(call, callee) {
            self.distances.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::testing::{FakeTarget, Program, abort, call, if_, let_, num, value, var};

    #[test]
    fn what_was_refuted_is_not_reached() {
        let body = [let_("c", value("c", 1)), if_(var("c").eq(1), [abort()], []), call("f")];
        let program = Program::main(body).function("f", [let_("d", num(1))]);
        let map = FakeTarget::new(&program).map().clone();
        let mut known = Knowledge::new(Arc::new(map.clone()), Limits::default());
        assert!(!known.is_reached() && !known.is_complete());
        let all: Vec<BranchId> = (0..map.n_own_branches()).map(|b| BranchId(b as u32)).collect();
        let functions: Vec<FunctionId> = (0..map.n_own_functions()).map(|f| FunctionId(f as u32)).collect();
        known.cover(&all, &functions);
        assert!(known.is_reached() && known.is_complete());
        // An indirect call with two callees, one of which no path could choose.
        known.choices.insert((CallId(0), 2));
        let [one, two] = [0, 1].map(|k| map.call_branch(CallId(0), k).expect("a call's branch"));
        known.chosen.insert((one, 2));
        known.refute(two, 2);
        assert!(!known.is_reached() && known.is_complete());
    }
}
