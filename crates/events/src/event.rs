//! The events.

use crate::{Cause, FlipAnswer, Follows, Ledger, Place, Verdict};
use program::{BranchId, CondId, FunctionId};
use serde::{Deserialize, Serialize};
use trace::{Outcome, Reason, RunId, Step};

/// A finding, numbered from 0 within a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FindingId(pub u32);

/// Something that happened. See the crate's documentation for what it must not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
#[expect(clippy::large_enum_variant, reason = "events are handed on one by one, never kept in numbers")]
pub enum Event {
    /// A campaign, or another session of one, began.
    CampaignStarted {
        /// Name of the strategy.
        strategy: String,
        /// Seed of all random choices.
        seed: u64,
        /// Number of workers.
        jobs: u32,
        /// Functions of the program.
        functions: u32,
        /// Conditionals of the program.
        conditionals: u32,
        /// Branches of the program.
        branches: u32,
        /// Runs of earlier sessions, when resumed.
        earlier_runs: u64,
    },
    /// A run was taken in.
    RunDone {
        /// The run.
        run: RunId,
        /// Why it was made.
        cause: Cause,
        /// How it ended.
        outcome: Outcome,
        /// Length of its input in bytes.
        input_len: u64,
        /// Number of decisions in its path (0 for a concrete run).
        decisions: u32,
        /// How many branches it was the first to cover.
        new_branches: u32,
        /// Its input was added to the corpus.
        kept: bool,
    },
    /// A branch was covered for the first time.
    BranchCovered {
        /// The branch.
        branch: BranchId,
        /// The first run that took it.
        run: RunId,
    },
    /// A function was entered for the first time.
    FunctionEntered {
        /// The function.
        function: FunctionId,
        /// The first run that entered it.
        run: RunId,
    },
    /// A goal beside the source's branches was reached: an outcome in a calling context, a call that reports an error.
    GoalReached {
        /// Its branch: see [`program::GoalKind`].
        branch: BranchId,
        /// The first run that reached it.
        run: RunId,
    },
    /// A flip was asked for.
    FlipResult {
        /// Run whose path was bent.
        parent: RunId,
        /// Index of the decision in that run's path.
        at: u32,
        /// The conditional.
        cond: CondId,
        /// The branch that was wanted.
        branch: BranchId,
        /// What came of it.
        answer: FlipAnswer,
        /// Solver queries it took (0 when the answer was known, 2 when pins had to be let go).
        queries: u32,
    },
    /// A branch cannot be taken where certain others were taken before, fewer than known so far: a proof for one path, and a
    /// reason that people can follow.
    Contradiction {
        /// The branch.
        branch: BranchId,
        /// Branches taken before it on that path whose conditions contradict its own, in order; none if its condition
        /// contradicts itself.
        with: Vec<BranchId>,
    },
    /// An input was asked for that takes the path of a run and keeps an assumption which that run broke.
    RepairResult {
        /// The run.
        parent: RunId,
        /// Index of the assumption among the events of its trace.
        at: u32,
        /// What came of it.
        answer: FlipAnswer,
        /// Solver queries it took (more than 1 when pins had to be let go).
        queries: u32,
    },
    /// An input was asked for that takes the path of a run and sends an access through symbolic data out of its object.
    ProbeResult {
        /// The run.
        parent: RunId,
        /// Index of the access's condition among the events of its trace.
        at: u32,
        /// What came of it.
        answer: FlipAnswer,
        /// Solver queries it took (more than 1 when pins had to be let go).
        queries: u32,
    },
    /// A run did not follow the path that the solver's answer promised.
    Divergence {
        /// The run.
        run: RunId,
        /// Run whose path was bent.
        parent: RunId,
        /// Index of the first decision that differs.
        at: u32,
        /// What was promised there.
        expected: Step,
        /// What the run did there; `None` when its path ended before.
        actual: Option<Step>,
        /// It differs before the flipped decision (else at it).
        early: bool,
    },
    /// With `--check-trace`: a recorded expression does not have the value the program saw.
    TraceMismatch {
        /// The run.
        run: RunId,
        /// Index of the event in the trace.
        at: u64,
        /// Where.
        place: Place,
        /// What was found, for people.
        what: String,
    },
    /// A run's trace was malformed and was not used (its coverage was).
    TraceRejected {
        /// The run.
        run: RunId,
        /// What was wrong with it.
        what: String,
    },
    /// A condition was decided by data that depends on the input, for the first time.
    Symbolic {
        /// The conditional.
        cond: CondId,
        /// The run.
        run: RunId,
    },
    /// A conditional compares something that holds no input and still differs with the input: control flow decides it. The last such event
    /// of a conditional counts.
    ByControlFlow {
        /// The conditional.
        cond: CondId,
        /// The run that showed it.
        run: RunId,
        /// What the value follows.
        follows: Follows,
    },
    /// A run lost or pinned symbolic data at a place where none had before.
    Lost {
        /// The first run to do so.
        run: RunId,
        /// Why.
        #[serde(with = "reason_serde")]
        reason: Reason,
        /// Where.
        place: Place,
        /// How often in this run.
        count: u64,
        /// The value was pinned (there is a constraint) rather than lost.
        pinned: bool,
    },
    /// At the end of a session: what was lost or pinned at one place in all its runs.
    LostInAll {
        /// Why.
        #[serde(with = "reason_serde")]
        reason: Reason,
        /// Where.
        place: Place,
        /// How often, over all runs.
        count: u64,
        /// In how many runs.
        runs: u64,
        /// The value was pinned (there is a constraint) rather than lost.
        pinned: bool,
    },
    /// The symbolic part of a run ended early: records did not fit.
    TraceFull {
        /// The run.
        run: RunId,
        /// Expression nodes that did not fit.
        nodes: u64,
        /// Events that did not fit.
        events: u64,
        /// Table bytes that did not fit.
        tables: u64,
    },
    /// A run crashed, aborted, hung or ran out of memory.
    FindingSeen {
        /// The finding (runs with the same outcome and stack share one).
        finding: FindingId,
        /// The run.
        run: RunId,
        /// How it ended.
        outcome: Outcome,
        /// Top frames of the stack, innermost first, if known.
        stack: Vec<String>,
        /// Seen for the first time.
        first: bool,
        /// This run is the finding's reproducer now (the first one, or a smaller one).
        best: bool,
    },
    /// A finding was run on the user's own executable and on flavour `check`.
    FindingJudged {
        /// The finding.
        finding: FindingId,
        /// What came of it.
        #[serde(flatten)]
        verdict: Verdict,
    },
    /// A run could not be made.
    RunFailed {
        /// Why it was to be made.
        cause: Cause,
        /// What was wrong, for people.
        what: String,
    },
    /// A worker stopped because of an error; its goal was given back.
    WorkerLost {
        /// Its number, from 0.
        worker: u32,
        /// What was wrong, for people.
        what: String,
    },
    /// A limit of the engine was reached for the first time.
    LimitReached {
        /// Which.
        limit: LimitKind,
        /// Its value.
        value: u64,
    },
    /// A test of the suite did the same on the user's own executable.
    TestConfirmed {
        /// The run it comes from.
        run: RunId,
        /// Branches it is in the suite for.
        branches: u32,
    },
    /// A test of the suite did not.
    TestRejected {
        /// The run it comes from.
        run: RunId,
        /// Why.
        why: Rejection,
    },
    /// The suite was built.
    SuiteBuilt {
        /// Number of tests.
        tests: u32,
        /// Branches it covers.
        branches: u32,
        /// Branches covered in the campaign, but only by tests that were rejected.
        unconfirmed: u32,
        /// Branches covered in the campaign, but only by runs that crashed or hung.
        only_findings: u32,
        /// Tests that there was no time to confirm.
        #[serde(default)]
        pending: u32,
    },
    /// A snapshot, when somebody asked for one.
    Progress(Ledger),
    /// The strategy has nothing left to do.
    StrategyFinished,
    /// The session ended.
    CampaignEnded {
        /// Why.
        why: EndReason,
    },
}

/// Why a test is not in the suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// The user's executable ended differently.
    Outcome {
        /// How the instrumented one ended.
        expected: Outcome,
        /// How the user's own one ended.
        actual: Outcome,
    },
    /// It could not be run.
    Failed(String),
}

/// A bound of the engine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// Bytes of cached traces: older ones are made again by running their input.
    Traces,
    /// Remembered inputs: older ones are forgotten and may be run twice.
    SeenInputs,
    /// Nodes of the path tree.
    Tree,
    /// Paths to broken assumptions that are remembered: further ones are not repaired.
    Repairs,
    /// Inputs kept for flips: runs that cover nothing new are no longer offered for flips.
    Inputs,
}

/// Why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The budget of runs was used.
    Runs,
    /// The budget of solver queries was used.
    Queries,
    /// The budget of time was used.
    Time,
    /// The strategy has nothing left to do.
    Finished,
    /// Every branch is covered.
    AllCovered,
    /// Every branch is covered, every function entered, and every other goal reached, or infeasible on all paths tried.
    AllReached,
    /// No path is left to try: of every path each branch was taken, or shown to be infeasible.
    Exhausted,
    /// As many branches as were asked for are covered.
    Enough,
    /// Somebody asked it to stop.
    Stopped,
    /// No worker is left.
    Failed(String),
}

/// [`Reason`] by its name: stable and readable.
mod reason_serde {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use trace::Reason;

    pub fn serialize<S: Serializer>(reason: &Reason, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&format_args!("{reason:?}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Reason, D::Error> {
        let name = String::deserialize(d)?;
        let found = Reason::ALL.iter().find(|r| format!("{r:?}") == name);
        found.copied().ok_or_else(|| D::Error::custom(format!("no reason called {name:?}")))
    }
}
