//! What a session came to: the summary on the terminal, and `summary.json` in the campaign folder.

use crate::failure::Failure;
use crate::{arms, campaign_folder, cpu_time, report_data};
use explore::Outcome;
use explore::suite::Suite;
use solvers::Tally;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;
use store::Session;

/// What the session knows beside the store.
pub struct Facts<'a> {
    /// What the loop left behind.
    pub outcome: &'a Outcome,
    /// Time spent in the loop.
    pub searched: Duration,
    /// Time spent on confirming tests and findings after it.
    pub confirmed: Duration,
    /// CPU time of the loop and its programs, in seconds.
    pub search_cpu: f64,
    /// The suite.
    pub suite: &'a Suite,
    /// Whether the work of the strategy's parts was measured, and not counted.
    pub measured: bool,
    /// What the stages of solving did.
    pub solving: &'a Tally,
}

/// Prints the summary (unless `quiet`) and writes `summary.json`.
///
/// # Errors
/// When the store cannot be read or the file not written.
pub fn show(session: &Session, facts: &Facts<'_>, folder: &Path, quiet: bool) -> Result<(), Failure> {
    let map = session.map().map_err(campaign_folder::failure)?;
    let mut data = report_data::load(session, &map).map_err(campaign_folder::failure)?;
    data.ledger = facts.outcome.ledger.clone();
    data.confirming = facts.confirmed;
    data.end = Some(facts.outcome.why.clone());
    data.tests = Some(facts.suite.tests.len() as u32);
    data.rejected = facts.suite.rejected.len() as u32;
    if !quiet {
        print!("{}", report::summary(&data, &look()));
        print!("{}", arms::table(&facts.outcome.arms, facts.measured));
        print!("{}", facts.solving.to_text());
    }
    let file = folder.join("summary.json");
    let confirmed = data.distinct().iter().filter(|(_, f, _)| f.diagnosis().is_some()).count();
    let text = serde_json::to_string_pretty(&numbers(facts, confirmed, data.distinct().len() - confirmed))
        .unwrap_or_default()
        + "\n";
    std::fs::write(&file, text).map_err(|e| Failure::io("write", &file, &e))
}

/// The session in numbers.
fn numbers(facts: &Facts<'_>, findings: usize, unconfirmed: usize) -> serde_json::Value {
    let suite = facts.suite;
    serde_json::json!({
        "ended": report_data::end_text(&facts.outcome.why),
        "seconds": facts.searched.as_secs_f64(),
        "confirming_seconds": facts.confirmed.as_secs_f64(),
        "peak_mib": peak_mib(),
        "search_cpu_seconds": facts.search_cpu,
        "cpu_seconds": cpu_time::own().as_secs_f64(),
        "ledger": facts.outcome.ledger,
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
        },
        "findings": findings,
        "findings_unconfirmed": unconfirmed,
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
