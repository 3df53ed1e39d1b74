//! The final suite: fewest tests with the same branches, each confirmed on the user's own executable.
//!
//! Greedy set cover (Chvátal 1979: most uncovered branches first; among equals the smaller input, then the
//! earlier run), then removal of tests that became redundant, the largest first. Tests that end differently
//! on the user's executable are dropped and the cover is computed again without them, so that another run of
//! the corpus can stand in. Runs that crash are findings first; branches that nothing else covers get a test that
//! crashes as expected. Runs that hang or exhaust memory never become tests.

use crate::witness::Witness;
use events::{Event, Rejection, RunId, Sink};
use fixedbitset::FixedBitSet;
use program::BranchId;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Input, Outcome, TargetError};

/// Tests that are handed over at once to be confirmed.
const AT_ONCE: usize = 64;

/// How the user's own executable ended on a test, or why it could not be run; `None`: there was no time to.
pub type Shown = Option<Result<Outcome, TargetError>>;

/// Runs tests on the user's own executable.
pub trait Confirm {
    /// How the user's own executable ends on each of these inputs.
    fn confirm(&mut self, inputs: &[Input]) -> Vec<Shown>;
}

impl<F: FnMut(&Input) -> Result<Outcome, TargetError>> Confirm for F {
    fn confirm(&mut self, inputs: &[Input]) -> Vec<Shown> {
        inputs.iter().map(|input| Some(self(input))).collect()
    }
}

/// The final suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    /// Its tests, in the order in which the cover took them (most valuable first).
    pub tests: Vec<SuiteTest>,
    /// Branches that the tests cover.
    pub covered: u32,
    /// Branches covered in the campaign by tests that were all rejected.
    pub unconfirmed: u32,
    /// Branches covered in the campaign only by runs that hung or exhausted memory (or crashed and were rejected).
    pub only_findings: u32,
    /// Tests that the user's executable did not confirm.
    pub rejected: Vec<(RunId, Rejection)>,
    /// Tests that there was no time to confirm. They are not in `tests`, and what they cover is in no count.
    pub pending: Vec<RunId>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteTest {
    /// The run that it repeats.
    pub run: RunId,
    /// Branches it covers that no earlier test of the suite does.
    pub branches: u32,
}

/// Builds the suite out of the witnesses of a campaign.
///
/// It is built of the `preferred` runs, if there are any, and of others where one of these is rejected. `input` finds the input
/// of a run; a run whose input is gone is rejected.
pub fn build(
    witnesses: &[Witness],
    preferred: &[RunId],
    input: &dyn Fn(RunId) -> Option<Input>,
    confirm: &mut dyn Confirm,
    sink: &mut dyn Sink,
) -> Suite {
    let (mut rejected, mut pending) = (Vec::new(), Vec::new());
    let mut confirmed_cover = |usable: (Vec<Witness>, Vec<Witness>)| {
        let reject = |run: RunId, why: &Rejection| {
            sink.emit(Event::TestRejected { run, why: why.clone() }, Default::default());
        };
        let (chosen, waiting) = confirmed_cover(usable, input, confirm, reject, &mut rejected);
        pending.extend(waiting);
        chosen
    };
    let normal = witnesses.iter().filter(|w| !w.outcome.is_finding()).cloned();
    let is_preferred = |w: &Witness| preferred.is_empty() || preferred.contains(&w.run);
    let mut chosen = confirmed_cover(normal.partition(is_preferred));
    let covered: BTreeSet<BranchId> = chosen.iter().flat_map(|w| w.branches.iter().copied()).collect();
    let crashing = witnesses.iter().filter(|w| matches!(w.outcome, Outcome::Signal(_) | Outcome::Abort));
    let adding = crashing.map(|w| Witness {
        branches: w.branches.iter().copied().filter(|b| !covered.contains(b)).collect(),
        ..w.clone()
    });
    chosen.extend(confirmed_cover((adding.filter(|w| !w.branches.is_empty()).collect(), Vec::new())));
    let suite = Suite { pending, ..summary(witnesses, &chosen, rejected) };
    for test in &suite.tests {
        sink.emit(Event::TestConfirmed { run: test.run, branches: test.branches }, Default::default());
    }
    let built = Event::SuiteBuilt {
        tests: suite.tests.len() as u32,
        branches: suite.covered,
        unconfirmed: suite.unconfirmed,
        only_findings: suite.only_findings,
        pending: suite.pending.len() as u32,
    };
    sink.emit(built, Default::default());
    suite
}

/// A cover of all branches of `usable` by witnesses that the user's executable confirms, and those that nobody had time to confirm;
/// where one is rejected, of those of `rest`, too.
fn confirmed_cover(
    (mut usable, mut rest): (Vec<Witness>, Vec<Witness>),
    input: &dyn Fn(RunId) -> Option<Input>,
    confirm: &mut dyn Confirm,
    mut reject: impl FnMut(RunId, &Rejection),
    rejected: &mut Vec<(RunId, Rejection)>,
) -> (Vec<Witness>, Vec<RunId>) {
    let mut known: BTreeMap<RunId, Verdict> = BTreeMap::new();
    loop {
        let chosen: Vec<&Witness> = {
            let all: Vec<&Witness> = usable.iter().collect();
            cover(&all).into_iter().map(|k| all[k]).collect()
        };
        let unknown: Vec<&Witness> = chosen.iter().copied().filter(|w| !known.contains_key(&w.run)).collect();
        for some in unknown.chunks(AT_ONCE) {
            for (witness, verdict) in some.iter().zip(verdicts(some, input, confirm)) {
                if let Verdict::Rejected(why) = &verdict {
                    reject(witness.run, why);
                    rejected.push((witness.run, why.clone()));
                }
                known.insert(witness.run, verdict);
            }
        }
        let is = |w: &Witness, verdict: &Verdict| known.get(&w.run) == Some(verdict);
        if chosen.iter().all(|w| is(w, &Verdict::Confirmed) || is(w, &Verdict::Pending)) {
            let pending = chosen.iter().filter(|w| is(w, &Verdict::Pending)).map(|w| w.run).collect();
            let confirmed = chosen.into_iter().filter(|w| is(w, &Verdict::Confirmed)).cloned();
            return (confirmed.collect(), pending);
        }
        usable.append(&mut rest);
        usable.retain(|w| !matches!(known.get(&w.run), Some(Verdict::Rejected(_))));
    }
}

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Confirmed,
    Rejected(Rejection),
    Pending,
}

fn verdicts(
    witnesses: &[&Witness],
    input: &dyn Fn(RunId) -> Option<Input>,
    confirm: &mut dyn Confirm,
) -> Vec<Verdict> {
    let inputs: Vec<Option<Input>> = witnesses.iter().map(|w| input(w.run)).collect();
    let there: Vec<Input> = inputs.iter().flatten().cloned().collect();
    let mut shown = confirm.confirm(&there).into_iter();
    let verdict = |(witness, input): (&&Witness, Option<Input>)| match input.map(|_| shown.next().flatten()) {
        None => Verdict::Rejected(Rejection::Failed("its input is gone".into())),
        Some(None) => Verdict::Pending,
        Some(Some(Ok(actual))) if same_class(witness.outcome, actual) => Verdict::Confirmed,
        Some(Some(Ok(actual))) => Verdict::Rejected(Rejection::Outcome { expected: witness.outcome, actual }),
        Some(Some(Err(error))) => Verdict::Rejected(Rejection::Failed(error.to_string())),
    };
    witnesses.iter().zip(inputs).map(verdict).collect()
}

/// Whether two runs of one input ended alike: the same exit code, or the same class of violent end. An undefined operation shows
/// in no end of a run: the instrumented program itself computed that it is one.
pub fn same_class(a: Outcome, b: Outcome) -> bool {
    match (a, b) {
        (Outcome::Exit(x), Outcome::Exit(y)) => x == y,
        (Outcome::Undefined(_), _) => true,
        _ => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

fn summary(all: &[Witness], chosen: &[Witness], rejected: Vec<(RunId, Rejection)>) -> Suite {
    let mut covered = FixedBitSet::new();
    let mut tests = Vec::new();
    for w in chosen {
        let fresh = add(&mut covered, w);
        tests.push(SuiteTest { run: w.run, branches: fresh });
    }
    let total = covered.count_ones(..) as u32;
    let mut with_rejected = covered.clone();
    for w in all.iter().filter(|w| !w.outcome.is_finding()) {
        add(&mut with_rejected, w);
    }
    let unconfirmed = with_rejected.count_ones(..) as u32 - total;
    let only_findings =
        all.iter().filter(|w| w.outcome.is_finding()).map(|w| add(&mut with_rejected, w)).sum();
    Suite { tests, covered: total, unconfirmed, only_findings, rejected, pending: Vec::new() }
}

fn add(set: &mut FixedBitSet, witness: &Witness) -> u32 {
    if let Some(last) = witness.branches.last() {
        set.grow(last.index() + 1);
    }
    witness.branches.iter().filter(|b| !set.put(b.index())).count() as u32
}

/// Indexes of a small subset with the same branches, most valuable first.
pub fn cover(witnesses: &[&Witness]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..witnesses.len()).collect();
    order.sort_by_key(|&k| (witnesses[k].input_len, witnesses[k].run));
    // A heap of upper bounds: a witness never gains by others being taken (lazy greedy).
    let mut heap: std::collections::BinaryHeap<(usize, std::cmp::Reverse<usize>)> = order
        .iter()
        .enumerate()
        .map(|(rank, &k)| (witnesses[k].branches.len(), std::cmp::Reverse(rank)))
        .collect();
    let mut covered = FixedBitSet::new();
    let mut chosen = Vec::new();
    while let Some((bound, rank)) = heap.pop() {
        let k = order[rank.0];
        let gain = witnesses[k].branches.iter().filter(|b| !covered.contains(b.index())).count();
        if gain == 0 {
            continue;
        }
        if gain < bound {
            heap.push((gain, rank));
            continue;
        }
        add(&mut covered, witnesses[k]);
        chosen.push(k);
    }
    without_redundant(witnesses, chosen)
}

/// Drops tests all of whose branches others of `chosen` cover, the largest inputs first.
fn without_redundant(witnesses: &[&Witness], chosen: Vec<usize>) -> Vec<usize> {
    let mut times: BTreeMap<u32, u32> = BTreeMap::new();
    for b in chosen.iter().flat_map(|&k| &witnesses[k].branches) {
        *times.entry(b.0).or_default() += 1;
    }
    let mut by_size = chosen.clone();
    by_size.sort_by_key(|&k| std::cmp::Reverse((witnesses[k].input_len, witnesses[k].run)));
    let mut dropped = Vec::new();
    for k in by_size {
        if witnesses[k].branches.iter().all(|b| times[&b.0] > 1) {
            for b in &witnesses[k].branches {
                *times.entry(b.0).or_default() -= 1;
            }
            dropped.push(k);
        }
    }
    chosen.into_iter().filter(|k| !dropped.contains(k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::Measured;
    use program::BranchId;

    fn witness(run: u64, len: u64, branches: &[u32]) -> Witness {
        let branches = branches.iter().map(|&b| BranchId(b)).collect();
        Witness { run: RunId(run), input_len: len, outcome: Outcome::Exit(0), branches }
    }

    fn some_input(run: RunId) -> Option<Input> {
        Some(Input::stdin(run.0.to_le_bytes()))
    }

    fn built(witnesses: &[Witness], bad: &[u64]) -> (Suite, Vec<Event>) {
        preferring(&[], witnesses, bad)
    }

    fn preferring(preferred: &[u64], witnesses: &[Witness], bad: &[u64]) -> (Suite, Vec<Event>) {
        let preferred: Vec<RunId> = preferred.iter().map(|&r| RunId(r)).collect();
        let mut events = Vec::new();
        let mut sink = |e: Event, _: Measured| events.push(e);
        let mut confirm = |input: &Input| {
            let run = u64::from_le_bytes(input.objects[0].data[..8].try_into().expect("eight bytes"));
            Ok(if bad.contains(&run) { Outcome::Abort } else { Outcome::Exit(0) })
        };
        let suite = build(witnesses, &preferred, &some_input, &mut confirm, &mut sink);
        (suite, events)
    }

    fn runs(suite: &Suite) -> Vec<u64> {
        suite.tests.iter().map(|t| t.run.0).collect()
    }

    #[test]
    fn one_test_that_covers_all_is_enough() {
        let all = [witness(0, 1, &[1]), witness(1, 1, &[2]), witness(2, 9, &[1, 2, 3])];
        assert_eq!(runs(&built(&all, &[]).0), [2]);
    }

    #[test]
    fn among_equals_the_smallest_input_wins() {
        let all = [witness(0, 9, &[1, 2]), witness(1, 3, &[1, 2]), witness(2, 5, &[1, 2])];
        assert_eq!(runs(&built(&all, &[]).0), [1]);
    }

    #[test]
    fn what_greedy_took_too_much_of_is_removed() {
        // Greedy takes run 0 (4 branches) first, and then needs both others, which cover it.
        let all = [witness(0, 1, &[1, 2, 3, 4]), witness(1, 1, &[1, 2, 5]), witness(2, 1, &[3, 4, 6])];
        assert_eq!(runs(&built(&all, &[]).0), [1, 2]);
    }

    #[test]
    fn what_is_preferred_makes_the_suite_unless_it_is_rejected() {
        let all = [witness(0, 900, &[1, 2, 3]), witness(1, 4, &[1, 2]), witness(2, 4, &[3])];
        assert_eq!(runs(&built(&all, &[]).0), [0]);
        assert_eq!(runs(&preferring(&[1, 2], &all, &[]).0), [1, 2]);
        assert_eq!(runs(&preferring(&[1, 2], &all, &[2]).0), [0]);
        assert_eq!(preferring(&[1, 2], &all, &[0, 2]).0.unconfirmed, 1);
    }

    #[test]
    fn a_rejected_test_is_replaced_or_counted() {
        let all = [witness(0, 1, &[1, 2, 3]), witness(1, 5, &[1, 2]), witness(2, 5, &[2])];
        let (suite, events) = built(&all, &[0]);
        assert_eq!(runs(&suite), [1]);
        assert_eq!((suite.covered, suite.unconfirmed, suite.only_findings), (2, 1, 0));
        assert!(matches!(events[0], Event::TestRejected { run: RunId(0), .. }));
        assert!(matches!(
            events.last(),
            Some(Event::SuiteBuilt { tests: 1, branches: 2, unconfirmed: 1, .. })
        ));
    }

    #[test]
    fn crashes_are_tests_only_of_what_nothing_else_covers() {
        let ending = |outcome, run, branches: &[u32]| Witness { outcome, ..witness(run, 1, branches) };
        let all = [
            ending(Outcome::Abort, 0, &[1, 2, 7]),
            ending(Outcome::Abort, 1, &[1]),
            ending(Outcome::Timeout, 2, &[1, 8]),
            witness(3, 5, &[1]),
        ];
        let (suite, _) = built(&all, &[0]);
        assert_eq!(runs(&suite), [3, 0]);
        assert_eq!((suite.covered, suite.unconfirmed, suite.only_findings), (3, 0, 1));
        // On the user's executable the first one does not abort.
        let (suite, _) = built(&all, &[]);
        assert_eq!(runs(&suite), [3]);
        assert_eq!((suite.covered, suite.only_findings), (1, 3));
    }

    #[test]
    fn tests_that_nobody_had_time_for_are_pending_and_what_others_cover_is_counted() {
        /// Confirms so many.
        struct Few(usize);
        impl Confirm for Few {
            fn confirm(&mut self, inputs: &[Input]) -> Vec<Shown> {
                let one = |_| {
                    self.0 = self.0.checked_sub(1)?;
                    Some(Ok(Outcome::Exit(0)))
                };
                inputs.iter().map(one).collect()
            }
        }
        let all = [witness(0, 1, &[1, 2, 3]), witness(1, 1, &[4, 5]), witness(2, 1, &[6])];
        let mut events = Vec::new();
        let mut sink = |e: Event, _: Measured| events.push(e);
        let suite = build(&all, &[], &some_input, &mut Few(1), &mut sink);
        assert_eq!((runs(&suite), suite.covered, suite.unconfirmed), (vec![0], 3, 3));
        assert_eq!(suite.pending, [RunId(1), RunId(2)]);
        assert!(suite.rejected.is_empty());
        assert!(matches!(events.last(), Some(Event::SuiteBuilt { tests: 1, pending: 2, .. })));
    }

    #[test]
    fn nothing_gives_an_empty_suite() {
        assert_eq!(built(&[], &[]).0, Suite::default());
        assert_eq!(runs(&built(&[witness(0, 1, &[])], &[]).0), [] as [u64; 0]);
    }

    proptest::proptest! {
        #[test]
        fn the_suite_covers_the_same_branches_without_redundancy(
            sets in proptest::collection::vec((0u64..20, proptest::collection::btree_set(0u32..40, 0..12)), 0..20)
        ) {
            let all: Vec<Witness> = sets
                .iter()
                .enumerate()
                .map(|(k, (len, set))| witness(k as u64, *len, &set.iter().copied().collect::<Vec<_>>()))
                .collect();
            let (suite, _) = built(&all, &[]);
            let of = |runs: &[u64]| runs.iter().flat_map(|&r| all[r as usize].branches.clone()).collect::<std::collections::BTreeSet<_>>();
            let chosen = runs(&suite);
            let everything: Vec<u64> = (0..all.len() as u64).collect();
            proptest::prop_assert_eq!(of(&chosen), of(&everything));
            for k in 0..chosen.len() {
                let mut fewer = chosen.clone();
                fewer.remove(k);
                proptest::prop_assert_ne!(of(&fewer), of(&chosen));
            }
            let new: u32 = suite.tests.iter().map(|t| t.branches).sum();
            proptest::prop_assert_eq!(new, suite.covered);
        }
    }
}
