//! The summary: what was covered, by what; what is open and why; findings; how to go on.

use crate::goals::Goals;
use crate::text::{branch, count, grouped, of, percent, place};
use crate::verdict::{OpenGroup, Why, open_groups};
use crate::{Data, Look, findings};
use comfy_table::Cell;
use events::{EndReason, Place};
use program::BranchId;
use std::time::Duration;
use trace::Outcome;

/// Examples named per reason.
const EXAMPLES: usize = 3;
/// Places of lost precision named.
const LOSSES: usize = 5;

/// The summary of a campaign.
pub fn summary(data: &Data<'_>, look: &Look) -> String {
    let goals = Goals::of(data);
    let parts = [
        look.heading(&format!("Results for {}", data.target)) + &result(data, &goals),
        open(data, look),
        crate::goals::table(data, &goals, look),
        lost(data, look),
        findings::table(data, look),
        troubles(data, look),
        next(data, look),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join("\n")
}

fn result(data: &Data<'_>, goals: &Goals) -> String {
    let (all, entered) = (data.coverage.absolute(), data.coverage.relative(data.map));
    let mut text = format!("  {} branches covered ({})", of(all), percent(all));
    if let Some(before) = &data.before {
        let before = before.absolute();
        text += &format!(", {} ({}) by the seeds alone", grouped(before.covered.into()), percent(before));
    }
    text += &format!("\n  {} in functions that were entered ({})\n", of(entered), percent(entered));
    text += &format!("  {} functions entered\n", of(data.coverage.functions()));
    text += &crate::goals::lines(goals);
    if let Some(tests) = data.tests {
        text += &format!(
            "  {} in the suite, confirmed on the program itself",
            count(tests.into(), "test", "tests")
        );
        if data.rejected > 0 {
            text +=
                &format!("; {} did not do the same there and are left out", grouped(data.rejected.into()));
        }
        text += "\n";
    }
    if data.pending > 0 {
        let n = count(data.pending.into(), "more test", "more tests");
        text += &format!("  {n} not yet confirmed: there was no time (--resume or replay confirms them)\n");
    }
    if data.unchecked > 0 {
        let n = count(data.unchecked.into(), "test was", "tests were");
        text += &format!("  {n} not yet run with AddressSanitizer: there was no time (--resume goes on)\n");
    }
    if data.only_findings > 0 {
        let n = count(data.only_findings.into(), "branch is", "branches are");
        text += &format!("  {n} covered only by runs that hang or do not repeat\n");
    }
    text + &effort(data)
}

fn effort(data: &Data<'_>) -> String {
    let l = &data.ledger;
    let mut text =
        format!("  {}, {}", count(l.runs, "run", "runs"), count(l.queries, "solver query", "solver queries"));
    if !data.elapsed.is_zero() {
        text += &format!(", {}", seconds(data.elapsed.saturating_sub(data.confirming)));
        if data.confirming.as_secs() > 0 {
            text += &format!(" (and {} to confirm tests and findings)", seconds(data.confirming));
        }
    }
    if !data.strategy.is_empty() {
        text += &format!(", strategy {}, seed {}", data.strategy, data.seed);
    }
    text += "\n";
    if l.flips > 0 {
        text += &format!(
            "  flips: {} solved, {} infeasible, {} without answer, {} diverged\n",
            grouped(l.sat + l.already_done),
            grouped(l.unsat + l.unsat_pinned),
            grouped(l.unknown),
            grouped(l.divergences),
        );
    }
    if let Some(end) = &data.end {
        text += &format!("  ended: {}\n", end_text(end));
    }
    text
}

fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} seconds", time.as_secs_f64()),
        seconds => format!("{} seconds", grouped(seconds)),
    }
}

fn end_text(end: &EndReason) -> String {
    match end {
        EndReason::Runs => "the budget of runs is used up".into(),
        EndReason::Queries => "the budget of solver queries is used up".into(),
        EndReason::Time => "the time is up".into(),
        EndReason::Finished => "the strategy has nothing left to try".into(),
        EndReason::AllCovered => "every branch is covered".into(),
        EndReason::AllReached => {
            "every branch, function and other goal is reached, or infeasible on all paths tried".into()
        }
        EndReason::Exhausted => "no path is left to try".into(),
        EndReason::Enough => "as many branches as were asked for are covered".into(),
        EndReason::Stopped => "stopped by the user".into(),
        EndReason::Failed(what) => format!("failed: {what}"),
    }
}

fn open(data: &Data<'_>, look: &Look) -> String {
    let groups = open_groups(data);
    if groups.is_empty() {
        return String::new();
    }
    let total: usize = groups.iter().map(|g| g.branches.len()).sum();
    let mut table = look.table(&["open", "why", "for example"], &[0]);
    for group in &groups {
        let cells = [grouped(group.branches.len() as u64), group.why.text(), examples(data, group)];
        table.add_row(cells.into_iter().enumerate().map(|(i, c)| crate::text::align(Cell::new(c), i == 0)));
    }
    let title = format!("Open: {}", count(total as u64, "branch", "branches"));
    look.heading(&title) + &table.trim_fmt() + "\n"
}

fn examples(data: &Data<'_>, group: &OpenGroup) -> String {
    let functions = matches!(group.why, Why::NotEntered);
    let mut names: Vec<String> = Vec::new();
    for &b in &group.branches {
        let name = if functions { function_name(data, b) } else { branch(data.map, b) };
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == EXAMPLES {
            break;
        }
    }
    names.join(", ")
}

fn function_name(data: &Data<'_>, branch: BranchId) -> String {
    data.map.functions[data.map.function_of(branch).index()].name.clone()
}

fn lost(data: &Data<'_>, look: &Look) -> String {
    let mut losses: Vec<_> = data.losses.iter().collect();
    if losses.is_empty() {
        return String::new();
    }
    losses.sort_by_key(|(key, loss)| (std::cmp::Reverse(loss.count), **key));
    let mut table = look.table(&["times", "runs", "where", "why"], &[0, 1]);
    for ((reason, place), loss) in losses.iter().take(LOSSES) {
        let why = if loss.pinned { format!("{} (value kept)", reason.text()) } else { reason.text().into() };
        let cells = [grouped(loss.count), grouped(loss.runs), loss_place(data, *place), why];
        table.add_row(cells.into_iter().enumerate().map(|(i, c)| crate::text::align(Cell::new(c), i < 2)));
    }
    let mut text = look.heading("Where the input was lost sight of") + &table.trim_fmt() + "\n";
    if losses.len() > LOSSES {
        text += &format!("  and {}\n", count((losses.len() - LOSSES) as u64, "more place", "more places"));
    }
    text
}

fn loss_place(data: &Data<'_>, at: Place) -> String {
    match at {
        Place::Call(call) => match data.map.calls.get(call.index()) {
            Some(call) => match &call.callee {
                program::Callee::External(name) => format!("{} ({name})", place(data.map, call.span)),
                _ => place(data.map, call.span),
            },
            None => "unknown place".into(),
        },
        Place::Function(function) => match data.map.functions.get(function.index()) {
            Some(function) => format!("{} ({})", function.name, place(data.map, function.span)),
            None => "unknown place".into(),
        },
        Place::Site(_) => "library functions".into(),
    }
}

fn troubles(data: &Data<'_>, look: &Look) -> String {
    if data.troubles.is_empty() {
        return String::new();
    }
    look.heading("Troubles") + &look.list(&data.troubles)
}

/// No branch was covered: what may be the reason.
fn nothing_covered(data: &Data<'_>) -> &'static str {
    if data.ledger.repairs > 0 {
        return "No branch was covered: no input was found that keeps the assumptions at the program's beginning; \
                add one that does (--seeds DIR).";
    }
    "No branch was covered: does the program read its input as Spelunk was told (-- ARGS with @@)?"
}

/// What a user can do now.
fn next(data: &Data<'_>, look: &Look) -> String {
    let mut lines: Vec<String> = Vec::new();
    let groups = open_groups(data);
    let has = |f: &dyn Fn(&Why) -> bool| groups.iter().any(|g| f(&g.why));
    let covered = data.coverage.absolute();
    let nothing = covered.total > 0 && covered.covered == 0 && data.findings.is_empty();
    if data.ledger.runs > 0 && nothing {
        lines.push(nothing_covered(data).into());
    } else if !groups.is_empty() && !matches!(data.end, Some(EndReason::Finished | EndReason::Exhausted)) {
        lines.push(format!("Go on: spelunk explore … --out {} --resume", data.folder));
    }
    if has(&|w| matches!(w, Why::NotEntered)) {
        lines.push(
            "Functions never entered may need other arguments or input files: add seeds (--seeds DIR)."
                .into(),
        );
    }
    if data.losses.keys().any(|(reason, _)| *reason == trace::Reason::ExternalCall) {
        lines.push(
            "Build the libraries named above with Spelunk as well, so that the input can be followed there."
                .into(),
        );
    }
    if data.findings.values().any(|f| f.outcome == Outcome::Timeout) {
        lines.push("Hangs may be slow runs: see whether they end with a longer limit.".into());
    }
    if !data.folder.is_empty() && !groups.is_empty() {
        lines.push(format!("Per file and function: spelunk coverage {}", data.folder));
    }
    if lines.is_empty() {
        return String::new();
    }
    look.heading("How to go on") + &look.list(&lines)
}
