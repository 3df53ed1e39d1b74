//! Decorator: writes down what it is asked.

use crate::Writer;
use solve::{Answer, Limits, Query, Solver, StageStats};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A log that is being written. Clones share it; a failure ends it and is told by [`Log::finish`].
pub struct Log<W>(Arc<Mutex<State<W>>>);

enum State<W> {
    Open(Writer<W>),
    Failed(io::Error),
    Finished,
}

impl<W> Clone for Log<W> {
    fn clone(&self) -> Log<W> {
        Log(self.0.clone())
    }
}

impl<W: Write> Log<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W) -> io::Result<Log<W>> {
        Ok(Log(Arc::new(Mutex::new(State::Open(Writer::new(out)?)))))
    }

    fn add(&self, query: &Query<'_>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(writer) = &mut *state
            && let Err(error) = writer.add(query)
        {
            *state = State::Failed(error);
        }
    }

    /// Ends the log: what was written to, and the number of queries. Queries that come later are not recorded.
    ///
    /// # Errors
    /// The first failure of what is written to.
    pub fn finish(&self) -> io::Result<Option<(W, u64)>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Finished) {
            State::Open(writer) => {
                let written = writer.written();
                Ok(Some((writer.finish()?, written)))
            }
            State::Failed(error) => Err(error),
            State::Finished => Ok(None),
        }
    }
}

/// Writes queries to a log before `S` is asked.
pub struct Recording<S, W> {
    inner: S,
    log: Log<W>,
}

impl<S: Solver, W: Write + Send> Recording<S, W> {
    /// Around `inner`. Workers share a log only if they share an arena: see [`Writer`].
    pub fn new(inner: S, log: Log<W>) -> Recording<S, W> {
        Recording { inner, log }
    }
}

impl<S: Solver, W: Write + Send> Solver for Recording<S, W> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        self.log.add(query);
        self.inner.solve(query, limits)
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}
