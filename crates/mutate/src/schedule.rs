//! Whose turn it is: new entries at once, the others by what they cover and how much came of them.
//!
//! AFL's and libFuzzer's habits, without a clock: an entry that is new gets a turn, and several if it covers what no other
//! did (most only take a branch more often than any before). Afterwards turns are drawn by weight, which grows with
//! what mutants of the entry found, shrinks with the turns it had, is less for long entries, and more for leaders: the shortest
//! entries that cover a branch, AFL's "favored" ones.
//!
//! Some turns are for the frontier: the leaders of branches whose conditional has another branch that nobody took, each such branch as
//! often as any other, the newest first. Where little is left, that is where it is; where there is much, they are leaders anyway.

use std::collections::{BTreeSet, HashMap, VecDeque};

/// Turns drawn at a time: weighing all entries takes time.
const DRAWN: usize = 16;
/// How many of these are for the frontier.
const FRONTIER: usize = 4;

/// A corpus entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedId(u32);

impl SeedId {
    /// Its index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Mutants in a turn.
const TURN: u32 = 32;
/// Turns of an entry that covers what no other did.
const NEW_TURNS: u32 = 8;
/// How much more a leader weighs.
const LEADER: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Record {
    len: usize,
    turns: u32,
    finds: u32,
    /// Branches of which it is the shortest entry.
    leads: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Schedule {
    records: Vec<Record>,
    /// Entries and their turns to come.
    fresh: VecDeque<(SeedId, u32)>,
    /// The shortest entry that covers a branch.
    leaders: HashMap<u32, SeedId>,
    /// Branches that have one.
    led: Vec<u32>,
    /// Turns drawn, and whether for the frontier.
    drawn: VecDeque<(SeedId, bool)>,
    current: Option<(SeedId, u32)>,
    /// Whether the current turn is for the frontier.
    at_frontier: bool,
    /// Branches whose conditionals have others that nobody took, with the turns had.
    frontier: BTreeSet<(u32, u32)>,
    /// Turns had by branch, also by those that are no longer of the frontier.
    frontier_turns: HashMap<u32, u32>,
    /// Sum of all lengths.
    lengths: usize,
    /// What the entries weighed when turns were last drawn.
    weights: Vec<usize>,
}

impl Schedule {
    /// A new entry, `len` bytes long.
    pub fn add(&mut self, len: usize) -> SeedId {
        let seed = SeedId(self.records.len() as u32);
        self.fresh.push_back((seed, 1));
        self.record(len, 0);
        seed
    }

    /// A new entry that was new elsewhere, and had its turns there.
    pub fn adopt(&mut self, len: usize, branches: impl Iterator<Item = u32>) -> SeedId {
        let seed = SeedId(self.records.len() as u32);
        self.record(len, 1);
        self.lead(seed, branches);
        seed
    }

    fn record(&mut self, len: usize, turns: u32) {
        self.records.push(Record { len, turns, finds: 0, leads: 0 });
        self.lengths += len;
    }

    /// The entry covers these branches; those that no entry covered before.
    pub fn covers(&mut self, seed: SeedId, branches: impl Iterator<Item = u32>) -> Vec<u32> {
        let first = self.lead(seed, branches);
        if !first.is_empty() {
            self.fresh.push_front((seed, NEW_TURNS));
        }
        first
    }

    /// The same without turns for it.
    fn lead(&mut self, seed: SeedId, branches: impl Iterator<Item = u32>) -> Vec<u32> {
        let len = self.records[seed.index()].len;
        let mut first = Vec::new();
        for branch in branches {
            let leader = self.leaders.get(&branch).copied();
            let is_shorter = leader.is_none_or(|leader| len < self.records[leader.index()].len);
            if is_shorter && leader != Some(seed) {
                if let Some(leader) = leader {
                    self.records[leader.index()].leads -= 1;
                }
                if leader.is_none() {
                    first.push(branch);
                }
                self.records[seed.index()].leads += 1;
                self.leaders.insert(branch, seed);
            }
        }
        self.led.extend_from_slice(&first);
        first
    }

    /// The shortest entry that covers a branch, any of those that are covered; `None` if none is. `below` draws a number.
    pub fn some_leader(&self, below: impl FnOnce(usize) -> usize) -> Option<SeedId> {
        let branch = self.led.get(below(self.led.len()))?;
        self.leaders.get(branch).copied()
    }

    /// These branches are the frontier from now on.
    pub fn set_frontier(&mut self, branches: &[u32]) {
        let turns = |branch: &u32| self.frontier_turns.get(branch).copied().unwrap_or(0);
        self.frontier = branches.iter().map(|branch| (turns(branch), *branch)).collect();
    }

    /// Whether the current turn is for the frontier.
    pub fn is_at_frontier(&self) -> bool {
        self.at_frontier
    }

    /// A mutant of the entry found something.
    pub fn reward(&mut self, seed: SeedId) {
        self.records[seed.index()].finds += 1;
    }

    /// The entry to mutate next; `None` without entries. `below` draws a number.
    pub fn next(&mut self, below: impl FnMut(usize) -> usize) -> Option<SeedId> {
        if let Some((seed, left)) = &mut self.current
            && *left > 0
        {
            *left -= 1;
            return Some(*seed);
        }
        let (seed, turns, at_frontier) = match self.fresh.pop_front() {
            Some((seed, turns)) => (seed, turns, false),
            None => {
                if self.drawn.is_empty() {
                    self.draw(below);
                    self.draw_frontier();
                }
                let (seed, at_frontier) = self.drawn.pop_front()?;
                (seed, 1, at_frontier)
            }
        };
        self.at_frontier = at_frontier;
        self.records[seed.index()].turns += turns;
        self.current = Some((seed, TURN * turns - 1));
        Some(seed)
    }

    /// Draws the next turns, in order of entries.
    fn draw(&mut self, mut below: impl FnMut(usize) -> usize) {
        let mean = self.lengths / self.records.len().max(1);
        self.weights.clear();
        self.weights.extend(self.records.iter().map(|r| r.weight(mean)));
        let total: usize = self.weights.iter().sum();
        if total == 0 {
            return;
        }
        let mut marks: Vec<usize> = (0..DRAWN).map(|_| below(total)).collect();
        marks.sort_unstable();
        let (mut marks, mut end) = (marks.into_iter().peekable(), 0);
        for (weight, id) in self.weights.iter().zip(0..) {
            end += weight;
            while marks.next_if(|&mark| mark < end).is_some() {
                self.drawn.push_back((SeedId(id), false));
            }
        }
    }
}

impl Schedule {
    /// The next turns for the frontier, behind the others.
    fn draw_frontier(&mut self) {
        for _ in 0..FRONTIER {
            let Some((turns, branch)) = self.frontier.pop_first() else { return };
            self.frontier.insert((turns + 1, branch));
            self.frontier_turns.insert(branch, turns + 1);
            if let Some(&leader) = self.leaders.get(&branch) {
                self.drawn.push_back((leader, true));
            }
        }
    }
}

impl Record {
    /// At least 1.
    fn weight(&self, mean_len: usize) -> usize {
        let paid = 1 + 4 * self.finds as usize;
        let long = 1 + 2 * self.len / (mean_len + 1);
        let leader = if self.leads > 0 { LEADER } else { 1 };
        (4096 * leader * paid / (8 + self.turns as usize) / long).clamp(1, 1 << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_entries_come_first_then_those_that_pay() {
        let mut s = Schedule::default();
        assert_eq!(s.next(|_| 0), None);
        for len in [10, 10, 10] {
            s.add(len);
        }
        let mut k = 0;
        let mut below = |n: usize| {
            k += 7919;
            k % n
        };
        let first: Vec<_> = (0..3 * TURN).map(|_| s.next(&mut below).unwrap().index()).collect();
        assert!(first.is_sorted() && (0..3).all(|i| first.contains(&i)));
        for _ in 0..20 {
            s.reward(SeedId(1));
        }
        let mut turns = [0; 3];
        (0..1000 * TURN).for_each(|_| turns[s.next(&mut below).unwrap().index()] += 1);
        assert!(turns[1] > 2 * (turns[0] + turns[2]) && turns[0] > 0 && turns[2] > 0, "{turns:?}");
    }

    #[test]
    fn long_entries_weigh_less() {
        let weight = |len| Record { len, turns: 8, finds: 0, leads: 0 }.weight(100);
        assert!(weight(50) > weight(200) && weight(200) > weight(100_000) && weight(1 << 30) >= 1);
    }

    #[test]
    fn the_shortest_entry_of_a_branch_leads() {
        let mut s = Schedule::default();
        for len in [10, 5, 5, 20] {
            s.add(len);
        }
        s.covers(SeedId(0), [1, 2].into_iter());
        s.covers(SeedId(1), [2].into_iter());
        s.covers(SeedId(2), [2].into_iter());
        s.covers(SeedId(3), [1, 2, 3].into_iter());
        s.covers(SeedId(3), [3].into_iter());
        assert_eq!(s.records.iter().map(|r| r.leads).collect::<Vec<_>>(), [1, 1, 0, 1]);
        let first: Vec<_> = (0..2 * TURN * NEW_TURNS).map(|_| s.next(|_| 0).unwrap().index()).collect();
        assert_eq!(
            (first[0], first[255], first[256], first[511]),
            (3, 3, 0, 0),
            "new coverage comes before all else"
        );
        let weight = |leads| Record { len: 9, turns: 8, finds: 0, leads }.weight(9);
        assert!(weight(1) > weight(0));
    }

    #[test]
    fn what_was_new_elsewhere_waits_and_leads() {
        let mut s = Schedule::default();
        s.add(10);
        s.covers(SeedId(0), [1].into_iter());
        let adopted = s.adopt(5, [1, 2].into_iter());
        assert_eq!(s.covers(SeedId(0), [2].into_iter()), [0; 0], "it is the first to cover 2");
        assert_eq!(s.records.iter().map(|r| r.leads).collect::<Vec<_>>(), [0, 2]);
        let first: Vec<_> = (0..TURN * (NEW_TURNS + 1)).map(|_| s.next(|_| 0).unwrap()).collect();
        assert!(!first.contains(&adopted));
    }

    #[test]
    fn some_turns_are_for_the_frontier_each_branch_of_it_alike() {
        let mut s = Schedule::default();
        for len in [10, 10, 10] {
            s.add(len);
        }
        s.covers(SeedId(1), [7].into_iter());
        s.covers(SeedId(2), [8, 9].into_iter());
        s.set_frontier(&[7, 9, 1000]);
        let mut k = 0;
        let mut below = |n: usize| {
            k += 7919;
            k % n
        };
        let mut turns = [0; 3];
        for _ in 0..1000 * TURN {
            let seed = s.next(&mut below).unwrap();
            if s.is_at_frontier() {
                turns[seed.index()] += 1;
            }
        }
        assert_eq!(turns[0], 0);
        assert!(turns[1] > 50 * TURN && turns[1].abs_diff(turns[2]) <= 2 * TURN, "{turns:?}");
    }
}
