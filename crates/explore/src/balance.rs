//! What the next leg of a journey is for: random input, or a search.
//!
//! The paper searches when random input is exhausted (θ2). A large program is never exhausted, and long before a search would pay
//! more than further random input. So, without θ2, both are weighed by what they give for their price. What random input is to
//! give is estimated from its own record ([`Samples`], after Good and Turing); what a search is to give is what searches gave lately. Each gets
//! CPU in proportion, and neither ever less than a tenth of what both have. Talk ([`crate::vocabulary`]), where there is something to say, is
//! weighed first, by what each of the three gave lately: what random input is to give is estimated, and too much where others found it before.
//!
//! How long a search may be is drawn up by Luby, Sinclair & Zuckerman, "Optimal speedup of Las Vegas algorithms" (Information
//! Processing Letters 47, 1993): mostly short ones from many states, and now and then a long one, within a factor of what the
//! unknown best length would take.

use program::BranchId;
use rustc_hash::FxHashMap;
use std::time::Duration;
use trace::Advanced;

/// Work, in microseconds, after which what was counted is worth `1/e` at first.
const HORIZON: f64 = 3e6;
/// Later it is this share of all work so far.
const HORIZON_SHARE: f64 = 0.1;
/// Work for which searches are credited with what random input gives.
const PRIOR: f64 = 2e5;
/// What either gets at least of the work.
const LEAST: f64 = 0.1;
/// What talk gets at least of it.
const LEAST_TALK: f64 = 0.25;
/// What a state is worth that is another than those before and covers nothing new.
const OF_NOTE: f64 = 0.1;
/// What new branches of one search are worth together: one way into a new function is not worth a hundred others.
const GAIN_POWER: f64 = 0.7;
/// Microseconds of a run where no clock tells, and of the process that makes it where one does.
pub const RUN: u64 = 500;
const PROCESS: u64 = 150;
/// Of a traced run, with its query.
pub const SEARCH_RUN: u64 = 4_000;
/// Of a run of talk, three of eight of which are traced.
pub const TALK_RUN: u64 = 1_500;

/// What random input covered so far.
#[derive(Debug, Default)]
pub struct Samples {
    /// Blocks.
    blocks: u32,
    /// In how many of them each branch was covered.
    seen: FxHashMap<BranchId, u32>,
}

impl Samples {
    /// Takes a block in.
    pub fn add(&mut self, leg: &Advanced) {
        self.blocks += 1;
        for &branch in &leg.run.covered {
            *self.seen.entry(branch).or_default() += 1;
        }
    }

    /// Branches that one more block may be expected to add: with blocks as samples, those seen once, per block (Good, "The
    /// population frequencies of species and the estimation of population parameters", Biometrika 1953; for fuzzing Böhme,
    /// "STADS", TOSEM 2018).
    pub fn expected(&self) -> f64 {
        let once = self.seen.values().filter(|&&n| n == 1).count();
        once as f64 / f64::from(self.blocks.max(1))
    }
}

/// Work lately, and what it gave.
#[derive(Clone, Copy, Debug, Default)]
struct Lately {
    work: f64,
    gain: f64,
}

impl Lately {
    /// Something cost so much and covered so many branches first; or none, but it came to something else of note.
    fn add(&mut self, cost: u64, new: usize, is_new: bool) {
        self.work += cost as f64;
        self.gain += if new == 0 && is_new { OF_NOTE } else { (new as f64).powf(GAIN_POWER) };
    }

    fn rate(self) -> f64 {
        (self.gain + OF_NOTE) / (self.work + PRIOR)
    }
}

/// What random input, searches and talk cost and gave.
#[derive(Debug, Default)]
pub struct Balance {
    /// What random input covered.
    pub samples: Samples,
    /// Work of random input, all of it.
    random_work: f64,
    /// Of it lately, and what it gave that nothing else had given before.
    random: Lately,
    /// Searches.
    search: Lately,
    /// Talk: cheap runs of what the program is known to understand.
    talk: Lately,
    /// Work of the others lately that might have been talk.
    beside: f64,
    /// There is something to say, and somewhere to say it.
    can_talk: bool,
    /// All work.
    total: f64,
    /// Searches in a row that came to nothing.
    fruitless: u32,
}

/// Microseconds of so many runs: measured, or so many of each `run` where that may not be.
pub fn cost(by_clock: bool, run: u64, runs: u64, own: Duration, programs: Duration) -> u64 {
    if by_clock { (own + programs).as_micros() as u64 + runs * PROCESS } else { runs * run }
}

impl Balance {
    /// A search is behind its share of the work.
    pub fn search_is_due(&self) -> bool {
        let share = self.search_share();
        self.search.work * (1.0 - share) < self.random.work * share
    }

    /// Whether there is something to say now, and a state to say it in.
    pub fn may_talk(&mut self, can: bool) {
        self.can_talk = can;
    }

    /// Talk is possible and behind its share of the work: what it gives for its price beside the better of the others, a quarter at least
    /// and three at most.
    pub fn talk_is_due(&self) -> bool {
        let (talk, best) = (self.talk.rate(), self.search.rate().max(self.random.rate()));
        let share = (talk / (talk + best)).clamp(LEAST_TALK, 1.0 - LEAST_TALK);
        self.can_talk && self.talk.work * (1.0 - share) <= self.beside * share
    }

    /// Of the work to come.
    fn search_share(&self) -> f64 {
        let random =
            self.samples.expected() / (self.random_work / f64::from(self.samples.blocks.max(1))).max(1.0);
        let search = (self.search.gain + random * PRIOR) / (self.search.work + PRIOR);
        if random + search > 0.0 { (search / (random + search)).clamp(LEAST, 1.0 - LEAST) } else { 0.5 }
    }

    /// A stretch of random input cost so much and covered so many branches first.
    pub fn wandered(&mut self, cost: u64, new: usize) {
        self.random_work += cost as f64;
        self.random.add(cost, new, false);
        self.other(cost);
    }

    /// A search cost so much and covered so many branches first, or came to something else of note.
    pub fn searched(&mut self, cost: u64, new: usize, is_new: bool) {
        self.search.add(cost, new, is_new);
        self.fruitless = if is_new { 0 } else { self.fruitless + 1 };
        self.other(cost);
    }

    /// The same of talk.
    pub fn talked(&mut self, cost: u64, new: usize, is_new: bool) {
        self.talk.add(cost, new, is_new);
        self.fade(cost);
    }

    /// Work that was not talk.
    fn other(&mut self, cost: u64) {
        self.beside += if self.can_talk { cost as f64 } else { 0.0 };
        self.fade(cost);
    }

    fn fade(&mut self, cost: u64) {
        self.total += cost as f64;
        let keep = (-(cost as f64) / HORIZON.max(self.total * HORIZON_SHARE)).exp();
        self.beside *= keep;
        for lately in [&mut self.random, &mut self.search, &mut self.talk] {
            *lately = Lately { work: lately.work * keep, gain: lately.gain * keep };
        }
    }

    /// How many times the usual length the next search has.
    pub fn search_length(&self) -> u32 {
        luby(self.fruitless + 1)
    }
}

/// 1, 1, 2, 1, 1, 2, 4, …: term `k`, from 1.
fn luby(k: u32) -> u32 {
    let bits = u32::BITS - k.leading_zeros();
    if k == (1 << bits) - 1 { 1 << (bits - 1) } else { luby(k + 1 - (1 << (bits - 1))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use trace::SnapshotId;

    fn block(covered: impl IntoIterator<Item = u32>) -> Advanced {
        let run = fixtures::run(&covered.into_iter().collect::<Vec<_>>());
        let (snapshot, connections) = (Some(SnapshotId(0)), Vec::new());
        Advanced { run, snapshot, idle: 0, inputs: 0, stream_at: 0, connections, refused: None }
    }

    /// The share of the work that searches get, when blocks and searches of the same price cover so many branches that no other
    /// covers.
    fn share(of_block: u32, of_search: usize) -> f64 {
        let mut balance = Balance::default();
        let (mut searched, mut next) = (0, 1);
        for _ in 0..5_000 {
            if balance.search_is_due() {
                balance.searched(10_000, of_search, of_search > 0);
                searched += 1;
            } else {
                balance.samples.add(&block([0].into_iter().chain(next..next + of_block)));
                next += of_block;
                balance.wandered(10_000, of_block as usize);
            }
        }
        f64::from(searched) / 5_000.0
    }

    #[test]
    fn what_pays_more_gets_more_and_neither_starves() {
        assert!((share(0, 0) - 0.5).abs() < 0.02);
        assert!((share(0, 1) - 0.9).abs() < 0.02);
        assert!((share(1, 0) - 0.1).abs() < 0.1);
        let (even, more) = (share(1, 1), share(1, 8));
        assert!((even - 0.5).abs() < 0.1 && more > 0.7, "{even} {more}");
    }

    /// Percent of the work that random input, talk and searches of the same price get, which cover so many branches each that nothing
    /// else covers.
    fn shares(of_block: u32, of_talk: usize, of_search: usize) -> [u32; 3] {
        let (mut balance, mut legs, mut next) = (Balance::default(), [0, 0, 0], 1);
        balance.may_talk(true);
        for _ in 0..10_000 {
            if balance.talk_is_due() {
                balance.talked(10_000, of_talk, of_talk > 0);
                legs[1] += 1;
            } else if balance.search_is_due() {
                balance.searched(10_000, of_search, of_search > 0);
                legs[2] += 1;
            } else {
                balance.samples.add(&block([0].into_iter().chain(next..next + of_block)));
                next += of_block;
                balance.wandered(10_000, of_block as usize);
                legs[0] += 1;
            }
        }
        legs.map(|n| n / 100)
    }

    #[test]
    fn talk_gets_what_it_gives_beside_the_better_of_the_others() {
        let talk = |of_block, of_talk, of_search| shares(of_block, of_talk, of_search)[1];
        assert!((35..=50).contains(&talk(0, 0, 0)), "{:?}", shares(0, 0, 0));
        assert!((73..=77).contains(&talk(0, 1, 0)), "{:?}", shares(0, 1, 0));
        assert!((24..=27).contains(&talk(0, 0, 1)), "{:?}", shares(0, 0, 1));
        assert!((45..=55).contains(&talk(0, 2, 2)), "{:?}", shares(0, 2, 2));
        assert!((24..=27).contains(&talk(30, 1, 0)), "random input gives more: {:?}", shares(30, 1, 0));
        assert!(shares(30, 1, 1).into_iter().all(|share| share > 5), "none starves: {:?}", shares(30, 1, 1));
    }

    #[test]
    fn talk_that_becomes_possible_late_makes_up_for_nothing() {
        let mut balance = Balance::default();
        (0..1_000).for_each(|_| balance.searched(1_000_000, 0, false));
        assert!(!balance.talk_is_due(), "there is nothing to say");
        balance.may_talk(true);
        let mut talks = 0;
        while balance.talk_is_due() {
            balance.talked(10_000, 0, false);
            talks += 1;
        }
        assert_eq!(talks, 1);
    }

    #[test]
    fn branches_seen_once_are_what_is_to_be_expected() {
        let mut samples = Samples::default();
        samples.add(&block([1, 2]));
        samples.add(&block([1, 2]));
        assert!(samples.expected() < 0.1);
        samples.add(&block([1, 2, 3]));
        samples.add(&block([1, 2, 4]));
        assert!((samples.expected() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn searches_are_mostly_short() {
        let lengths: Vec<u32> = (1..=15).map(luby).collect();
        assert_eq!(lengths, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
        let mut balance = Balance::default();
        (0..2).for_each(|_| balance.searched(1, 0, false));
        assert_eq!(balance.search_length(), 2);
        balance.searched(1, 1, true);
        assert_eq!(balance.search_length(), 1);
    }
}
