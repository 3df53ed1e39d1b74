//! What reports are made from.

use events::{
    Diagnosis, EndReason, Event, FindingId, FlipAnswer, Follows, Ledger, Place, RunId, Unsolved, Verdict,
};
use program::{BranchId, CondId, Coverage, ProgramMap};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use trace::{Outcome, Reason, Step};

/// A campaign, as far as reports need it. Plain data: fill it from the events with [`Data::take`] and set the rest.
#[derive(Clone, Debug)]
pub struct Data<'a> {
    /// The program.
    pub map: &'a ProgramMap,
    /// What was tested, for people (usually the executable's path).
    pub target: String,
    /// Covered branches and entered functions.
    pub coverage: Coverage,
    /// The same from the user's seeds alone, if known.
    pub before: Option<Coverage>,
    /// Name of the strategy of the last session.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// Time spent, over all sessions.
    pub elapsed: Duration,
    /// Of it, what the confirmation of the suite and of the findings took in this session; zero if not known.
    pub confirming: Duration,
    /// Totals of the last session.
    pub ledger: Ledger,
    /// Branches covered only by runs that crashed or hung (their tests are findings, not part of the suite).
    pub only_findings: u32,
    /// Goals beside the branches that some run reached, as [`program::GoalKind`] numbers them.
    pub goals: BTreeSet<BranchId>,
    /// The test (or corpus file) that covered a branch first, relative to the campaign's folder, where known.
    pub covered_by: BTreeMap<BranchId, String>,
    /// Tests of the suite, once it was built.
    pub tests: Option<u32>,
    /// Tests that did not do the same on the user's own executable.
    pub rejected: u32,
    /// Tests that there was no time to confirm.
    pub pending: u32,
    /// Tests that there was no time to run with AddressSanitizer.
    pub unchecked: u32,
    /// What came of flips, by wanted branch.
    pub flips: BTreeMap<BranchId, FlipFacts>,
    /// Conditionals that were decided by data that depends on the input.
    pub symbolic: BTreeSet<CondId>,
    /// What the values follow of conditionals that were decided without input.
    pub follows: BTreeMap<CondId, Follows>,
    /// Precision lost, by reason and place.
    pub losses: BTreeMap<(Reason, Place), Loss>,
    /// Findings by number.
    pub findings: BTreeMap<FindingId, Finding>,
    /// Workers lost and runs that could not be made, for people.
    pub troubles: Vec<String>,
    /// Why the last session ended; `None` while it runs or when it was cut off.
    pub end: Option<EndReason>,
    /// Folder of the campaign, for commands that the summary proposes.
    pub folder: String,
}

/// What came of the flips towards a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlipFacts {
    /// An input was found (whether or not its run followed).
    pub found: u64,
    /// No input exists on that path.
    pub infeasible: u64,
    /// No input exists on that path with the values pinned where precision was lost.
    pub infeasible_pinned: u64,
    /// No answer, by reason.
    pub gave_up: BTreeMap<Unsolved, u64>,
    /// The run went elsewhere.
    pub diverged: u64,
    /// Branches taken before that contradict it, the fewest found; `None` if no such list is known.
    pub contradicts: Option<Vec<BranchId>>,
    /// Solver queries it took.
    pub queries: u64,
    /// Time the solver took.
    pub solving: Duration,
}

impl FlipFacts {
    /// Flips tried.
    pub fn tried(&self) -> u64 {
        self.found + self.infeasible + self.infeasible_pinned + self.gave_up.values().sum::<u64>()
    }
}

/// Precision lost at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// How often.
    pub count: u64,
    /// In how many runs.
    pub runs: u64,
    /// The value was pinned to what it was rather than lost.
    pub pinned: bool,
}

/// A crash, abort, hang or the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it ended.
    pub outcome: Outcome,
    /// Function names of the stack, innermost first.
    pub stack: Vec<String>,
    /// Runs that ended so.
    pub runs: u64,
    /// The run whose input reproduces it.
    pub reproducer: RunId,
    /// Where its folder lies, relative to the campaign's folder, if stored.
    pub file: Option<String>,
    /// What came of confirming it; `None` if that was not tried.
    pub verdict: Option<Verdict>,
}

/// Most troubles kept word by word.
const MAX_TROUBLES: usize = 20;

impl Finding {
    /// What it is, if it was confirmed.
    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        match &self.verdict {
            Some(Verdict::Confirmed(diagnosis)) => Some(diagnosis),
            _ => None,
        }
    }
}

impl<'a> Data<'a> {
    /// The findings that are no others seen from elsewhere, with the runs of those that are.
    pub fn distinct(&self) -> Vec<(FindingId, &Finding, u64)> {
        let same = |id: FindingId| {
            let others =
                self.findings.values().filter(move |f| f.verdict == Some(Verdict::SameAs { finding: id }));
            others.map(|f| f.runs).sum::<u64>()
        };
        let all = self.findings.iter().filter(|(_, f)| !matches!(f.verdict, Some(Verdict::SameAs { .. })));
        all.map(|(&id, f)| (id, f, f.runs + same(id))).collect()
    }

    /// A campaign about which nothing is known yet.
    pub fn new(map: &'a ProgramMap, target: impl Into<String>, folder: impl Into<String>) -> Data<'a> {
        Data {
            map,
            target: target.into(),
            coverage: Coverage::new(map),
            before: None,
            strategy: String::new(),
            seed: 0,
            elapsed: Duration::ZERO,
            confirming: Duration::ZERO,
            ledger: Ledger::default(),
            only_findings: 0,
            goals: BTreeSet::new(),
            covered_by: BTreeMap::new(),
            tests: None,
            rejected: 0,
            pending: 0,
            unchecked: 0,
            flips: BTreeMap::new(),
            symbolic: BTreeSet::new(),
            follows: BTreeMap::new(),
            losses: BTreeMap::new(),
            findings: BTreeMap::new(),
            troubles: Vec::new(),
            end: None,
            folder: folder.into(),
        }
    }

    /// Takes one event in; call it for all of them, in order.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::CampaignStarted { strategy, seed, .. } => {
                (self.strategy, self.seed, self.end) = (strategy.clone(), *seed, None);
            }
            Event::BranchCovered { branch, .. } => self.cover(*branch),
            Event::FunctionEntered { function, .. } if function.index() < self.map.functions.len() => {
                self.coverage.add_function(*function);
            }
            Event::GoalReached { branch, .. } => {
                self.goals.insert(*branch);
            }
            Event::FlipResult { branch, answer, .. } => self.flip(*branch, answer),
            Event::Contradiction { branch, with } => {
                let known = &mut self.flips.entry(*branch).or_default().contradicts;
                if known.as_ref().is_none_or(|known| with.len() < known.len()) {
                    *known = Some(with.clone());
                }
            }
            Event::Divergence { expected: Step::Branch(branch), early: false, .. } => {
                self.flips.entry(*branch).or_default().diverged += 1;
            }
            Event::Symbolic { cond, .. } => {
                self.symbolic.insert(*cond);
            }
            Event::ByControlFlow { cond, follows, .. } => {
                self.follows.insert(*cond, *follows);
            }
            Event::Lost { reason, place, count, pinned, .. } => {
                let loss = self.losses.entry((*reason, *place)).or_default();
                *loss = Loss { count: loss.count.max(*count), runs: loss.runs.max(1), pinned: *pinned };
            }
            Event::LostInAll { reason, place, count, runs, pinned } => {
                self.losses.insert((*reason, *place), Loss { count: *count, runs: *runs, pinned: *pinned });
            }
            Event::FindingSeen { finding, run, outcome, stack, best, .. } => {
                self.find(*finding, *run, *outcome, stack, *best);
            }
            Event::FindingJudged { finding, verdict } => {
                if let Some(known) = self.findings.get_mut(finding) {
                    known.verdict = Some(verdict.clone());
                }
            }
            Event::RunFailed { what, .. } | Event::WorkerLost { what, .. } => self.trouble(what),
            Event::TestRejected { .. } => self.rejected += 1,
            Event::SuiteBuilt { tests, only_findings, pending, .. } => {
                (self.tests, self.only_findings, self.pending) = (Some(*tests), *only_findings, *pending);
            }
            Event::Progress(ledger) => self.ledger = ledger.clone(),
            Event::CampaignEnded { why } => self.end = Some(why.clone()),
            _ => {}
        }
    }

    fn cover(&mut self, branch: BranchId) {
        if branch.index() < self.map.branches.len() {
            self.coverage.add_branch(branch);
            self.coverage.add_function(self.map.function_of(branch));
        }
    }

    fn flip(&mut self, branch: BranchId, answer: &FlipAnswer) {
        let facts = self.flips.entry(branch).or_default();
        match answer {
            FlipAnswer::Sat { .. } | FlipAnswer::AlreadyDone { .. } => facts.found += 1,
            FlipAnswer::Unsat { pinned: false } => facts.infeasible += 1,
            FlipAnswer::Unsat { pinned: true } => facts.infeasible_pinned += 1,
            FlipAnswer::Unknown(why) => *facts.gave_up.entry(why.clone()).or_default() += 1,
        }
    }

    fn find(&mut self, id: FindingId, run: RunId, outcome: Outcome, stack: &[String], best: bool) {
        let new = || Finding {
            outcome,
            stack: stack.to_vec(),
            runs: 0,
            reproducer: run,
            file: None,
            verdict: None,
        };
        let finding = self.findings.entry(id).or_insert_with(new);
        finding.runs += 1;
        if best {
            finding.reproducer = run;
        }
    }

    fn trouble(&mut self, what: &str) {
        if self.troubles.len() < MAX_TROUBLES && !self.troubles.iter().any(|t| t == what) {
            self.troubles.push(what.to_owned());
        }
    }
}
