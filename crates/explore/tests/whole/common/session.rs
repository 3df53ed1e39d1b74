//! A session against a [`Fake`] with everything it needs of the world.

use super::{BruteForce, Fake, Program};
use events::{Event, FindingId, Measured, RunId};
use explore::{Config, Earlier, Kept, Outcome, RunStore, World, explore};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use trace::{Input, Run, Target, TargetError};

/// What the store was given.
#[derive(Default)]
pub struct Stored {
    pub corpus: Vec<(RunId, Input)>,
    pub findings: Vec<(FindingId, Input, Vec<String>)>,
}

impl RunStore for Stored {
    fn keep(&mut self, id: RunId, run: &Run, _: Kept) {
        self.corpus.push((id, run.input.clone()));
    }

    fn finding(&mut self, finding: FindingId, _: RunId, run: &Run, stack: &[String]) {
        self.findings.push((finding, run.input.clone(), stack.to_vec()));
    }
}

/// A session's results.
pub struct Session {
    pub outcome: Outcome,
    pub events: Vec<Event>,
    pub stored: Stored,
}

/// Runs a session; `stop_after` events it is asked to stop.
pub fn session(config: &Config, program: &'static Program, earlier: Earlier, stop_after: u64) -> Session {
    let target = |_| Ok(Box::new(Fake::new(program)) as Box<dyn Target>);
    session_with(config, program, earlier, stop_after, &target)
}

/// As [`session`], with targets of one's own.
pub fn session_with(
    config: &Config,
    program: &'static Program,
    earlier: Earlier,
    stop_after: u64,
    target: &(dyn Fn(u32) -> Result<Box<dyn Target>, TargetError> + Sync),
) -> Session {
    let (count, asked) = (AtomicU64::new(0), AtomicU64::new(0));
    let (ticks, cpu_ticks) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut events = Vec::new();
    let mut stored = Stored::default();
    let mut sink = |event: Event, _: Measured| {
        count.fetch_add(1, Ordering::SeqCst);
        events.push(event);
    };
    let world = World {
        target,
        cheap: None,
        solver: &|_| Box::new(BruteForce),
        spent: &|| Duration::from_millis(2 * cpu_ticks.load(Ordering::SeqCst)),
        cpu: &|| Duration::from_millis(cpu_ticks.fetch_add(1, Ordering::SeqCst)),
        clock: &|| Duration::from_millis(ticks.fetch_add(1, Ordering::SeqCst)),
        stop: &|| count.load(Ordering::SeqCst) >= stop_after,
        progress: &|| asked.fetch_add(1, Ordering::SeqCst) % 10 == 9,
        symbolize: &|stack| stack.iter().map(|&a| char::from(a as u8).to_string()).collect(),
        sink: &mut sink,
        store: &mut stored,
    };
    let outcome = explore(config, Arc::new(program.map.clone()), world, earlier);
    Session { outcome, events, stored }
}

/// A program that lives as long as the tests.
pub fn program(body: Vec<super::S>) -> &'static Program {
    Box::leak(Box::new(Program::new(body)))
}
