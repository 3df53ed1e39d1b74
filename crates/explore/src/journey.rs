//! Journeys: Algorithm 2 of Majumdar & Sen, "Hybrid Concolic Testing" (ICSE 2007), section 3.4, a leg at a time.
//!
//! A journey begins at the program's start with random inputs. When nothing new has been covered for a while ([`Rest`]), the
//! run is frozen, and a search goes from there ([`crate::search_from`]); what it finds is what the journey goes on with, from the
//! snapshot, and random inputs behind it. A journey ends with the program or with its longest input, and the next one begins.
//!
//! Inputs are values and, where the program has it as an input, standard input: each read of it is an input statement, too, and it
//! goes on as long as the journey does.
//!
//! A leg is one stretch of random inputs, with the search behind it if that is due. All inputs since the start are kept, so
//! that whatever shows something can be run again from there; it is, before anybody believes it.

use crate::config::{Config, Hybrid};
use crate::lifted::LiftedRuns;
use crate::random::Dice;
use crate::search_from::{Search, search};
use crate::task::Attempt;
use crate::world::{Symbolizer, TargetFactory};
use events::{Cause, Ledger};
use fixedbitset::FixedBitSet;
use program::{BranchId, ProgramMap};
use rustc_hash::FxHashMap;
use solve::Solver;
use std::sync::Arc;
use std::time::Duration;
use strategy::Letters;
use trace::{Advance, Advanced, Input, Mode, Object, ObjectKind, Run, SnapshotId, Target, TargetError};

/// Input statements of a leg where patience is not a number.
const BLOCK: u32 = 256;
/// Blocks of random input without anything new that a journey makes in any case before it rests.
const LEAST_BLOCKS: u32 = 4;
/// Branches that a further block may be expected to add when the journey rests.
const FEW: f64 = 0.1;
/// Blocks without anything new after which it rests in any case.
const MOST_BLOCKS: u32 = 40;
/// Bytes of standard input that a leg is given.
const STREAM: usize = 16 << 10;
/// How much a search may grow when none finds anything.
const MOST_GROWTH: u32 = 64;

/// A leg to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// Of random numbers.
    pub seed: u64,
    /// What the campaign covers.
    pub covered: FixedBitSet,
    /// Runs that are left of the budget.
    pub runs: Option<u64>,
}

/// What of the session a leg needs.
pub struct Around<'a> {
    /// The program.
    pub map: &'a Arc<ProgramMap>,
    /// Time since the session began.
    pub clock: &'a (dyn Fn() -> Duration + Sync + 'a),
    /// CPU time of the calling thread.
    pub cpu: &'a (dyn Fn() -> Duration + Sync + 'a),
    /// Whether the leg is to end.
    pub stop: &'a (dyn Fn() -> bool + Sync + 'a),
}

/// What of the worker it needs.
pub struct With<'a, 'w> {
    /// What is asked for.
    pub config: &'w Config,
    /// Makes targets.
    pub factory: &'w TargetFactory<'w>,
    /// The worker.
    pub number: u32,
    /// Names stack frames.
    pub symbolize: &'w Symbolizer<'w>,
    /// Its solver.
    pub solver: &'a mut Box<dyn Solver>,
    /// Where runs are lifted for it.
    pub lifted: &'a mut LiftedRuns,
}

/// What came of a leg.
#[derive(Debug, Default)]
pub struct Leg {
    /// Runs made.
    pub runs: u64,
    /// Runs that cover what the campaign does not, or are findings: with all inputs since the program's start.
    pub shown: Vec<Run>,
    /// Totals of its searches.
    pub searches: Vec<Ledger>,
    /// CPU time of the program.
    pub cpu: Duration,
}

/// A whole input, as it is run from the program's start: when it is used up, the run ends.
pub fn whole(input: Input) -> Attempt {
    Attempt { mode: Mode::Concrete, ..Attempt::new(input.ending(), Cause::Journey) }
}

/// A worker's journeys.
#[derive(Default)]
pub struct Travels<'w> {
    target: Option<Box<dyn Target + 'w>>,
    journey: Option<Journey>,
    samples: Samples,
    /// How much larger than the first the next search is.
    growth: u32,
}

/// A journey under way.
struct Journey {
    /// Where it is.
    at: SnapshotId,
    /// All inputs up to there.
    behind: Input,
    /// What it goes on with.
    ahead: Input,
    rest: Rest,
}

/// How long random input has come with nothing new.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// Input statements in a row.
    idle: u32,
    /// Blocks in a row.
    blocks: u32,
}

/// What random input covered so far.
#[derive(Debug, Default)]
struct Samples {
    /// Blocks.
    blocks: u32,
    /// In how many of them each branch was covered.
    seen: FxHashMap<BranchId, u32>,
}

impl Samples {
    /// Takes a block in.
    fn add(&mut self, leg: &Advanced) {
        self.blocks += 1;
        for &branch in &leg.run.covered {
            *self.seen.entry(branch).or_default() += 1;
        }
    }

    /// Branches that one more block may be expected to add: with blocks as samples, those seen once, per block (Good, "The
    /// population frequencies of species and the estimation of population parameters", Biometrika 1953; for fuzzing Böhme,
    /// "STADS", TOSEM 2018).
    fn expected(&self) -> f64 {
        let once = self.seen.values().filter(|&&n| n == 1).count();
        once as f64 / f64::from(self.blocks.max(1))
    }
}

impl Rest {
    /// Takes a leg in; `new`: it covered something that the campaign had not.
    fn add(&mut self, leg: &Advanced, new: bool) {
        self.idle = leg.idle;
        self.blocks = if new { 0 } else { self.blocks + 1 };
    }

    /// Whether a search is due: the patience is at its end; without one, little is to be expected of more.
    fn is_due(self, hybrid: &Hybrid, samples: &Samples) -> bool {
        match hybrid.patience {
            Some(patience) => self.idle >= patience.max(1),
            None => self.blocks >= MOST_BLOCKS || (self.blocks >= LEAST_BLOCKS && samples.expected() < FEW),
        }
    }
}

impl<'w> Travels<'w> {
    /// Makes a leg.
    ///
    /// # Errors
    /// When the target cannot be started, or makes no snapshots. A journey whose snapshot is gone is over, and no error.
    pub fn leg(
        &mut self,
        order: &Order,
        around: &Around<'_>,
        mut with: With<'_, 'w>,
    ) -> Result<Leg, TargetError> {
        let target = match &mut self.target {
            Some(target) => target,
            none => none.insert((with.factory)(with.number)?),
        };
        let mut leg = Leg::default();
        let mut dice = Dice::new(order.seed);
        let journey = self.journey.take();
        let samples = &mut self.samples;
        let result = advance(target.as_mut(), journey, order, with.config, (&mut dice, samples), &mut leg);
        let journey = match result {
            Ok(journey) => journey,
            Err(TargetError::Server(_) | TargetError::Io { .. }) if target.snapshots().is_some() => {
                // A new target for a new journey.
                self.target = None;
                return Ok(leg);
            }
            Err(error) => return Err(error),
        };
        let Some(mut journey) = journey else { return Ok(leg) };
        if journey.rest.is_due(&with.config.hybrid, &self.samples) && !(around.stop)() {
            let growth = self.growth.clamp(1, MOST_GROWTH);
            let runs = u64::from(with.config.hybrid.search_runs.saturating_mul(growth));
            let found = seek(target.as_mut(), &mut journey, order, around, &mut with, runs, dice.number());
            let (found, is_new) = found?;
            self.growth = if is_new { 1 } else { growth * 2 };
            leg.runs += found.runs;
            leg.cpu += found.cpu;
            leg.shown.extend(found.shown);
            leg.searches.extend(found.searches);
        }
        self.journey = Some(journey);
        Ok(leg)
    }
}

/// Random inputs from where the journey is, or from the program's start, to where it rests; `None` when the journey is over.
fn advance(
    target: &mut dyn Target,
    journey: Option<Journey>,
    order: &Order,
    config: &Config,
    (dice, samples): (&mut Dice, &mut Samples),
    leg: &mut Leg,
) -> Result<Option<Journey>, TargetError> {
    let hybrid = &config.hybrid;
    let snapshots = target.snapshots().ok_or_else(|| TargetError::Server(NO_SNAPSHOTS.into()))?;
    let letters = if dice.number() % 2 == 0 { Letters::All } else { Letters::Printable };
    let (from, behind, mut input, rest) = match journey {
        Some(Journey { at, behind, ahead, rest }) => (Some(at), behind, ahead, rest),
        None => {
            let mut input = dice.input(&config.shape, config.initial_len, letters);
            let mut behind = input.clone();
            behind.objects.retain(|o| o.kind != ObjectKind::Stdin);
            if has_stream(&input) {
                stream(&mut input).clear();
            }
            (None, behind, input, Rest::default())
        }
    };
    let used = behind.objects.len() as u32;
    let mut freeze_at_end = false;
    if has_stream(&config.shape) {
        let room = config.max_input.saturating_sub(behind.len() + input.len());
        let more = dice.bytes(room.min(STREAM), letters);
        stream(&mut input).extend(more);
        freeze_at_end = room > STREAM;
    }
    let known = |b: BranchId| b.index() >= order.covered.len() || order.covered[b.index()];
    let advanced = snapshots.advance(&Advance {
        from,
        input: &input,
        value_seed: dice.number(),
        known: &known,
        patience: hybrid.patience.unwrap_or(0),
        idle: rest.idle,
        freeze_at: if hybrid.patience.is_some() { 0 } else { BLOCK },
        freeze_at_end,
        max_inputs: hybrid.max_inputs.saturating_sub(used).max(1),
    })?;
    if let Some(from) = from {
        snapshots.forget(from);
    }
    leg.runs += 1;
    leg.cpu += advanced.run.cpu;
    samples.add(&advanced);
    let is_new = advanced.run.covered.iter().any(|&b| !known(b));
    let mut behind = joined(behind, &advanced.run.input);
    if advanced.snapshot.is_some() && has_stream(&behind) {
        stream(&mut behind).truncate(advanced.stream_at as usize);
    }
    if is_new || (advanced.snapshot.is_none() && advanced.run.outcome.is_finding()) {
        leg.shown.push(Run { input: behind.clone(), ..advanced.run.clone() });
    }
    let Some(at) = advanced.snapshot else { return Ok(None) };
    let mut rest = rest;
    rest.add(&advanced, is_new);
    Ok(Some(Journey { at, behind, ahead: Input::default(), rest }))
}

/// A search from where the journey rests; whether it found something new, which the journey then goes on with.
fn seek(
    target: &mut dyn Target,
    journey: &mut Journey,
    order: &Order,
    around: &Around<'_>,
    with: &mut With<'_, '_>,
    runs: u64,
    seed: u64,
) -> Result<(Leg, bool), TargetError> {
    let search_order = Search {
        map: around.map,
        config: with.config,
        snapshot: journey.at,
        covered: &order.covered,
        runs: order.runs.map_or(runs, |left| left.min(runs)).max(1),
        seed,
        clock: around.clock,
        cpu: around.cpu,
        stop: around.stop,
        symbolize: with.symbolize,
    };
    let found = search(target, with.solver, with.lifted, &search_order)?;
    journey.rest = Rest::default();
    if let Some(run) = found.runs.iter().find(|run| !run.outcome.is_finding()) {
        journey.ahead = run.input.clone();
    }
    let shown =
        found.runs.into_iter().map(|run| Run { input: joined(journey.behind.clone(), &run.input), ..run });
    let mut leg =
        Leg { runs: found.ledger.runs, cpu: found.cpu, searches: vec![found.ledger], ..Leg::default() };
    leg.shown.extend(shown);
    let is_new = !leg.shown.is_empty();
    Ok((leg, is_new))
}

/// The inputs of a run that went on, behind those before.
fn joined(mut before: Input, behind: &Input) -> Input {
    for object in &behind.objects {
        match object.kind {
            ObjectKind::Stdin => stream(&mut before).extend(&object.data),
            ObjectKind::Value => before.objects.push(object.clone()),
            // What exists before the run belongs to its start, and is there.
            _ => {}
        }
    }
    before
}

fn has_stream(input: &Input) -> bool {
    input.objects.iter().any(|o| o.kind == ObjectKind::Stdin)
}

/// Standard input; put in front of the values if it was not there.
fn stream(input: &mut Input) -> &mut Vec<u8> {
    if !has_stream(input) {
        input.objects.insert(0, Object::new(ObjectKind::Stdin, "stdin", []));
    }
    let at = input.objects.iter().position(|o| o.kind == ObjectKind::Stdin).unwrap_or(0);
    &mut input.objects[at].data
}

const NO_SNAPSHOTS: &str = "the program cannot be frozen: strategy hybrid needs a program that runs here";

#[cfg(test)]
mod tests {
    use super::*;
    use trace::Outcome;

    fn leg(covered: &[u32], idle: u32) -> Advanced {
        let run = Run {
            input: Input::default(),
            outcome: Outcome::Exit(0),
            covered: covered.iter().map(|&b| BranchId(b)).collect(),
            entered: Vec::new(),
            indirect_calls: Vec::new(),
            trace: None,
            past_end: Vec::new(),
            crash_stack: Vec::new(),
            cpu: Duration::ZERO,
            max_rss: 0,
        };
        Advanced { run, snapshot: Some(SnapshotId(0)), idle, inputs: 0, stream_at: 0 }
    }

    #[test]
    fn with_a_patience_statements_are_counted() {
        let hybrid = Hybrid { patience: Some(10), ..Hybrid::default() };
        let mut rest = Rest::default();
        rest.add(&leg(&[1], 9), false);
        assert!(!rest.is_due(&hybrid, &Samples::default()));
        rest.add(&leg(&[1], 10), false);
        assert!(rest.is_due(&hybrid, &Samples::default()));
    }

    #[test]
    fn without_one_it_rests_when_little_is_to_be_expected() {
        let hybrid = Hybrid { patience: None, ..Hybrid::default() };
        let (mut rest, mut samples) = (Rest::default(), Samples::default());
        let mut block = |covered: &[u32], new| {
            samples.add(&leg(covered, 0));
            rest.add(&leg(covered, 0), new);
            rest.is_due(&hybrid, &samples)
        };
        assert!(!block(&[1, 2], true));
        for _ in 1..LEAST_BLOCKS {
            assert!(!block(&[1, 2], false));
        }
        assert!(block(&[1, 2], false), "blocks are alike");
        assert!(!block(&[1, 2, 3], true), "what is new begins the count anew");
        let mut last = false;
        for k in 10..10 + MOST_BLOCKS {
            assert!(!last, "each block has a branch of its own");
            last = block(&[1, k], false);
        }
        assert!(last, "but none is new to the campaign");
    }
}
