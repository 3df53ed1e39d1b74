//! Takes events and inputs from the loop: into the store, and to the status line.
//!
//! The loop's sinks cannot fail, the store can: the first failure is kept, asks the campaign to stop, and is
//! reported when it has.

use crate::cpu_time::TreeClock;
use crate::looks::Looks;
use crate::progress::Progress;
use events::{Event, FindingId, Measured, RunId, Sink};
use explore::{Kept, RunStore};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Keep, Session, StoreError};
use trace::Run;

/// Store and status line, behind one lock: the loop holds two handles.
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Mutex<Inner>>,
    stop: Arc<AtomicBool>,
}

struct Inner {
    session: Session,
    progress: Progress,
    failure: Option<StoreError>,
    cpu: TreeClock,
    /// Looks at kept inputs beside the search.
    looks: Option<Arc<Looks>>,
    last_cause: Option<events::Cause>,
    last_new: u32,
}

impl Recorder {
    /// A recorder that sets `stop` when the store fails. The CPU time of the search is counted from now on.
    pub fn new(session: Session, progress: Progress, stop: Arc<AtomicBool>) -> Recorder {
        let cpu = TreeClock::new();
        let (looks, last_cause) = (None, None);
        let inner = Inner { session, progress, failure: None, cpu, looks, last_cause, last_new: 0 };
        Recorder { inner: Arc::new(Mutex::new(inner)), stop }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<T>(&self, inner: &mut Inner, result: Result<T, StoreError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                inner.failure.get_or_insert(error);
                self.stop.store(true, Ordering::SeqCst);
                None
            }
        }
    }

    /// Inputs that are kept are looked at while the search goes on.
    pub fn offer_to(&self, looks: Arc<Looks>) {
        self.lock().looks = Some(looks);
    }

    /// CPU time of the search by now.
    pub fn search_cpu(&self) -> Duration {
        self.lock().cpu.spent()
    }

    /// The search is over: removes its status line.
    pub fn end_search(&self) {
        let mut inner = self.lock();
        inner.progress.finish();
        inner.looks = None;
    }

    /// Works on the session outside the loop.
    pub fn with_session<T>(
        &self,
        work: impl FnOnce(&mut Session) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(&mut self.lock().session)
    }

    /// Removes the status line and hands out the first failure, if there was one.
    pub fn finish(&self) -> Option<StoreError> {
        let mut inner = self.lock();
        inner.progress.finish();
        let failure = inner.failure.take();
        failure.or_else(|| inner.session.commit().err())
    }
}

impl Sink for Recorder {
    fn emit(&mut self, event: Event, mut measured: Measured) {
        let inner = &mut *self.lock();
        if let Event::RunDone { cause, new_branches, .. } = &event {
            inner.last_cause = Some(*cause);
            inner.last_new = *new_branches;
        }
        if inner.failure.is_some() {
            return;
        }
        if is_point_of_a_curve(&event) {
            measured.search_cpu_us = inner.cpu.spent().as_micros() as u64;
        }
        let recorded = inner.session.record(event, measured);
        if let Some(record) = self.note(inner, recorded) {
            inner.progress.take(&record);
        }
    }
}

/// Whether the CPU time by then is worth asking for.
fn is_point_of_a_curve(event: &Event) -> bool {
    matches!(
        event,
        Event::BranchCovered { .. }
            | Event::FunctionEntered { .. }
            | Event::GoalReached { .. }
            | Event::FindingSeen { first: true, .. }
    )
}

impl RunStore for Recorder {
    fn keep(&mut self, id: RunId, run: &Run, why: Kept) {
        let inner = &mut *self.lock();
        let why = match why {
            Kept::New => "branch",
            Kept::Spare => "spare",
        };
        let keep = Keep { outcome: run.outcome, cause: inner.last_cause, new_branches: inner.last_new, why };
        if let Some(looks) = inner.looks.as_ref().filter(|_| !run.outcome.is_finding()) {
            looks.offer(&run.input);
        }
        let kept = inner.session.keep(id, &run.input, &keep);
        self.note(inner, kept);
    }

    fn finding(&mut self, finding: FindingId, id: RunId, run: &Run, stack: &[String]) {
        let inner = &mut *self.lock();
        let written = inner.session.finding(finding, id, run.outcome, &run.input, stack);
        self.note(inner, written);
    }
}
