//! What reports are made of, out of the store.

use events::{Cause, EndReason};
use program::{Coverage, ProgramMap};
use report::Data;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use store::{Campaign, StoreError};

/// Everything the store knows of a campaign, as reports want it.
///
/// # Errors
/// When the store cannot be read.
pub fn load<'m>(campaign: &Campaign, map: &'m ProgramMap) -> Result<Data<'m>, StoreError> {
    let summary = campaign.summary()?;
    let mut data = Data::new(map, summary.meta.target.clone(), campaign.dir().display().to_string());
    data.strategy = summary.meta.strategy.clone();
    data.seed = summary.meta.seed;
    data.elapsed = Duration::from_millis(summary.elapsed_ms);
    data.ledger = summary.ledger.clone().unwrap_or_default();
    coverage(campaign, map, &mut data)?;
    for flip in campaign.flips()? {
        let facts = data.flips.entry(flip.branch).or_default();
        facts.queries += flip.queries;
        facts.solving += Duration::from_micros(flip.solve_us);
        use events::FlipAnswer as A;
        match flip.answer {
            A::Sat { .. } | A::AlreadyDone { .. } => facts.found += flip.count,
            A::Unsat { pinned: false } => facts.infeasible += flip.count,
            A::Unsat { pinned: true } => facts.infeasible_pinned += flip.count,
            A::Unknown(why) => *facts.gave_up.entry(why).or_default() += flip.count,
        }
    }
    for (branch, with) in campaign.contradictions()? {
        data.flips.entry(branch).or_default().contradicts = Some(with);
    }
    for divergence in campaign.divergences()? {
        if let (events::Step::Branch(branch), false) = (divergence.expected, divergence.early) {
            data.flips.entry(branch).or_default().diverged += divergence.count;
        }
    }
    data.pending = campaign.pending()?.len() as u32;
    let reached = campaign.events_called("goal-reached")?;
    data.goals = reached.iter().filter_map(|record| goal(&record.event)).collect();
    data.symbolic = campaign.symbolic()?.into_iter().collect();
    data.follows = campaign.by_control_flow()?.into_iter().collect();
    for loss in campaign.losses()? {
        let known = report::Loss { count: loss.count, runs: loss.runs, pinned: loss.pinned };
        data.losses.insert((loss.reason, loss.place), known);
    }
    for finding in campaign.findings()? {
        let file = finding.folder.strip_prefix(campaign.dir()).map(|p| p.display().to_string()).ok();
        let known = report::Finding {
            outcome: finding.outcome,
            stack: finding.stack,
            runs: finding.count,
            reproducer: finding.best_run,
            file,
            verdict: finding.verdict,
        };
        data.findings.insert(finding.id, known);
    }
    Ok(data)
}

fn goal(event: &events::Event) -> Option<program::BranchId> {
    if let events::Event::GoalReached { branch, .. } = event { Some(*branch) } else { None }
}

/// Coverage in all, and of the user's seeds alone.
fn coverage(campaign: &Campaign, map: &ProgramMap, data: &mut Data<'_>) -> Result<(), StoreError> {
    let from_seeds = |cause: Option<Cause>| matches!(cause, Some(Cause::Seed { .. } | Cause::Initial));
    let seeds: HashSet<_> = campaign
        .kept_runs()?
        .into_iter()
        .filter(|kept| from_seeds(kept.cause))
        .map(|kept| kept.run)
        .collect();
    let tests = campaign.dir().join("tests");
    let file = |kept: &store::KeptRun| {
        let name = kept.file.file_name().unwrap_or_default();
        let folder = if tests.join(name).is_file() { "tests" } else { "corpus" };
        (kept.run, format!("{folder}/{}", name.to_string_lossy()))
    };
    let files: HashMap<_, _> = campaign.kept_runs()?.iter().map(file).collect();
    let mut before = Coverage::new(map);
    for covered in campaign.coverage()? {
        if covered.branch.index() >= map.branches.len() {
            continue;
        }
        let function = map.function_of(covered.branch);
        data.coverage.add_branch(covered.branch);
        if let Some(file) = files.get(&covered.run) {
            data.covered_by.insert(covered.branch, file.clone());
        }
        data.coverage.add_function(function);
        if seeds.contains(&covered.run) {
            before.add_branch(covered.branch);
            before.add_function(function);
        }
    }
    for (function, run) in campaign.entered()? {
        if function.index() < map.functions.len() {
            data.coverage.add_function(function);
            if seeds.contains(&run) {
                before.add_function(function);
            }
        }
    }
    data.before = Some(before);
    Ok(())
}

/// How a session ended, for people.
pub fn end_text(why: &EndReason) -> &'static str {
    match why {
        EndReason::Runs => "the budget of runs is used",
        EndReason::Queries => "the budget of queries is used",
        EndReason::Time => "the time is over",
        EndReason::Finished => "nothing is left to try",
        EndReason::AllCovered => "every branch is covered",
        EndReason::AllReached => {
            "every branch, function and other goal is reached, or infeasible on all paths tried"
        }
        EndReason::Exhausted => "no path is left to try",
        EndReason::Enough => "as many branches as were asked for are covered",
        EndReason::Stopped => "stopped",
        EndReason::Failed(_) => "failed",
    }
}
