//! One aim: a conditional to be reached with another value, or together with a branch.
//!
//! What it holds is bounded: of each of its [`MOST_BASES`] bases [`MOST_READY`] inputs that wait to be run (and those of one step more), as many splices, and
//! [`MOST_FIRST`] mended inputs. Inputs beyond [`MOST_SPLICED`] bytes are not spliced, and not mended: they may be as long as an input can
//! be, and conditionals that need pieces of two such inputs are left to flips and mutants.

use super::edit::{Edit, raises, repetitions, splices};
use super::step::{Steps, size};
use super::{Move, Sample};
use crate::recent::Recent;
use program::{BranchId, CondId, CondKind, ProgramMap};
use rand::RngExt;
use rand::rngs::SmallRng;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use strategy::{Knowledge, RunPath};
use trace::Input;

/// Bases of an aim.
const MOST_BASES: usize = 6;
/// Flips of one base.
const MOST_FLIPS: usize = 64;
/// Random changes of one base.
const RANDOM: u32 = 24;
/// Inputs that a base is spliced with at a time.
const MOST_OTHERS: usize = 3;
/// Inputs of one base that wait to be run; the same number of splices.
const MOST_READY: usize = 16;
/// Bytes of inputs that are spliced or mended.
const MOST_SPLICED: usize = 4 << 10;
/// Inputs by which one run is taken back to its way, and such inputs that wait.
const MOST_MENDED: usize = 4;
/// See [`MOST_MENDED`].
const MOST_FIRST: usize = 16;
/// A distance that is not known.
const UNKNOWN: u64 = u64::MAX;

/// What an aim is pursued with.
pub(super) struct Setting<'a> {
    pub known: &'a Knowledge,
    pub paths: &'a mut Recent<RunPath>,
    pub steps: &'a Steps,
    pub carriers: &'a [Option<Arc<Sample>>],
    pub chain: &'a [CondId],
    pub longest: usize,
    pub rng: &'a mut SmallRng,
    /// Runs that decided the conditional.
    pub others: Vec<Arc<Sample>>,
}

/// A move, and for an experiment what it changes of which run.
type Found = (Move, Option<(Arc<Sample>, Edit)>);

/// See the module.
#[derive(Debug)]
pub(super) struct Aim {
    with: Option<BranchId>,
    bases: Vec<Base>,
    /// Inputs to be run first.
    first: VecDeque<(Input, Arc<Sample>)>,
    tries: u64,
    exhausted: bool,
}

/// A run to go on from.
#[derive(Debug)]
pub(super) struct Base {
    sample: Arc<Sample>,
    /// It takes the branch that the conditional is to be brought together with.
    has: bool,
    /// How many of the chain it decided.
    level: usize,
    /// How far the last of these is from the value wanted.
    gap: u64,
    /// Steps of that conditional that were tried.
    stepped: usize,
    /// Inputs to be run.
    ready: VecDeque<Input>,
    edits: Option<VecDeque<Edit>>,
    flips: Option<VecDeque<(u32, BranchId)>>,
    /// Samples to splice it with, how many of the splices were made, and those that wait.
    others: Option<Vec<Arc<Sample>>>,
    spliced: usize,
    splices: VecDeque<Input>,
    turn: u32,
    random: u32,
}

impl Base {
    /// A base of a run that takes the branch in question or not.
    pub fn new(sample: &Arc<Sample>, has: bool, chain: &[CondId], map: &ProgramMap, steps: &Steps) -> Base {
        let level = chain.iter().rposition(|&c| sample.decides(c, map)).map_or(0, |k| k + 1);
        let mut base = Base {
            sample: sample.clone(),
            has,
            level,
            gap: UNKNOWN,
            stepped: 0,
            ready: VecDeque::new(),
            edits: None,
            flips: None,
            others: None,
            spliced: 0,
            splices: VecDeque::new(),
            turn: 0,
            random: RANDOM,
        };
        let Some(&at) = level.checked_sub(1).and_then(|k| chain.get(k)) else { return base };
        let Some(apart) = sample.apart(at) else { return base };
        let wanted = if level == chain.len() {
            nearest(map, at, apart)
        } else {
            steps.passing(at, apart).first().copied()
        };
        base.gap = wanted.map_or(UNKNOWN, |w| w.abs_diff(apart));
        base
    }

    fn rank(&self) -> (bool, Reverse<usize>, u64, usize) {
        (!self.has, Reverse(self.level), self.gap, size(&self.sample.input))
    }
}

/// The value of a conditional that its open branches are nearest to, without regard to which are open.
fn nearest(map: &ProgramMap, cond: CondId, apart: i64) -> Option<i64> {
    match &map.conds[cond.index()].kind {
        CondKind::Switch { cases, .. } => {
            cases.iter().map(|&c| c as i64).filter(|&c| c != apart).min_by_key(|c| c.abs_diff(apart))
        }
        _ => Some(0),
    }
}

/// Values with which a conditional may take a branch that no run took.
fn wanted(known: &Knowledge, cond: CondId, apart: i64) -> Vec<i64> {
    let (map, coverage) = (known.map(), known.coverage());
    match &map.conds[cond.index()].kind {
        CondKind::Switch { cases, .. } => {
            let open = map.branches_of(cond).skip(1).zip(cases).filter(|(b, _)| !coverage.has(*b));
            let mut values: Vec<i64> = open.map(|(_, &case)| case as i64).collect();
            values.sort_by_key(|v| v.abs_diff(apart));
            values.truncate(4);
            values
        }
        _ => match apart {
            0 => vec![1, -1],
            1.. => vec![0, -1],
            _ => vec![0, 1],
        },
    }
}

impl Aim {
    /// Nothing to go on from yet.
    pub fn new(with: Option<BranchId>) -> Aim {
        Aim { with, bases: Vec::new(), first: VecDeque::new(), tries: 0, exhausted: true }
    }

    /// Goals given so far.
    pub fn tries(&self) -> u64 {
        self.tries
    }

    /// Whether nothing is left to try.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Its runs, the most promising first.
    pub fn samples(&self) -> Vec<Arc<Sample>> {
        self.bases.iter().map(|b| b.sample.clone()).collect()
    }

    /// A run to go on from; whether it is closer than all before.
    pub fn offer(&mut self, base: Base) -> bool {
        let alike: Vec<usize> = (0..self.bases.len())
            .filter(|&k| {
                let b = &self.bases[k];
                (b.has, b.level, b.gap) == (base.has, base.level, base.gap)
            })
            .collect();
        let richer = |k: &usize| {
            let old = &self.bases[*k].sample;
            old.covers.count_ones(..) < base.sample.covers.count_ones(..)
        };
        if alike.len() >= 2 || alike.iter().any(|k| !richer(k)) {
            return false;
        }
        let best = self
            .bases
            .first()
            .is_none_or(|b| (!base.has, Reverse(base.level), base.gap) < (!b.has, Reverse(b.level), b.gap));
        let at = self.bases.partition_point(|b| b.rank() <= base.rank());
        if at >= MOST_BASES {
            return false;
        }
        self.bases.insert(at, base);
        self.bases.truncate(MOST_BASES);
        self.exhausted = false;
        if best {
            self.tries /= 2;
        }
        best
    }

    /// A run whose input differs by one edit from that of one that decided the conditional, and that left the way at a gate: steps that take it
    /// back are to be run first. So what needs something else taken out, or put in, beside it is tried, too.
    pub fn mend(
        &mut self,
        sample: &Arc<Sample>,
        chain: &[CondId],
        map: &ProgramMap,
        steps: &Steps,
        longest: usize,
    ) {
        if size(&sample.input) > MOST_SPLICED {
            return;
        }
        let level = Base::new(sample, true, chain, map, steps).level;
        let Some(&gate) = level.checked_sub(1).filter(|_| level < chain.len()).and_then(|k| chain.get(k))
        else {
            return;
        };
        let Some(apart) = sample.apart(gate) else { return };
        let Some(need) = steps.passing(gate, apart).first().and_then(|p| p.checked_sub(apart)) else {
            return;
        };
        let mended = steps.of(gate).iter().flat_map(|s| s.towards(need, &sample.input, longest));
        self.first.extend(mended.take(MOST_MENDED).map(|input| (input, sample.clone())));
        while self.first.len() > MOST_FIRST {
            self.first.pop_front();
        }
        self.exhausted &= self.first.is_empty();
    }

    /// What to try next for it.
    pub fn next(&mut self, setting: &mut Setting<'_>) -> Option<Found> {
        self.tries += 1;
        if !self.tries.is_multiple_of(3)
            && let Some((input, sample)) = self.first.pop_front()
        {
            return Some((Move::Try(input, sample.run), None));
        }
        // Mostly the most promising.
        let n = self.bases.len();
        let first = if n > 1 && self.tries.is_multiple_of(3) { setting.rng.random_range(0..n) } else { 0 };
        for k in (first..n).chain(0..first) {
            let found = self.bases[k].next(self.with, setting);
            if found.is_some() {
                self.exhausted = false;
                return found;
            }
        }
        self.exhausted = true;
        None
    }
}

impl Base {
    fn next(&mut self, with: Option<BranchId>, setting: &mut Setting<'_>) -> Option<Found> {
        let run = self.sample.run;
        if self.has {
            self.step(setting);
        }
        if let Some(input) = self.ready.pop_front() {
            return Some((Move::Try(input, run), None));
        }
        for _ in 0..3 {
            self.turn += 1;
            let found = match self.turn % 3 {
                1 if self.has => self.experiment(setting),
                2 => self.flip(with, setting),
                _ => self.splice(with, setting),
            };
            if found.is_some() {
                return found;
            }
        }
        self.at_random(setting)
    }

    /// Takes the steps that were learned meanwhile, as many as the distance has.
    fn step(&mut self, setting: &Setting<'_>) {
        let Some(&at) = self.level.checked_sub(1).and_then(|k| setting.chain.get(k)) else { return };
        let Some(apart) = self.sample.apart(at) else { return };
        let steps = setting.steps.of(at);
        let targets = if self.level == setting.chain.len() {
            wanted(setting.known, at, apart)
        } else {
            setting.steps.passing(at, apart)
        };
        for step in steps.iter().skip(self.stepped) {
            if self.ready.len() >= MOST_READY {
                return;
            }
            self.stepped += 1;
            let needs = targets.iter().take(3).filter_map(|t| t.checked_sub(apart));
            for need in needs {
                self.ready.extend(step.towards(need, &self.sample.input, setting.longest));
            }
        }
    }

    /// One piece more, or one number raised.
    fn experiment(&mut self, setting: &Setting<'_>) -> Option<Found> {
        let input = &self.sample.input;
        let edits = self.edits.get_or_insert_with(|| {
            let mut edits: VecDeque<Edit> = repetitions(input).into();
            for (k, raise) in raises(input).into_iter().enumerate() {
                edits.insert((2 * k + 1).min(edits.len()), raise);
            }
            edits
        });
        while let Some(edit) = edits.pop_front() {
            if let Some(new) = edit.apply(input, setting.longest) {
                return Some((Move::Try(new, self.sample.run), Some((self.sample.clone(), edit))));
            }
        }
        None
    }

    /// Another decision on its path: towards the branch, where there is one and the run does not take it.
    fn flip(&mut self, with: Option<BranchId>, setting: &mut Setting<'_>) -> Option<Found> {
        let run = self.sample.run;
        let path = setting.paths.get(run)?;
        let (known, towards) = (setting.known, with.filter(|_| !self.has));
        if self.flips.is_none() {
            let mut all = flips(known, &path, towards);
            let n = all.len();
            for k in 0..n.min(MOST_FLIPS) {
                all.swap(k, setting.rng.random_range(k..n));
            }
            all.truncate(MOST_FLIPS);
            self.flips = Some(all.into());
        }
        let flips = self.flips.as_mut()?;
        while let Some((at, branch)) = flips.pop_front() {
            if known.tree.is_worth(&path.decisions, at as usize, branch) {
                return Some((Move::Flip(run, at, branch), None));
            }
        }
        None
    }

    /// Something of another run put into it: of one that decided the conditional, or takes the branch.
    fn splice(&mut self, with: Option<BranchId>, setting: &Setting<'_>) -> Option<Found> {
        let others = self.others.get_or_insert_with(|| {
            let carrier = with.and_then(|b| setting.carriers[b.index()].clone());
            let mut others: Vec<Arc<Sample>> = match (self.has, with) {
                (false, _) => carrier.into_iter().collect(),
                (true, Some(_)) => setting.others.iter().take(MOST_OTHERS).cloned().collect(),
                // Pieces of its own in the place of others: as many, but of another kind.
                (true, None) => vec![self.sample.clone()],
            };
            others.retain(|other| size(&other.input).max(size(&self.sample.input)) <= MOST_SPLICED);
            others
        });
        if self.splices.is_empty() && !others.is_empty() {
            let input = &self.sample.input;
            let all = others.iter().flat_map(|other| splices(input, &other.input, setting.longest));
            self.splices = all.skip(self.spliced).take(MOST_READY).collect();
            self.spliced += self.splices.len();
            if self.splices.len() < MOST_READY {
                others.clear();
            }
        }
        self.splices.pop_front().map(|new| (Move::Try(new, self.sample.run), None))
    }

    /// A piece somewhere in it once more, a few times.
    fn at_random(&mut self, setting: &mut Setting<'_>) -> Option<Found> {
        while self.random > 0 && self.has {
            self.random -= 1;
            let input = &self.sample.input;
            let Some(edit) = Edit::at_random(input, setting.rng) else { continue };
            if let Some(new) = edit.apply(input, setting.longest) {
                return Some((Move::Try(new, self.sample.run), Some((self.sample.clone(), edit))));
            }
        }
        None
    }
}

/// The flips of a path that are worth it, or those to one branch.
fn flips(known: &Knowledge, path: &RunPath, towards: Option<BranchId>) -> Vec<(u32, BranchId)> {
    let walk = known.tree.walk(&path.decisions);
    let mut all = Vec::new();
    for (at, decision) in path.decisions.iter().enumerate() {
        for branch in strategy::alternatives(known.map(), decision) {
            if towards.is_none_or(|b| b == branch) && walk.is_worth(at, branch) {
                all.push((at as u32, branch));
            }
        }
    }
    all
}
