//! Records put together: per target and budget, what each strategy came to, and how each pair compares.

use crate::curve::Over;
use crate::plan::{Metric, Plan};
use crate::record::{Record, is_named};
use crate::statistics::{Effect, Spread, Test, a12, mann_whitney};
use std::collections::BTreeMap;

/// All campaigns on one target with one budget.
#[derive(Clone, Debug)]
pub struct Comparison<'r> {
    /// Name of the target.
    pub target: String,
    /// Name of the budget.
    pub budget: String,
    /// What strategies are compared by.
    pub metric: Metric,
    /// Functions that any campaign on the program entered.
    pub reachable: Reachable,
    /// What is to be reached, if the target names something.
    pub goal: Option<String>,
    /// One a strategy, in the order of the file.
    pub groups: Vec<Group<'r>>,
    /// Every two strategies with campaigns.
    pub pairs: Vec<Pair>,
}

/// Functions that any campaign on a program entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reachable {
    /// Their branches.
    pub branches: u32,
    /// Whether the target sets functions aside, entered or not.
    pub sets_aside: bool,
    /// Those that it sets aside and that have branches: names by number.
    pub aside: BTreeMap<u32, String>,
    /// The branches of these.
    pub branches_aside: u32,
}

/// Campaigns that differ in their seed only.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    /// Name of the strategy.
    pub strategy: String,
    /// How many campaigns there are to be.
    pub planned: usize,
    /// Those that ran to their end.
    pub done: Vec<&'r Record>,
    /// Those that were lost.
    pub lost: Vec<&'r Record>,
    /// The measure of each that is done, in the same order.
    pub values: Vec<f64>,
    /// The paper's value.
    pub paper: Option<f64>,
}

/// What is less likely than this by chance alone is not called chance.
const LEVEL: f64 = 0.05;

/// Two strategies against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Name of the first.
    pub first: String,
    /// Name of the second.
    pub second: String,
    /// Mann–Whitney U test of their measures.
    pub test: Test,
    /// How likely a campaign of the first has the larger measure.
    pub a12: f64,
}

impl Pair {
    /// Whether the first is above the second, and how clearly.
    pub fn effect(&self) -> Effect {
        Effect::of(self.a12)
    }

    /// In words: who covers more.
    pub fn words(&self) -> String {
        match self.effect() {
            Effect::Negligible => "no difference to speak of".to_owned(),
            effect => {
                let (more, less) =
                    if self.a12 > 0.5 { (&self.first, &self.second) } else { (&self.second, &self.first) };
                let chance = if self.test.p > LEVEL { " (may be chance)" } else { "" };
                format!("{more} above {less}, {}{chance}", effect.word())
            }
        }
    }
}

impl Group<'_> {
    /// Median and range of anything about its campaigns.
    pub fn spread(&self, of: impl Fn(&Record) -> f64) -> Option<Spread> {
        Spread::of(self.done.iter().map(|r| of(r)))
    }

    /// Median and range of the measure.
    pub fn measure(&self) -> Option<Spread> {
        Spread::of(self.values.iter().copied())
    }

    /// How many campaigns reached what was to be reached, and the CPU time that took them.
    pub fn reached(&self) -> (usize, Option<Spread>) {
        let times: Vec<f64> = self.done.iter().filter_map(|r| Some(r.reached?.cpu)).collect();
        (times.len(), Spread::of(times))
    }
}

impl Comparison<'_> {
    /// Whether there is anything to show.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|g| g.done.is_empty() && g.lost.is_empty())
    }

    /// Its name in the names of files.
    pub fn file_name(&self) -> String {
        crate::text::folder_name(&format!("{} {}", self.target, self.budget))
    }

    /// Over what coverage can be drawn.
    pub fn axes(&self) -> Vec<Over> {
        let drawn = |over: &Over| self.groups.iter().flat_map(|g| &g.done).any(|r| over.end(r) > 0.0);
        [Over::Cpu, Over::Runs].into_iter().filter(drawn).collect()
    }
}

/// Puts the records of a plan together; those of no campaign of the plan are left out.
pub fn comparisons<'r>(plan: &Plan, records: &'r [Record]) -> Vec<Comparison<'r>> {
    let mut all = Vec::new();
    for (number, target) in plan.targets.iter().enumerate() {
        let on_program = |r: &&Record| {
            let of_program = plan.targets.iter().filter(|t| t.program == target.program);
            r.is_done() && of_program.into_iter().any(|t| t.name == r.target)
        };
        let reachable = reachable(records.iter().filter(on_program), &target.aside);
        for &which in &target.budgets {
            let budget = &plan.budgets[which].name;
            let group = |strategy: usize| {
                let name = &plan.strategies[strategy].name;
                let belongs = |r: &&Record| {
                    r.target == target.name
                        && r.strategy == *name
                        && r.budget == *budget
                        && target.seeds.contains(&r.seed)
                        && r.repetition <= plan.repetitions
                };
                let (done, lost): (Vec<_>, Vec<_>) =
                    records.iter().filter(belongs).partition(|r| r.is_done());
                Group {
                    strategy: name.clone(),
                    planned: target.seeds.len() * plan.repetitions as usize,
                    values: done.iter().map(|r| measure(r, target.metric, &reachable)).collect(),
                    paper: target.paper.get(name).copied(),
                    done,
                    lost,
                }
            };
            let groups: Vec<Group<'r>> = plan.strategies_of(number, which).map(group).collect();
            all.push(Comparison {
                target: target.name.clone(),
                budget: budget.clone(),
                metric: target.metric,
                reachable: reachable.clone(),
                goal: target.reached.clone(),
                pairs: pairs(&groups),
                groups,
            });
        }
    }
    all
}

fn reachable<'r>(records: impl Iterator<Item = &'r Record>, aside: &[String]) -> Reachable {
    let mut found = Reachable { sets_aside: !aside.is_empty(), ..Reachable::default() };
    let mut branches = BTreeMap::new();
    for function in records.flat_map(|r| &r.entered) {
        branches.insert(function.number, function.branches);
        let is_aside = |given: &String| is_named(given, &function.name, &function.linkage_name);
        if function.branches > 0 && aside.iter().any(is_aside) {
            found.aside.insert(function.number, function.name.clone());
        }
    }
    found.branches = branches.values().sum();
    found.branches_aside = found.aside.keys().map(|number| branches[number]).sum();
    found
}

/// The measure of a campaign. Of no branches at all, everything is covered.
pub(crate) fn measure(record: &Record, metric: Metric, reachable: &Reachable) -> f64 {
    let part =
        |covered: u32, of: u32| if of == 0 { 100.0 } else { f64::from(covered) * 100.0 / f64::from(of) };
    let share = |of: u32| part(record.branches, of);
    match metric {
        Metric::Relative => share(record.branches_entered()),
        Metric::Reachable => share(reachable.branches),
        Metric::Comparable => {
            let aside = record.entered.iter().filter(|f| reachable.aside.contains_key(&f.number));
            // Where it is not known how many were covered, none of the others is made up.
            let aside: u32 = aside.map(|f| f.covered.unwrap_or(f.branches)).sum();
            part(record.branches.saturating_sub(aside), reachable.branches - reachable.branches_aside)
        }
        Metric::Absolute => share(record.branches_in_all),
        Metric::Branches => f64::from(record.branches),
    }
}

fn pairs(groups: &[Group<'_>]) -> Vec<Pair> {
    let mut all = Vec::new();
    for (i, first) in groups.iter().enumerate() {
        for second in &groups[i + 1..] {
            let (test, a12) =
                (mann_whitney(&first.values, &second.values), a12(&first.values, &second.values));
            if let (Some(test), Some(a12)) = (test, a12) {
                all.push(Pair { first: first.strategy.clone(), second: second.strategy.clone(), test, a12 });
            }
        }
    }
    all
}
