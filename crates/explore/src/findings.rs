//! Crashes, aborts, hangs and memory exhaustion, deduplicated.
//!
//! Two runs show the same finding if they ended alike and have the same top frames (by function name). A stack
//! that is deep in recursion is named by the functions that recur, because where in the cycle it overflowed is
//! chance. Without a stack (a hang), the last decision of the path names it. So it does beside the stack where a trap ended
//! the run: compilers let all checks of a function share one. The smallest input is kept.
//!
//! Findings of earlier sessions keep their numbers. The last decision is not stored: an earlier finding that it
//! names is known again when its reproducer, run first by a resumed session, ends as it did.

use events::{FindingId, RunId, Step};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use trace::Outcome;

/// Frames that name a finding.
const TOP_FRAMES: usize = 5;
/// A function this often on the stack is recursive.
const RECURSIVE: usize = 8;

/// A finding: what all its runs share, and its reproducer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its number.
    pub id: FindingId,
    /// How its runs end.
    pub outcome: Outcome,
    /// The frames that name it, innermost first; empty if unknown.
    pub stack: Vec<String>,
    /// The run with the smallest input.
    pub best: RunId,
    /// Length of that input in bytes.
    pub input_len: u64,
    /// How many runs showed it.
    pub count: u64,
}

impl Finding {
    /// A hang rather than a crash.
    pub fn is_hang(&self) -> bool {
        self.outcome == Outcome::Timeout
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Stack(Vec<String>),
    Last(Vec<String>, Option<Step>),
}

/// SIGILL and SIGTRAP.
const TRAPS: [Outcome; 2] = [Outcome::Signal(4), Outcome::Signal(5)];

/// Whether the last decision names a run that ended so, with these frames.
fn is_named_by_last(outcome: Outcome, stack: &[String]) -> bool {
    stack.is_empty() || TRAPS.contains(&outcome)
}

fn key(outcome: Outcome, stack: &[String], last: Option<Step>) -> Key {
    match is_named_by_last(outcome, stack) {
        true => Key::Last(stack.to_vec(), last),
        false => Key::Stack(stack.to_vec()),
    }
}

/// The findings of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    known: FxHashMap<(Outcome, Key), usize>,
    all: Vec<Finding>,
    /// Earlier findings that the last decision names, which is not known yet.
    unplaced: Vec<usize>,
    next: u32,
}

/// What a run adds to the findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The finding.
    pub id: FindingId,
    /// Seen for the first time.
    pub first: bool,
    /// This run is its reproducer now.
    pub best: bool,
    /// The frames that name it.
    pub stack: Vec<String>,
}

impl Findings {
    /// The findings of earlier sessions; new ones are numbered on.
    pub fn resumed(earlier: impl IntoIterator<Item = Finding>) -> Findings {
        let mut findings = Findings::default();
        for finding in earlier {
            let at = findings.all.len();
            findings.next = findings.next.max(finding.id.0.saturating_add(1));
            if is_named_by_last(finding.outcome, &finding.stack) {
                findings.unplaced.push(at);
            } else {
                findings.known.insert((finding.outcome, Key::Stack(finding.stack.clone())), at);
            }
            findings.all.push(finding);
        }
        findings
    }

    /// Takes in the end of the reproducer of an earlier finding, `best`, run again: from now on its last
    /// decision names a finding without a stack.
    pub fn known_again(&mut self, best: RunId, outcome: Outcome, frames: &[String], last: Option<Step>) {
        let same = |&k: &usize| self.all[k].best == best && self.all[k].outcome == outcome;
        let Some(place) = self.unplaced.iter().position(same) else { return };
        let stack = naming_frames(frames);
        if is_named_by_last(outcome, &stack) {
            let k = self.unplaced.swap_remove(place);
            self.known.entry((outcome, key(outcome, &stack, last))).or_insert(k);
        }
    }

    /// Takes in a run that ended in `outcome` (one for which [`Outcome::is_finding`] holds), with these
    /// function names on its stack, innermost first, and this last decision on its path.
    pub fn add(
        &mut self,
        run: RunId,
        outcome: Outcome,
        frames: &[String],
        last: Option<Step>,
        input_len: u64,
    ) -> Sighting {
        let stack = naming_frames(frames);
        let at = self.all.len();
        let k = *self.known.entry((outcome, key(outcome, &stack, last))).or_insert(at);
        if k == at {
            let id = FindingId(self.next);
            self.next += 1;
            self.all.push(Finding { id, outcome, stack: stack.clone(), best: run, input_len, count: 1 });
            return Sighting { id, first: true, best: true, stack };
        }
        let finding = &mut self.all[k];
        finding.count += 1;
        let best = input_len < finding.input_len;
        if best {
            finding.best = run;
            finding.input_len = input_len;
        }
        Sighting { id: finding.id, first: false, best, stack }
    }

    /// Whether it is one of these.
    pub fn has(&self, id: FindingId) -> bool {
        id.0 < self.next
    }

    /// All findings, in the order they were first seen.
    pub fn into_all(self) -> Vec<Finding> {
        self.all
    }

    /// Number of crashes (everything but hangs).
    pub fn crashes(&self) -> u32 {
        self.all.iter().filter(|f| !f.is_hang()).count() as u32
    }

    /// Number of hangs.
    pub fn hangs(&self) -> u32 {
        self.all.iter().filter(|f| f.is_hang()).count() as u32
    }
}

/// The frames that name a stack: its top, or the recurring functions of a deep recursion.
fn naming_frames(frames: &[String]) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for f in frames {
        *times.entry(f).or_default() += 1;
    }
    let recurring: Vec<String> =
        times.iter().filter(|(_, n)| **n >= RECURSIVE).map(|(name, _)| (*name).to_owned()).collect();
    if recurring.is_empty() { frames.iter().take(TOP_FRAMES).cloned().collect() } else { recurring }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(names: &str) -> Vec<String> {
        names.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_same_top_frames_are_the_same_finding() {
        let mut f = Findings::default();
        let segv = Outcome::Signal(11);
        let a = f.add(RunId(0), segv, &frames("a b c d e main"), None, 9);
        let b = f.add(RunId(1), segv, &frames("a b c d e other main"), None, 4);
        let c = f.add(RunId(2), segv, &frames("a x c d e main"), None, 4);
        assert!((a.first, a.best) == (true, true) && (b.first, b.best) == (false, true) && c.first);
        assert_eq!(a.id, b.id);
        assert_eq!((f.crashes(), f.hangs()), (2, 0));
        let all = f.into_all();
        assert_eq!((all[0].best, all[0].count), (RunId(1), 2));
    }

    #[test]
    fn a_larger_input_does_not_replace_the_reproducer() {
        let mut f = Findings::default();
        f.add(RunId(0), Outcome::Abort, &frames("a"), None, 4);
        assert!(!f.add(RunId(1), Outcome::Abort, &frames("a"), None, 4).best);
        assert_eq!(f.into_all()[0].best, RunId(0));
    }

    #[test]
    fn where_a_recursion_overflowed_is_chance() {
        let mut f = Findings::default();
        let deep = frames(&"value array ".repeat(20));
        let a = f.add(RunId(0), Outcome::Signal(11), &deep, None, 1);
        let b = f.add(RunId(1), Outcome::Signal(11), &deep[1..], None, 1);
        assert_eq!(a.id, b.id);
        assert_eq!(a.stack, ["array", "value"]);
    }

    #[test]
    fn earlier_findings_keep_their_numbers() {
        use program::BranchId;
        let known = |id, outcome, stack: &str, best| Finding {
            id: FindingId(id),
            outcome,
            stack: frames(stack),
            best: RunId(best),
            input_len: 4,
            count: 2,
        };
        let (hang, last) = (Outcome::Timeout, |b| Some(Step::Branch(BranchId(b))));
        let mut f = Findings::resumed([known(0, Outcome::Abort, "a b", 7), known(3, hang, "", 8)]);
        let again = f.add(RunId(10), Outcome::Abort, &frames("a b"), None, 9);
        assert_eq!((again.id, again.first, again.best), (FindingId(0), false, false));
        f.known_again(RunId(8), hang, &[], last(1));
        assert_eq!(f.add(RunId(11), hang, &[], last(1), 3).id, FindingId(3));
        let new = f.add(RunId(12), hang, &[], last(2), 3);
        assert_eq!((new.id, new.first), (FindingId(4), true));
        assert_eq!((f.crashes(), f.hangs()), (1, 2));
    }

    #[test]
    fn a_trap_that_several_checks_share_is_told_apart_by_the_last_decision() {
        use program::BranchId;
        let mut f = Findings::default();
        let last = |b| Some(Step::Branch(BranchId(b)));
        let mut id = |outcome, b: u32| f.add(RunId(b.into()), outcome, &frames("main"), last(b), 1).id;
        assert_ne!(id(Outcome::Signal(4), 1), id(Outcome::Signal(4), 2));
        assert_eq!(id(Outcome::Signal(11), 1), id(Outcome::Signal(11), 2));
        let all = f.into_all();
        let mut again = Findings::resumed(all.clone());
        again.known_again(RunId(2), Outcome::Signal(4), &frames("main"), last(2));
        assert_eq!(again.add(RunId(9), Outcome::Signal(4), &frames("main"), last(2), 1).id, all[1].id);
    }

    #[test]
    fn without_a_stack_the_last_decision_tells() {
        use program::BranchId;
        let mut f = Findings::default();
        let last = |b| Some(Step::Branch(BranchId(b)));
        let a = f.add(RunId(0), Outcome::Timeout, &[], last(1), 1);
        let b = f.add(RunId(1), Outcome::Timeout, &[], last(2), 1);
        let c = f.add(RunId(2), Outcome::Timeout, &[], last(1), 1);
        assert_ne!(a.id, b.id);
        assert_eq!(a.id, c.id);
        assert_eq!((f.crashes(), f.hangs()), (0, 2));
    }
}
