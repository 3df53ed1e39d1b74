//! Deep states that are worth coming back to: snapshots taken right behind inputs that a search had found.
//!
//! The paper goes on from such a state with random inputs, which may lead away from it for good (a session ends, a line is
//! spoiled). Here it is kept, talked from or searched as soon as either is due, and visited again when a journey is over, the least visited first. As in
//! Go-Explore (Ecoffet and others, "First return, then explore", Nature 2021), with forked processes in the place of restored states.

use crate::streams::Place;
use trace::{Input, SnapshotId};

/// Most snapshots kept: each is a process.
const MOST: usize = 12;

/// A state that was reached by what a search found.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where it is.
    pub place: Place,
    /// How often a journey set out from it.
    visits: u32,
}

/// The states kept, oldest first.
#[derive(Debug, Default)]
pub struct Archive {
    kept: Vec<Kept>,
}

impl Archive {
    /// Keeps a state, at which a journey is or not; the snapshot that had to make room, if one had: the oldest of the most visited.
    pub fn keep(&mut self, place: Place, visited: bool) -> Option<SnapshotId> {
        self.kept.push(Kept { place, visits: u32::from(visited) });
        if self.kept.len() <= MOST {
            return None;
        }
        let most = self.kept.iter().map(|k| k.visits).max()?;
        let oldest = self.kept.iter().position(|k| k.visits == most)?;
        Some(self.kept.remove(oldest).place.at)
    }

    /// Whether there is a state that no journey was at.
    pub fn has_unvisited(&self) -> bool {
        self.kept.iter().any(|k| k.visits == 0)
    }

    /// The newest of the least visited; it `counts` as a visit or not.
    pub fn visit(&mut self, counts: bool) -> Option<Kept> {
        let least = self.kept.iter().map(|k| k.visits).min()?;
        let found = self.kept.iter_mut().rfind(|k| k.visits == least)?;
        found.visits += u32::from(counts);
        Some(found.clone())
    }

    /// Whether no state is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Leaves those that are so; their snapshots.
    pub fn leave(&mut self, is_so: impl Fn(&Input) -> bool) -> Vec<SnapshotId> {
        self.kept.extract_if(.., |kept| is_so(&kept.place.behind)).map(|kept| kept.place.at).collect()
    }

    /// Whether this snapshot is kept.
    pub fn has(&self, at: SnapshotId) -> bool {
        self.kept.iter().any(|k| k.place.at == at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(k: u32) -> Place {
        Place { at: SnapshotId(k), behind: Input::default(), speaks: 0 }
    }

    #[test]
    fn all_are_visited_in_turn_the_newest_first() {
        let mut archive = Archive::default();
        assert!(archive.visit(true).is_none());
        for k in 0..3 {
            assert_eq!(archive.keep(place(k), true), None);
        }
        assert_eq!(archive.visit(false).unwrap().place.at.0, 2, "random input from there is none");
        let visits: Vec<u32> = (0..6).map(|_| archive.visit(true).unwrap().place.at.0).collect();
        assert_eq!(visits, [2, 1, 0, 2, 1, 0]);
    }

    #[test]
    fn the_most_visited_makes_room() {
        let mut archive = Archive::default();
        for k in 0..MOST as u32 {
            archive.keep(place(k), true);
        }
        assert_eq!(archive.visit(true).unwrap().place.at, SnapshotId(MOST as u32 - 1));
        assert_eq!(archive.keep(place(99), true), Some(SnapshotId(MOST as u32 - 1)));
        assert!(archive.has(SnapshotId(99)) && !archive.has(SnapshotId(MOST as u32 - 1)));
    }
}
