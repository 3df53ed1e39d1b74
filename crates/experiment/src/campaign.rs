//! The campaigns of a plan, and the command of each.

use crate::plan::{Plan, Setting};
use crate::text::folder_name;

/// A campaign to be made: positions in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Campaign {
    /// Position in [`Plan::targets`].
    pub target: usize,
    /// Position in [`Plan::strategies`].
    pub strategy: usize,
    /// Position in [`Plan::budgets`].
    pub budget: usize,
    /// Seed of random choices.
    pub seed: u64,
    /// Which repetition of it, from 1.
    pub repetition: u32,
}

/// A word of a command, and the line of the bench file it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As the file has it, `${NAME}` unexpanded.
    pub text: String,
    /// Line of the bench file.
    pub line: usize,
}

impl Plan {
    /// All campaigns, seed by seed, so that what was made when somebody interrupts can be compared.
    pub fn campaigns(&self) -> Vec<Campaign> {
        let mut all = Vec::new();
        let rounds = self.targets.iter().map(|t| t.seeds.len()).max().unwrap_or(0);
        for repetition in 1..=self.repetitions {
            for round in 0..rounds {
                for (target, t) in self.targets.iter().enumerate() {
                    let Some(&seed) = t.seeds.get(round) else { continue };
                    for &budget in &t.budgets {
                        let of = |strategy| Campaign { target, strategy, budget, seed, repetition };
                        all.extend(self.strategies_of(target, budget).map(of));
                    }
                }
            }
        }
        all
    }

    /// Strategies that are tried on a target with a budget.
    pub(crate) fn strategies_of(&self, target: usize, budget: usize) -> impl Iterator<Item = usize> {
        let strategies = self.targets[target].strategies.iter().copied();
        strategies.filter(move |&s| self.strategies[s].budgets.contains(&budget))
    }

    /// `TARGET/STRATEGY/BUDGET/SEED` of a campaign, where its folder is; with `-N` for the N-th repetition.
    pub fn slot(&self, campaign: &Campaign) -> String {
        let names = [
            &self.targets[campaign.target].name,
            &self.strategies[campaign.strategy].name,
            &self.budgets[campaign.budget].name,
        ];
        let folders = names.map(|name| folder_name(name)).join("/");
        match campaign.repetition {
            1 => format!("{folders}/{}", campaign.seed),
            n => format!("{folders}/{}-{n}", campaign.seed),
        }
    }

    /// What stands behind `spelunk explore`: all but where the campaign's folder is.
    pub fn command(&self, campaign: &Campaign) -> Vec<Word> {
        let target = &self.targets[campaign.target];
        let strategy = &self.strategies[campaign.strategy];
        let budget = &self.budgets[campaign.budget];
        let mut words = Words(Vec::new());
        target.program.iter().for_each(|part| words.add(part.clone(), target.line));
        words.add(format!("--strategy={}", strategy.kind), strategy.line);
        words.add(format!("--seed={}", campaign.seed), 1);
        words.option("runs", budget.runs.map(|n| n.to_string()), budget.line);
        words.option("queries", budget.queries.map(|n| n.to_string()), budget.line);
        words.option("cpu", budget.cpu.clone(), budget.line);
        words.option("time", budget.time.clone(), budget.line);
        words.option("seeds", target.inputs.clone(), target.line);
        let replaced = |setting: &&Setting| !strategy.options.iter().any(|s| s.name == setting.name);
        for setting in target.options.iter().filter(replaced).chain(&strategy.options) {
            words.setting(setting);
        }
        if !target.args.is_empty() {
            words.add("--".into(), target.line);
            target.args.iter().for_each(|arg| words.add(arg.clone(), target.line));
        }
        words.0
    }
}

struct Words(Vec<Word>);

impl Words {
    fn add(&mut self, text: String, line: usize) {
        self.0.push(Word { text, line });
    }

    fn option(&mut self, name: &str, value: Option<String>, line: usize) {
        if let Some(value) = value {
            self.add(format!("--{name}={value}"), line);
        }
    }

    fn setting(&mut self, setting: &Setting) {
        for value in &setting.values {
            match value {
                Some(value) => self.add(format!("--{}={value}", setting.name), setting.line),
                None => self.add(format!("--{}", setting.name), setting.line),
            }
        }
    }
}

impl Word {
    /// The text with `${NAME}` replaced.
    ///
    /// # Errors
    /// The name of a variable that is not set, or the text behind a `${` that is never closed.
    pub fn expand(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut text = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, behind)) = rest.split_once("${") {
            let (name, after) = behind.split_once('}').ok_or_else(|| behind.to_owned())?;
            text += before;
            text += &variable(name).ok_or_else(|| name.to_owned())?;
            rest = after;
        }
        Ok(text + rest)
    }
}
