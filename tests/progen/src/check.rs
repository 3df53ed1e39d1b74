//! What is checked of a program:
//!
//! 1. *Behaviour*: the flavour, concrete and symbolic, writes what the plain executable writes.
//! 2. *Trace*: every recorded expression has, under the run's input, the value the program saw ([`trace::check`]).
//! 3. *Prediction*: of run A's trace the expressions of all observations are evaluated under another input B, as far as B
//!    fulfils what A's events say, and compared with what the plain executable computes from B. This is what a solver
//!    relies on; an expression that only holds for its own run's input fails here.

use crate::compile::{Broken, Built, build};
use crate::inputs::{Bytes, base, neighbour};
use crate::mapping;
use crate::rng::Rng;
use expr::{Arena, Evaluator, ExprId};
use program::{CondKind, ProgramMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use trace::{Event, EventKind, Input, Lifted, Reason, Trace};

/// First case of the switch that observes number 0; as in the prelude.
const OBSERVED: u64 = 0x9e37_79b9_7f4a_0000;

/// How much is done per program.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs with a trace.
    pub traces: usize,
    /// Other inputs for each.
    pub others: usize,
}

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which check.
    pub kind: Kind,
    /// What disagrees.
    pub detail: String,
}

/// Which check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The program does not compile or crashes: the generator's mistake.
    Generator,
    /// The flavour could not be derived.
    Instrument,
    /// The flavour behaves differently.
    Behaviour,
    /// The trace is malformed.
    Malformed,
    /// An expression disagrees with its own run.
    Trace,
    /// An expression disagrees with hardware under another input.
    Prediction,
}

impl Kind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Generator => "generator",
            Kind::Instrument => "instrument",
            Kind::Behaviour => "behaviour",
            Kind::Malformed => "malformed",
            Kind::Trace => "trace",
            Kind::Prediction => "prediction",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.detail)
    }
}

/// Sums over the checks of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Runs of any kind.
    pub runs: u64,
    /// Nodes evaluated by the trace check.
    pub nodes: u64,
    /// Events compared by the trace check.
    pub events: u64,
    /// Observations compared under another input, whose expression is symbolic.
    pub predicted: u64,
    /// The same, concrete ones: they must not depend on input.
    pub constant: u64,
    /// Observations that another input left uncompared, by reason.
    pub uncompared: BTreeMap<String, u64>,
    /// Runs in which something was lost, by reason.
    pub lost: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds another's.
    pub fn add(&mut self, other: &Counts) {
        self.runs += other.runs;
        self.nodes += other.nodes;
        self.events += other.events;
        self.predicted += other.predicted;
        self.constant += other.constant;
        for (mine, theirs) in [(&mut self.uncompared, &other.uncompared), (&mut self.lost, &other.lost)] {
            for (reason, n) in theirs {
                *mine.entry(reason.clone()).or_default() += n;
            }
        }
    }
}

/// All checks of a program on inputs drawn from the seed.
///
/// # Errors
/// The first disagreement.
pub fn check(text: &str, flags: &[String], seed: u64, effort: Effort) -> Result<Counts, Failure> {
    let built = build(text, flags).map_err(|broken| match broken {
        Broken::Source(why) => Failure { kind: Kind::Generator, detail: why },
        Broken::Instrument(why) => Failure { kind: Kind::Instrument, detail: why },
    })?;
    let mut rng = Rng::new(seed ^ 0x696e_7075_7473);
    let mut counts = Counts::default();
    for _ in 0..effort.traces {
        let a = base(&mut rng);
        let others: Vec<Bytes> = (0..effort.others)
            .map(|k| if k + 1 == effort.others && k > 0 { base(&mut rng) } else { neighbour(&mut rng, &a) })
            .collect();
        check_run(&built, &a, &others, &mut counts)?;
    }
    Ok(counts)
}

fn system(e: anyhow::Error) -> Failure {
    Failure { kind: Kind::Generator, detail: format!("{e:#}") }
}

/// Why nothing is compared: the plain program itself means something else at another level of optimisation, by a mistake of the
/// compiler's.
const LEVELS: &str = "the compiler's levels disagree";

fn check_run(built: &Built, a: &Bytes, others: &[Bytes], counts: &mut Counts) -> Result<(), Failure> {
    let plain = built.run_plain(a).map_err(system)?;
    if !plain.is_good() {
        return Err(Failure { kind: Kind::Generator, detail: format!("{} on {}", plain.status, hex(a)) });
    }
    let mapping = built.mapping();
    let traced = built.run_traced(a, Some(&mapping)).map_err(system)?;
    counts.runs += 2;
    if traced != plain {
        if built.levels_disagree(a, &plain).map_err(system)? {
            *counts.uncompared.entry(LEVELS.to_owned()).or_default() += 1;
            return Ok(());
        }
        return Err(different("symbolic", a, &plain, &traced));
    }
    let (trace, problems) = mapping::read(&mapping, a).map_err(system)?;
    if let Some(first) = problems.first() {
        return Err(Failure { kind: Kind::Malformed, detail: format!("{first} on {}", hex(a)) });
    }
    check_trace(&trace, a, &built.map, counts)?;
    let seen = plain.observed();
    let prediction = Prediction::new(&trace, &built.map, &seen);
    for (k, b) in others.iter().enumerate() {
        let run = built.run_plain(b).map_err(system)?;
        counts.runs += 1;
        if !run.is_good() {
            return Err(Failure { kind: Kind::Generator, detail: format!("{} on {}", run.status, hex(b)) });
        }
        if k == 0 {
            let concrete = built.run_traced(b, None).map_err(system)?;
            counts.runs += 1;
            if concrete != run {
                return Err(different("concrete", b, &run, &concrete));
            }
        }
        prediction.compare(a, b, &run.observed(), counts)?;
    }
    Ok(())
}

fn different(mode: &str, input: &Bytes, plain: &crate::compile::Ran, other: &crate::compile::Ran) -> Failure {
    let (left, right) = (plain.observed(), other.observed());
    let at = (0..left.len().max(right.len())).find(|&k| left.get(k) != right.get(k));
    let what = match at {
        Some(k) => format!("observation {k} is {:x?}, plain {:x?}", right.get(k), left.get(k)),
        None => format!("{}, plain {}", other.status, plain.status),
    };
    Failure { kind: Kind::Behaviour, detail: format!("{mode} run: {what} on {}", hex(input)) }
}

fn check_trace(trace: &Trace, a: &Bytes, map: &ProgramMap, counts: &mut Counts) -> Result<(), Failure> {
    let report = trace::check(trace, &Input::stdin(a.as_slice()), map);
    counts.nodes += report.nodes;
    counts.events += report.events;
    for event in trace.events.iter().filter(|e| e.kind == EventKind::Lost as u8) {
        *counts.lost.entry(reason(event).into()).or_default() += 1;
    }
    if report.is_clean() {
        return Ok(());
    }
    let first = report.first.iter().take(3).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let detail = format!("{} mismatches: {first} on {}", report.total(), hex(a));
    Err(Failure { kind: Kind::Trace, detail })
}

fn reason(event: &Event) -> &'static str {
    Reason::from_u8(event.aux).map_or("unknown", Reason::text)
}

/// Bytes as a hexadecimal number, in order.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// What an event of a trace says about other inputs.
enum Said {
    /// This observation has the expression's value.
    Observed(usize, ExprId),
    /// The path goes on only where this is true.
    Held(ExprId),
    /// From here on something is missing.
    Lost(&'static str),
}

/// What a trace says about other inputs.
struct Prediction<'t> {
    /// What the trace's own run observed.
    seen: &'t [u64],
    arena: Arena,
    said: Vec<Said>,
    /// Numbers of all observations.
    all: BTreeSet<usize>,
}

impl<'t> Prediction<'t> {
    fn new(trace: &Trace, map: &ProgramMap, seen: &'t [u64]) -> Prediction<'t> {
        let mut observes = BTreeMap::new();
        for (id, cond) in map.conds.iter().enumerate() {
            let CondKind::Switch { cases, .. } = &cond.kind else { continue };
            let number = |c: &u64| c.checked_sub(OBSERVED).filter(|&n| n < seen.len() as u64);
            if let Some(n) = cases.iter().find_map(number) {
                observes.insert(id as u32, n as usize);
            }
        }
        let mut lifted = Lifted::new(trace);
        let mut said = Vec::new();
        for (index, event) in trace.events.iter().enumerate() {
            let observed = observes.get(&event.site).filter(|_| event.kind == EventKind::Switch as u8);
            if event.kind == EventKind::Lost as u8 {
                said.push(Said::Lost(reason(event)));
                break;
            } else if let Some(&n) = observed {
                said.push(Said::Observed(n, lifted.expr(event.label)));
            } else if let Some(held) = lifted.constraint(index, map) {
                said.push(Said::Held(held));
            }
        }
        Prediction { seen, arena: lifted.arena, said, all: observes.into_values().collect() }
    }

    /// Follows the trace under input `b` as far as its events hold, comparing observations on the way.
    fn compare(&self, a: &Bytes, b: &Bytes, hardware: &[u64], counts: &mut Counts) -> Result<(), Failure> {
        let byte = |object: u32, at: u32| b.get(at as usize).copied().filter(|_| object == 0).unwrap_or(0);
        let mut evaluator = Evaluator::new(&self.arena, &byte);
        let mut symbolic = BTreeSet::new();
        // Observations stand in the order of their numbers.
        let mut passed = 0;
        let mut stopped = None;
        for said in &self.said {
            match *said {
                Said::Lost(why) => stopped = Some(why),
                Said::Held(condition) if !evaluator.is_true(condition) => stopped = Some("another path"),
                Said::Held(_) => {}
                Said::Observed(n, root) => {
                    let value = evaluator.eval_u64(root);
                    if value != hardware[n] {
                        return Err(wrong(n, &format!("{value:#x}"), hardware[n], a, b));
                    }
                    symbolic.insert(n);
                    passed = n + 1;
                }
            }
            if stopped.is_some() {
                break;
            }
        }
        if stopped.is_none() {
            passed = self.seen.len();
        }
        // Without an event it did not depend on input.
        let constant: Vec<usize> =
            self.all.iter().copied().filter(|n| *n < passed && !symbolic.contains(n)).collect();
        if let Some(&n) = constant.iter().find(|&&n| self.seen[n] != hardware[n]) {
            return Err(wrong(n, &format!("{:#x} (concrete)", self.seen[n]), hardware[n], a, b));
        }
        counts.predicted += symbolic.len() as u64;
        counts.constant += constant.len() as u64;
        if let Some(why) = stopped {
            let left = self.all.len() - symbolic.len() - constant.len();
            *counts.uncompared.entry(why.into()).or_default() += left as u64;
        }
        Ok(())
    }
}

fn wrong(n: usize, computed: &str, hardware: u64, a: &Bytes, b: &Bytes) -> Failure {
    let detail = format!(
        "observation {n}: expression gives {computed}, hardware {hardware:#x}; trace of {}, input {}",
        hex(a),
        hex(b)
    );
    Failure { kind: Kind::Prediction, detail }
}
