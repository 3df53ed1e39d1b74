//! What a campaign came to, out of its folder: `summary.json` and the store.

use crate::campaign_folder;
use crate::experiments::goal::Goal;
use crate::failure::Failure;
use experiment::{Entered, Point, Reached, Record};
use program::{Coverage, FunctionId, ProgramMap};
use std::path::Path;
use store::Campaign;

/// Reads what was measured into `record`, which says already what campaign it is.
///
/// # Errors
/// When the campaign cannot be read.
pub fn read(folder: &Path, goal: Option<&Goal>, record: &mut Record) -> Result<(), Failure> {
    summary(folder, record)?;
    let campaign = Campaign::open(folder).map_err(campaign_folder::failure)?;
    let map = campaign.map().map_err(campaign_folder::failure)?;
    coverage(&campaign, &map, record).map_err(campaign_folder::failure)?;
    if let Some(goal) = goal {
        let ended = Reached { wall: record.wall, cpu: record.cpu, runs: record.runs };
        record.reached = goal.reached(&campaign, &map, ended).map_err(campaign_folder::failure)?;
    }
    Ok(())
}

fn summary(folder: &Path, record: &mut Record) -> Result<(), Failure> {
    let file = folder.join("summary.json");
    let text = std::fs::read_to_string(&file).map_err(|e| Failure::io("read", &file, &e))?;
    let all: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let count = |at: &str| all.pointer(at).and_then(serde_json::Value::as_u64).unwrap_or(0);
    let seconds = |at: &str| all.pointer(at).and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    record.ended = all.pointer("/ended").and_then(serde_json::Value::as_str).unwrap_or("unknown").to_owned();
    record.wall = seconds("/seconds");
    record.cpu = seconds("/search_cpu_seconds");
    record.cpu_in_all = seconds("/cpu_seconds");
    record.runs = count("/ledger/runs");
    record.cheap_runs = count("/ledger/cheap_runs");
    record.queries = count("/ledger/queries");
    record.tests = count("/suite/tests") as u32;
    record.findings = count("/findings") as u32;
    record.unconfirmed = count("/findings_unconfirmed") as u32;
    Ok(())
}

fn coverage(campaign: &Campaign, map: &ProgramMap, record: &mut Record) -> Result<(), store::StoreError> {
    let mut coverage = Coverage::new(map);
    for covered in campaign.coverage()? {
        if covered.branch.index() < map.branches.len() && coverage.add_branch(covered.branch) {
            let point = Point {
                runs: covered.runs,
                cpu: covered.cpu_us as f64 / 1e6,
                wall: covered.at_ms as f64 / 1e3,
                branches: coverage.absolute().covered,
            };
            match record.curve.last_mut().filter(|last| last.runs == point.runs) {
                Some(last) => last.branches = point.branches,
                None => record.curve.push(point),
            }
        }
    }
    for (function, _) in campaign.entered()? {
        if function.index() < map.functions.len() {
            coverage.add_function(function);
        }
    }
    for (id, tally) in (0..).zip(coverage.by_function(map)) {
        if tally.covered > 0 || coverage.entered(FunctionId(id)) {
            let function = &map.functions[id as usize];
            record.entered.push(Entered {
                number: id,
                branches: tally.total,
                covered: Some(tally.covered),
                name: function.name.clone(),
                linkage_name: function.linkage_name.clone(),
            });
        }
    }
    record.functions_in_all = coverage.functions().total;
    let all = coverage.absolute();
    (record.branches, record.branches_in_all) = (all.covered, all.total);
    Ok(())
}
