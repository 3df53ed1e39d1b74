//! The running totals of a campaign.

use serde::{Deserialize, Serialize};

/// Running totals, kept by the loop. Everything here is counted, not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// Branches covered.
    pub branches: u32,
    /// Branches of the program.
    pub branches_total: u32,
    /// Functions entered.
    pub functions: u32,
    /// Functions of the program.
    pub functions_total: u32,
    /// Functions of the program that can be reached, as far as its text tells, and that no run entered.
    pub functions_open: u32,
    /// Callees that the input chose at indirect calls, or that were shown to be out of its reach there.
    pub callees: u32,
    /// Callees that the input can choose at the indirect calls that were seen.
    pub callees_total: u32,
    /// Runs taken in.
    pub runs: u64,
    /// Of these: with a symbolic trace.
    pub symbolic_runs: u64,
    /// Of these: made in batches, for their coverage alone.
    pub cheap_runs: u64,
    /// Batches of cheap runs.
    pub batches: u32,
    /// Cheap runs that showed something, so that they were made once more, alone (not counted in `runs`).
    pub cheap_shown: u32,
    /// Cheap runs that were to show something, and alone did not: state had leaked between runs, or another worker had
    /// shown it meanwhile.
    pub cheap_unconfirmed: u32,
    /// Inputs of cheap runs that became part of the mutation corpus.
    pub cheap_kept: u32,
    /// Runs made again because their trace had been dropped from the cache (not counted in `runs`).
    pub reruns: u64,
    /// Solver queries.
    pub queries: u64,
    /// Flips asked for.
    pub flips: u64,
    /// Flips that gave an input.
    pub sat: u64,
    /// Of these: only without the pinned values.
    pub sat_unpinned: u64,
    /// Flips proved impossible.
    pub unsat: u64,
    /// Flips proved impossible only given the pinned values.
    pub unsat_pinned: u64,
    /// Flips without an answer.
    pub unknown: u64,
    /// Flips whose input had been run before.
    pub already_done: u64,
    /// Inputs asked for to keep an assumption that a run broke (not counted in `flips`).
    pub repairs: u64,
    /// Of these: with a new input.
    pub repairs_sat: u64,
    /// Inputs asked for that send an access out of its object (not counted in `flips`).
    pub probes: u64,
    /// Of these: with an input.
    pub probes_sat: u64,
    /// Runs of flips that were compared with what was promised.
    pub flips_run: u64,
    /// Of these: runs that did not follow.
    pub divergences: u64,
    /// Of these: runs that differed before the flipped decision.
    pub divergences_early: u64,
    /// Trace events checked against the reference evaluator.
    pub events_checked: u64,
    /// Mismatches found.
    pub mismatches: u64,
    /// Traces refused as malformed.
    pub traces_rejected: u64,
    /// Runs whose trace did not fit.
    pub traces_full: u64,
    /// Symbolic data lost or pinned, counted per event.
    pub lost: u64,
    /// Crashes of the instrumented program, deduplicated; none of them is confirmed yet.
    pub crashes: u32,
    /// The same of hangs.
    pub hangs: u32,
    /// Inputs in the corpus.
    pub corpus: u32,
    /// Nodes of the path tree.
    pub tree_nodes: u64,
    /// Runs made so far when the newest branch was covered.
    pub newest_at_run: u64,
}

impl Ledger {
    /// Adds what a search within the session did: its solving, not its runs and coverage.
    pub fn add_search(&mut self, search: &Ledger) {
        self.symbolic_runs += search.symbolic_runs;
        self.reruns += search.reruns;
        self.queries += search.queries;
        self.flips += search.flips;
        self.sat += search.sat;
        self.sat_unpinned += search.sat_unpinned;
        self.unsat += search.unsat;
        self.unsat_pinned += search.unsat_pinned;
        self.unknown += search.unknown;
        self.already_done += search.already_done;
        self.repairs += search.repairs;
        self.repairs_sat += search.repairs_sat;
        self.probes += search.probes;
        self.probes_sat += search.probes_sat;
        self.flips_run += search.flips_run;
        self.divergences += search.divergences;
        self.divergences_early += search.divergences_early;
        self.events_checked += search.events_checked;
        self.mismatches += search.mismatches;
        self.traces_rejected += search.traces_rejected;
        self.traces_full += search.traces_full;
        self.lost += search.lost;
    }

    /// Divergences per flip that was run, in 0 … 1; 0 when none was.
    pub fn divergence_rate(&self) -> f64 {
        if self.flips_run == 0 { 0.0 } else { self.divergences as f64 / self.flips_run as f64 }
    }
}
