//! One solver on one log.

use crate::under_test::UnderTest;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use query_log::Reader;
use solve::{Answer, Limits, Model, Query, StageStats, Unknown};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was said of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A model that holds.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// No answer.
    Unknown,
    /// A model that does not hold, or was said not to.
    WrongModel,
}

impl Said {
    /// For files.
    pub fn letter(self) -> char {
        match self {
            Said::Sat => 's',
            Said::Unsat => 'u',
            Said::Unknown => '?',
            Said::WrongModel => '!',
        }
    }
}

/// What a solver made of a log.
pub struct Replayed {
    /// The solver.
    pub solver: String,
    /// What it said of each query.
    pub said: Vec<Said>,
    /// CPU time of each query.
    pub times: Vec<Duration>,
    /// What its stages did.
    pub stages: Vec<StageStats>,
}

impl Replayed {
    /// How often this was said.
    pub fn count(&self, said: Said) -> usize {
        self.said.iter().filter(|&&s| s == said).count()
    }

    /// CPU time of all queries.
    pub fn time(&self) -> Duration {
        self.times.iter().sum()
    }

    /// For the terminal, while others are under way.
    pub fn line(&self) -> String {
        let (sat, unsat, time) = (self.count(Said::Sat), self.count(Said::Unsat), self.time().as_secs_f64());
        format!("{}: {sat} sat, {unsat} unsat of {}, {time:.2} s", self.solver, self.said.len())
    }
}

/// User and system time of this process.
fn cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(micros.try_into().unwrap_or(0))
}

/// Asks `solver` the first `count` queries, each within `limits`.
///
/// # Errors
/// When the log is damaged.
pub fn replay(log: &[u8], solver: &UnderTest, limits: Limits, count: usize) -> anyhow::Result<Replayed> {
    let began = Instant::now();
    let mut asked = solver.solver(&(Arc::new(move || began.elapsed()) as solve::Clock));
    let mut reader = Reader::new(log)?;
    let (mut said, mut times) = (Vec::new(), Vec::new());
    while said.len() < count && reader.advance()? {
        let (answer, time) = reader.with_query(|query| {
            let before = cpu_time();
            let answer = asked.solve(query, &limits);
            let time = cpu_time().saturating_sub(before);
            (judged(query, &answer), time)
        });
        said.push(answer);
        times.push(time);
    }
    let mut stages = Vec::new();
    asked.stages(&mut stages);
    Ok(Replayed { solver: solver.name.clone(), said, times, stages })
}

/// The query of this index: a line for each constraint, the goal last, then the bytes of the run.
///
/// # Errors
/// When the log is damaged, or has no such query.
pub fn text(log: &[u8], index: usize) -> anyhow::Result<String> {
    let mut reader = Reader::new(log)?;
    for _ in 0..=index {
        anyhow::ensure!(reader.advance()?, "there is no query {index}");
    }
    Ok(reader.with_query(|query| {
        let mut text = String::new();
        let mut bytes = std::collections::BTreeSet::new();
        for &constraint in query.constraints {
            text += &query.arena.to_text(constraint);
            bytes.extend(query.arena.inputs(constraint));
        }
        for (object, offset) in bytes {
            text += &format!("# in{object}[{offset}] is {:#x}\n", (query.hint)(object, offset));
        }
        text
    }))
}

fn judged(query: &Query<'_>, answer: &Answer) -> Said {
    match answer {
        Answer::Sat(model) if holds(query, model) => Said::Sat,
        Answer::Sat(_) | Answer::Unknown(Unknown::WrongModel) => Said::WrongModel,
        Answer::Unsat(_) => Said::Unsat,
        Answer::Unknown(_) => Said::Unknown,
    }
}

/// Whether every constraint is true under the model, and the run's bytes where it says nothing.
fn holds(query: &Query<'_>, model: &Model) -> bool {
    let byte = |object, offset| {
        model.get(&(object, offset)).copied().unwrap_or_else(|| (query.hint)(object, offset))
    };
    let mut evaluator = expr::Evaluator::new(query.arena, &byte);
    query.constraints.iter().all(|&constraint| evaluator.is_true(constraint))
}
