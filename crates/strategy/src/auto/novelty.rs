//! What is new about a path beside branches: how often it takes each, and which one after which.
//!
//! In a program that keeps state (a parser, a protocol) the way to a new branch leads over many runs that cover nothing. What tells
//! them apart are counts of branches by ranges, as in AFL, and pairs of decisions that follow each other (n-gram coverage;
//! Wang et al., "Be Sensitive and Collaborative", RAID 2019, which compares such measures). Only decisions on the input count.
//!
//! Of paths that reach a conditional with a branch that no run took, exact counts count, too: how often each branch was taken on a way
//! there. A condition on what the path did before (how many words, which state) often holds no input any more and cannot be flipped;
//! it is met by going on from those who came there otherwise than all before. Only the rarest such conditionals of a path are
//! looked at, as in FairFuzz (Lemieux and Sen, ASE 2018): everybody comes by the others.

use program::BranchId;
use rustc_hash::{FxHashMap, FxHashSet};
use trace::{Decision, Step};

/// Most features remembered; beyond it nothing is new.
const MAX_FEATURES: usize = 1 << 19;
/// Decisions of a path that are looked at.
const MAX_DECISIONS: usize = 1 << 13;

/// Conditionals of a path with a branch that no run took, of which exact counts are kept.
const RAREST: usize = 4;

/// Features of all paths.
#[derive(Debug, Default)]
pub(super) struct Novelty {
    seen: FxHashSet<u64>,
    /// A branch whose conditional has another that no run took, one of a path to it, and how often the path took that.
    ways: FxHashSet<(BranchId, u32, u32)>,
    /// Paths that took a branch of the first kind.
    comers: FxHashMap<BranchId, u32>,
}

impl Novelty {
    /// Takes a path in, of a run that takes branches `half_taken` whose conditionals have others that no run took; how many of its
    /// features no path had before.
    pub(super) fn add(&mut self, path: &[Decision], half_taken: &[BranchId]) -> usize {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let mut before = u32::MAX;
        let mut new = 0;
        for decision in path.iter().take(MAX_DECISIONS) {
            let Step::Branch(branch) = decision.step else { continue };
            let id = named(branch, decision.setting());
            new += usize::from(self.is_new(u64::from(before) << 32 | u64::from(id)));
            *counts.entry(id).or_default() += 1;
            before = id;
        }
        // Ascending: the order of a hash map must not matter when the memory is full.
        let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
        counts.sort_unstable();
        let rarest = self.rarest(half_taken);
        for (branch, count) in counts {
            if self.ways.len() < MAX_FEATURES {
                new += rarest.iter().filter(|&&goal| self.ways.insert((goal, branch, count))).count();
            }
            // No pair has this form: a branch does not follow a number above all branches.
            new += usize::from(self.is_new((1 << 63 | u64::from(range(count)) << 32) | u64::from(branch)));
        }
        new
    }

    /// Those of the branches that the fewest paths took, this one counted.
    fn rarest(&mut self, half_taken: &[BranchId]) -> Vec<BranchId> {
        let mut by_comers: Vec<(u32, BranchId)> = Vec::with_capacity(half_taken.len());
        for &branch in half_taken {
            let comers = self.comers.entry(branch).or_default();
            *comers += 1;
            by_comers.push((*comers, branch));
        }
        by_comers.sort_unstable();
        by_comers.into_iter().take(RAREST).map(|(_, branch)| branch).collect()
    }

    fn is_new(&mut self, feature: u64) -> bool {
        self.seen.len() < MAX_FEATURES && self.seen.insert(feature)
    }
}

/// A number for a branch in a setting: the branch's own where none is told apart, else one that hardly any other has. Below 2^31.
const fn named(branch: BranchId, setting: u16) -> u32 {
    branch.0.wrapping_add((setting as u32).wrapping_mul(0x9e37_79b1)) & (u32::MAX >> 1)
}

/// The range that a count is in: 1, 2, 3, 4 to 7, 8 to 15, and so on.
const fn range(count: u32) -> u32 {
    match count {
        0..=3 => count,
        _ => count.ilog2() + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(branches: &[u32]) -> Vec<Decision> {
        let decision =
            |&b: &u32| Decision { event: 0, step: Step::Branch(BranchId(b)), callees: 0, context: 0 };
        branches.iter().map(decision).collect()
    }

    #[test]
    fn pairs_and_ranges_of_counts_are_new_once() {
        let mut novelty = Novelty::default();
        assert_eq!(novelty.add(&path(&[1, 2]), &[]), 4, "two pairs, counting the beginning, and two counts");
        assert_eq!(novelty.add(&path(&[1, 2]), &[]), 0);
        assert_eq!(novelty.add(&path(&[1, 2, 1]), &[]), 2, "the pair 2-1 and the second 1");
        assert_eq!(novelty.add(&path(&[2, 1, 2, 1]), &[]), 2, "2 at the beginning, the second 2");
        assert_eq!((range(3), range(4), range(7), range(8)), (3, 4, 4, 5));
    }
    #[test]
    fn ways_to_where_a_branch_is_open_are_told_apart_by_exact_counts() {
        let mut novelty = Novelty::default();
        let goal = [BranchId(9)];
        novelty.add(&path(&[1; 4]), &goal);
        assert_eq!(novelty.add(&path(&[1; 5]), &[]), 0, "the same range");
        assert_eq!(novelty.add(&path(&[1; 5]), &goal), 1);
        assert_eq!(novelty.add(&path(&[1; 5]), &goal), 0);
        let many: Vec<BranchId> = (10..30).map(BranchId).collect();
        assert_eq!(novelty.add(&path(&[1; 5]), &many), RAREST);
    }
}
