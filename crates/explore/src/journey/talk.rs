//! Talk: cheap runs from a kept state, of what the program is known to understand ([`crate::vocabulary`]).
//!
//! A search solves one line of a conversation at a time, and random bytes never make one. What was understood once is said again
//! here, in another order and with other words, as grammar-free dictionary fuzzing does; a state behind something new is kept, and
//! searched like any other.

use super::{Journey, Leg, NO_SNAPSHOTS, Stretch};
use crate::prefix::cut_off;
use crate::random::Dice;
use crate::streams::{address, joined};
use crate::vocabulary::Vocabulary;
use program::BranchId;
use strategy::Letters;
use trace::{Input, Mode, ObjectKind, Outcome, Request, Run, SnapshotId, Target, TargetError};

/// Runs of a talk.
const TALKS: u64 = 256;
/// Their shortest and longest input, in bytes, as powers of two.
const SHORTEST_TALK: usize = 5;
/// See there.
const LONGEST_TALK: usize = 12;
/// Bytes of the longest that is listened to.
const HEARD: usize = 1 << 7;
/// Runs spent on cutting off what comes behind what a talk covered.
const CUT: u32 = 12;
/// A talk ends after so many runs that did not end in time: from some states hardly any does.
const MOST_LATE: u32 = 3;

impl Stretch<'_> {
    /// Cheap runs from a kept state, of what the program is known to understand. The state behind what one of them covers as the
    /// first is kept, and the talk is over; so it is behind what was understood for the first time. Whether it
    /// came to a state that was kept, or to a finding.
    pub(super) fn converse(
        self,
        target: &mut dyn Target,
        journey: &Journey,
        (vocabulary, dice): (&mut Vocabulary, &mut Dice),
        leg: &mut Leg,
    ) -> Result<bool, TargetError> {
        let covered = &self.order.covered;
        let is_new = |b: &BranchId| b.index() < covered.len() && !covered[b.index()];
        let (mut late, mut found) = (0, false);
        for _ in 0..TALKS {
            let is_over = late >= MOST_LATE || (self.around.stop)();
            if is_over || vocabulary.is_empty() || self.is_spent(leg) {
                break;
            }
            let letters = if dice.below(2) == 0 { Letters::All } else { Letters::Printable };
            let length = 1 << (SHORTEST_TALK + dice.below(LONGEST_TALK - SHORTEST_TALK + 1));
            let mut input = Input { objects: vocabulary.talk(dice, length, letters) };
            address(&mut input, &self.config.shape, journey.place.speaks);
            // Short ones are listened to: a state may be another one and cover nothing new.
            let mode = if length <= HEARD { Mode::Symbolic } else { Mode::Concrete };
            let run = self.aside(target, journey.place.at, (&input, mode), leg)?;
            late += u32::from(run.outcome == Outcome::Timeout);
            let wanted: Vec<BranchId> = run.covered.iter().copied().filter(is_new).collect();
            let is_found = run.outcome.is_finding() && !self.order.known.has(&run);
            found |= is_found;
            if is_found || !wanted.is_empty() {
                let input = joined(journey.place.behind.clone(), &run.input);
                leg.shown.push(Run { input, trace: None, ..run.clone() });
            }
            let understood = run.trace.as_ref().and_then(|trace| vocabulary.listen(trace, &run.input));
            if let Some(mut ahead) = understood.filter(|_| !run.outcome.is_finding() && wanted.is_empty()) {
                ahead.objects.retain(|o| o.kind != ObjectKind::End);
                return self.keep_behind(target, journey, ahead, leg);
            }
            if !run.outcome.is_finding() && !wanted.is_empty() {
                let mut shows = |input: &Input| {
                    // The state is to be kept, too.
                    let is_spent = self.order.runs.is_some_and(|n| leg.runs + 1 >= n);
                    if is_spent || late >= MOST_LATE || (self.around.stop)() {
                        return false;
                    }
                    let run = self.aside(target, journey.place.at, (input, Mode::Concrete), leg);
                    late += run.as_ref().map_or(0, |run| u32::from(run.outcome == Outcome::Timeout));
                    run.is_ok_and(|run| wanted.iter().all(|b| run.covered.binary_search(b).is_ok()))
                };
                let mut said = run.input;
                said.objects.retain(|o| o.kind != ObjectKind::End);
                let ahead = cut_off(&said, CUT, &mut shows);
                vocabulary.learn(&ahead);
                return self.keep_behind(target, journey, ahead, leg);
            }
        }
        Ok(found)
    }

    /// Whether no run is left of the budget.
    pub(super) fn is_spent(&self, leg: &Leg) -> bool {
        self.order.runs.is_some_and(|n| leg.runs >= n)
    }

    /// A run from a snapshot, to the end of `input`.
    fn aside(
        &self,
        target: &mut dyn Target,
        from: SnapshotId,
        (input, mode): (&Input, Mode),
        leg: &mut Leg,
    ) -> Result<Run, TargetError> {
        let snapshots = target.snapshots().ok_or_else(|| TargetError::Server(NO_SNAPSHOTS.into()))?;
        let input = input.clone().ending();
        let value_seed = Some(self.order.seed);
        let run = snapshots.run_from(from, &Request { input: &input, mode, value_seed, max_inputs: None })?;
        leg.runs += 1;
        leg.cpu += run.cpu;
        (self.around.ran)(run.cpu);
        Ok(run)
    }
}
