//! Journeys: Algorithm 2 of Majumdar & Sen, "Hybrid Concolic Testing" (ICSE 2007), section 3.4, a leg at a time.
//!
//! A journey begins at the program's start with random inputs. When nothing new has been covered for a while ([`Rest`]; without θ2,
//! when a search is thought to pay more: [`crate::balance`]), the run is frozen, and a search goes from there ([`crate::search_from`]); what it finds is what the journey goes on with, from the
//! snapshot, and random inputs behind it. A journey ends with the program or with its longest input, and the next one begins.
//!
//! Inputs are values and, where the program has them as inputs, standard input and connections: each read of one is an input statement,
//! too, and they go on as long as the journey does ([`crate::streams`]).
//!
//! With a patience in numbers that is all: the paper's algorithm. Without, the state right behind what a search found is kept
//! ([`crate::archive`]) and come back to, for talk and searches.
//!
//! A leg is one stretch of random inputs, with the search behind it if that is due. All inputs since the start are kept, so
//! that whatever shows something can be run again from there; it is, before anybody believes it.

mod talk;

use crate::archive::{Archive, Kept};
use crate::balance::{self, Balance, RUN, SEARCH_RUN, Samples, TALK_RUN};
use crate::config::{Config, Hybrid};
use crate::findings::Findings;
use crate::lifted::LiftedRuns;
use crate::random::Dice;
use crate::search_from::{Search, search};
use crate::streams::{Place, babble, complete, has_any, joined, place, without_words};
use crate::task::Attempt;
use crate::vocabulary::Vocabulary;
use crate::world::{Symbolizer, TargetFactory};
use events::{Cause, Ledger};
use fixedbitset::FixedBitSet;
use program::{BranchId, ProgramMap};
use rustc_hash::FxHashSet;
use solve::Solver;
use std::sync::Arc;
use std::time::Duration;
use strategy::Letters;
use trace::{Advance, Advanced, Input, Mode, ObjectKind, Outcome, Run, SnapshotId, Target, TargetError};

/// Most input statements of a leg where patience is not a number: two to this power.
const BLOCK_BITS: u64 = 8;
/// Bytes of standard input, or of a connection, that a leg is given.
const STREAM: usize = 16 << 10;
/// Legs in a row that may come to nothing.
const MOST_FAILURES: u32 = 3;
/// Values that a journey may have in any case.
const LEAST_LONGEST: u32 = 64;
/// Most finds of a search that are gone on from: the last ones, which came hardest.
const MOST_AHEAD: usize = 4;
/// How often a search that finds something again and again may make its usual number of runs.
const MOST_TIMES: u64 = 32;
/// CPU time of a search of usual length without anything new, where sessions end by the clock: some states make runs dear.
const MOST_IDLE: Duration = Duration::from_secs(2);
/// How much a search may grow when none finds anything.
const MOST_GROWTH: u32 = 64;

/// A leg to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// Of random numbers.
    pub seed: u64,
    /// What the campaign covers.
    pub covered: FixedBitSet,
    /// What it found.
    pub known: Arc<Known>,
    /// Runs that are left of the budget, for this leg.
    pub runs: Option<u64>,
    /// Queries that are.
    pub queries: Option<u64>,
}

/// Findings that nobody has to look for any more.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Those of the campaign.
    pub findings: Findings,
    /// How runs of journeys ended that came to one, and where.
    pub ends: FxHashSet<(Outcome, Vec<u64>)>,
}

impl Known {
    /// Whether a run ended as another one did. (Where a check failed is not told by the end.)
    pub fn has(&self, run: &Run) -> bool {
        let is_check = matches!(run.outcome, Outcome::Undefined(_));
        !is_check && self.ends.contains(&(run.outcome, run.crash_stack.clone()))
    }
}

/// What of the session a leg needs.
pub struct Around<'a> {
    /// The program.
    pub map: &'a Arc<ProgramMap>,
    /// Time since the session began.
    pub clock: &'a (dyn Fn() -> Duration + Sync + 'a),
    /// CPU time of the calling thread.
    pub cpu: &'a (dyn Fn() -> Duration + Sync + 'a),
    /// Told of each run of the program, and of the CPU time that it took.
    pub ran: &'a (dyn Fn(Duration) + Sync + 'a),
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
    /// Why a run could not be frozen.
    pub refused: Option<String>,
}

impl Leg {
    /// Microseconds of a leg that was a search, for which the worker took so much CPU itself.
    fn search_cost(&self, config: &Config, own: Duration) -> u64 {
        let by_clock = config.budget.is_by_clock();
        self.searches
            .iter()
            .map(|ledger| balance::cost(by_clock, SEARCH_RUN, ledger.runs, own, self.cpu))
            .sum()
    }

    /// How many branches it covered that were not.
    fn gain(&self, covered: &FixedBitSet) -> usize {
        let new =
            self.shown.iter().flat_map(|run| run.covered.iter().copied()).filter(|&b| is_new(covered, b));
        new.collect::<FxHashSet<_>>().len()
    }
}

/// Whether a branch of the program is not among those that are covered.
fn is_new(covered: &FixedBitSet, branch: BranchId) -> bool {
    branch.index() < covered.len() && !covered[branch.index()]
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
    balance: Balance,
    archive: Archive,
    /// What searches found that the program listens for.
    vocabulary: Vocabulary,
    /// With a patience: how much larger than the first the next search is.
    growth: u32,
    /// Most input statements of a journey, once it is known that longer ones do not end in time.
    longest: Option<u32>,
    /// Legs in a row that came to nothing because the target failed.
    failures: u32,
}

/// A journey under way.
struct Journey {
    /// Where it is.
    place: Place,
    /// What it goes on with.
    ahead: Vec<Input>,
    rest: Rest,
    /// It is to search before it goes on.
    searches: bool,
    /// It is to talk, and is over then.
    talks: bool,
}

impl Journey {
    /// From a state that is kept: talk if it is due, else a search if one is.
    fn from_kept(kept: Kept, talks: bool, is_due: bool) -> Journey {
        Journey { talks, ..Journey::at(kept.place, !talks && is_due) }
    }

    /// At a state, with nothing ahead.
    fn at(place: Place, searches: bool) -> Journey {
        Journey { place, ahead: Vec::new(), rest: Rest::default(), searches, talks: false }
    }
}

/// How long random input has come with nothing new.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// Input statements in a row.
    idle: u32,
}

impl Rest {
    /// Whether the patience is at its end.
    fn is_over(self, hybrid: &Hybrid) -> bool {
        hybrid.patience.is_some_and(|patience| self.idle >= patience.max(1))
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
        let mut leg = Leg::default();
        if order.runs == Some(0) {
            return Ok(leg);
        }
        let target = match &mut self.target {
            Some(target) => target,
            none => none.insert((with.factory)(with.number)?),
        };
        let mut dice = Dice::biased(order.seed, &with.config.bias);
        let returns = with.config.hybrid.patience.is_none();
        let by_clock = with.config.budget.is_by_clock();
        let is_due = returns && self.balance.search_is_due();
        let mut journey = self.journey.take();
        let can_talk = returns && !self.vocabulary.is_empty();
        self.balance.may_talk(can_talk && !self.archive.is_empty());
        let talks = self.balance.talk_is_due();
        let stays = talks || self.archive.has_unvisited() || dice.below(2) != 0;
        if journey.is_none() && returns && stays {
            // A state that was just kept waits for talk or for a search.
            let counts = talks || is_due || !can_talk;
            journey = self.archive.visit(counts).map(|kept| Journey::from_kept(kept, talks, is_due));
        }
        let began = (around.cpu)();
        let longest = self.longest.unwrap_or(u32::MAX);
        let stretch = Stretch { order, config: with.config, archive: &mut self.archive, around, longest };
        let result = match journey {
            Some(journey) if journey.talks => {
                let talk = (&mut self.vocabulary, &mut dice);
                let result = stretch.converse(target.as_mut(), &journey, talk, &mut leg);
                let own = (around.cpu)().saturating_sub(began);
                let cost = balance::cost(by_clock, TALK_RUN, leg.runs, own, leg.cpu);
                let is_new = matches!(result, Ok(true));
                self.balance.talked(cost, leg.gain(&order.covered), is_new);
                if let (false, Some(snapshots)) = (self.archive.has(journey.place.at), target.snapshots()) {
                    snapshots.forget(journey.place.at);
                }
                result.map(|_| None)
            }
            Some(journey) if journey.searches => Ok(Some(journey)),
            Some(journey) if returns && !journey.ahead.is_empty() => {
                stretch.land(target.as_mut(), journey, can_talk, &mut leg)
            }
            journey => {
                let way = (&mut dice, &mut self.balance.samples, is_due);
                let result = stretch.wander(target.as_mut(), journey, way, &mut leg);
                let own = (around.cpu)().saturating_sub(began);
                let cost = balance::cost(by_clock, RUN, leg.runs, own, leg.cpu);
                self.balance.wandered(cost, leg.gain(&order.covered));
                result
            }
        };
        let journey = match result {
            Ok(journey) => journey,
            Err(error @ (TargetError::Server(_) | TargetError::Io { .. }))
                if target.snapshots().is_some() =>
            {
                return self.begin_anew(leg, error);
            }
            Err(error) => return Err(error),
        };
        let Some(mut journey) = journey else { return Ok(leg) };
        let is_due = is_due || journey.searches || journey.rest.is_over(&with.config.hybrid);
        journey.searches = false;
        let may_search = order.runs.is_none_or(|n| n > leg.runs) && order.queries != Some(0);
        if is_due && may_search && !(around.stop)() {
            let growth = if returns { self.balance.search_length() } else { self.growth };
            let runs = with.config.hybrid.search_runs.saturating_mul(growth.clamp(1, MOST_GROWTH));
            let (usual, left) = (u64::from(runs), order.runs.map_or(u64::MAX, |left| left - leg.runs));
            let runs = if returns {
                (left.min(usual * MOST_TIMES), Some(usual), by_clock.then_some(MOST_IDLE * growth))
            } else {
                (left.min(usual), None, None)
            };
            let began = (around.cpu)();
            let seeking = Seeking { order, around, runs, seed: dice.number() };
            let found = seek(target.as_mut(), &mut journey, &seeking, &mut with, &mut self.vocabulary);
            let (found, is_new, understood) = match found {
                Ok(found) => found,
                Err(error) => return self.begin_anew(leg, error),
            };
            self.growth = if is_new { 1 } else { growth.clamp(1, MOST_GROWTH) * 2 };
            let own = (around.cpu)().saturating_sub(began);
            self.balance.searched(found.search_cost(with.config, own), found.gain(&order.covered), is_new);
            leg.runs += found.runs;
            leg.cpu += found.cpu;
            leg.shown.extend(found.shown);
            leg.searches.extend(found.searches);
            let goes_elsewhere = journey.ahead.is_empty() && !understood.is_empty();
            for ahead in understood {
                let stretch =
                    Stretch { order, config: with.config, archive: &mut self.archive, around, longest };
                if let Err(error) = stretch.keep_behind(target.as_mut(), &journey, ahead, &mut leg) {
                    return self.begin_anew(leg, error);
                }
            }
            if goes_elsewhere && self.archive.has_unvisited() {
                // On from there first.
                if let (false, Some(snapshots)) = (self.archive.has(journey.place.at), target.snapshots()) {
                    snapshots.forget(journey.place.at);
                }
                return Ok(leg);
            }
        }
        self.journey = Some(journey);
        self.failures = 0;
        Ok(leg)
    }

    /// What was found at the end of an input of so many values is not shown by a run from the program's start, which takes too
    /// long: journeys are over sooner from now on.
    pub fn turn_back(&mut self, values: usize) {
        let half = u32::try_from(values / 2).unwrap_or(u32::MAX).max(LEAST_LONGEST);
        let longest = self.longest.map_or(half, |longest| longest.min(half));
        self.longest = Some(longest);
        let values = |input: &Input| input.objects.iter().filter(|o| o.kind == ObjectKind::Value).count();
        let mut left = self.archive.leave(|behind| values(behind) > longest as usize);
        left.extend(self.journey.take().map(|journey| journey.place.at).filter(|&at| !self.archive.has(at)));
        if let Some(snapshots) = self.target.as_mut().and_then(|target| target.snapshots()) {
            left.into_iter().for_each(|at| snapshots.forget(at));
        }
    }

    /// A new target for a new journey, after the old one failed; after too many in vain, its error.
    fn begin_anew(&mut self, leg: Leg, error: TargetError) -> Result<Leg, TargetError> {
        self.target = None;
        self.archive = Archive::default();
        self.failures = if leg.runs == 0 { self.failures + 1 } else { 0 };
        if self.failures >= MOST_FAILURES { Err(error) } else { Ok(leg) }
    }
}

/// What a stretch of a journey needs.
struct Stretch<'a> {
    order: &'a Order,
    config: &'a Config,
    archive: &'a mut Archive,
    /// Most input statements.
    longest: u32,
    around: &'a Around<'a>,
}

impl Stretch<'_> {
    /// Random inputs from where the journey is, or from the program's start, to where it rests; `None` when it is over.
    fn wander(
        self,
        target: &mut dyn Target,
        journey: Option<Journey>,
        (dice, samples, is_due): (&mut Dice, &mut Samples, bool),
        leg: &mut Leg,
    ) -> Result<Option<Journey>, TargetError> {
        let (hybrid, shape) = (&self.config.hybrid, &self.config.shape);
        let letters = if dice.number().is_multiple_of(2) { Letters::All } else { Letters::Printable };
        let (from, behind, speaks, mut input, rest) = match journey {
            Some(Journey { place: Place { at, behind, speaks }, mut ahead, rest, .. }) => {
                (Some(at), behind, speaks, ahead.pop().unwrap_or_default(), rest)
            }
            None => {
                let input = without_words(&dice.input(shape, self.config.initial_len, letters));
                (None, input.clone(), 0, input, Rest::default())
            }
        };
        let (mut freeze_at_end, mut is_last) = (false, false);
        if has_any(shape) {
            let room = self.config.max_input.saturating_sub(behind.len() + input.len());
            babble(&mut input, shape, speaks, room.min(STREAM), (dice, letters));
            freeze_at_end = room > STREAM;
            is_last = room == 0;
        }
        let value_seed = dice.number();
        // The paper's random inputs are uniform. Without its patience every other stretch comes back to values given before: of
        // 2^32 keys no two are alike by chance.
        let repeats = hybrid.patience.is_none() && dice.number().is_multiple_of(2);
        let freeze_at = match hybrid.patience {
            Some(_) => 0,
            // Searches are to begin at all depths: what is asked early, and what a program that soon ends asks, too.
            None if is_due => 1 << (dice.number() % (BLOCK_BITS + 1)),
            None => 1 << BLOCK_BITS,
        };
        let (input, idle) = (&input, rest.idle);
        let way = Way {
            from,
            stays: false,
            behind,
            speaks,
            input,
            value_seed,
            repeats,
            idle,
            freeze_at,
            freeze_behind: false,
            freeze_at_end,
        };
        let (advanced, mut place) = self.go(target, way, leg)?;
        samples.add(&advanced);
        let rest = Rest { idle: advanced.idle };
        if is_last {
            // There is no more input to be had: a program that goes on asking would do so for ever.
            if let (Some(place), Some(snapshots)) = (place.take(), target.snapshots()) {
                snapshots.forget(place.at);
            }
        }
        Ok(place.map(|place| Journey { rest, ..Journey::at(place, false) }))
    }

    /// What a search found, each up to its end, where the state is kept; `None` when the program ends before. The journey goes on
    /// behind the last, which came hardest; the others are there to be come back to, as far as the budget of runs allows.
    fn land(
        self,
        target: &mut dyn Target,
        journey: Journey,
        can_talk: bool,
        leg: &mut Leg,
    ) -> Result<Option<Journey>, TargetError> {
        let Journey { place, ahead, .. } = journey;
        let mut room = Vec::new();
        let mut last = None;
        let left = self.order.runs.map_or(usize::MAX, |runs| runs.saturating_sub(leg.runs) as usize);
        let skipped = ahead.len().saturating_sub(left);
        for (k, input) in ahead.iter().enumerate().skip(skipped) {
            let is_last = k + 1 == ahead.len();
            let landed = self.end_of(target, (place.clone(), !is_last), input, leg)?;
            if let Some(landed) = landed {
                // Where there is talk it comes first, or another search from what is kept.
                let made = self.archive.keep(landed.clone(), is_last && !can_talk);
                // The origin is needed up to the last landing, which forgets it unless it is kept then.
                room.extend(made.filter(|&old| is_last || old != place.at));
                last = (is_last && !can_talk).then_some(landed);
            }
        }
        if let Some(snapshots) = target.snapshots() {
            let goes_on = last.as_ref().map(|place| place.at);
            room.into_iter().filter(|&old| Some(old) != goes_on).for_each(|old| snapshots.forget(old));
        }
        Ok(last.map(|place| Journey::at(place, true)))
    }

    /// Keeps the state behind `ahead`, from where the journey rests, for later; whether there is one.
    fn keep_behind(
        self,
        target: &mut dyn Target,
        journey: &Journey,
        ahead: Input,
        leg: &mut Leg,
    ) -> Result<bool, TargetError> {
        if self.is_spent(leg) {
            return Ok(false);
        }
        let landed = self.end_of(target, (journey.place.clone(), true), &ahead, leg)?;
        let Some(place) = landed else { return Ok(false) };
        let room = self.archive.keep(place, false).filter(|&old| old != journey.place.at);
        if let (Some(old), Some(snapshots)) = (room, target.snapshots()) {
            snapshots.forget(old);
        }
        Ok(true)
    }

    /// A snapshot at the end of `ahead`, with all inputs up to there.
    fn end_of(
        &self,
        target: &mut dyn Target,
        (Place { at, behind, speaks }, stays): (Place, bool),
        ahead: &Input,
        leg: &mut Leg,
    ) -> Result<Option<Place>, TargetError> {
        let mut ahead = ahead.clone();
        complete(&mut ahead, &self.config.shape);
        let way = Way {
            from: Some(at),
            behind,
            speaks,
            input: &ahead,
            value_seed: self.order.seed,
            repeats: false,
            idle: 0,
            freeze_at: 0,
            freeze_behind: true,
            freeze_at_end: has_any(&ahead),
            stays,
        };
        Ok(self.go(target, way, leg)?.1)
    }

    /// Runs on concretely. What was covered goes into `leg`; where the run got.
    fn go(
        &self,
        target: &mut dyn Target,
        way: Way<'_>,
        leg: &mut Leg,
    ) -> Result<(Advanced, Option<Place>), TargetError> {
        let (hybrid, covered) = (&self.config.hybrid, &self.order.covered);
        let snapshots = target.snapshots().ok_or_else(|| TargetError::Server(NO_SNAPSHOTS.into()))?;
        let known = |b: BranchId| b.index() >= covered.len() || covered[b.index()];
        let used = way.behind.objects.len() as u32;
        let advanced = snapshots.advance(&Advance {
            from: way.from,
            input: way.input,
            value_seed: way.value_seed,
            repeats: way.repeats,
            known: &known,
            patience: hybrid.patience.unwrap_or(0),
            idle: way.idle,
            freeze_at: way.freeze_at,
            freeze_behind: way.freeze_behind,
            freeze_at_end: way.freeze_at_end,
            max_inputs: hybrid.max_inputs.min(self.longest).saturating_sub(used).max(1),
            stop: self.around.stop,
        })?;
        if let Some(from) = way.from.filter(|&from| !way.stays && !self.archive.has(from)) {
            snapshots.forget(from);
        }
        leg.runs += 1;
        leg.cpu += advanced.run.cpu;
        (self.around.ran)(advanced.run.cpu);
        leg.refused = advanced.refused.clone().or(leg.refused.take());
        let is_new = advanced.run.covered.iter().any(|&b| !known(b));
        let mut behind = joined(way.behind, &advanced.run.input);
        let place = place(&advanced, behind.clone(), way.speaks);
        if let Some(place) = &place {
            behind.clone_from(&place.behind);
        }
        let is_found = advanced.snapshot.is_none() && advanced.run.outcome.is_finding();
        if is_new || (is_found && !self.order.known.has(&advanced.run)) {
            leg.shown.push(Run { input: behind, ..advanced.run.clone() });
        }
        Ok((advanced, place))
    }
}

/// A way to run on.
struct Way<'a> {
    from: Option<SnapshotId>,
    /// More is to go on from there.
    stays: bool,
    behind: Input,
    /// See [`Place`].
    speaks: usize,
    input: &'a Input,
    value_seed: u64,
    repeats: bool,
    idle: u32,
    freeze_at: u32,
    freeze_behind: bool,
    freeze_at_end: bool,
}

/// What a search is to be.
struct Seeking<'a> {
    order: &'a Order,
    around: &'a Around<'a>,
    /// Runs, how many more where it finds something, and the most CPU time without a find.
    runs: (u64, Option<u64>, Option<Duration>),
    seed: u64,
}

/// A search from where the journey rests; whether it found something new, which the journey then goes on with.
fn seek(
    target: &mut dyn Target,
    journey: &mut Journey,
    seeking: &Seeking<'_>,
    with: &mut With<'_, '_>,
    vocabulary: &mut Vocabulary,
) -> Result<(Leg, bool, Vec<Input>), TargetError> {
    let Seeking { order, around, runs: (runs, goes_on, most_idle), seed } = *seeking;
    let search_order = Search {
        map: around.map,
        config: with.config,
        place: &journey.place,
        covered: &order.covered,
        known: &order.known,
        runs,
        goes_on,
        most_idle,
        queries: order.queries,
        seed,
        clock: around.clock,
        cpu: around.cpu,
        ran: around.ran,
        stop: around.stop,
        symbolize: with.symbolize,
    };
    let found = search(target, with.solver, with.lifted, &search_order, vocabulary)?;
    journey.rest = Rest::default();
    let leads_on = found.runs.iter().filter(|run| !run.outcome.is_finding());
    let mut ahead: Vec<Input> = leads_on.map(|run| run.input.clone()).collect();
    journey.ahead = ahead.split_off(ahead.len().saturating_sub(MOST_AHEAD));
    // The journey goes on behind it.
    journey.ahead.iter_mut().for_each(|input| input.objects.retain(|o| o.kind != ObjectKind::End));
    if with.config.hybrid.patience.is_none() {
        journey.ahead.iter().for_each(|input| vocabulary.learn(input));
    }
    let shown = found
        .runs
        .into_iter()
        .map(|run| Run { input: joined(journey.place.behind.clone(), &run.input), ..run });
    let mut leg =
        Leg { runs: found.ledger.runs, cpu: found.cpu, searches: vec![found.ledger], ..Leg::default() };
    leg.shown.extend(shown);
    let is_new = !leg.shown.is_empty() || !found.understood.is_empty();
    Ok((leg, is_new, found.understood))
}

const NO_SNAPSHOTS: &str = "the program cannot be frozen: strategy hybrid needs a program that runs here";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::run;
    use trace::{Request, Snapshots};

    /// Freezes whatever it is told to, and says which inputs it ran.
    #[derive(Default)]
    struct Frozen {
        ran: Vec<Input>,
        forgot: Vec<SnapshotId>,
    }

    impl Target for Frozen {
        fn run(&mut self, _: &Request<'_>) -> Result<Run, TargetError> {
            unreachable!("journeys advance")
        }

        fn snapshots(&mut self) -> Option<&mut dyn Snapshots> {
            Some(self)
        }
    }

    impl Snapshots for Frozen {
        fn advance(&mut self, order: &Advance<'_>) -> Result<Advanced, TargetError> {
            self.ran.push(order.input.clone());
            let snapshot = Some(SnapshotId(self.ran.len() as u32));
            let (run, connections) = (run(&[]), Vec::new());
            Ok(Advanced { run, snapshot, idle: 0, inputs: 0, stream_at: 0, connections, refused: None })
        }

        fn run_from(&mut self, _: SnapshotId, _: &Request<'_>) -> Result<Run, TargetError> {
            unreachable!("a landing searches nothing")
        }

        fn forget(&mut self, snapshot: SnapshotId) {
            self.forgot.push(snapshot);
        }
    }

    /// Where a journey goes on after a landing, with so many runs left.
    fn land(
        target: &mut Frozen,
        archive: &mut Archive,
        journey: Journey,
        runs: Option<u64>,
        leg: &mut Leg,
    ) -> Option<Journey> {
        let (covered, known) = (FixedBitSet::new(), Arc::default());
        let order = Order { seed: 0, covered, known, runs, queries: None };
        let none = || Duration::ZERO;
        let (map, config) = (Arc::default(), Config::default());
        let around = Around { map: &map, clock: &none, cpu: &none, ran: &|_| {}, stop: &|| false };
        let stretch = Stretch { order: &order, config: &config, archive, longest: 9, around: &around };
        stretch.land(target, journey, false, leg).expect("a landing")
    }

    #[test]
    fn an_origin_that_has_to_make_room_is_forgotten_once() {
        let found = [1u8, 2, 3].map(|b| Input::stdin([b]));
        for made in 1..=3 {
            let mut archive = Archive::default();
            let place = |k| Place { at: SnapshotId(k), behind: Input::default(), speaks: 0 };
            archive.keep(place(100), true);
            // As many as there is room for; it is the most visited.
            (201..212).for_each(|k| assert_eq!(archive.keep(place(k), false), None));
            let journey = Journey { ahead: found[..made].to_vec(), ..Journey::at(place(100), false) };
            let mut target = Frozen::default();
            land(&mut target, &mut archive, journey, None, &mut Leg::default());
            let origin = target.forgot.iter().filter(|&&at| at == SnapshotId(100)).count();
            assert_eq!((origin, archive.has(SnapshotId(100))), (1, false), "{made}: {:?}", target.forgot);
        }
    }

    #[test]
    fn a_landing_keeps_to_the_budget_of_runs_and_goes_on_behind_the_hardest_find() {
        let found = [1u8, 2, 3].map(|b| Input::stdin([b]));
        for (left, made) in [(None, 3), (Some(9), 3), (Some(2), 2), (Some(1), 1)] {
            let place = Place { at: SnapshotId(0), behind: Input::default(), speaks: 0 };
            let journey = Journey { ahead: found.to_vec(), ..Journey::at(place, false) };
            let (mut target, mut leg) = (Frozen::default(), Leg::default());
            let landed = land(&mut target, &mut Archive::default(), journey, left, &mut leg);
            assert_eq!((target.ran.as_slice(), leg.runs), (&found[3 - made..], made as u64), "{left:?}");
            let landed = landed.expect("somewhere to go on from");
            assert_eq!(landed.place.at, SnapshotId(made as u32), "behind the last");
        }
    }

    #[test]
    fn with_a_patience_statements_are_counted() {
        let hybrid = Hybrid { patience: Some(10), ..Hybrid::default() };
        assert!(!Rest { idle: 9 }.is_over(&hybrid));
        assert!(Rest { idle: 10 }.is_over(&hybrid));
        assert!(!Rest { idle: 99 }.is_over(&Hybrid::default()), "without one something else decides");
    }

    #[test]
    fn a_leg_gained_what_none_had_covered_each_branch_once() {
        let leg = Leg { shown: vec![run(&[1, 2, 3]), run(&[2, 3, 50])], ..Leg::default() };
        let mut covered = FixedBitSet::with_capacity(10);
        covered.insert(1);
        assert_eq!(leg.gain(&covered), 2);
    }
}
