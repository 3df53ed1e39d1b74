//! Long tests of the suite made short, once the search is over: as few input events as still cover what the test is kept for.
//!
//! What a journey covers first is found behind thousands of random inputs, nearly all of them without meaning; while the search goes on only
//! the end of such an input is cut off. Here the suite is chosen as [`crate::suite`] does, and each of its tests that is long is
//! shortened ([`crate::shorten`]) as long as it ends as it did and covers the branches that no other test of the suite covers: one test
//! after the other, so that what one loses another still has. The short input is a run of the campaign like any other; the suite is built of
//! these, and of the rest only where one of them is not confirmed.
//!
//! Work is counted, in events of inputs, and bounded.

use crate::campaign::Campaign;
use crate::journey;
use crate::shorten::{events, shorten};
use crate::suite::cover;
use crate::task::Attempt;
use crate::witness::Witness;
use crate::worker::Worker;
use events::{Cause, RunId};
use program::BranchId;
use std::collections::BTreeMap;
use std::time::Duration;
use trace::{Input, ObjectKind, Run};

/// Tests of fewer events stay as they are.
const LONG: usize = 24;
/// Most runs for one test.
const MOST_RUNS: u32 = 600;
/// Most work for all, in events of inputs that are run.
const MOST_WORK: u64 = 3_000_000;
/// What a run costs beside them.
const RUN: u64 = 200;
/// Of a session with a budget of time: how much more than that this may take, as a part of it, at least, and at most. It is a
/// third of what a session is to end within, so that most is left for confirming tests.
const TIME: u32 = 30;
const LEAST_TIME: Duration = Duration::from_millis(650);
const MOST_TIME: Duration = Duration::from_millis(3300);
/// The same of a session with a budget of CPU time, whose end nobody waits for by the clock.
const CPU: u32 = 20;
const LEAST_BY_CPU: Duration = Duration::from_secs(1);

/// How often the tests of a suite cover each branch.
#[derive(Default)]
struct Times(BTreeMap<BranchId, u32>);

impl Times {
    fn add(&mut self, test: &Witness) {
        test.branches.iter().for_each(|b| *self.0.entry(*b).or_default() += 1);
    }

    fn remove(&mut self, test: &Witness) {
        test.branches.iter().for_each(|b| *self.0.entry(*b).or_insert(1) -= 1);
    }

    /// Those that nothing but this test covers.
    fn only(&self, test: &Witness) -> Vec<BranchId> {
        test.branches.iter().copied().filter(|b| self.0.get(b) == Some(&1)).collect()
    }
}

/// The tests of a suite of these witnesses, with long ones replaced by shorter runs that `shorter` finds for the branches that
/// only they cover.
pub fn replaced(
    witnesses: &[Witness],
    mut shorter: impl FnMut(&Witness, &[BranchId]) -> Option<Witness>,
) -> Vec<RunId> {
    let normal: Vec<&Witness> = witnesses.iter().filter(|w| !w.outcome.is_finding()).collect();
    let mut tests: Vec<Witness> = cover(&normal).into_iter().map(|k| normal[k].clone()).collect();
    // The longest first: what they lose is left to shorter ones.
    tests.sort_by_key(|test| (std::cmp::Reverse(test.input_len), test.run));
    let mut times = Times::default();
    tests.iter().for_each(|test| times.add(test));
    for test in &mut tests {
        let only = times.only(test);
        let Some(short) = shorter(test, &only) else { continue };
        times.remove(test);
        times.add(&short);
        *test = short;
    }
    tests.iter().map(|test| test.run).collect()
}

/// How long this may take behind a search of so much time.
fn most_time(search: Duration) -> Duration {
    (search / TIME).clamp(LEAST_TIME, MOST_TIME)
}

/// Shortens the suite of a session whose search is over.
pub fn shorten_suite(campaign: &Campaign<'_>, worker: &mut Worker<'_>) {
    let budget = campaign.config().budget;
    let time = budget.time.map(most_time).or(budget.cpu.map(|cpu| (cpu / CPU).max(LEAST_BY_CPU)));
    let time = time.map(|most| campaign.now() + most);
    let mut work = MOST_WORK;
    let witnesses = campaign.witnesses();
    let suite = replaced(&witnesses, |test, only| {
        let is_over = || campaign.is_stopped() || time.is_some_and(|end| campaign.now() >= end);
        if is_over() {
            return None;
        }
        let input = campaign.input(test.run).filter(|input| events(input) >= LONG)?;
        let found = shortest(worker, test, &input, only, &mut work, &is_over);
        let (runs, cpu, short) = found;
        campaign.shortened(worker.number, runs, cpu);
        let (attempt, run) = short?;
        campaign.replace(test.run, &attempt, run)
    });
    campaign.prefer(suite);
}

/// Whether a suite of these witnesses has anything to shorten.
pub fn is_wanted(campaign: &Campaign<'_>) -> bool {
    !campaign.is_stopped()
        && campaign.witnesses().iter().any(|w| campaign.input(w.run).is_some_and(|i| events(&i) >= LONG))
}

/// Runs made, their CPU time, and the shortest input found, with its run.
type Shortest = (u32, Duration, Option<(Attempt, Run)>);

fn shortest(
    worker: &mut Worker<'_>,
    test: &Witness,
    input: &Input,
    only: &[BranchId],
    work: &mut u64,
    is_over: &dyn Fn() -> bool,
) -> Shortest {
    let (mut runs, mut cpu, mut best) = (0, Duration::ZERO, None);
    let mut given = input.clone();
    given.objects.retain(|o| o.kind != ObjectKind::End);
    let has_values = given.objects.iter().any(|o| o.kind == ObjectKind::Value);
    // Less than this, and a run costs more than is left.
    let left = std::cell::Cell::new(*work);
    let is_over = || left.get() < RUN || is_over();
    let (short, _) = shorten(&given, MOST_RUNS, &is_over, &mut |input| {
        let cost = events(input) as u64 + RUN;
        if left.get() < cost {
            return false;
        }
        left.set(left.get() - cost);
        // A program that asks for more than is left would get zeros for ever.
        let ended = if has_values { input.clone().ending() } else { input.clone() };
        let cause = Cause::Shortened { parent: test.run };
        let attempt = Attempt { again: true, cause, ..journey::whole(ended.clone()) };
        let attempt = Attempt { input: ended, ..attempt };
        let Ok(run) = worker.run(&attempt) else { return false };
        (runs, cpu) = (runs + 1, cpu + run.cpu);
        let shows = run.outcome == test.outcome && only.iter().all(|b| run.covered.binary_search(b).is_ok());
        if shows {
            best = Some((attempt, run));
        }
        shows
    });
    *work = left.get();
    let is_short = events(&short) < events(&given);
    (runs, cpu, best.filter(|_| is_short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::Outcome;

    fn witness(run: u64, len: u64, branches: &[u32]) -> Witness {
        let branches = branches.iter().map(|&b| BranchId(b)).collect();
        Witness { run: RunId(run), input_len: len, outcome: Outcome::Exit(0), branches }
    }

    #[test]
    fn together_short_tests_cover_what_the_long_ones_did() {
        let all = [
            witness(0, 900, &[1, 2, 3, 4]),
            witness(1, 800, &[1, 2, 5]),
            witness(2, 3, &[2, 6]),
            witness(3, 700, &[1]),
        ];
        let (mut wanted, mut made) = (Vec::new(), all.to_vec());
        let suite = replaced(&all, |test, only| {
            let only: Vec<u32> = only.iter().map(|b| b.0).collect();
            wanted.push((test.run.0, only.clone()));
            // As short as can be: nothing but what it is kept for.
            let short = witness(10 + test.run.0, 1, &only);
            (test.input_len > 10).then(|| {
                made.push(short.clone());
                short
            })
        });
        // Branch 1 is in both long tests: the first to lose it leaves it to the second.
        assert_eq!(wanted, [(0, vec![3, 4]), (1, vec![1, 5]), (2, vec![2, 6])]);
        assert_eq!(suite, [RunId(10), RunId(11), RunId(2)]);
        let of = |runs: &[RunId]| -> std::collections::BTreeSet<BranchId> {
            made.iter().filter(|w| runs.contains(&w.run)).flat_map(|w| w.branches.clone()).collect()
        };
        assert_eq!(of(&suite), of(&[RunId(0), RunId(1), RunId(2), RunId(3)]));
    }
}
