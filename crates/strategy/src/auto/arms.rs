//! Which way to find a goal is asked next: shares of CPU by recent new branches per CPU.
//!
//! Each way ("arm") has a usual share. What it gets is that share times its recent yield (new branches per unit of work)
//! against the mean yield of all, within bounds: nothing starves, nothing takes all. Next is the arm that is furthest
//! behind its share of the recent work. Work, not goals, is weighed: a batch of mutants may cost what a hundred flips
//! do, a query that is given up what ten answered ones do. Recent means: each number fades as work is done anywhere, so
//! that an arm which was not used for a while is thought to be as good as the mean, and tried again.

use crate::{ArmCount, Spent};

/// A way to find a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arm {
    Generational,
    Directed,
    Mutants,
    Deeper,
    Aims,
    Size,
    Random,
}

/// Arms with their names and usual shares of the work, among those that have something to do.
const ARMS: [(Arm, &str, f64); 7] = [
    (Arm::Generational, "generational", 0.33),
    (Arm::Directed, "directed", 0.22),
    (Arm::Mutants, "mutants", 0.25),
    (Arm::Deeper, "deeper", 0.12),
    (Arm::Aims, "aims", 0.12),
    (Arm::Size, "size", 0.05),
    (Arm::Random, "random", 0.03),
];
/// Work, in microseconds, after which what was counted is worth `1/e` at first.
const HORIZON: f64 = 3e6;
/// Later it is this share of all work so far.
const HORIZON_SHARE: f64 = 0.1;
/// Work for which an arm is credited with the mean yield.
const PRIOR: f64 = 2e5;
/// Bounds of an arm's yield against the mean.
const YIELDS: (f64, f64) = (0.15, 20.0);
/// How much more than in proportion an arm gets that yields more: the mean holds its own yield, too.
const YIELD_POWER: f64 = 1.5;
/// What new branches of one goal are worth together: the second and further ones count less, for one flip into a new
/// function is not worth a hundred others.
const GAIN_POWER: f64 = 0.7;

/// What each arm cost and found.
#[derive(Debug)]
pub(super) struct Arms {
    records: [Record; ARMS.len()],
    /// All work so far.
    work: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// Recent work; that of goals which are out is estimated.
    cost: f64,
    /// Recent gain.
    gain: f64,
    goals: u64,
    runs: u64,
    work: u64,
    new_branches: u64,
}

impl Record {
    /// Work of one goal.
    fn usual(&self) -> f64 {
        if self.goals == 0 { 0.0 } else { self.work as f64 / self.goals as f64 }
    }
}

impl Arms {
    /// Nothing known yet.
    pub(super) fn new() -> Arms {
        Arms { records: [Record::default(); ARMS.len()], work: 0.0 }
    }

    /// All arms, the one that is furthest behind its share first.
    pub(super) fn order(&self) -> [Arm; ARMS.len()] {
        let sum = |of: fn(&Record) -> f64| self.records.iter().map(of).sum::<f64>();
        let mean = sum(|r| r.gain) / sum(|r| r.cost).max(1.0);
        let mut dues = ARMS.map(|(arm, _, share)| {
            let record = &self.records[arm as usize];
            let yielded = (record.gain + mean * PRIOR) / (record.cost + PRIOR);
            let relative = if mean > 0.0 { (yielded / mean).clamp(YIELDS.0, YIELDS.1) } else { 1.0 };
            (arm, record.cost / (share * relative.powf(YIELD_POWER)))
        });
        // Stable: among equals the usual order.
        dues.sort_by(|a, b| a.1.total_cmp(&b.1));
        dues.map(|(arm, _)| arm)
    }

    /// A goal of `arm` goes out; the work it is thought to cost, to be given back with [`Arms::settle`].
    pub(super) fn goes_out(&mut self, arm: Arm) -> f64 {
        let record = &mut self.records[arm as usize];
        let estimate = record.usual();
        record.cost += estimate;
        estimate
    }

    /// A goal of `arm`, thought to cost `estimate`, cost `spent` and was the first to cover so many branches.
    pub(super) fn settle(&mut self, arm: Arm, estimate: f64, spent: Spent, new_branches: usize) {
        let work = spent.work as f64;
        self.work += work;
        let fade = (-work / HORIZON.max(self.work * HORIZON_SHARE)).exp();
        let record = &mut self.records[arm as usize];
        record.cost = (record.cost - estimate).max(0.0) + work;
        record.gain += (new_branches as f64).powf(GAIN_POWER);
        record.goals += 1;
        record.runs += spent.runs;
        record.work += spent.work;
        record.new_branches += new_branches as u64;
        for record in &mut self.records {
            record.cost *= fade;
            record.gain *= fade;
        }
    }

    /// What each arm cost and found in all.
    pub(super) fn counts(&self) -> Vec<ArmCount> {
        let count = |(arm, name, _): (Arm, &'static str, f64)| {
            let Record { goals, runs, work, new_branches, .. } = self.records[arm as usize];
            ArmCount { name, goals, runs, work, new_branches }
        };
        ARMS.map(count).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Share of the work that each arm gets when a goal of it costs and yields so much.
    fn shares(world: impl Fn(Arm, u64) -> (u64, usize)) -> Vec<(Arm, f64)> {
        let mut arms = Arms::new();
        for turn in 0..20_000 {
            let arm = arms.order()[0];
            let estimate = arms.goes_out(arm);
            let (work, new) = world(arm, turn);
            arms.settle(arm, estimate, Spent { work, runs: 1 }, new);
        }
        let total: f64 = arms.records.iter().map(|r| r.work as f64).sum();
        ARMS.map(|(arm, ..)| (arm, arms.records[arm as usize].work as f64 / total)).to_vec()
    }

    #[test]
    fn without_finds_each_arm_gets_its_usual_share_of_work_whatever_its_goals_cost() {
        let cost = |arm| if arm == Arm::Mutants { 50_000 } else { 1_000 };
        let all: f64 = ARMS.iter().map(|(_, _, usual)| usual).sum();
        for ((arm, got), (_, _, usual)) in shares(|arm, _| (cost(arm), 0)).into_iter().zip(ARMS) {
            let usual = usual / all;
            assert!((got - usual).abs() < 0.03, "{arm:?}: {got}, not {usual}");
        }
    }

    #[test]
    fn what_pays_gets_most_and_the_rest_does_not_starve() {
        let shares = shares(|arm, turn| {
            (
                if arm == Arm::Mutants { 50_000 } else { 1_000 },
                usize::from(arm == Arm::Size && turn % 10 == 0),
            )
        });
        for (arm, got) in shares {
            if arm == Arm::Size {
                assert!(got > 0.35, "{got}");
            } else {
                assert!(got > 0.001, "{arm:?}: {got}");
            }
        }
    }

    #[test]
    fn an_arm_that_ceases_to_pay_loses_its_share() {
        let pays = |arm, turn| usize::from(turn < 5_000 && arm == Arm::Random);
        let shares = shares(|arm, turn| (1_000, pays(arm, turn)));
        let random = shares.iter().find(|s| s.0 == Arm::Random).unwrap().1;
        assert!((0.05..0.5).contains(&random), "{random}");
    }
}
