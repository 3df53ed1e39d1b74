//! Why a branch is open: everything that is known of the conditionals at a line or in a function.

use crate::text::{branch, count, grouped, outcome_name, place};
use crate::verdict::{Verdict, Why, losses_in, verdict};
use crate::{Data, FlipFacts, Look};
use events::{Follows, Place};
use program::{BranchId, Callee, Cfcg, CondId, CondKind, FunctionId, GoalKind, ProgramMap, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Losses named per branch.
const LOSSES: usize = 3;

/// What somebody asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// A line of a file, whose name ends like this.
    Line(String, u32),
    /// A function.
    Function(String),
}

impl Question {
    /// `FILE:LINE`, else a function's name.
    pub fn parse(text: &str) -> Question {
        match text.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
            Some((file, Ok(line))) if !file.is_empty() => Question::Line(file.into(), line),
            _ => Question::Function(text.into()),
        }
    }
}

/// The conditionals that a question is about, in program order; none in a function without any. For a line without any: those of the nearest line of
/// the same file that has some.
///
/// # Errors
/// When there is no such file or function, or the file has no conditionals: what there is instead, for people.
pub fn conditionals(map: &ProgramMap, question: &Question) -> Result<Vec<CondId>, String> {
    let ids = || (0..map.conds.len() as u32).map(CondId);
    match question {
        Question::Function(name) => {
            let is_named = |f: FunctionId| {
                let function = &map.functions[f.index()];
                function.name == *name || function.linkage_name == *name
            };
            if !(0..map.functions.len() as u32).any(|f| is_named(FunctionId(f))) {
                return Err(format!(
                    "the program has no function `{name}`; to ask about a line write FILE:LINE"
                ));
            }
            let found: Vec<CondId> = ids().filter(|c| is_named(map.conds[c.index()].function)).collect();
            Ok(found)
        }
        Question::Line(file, line) => {
            let is_meant =
                |path: &str| path == file || path.ends_with(&format!("/{}", file.trim_start_matches("./")));
            let known: FxHashSet<u32> =
                (0..).zip(&map.files).filter(|(_, path)| is_meant(path)).map(|(k, _)| k).collect();
            if known.is_empty() {
                return Err(format!("no file of the program is called `{file}`"));
            }
            let line_of = |c: &CondId| {
                let span = map.conds[c.index()].span;
                span.file.filter(|f| known.contains(&f.0)).map(|_| span.line)
            };
            let nearest = ids().filter_map(|c| line_of(&c)).min_by_key(|l| l.abs_diff(*line));
            let nearest = nearest.ok_or_else(|| format!("`{file}` has no branches"))?;
            Ok(ids().filter(|c| line_of(c) == Some(nearest)).collect())
        }
    }
}

/// What is known of these conditionals, for people.
pub fn why(data: &Data<'_>, conds: &[CondId], look: &Look) -> String {
    let graph = Cfcg::new(data.map);
    let explainer = Explainer { data, reached: reached(data, &graph), graph };
    let mut text = String::new();
    for &cond in conds {
        let c = &data.map.conds[cond.index()];
        let function = &data.map.functions[c.function.index()].name;
        let kind = match &c.kind {
            // Calls that are not told apart.
            CondKind::Goal(GoalKind::Context { calls, .. }) if calls.is_empty() => continue,
            CondKind::If => "condition",
            CondKind::Select => "choice without control flow",
            CondKind::Switch { .. } => "switch",
            CondKind::Goal(GoalKind::Context { .. }) => "condition, called from here",
            CondKind::Goal(GoalKind::ErrorCall(_)) => "call that reports an error",
        };
        text += &look.heading(&format!("{} in {function}: {kind}", place(data.map, c.span)));
        for b in data.map.branches_of(cond) {
            text += &look.list(&[format!("{}: {}", outcome_name(data.map, b), explainer.state(b))]);
            let details: Vec<String> =
                explainer.details(b).into_iter().map(|line| format!("  {line}")).collect();
            text += &look.list(&details);
        }
    }
    text
}

struct Explainer<'d, 'm> {
    data: &'d Data<'m>,
    graph: Cfcg,
    /// Vertices that some run reached, as far as coverage tells.
    reached: FxHashSet<Vertex>,
}

impl Explainer<'_, '_> {
    fn state(&self, b: BranchId) -> String {
        if b.index() >= self.data.map.first_goal() {
            return if self.data.goals.contains(&b) { "reached".into() } else { "not reached".into() };
        }
        match verdict(self.data, b) {
            Verdict::Covered => match self.data.covered_by.get(&b) {
                Some(file) => format!("covered, first by {file}"),
                None => "covered".into(),
            },
            Verdict::Open(why) => format!("open, {}", why.text()),
        }
    }

    fn details(&self, b: BranchId) -> Vec<String> {
        if b.index() >= self.data.map.first_goal() {
            return Vec::new();
        }
        let Verdict::Open(why) = verdict(self.data, b) else { return Vec::new() };
        let mut lines: Vec<String> = self.data.flips.get(&b).map(effort).into_iter().collect();
        let function = self.data.map.function_of(b);
        match why {
            Why::NotReached | Why::NotEntered => lines.push(self.way_there(b)),
            Why::InfeasiblePinned => lines.extend(self.losses(function, Some(true))),
            Why::Lost(_) | Why::Concrete => lines.extend(self.losses(function, None)),
            Why::NeverTried => lines.push("a larger budget may help: --time, --runs, and --resume".into()),
            Why::GaveUp(_) => lines.push("more time may help: --solver-timeout".into()),
            Why::Follows(follows) => lines.push(self.followed(follows)),
            Why::Infeasible => lines.extend(self.contradiction(b)),
            Why::Diverged => {}
        }
        lines
    }

    /// What a condition without input was seen to follow.
    fn followed(&self, follows: Follows) -> String {
        match follows {
            Follows::Bytes => "what it compares moved with the number of bytes of the input".into(),
            Follows::Branch { branch: of } if of.index() < self.data.map.branches.len() => {
                format!("what it compares moved as often as {} was taken", branch(self.data.map, of))
            }
            _ => "what it compares was another for other inputs: counts or flags set elsewhere".into(),
        }
    }

    /// What was taken before on one path and excludes the branch. Branches of library code are no branches of the map.
    fn contradiction(&self, b: BranchId) -> Option<String> {
        let with = self.data.flips.get(&b)?.contradicts.as_ref()?;
        if with.iter().any(|other| other.index() >= self.data.map.branches.len()) {
            return None;
        }
        let mut places: Vec<String> = with.iter().map(|&other| branch(self.data.map, other)).collect();
        // Several conditions on one line.
        places.dedup();
        Some(match places.len() {
            0 => "its condition contradicts itself, whatever the input".into(),
            _ => format!("contradicts {}, taken before on a path tried", places.join(", ")),
        })
    }

    /// The nearest place that was reached, and the branch that closes the way from there.
    fn way_there(&self, b: BranchId) -> String {
        let start = self.graph.branch(b);
        let mut next: FxHashMap<Vertex, Vertex> = FxHashMap::default();
        let mut queue = VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            for before in self.graph.predecessors(v) {
                if self.reached.contains(&before) {
                    return self.gate(before, v, b);
                }
                if before != start && !next.contains_key(&before) {
                    next.insert(before, v);
                    queue.push_back(before);
                }
            }
        }
        let function = &self.data.map.functions[self.data.map.function_of(b).index()];
        let pointer = if function.address_taken {
            "; its address is taken: calls through pointers may reach it"
        } else {
            ""
        };
        format!("no call that was reached leads to {}{pointer}", function.name)
    }

    /// `from` was reached, `to` behind it was not, on a shortest way to `b`.
    fn gate(&self, from: Vertex, to: Vertex, b: BranchId) -> String {
        let map = self.data.map;
        match self.graph.as_branch(to) {
            Some(gate) if gate == b => "its block was reached, but the run ended there".into(),
            Some(gate) => {
                format!("the way there is closed at {}, {}", branch(map, gate), self.state(gate))
            }
            None => {
                let span = self.graph.place(from).map(|(block, step)| {
                    match map.blocks[block.index()].steps.get(step) {
                        Some(program::Step::Call(call)) => place(map, map.calls[call.index()].span),
                        _ => place(map, map.functions[map.blocks[block.index()].function.index()].span),
                    }
                });
                format!("nearest reached: {}, behind which no run went on", span.unwrap_or_default())
            }
        }
    }

    /// Where the function, or else the functions it calls, lost sight of the input.
    fn losses(&self, function: FunctionId, pinned: Option<bool>) -> Vec<String> {
        let own = losses_in(self.data, &[function], pinned);
        let found = if own.is_empty() { losses_in(self.data, &self.callees(function), pinned) } else { own };
        if found.is_empty() {
            return vec![
                "no loss of symbolic data is known here or in the functions called from here".into(),
            ];
        }
        let line = |(reason, at, loss): (trace::Reason, Place, crate::Loss)| {
            let what = if loss.pinned { "pinned" } else { "lost" };
            let times = count(loss.count, "time", "times");
            format!("input {what} {}: {}, {times}", self.place_of(at), reason.text())
        };
        found.into_iter().take(LOSSES).map(line).collect()
    }

    fn callees(&self, function: FunctionId) -> Vec<FunctionId> {
        let map = self.data.map;
        let here = map.calls.iter().filter(|c| map.blocks[c.block.index()].function == function);
        here.filter_map(|c| match c.callee {
            Callee::Function(f) => Some(f),
            _ => None,
        })
        .collect()
    }

    fn place_of(&self, at: Place) -> String {
        let map = self.data.map;
        match at {
            Place::Call(call) => match map.calls.get(call.index()) {
                Some(c) => match &c.callee {
                    Callee::External(name) => format!("by the call of {name} at {}", place(map, c.span)),
                    _ => format!("at {}", place(map, c.span)),
                },
                None => "at an unknown call".into(),
            },
            Place::Function(f) => {
                map.functions.get(f.index()).map_or_else(String::new, |f| format!("in {}", f.name))
            }
            Place::Site(_) => "in a library function".into(),
        }
    }
}

/// What was spent on a branch.
fn effort(facts: &FlipFacts) -> String {
    let parts = [
        (facts.found, "an input found"),
        (facts.infeasible, "infeasible"),
        (facts.infeasible_pinned, "infeasible with pinned values"),
        (facts.gave_up.values().sum(), "without answer"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n))).collect();
    let mut text = format!("tried {}: {}", count(facts.tried(), "time", "times"), parts.join(", "));
    if facts.diverged > 0 {
        text += &format!("; {} went elsewhere", count(facts.diverged, "run", "runs"));
    }
    if facts.queries > 0 {
        let seconds = facts.solving.as_secs_f64();
        text += &format!("; {} in {seconds:.1} s", count(facts.queries, "solver query", "solver queries"));
    }
    text
}

/// Vertices that were reached: from the entries of entered functions along covered branches; calls are taken to return.
fn reached(data: &Data<'_>, graph: &Cfcg) -> FxHashSet<Vertex> {
    let functions = (0..data.map.functions.len() as u32).map(FunctionId);
    let entries: FxHashMap<Vertex, FunctionId> = functions.map(|f| (graph.entry(f), f)).collect();
    let allowed = |v: Vertex| match (graph.as_branch(v), entries.get(&v)) {
        (Some(b), _) => data.coverage.has(b),
        (None, Some(&f)) => data.coverage.entered(f),
        (None, None) => true,
    };
    let mut stack: Vec<Vertex> = entries.keys().copied().filter(|&v| allowed(v)).collect();
    let mut reached: FxHashSet<Vertex> = stack.iter().copied().collect();
    while let Some(v) = stack.pop() {
        for next in graph.successors(v) {
            if allowed(next) && reached.insert(next) {
                stack.push(next);
            }
        }
    }
    reached
}
