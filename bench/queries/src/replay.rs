//! Solvers on one log.

use crate::under_test::{Ready, UnderTest};
use query_log::Reader;
use solve::{Answer, Limits, Query, StageStats, Unknown, satisfies};
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

/// Asks all solvers the first `count` queries, each within `limits`: of each query all of them in turn, so that what else the
/// machine does meets all alike. Each has a copy of the log's arenas of its own.
///
/// # Errors
/// When the log is damaged.
pub fn replay(
    log: &[u8],
    solvers: &[UnderTest],
    limits: Limits,
    count: usize,
) -> anyhow::Result<Vec<Replayed>> {
    let mut lanes: Vec<Lane<'_>> =
        solvers.iter().map(|solver| Lane::new(log, solver)).collect::<Result<_, _>>()?;
    for _ in 0..count {
        let mut is_over = false;
        for lane in &mut lanes {
            is_over |= !lane.step(&limits)?;
        }
        if is_over {
            break;
        }
    }
    Ok(lanes.into_iter().map(Lane::finish).collect())
}

/// A solver on its way through a log.
struct Lane<'a> {
    reader: Reader<'a>,
    asked: Ready,
    replayed: Replayed,
}

impl<'a> Lane<'a> {
    fn new(log: &'a [u8], solver: &UnderTest) -> anyhow::Result<Lane<'a>> {
        let began = Instant::now();
        let asked = solver.ready(&(Arc::new(move || began.elapsed()) as solve::Clock));
        let solver = solver.name.clone();
        let replayed = Replayed { solver, said: Vec::new(), times: Vec::new(), stages: Vec::new() };
        Ok(Lane { reader: Reader::new(log)?, asked, replayed })
    }

    /// The next query; whether there is one.
    fn step(&mut self, limits: &Limits) -> anyhow::Result<bool> {
        if !self.reader.advance()? {
            return Ok(false);
        }
        let Ready { solver, cpu_time } = &mut self.asked;
        let (said, time) = self.reader.with_query(|query| {
            let before = cpu_time();
            let answer = solver.solve(query, limits);
            let time = cpu_time().saturating_sub(before);
            (judged(query, &answer), time)
        });
        self.replayed.said.push(said);
        self.replayed.times.push(time);
        Ok(true)
    }

    fn finish(mut self) -> Replayed {
        self.asked.solver.stages(&mut self.replayed.stages);
        self.replayed
    }
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
        Answer::Sat(model) if satisfies(query, model) => Said::Sat,
        Answer::Sat(_) | Answer::Unknown(Unknown::WrongModel) => Said::WrongModel,
        Answer::Unsat(_) => Said::Unsat,
        Answer::Unknown(_) => Said::Unknown,
    }
}
