//! Conditions on how often something happened, and on flags that control flow set: aimed at by their compared values.
//!
//! `if (n == 1000)`, where `n` counts bytes read or turns of a loop, holds no input: no constraint can be flipped. The same goes
//! for `if (t == 5 && f == 3)` where other branches set `t` and `f`. Symbolic execution calls this an implicit flow; loop-extended symbolic
//! execution (Saxena et al., ISSTA 2009) gives loops their counters as symbols, search-based testing climbs branch distances (Korel, TSE
//! 1990) and chains the branches that set what is compared (Ferguson and Korel, "The Chaining Approach", TOSEM 1996). Here the
//! program is asked instead of analysed:
//!
//! * **Distances**: runs tell what each conditional compared last ([`trace::Compared`]). A conditional with an open branch that a run decided
//!   without input is *watched*; the runs that came closest are its bases.
//! * **Steps**: a base is changed by one piece (a line, a word, a byte, a value once more) or one number by one. Where that moved a compared
//!   value, the change is a step of that size. Then as many steps are taken at once as the distance has: 980 bytes more, seven lines less.
//! * **Company**: which branches were taken in runs that reached a watched conditional. For each that was taken elsewhere only, both are
//!   brought together: flips towards it on the way to the conditional, pieces of one input put into the other, and steps at the
//!   *gates* (the conditionals on the way there) that the new piece moved off their values. What one of several flags needs
//!   happens beside what the others need, one after the other.
//!
//! What differs from the papers: no analysis of loops or definitions, so nothing about the program's form is assumed; the price is a
//! run for each question. Every run of the campaign teaches, whoever asked for it.

mod aim;
mod edit;
mod step;

use crate::recent::Recent;
use crate::seen::fingerprint;
use aim::{Aim, Base};
use edit::Edit;
use events::RunId;
use fixedbitset::FixedBitSet;
use program::{BranchId, CondId, ProgramMap, Vertex};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use step::Steps;
use strategy::{Knowledge, RunPath};
use trace::{Compared, Input, Run};

/// Most watched conditionals.
const MOST_WATCHED: usize = 256;
/// Gates of a conditional.
const MOST_GATES: usize = 6;
/// Branches that one conditional is to be brought together with at a time.
const MOST_TOGETHER: usize = 24;
/// Compared values of a run that are all kept; of more those of watched conditionals.
const ALL_COMPARED: usize = 256;
/// Experiments under way.
const MOST_PENDING: usize = 1 << 10;

/// A run as far as it matters here.
#[derive(Debug)]
pub(super) struct Sample {
    /// Its number.
    run: RunId,
    /// What it consumed.
    input: Input,
    /// Branches it took.
    covers: FixedBitSet,
    /// What conditionals compared, by conditional.
    compared: Vec<Compared>,
}

impl Sample {
    /// What a conditional compared.
    fn apart(&self, cond: CondId) -> Option<i64> {
        let at = self.compared.binary_search_by_key(&cond, |c| c.cond).ok()?;
        Some(self.compared[at].apart)
    }

    fn takes(&self, branch: BranchId) -> bool {
        self.covers.contains(branch.index())
    }

    fn decides(&self, cond: CondId, map: &ProgramMap) -> bool {
        map.branches_of(cond).any(|b| self.takes(b))
    }
}

/// A conditional with an open branch that some run decided without input.
#[derive(Debug)]
struct Watched {
    /// The conditionals on the way to it, outermost first, and itself.
    chain: Vec<CondId>,
    /// Branches of runs that decided it.
    company: FixedBitSet,
    /// To be reached with another value.
    alone: Aim,
    /// To be reached together with a branch.
    together: BTreeMap<BranchId, Aim>,
    /// Goals given so far, fewer where it gets closer.
    tries: u64,
    /// Nothing can be done for it at present.
    idle: bool,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Run this input, made from a run's.
    Try(Input, RunId),
    /// Flip this decision of a run.
    Flip(RunId, u32, BranchId),
}

/// See the module.
pub struct Aims {
    rng: SmallRng,
    longest: usize,
    watched: BTreeMap<CondId, Watched>,
    /// Of each branch the shortest input that takes it.
    carriers: Vec<Option<Arc<Sample>>>,
    steps: Steps,
    /// Inputs under way that differ from a run's by one step.
    pending: FxHashMap<u128, (Arc<Sample>, Edit)>,
}

impl Aims {
    /// Nothing watched yet; inputs have at most `longest` bytes.
    pub fn new(seed: u64, longest: usize) -> Aims {
        Aims {
            rng: SmallRng::seed_from_u64(seed ^ 0xa135),
            longest,
            watched: BTreeMap::new(),
            carriers: Vec::new(),
            steps: Steps::default(),
            pending: FxHashMap::default(),
        }
    }

    /// Whether there is something to try.
    pub fn has_work(&self) -> bool {
        self.watched.values().any(|w| !w.idle)
    }

    /// A run of `asked` came in; `symbolic` says which conditionals it decided by input. Conditionals that are seen for the first time to follow
    /// a number of pieces.
    pub fn observe(
        &mut self,
        known: &Knowledge,
        id: RunId,
        asked: &Input,
        run: &Run,
        symbolic: &dyn Fn(CondId) -> bool,
    ) -> Vec<CondId> {
        if run.compared.is_empty() || run.outcome.is_finding() {
            return Vec::new();
        }
        let map = known.map();
        self.carriers.resize(map.n_own_branches(), None);
        self.watched.retain(|&cond, _| is_open(known, cond));
        self.watch(known, run, symbolic);
        let sample = Arc::new(self.sample(id, run, map));
        let moved = match self.pending.remove(&fingerprint(asked)) {
            Some((base, edit)) => self.steps.learn(&base, &sample, &edit),
            None => Vec::new(),
        };
        self.steps.note_passing(&sample, self.watched.values().map(|w| w.chain.as_slice()), map);
        for branch in sample.covers.ones() {
            let carrier = &mut self.carriers[branch];
            if carrier.as_ref().is_none_or(|old| sample.input.len() < old.input.len()) {
                *carrier = Some(sample.clone());
            }
        }
        for (&cond, watched) in &mut self.watched {
            watched.take_in(cond, &sample, map, &self.steps);
            if !moved.is_empty() {
                watched.idle = false;
            }
        }
        moved.into_iter().filter(|c| self.watched.contains_key(c)).collect()
    }

    /// What to try next.
    pub fn next(&mut self, known: &Knowledge, paths: &mut Recent<RunPath>) -> Option<Move> {
        loop {
            let (&cond, _) = self.watched.iter().filter(|(_, w)| !w.idle).min_by_key(|(_, w)| w.tries)?;
            let mut watched = self.watched.remove(&cond)?;
            watched.tries += 1;
            if watched.tries % 32 == 1 {
                watched.pair(known, &self.carriers, &self.steps, &mut self.rng);
            }
            let found = self.ask(&mut watched, cond, known, paths);
            watched.idle = found.is_none();
            self.watched.insert(cond, watched);
            if found.is_some() {
                return found;
            }
        }
    }

    /// A move for one conditional: by turns for itself and for what it is to be brought together with.
    fn ask(
        &mut self,
        watched: &mut Watched,
        cond: CondId,
        known: &Knowledge,
        paths: &mut Recent<RunPath>,
    ) -> Option<Move> {
        let (chain, company) = (&watched.chain, &watched.company);
        watched.together.retain(|b, _| !company.contains(b.index()));
        let mut setting = aim::Setting {
            known,
            paths,
            steps: &self.steps,
            carriers: &self.carriers,
            chain,
            longest: self.longest,
            rng: &mut self.rng,
            others: watched.alone.samples(),
        };
        let alone_first = watched.tries % 2 == 0;
        let mut found = None;
        if alone_first {
            found = watched.alone.next(&mut setting);
        }
        while found.is_none() {
            let of = watched.together.values_mut().filter(|a| !a.is_exhausted()).min_by_key(|a| a.tries());
            let Some(aim) = of else { break };
            found = aim.next(&mut setting);
        }
        if found.is_none() && !alone_first {
            found = watched.alone.next(&mut setting);
        }
        let (made, experiment) = found?;
        if let (Move::Try(input, _), Some((base, edit))) = (&made, experiment)
            && self.pending.len() < MOST_PENDING
        {
            self.pending.insert(fingerprint(input), (base, edit));
        }
        Some(made)
    }

    /// Takes note of an input that was not run after all.
    pub fn was_done(&mut self, input: &Input) {
        self.pending.remove(&fingerprint(input));
    }

    /// Watches the open conditionals that a run decided without input.
    fn watch(&mut self, known: &Knowledge, run: &Run, symbolic: &dyn Fn(CondId) -> bool) {
        for &Compared { cond, .. } in &run.compared {
            if self.watched.len() >= MOST_WATCHED {
                return;
            }
            if self.watched.contains_key(&cond) || !is_open(known, cond) || symbolic(cond) {
                continue;
            }
            let chain = chain(known, cond);
            let mut watched = Watched {
                chain,
                company: FixedBitSet::with_capacity(known.map().n_own_branches()),
                alone: Aim::new(None),
                together: BTreeMap::new(),
                tries: self.watched.values().map(|w| w.tries).min().unwrap_or(0),
                idle: false,
            };
            for sample in self.carriers.iter().flatten() {
                watched.take_in(cond, sample, known.map(), &self.steps);
            }
            self.watched.insert(cond, watched);
        }
    }

    fn sample(&self, run: RunId, done: &Run, map: &ProgramMap) -> Sample {
        let mut covers = FixedBitSet::with_capacity(map.n_own_branches());
        let own = done.covered.iter().map(|b| b.index()).filter(|&b| b < map.n_own_branches());
        own.for_each(|b| covers.insert(b));
        let few = done.compared.len() <= ALL_COMPARED;
        let matters = |c: &&Compared| few || self.watched.values().any(|w| w.chain.contains(&c.cond));
        let compared = done.compared.iter().filter(matters).copied().collect();
        Sample { run, input: done.input.clone(), covers, compared }
    }
}

impl Watched {
    /// A run came in.
    fn take_in(&mut self, cond: CondId, sample: &Arc<Sample>, map: &ProgramMap, steps: &Steps) {
        let decides = sample.decides(cond, map);
        if decides && !sample.covers.is_subset(&self.company) {
            self.company.union_with(&sample.covers);
            self.idle = false;
        }
        let mut better = false;
        if decides {
            better |= self.alone.offer(Base::new(sample, true, &self.chain, map, steps));
        }
        for (&branch, aim) in &mut self.together {
            if sample.takes(branch) {
                better |= aim.offer(Base::new(sample, true, &self.chain, map, steps));
            }
        }
        if better {
            self.tries -= self.tries / 4;
            self.idle = false;
        }
    }

    /// Chooses branches that it is to be brought together with: such as some run took, but none that decided it.
    fn pair(
        &mut self,
        known: &Knowledge,
        carriers: &[Option<Arc<Sample>>],
        steps: &Steps,
        rng: &mut SmallRng,
    ) {
        let map = known.map();
        let apart = |b: &usize| carriers[*b].is_some() && !self.company.contains(*b);
        let mut missing: Vec<usize> = (0..carriers.len()).filter(apart).collect();
        while self.together.len() < MOST_TOGETHER && !missing.is_empty() {
            let branch = missing.swap_remove(rng.random_range(0..missing.len()));
            let (Some(carrier), branch) = (&carriers[branch], BranchId(branch as u32)) else { continue };
            self.together.entry(branch).or_insert_with(|| {
                let mut aim = Aim::new(Some(branch));
                aim.offer(Base::new(carrier, true, &self.chain, map, steps));
                for other in self.alone.samples().iter().take(2) {
                    aim.offer(Base::new(other, false, &self.chain, map, steps));
                }
                aim
            });
        }
    }
}

/// Whether a conditional of the program's own has a branch that no run took.
fn is_open(known: &Knowledge, cond: CondId) -> bool {
    let own = known.map().n_own_branches();
    cond.index() < known.map().conds.len()
        && known.map().branches_of(cond).any(|b| b.index() < own && !known.coverage().has(b))
}

/// The conditionals that alone lead to one, outermost first, and itself.
fn chain(known: &Knowledge, cond: CondId) -> Vec<CondId> {
    let (graph, map) = (known.graph(), known.map());
    let mut chain = vec![cond];
    let mut at = graph.branch(map.conds[cond.index()].first_branch);
    // Backwards as long as there is one way.
    for _ in 0..256 {
        let before: Vec<Vertex> = graph.predecessors(at).collect();
        let [only] = before[..] else { break };
        at = only;
        if let Some(branch) = graph.as_branch(at) {
            let gate = map.branches[branch.index()].cond;
            if chain.contains(&gate) || chain.len() > MOST_GATES {
                break;
            }
            chain.push(gate);
        }
    }
    chain.reverse();
    chain
}
