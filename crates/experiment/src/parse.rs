//! From the text of a bench file to a [`Plan`], with errors for people: the line, what is wrong, what is allowed.

use crate::plan::{Budget, Metric, Plan, Setting, Strategy, Target};
use crate::raw::{Names, RawBudget, RawPlan, RawStrategy, RawTarget};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use toml::{Spanned, Value};

/// Something is wrong with a bench file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct FileError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong and what is allowed; one line.
    pub what: String,
}

/// Options of `spelunk explore` that a bench file gives elsewhere, or that would spoil the comparison.
const ELSEWHERE: &[(&str, &str)] = &[
    ("strategy", "write strategy = \"…\" in [[strategy]]"),
    ("seed", "write seeds = [0, 1, 2] at the top of the file or in [[target]]"),
    ("seeds", "write inputs = \"FOLDER\" in [[target]]"),
    ("runs", "write it in [[budget]]"),
    ("queries", "write it in [[budget]]"),
    ("cpu", "write it in [[budget]]"),
    ("time", "write it in [[budget]]"),
    ("out", "each campaign has a folder of its own"),
    ("resume", "each campaign begins anew"),
    ("json", "the event log is in each campaign's folder"),
    ("help", "see spelunk explore --help"),
];

/// Reads a bench file. `stem`: its name without folder and ending, the title of a file that gives none.
///
/// # Errors
/// For what is no TOML, unknown keys, names that do not exist or are given twice, and what is missing.
pub fn parse(text: &str, stem: &str) -> Result<Plan, FileError> {
    let file = File { text };
    let raw: RawPlan = toml::from_str(text).map_err(|e| file.refused(&e))?;
    let metric = file.metric(raw.metric.as_ref())?.unwrap_or_default();
    let seeds = match &raw.seeds {
        Some(seeds) => file.seeds(seeds)?,
        None => vec![0],
    };
    let repetitions = raw.repetitions.as_ref().map_or(1, |n| *n.get_ref());
    if repetitions == 0 {
        let at = raw.repetitions.as_ref().map_or(0, |n| n.span().start);
        return Err(file.at(at, "repetitions = 0 makes no campaign at all; write 1 or more"));
    }
    let limit = raw.limit.as_ref().map(|limit| file.time(limit)).transpose()?;
    let budgets = raw.budget.iter().map(|b| file.budget(b)).collect::<Result<Vec<_>, FileError>>()?;
    let strategies =
        raw.strategy.iter().map(|s| file.strategy(s, &budgets)).collect::<Result<Vec<_>, FileError>>()?;
    for (what, example, none) in [
        ("target", "program = \"prog.c\"", raw.target.is_empty()),
        ("strategy", "name = \"auto\"", strategies.is_empty()),
        ("budget", "cpu = \"30s\"", budgets.is_empty()),
    ] {
        if none {
            let what =
                format!("there is no [[{what}]]; write for example:  [[{what}]] {example}  (on two lines)");
            return Err(FileError { line: 1, what });
        }
    }
    distinct("strategy", strategies.iter().map(|s| (s.name.as_str(), s.line)))?;
    distinct("budget", budgets.iter().map(|b| (b.name.as_str(), b.line)))?;
    let known = Known { file: &file, metric, seeds: &seeds, strategies: &strategies, budgets: &budgets };
    let targets = raw.target.iter().map(|t| known.target(t)).collect::<Result<Vec<_>, FileError>>()?;
    distinct("target", targets.iter().map(|t| (t.name.as_str(), t.line)))?;
    same_aside(&targets)?;
    Ok(Plan {
        title: raw.title.unwrap_or_else(|| stem.to_owned()),
        note: raw.note,
        reference: raw.reference,
        metric,
        seeds,
        repetitions,
        limit,
        targets,
        strategies,
        budgets,
    })
}

/// The text, for line numbers.
struct File<'t> {
    text: &'t str,
}

impl File<'_> {
    fn line(&self, offset: usize) -> usize {
        1 + self.text.as_bytes().iter().take(offset).filter(|&&b| b == b'\n').count()
    }

    fn at(&self, offset: usize, what: impl Into<String>) -> FileError {
        FileError { line: self.line(offset), what: what.into() }
    }

    fn refused(&self, error: &toml::de::Error) -> FileError {
        let what = error.message().trim().replace('\n', "; ");
        self.at(error.span().map_or(0, |span| span.start), what)
    }

    fn metric(&self, given: Option<&Spanned<String>>) -> Result<Option<Metric>, FileError> {
        let Some(given) = given else { return Ok(None) };
        let found = Metric::ALL.into_iter().find(|m| m.name() == given.get_ref());
        let all = Metric::ALL.map(Metric::name).join(", ");
        let wrong = || {
            self.at(
                given.span().start,
                format!("there is no metric \"{}\"; there are: {all}", given.get_ref()),
            )
        };
        found.map(Some).ok_or_else(wrong)
    }

    /// `seeds = 10` is 0 to 9, `seeds = [3, 5]` these.
    fn seeds(&self, given: &Spanned<Value>) -> Result<Vec<u64>, FileError> {
        let wrong = || {
            self.at(
                given.span().start,
                "seeds are a number of them, as in seeds = 10, or a list, as in seeds = [0, 7]",
            )
        };
        let seeds: Vec<u64> = match given.get_ref() {
            Value::Integer(n @ 1..=100_000) => (0..*n as u64).collect(),
            Value::Array(list) => {
                let seed = |v: &Value| v.as_integer().and_then(|n| u64::try_from(n).ok());
                list.iter().map(seed).collect::<Option<_>>().ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        };
        let distinct: BTreeSet<u64> = seeds.iter().copied().collect();
        match seeds.len() {
            0 => Err(wrong()),
            n if n > distinct.len() => {
                Err(self.at(given.span().start, "a seed is given twice; repetitions = N tries each N times"))
            }
            _ => Ok(seeds),
        }
    }

    /// `90s`, `5m`, `2h`.
    fn time(&self, given: &Spanned<String>) -> Result<Duration, FileError> {
        let text = given.get_ref().as_str();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let unit = match &text[split..] {
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => 0.0,
        };
        let seconds = text[..split].parse::<f64>().ok().map(|n| n * unit).filter(|&s| s > 0.0);
        let time = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
        time.ok_or_else(|| {
            self.at(given.span().start, format!("\"{text}\" is no time; write for example 90s, 5m or 2h"))
        })
    }

    fn strategy(&self, raw: &Spanned<RawStrategy>, budgets: &[Budget]) -> Result<Strategy, FileError> {
        let (at, raw) = (raw.span().start, raw.get_ref());
        let line = raw.strategy.as_ref().or(raw.name.as_ref()).map_or(at, |given| given.span().start);
        let first = |given: &Option<Spanned<String>>| given.as_ref().map(|s| s.get_ref().clone());
        let Some(name) = first(&raw.name).or_else(|| first(&raw.strategy)) else {
            return Err(self.at(at, "this [[strategy]] has no name; write name = \"auto\", for example"));
        };
        let kind = first(&raw.strategy).unwrap_or_else(|| name.clone());
        let options = self.settings(&raw.options)?;
        Ok(Strategy {
            name,
            kind,
            options,
            budgets: self.budgets(&raw.budgets, budgets)?,
            line: self.line(line),
        })
    }

    /// Budgets that are named, or all.
    fn budgets(&self, given: &Names, budgets: &[Budget]) -> Result<Vec<usize>, FileError> {
        let names: Vec<&str> = budgets.iter().map(|b| b.name.as_str()).collect();
        self.chosen(given, "budget", &names)
    }

    /// Positions of the names that are given, or all.
    fn chosen(&self, given: &Names, what: &str, names: &[&str]) -> Result<Vec<usize>, FileError> {
        let Some(list) = given else { return Ok((0..names.len()).collect()) };
        list.get_ref().iter().map(|name| self.position(what, name, list.span().start, names)).collect()
    }

    fn position(&self, what: &str, name: &str, at: usize, names: &[&str]) -> Result<usize, FileError> {
        names.iter().position(|n| *n == name).ok_or_else(|| {
            let all = names.join(", ");
            self.at(at, format!("there is no {what} named \"{name}\" in this file; there are: {all}"))
        })
    }

    fn budget(&self, raw: &Spanned<RawBudget>) -> Result<Budget, FileError> {
        let (at, raw) = (raw.span().start, raw.get_ref());
        let count = |n: Option<u64>, what: &str| n.map(|n| format!("{} {what}", crate::text::grouped(n)));
        let time = |t: &Option<String>, what: &str| t.as_ref().map(|t| format!("{t}{what}"));
        let parts = [
            count(raw.runs, "runs"),
            count(raw.queries, "queries"),
            time(&raw.cpu, " CPU"),
            time(&raw.time, ""),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            let what = "this [[budget]] has no end; give it one or more of runs, queries, cpu and time";
            return Err(self.at(at, what));
        }
        let name = raw.name.as_ref().map_or_else(|| parts.join(", "), |n| n.get_ref().clone());
        let (cpu, time) = (raw.cpu.clone(), raw.time.clone());
        Ok(Budget { name, runs: raw.runs, queries: raw.queries, cpu, time, line: self.line(at) })
    }

    fn settings(&self, raw: &BTreeMap<String, Spanned<Value>>) -> Result<Vec<Setting>, FileError> {
        let one = |(name, value): (&String, &Spanned<Value>)| {
            let wrong = |what: String| self.at(value.span().start, what);
            if let Some((_, where_else)) = ELSEWHERE.iter().find(|(other, _)| other == name) {
                return Err(wrong(format!("\"{name}\" does not belong into options: {where_else}")));
            }
            let text = |value: &Value| match value {
                Value::String(s) => Some(Some(s.clone())),
                Value::Integer(n) => Some(Some(n.to_string())),
                Value::Float(n) => Some(Some(n.to_string())),
                _ => None,
            };
            let values = match value.get_ref() {
                Value::Boolean(true) => Some(vec![None]),
                Value::Boolean(false) => Some(Vec::new()),
                Value::Array(list) => list.iter().map(text).collect(),
                other => text(other).map(|one| vec![one]),
            };
            let values = values.ok_or_else(|| {
                wrong(format!(
                    "option \"{name}\" takes true, false, a text, a number, or a list of texts and numbers"
                ))
            })?;
            Ok(Setting { name: name.clone(), values, line: self.line(value.span().start) })
        };
        raw.iter().map(one).collect()
    }
}

/// What targets refer to.
struct Known<'a> {
    file: &'a File<'a>,
    metric: Metric,
    seeds: &'a [u64],
    strategies: &'a [Strategy],
    budgets: &'a [Budget],
}

impl Known<'_> {
    fn target(&self, raw: &Spanned<RawTarget>) -> Result<Target, FileError> {
        let (at, raw) = (raw.span().start, raw.get_ref());
        let program = self.program(&raw.program)?;
        let name = raw.name.as_ref().map_or_else(|| stem(&program[0]), |n| n.get_ref().clone());
        let strategies: Vec<&str> = self.strategies.iter().map(|s| s.name.as_str()).collect();
        let paper = raw.paper.iter().map(|(strategy, value)| {
            self.file.position("strategy", strategy, value.span().start, &strategies)?;
            Ok((strategy.clone(), *value.get_ref()))
        });
        Ok(Target {
            paper: paper.collect::<Result<_, FileError>>()?,
            strategies: self.file.chosen(&raw.strategies, "strategy", &strategies)?,
            budgets: self.file.budgets(&raw.budgets, self.budgets)?,
            metric: self.file.metric(raw.metric.as_ref())?.unwrap_or(self.metric),
            seeds: match &raw.seeds {
                Some(seeds) => self.file.seeds(seeds)?,
                None => self.seeds.to_vec(),
            },
            args: raw.args.clone(),
            inputs: raw.inputs.clone(),
            options: self.file.settings(&raw.options)?,
            aside: raw.aside.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect(),
            reached: raw.reached.clone(),
            line: self.file.line(at),
            program,
            name,
        })
    }

    /// `program = "prog"` or `program = ["a.c", "b.c"]`.
    fn program(&self, given: &Spanned<Value>) -> Result<Vec<String>, FileError> {
        let parts = match given.get_ref() {
            Value::String(one) => Some(vec![one.clone()]),
            Value::Array(list) => list.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        parts.filter(|parts| !parts.is_empty()).ok_or_else(|| {
            let what = "program is an executable, as in program = \"prog\", or the sources, objects and archives of one, as \
                        in program = [\"a.c\", \"b.c\"]";
            self.file.at(given.span().start, what)
        })
    }
}

/// The file name of a path without its ending.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// What is set aside concerns a program, not one of its targets.
fn same_aside(targets: &[Target]) -> Result<(), FileError> {
    for (number, target) in targets.iter().enumerate() {
        let mut before = targets[..number].iter().filter(|t| t.program == target.program);
        if let Some(other) = before.find(|t| t.aside != target.aside) {
            let what = format!(
                "the targets \"{}\" and \"{}\" are of one program, but set other functions aside; write the same `aside` in both",
                other.name, target.name
            );
            return Err(FileError { line: target.line, what });
        }
    }
    Ok(())
}

/// Names differ, also as names of folders.
fn distinct<'n>(what: &str, names: impl Iterator<Item = (&'n str, usize)>) -> Result<(), FileError> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, line) in names {
        let folder = crate::text::folder_name(name);
        if folder.is_empty() {
            return Err(FileError {
                line,
                what: format!("\"{name}\" is no name of a {what}: it has no letter or digit"),
            });
        }
        if let Some(other) = seen.insert(folder, name) {
            let what = match other == name {
                true => format!("two {what} entries are named \"{name}\"; give one of them another name"),
                false => {
                    format!("the {what} names \"{other}\" and \"{name}\" are too much alike for folders")
                }
            };
            return Err(FileError { line, what });
        }
    }
    Ok(())
}
