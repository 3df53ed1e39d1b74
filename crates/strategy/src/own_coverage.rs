//! What one search covered itself since it began, and the distances to what it has not.
//!
//! Burnim & Sen 2008 (UCB/EECS-2008-123) speak of branches that are uncovered "during the current search"; CREST's sources
//! (`CfgHeuristicSearch::Run`) forget what was covered whenever the search begins anew. That makes the difference
//! late in a campaign: what the whole campaign left open is mostly out of reach, and a search for that alone goes the same
//! short ways again and again, while one that begins from nothing goes another long way each time.

use crate::{Paths, View};
use program::{Coverage, Distances, ProgramMap};
use trace::RunId;

/// Coverage of one search.
#[derive(Debug, Default)]
pub struct OwnCoverage {
    covered: Option<Coverage>,
    /// To what is not covered, while that is so.
    distances: Option<Distances>,
}

impl OwnCoverage {
    /// The search begins anew.
    pub fn forget(&mut self) {
        *self = OwnCoverage::default();
    }

    /// Takes in what `run` covered; whether something of it is new to this search.
    pub fn take_in(&mut self, map: &ProgramMap, paths: &dyn Paths, run: RunId) -> bool {
        let Some(path) = paths.path(run) else { return false };
        let covered = self.covered.get_or_insert_with(|| Coverage::new(map));
        let mut is_new = false;
        for branch in path.branches() {
            is_new |= covered.add_branch(branch);
        }
        if is_new {
            self.distances = None;
        }
        is_new
    }

    /// Distance of each branch to the nearest one that this search has not covered.
    pub fn distances(&mut self, view: &View<'_>) -> &Distances {
        let covered = self.covered.get_or_insert_with(|| Coverage::new(view.known.map()));
        self.distances.get_or_insert_with(|| Distances::to_uncovered(view.known.graph(), covered))
    }
}
