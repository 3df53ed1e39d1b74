//! All findings of a session: confirmed, each once, minimised, explained.
//!
//! Candidates come first (runs that crashed, aborted, hung or ran out of memory under exploration), then the tests of the
//! suite, each run once on `check`: they may hide a mistake that the user's own executable survives. Sightings
//! of one mistake form a group; its reproducer is the most precise one that shows on the user's own executable, the
//! smallest of those. Only then is it made smaller.

use crate::minimise::minimise;
use crate::observe::{Sighting, observe, observe_checks};
use crate::stack::{Key, shown};
use crate::{Bench, kinds};
use events::{Diagnosis, FindingId, InputByte, Kind, Related, RunId, SourceFrame, Verdict};
use std::collections::HashMap;
use trace::{Input, ObjectKind, Outcome};

/// Bytes that matter, at most so many in a diagnosis.
const MOST_BYTES: usize = 48;
/// Runs for making the reproducer of a hang small: each that hangs takes until the time limit.
const HANG_RUNS: u32 = 200;

/// How often a hang is stopped to see where it is.
const HANG_SAMPLES: u32 = 6;

/// An input that may show a mistake.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The finding that it is the reproducer of, if it is one already.
    pub finding: Option<FindingId>,
    /// Its run.
    pub run: RunId,
    /// The input.
    pub input: Input,
    /// How the instrumented run ended; `None` where nobody saw it end badly.
    pub outcome: Option<Outcome>,
    /// The stack where the instrumented run ended, innermost first; of an undefined operation, its place.
    pub ended: Vec<SourceFrame>,
    /// It is there for an undefined operation of this kind, which a check of `--find` saw.
    pub undefined: Option<Kind>,
}

impl Candidate {
    /// Whether a sighting is what the candidate is there for, not found by the way.
    fn stands_for(&self, sighting: &Sighting) -> bool {
        let Some(kind) = self.undefined else {
            // The instrumented run crashed at what the others survive.
            let crashes = matches!(sighting.kind, Kind::NullDereference | Kind::DivisionByZero);
            let shows = sighting.on_own || sighting.on_check || crashes;
            return shows && self.outcome.is_none_or(|outcome| may_end_so(outcome, sighting));
        };
        let name = |f: &SourceFrame| f.file.rsplit('/').next().unwrap_or_default().to_owned();
        let here = match (self.ended.first(), sighting.stack.first()) {
            (Some(a), Some(b)) if a.line != 0 && b.line != 0 => (name(a), a.line) == (name(b), b.line),
            _ => true,
        };
        here && kinds::class(kind) == kinds::class(sighting.kind)
    }
}

/// Whether an instrumented run that ended so may have shown what was seen. Anything else that the input shows is another
/// finding: a run out of time is not explained by memory that is never freed.
fn may_end_so(outcome: Outcome, sighting: &Sighting) -> bool {
    // Which limit a run meets first that does not end by itself is chance.
    let runs_away = matches!(sighting.kind, Kind::Hang | Kind::MemoryExhaustion | Kind::StackExhaustion);
    let goes_on = matches!(sighting.kind, Kind::Shift | Kind::BadCast | Kind::Undefined);
    match outcome {
        Outcome::Timeout | Outcome::OutOfMemory => runs_away,
        Outcome::Signal(8) => {
            sighting.on_own || matches!(sighting.kind, Kind::DivisionByZero | Kind::SignedOverflow)
        }
        Outcome::Signal(_) | Outcome::Abort => {
            !matches!(sighting.kind, Kind::Hang | Kind::Leak) && (sighting.on_own || !goes_on)
        }
        Outcome::Exit(_) | Outcome::OutputLimit | Outcome::Undefined(_) => true,
    }
}

/// A finding of an earlier session.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its number.
    pub finding: FindingId,
    /// What it is.
    pub kind: Kind,
    /// Where.
    pub stack: Vec<SourceFrame>,
}

/// How much work may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Runs for making one reproducer small; 0: leave it as it is.
    pub minimise_runs: u32,
    /// Number of the next new finding.
    pub next: u32,
    /// Runs on flavour `check`, beside those of the candidates, that came to their end and showed nothing.
    pub quiet: u32,
}

/// What came of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its number.
    pub finding: FindingId,
    /// It has no candidate of its own: it was found by the way.
    pub new: bool,
    /// The run that showed it.
    pub run: RunId,
    /// What came of it.
    pub verdict: Verdict,
    /// Its reproducer.
    pub input: Input,
    /// What the sanitizer reported, for people; may be empty.
    pub report: String,
}

/// Sightings of one mistake.
struct Group {
    /// Known from an earlier session.
    earlier: bool,
    finding: FindingId,
    new: bool,
    key: Key,
    /// The best one, unless it is known from an earlier session only.
    best: Option<(Sighting, RunId, Input)>,
    first_len: u64,
    /// Runs of candidates that showed it and came to their end.
    times: u32,
}

/// Judges candidates in their order.
pub fn judge(
    bench: &mut dyn Bench,
    candidates: &[Candidate],
    known: &[Known],
    limits: Limits,
) -> Vec<Judged> {
    let mut judging = Judging { groups: Vec::new(), done: Vec::new(), next: limits.next, ended: 0 };
    for k in known {
        let key = Key::of(k.kind, &k.stack);
        let group =
            Group { earlier: true, finding: k.finding, new: false, key, best: None, first_len: 0, times: 0 };
        judging.groups.push(group);
    }
    for candidate in candidates {
        if bench.stopped() {
            break;
        }
        let mut sightings = observe(bench, &candidate.input, &candidate.ended, None, false);
        if candidate.finding.is_some() && !sightings.iter().any(|s| candidate.stands_for(s)) {
            let checks = observe_checks(bench, &candidate.input, false);
            sightings.extend(checks.into_iter().filter(|s| candidate.stands_for(s)));
        }
        // Runs may have been interrupted: what they did not show says nothing, and is asked about again another time.
        if bench.stopped() {
            break;
        }
        let ended = sightings.iter().all(is_survived);
        let keys: Vec<Key> = sightings.iter().filter(|_| ended).map(Sighting::key).collect();
        judging.sort(candidate, sightings);
        judging.ended += u32::from(ended);
        for group in &mut judging.groups {
            group.times += u32::from(keys.iter().any(|key| group.key.same(key)));
        }
    }
    let mut done = judging.done;
    let mut open: Vec<FindingId> = Vec::new();
    let mut usual = Usual { ended: judging.ended + limits.quiet, shown: HashMap::new() };
    // Hangs of which nobody knows where come last: made small, they may turn out to be one of the others.
    judging.groups.sort_by_key(Group::is_nowhere);
    for group in judging.groups {
        let (finding, new, earlier) = (group.finding, group.new, group.earlier);
        let Some((sighting, run, input)) = group.best.clone() else { continue };
        if earlier {
            continue;
        }
        let of_all = usual.sighting(bench, &group, &sighting, &input);
        // Nobody could ask whether the empty input shows it, too: another session does.
        if of_all.is_none() && bench.stopped() && usual.may_be(&group, &sighting) {
            open.push(finding);
            continue;
        }
        let (diagnosis, small, report) = match of_all {
            Some((sighting, empty)) => of_every_run(bench, &sighting, &group, empty),
            None => explained(bench, &sighting, &group, input.clone(), limits),
        };
        let same = if group.is_nowhere() { known_hang(&done, &diagnosis) } else { None };
        match same {
            Some(_) if new => {}
            Some(same) => {
                let verdict = Verdict::SameAs { finding: same };
                done.push(Judged { finding, new, run, verdict, input, report: String::new() });
            }
            None => {
                let verdict = Verdict::Confirmed(Box::new(diagnosis));
                done.push(Judged { finding, new, run, verdict, input: small, report });
            }
        }
    }
    done.retain(|j| !matches!(&j.verdict, Verdict::SameAs { finding } if open.contains(finding)));
    done.sort_by_key(|j| j.finding);
    done
}

/// The finding that a hang is the same as.
fn known_hang(done: &[Judged], hang: &Diagnosis) -> Option<FindingId> {
    let key = Key::of(hang.kind, &hang.stack);
    let same = |j: &&Judged| match &j.verdict {
        Verdict::Confirmed(d) => Key::of(d.kind, &d.stack).same(&key),
        _ => false,
    };
    done.iter().find(same).map(|j| j.finding)
}

/// Whether a run goes on behind a mistake, on the user's own executable and on `check`, to its end.
fn is_survived(sighting: &Sighting) -> bool {
    let goes_on = matches!(
        sighting.kind,
        Kind::Leak | Kind::SignedOverflow | Kind::Shift | Kind::BadCast | Kind::Undefined
    );
    goes_on && !sighting.on_own
}

/// What every run shows: a test driver that never frees anything, say.
struct Usual {
    /// Runs that came to their end.
    ended: u32,
    /// What empty inputs of different shapes show.
    shown: HashMap<Input, Vec<Sighting>>,
}

impl Usual {
    /// Whether every run that came to its end showed it.
    fn may_be(&self, group: &Group, best: &Sighting) -> bool {
        is_survived(best) && group.times >= self.ended
    }

    /// If every run that came to its end shows what `group` is about, and also that of the empty input of the same shape: the
    /// latter's sighting and input.
    fn sighting(
        &mut self,
        bench: &mut dyn Bench,
        group: &Group,
        best: &Sighting,
        input: &Input,
    ) -> Option<(Sighting, Input)> {
        if !self.may_be(group, best) || bench.stopped() {
            return None;
        }
        let empty = emptied(input);
        let shown =
            self.shown.entry(empty.clone()).or_insert_with(|| observe(bench, &empty, &[], None, false));
        let same = shown.iter().find(|s| s.kind == best.kind && s.key().same(&group.key));
        same.cloned().map(|sighting| (sighting, empty))
    }
}

/// The empty input of this shape: values keep their size.
fn emptied(input: &Input) -> Input {
    let mut empty = input.clone();
    for object in &mut empty.objects {
        match object.kind {
            ObjectKind::Value => object.data.fill(0),
            _ => object.data.clear(),
        }
    }
    empty
}

/// What is said of a mistake that every run shows.
fn of_every_run(
    bench: &mut dyn Bench,
    sighting: &Sighting,
    group: &Group,
    empty: Input,
) -> (Diagnosis, Input, String) {
    let small = crate::minimise::Minimised { input: empty, runs: 1, complete: true, matter: Vec::new() };
    let mut diagnosis = diagnosis(bench, sighting, &small, group.first_len);
    diagnosis.every_run = true;
    (diagnosis, small.input, sighting.report.clone())
}

struct Judging {
    groups: Vec<Group>,
    done: Vec<Judged>,
    next: u32,
    /// Candidates whose run came to its end.
    ended: u32,
}

impl Judging {
    /// Puts what a candidate shows into groups.
    fn sort(&mut self, candidate: &Candidate, sightings: Vec<Sighting>) {
        let mut own = candidate.finding;
        let settled = |verdict, finding| Judged {
            finding,
            new: false,
            run: candidate.run,
            verdict,
            input: candidate.input.clone(),
            report: String::new(),
        };
        // What ended the run is what the candidate stands for; the rest was found by the way.
        let mut sightings = sightings;
        sightings.sort_by_key(|s| (!candidate.stands_for(s), !s.on_own));
        for sighting in sightings {
            let key = sighting.key();
            let id = if candidate.stands_for(&sighting) { own.take() } else { None };
            // A test that ends badly nobody knows where adds nothing to a finding that ends so.
            let adds_nothing = |g: &Group| {
                let best = g.best.as_ref().map(|(s, ..)| s);
                sighting.stack.is_empty()
                    && candidate.finding.is_none()
                    && best.is_some_and(|s| s.kind == sighting.kind && s.own == sighting.own)
            };
            match self.groups.iter_mut().find(|g| g.key.same(&key) || adds_nothing(g)) {
                Some(group) => {
                    if let Some(finding) = id.filter(|&f| f != group.finding) {
                        self.done.push(settled(Verdict::SameAs { finding: group.finding }, finding));
                    }
                    group.offer(sighting, candidate);
                }
                None => {
                    let new = id.is_none();
                    let finding = id.unwrap_or_else(|| {
                        self.next += 1;
                        FindingId(self.next - 1)
                    });
                    let first_len = candidate.input.len() as u64;
                    let best = Some((sighting, candidate.run, candidate.input.clone()));
                    self.groups.push(Group { earlier: false, finding, new, key, best, first_len, times: 0 });
                }
            }
        }
        if let Some(finding) = own {
            self.done.push(settled(Verdict::Unconfirmed, finding));
        }
    }
}

impl Group {
    /// A hang of which nobody knows where.
    fn is_nowhere(&self) -> bool {
        self.best.as_ref().is_some_and(|(s, ..)| s.kind == Kind::Hang && s.stack.is_empty())
    }

    /// Keeps a sighting if it is the best one so far.
    fn offer(&mut self, sighting: Sighting, candidate: &Candidate) {
        let rank = |s: &Sighting, input: &Input| (s.kind, !s.on_own, !s.on_check, input.len());
        let better = match &self.best {
            Some((best, _, input)) => rank(&sighting, &candidate.input) < rank(best, input),
            None => true,
        };
        if better {
            self.best = Some((sighting, candidate.run, candidate.input.clone()));
        }
    }
}

/// Minimises a reproducer and says all there is to say.
fn explained(
    bench: &mut dyn Bench,
    sighting: &Sighting,
    group: &Group,
    input: Input,
    limits: Limits,
) -> (Diagnosis, Input, String) {
    let expected = sighting.own.filter(|_| sighting.on_own);
    let hang = sighting.kind == Kind::Hang;
    let found = |bench: &mut dyn Bench, input: &Input, hurried: bool| -> Option<Sighting> {
        let all = match sighting.on_own || sighting.on_check {
            true => observe(bench, input, &sighting.stack, expected, hurried),
            false => observe_checks(bench, input, hurried),
        };
        let anywhere = group.is_nowhere();
        // Where `check` ended before, its place was seen from outside only; what was said tells it again.
        let said = |s: &Sighting| !sighting.on_check && s.on_own && s.message == sighting.message;
        all.into_iter().find(|s| s.kind == sighting.kind && (anywhere || s.key().same(&group.key) || said(s)))
    };
    let budget = match limits.minimise_runs {
        most if hang => most.min(HANG_RUNS),
        most => most,
    };
    let mut small = minimise(&input, budget, &mut |input| {
        // Time that was asked to stop is not spent on more runs.
        if bench.stopped() {
            return false;
        }
        match hang {
            // Where it hangs is looked at once, at the end.
            true => bench.own(input, true).is_ok_and(|o| o.outcome == Outcome::Timeout),
            false => found(bench, input, false).is_some(),
        }
    });
    // What is told is of the reproducer as it is now, run once more with full limits.
    let now = match small.input == input {
        true => None,
        false => found(bench, &small.input, false),
    };
    if now.is_none() && small.input != input {
        (small.input, small.complete, small.matter) = (input, false, Vec::new());
    }
    let mut last = now.unwrap_or_else(|| sighting.clone());
    if hang {
        last.stack = looping(bench, &small.input, &last);
    }
    let last = &last;
    (diagnosis(bench, last, &small, group.first_len), small.input, last.report.clone())
}

/// Where a hang is, by stopping it several times.
fn looping(bench: &mut dyn Bench, input: &Input, hang: &Sighting) -> Vec<SourceFrame> {
    let mut samples = vec![hang.stack.clone()];
    for _ in 0..HANG_SAMPLES {
        if !hang.on_check || bench.stopped() {
            break;
        }
        let seen = observe(bench, input, &[], hang.own, true);
        samples.extend(seen.into_iter().filter(|s| s.kind == Kind::Hang && s.on_check).map(|s| s.stack));
    }
    crate::looping::place(bench, &samples)
}

fn diagnosis(
    bench: &dyn Bench,
    sighting: &Sighting,
    small: &crate::minimise::Minimised,
    first_len: u64,
) -> Diagnosis {
    let byte = |&(object, offset): &(u32, u32)| {
        Some(InputByte { object, offset, value: small.input.byte(object, offset)? })
    };
    let first = sighting.stack.first();
    let related =
        sighting.related.iter().map(|r| Related { what: r.what.clone(), stack: shown(r.stack.clone()) });
    Diagnosis {
        kind: sighting.kind,
        message: sighting.message.clone(),
        source: first
            .and_then(|f| bench.source_line(&f.file, f.line))
            .map(|text| crate::words::clean(text.trim())),
        stack: shown(sighting.stack.clone()),
        related: related.collect(),
        own: sighting.own,
        on_own: sighting.on_own,
        on_check: sighting.on_check,
        input_len: small.input.len() as u64,
        first_len,
        bytes: small.matter.iter().filter_map(byte).take(MOST_BYTES).collect(),
        minimise_runs: small.runs,
        minimal: small.complete,
        every_run: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shown;

    /// A program with mistakes: what a byte of the input does.
    struct Fake {
        with_check: bool,
        /// The driver frees nothing, whatever the input.
        driver_leaks: bool,
        runs: u32,
        /// After so many runs it is stopped.
        most: u32,
    }

    impl Fake {
        fn shown(outcome: Outcome, stderr: &str, report: String) -> Shown {
            Shown { outcome, stderr: stderr.into(), report: report.into() }
        }
    }

    fn asan(what: &str, offset: u64) -> String {
        format!(
            "==1==ERROR: AddressSanitizer: {what} on address 0x5000000 at pc 0x1\n    #0 0x1  (/prog+0x{offset:x})\n    #1 0x2  (/prog+0x1)\n\n"
        )
    }

    impl Bench for Fake {
        fn own(&mut self, input: &Input, _: bool) -> Result<Shown, String> {
            self.runs += 1;
            let data = &input.objects[0].data;
            let plain = |o| Ok(Fake::shown(o, "", String::new()));
            if data.contains(&b'H') && data.len() > 2 {
                return plain(Outcome::Signal(11));
            }
            if data.contains(&b'W') {
                return plain(Outcome::Timeout);
            }
            if data.contains(&b'A') {
                return Ok(Fake::shown(Outcome::Abort, "p: f.c:48: g: Assertion `x' failed.", String::new()));
            }
            plain(Outcome::Exit(0))
        }

        fn check(&mut self, input: &Input, _: bool) -> Option<Shown> {
            let data = &input.objects[0].data;
            let has = |b| data.contains(&b);
            let report = if has(b'Q') {
                asan("stack-buffer-overflow", 0x60)
            } else if has(b'H') {
                asan("heap-buffer-overflow", 0x20)
            } else if has(b'A') {
                asan("ABRT", 0x30).replace("address 0x5000000", "unknown address 0x000000000dee")
            } else if has(b'L') {
                "Direct leak of 5 byte(s) in 1 object(s) allocated from:\n    #0 0x1  (/prog+0x40)\n".into()
            } else if has(b'S') {
                asan("stack-overflow", 0x50)
            } else if self.driver_leaks {
                "Direct leak of 9 byte(s) in 1 object(s) allocated from:\n    #0 0x1  (/prog+0x90)\n".into()
            } else {
                String::new()
            };
            let own = self.own(input, false).ok()?;
            self.with_check.then(|| Shown { report: report.into(), ..own })
        }

        fn find(&mut self, input: &Input, _: bool) -> Option<Shown> {
            let data = &input.objects[0].data;
            let over = "/src/f.c:7:1: runtime error: signed integer overflow: 3 + 4 overflows int\n    #0 0x1  (/prog+0x70)\n";
            let report = if data.contains(&b'+') { over.to_owned() } else { String::new() };
            Some(Fake::shown(Outcome::Exit(0), "", report))
        }

        fn frames(&self, _: &str, offset: u64) -> Vec<SourceFrame> {
            vec![SourceFrame {
                function: format!("f{offset:x}"),
                file: "/src/f.c".into(),
                line: offset as u32,
            }]
        }

        fn source_line(&self, _: &str, line: u32) -> Option<String> {
            Some(format!("  line {line};"))
        }

        fn stopped(&self) -> bool {
            self.runs > self.most
        }
    }

    fn candidate(finding: Option<u32>, text: &str) -> Candidate {
        Candidate {
            finding: finding.map(FindingId),
            run: RunId(1),
            input: Input::stdin(text),
            outcome: None,
            ended: ["f30", "f1"]
                .map(|f| SourceFrame { function: f.into(), ..SourceFrame::default() })
                .to_vec(),
            undefined: None,
        }
    }

    /// Found by a check of `--find`.
    fn undefined(finding: u32, text: &str) -> Candidate {
        let here = SourceFrame { function: "f70".into(), file: "/src/f.c".into(), line: 7 };
        Candidate {
            ended: vec![here],
            undefined: Some(Kind::SignedOverflow),
            ..candidate(Some(finding), text)
        }
    }

    fn judged(with_check: bool, candidates: &[Candidate], known: &[Known]) -> Vec<Judged> {
        let limits = Limits { minimise_runs: 200, next: 10, quiet: 0 };
        judge(
            &mut Fake { with_check, driver_leaks: false, runs: 0, most: u32::MAX },
            candidates,
            known,
            limits,
        )
    }

    /// Under exploration it ended so.
    fn ended(finding: u32, text: &str, outcome: Outcome) -> Candidate {
        Candidate { outcome: Some(outcome), ..candidate(Some(finding), text) }
    }

    /// Judged with a driver that frees nothing.
    fn leaking(candidates: &[Candidate]) -> Vec<Judged> {
        let limits = Limits { minimise_runs: 200, next: 10, quiet: 0 };
        judge(
            &mut Fake { with_check: true, driver_leaks: true, runs: 0, most: u32::MAX },
            candidates,
            &[],
            limits,
        )
    }

    fn confirmed(j: &Judged) -> &Diagnosis {
        match &j.verdict {
            Verdict::Confirmed(d) => d,
            other => panic!("not confirmed: {other:?}"),
        }
    }

    #[test]
    fn a_crash_and_the_report_of_it_are_one_finding() {
        let all = judged(true, &[candidate(Some(0), "xxHyyy"), candidate(Some(1), "Hzzzzzz")], &[]);
        assert_eq!(all.len(), 2);
        let d = confirmed(&all[0]);
        assert_eq!((d.kind, d.on_own, d.on_check), (Kind::HeapBufferOverflow, true, true));
        assert_eq!(d.source.as_deref(), Some("line 32;"));
        assert_eq!(all[1].verdict, Verdict::SameAs { finding: FindingId(0) });
        assert_eq!(all[0].input.len(), 3, "small, and the program still crashes: {:?}", all[0].input);
        assert!(d.minimal && d.bytes.len() == 1 && d.bytes[0].value == b'H');
    }

    #[test]
    fn a_hang_behind_a_mistake_that_is_survived_is_another() {
        let all = judged(true, &[candidate(Some(0), "xQxxWx")], &[]);
        let told: Vec<_> = all.iter().map(|j| (confirmed(j).kind, j.input.objects[0].data.clone())).collect();
        assert_eq!(told, [(Kind::Hang, b"W".to_vec()), (Kind::StackBufferOverflow, b"Q".to_vec())]);
    }

    #[test]
    fn a_mistake_that_is_survived_hides_no_other_one() {
        let all = judged(true, &[candidate(Some(0), "--Q--A")], &[]);
        let told: Vec<(Kind, bool)> = all.iter().map(|j| (confirmed(j).kind, confirmed(j).on_own)).collect();
        assert_eq!(told, [(Kind::AssertionFailure, true), (Kind::StackBufferOverflow, false)]);
        assert_eq!(all.iter().map(|j| j.input.len()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn a_run_out_of_time_is_no_leak_and_what_every_run_does_is_told_once() {
        let slow = [ended(0, "slow here", Outcome::Timeout), ended(1, "slow there", Outcome::Timeout)];
        let all = leaking(&[slow[0].clone(), slow[1].clone(), candidate(None, "a test")]);
        let verdicts: Vec<_> = all.iter().map(|j| (j.finding.0, j.new)).collect();
        assert_eq!(verdicts, [(0, false), (1, false), (10, true)]);
        assert!(all[..2].iter().all(|j| j.verdict == Verdict::Unconfirmed));
        let leak = confirmed(&all[2]);
        assert_eq!((leak.kind, leak.every_run, leak.input_len), (Kind::Leak, true, 0));
        assert_eq!(all[2].input, Input::stdin(""));
    }

    #[test]
    fn what_every_run_may_do_is_no_ordinary_finding_where_there_is_no_time_to_ask() {
        let limits = Limits { minimise_runs: 200, next: 10, quiet: 0 };
        let tests = [candidate(None, "one"), candidate(None, "two")];
        for most in 0..30 {
            let mut bench = Fake { with_check: true, driver_leaks: true, runs: 0, most };
            let all = judge(&mut bench, &tests, &[], limits);
            assert!(all.iter().all(|j| confirmed(j).every_run), "{most}: {all:?}");
        }
    }

    #[test]
    fn a_hang_of_a_program_that_always_leaks_stays_a_hang_when_made_small() {
        let all = leaking(&[ended(0, "xxxWxxx", Outcome::Timeout), candidate(None, "a test")]);
        let hang = confirmed(&all[0]);
        assert_eq!((hang.kind, all[0].input.clone()), (Kind::Hang, Input::stdin("W")));
        assert_eq!((all.len(), confirmed(&all[1]).every_run), (2, true));
    }

    #[test]
    fn a_leak_that_some_inputs_show_is_a_finding_beside_that_of_every_run() {
        let all = leaking(&[candidate(None, "one"), candidate(None, "two L"), candidate(None, "three")]);
        let told: Vec<_> = all.iter().map(|j| (confirmed(j).stack[0].line, confirmed(j).every_run)).collect();
        assert!(told.contains(&(0x40, false)), "{told:?}");
    }

    #[test]
    fn a_crash_is_confirmed_as_a_crash_alone() {
        let crashed = ended(0, "no crash elsewhere", Outcome::Signal(11));
        let all = leaking(&[crashed, candidate(None, "a test")]);
        assert_eq!(all[0].verdict, Verdict::Unconfirmed);
        let all = judged(true, &[ended(0, "xxHyyy", Outcome::Signal(11))], &[]);
        assert_eq!(confirmed(&all[0]).kind, Kind::HeapBufferOverflow);
        let all = judged(true, &[ended(0, "xxHyyy", Outcome::Timeout)], &[]);
        assert_eq!((&all[0].verdict, all[1].new), (&Verdict::Unconfirmed, true));
    }

    #[test]
    fn tests_may_hide_mistakes() {
        let all = judged(true, &[candidate(None, "aL"), candidate(None, "H"), candidate(None, "bL")], &[]);
        let kinds: Vec<Kind> = all.iter().map(|j| confirmed(j).kind).collect();
        assert_eq!(kinds, [Kind::Leak, Kind::HeapBufferOverflow]);
        assert!(all.iter().all(|j| j.new && !confirmed(j).on_own));
        assert_eq!(all[0].finding, FindingId(10));
    }

    #[test]
    fn what_shows_nowhere_is_unconfirmed_and_exhaustion_on_check_alone_is_none() {
        let all = judged(true, &[candidate(Some(4), "nothing"), candidate(Some(5), "S")], &[]);
        assert!(all.iter().all(|j| j.verdict == Verdict::Unconfirmed));
    }

    #[test]
    fn what_check_does_not_get_to_is_shown_by_checks_alone() {
        // `check` ends at Q before it comes to the overflow.
        let all = judged(true, &[undefined(0, "Q--+--Q"), undefined(1, "+")], &[]);
        assert_eq!(all[1].verdict, Verdict::SameAs { finding: FindingId(0) });
        let d = confirmed(&all[0]);
        assert_eq!((d.kind, d.on_own, d.on_check), (Kind::SignedOverflow, false, false));
        assert_eq!(d.message, "signed integer overflow: 3 + 4 overflows int");
        assert_eq!((all[0].input.clone(), d.minimal), (Input::stdin("+"), true));
        assert_eq!((confirmed(&all[2]).kind, all[2].new), (Kind::StackBufferOverflow, true));
    }

    #[test]
    fn an_undefined_operation_that_no_executable_shows_is_unconfirmed() {
        let all = judged(true, &[undefined(0, "H--")], &[]);
        assert_eq!(all[0].verdict, Verdict::Unconfirmed);
        assert!(all[1].new && confirmed(&all[1]).kind == Kind::HeapBufferOverflow);
    }

    #[test]
    fn a_test_that_crashes_at_an_unknown_place_is_no_further_finding() {
        let nowhere = Candidate { ended: Vec::new(), ..candidate(None, "xxHy") };
        let all = judged(false, &[candidate(Some(0), "Hxx"), nowhere.clone()], &[]);
        assert_eq!(all.len(), 1);
        assert_eq!(judged(false, &[nowhere], &[]).len(), 1, "alone it is one");
    }

    #[test]
    fn without_check_the_own_executable_tells() {
        let all = judged(false, &[candidate(Some(0), "--A--")], &[]);
        let d = confirmed(&all[0]);
        assert_eq!((d.kind, d.message.as_str()), (Kind::AssertionFailure, "assertion `x` fails"));
        assert_eq!((d.stack[0].file.as_str(), d.stack[0].line), ("f.c", 48));
        assert_eq!(all[0].input, Input::stdin("A"));
    }

    #[test]
    fn findings_of_earlier_sessions_are_known() {
        let here = |offset: u32| SourceFrame {
            function: format!("f{offset:x}"),
            file: "/src/f.c".into(),
            line: offset,
        };
        let known =
            Known { finding: FindingId(3), kind: Kind::HeapBufferOverflow, stack: vec![here(0x20), here(1)] };
        let all = judged(true, &[candidate(Some(7), "xxHyyy")], &[known]);
        assert_eq!(all[0].verdict, Verdict::SameAs { finding: FindingId(3) });
        assert_eq!(all.len(), 1);
    }
}
