//! Goals beside the source's branches: functions to enter, calls that report errors, outcomes of small checks by caller, callees that
//! the input chooses.

use crate::text::{align, branch, count, grouped, of, place};
use crate::{Data, Look, Question};
use comfy_table::Cell;
use program::{BranchId, Callee, Cfcg, FunctionId, GoalKind, ProgramMap, Tally};
use serde_json::{Value, json as object};

/// Examples named per kind of goal, and callers per function.
const EXAMPLES: usize = 3;

/// What of these goals was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goals {
    /// Functions of the program that can be reached, as far as its text tells, and that no run entered.
    pub functions: Vec<FunctionId>,
    /// Calls that report an error.
    pub errors: Tally,
    /// Those that no run made.
    pub open_errors: Vec<BranchId>,
    /// Outcomes of conditionals in small functions, by caller.
    pub contexts: Tally,
    /// Those that no run had.
    pub open_contexts: Vec<BranchId>,
    /// Callees that the input can choose at indirect calls, and how many of them were called or cannot be.
    pub callees: Tally,
}

impl Goals {
    /// Of a campaign.
    pub fn of(data: &Data<'_>) -> Goals {
        let map = data.map;
        let graph = Cfcg::new(map);
        let reachable = map.reachable(&graph, true);
        let is_open = |f: &FunctionId| {
            let can_be = reachable.as_ref().is_none_or(|reached| reached.has(graph.entry(*f)));
            can_be && !data.coverage.entered(*f)
        };
        let mut goals = Goals {
            functions: (0..map.n_own_functions() as u32).map(FunctionId).filter(is_open).collect(),
            errors: Tally::default(),
            open_errors: Vec::new(),
            contexts: Tally::default(),
            open_contexts: Vec::new(),
            callees: Tally { covered: data.ledger.callees, total: data.ledger.callees_total },
        };
        for (cond, kind) in map.goal_conds() {
            let (tally, open) = match kind {
                // Calls from where callers are not told apart.
                GoalKind::Context { calls, .. } if calls.is_empty() => continue,
                GoalKind::Context { .. } => (&mut goals.contexts, &mut goals.open_contexts),
                GoalKind::ErrorCall(_) => (&mut goals.errors, &mut goals.open_errors),
            };
            for b in map.branches_of(cond) {
                let reached = data.goals.contains(&b);
                tally.count(reached);
                open.extend((!reached).then_some(b));
            }
        }
        goals
    }

    /// For programs.
    pub fn json(&self, data: &Data<'_>) -> Value {
        let tally = |tally: Tally| object!({ "reached": tally.covered, "total": tally.total });
        let name = |f: &FunctionId| data.map.functions[f.index()].name.clone();
        object!({
            "functions_never_entered": self.functions.iter().map(name).collect::<Vec<_>>(),
            "error_calls": tally(self.errors),
            "error_calls_not_made": self.open_errors.iter().map(|&b| call_place(data.map, b)).collect::<Vec<_>>(),
            "checks_by_caller": tally(self.contexts),
            "callees": tally(self.callees),
        })
    }
}

/// Lines of the summary: what was reached.
pub(crate) fn lines(goals: &Goals) -> String {
    let kinds = [
        (goals.errors, "calls that report an error made"),
        (goals.contexts, "outcomes of small checks seen, caller by caller"),
        (goals.callees, "callees that the input can choose called"),
    ];
    let lines = kinds.iter().filter(|(tally, _)| tally.total > 0);
    lines.map(|(tally, what)| format!("  {} {what}\n", of(*tally))).collect()
}

/// Table of the summary: what was not reached.
pub(crate) fn table(data: &Data<'_>, goals: &Goals, look: &Look) -> String {
    let first = |names: &mut dyn Iterator<Item = String>| names.take(EXAMPLES).collect::<Vec<_>>().join(", ");
    let map = data.map;
    let rows = [
        (
            goals.functions.len(),
            "functions never entered",
            first(&mut goals.functions.iter().map(|f| map.functions[f.index()].name.clone())),
        ),
        (
            goals.open_errors.len(),
            "calls that report an error, not made",
            first(&mut goals.open_errors.iter().map(|&b| call_place(map, b))),
        ),
        (
            goals.open_contexts.len(),
            "outcomes of small checks that this caller never had",
            first(&mut goals.open_contexts.iter().map(|&b| branch(map, b))),
        ),
        (
            (goals.callees.total - goals.callees.covered.min(goals.callees.total)) as usize,
            "callees that the input may choose, not called",
            String::new(),
        ),
    ];
    if rows.iter().all(|row| row.0 == 0) {
        return String::new();
    }
    let mut table = look.table(&["open", "what", "for example"], &[0]);
    for (n, what, examples) in rows.into_iter().filter(|row| row.0 > 0) {
        let cells = [grouped(n as u64), what.into(), examples];
        table.add_row(cells.into_iter().enumerate().map(|(i, c)| align(Cell::new(c), i == 0)));
    }
    look.heading("Other goals, not reached") + &table.trim_fmt() + "\n"
}

/// `parse.c:12 (abort)`: a call that reports an error, by its branch.
fn call_place(map: &ProgramMap, goal: BranchId) -> String {
    let cond = map.branches[goal.index()].cond;
    let at = place(map, map.conds[cond.index()].span);
    let call = map.goal_conds().find(|(id, _)| *id == cond).and_then(|(_, kind)| match kind {
        GoalKind::ErrorCall(call) => map.callee_name(*call),
        GoalKind::Context { .. } => None,
    });
    call.map_or_else(|| at.clone(), |name| format!("{at} ({name})"))
}

/// Of a function that somebody asks about: whether it was entered, and who calls it. Empty for other questions.
pub fn about(data: &Data<'_>, question: &Question, look: &Look) -> String {
    let Question::Function(name) = question else { return String::new() };
    let map = data.map;
    let ids = (0..map.functions.len() as u32).map(FunctionId);
    let named = |f: &FunctionId| {
        let function = &map.functions[f.index()];
        function.name == *name || function.linkage_name == *name
    };
    let mut text = String::new();
    for id in ids.filter(named).filter(|id| map.is_own(*id)) {
        let function = &map.functions[id.index()];
        let state = if data.coverage.entered(id) { "entered" } else { "never entered" };
        let heading = format!("{} in {}: function, {state}", function.name, place(map, function.span));
        text += &look.heading(&heading);
        if data.coverage.entered(id) {
            continue;
        }
        let calls = map.calls.iter().filter(|call| call.callee == Callee::Function(id));
        let mut places: Vec<String> = calls.map(|call| place(map, call.span)).collect();
        places.dedup();
        let more = places.len().saturating_sub(EXAMPLES);
        places.truncate(EXAMPLES);
        let mut called = match places.len() {
            0 => "no call in the program names it".to_owned(),
            _ => format!("called at {}", places.join(", ")),
        };
        if more > 0 {
            called += &format!(" and {}", count(more as u64, "more place", "more places"));
        }
        if function.address_taken {
            called += "; its address is taken: calls through pointers may reach it";
        }
        text += &look.list(&[called]);
    }
    text
}
