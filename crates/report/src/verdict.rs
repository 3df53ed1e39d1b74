//! What is to be said of a branch: covered, or open and why.

use crate::{Data, FlipFacts, Loss};
use events::{Follows, Place, Unsolved};
use program::{BranchId, FunctionId};
use std::collections::BTreeMap;
use trace::Reason;

/// What is known of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some run took it.
    Covered,
    /// No run took it.
    Open(Why),
}

/// Why a branch is open. Of several reasons the one that leaves most hope is told (a solver that gave up might not, with
/// more time); the order here is that of the reports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The solver gave no answer on some path.
    GaveUp(Unsolved),
    /// An input was found, but its run went elsewhere.
    Diverged,
    /// Reached; its condition depends on the input, but its turn did not come.
    NeverTried,
    /// Reached, its condition was concrete, and symbolic data was lost in the same function.
    Lost(Reason),
    /// Reached, its condition held no input, but what it compares was another for other inputs.
    Follows(Follows),
    /// Reached, and its condition was not seen to depend on the input.
    Concrete,
    /// Infeasible on all paths tried, given values that were pinned where precision was lost.
    InfeasiblePinned,
    /// Infeasible on all paths tried.
    Infeasible,
    /// Its function was entered, but its condition never decided.
    NotReached,
    /// Its function was never entered.
    NotEntered,
}

impl Why {
    /// For people, in a few words.
    pub fn text(&self) -> String {
        match self {
            Why::GaveUp(unsolved) => format!("solver gave up ({})", unsolved_text(unsolved)),
            Why::Diverged => "input found, but the run went elsewhere".into(),
            Why::NeverTried => "depends on the input, its turn did not come".into(),
            Why::Lost(reason) => format!("concrete condition; input lost nearby ({})", reason.text()),
            Why::Follows(Follows::Bytes) => "concrete condition: it depends on how many bytes there are".into(),
            Why::Follows(Follows::Branch { .. }) => {
                "concrete condition: it depends on how often another branch was taken".into()
            }
            Why::Follows(Follows::Input) => {
                "concrete condition: it depends on the input through control flow".into()
            }
            Why::Concrete => {
                "concrete condition: not seen to depend on the input through data; it may through control flow".into()
            }
            Why::InfeasiblePinned => "infeasible on all paths tried, with pinned values".into(),
            Why::Infeasible => "infeasible on all paths tried".into(),
            Why::NotReached => "never reached in a function that was entered".into(),
            Why::NotEntered => "in a function that was never entered".into(),
        }
    }
}

fn unsolved_text(unsolved: &Unsolved) -> String {
    match unsolved {
        Unsolved::WorkLimit => "work limit".into(),
        Unsolved::TimeLimit => "time limit".into(),
        Unsolved::Unsupported(what) => format!("cannot express {what}"),
        Unsolved::WrongModel => "wrong model: a bug of the solver".into(),
        Unsolved::Failed(what) => format!("failed: {what}"),
        Unsolved::TraceLost => "the program behaved differently on the same input".into(),
        Unsolved::Malformed(what) => format!("malformed trace: {what}"),
    }
}

/// The verdict on a branch.
///
/// # Panics
/// If the program has no such branch.
pub fn verdict(data: &Data<'_>, branch: BranchId) -> Verdict {
    if data.coverage.has(branch) {
        return Verdict::Covered;
    }
    let facts = data.flips.get(&branch);
    if let Some(why) = facts.and_then(from_flips) {
        return Verdict::Open(why);
    }
    let function = data.map.function_of(branch);
    let cond = data.map.branches[branch.index()].cond;
    let reached = data.map.branches_of(cond).any(|b| data.coverage.has(b));
    Verdict::Open(match (reached, data.coverage.entered(function)) {
        (true, _) if data.symbolic.contains(&cond) => Why::NeverTried,
        (true, _) if data.follows.contains_key(&cond) => Why::Follows(data.follows[&cond]),
        (true, _) => lost_in(data, function).map_or(Why::Concrete, Why::Lost),
        (false, true) => Why::NotReached,
        (false, false) => Why::NotEntered,
    })
}

fn from_flips(facts: &FlipFacts) -> Option<Why> {
    if let Some(unsolved) = facts.gave_up.iter().max_by_key(|(_, n)| **n).map(|(u, _)| u) {
        return Some(Why::GaveUp(unsolved.clone()));
    }
    match facts {
        FlipFacts { diverged: 1.., .. } | FlipFacts { found: 1.., .. } => Some(Why::Diverged),
        FlipFacts { infeasible_pinned: 1.., .. } => Some(Why::InfeasiblePinned),
        FlipFacts { infeasible: 1.., .. } => Some(Why::Infeasible),
        _ => None,
    }
}

/// The reason for which `function` lost precision most often.
fn lost_in(data: &Data<'_>, function: FunctionId) -> Option<Reason> {
    losses_in(data, &[function], None).first().map(|loss| loss.0)
}

/// Precision lost (or only what was `pinned` or not) in these functions, the most frequent first.
pub(crate) fn losses_in(
    data: &Data<'_>,
    functions: &[FunctionId],
    pinned: Option<bool>,
) -> Vec<(Reason, Place, Loss)> {
    let inside = |place: Place| match place {
        Place::Call(call) => {
            let call = data.map.calls.get(call.index());
            call.is_some_and(|c| functions.contains(&data.map.blocks[c.block.index()].function))
        }
        Place::Function(f) => functions.contains(&f),
        Place::Site(_) => false,
    };
    let wanted = |loss: &Loss| pinned.is_none_or(|pinned| pinned == loss.pinned);
    let here = data.losses.iter().filter(|&(&(_, place), loss)| inside(place) && wanted(loss));
    let mut found: Vec<_> = here.map(|(&(reason, place), &loss)| (reason, place, loss)).collect();
    found.sort_by_key(|(_, _, loss)| std::cmp::Reverse(loss.count));
    found
}

/// Open branches of one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenGroup {
    /// The reason.
    pub why: Why,
    /// The branches, ascending.
    pub branches: Vec<BranchId>,
}

/// All open branches by reason. Losses at different calls count as one reason.
pub fn open_groups(data: &Data<'_>) -> Vec<OpenGroup> {
    let mut groups: BTreeMap<(u8, String), OpenGroup> = BTreeMap::new();
    for branch in data.coverage.uncovered() {
        let Verdict::Open(why) = verdict(data, branch) else { continue };
        let key = (rank(&why), why.text());
        groups.entry(key).or_insert_with(|| OpenGroup { why, branches: Vec::new() }).branches.push(branch);
    }
    groups.into_values().collect()
}

fn rank(why: &Why) -> u8 {
    match why {
        Why::GaveUp(_) => 0,
        Why::Diverged => 1,
        Why::NeverTried => 2,
        Why::Follows(..) => 3,
        Why::Lost(..) => 3,
        Why::Concrete => 4,
        Why::InfeasiblePinned => 5,
        Why::Infeasible => 6,
        Why::NotReached => 7,
        Why::NotEntered => 8,
    }
}
