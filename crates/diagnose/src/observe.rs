//! What an input shows: on the user's own executable, and on flavour `check`.
//!
//! A mistake that both show is one sighting, with the more precise kind. They show two where the user's own executable says
//! itself why it aborts and `check` reports something else: `check` ended earlier, at a mistake that the other survived.
//! What shows on `check` only counts where a
//! sanitizer vouches for it; not so running out of time, stack or memory there, since a sanitizer needs more of each.

use crate::report::{self, RawFrame, Report};
use crate::stack::{Key, meaningful};
use crate::words::{Reason, why_aborted};
use crate::{Bench, Shown};
use events::{Kind, Related, SourceFrame};
use trace::{Input, Outcome};

/// How flavour `check` ends after a sanitizer's report that it does not survive (`check/report.c`).
const DIED: Outcome = Outcome::Exit(99);

/// A mistake that an input shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The kind.
    pub kind: Kind,
    /// In one line.
    pub message: String,
    /// Meaningful frames, innermost first.
    pub stack: Vec<SourceFrame>,
    /// Stacks of what happened before.
    pub related: Vec<Related>,
    /// How the user's own executable ended, if it ran.
    pub own: Option<Outcome>,
    /// That end is this mistake.
    pub on_own: bool,
    /// `check` shows it.
    pub on_check: bool,
    /// What its sanitizer reported, symbolised, for people.
    pub report: String,
}

impl Sighting {
    /// What names it.
    pub fn key(&self) -> Key {
        Key::of(self.kind, &self.stack)
    }

    /// Whether `later`, of the same run, is the same mistake again: a sanitizer saw it coming, then it crashed. The processor
    /// has one signal for all divisions that it cannot do.
    fn is_cause_of(&self, later: &Sighting) -> bool {
        let overflows = self.kind == Kind::SignedOverflow && later.kind == Kind::DivisionByZero;
        let key = if overflows { Key::of(self.kind, &later.stack) } else { later.key() };
        self.key().same(&key)
    }

    /// Takes in what is the same: the more precise kind counts, and of one kind what was said first, which has the values.
    fn take_in(&mut self, later: Sighting) {
        let on_own = self.on_own || later.on_own;
        if later.kind < self.kind && self.kind != Kind::SignedOverflow {
            *self = later;
        }
        self.on_own = on_own;
    }
}

/// Runs an input and says what it shows. `ended`: the stack where an instrumented run ended, for when nothing better is
/// known. Cheap things first: with `expect_own`, `check` is asked only if the user's own
/// executable ended as expected.
pub fn observe(
    bench: &mut dyn Bench,
    input: &Input,
    ended: &[SourceFrame],
    expect_own: Option<Outcome>,
    hurried: bool,
) -> Vec<Sighting> {
    let own = bench.own(input, hurried).ok();
    if expect_own.is_some_and(|e| own.as_ref().is_none_or(|o| !alike(o.outcome, e))) {
        return Vec::new();
    }
    let check = bench.check(input, hurried);
    let mut all = match &check {
        Some(check) => on_check(bench, check, own.as_ref()),
        None => Vec::new(),
    };
    let own_end = own.as_ref().map(|o| o.outcome);
    let bad = own.as_ref().filter(|o| o.outcome.is_finding());
    if let Some(own) = bad
        && !all.iter().any(|s| s.on_own)
    {
        all.insert(0, on_own_only(own, ended));
    }
    for sighting in &mut all {
        sighting.own = own_end;
    }
    all
}

/// What an input shows where nothing but checks of `--find` is in the program (flavour `find`).
pub fn observe_checks(bench: &mut dyn Bench, input: &Input, hurried: bool) -> Vec<Sighting> {
    let Some(shown) = bench.find(input, hurried) else { return Vec::new() };
    let own = bench.own(input, hurried).ok().map(|o| o.outcome);
    let reports = report::parse(&shown.report);
    let told = reports.iter().filter(|r| r.place.is_some());
    let sightings = told.filter_map(|report| of_report(bench, report, &shown));
    sightings.map(|s| Sighting { own, on_check: false, ..s }).collect()
}

/// Whether two violent ends are of one sort.
fn alike(a: Outcome, b: Outcome) -> bool {
    a == b || (a.is_finding() && b.is_finding() && a != Outcome::Timeout && b != Outcome::Timeout)
}

/// What `check` shows.
fn on_check(bench: &dyn Bench, check: &Shown, own: Option<&Shown>) -> Vec<Sighting> {
    let own_bad = own.filter(|o| o.outcome.is_finding());
    let mut all: Vec<Sighting> = Vec::new();
    let reports = report::parse(&check.report);
    let last = reports.len().saturating_sub(1);
    for (k, report) in reports.iter().enumerate() {
        let Some(mut sighting) = of_report(bench, report, check) else { continue };
        let needs_own = matches!(sighting.kind, Kind::StackExhaustion | Kind::MemoryExhaustion | Kind::Hang);
        if needs_own && own_bad.is_none() {
            continue;
        }
        // A build whose checks do not recover ends with the report of one.
        let ended = report.fatal || (k == last && report.place.is_some() && check.outcome == DIED);
        sighting.on_own = ended && own_bad.is_some_and(|own| may_be(own, sighting.kind));
        match all.iter_mut().find(|known| known.is_cause_of(&sighting)) {
            Some(known) => known.take_in(sighting),
            None => all.push(sighting),
        }
    }
    all
}

/// Whether the violent end of the user's own executable may be a mistake of this kind.
fn may_be(own: &Shown, kind: Kind) -> bool {
    let said = match own.outcome {
        Outcome::Abort => why_aborted(&own.stderr, true).kind,
        // A run that does not end survived what `check` ended at, and hangs somewhere else.
        Outcome::Timeout => return kind == Kind::Hang,
        _ => return true,
    };
    !matches!(said, Kind::AssertionFailure | Kind::UncaughtException) || said == kind
}

/// The sighting that a report stands for.
fn of_report(bench: &dyn Bench, report: &Report, check: &Shown) -> Option<Sighting> {
    let mut kind = report.kind?;
    let mut stack = symbolised(bench, &report.stack);
    let mut message = message_of(kind, report);
    if kind == Kind::Abort && check.outcome == Outcome::Timeout {
        kind = Kind::Hang;
        message = "the program does not end within its time limit".into();
    } else if kind == Kind::Abort {
        let reason = why_aborted(&check.stderr, false);
        stack = placed(&reason, stack);
        (kind, message) = (reason.kind, reason.message);
    }
    if let Some((file, line)) = &report.place {
        let here = SourceFrame { function: String::new(), file: file.clone(), line: *line };
        match stack.first_mut() {
            // What the stack says is as good, and has the folder.
            Some(first)
                if *line == 0 || (first.line == *line && first.file.ends_with(&format!("/{file}"))) => {}
            Some(first) => (first.file, first.line) = (here.file, here.line),
            None => stack.push(here),
        }
    }
    let related = report
        .related
        .iter()
        .map(|(what, frames)| Related { what: what.clone(), stack: symbolised(bench, frames) });
    let related = related.filter(|r| !r.stack.is_empty()).collect();
    Some(Sighting {
        kind,
        message,
        stack,
        related,
        own: None,
        on_own: false,
        on_check: true,
        report: readable(bench, &check.report),
    })
}

fn symbolised(bench: &dyn Bench, frames: &[RawFrame]) -> Vec<SourceFrame> {
    meaningful(frames.iter().flat_map(|(module, offset)| bench.frames(module, *offset)).collect())
}

/// The stack of an abort, from the place on that the message names.
fn placed(reason: &Reason, stack: Vec<SourceFrame>) -> Vec<SourceFrame> {
    match (&reason.place, stack.is_empty()) {
        (Some(place), true) => vec![place.clone()],
        _ => stack,
    }
}

/// What the user's own executable alone shows.
fn on_own_only(own: &Shown, ended: &[SourceFrame]) -> Sighting {
    let mut stack = ended.to_vec();
    let recursive =
        stack.len() >= 32 && Key::of(Kind::StackExhaustion, &stack) != Key::of(Kind::Trap, &stack);
    let plain = |kind: Kind, message: &str| (kind, message.to_owned());
    let (kind, message) = match own.outcome {
        Outcome::Abort => {
            let reason = why_aborted(&own.stderr, true);
            if let Some(place) = &reason.place {
                match stack.first_mut() {
                    Some(first) => (first.file, first.line) = (place.file.clone(), place.line),
                    None => stack.push(place.clone()),
                }
            }
            (reason.kind, reason.message)
        }
        Outcome::Signal(11) if recursive => plain(Kind::StackExhaustion, "recursion uses up the stack"),
        Outcome::Signal(11 | 7) => plain(Kind::BadAccess, "the program accesses memory that is not there"),
        Outcome::Signal(8) => {
            plain(Kind::DivisionByZero, "integer division by zero, or with a result too large")
        }
        Outcome::Signal(4 | 5) => plain(Kind::Trap, "the program runs into a trap"),
        Outcome::Timeout => plain(Kind::Hang, "the program does not end within its time limit"),
        Outcome::OutOfMemory => plain(Kind::MemoryExhaustion, "the program uses more memory than it may"),
        Outcome::Signal(n) => (Kind::Crash, format!("the program is killed by signal {n}")),
        Outcome::Exit(_) | Outcome::OutputLimit | Outcome::Undefined(_) => {
            plain(Kind::Crash, "the program ends unexpectedly")
        }
    };
    Sighting {
        kind,
        message,
        stack,
        related: Vec::new(),
        own: Some(own.outcome),
        on_own: true,
        on_check: false,
        report: String::new(),
    }
}

/// A report in one line.
fn message_of(kind: Kind, report: &Report) -> String {
    let access = if report.access.is_empty() { "accesses memory" } else { &report.access };
    match kind {
        Kind::NullDereference if report.fatal => format!("the program {access} through a null pointer"),
        Kind::BadAccess => format!("the program {access} at an address where nothing is"),
        Kind::DivisionByZero if report.fatal => "integer division by zero, or with a result too large".into(),
        Kind::StackExhaustion => "recursion uses up the stack".into(),
        Kind::Trap => "the program runs into a trap".into(),
        _ if report.place.is_some() || kind == Kind::Leak => report.headline.clone(),
        _ if !report.near.is_empty() && !report.access.is_empty() => {
            format!("the program {access}, {}", report.near)
        }
        _ if !report.near.is_empty() => format!("{} ({})", kind.text(), report.near),
        _ => report
            .headline
            .split(" on address ")
            .next()
            .unwrap_or_default()
            .split(" on 0x")
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Longest report kept for people, in lines.
const READABLE: usize = 120;

/// A sanitizer's report with names in the place of offsets, without what only its authors read.
fn readable(bench: &dyn Bench, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::new();
    let ours = |l: &&str| !l.starts_with("SUMMARY:") && !l.starts_with("=====");
    for line in text
        .lines()
        .take_while(|l| !l.starts_with("Shadow bytes") && !l.contains("==Register values"))
        .filter(ours)
        .take(READABLE)
    {
        let line = crate::words::clean(line);
        match line.trim_start().starts_with('#').then(|| named(bench, &line)).flatten() {
            Some(named) => out += &named,
            None => out += &line,
        }
        out.push('\n');
    }
    out
}

fn named(bench: &dyn Bench, line: &str) -> Option<String> {
    let (number, rest) = line.split_once(" 0x")?;
    let (_, rest) = rest.split_once(" (")?;
    let (module, rest) = rest.rsplit_once("+0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    let frames = bench.frames(module, u64::from_str_radix(digits, 16).ok()?);
    let names: Vec<String> = frames.iter().map(SourceFrame::text).collect();
    (!names.is_empty()).then(|| format!("{number} {}", names.join(" inlined in ")))
}
