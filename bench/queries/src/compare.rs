//! What solvers said, side by side.

use crate::replay::{Replayed, Said};
use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;

/// All solvers on one log.
pub struct Compared {
    /// The log.
    pub name: String,
    /// One run each.
    pub runs: Vec<Replayed>,
    /// Wrong answers of each.
    pub wrong: Vec<u64>,
}

impl Compared {
    /// Compares the answers. Models were checked, so where one holds, "unsatisfiable" is wrong.
    pub fn new(name: String, runs: Vec<Replayed>) -> Compared {
        let queries = runs.iter().map(|run| run.said.len()).max().unwrap_or(0);
        let mut wrong = vec![0; runs.len()];
        for query in 0..queries {
            let has_model = runs.iter().any(|run| run.said.get(query) == Some(&Said::Sat));
            for (run, wrong) in runs.iter().zip(&mut wrong) {
                let is_wrong = match run.said.get(query) {
                    Some(Said::Unsat) => has_model,
                    Some(Said::WrongModel) => true,
                    _ => false,
                };
                *wrong += u64::from(is_wrong);
            }
        }
        Compared { name, runs, wrong }
    }
}

/// One solver on several logs.
#[derive(Default)]
struct Sum {
    queries: usize,
    sat: usize,
    unsat: usize,
    wrong: u64,
    time: Duration,
}

impl Sum {
    fn add(&mut self, run: &Replayed, wrong: u64) {
        self.queries += run.said.len();
        self.sat += run.count(Said::Sat);
        self.unsat += run.count(Said::Unsat);
        self.wrong += wrong;
        self.time += run.time();
    }

    fn rate(&self) -> f64 {
        (self.sat + self.unsat) as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn row(&self, log: &str, solver: &str) -> String {
        let open = self.queries - self.sat - self.unsat;
        format!(
            "{log:14}{solver:20}{:>8}{:>8}{:>8}{:>8}{:>7}{:>10.2}{:>12.0}\n",
            self.queries,
            self.sat,
            self.unsat,
            open,
            self.wrong,
            self.time.as_secs_f64(),
            self.rate()
        )
    }
}

/// For the terminal: a row for each log and solver, sums, and the stages of each solver.
pub fn table(all: &[Compared]) -> String {
    let mut text = format!(
        "{:14}{:20}{:>8}{:>8}{:>8}{:>8}{:>7}{:>10}{:>12}\n",
        "log", "solver", "queries", "sat", "unsat", "open", "wrong", "CPU s", "answers/s"
    );
    let solvers: Vec<&str> =
        all.first().map_or(Vec::new(), |c| c.runs.iter().map(|run| run.solver.as_str()).collect());
    let mut sums: Vec<Sum> = solvers.iter().map(|_| Sum::default()).collect();
    for compared in all {
        for (k, run) in compared.runs.iter().enumerate() {
            let mut one = Sum::default();
            one.add(run, compared.wrong[k]);
            text += &one.row(&compared.name, &run.solver);
            sums[k].add(run, compared.wrong[k]);
        }
    }
    for (sum, solver) in sums.iter().zip(&solvers) {
        text += &sum.row("all", solver);
    }
    for (k, solver) in solvers.iter().enumerate() {
        text += &stages_table(solver, all.iter().map(|compared| &compared.runs[k]));
    }
    text
}

fn stages_table<'a>(solver: &str, runs: impl Iterator<Item = &'a Replayed>) -> String {
    let mut sums: Vec<solve::StageStats> = Vec::new();
    for run in runs {
        for (place, stage) in run.stages.iter().enumerate() {
            match sums.get_mut(place) {
                None => sums.push(stage.clone()),
                Some(sum) => {
                    sum.asked += stage.asked;
                    sum.sat += stage.sat;
                    sum.unsat += stage.unsat;
                    sum.unknown += stage.unknown;
                    sum.time += stage.time;
                }
            }
        }
    }
    if sums.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nStages of {solver}, with what is inside each\n{:16}{:>9}{:>9}{:>9}{:>9}{:>10}\n",
        "stage", "asked", "sat", "unsat", "open", "wall s"
    );
    for s in &sums {
        let seconds = s.time.as_secs_f64();
        let _ = writeln!(
            text,
            "{:16}{:>9}{:>9}{:>9}{:>9}{seconds:>10.2}",
            s.name, s.asked, s.sat, s.unsat, s.unknown
        );
    }
    text
}

/// Everything but single queries.
pub fn json(all: &[Compared]) -> serde_json::Value {
    let of_run = |(run, wrong): (&Replayed, &u64)| {
        let mut micros: Vec<u64> = run.times.iter().map(|t| t.as_micros() as u64).collect();
        micros.sort_unstable();
        let quantile = |q: usize| micros.get((micros.len() * q / 100).min(micros.len().saturating_sub(1)));
        let stages: Vec<_> = run
            .stages
            .iter()
            .map(|s| {
                json!({ "stage": s.name, "asked": s.asked, "sat": s.sat, "unsat": s.unsat, "unknown": s.unknown,
                    "wrong_models": s.wrong_models, "us": s.time.as_micros() as u64 })
            })
            .collect();
        json!({ "solver": run.solver, "queries": run.said.len(), "sat": run.count(Said::Sat),
            "unsat": run.count(Said::Unsat), "wrong": wrong, "cpu_s": run.time().as_secs_f64(),
            "median_us": quantile(50), "p90_us": quantile(90), "p99_us": quantile(99), "stages": stages })
    };
    let of_log = |c: &Compared| {
        let solvers: Vec<_> = c.runs.iter().zip(&c.wrong).map(of_run).collect();
        json!({ "log": c.name, "solvers": solvers })
    };
    all.iter().map(of_log).collect()
}

/// A line for each query: log, index, then answer and microseconds of each solver.
pub fn each(all: &[Compared]) -> String {
    let mut text = String::new();
    for compared in all {
        let queries = compared.runs.iter().map(|run| run.said.len()).max().unwrap_or(0);
        for query in 0..queries {
            let _ = write!(text, "{} {query}", compared.name);
            for run in &compared.runs {
                let _ = write!(text, " {} {}", run.said[query].letter(), run.times[query].as_micros());
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(solver: &str, said: &[Said]) -> Replayed {
        let times = vec![Duration::from_millis(2); said.len()];
        Replayed { solver: solver.into(), said: said.to_vec(), times, stages: Vec::new() }
    }

    #[test]
    fn unsatisfiable_is_wrong_where_a_model_holds() {
        use Said::{Sat, Unknown, Unsat, WrongModel};
        let a = run("a", &[Sat, Unsat, Unsat, WrongModel]);
        let b = run("b", &[Unsat, Unsat, Unknown, Unsat]);
        let compared = Compared::new("log".into(), vec![a, b]);
        assert_eq!(compared.wrong, [1, 1]);
        let text = table(&[compared]);
        let row = text.lines().find(|l| l.starts_with("all") && l.contains(" b ")).unwrap();
        let fields: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(fields, ["all", "b", "4", "0", "3", "1", "1", "0.01", "375"]);
    }
}
