//! What a session came to: the summary on the terminal, and `summary.json` in the campaign folder.

use crate::commands::explore::SEARCHING;
use crate::ending::Ended;
use crate::failure::Failure;
use crate::phases::{self, Row};
use crate::{arms, campaign_folder, cpu_time, report_data};
use explore::{Outcome, Use};
use solvers::Tally;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;
use store::Session;

/// What the session knows beside the store.
pub struct Facts<'a> {
    /// What the loop left behind.
    pub outcome: &'a Outcome,
    /// Number of workers.
    pub workers: u32,
    /// What the phases took.
    pub phases: &'a [Row],
    /// CPU time spent beside the search while it went on.
    pub aside: Duration,
    /// The suite, and what there was no time for.
    pub ended: &'a Ended,
    /// Whether the work of the strategy's parts was measured, and not counted.
    pub measured: bool,
    /// What the stages of solving did.
    pub solving: &'a Tally,
}

impl Facts<'_> {
    /// Time spent on confirming tests and findings after the search.
    fn confirming(&self) -> Duration {
        let names = ["confirming tests", "checking findings"];
        self.phases.iter().filter(|row| names.contains(&row.name)).map(|row| row.time).sum()
    }

    /// What the workers' time went for during the search.
    fn uses(&self) -> Vec<(&'static str, Duration)> {
        let wall = &self.outcome.wall;
        let all = self.outcome.searched.time * self.workers;
        let booked = Use::ALL.iter().map(|&one| (one.name(), wall.of(one)));
        let rest = [("the engine itself", all.saturating_sub(wall.total()))];
        booked.chain(rest).filter(|(_, time)| !time.is_zero()).collect()
    }
}

/// Prints the summary (unless `quiet`) and writes `summary.json`.
///
/// # Errors
/// When the store cannot be read or the file not written.
pub fn show(session: &Session, facts: &Facts<'_>, folder: &Path, quiet: bool) -> Result<(), Failure> {
    let map = session.map().map_err(campaign_folder::failure)?;
    let mut data = report_data::load(session, &map).map_err(campaign_folder::failure)?;
    data.ledger = facts.outcome.ledger.clone();
    let suite = &facts.ended.suite;
    data.confirming = facts.confirming();
    (data.pending, data.unchecked) = (suite.pending.len() as u32, facts.ended.unchecked as u32);
    data.end = Some(facts.outcome.why.clone());
    data.tests = Some(suite.tests.len() as u32);
    data.rejected = suite.rejected.len() as u32;
    if !quiet {
        print!("{}", report::summary(&data, &look()));
        print!("{}", arms::table(&facts.outcome.arms, facts.measured));
        print!("{}", phases::table(facts.phases, SEARCHING, &facts.uses()));
        print!("{}", facts.solving.to_text());
    }
    let file = folder.join("summary.json");
    let confirmed = data.distinct().iter().filter(|(_, f, _)| f.diagnosis().is_some()).count();
    let goals = report::Goals::of(&data).json(&data);
    let unconfirmed = data.distinct().len() - confirmed;
    let numbers = numbers(facts, confirmed, unconfirmed, &goals);
    let text = serde_json::to_string_pretty(&numbers).unwrap_or_default() + "\n";
    std::fs::write(&file, text).map_err(|e| Failure::io("write", &file, &e))
}

/// The session in numbers.
fn numbers(
    facts: &Facts<'_>,
    findings: usize,
    unconfirmed: usize,
    goals: &serde_json::Value,
) -> serde_json::Value {
    let suite = &facts.ended.suite;
    let seconds = |time: Duration| time.as_secs_f64();
    let uses: BTreeMap<_, _> = facts.uses().into_iter().map(|(name, time)| (name, seconds(time))).collect();
    serde_json::json!({
        "ended": report_data::end_text(&facts.outcome.why),
        "seconds": seconds(facts.outcome.searched.time),
        "confirming_seconds": seconds(facts.confirming()),
        "phases": phases::to_json(facts.phases),
        "search_uses_seconds": uses,
        "peak_mib": peak_mib(),
        "search_cpu_seconds": seconds(facts.outcome.searched.cpu),
        "beside_search_cpu_seconds": seconds(facts.aside),
        "cpu_seconds": seconds(cpu_time::all()),
        "ledger": facts.outcome.ledger,
        "goals": goals,
        "arms": arms::to_json(&facts.outcome.arms),
        "arms_measured": facts.measured,
        "lock_taken": facts.outcome.lock.times,
        "lock_held_seconds": facts.outcome.lock.held.as_secs_f64(),
        "solving": facts.solving.to_json(),
        "suite": {
            "tests": suite.tests.len(),
            "branches": suite.covered,
            "unconfirmed": suite.unconfirmed,
            "only_findings": suite.only_findings,
            "rejected": suite.rejected.len(),
            "pending": suite.pending.len(),
            "unchecked": facts.ended.unchecked,
        },
        "findings": findings,
        "findings_unconfirmed": unconfirmed,
        "findings_unjudged": facts.ended.unjudged,
    })
}

/// Peak resident memory of this process in MiB; 0 where the system does not say.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// How reports should look here.
pub fn look() -> report::Look {
    let terminal = std::io::stdout().is_terminal();
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    report::Look { width: columns.unwrap_or(if terminal { 100 } else { 110 }), colour: terminal }
}
