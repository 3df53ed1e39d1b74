//! The summary for programs.
//!
//! Version 1: fields may be added, none is removed or changes its meaning without a new version.

use crate::goals::Goals;
use crate::text::outcome;
use crate::verdict::open_groups;
use crate::{Data, OpenGroup};
use program::{CondKind, Tally};
use serde_json::{Value, json as object};

/// Version of the document.
pub const JSON_VERSION: u32 = 1;

/// The summary as a JSON document.
pub fn json(data: &Data<'_>) -> Value {
    object!({
        "version": JSON_VERSION,
        "target": data.target,
        "strategy": data.strategy,
        "seed": data.seed,
        "seconds": data.elapsed.as_secs_f64(),
        "ended": data.end,
        "branches": tally(data.coverage.absolute()),
        "branches_in_entered_functions": tally(data.coverage.relative(data.map)),
        "branches_by_seeds": data.before.as_ref().map(|b| tally(b.absolute())),
        "functions": tally(data.coverage.functions()),
        "goals": Goals::of(data).json(data),
        "branches_only_by_findings": data.only_findings,
        "tests": data.tests,
        "tests_rejected": data.rejected,
        "tests_pending": data.pending,
        "totals": data.ledger,
        "open": open_groups(data).iter().map(|g| group(data, g)).collect::<Vec<_>>(),
        "lost": data.losses.iter().map(|((reason, place), loss)| object!({
            "reason": format!("{reason:?}"),
            "text": reason.text(),
            "place": place,
            "count": loss.count,
            "runs": loss.runs,
            "pinned": loss.pinned,
        })).collect::<Vec<_>>(),
        "findings": data.distinct().into_iter().map(|(id, f, runs)| object!({
            "id": id.0,
            "what": f.diagnosis().map_or_else(|| outcome(f.outcome), |d| d.kind.text().into()),
            "kind": f.diagnosis().map(|d| d.kind),
            "confirmed": f.diagnosis().is_some(),
            "verdict": f.verdict,
            "stack": f.stack,
            "runs": runs,
            "reproducer_run": f.reproducer.0,
            "file": f.file,
        })).collect::<Vec<_>>(),
        "troubles": data.troubles,
    })
}

fn tally(tally: Tally) -> Value {
    object!({ "covered": tally.covered, "total": tally.total })
}

fn group(data: &Data<'_>, group: &OpenGroup) -> Value {
    let branch = |&id: &program::BranchId| {
        let b = data.map.branches[id.index()];
        let cond = &data.map.conds[b.cond.index()];
        let case = match &cond.kind {
            CondKind::Switch { cases, .. } if b.outcome > 0 => cases.get(b.outcome as usize - 1).copied(),
            _ => None,
        };
        object!({
            "branch": id.0,
            "outcome": b.outcome,
            "case": case,
            "function": data.map.functions[cond.function.index()].name,
            "file": cond.span.file.and_then(|f| data.map.files.get(f.index())),
            "line": cond.span.line,
            "column": cond.span.column,
        })
    };
    object!({ "why": group.why.text(), "branches": group.branches.iter().map(branch).collect::<Vec<_>>() })
}
