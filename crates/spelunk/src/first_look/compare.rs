//! Whether the instrumented program does what the user's own does: the decision, on runs that others make.
//!
//! One run of each decides where they agree, which is nearly always. Where they do not, nobody is accused before the program was
//! seen to be the same twice: the user's own executable is run again at other addresses, twice, and each instrumented
//! one that differs once more. What differs then from run to run is the program's own chance.

use explore::suite::same_class;
use trace::{Outcome, TargetError};

/// A run, by how it ended and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub outcome: Outcome,
    /// What it wrote to standard output; `None` if nobody looked.
    pub stdout: Option<Vec<u8>>,
    /// The end of what it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// An executable derived from the program, and the way it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// By the fork server, as in the campaign.
    Ordered,
    /// Flavour `trace` (or `path`) by hand, as the program itself is run.
    Trace,
    /// Flavour `fast` by hand.
    Fast,
}

/// Runs the program on one input.
pub trait Runs {
    /// The user's own executable; `moved`: at other addresses each time.
    fn own(&mut self, moved: bool) -> Result<Ended, TargetError>;
    /// An instrumented one; `None` where there is none, or its runs mean nothing.
    fn derived(&mut self, which: Derived) -> Option<Ended>;
    /// Whether `main` is declared to return nothing.
    fn main_returns_nothing(&self) -> bool;
}

/// What the comparison says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They agree.
    Alike,
    /// They agree: both crash.
    Crash(Outcome),
    /// The user's own executable met a limit: nothing can be said.
    Unfinished(Outcome),
    /// They differ as the program differs from itself.
    Chance(Chance),
    /// The instrumented one met a limit that the other did not.
    Limit(Outcome),
    /// They differ, and each is the same every time.
    Unlike(Box<Difference>),
}

/// How a program differs from itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    /// `main` returns nothing.
    VoidMain,
    /// The exit code is another one in every executable, or in every run.
    ExitCode,
    /// The output is another one in every run.
    Output,
    /// The lines of its output come in another order.
    Order,
    /// Only numbers differ: CPU time or memory used, or memory that the program reads and never set.
    Numbers,
    /// Only runs by the fork server end otherwise: their clock and random numbers are fixed.
    Surroundings,
}

/// A difference that is nobody's chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which executable differs.
    pub which: Derived,
    /// What the user's own did.
    pub own: Ended,
    /// What that one did.
    pub derived: Ended,
}

/// Compares the user's own run with those of the instrumented executables.
///
/// # Errors
/// When the user's own executable cannot be run.
pub fn compare(runs: &mut dyn Runs, own: Ended) -> Result<Verdict, TargetError> {
    if is_limit(own.outcome) {
        return Ok(Verdict::Unfinished(own.outcome));
    }
    let all = [Derived::Ordered, Derived::Trace, Derived::Fast];
    let seen: Vec<(Derived, Ended)> =
        all.into_iter().filter_map(|which| Some((which, runs.derived(which)?))).collect();
    if seen.iter().all(|(_, ended)| agrees(&own, ended)) {
        let crashed = own.outcome.is_finding();
        return Ok(if crashed { Verdict::Crash(own.outcome) } else { Verdict::Alike });
    }
    // The program's own crash is looked at as a finding, whatever the others make of it.
    if own.outcome.is_finding() {
        return Ok(Verdict::Crash(own.outcome));
    }
    let again = [runs.own(true)?, runs.own(true)?];
    let mut chance = None;
    for (which, first) in &seen {
        if agrees(&own, first) {
            continue;
        }
        let Some(second) = runs.derived(*which) else { continue };
        if is_limit(first.outcome) || is_limit(second.outcome) {
            chance = chance
                .or(Some(Verdict::Limit(if is_limit(first.outcome) { first } else { &second }.outcome)));
            continue;
        }
        match why(&own, &again, &seen, (*which, first), &second, runs) {
            Some(known) => chance = chance.or(Some(Verdict::Chance(known))),
            None => {
                // The one whose output was kept is told, where another did the same.
                let told =
                    |(_, e): &&(Derived, Ended)| e.stdout.is_some() && same_class(e.outcome, first.outcome);
                let same = first.stdout.is_none().then(|| seen.iter().find(told)).flatten();
                let (which, derived) = same.cloned().unwrap_or_else(|| (*which, first.clone()));
                return Ok(Verdict::Unlike(Box::new(Difference { which, own, derived })));
            }
        }
    }
    Ok(chance.unwrap_or(Verdict::Alike))
}

/// Why `first`, which differs from `own`, does so; `None`: for no reason of the program's.
fn why(
    own: &Ended,
    again: &[Ended; 2],
    seen: &[(Derived, Ended)],
    (which, first): (Derived, &Ended),
    second: &Ended,
    runs: &dyn Runs,
) -> Option<Chance> {
    let is_exit = |o: Outcome| matches!(o, Outcome::Exit(_));
    if !same_class(own.outcome, first.outcome) {
        let differs = again.iter().any(|a| !same_class(a.outcome, own.outcome));
        if differs || !same_class(first.outcome, second.outcome) {
            return Some(Chance::ExitCode);
        }
        if is_exit(first.outcome) && runs.main_returns_nothing() {
            return Some(Chance::VoidMain);
        }
        let codes = seen.iter().map(|(_, ended)| ended.outcome);
        if codes.clone().all(is_exit) && codes.clone().any(|o| o != first.outcome && o != own.outcome) {
            return Some(Chance::ExitCode);
        }
        // Of a program that asks for values no instrumented executable can be asked by hand.
        let mut by_hand = seen.iter().filter(|(which, _)| *which != Derived::Ordered);
        let is_alone = by_hand.all(|(_, ended)| same_class(ended.outcome, own.outcome));
        return (which == Derived::Ordered && is_alone).then_some(Chance::Surroundings);
    }
    if again.iter().any(|a| a.stdout != own.stdout) || first.stdout != second.stdout {
        return Some(Chance::Output);
    }
    let lines = |ended: &Ended| {
        let text = ended.stdout.clone().unwrap_or_default();
        let mut lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort_unstable();
        lines
    };
    if lines(own) == lines(first) {
        return Some(Chance::Order);
    }
    let masked = |ended: &Ended| without_numbers(ended.stdout.as_deref().unwrap_or_default());
    (masked(own) == masked(first)).then_some(Chance::Numbers)
}

/// A text with every run of digits and full stops, if it has a digit, as one 0, and every run of blanks as one: numbers in
/// columns have more or fewer of them in front.
fn without_numbers(text: &[u8]) -> Vec<u8> {
    let class = |b: u8| match b {
        b'0'..=b'9' | b'.' => 1,
        b' ' => 2,
        _ => 0,
    };
    let mut masked = Vec::with_capacity(text.len());
    for run in text.chunk_by(|&a, &b| class(a) == class(b)) {
        match class(run[0]) {
            1 if run.iter().any(u8::is_ascii_digit) => masked.push(b'0'),
            2 => masked.push(b' '),
            _ => masked.extend_from_slice(run),
        }
    }
    masked
}

/// Whether a run of a derived executable is as the user's own.
pub fn agrees(own: &Ended, derived: &Ended) -> bool {
    let output = match (&own.stdout, &derived.stdout) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    same_class(own.outcome, derived.outcome) && (output || own.outcome.is_finding())
}

/// Whether both ended alike: then their outputs differ.
pub fn same_end(difference: &Difference) -> bool {
    same_class(difference.own.outcome, difference.derived.outcome)
}

/// Whether a limit ended the run.
pub fn is_limit(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Timeout | Outcome::OutOfMemory | Outcome::OutputLimit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How runs end: a list for each executable, of which the last stays.
    struct Fake {
        own: Vec<Ended>,
        derived: [Vec<Ended>; 3],
        void: bool,
        runs: usize,
    }

    fn next(of: &mut Vec<Ended>) -> Ended {
        if of.len() > 1 { of.remove(0) } else { of[0].clone() }
    }

    impl Runs for Fake {
        fn own(&mut self, _: bool) -> Result<Ended, TargetError> {
            self.runs += 1;
            Ok(next(&mut self.own))
        }

        fn derived(&mut self, which: Derived) -> Option<Ended> {
            self.runs += 1;
            Some(next(&mut self.derived[which as usize]))
        }

        fn main_returns_nothing(&self) -> bool {
            self.void
        }
    }

    fn exit(code: i32, text: &str) -> Ended {
        Ended { outcome: Outcome::Exit(code), stdout: Some(text.into()), stderr: Vec::new() }
    }

    fn crash() -> Ended {
        Ended { outcome: Outcome::Signal(11), stdout: Some(Vec::new()), stderr: Vec::new() }
    }

    /// The verdict, and how many runs it took.
    fn verdict(own: &[Ended], derived: [&[Ended]; 3], void: bool) -> (Verdict, usize) {
        let mut fake = Fake { own: own.to_vec(), derived: derived.map(<[Ended]>::to_vec), void, runs: 0 };
        let first = fake.own(false).expect("a run");
        let verdict = compare(&mut fake, first).expect("runs");
        (verdict, fake.runs)
    }

    #[test]
    fn who_agrees_is_run_once() {
        let ok = [exit(3, "out")];
        assert_eq!(verdict(&ok, [&ok, &ok, &ok], false), (Verdict::Alike, 4));
        let bad = [crash()];
        assert_eq!(verdict(&bad, [&bad, &bad, &bad], false), (Verdict::Crash(Outcome::Signal(11)), 4));
    }

    #[test]
    fn a_steady_difference_is_spelunks_fault() {
        let (ok, bad, other) = ([exit(0, "out")], [crash()], [exit(0, "tuo")]);
        for derived in [[&bad, &bad, &bad], [&bad, &ok, &bad], [&ok, &ok, &bad], [&ok, &other, &ok]] {
            let derived = derived.map(|d| &d[..]);
            assert!(matches!(verdict(&ok, derived, false).0, Verdict::Unlike(_)), "{derived:?}");
        }
        let code = [exit(1, "out")];
        assert!(matches!(verdict(&ok, [&code, &code, &code], false).0, Verdict::Unlike(_)));
    }

    #[test]
    fn chance_is_told_as_chance() {
        let chance = |own: &[Ended], derived: [&[Ended]; 3], void| match verdict(own, derived, void).0 {
            Verdict::Chance(chance) => chance,
            other => panic!("{other:?}"),
        };
        let ok = [exit(0, "out")];
        let (random, other) = ([exit(0, "1"), exit(0, "2")], [exit(0, "3")]);
        assert_eq!(chance(&random, [&other, &other, &other], false), Chance::Output);
        assert_eq!(chance(&ok, [&ok, &random, &ok], false), Chance::Output);
        let (void, one, two) = ([exit(7, "")], [exit(1, "")], [exit(2, "")]);
        assert_eq!(chance(&void, [&one, &one, &one], true), Chance::VoidMain);
        assert_eq!(chance(&void, [&one, &one, &two], false), Chance::ExitCode);
        assert_eq!(chance(&[exit(7, ""), exit(8, "")], [&one, &one, &one], false), Chance::ExitCode);
        assert_eq!(chance(&void, [&one, &void, &void], false), Chance::Surroundings);
        assert_eq!(chance(&ok, [&[crash()], &ok, &ok], false), Chance::Surroundings);
        let (idle, busy) = ([exit(0, "CPU time :  9.96 s")], [exit(0, "CPU time : 10.04 s")]);
        assert_eq!(chance(&idle, [&idle, &busy, &busy], false), Chance::Numbers);
        let (forth, back) = ([exit(0, "a\nb\n")], [exit(0, "b\na\n")]);
        assert_eq!(chance(&forth, [&forth, &back, &back], false), Chance::Order);
    }

    #[test]
    fn who_can_be_run_by_the_server_alone_may_depend_on_its_clock() {
        struct Asks;
        impl Runs for Asks {
            fn own(&mut self, _: bool) -> Result<Ended, TargetError> {
                Ok(exit(0, ""))
            }
            fn derived(&mut self, which: Derived) -> Option<Ended> {
                (which == Derived::Ordered).then(|| Ended { outcome: Outcome::Abort, ..crash() })
            }
            fn main_returns_nothing(&self) -> bool {
                false
            }
        }
        let verdict = compare(&mut Asks, exit(0, "")).expect("runs");
        assert_eq!(verdict, Verdict::Chance(Chance::Surroundings));
    }

    #[test]
    fn numbers_are_masked_and_words_are_not() {
        let same = |a: &str, b: &str| without_numbers(a.as_bytes()) == without_numbers(b.as_bytes());
        assert!(same("used   3 MB, 0.5 s.", "used 120 MB, 12 s."));
        assert!(
            !same("3 clauses", "3 models") && !same("done.", "done") && !same("3", "") && !same("-1", "1")
        );
    }

    #[test]
    fn a_limit_is_no_difference() {
        let slow = [Ended { outcome: Outcome::Timeout, ..crash() }];
        let ok = [exit(0, "")];
        assert_eq!(verdict(&ok, [&slow, &slow, &slow], false).0, Verdict::Limit(Outcome::Timeout));
        let unfinished = Verdict::Unfinished(Outcome::Timeout);
        assert_eq!(verdict(&slow, [&ok, &ok, &ok], false), (unfinished, 1));
    }

    #[test]
    fn a_crash_under_random_output_is_still_a_fault() {
        let random = [exit(0, "1"), exit(0, "2"), exit(0, "3")];
        let bad = [crash()];
        assert!(matches!(verdict(&random, [&bad, &bad, &bad], false).0, Verdict::Unlike(_)));
    }
}
