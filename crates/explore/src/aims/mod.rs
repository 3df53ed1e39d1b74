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
mod follows;
mod step;

use crate::recent::Recent;
use crate::seen::fingerprint;
use aim::{Aim, Base};
use edit::Edit;
use events::{Follows, RunId};
use fixedbitset::FixedBitSet;
use follows::{Evidence, difference};
use program::{BranchId, CondId, ProgramMap, Vertex};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use step::Steps;
use strategy::{Knowledge, RunPath};
use trace::{Compared, Input, Run};

/// Most watched conditionals.
const MOST_WATCHED: usize = 96;
/// Gates of a conditional.
const MOST_GATES: usize = 6;
/// Branches that one conditional is to be brought together with at a time.
const MOST_TOGETHER: usize = 16;
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

/// A run that came in.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// Its number.
    pub id: RunId,
    /// The input that was asked for.
    pub asked: &'a Input,
    /// What it did.
    pub run: &'a Run,
    /// Which conditionals it decided by input.
    pub symbolic: &'a dyn Fn(CondId) -> bool,
    /// Its path, if it has one.
    pub path: Option<&'a RunPath>,
}

/// See the module.
pub struct Aims {
    rng: SmallRng,
    longest: usize,
    watched: BTreeMap<CondId, Watched>,
    /// Those, and the conditionals on the way to them.
    matters: FixedBitSet,
    /// Such as were watched in vain and made room for others.
    dropped: FixedBitSet,
    /// Of each branch the shortest input that takes it.
    carriers: Vec<Option<Arc<Sample>>>,
    steps: Steps,
    evidence: Evidence,
    rests: bool,
    /// Inputs under way that differ from a run's by one step.
    pending: Pending,
}

/// Experiments under way, by input: the run that was changed, and how. Beyond a bound the oldest are forgotten.
#[derive(Default)]
struct Pending {
    edits: FxHashMap<u128, (Arc<Sample>, Edit)>,
    /// Their keys, oldest first; those of experiments that came back, too, until they are many.
    order: VecDeque<u128>,
}

impl Pending {
    fn put(&mut self, input: &Input, base: Arc<Sample>, edit: Edit) {
        let key = fingerprint(input);
        if self.edits.insert(key, (base, edit)).is_none() {
            self.order.push_back(key);
        }
        while self.edits.len() > MOST_PENDING {
            let Some(oldest) = self.order.pop_front() else { break };
            self.edits.remove(&oldest);
        }
        if self.order.len() > 2 * MOST_PENDING {
            let edits = &self.edits;
            self.order.retain(|key| edits.contains_key(key));
        }
    }

    fn take(&mut self, input: &Input) -> Option<(Arc<Sample>, Edit)> {
        self.edits.remove(&fingerprint(input))
    }
}

impl Aims {
    /// Nothing watched yet; inputs have at most `longest` bytes.
    pub fn new(seed: u64, longest: usize) -> Aims {
        Aims {
            rng: SmallRng::seed_from_u64(seed ^ 0xa135),
            longest,
            watched: BTreeMap::new(),
            matters: FixedBitSet::new(),
            dropped: FixedBitSet::new(),
            carriers: Vec::new(),
            steps: Steps::default(),
            evidence: Evidence::default(),
            rests: false,
            pending: Pending::default(),
        }
    }

    /// Whether there is something to try.
    pub fn has_work(&self) -> bool {
        !self.rests && self.watched.values().any(|w| !w.idle)
    }

    /// A run came in. What is new of what watched conditionals follow.
    pub fn observe(
        &mut self,
        known: &Knowledge,
        observed: &Observed<'_>,
        paths: &mut Recent<RunPath>,
    ) -> Vec<(CondId, Follows)> {
        let &Observed { id, asked, run, symbolic, path } = observed;
        let experiment = self.pending.take(asked);
        if run.compared.is_empty() || run.outcome.is_finding() {
            return Vec::new();
        }
        self.rests = false;
        let map = known.map();
        self.carriers.resize(map.n_own_branches(), None);
        self.watched.retain(|&cond, _| is_open(known, cond));
        self.watch(known, run, symbolic);
        let sample = Arc::new(self.sample(id, run, map));
        let mut news = Vec::new();
        for (&cond, _) in self.watched.iter().filter(|(cond, _)| !symbolic(**cond)) {
            let told = sample.apart(cond).and_then(|value| self.evidence.see(cond, value));
            news.extend(told.map(|follows| (cond, follows)));
        }
        let mut moved = Vec::new();
        if let Some((base, edit)) = experiment {
            moved = self.steps.learn(&base, &sample, &edit);
            for (&cond, watched) in &mut self.watched {
                if base.decides(cond, map) && !sample.decides(cond, map) {
                    watched.alone.mend(&sample, &watched.chain, map, &self.steps, self.longest);
                    watched.idle &= watched.alone.is_exhausted();
                }
            }
            if let (Some(path), Some(old)) = (path, paths.get(base.run)) {
                let counts = difference(path, &old, map);
                for (&cond, _) in self.watched.iter().filter(|(cond, _)| !symbolic(**cond)) {
                    let told = self.evidence.compare(cond, (&base, &sample), &counts, map);
                    news.extend(told.map(|follows| (cond, follows)));
                }
            }
        }
        self.steps.note_passing(&sample, self.watched.values().map(|w| w.chain.as_slice()), map);
        for branch in sample.covers.ones() {
            let carrier = &mut self.carriers[branch];
            if carrier.as_ref().is_none_or(|old| sample.input.len() < old.input.len()) {
                *carrier = Some(sample.clone());
            }
        }
        for (&cond, watched) in &mut self.watched {
            watched.take_in(cond, &sample, map, &self.steps);
            if moved.iter().any(|c| watched.chain.contains(c)) {
                watched.idle = false;
            }
        }
        news
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
            let found = self.ask(&mut watched, known, paths);
            watched.idle = found.is_none();
            self.watched.insert(cond, watched);
            if found.is_some() {
                return found;
            }
        }
    }

    /// A move for one conditional: by turns for itself and for what it is to be brought together with.
    fn ask(&mut self, watched: &mut Watched, known: &Knowledge, paths: &mut Recent<RunPath>) -> Option<Move> {
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
        let alone_first = watched.tries.is_multiple_of(2);
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
        if let (Move::Try(input, _), Some((base, edit))) = (&made, experiment) {
            self.pending.put(input, base, edit);
        }
        Some(made)
    }

    /// Nothing more before the next run.
    pub fn rest(&mut self) {
        self.rests = true;
    }

    /// An input was not run, for `run` had consumed the same: what it would have shown is learned from that one, if it is at hand.
    pub fn was_done(&mut self, input: &Input, run: RunId) {
        let Some((base, edit)) = self.pending.take(input) else { return };
        let bases = self.watched.values().flat_map(|w| w.alone.samples());
        let known = self.carriers.iter().flatten().cloned().chain(bases).find(|s| s.run == run);
        if let Some(known) = known {
            let moved = self.steps.learn(&base, &known, &edit);
            let wakes = self.watched.values_mut().filter(|w| moved.iter().any(|c| w.chain.contains(c)));
            wakes.for_each(|w| w.idle = false);
        }
    }

    /// Watches the open conditionals that a run decided without input.
    fn watch(&mut self, known: &Knowledge, run: &Run, symbolic: &dyn Fn(CondId) -> bool) {
        for &Compared { cond, .. } in &run.compared {
            let is_known = self.watched.contains_key(&cond) || self.dropped.contains(cond.index());
            if is_known || !is_open(known, cond) || symbolic(cond) || !self.has_room() {
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
            self.matters.grow(known.map().conds.len());
            watched.chain.iter().for_each(|c| self.matters.insert(c.index()));
            self.watched.insert(cond, watched);
        }
    }

    /// Whether another conditional can be watched: in the place of the one that was longest tried in vain, where there are enough.
    fn has_room(&mut self) -> bool {
        if self.watched.len() < MOST_WATCHED {
            return true;
        }
        let idle = self.watched.iter().filter(|(_, w)| w.idle).max_by_key(|(_, w)| w.tries);
        let Some((&cond, _)) = idle else { return false };
        self.watched.remove(&cond);
        self.dropped.grow(cond.index() + 1);
        self.dropped.insert(cond.index());
        true
    }

    fn sample(&self, run: RunId, done: &Run, map: &ProgramMap) -> Sample {
        let mut covers = FixedBitSet::with_capacity(map.n_own_branches());
        let own = done.covered.iter().map(|b| b.index()).filter(|&b| b < map.n_own_branches());
        own.for_each(|b| covers.insert(b));
        let few = done.compared.len() <= ALL_COMPARED;
        let matters = |c: &&Compared| few || self.matters.contains(c.cond.index());
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

#[cfg(test)]
mod tests {
    use super::*;
    use path_tree::Limits;
    use std::collections::BTreeSet;
    use trace::testing::*;
    use trace::{Decision, Mode, Object, ObjectKind, Outcome, Request, Target};

    /// A program, what is known of it, and its aims.
    struct World {
        target: FakeTarget,
        known: Knowledge,
        aims: Aims,
        paths: Recent<RunPath>,
        seen: BTreeMap<Vec<Vec<u8>>, RunId>,
        runs: u64,
        told: Vec<(CondId, Follows)>,
    }

    fn values(letters: &[u8]) -> Input {
        Input { objects: letters.iter().map(|&l| Object::new(ObjectKind::Value, "c", [l])).collect() }
    }

    impl World {
        fn new(program: &Program) -> World {
            let mut target = FakeTarget::new(program);
            target.max_steps = 100_000;
            let known = Knowledge::new(Arc::new(target.map().clone()), Limits::default());
            let (aims, paths) = (Aims::new(7, 4096), Recent::new(1 << 24));
            World { target, known, aims, paths, seen: BTreeMap::new(), runs: 0, told: Vec::new() }
        }

        fn run(&mut self, input: &Input) -> Outcome {
            let request = Request { input, mode: Mode::Symbolic, value_seed: None, max_inputs: None };
            let run = self.target.run(&request).expect("a run");
            let id = RunId(self.runs);
            self.runs += 1;
            self.seen.insert(run.input.objects.iter().map(|o| o.data.clone()).collect(), id);
            let map = self.known.map().clone();
            let trace = run.trace.clone().expect("a trace");
            let decisions: Vec<Decision> = trace::decisions(&trace, &map);
            let of = |d: &Decision| d.step.branch().map(|b| map.branches[b.index()].cond);
            let symbolic: BTreeSet<CondId> = decisions.iter().filter_map(of).collect();
            let path = Arc::new(RunPath { decisions, ..RunPath::default() });
            self.known.cover(&run.covered, &run.entered);
            let is_symbolic = |c: CondId| symbolic.contains(&c);
            let observed =
                Observed { id, asked: input, run: &run, symbolic: &is_symbolic, path: Some(&path) };
            let told = self.aims.observe(&self.known, &observed, &mut self.paths);
            self.told.extend(told);
            self.paths.insert(id, path);
            run.outcome
        }

        /// Pursues aims, without a solver; how many runs it took to abort.
        fn pursue(&mut self, most: u64) -> Option<u64> {
            for _ in 0..20 * most {
                let Some(Move::Try(input, _)) = self.aims.next(&self.known, &mut self.paths) else {
                    continue;
                };
                let key: Vec<Vec<u8>> = input.objects.iter().map(|o| o.data.clone()).collect();
                if let Some(&known) = self.seen.get(&key) {
                    self.aims.was_done(&input, known);
                } else if self.run(&input) == Outcome::Abort {
                    return Some(self.runs);
                } else if self.runs > most {
                    break;
                }
            }
            None
        }
    }

    /// Reads values of one byte until one is 0.
    fn reading(of_each: Vec<Stmt>, then: Stmt) -> Program {
        let mut body = vec![let_("c", value("c", 1))];
        let mut turn = of_each;
        turn.push(let_("c", value("c", 1)));
        body.extend([while_(var("c").ne(0), turn), then]);
        Program::main(body)
    }

    fn add_one(name: &str) -> Stmt {
        let_(name, var(name).add(1))
    }

    #[test]
    fn a_loop_turns_as_often_as_its_count_is_wanted() {
        let program = reading(vec![add_one("n")], if_(var("n").eq(500), [abort()], []));
        let mut world = World::new(&program);
        for input in [values(&[1]), values(&[])] {
            world.run(&input);
        }
        world.pursue(100).expect("the abort");
        let last = world.told.last().expect("that the count follows the loop").1;
        let loop_branch = world.known.map().conds[0].first_branch.0 + 1;
        assert_eq!(last, Follows::Branch { branch: BranchId(loop_branch) });
    }

    #[test]
    fn flags_of_several_runs_come_together() {
        let program = reading(
            vec![
                if_(var("c").eq(1), [add_one("t")], []),
                if_(var("c").eq(2), [let_("f", num(3))], []),
                if_(var("c").eq(3), [let_("p", num(7))], []),
            ],
            if_(var("t").eq(5), [if_(var("f").eq(3), [if_(var("p").eq(7), [abort()], [])], [])], []),
        );
        let mut world = World::new(&program);
        for input in [values(&[]), values(&[1]), values(&[9, 2]), values(&[3])] {
            world.run(&input);
        }
        let runs = world.pursue(1500).expect("the abort");
        assert!(runs < 1000, "{runs} runs");
    }

    #[test]
    fn experiments_are_forgotten_when_they_come_back_badly_or_are_too_many() {
        let program = reading(vec![add_one("n")], if_(var("n").eq(500), [abort()], []));
        let mut world = World::new(&program);
        [values(&[1]), values(&[])].iter().for_each(|input| _ = world.run(input));
        let base = world.aims.carriers.iter().flatten().next().expect("a carrier").clone();
        let edit = Edit::Remove { piece: edit::Piece::Values(vec![]), times: 1 };
        let pending = |k: usize| Input::stdin(k.to_le_bytes());
        world.aims.pending.put(&pending(0), base.clone(), edit.clone());
        let run = Run { outcome: Outcome::Abort, input: pending(0), ..crate::fixtures::run(&[]) };
        let known = &world.known;
        let observed =
            Observed { id: RunId(9), asked: &pending(0), run: &run, symbolic: &|_| false, path: None };
        world.aims.observe(known, &observed, &mut world.paths);
        assert!(world.aims.pending.edits.is_empty(), "it crashed");
        (0..3 * MOST_PENDING).for_each(|k| world.aims.pending.put(&pending(k), base.clone(), edit.clone()));
        assert_eq!(world.aims.pending.edits.len(), MOST_PENDING);
        assert!(world.aims.pending.take(&pending(0)).is_none(), "the oldest make room");
        assert!(world.aims.pending.take(&pending(3 * MOST_PENDING - 1)).is_some());
    }

    #[test]
    fn what_is_the_same_for_all_inputs_is_not_said_to_follow_any() {
        let program = reading(vec![add_one("n")], if_(var("fixed").eq(3), [abort()], []));
        let mut world = World::new(&program);
        for input in [values(&[]), values(&[1]), values(&[9, 2])] {
            world.run(&input);
        }
        assert_eq!(world.pursue(200), None);
        assert_eq!(world.told, []);
    }
}
