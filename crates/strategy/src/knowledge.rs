//! What is known of the program and its runs: kept by the loop, read by strategies.

use fixedbitset::FixedBitSet;
use path_tree::{Decision, Limits, PathTree, RunId};
use program::{BranchId, CallId, Cfcg, Coverage, Distances, FunctionId, ProgramMap};
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
    /// Branches of library code that some run covered: no goals, but a run that is the first somewhere in a library's
    /// code is worth going on from.
    library: FixedBitSet,
    distances: OnceLock<Distances>,
    /// Paths of all runs, and what came of each flip. The loop inserts every symbolic run and marks every flip.
    pub tree: PathTree,
}

impl Knowledge {
    /// Nothing known but the program's text.
    pub fn new(map: Arc<ProgramMap>, limits: Limits) -> Knowledge {
        Knowledge {
            graph: Cfcg::new(&map),
            coverage: Coverage::new(&map),
            library: FixedBitSet::with_capacity(map.branches.len()),
            distances: OnceLock::new(),
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

    /// Distance of each branch to the nearest uncovered one; computed again when something changed.
    pub fn distances(&self) -> &Distances {
        self.distances.get_or_init(|| Distances::to_uncovered(&self.graph, &self.coverage))
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
            self.coverage.add_function(f);
        }
        let new: Vec<BranchId> = branches.iter().copied().filter(|&b| self.coverage.add_branch(b)).collect();
        if !new.is_empty() {
            self.distances.take();
        }
        new
    }

    /// Those branches of library code among `branches` that no run covered before; takes them in.
    pub fn cover_library(&mut self, branches: &[BranchId]) -> Vec<BranchId> {
        let own = self.map.n_own_branches();
        let all = own..self.library.len();
        let seen = &mut self.library;
        branches.iter().copied().filter(|b| all.contains(&b.index()) && !seen.put(b.index())).collect()
    }

    /// Takes in that an indirect call went to a function of the program.
    pub fn indirect_call(&mut self, call: CallId, callee: FunctionId) {
        if self.graph.add_call(call, callee) {
            self.distances.take();
        }
    }
}
