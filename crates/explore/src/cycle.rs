//! One turn of the loop, every stage by name and in order.

use crate::campaign::{Campaign, Failure};
use crate::cheap::Order;
use crate::dispatch::Job;
use crate::flip::{Asked, Solved, ask, patched};
use crate::lifted::{LiftedRun, Question};
use crate::task::Task;
use crate::wall::Use;
use crate::worker::Worker;
use events::RunId;
use program::ProgramMap;
use solve::Limits;
use trace::Outcome;

/// So many finds of a leg in a row whose runs from the program's start do not end in time: it went too far.
const MOST_LATE: u32 = 3;

/// What a turn came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A run was taken in.
    Ran,
    /// The goal led to no new input.
    NoInput,
    /// There is nothing more to do.
    Over,
}

/// Goal → (flip, repair, probe: constraints → answer → input) → run → trace → path tree, coverage → events → strategy.
///
/// # Errors
/// When the target failed; the goal was given back.
pub fn cycle(worker: &mut Worker<'_>, campaign: &Campaign<'_>) -> Result<Turn, Failure> {
    // The strategy's next goal.
    let Some(job) = campaign.next_job(worker) else { return Ok(Turn::Over) };
    let attempt = match &job.task {
        Task::Try(attempt) => attempt.clone(),
        Task::Flip(flip) => {
            let question = |run: &mut LiftedRun, map: &ProgramMap| run.question(flip, map);
            let limits = campaign.limits_at(flip.level);
            let solved = bend(worker, campaign, flip.parent, limits, question);
            let Some(attempt) = campaign.answered(&job, flip, solved) else { return Ok(Turn::NoInput) };
            attempt
        }
        Task::Repair(repair) => {
            let question = |run: &mut LiftedRun, map: &ProgramMap| run.repair(repair, map);
            let solved = bend(worker, campaign, repair.parent, campaign.config().solve, question);
            let Some(attempt) = campaign.repaired(&job, repair, solved) else { return Ok(Turn::NoInput) };
            attempt
        }
        Task::Probe(probe) => {
            let question = |run: &mut LiftedRun, map: &ProgramMap| run.probe(probe, map);
            let solved = bend(worker, campaign, probe.parent, campaign.config().solve, question);
            let Some(attempt) = campaign.probed(&job, probe, solved) else { return Ok(Turn::NoInput) };
            attempt
        }
        Task::Cheap(order) => return cheap(worker, campaign, &job, order),
        Task::Journey(order) => {
            // Random inputs → snapshot → search → on from there; what shows something again from the start, shortened.
            let Some(leg) = campaign.journey(worker, &job, order) else { return Ok(Turn::NoInput) };
            let (mut new_branches, mut late) = (Vec::new(), 0);
            for shown in &leg.shown {
                let (new, outcome) = campaign.arrive(worker, shown, leg.shown.len());
                new_branches.extend(new);
                late = if outcome == Some(Outcome::Timeout) && outcome != Some(shown.outcome) {
                    late + 1
                } else {
                    0
                };
                if late == MOST_LATE {
                    worker.turn_back(shown.input.objects.len());
                    break;
                }
            }
            campaign.end_batch(&job, new_branches);
            return Ok(Turn::Ran);
        }
    };
    // Input → run → trace, with its path.
    let run = campaign.run(worker, &job, &attempt)?;
    let digest = worker.digest(&attempt, run);
    // Path tree and coverage → events → the strategy observes.
    campaign.take_in(&job, &attempt, digest);
    Ok(Turn::Ran)
}

/// Mutation corpus, dictionary → inputs → cheap runs → those that show something once more: run → trace → as above.
fn cheap(
    worker: &mut Worker<'_>,
    campaign: &Campaign<'_>,
    job: &Job,
    order: &Order,
) -> Result<Turn, Failure> {
    let Some(harvest) = campaign.cheap(worker, job, order)? else { return Ok(Turn::NoInput) };
    let mut new_branches = Vec::new();
    for shown in &harvest.shown {
        new_branches.extend(campaign.look_into(worker, order, shown));
    }
    campaign.end_batch(job, new_branches);
    Ok(Turn::Ran)
}

/// The parent's lifted trace → constraints → answer → input.
fn bend(
    worker: &mut Worker<'_>,
    campaign: &Campaign<'_>,
    parent: RunId,
    limits: Limits,
    question: impl FnOnce(&mut LiftedRun, &ProgramMap) -> Result<Question, String>,
) -> Solved {
    let number = worker.number;
    let Some((lifted, solver)) = campaign.lifted(worker, parent) else {
        return Solved::trace_lost(number);
    };
    let recorded = lifted.recorded().clone();
    let question = match question(lifted, campaign.map()) {
        Ok(question) => question,
        Err(what) => return Solved::malformed(number, recorded, what),
    };
    let started = campaign.now();
    let Asked { model, answer, queries, core, free } =
        ask(lifted, &question, solver, &|| campaign.solve_limits(limits));
    let solving = campaign.now().saturating_sub(started);
    campaign.book(Use::Solving, solving);
    let solve_us = solving.as_micros() as u64;
    let input = model.map(|model| patched(&recorded.input, &model));
    let contradicts = core.and_then(|core| question.contradicts(&core, &recorded.path.decisions));
    let free = question.decisions(&free, &recorded.path.decisions);
    let recorded = Some(recorded);
    Solved { recorded, input, answer, contradicts, free, queries, solve_us, worker: number }
}
