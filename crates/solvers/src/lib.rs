//! The product's solving chain: which stages there are (`--solvers`), how they are set up, and what they did. Used by the
//! command line and by the benchmark of recorded queries.
#![forbid(unsafe_code)]

#[cfg(feature = "z3")]
mod z3;

#[cfg(feature = "z3")]
pub use z3::Z3;

use serde_json::json;
use solve::{
    Chain, Clock, Decorators, Goals, Kind, Learned, Limits, Memory, Only, Query, Solver, StageStats, Starts,
};
use solve_interval::Interval;
use solve_search::{Compiler, Scope, Search, Settings, Shelf};
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A stage that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Constraints made simpler.
    Simplify,
    /// Only what bears on the goal.
    Slice,
    /// What single bytes decide.
    Domains,
    /// Earlier answers.
    Cache,
    /// Interval propagation.
    Interval,
    /// A short search before the back end, for floats.
    Quick,
    /// Longer searches: library functions and long doubles, what the back end gave up on.
    Search,
    /// The back end is told of the path's constraints only when a model breaks them.
    Lazy,
    /// As much work as queries of the kind are worth, and who answers them asked first.
    Learn,
    /// The back end: Bitwuzla.
    Smt,
    /// Whether searches compile what they evaluate often.
    Jit,
    /// Z3, about what Bitwuzla gave up on.
    #[cfg(feature = "z3")]
    Z3,
}

/// Stages in the order in which they are asked, with their names and what they do.
pub const STAGES: &[(Stage, &str, &str)] = &[
    (Stage::Simplify, "simplify", "take constraints apart, drop what is true"),
    (Stage::Slice, "slice", "leave out what has no input byte in common with the goal"),
    (Stage::Domains, "domains", "what is said of single bytes, by trying their values"),
    (Stage::Cache, "cache", "earlier answers, unsatisfiable parts of earlier queries, recent models"),
    (
        Stage::Interval,
        "interval",
        "ranges narrowed and halved: proves infeasible what has floats, products or library functions, and finds starting points",
    ),
    (Stage::Quick, "quick", "a short search from the run's own input, for floats"),
    (
        Stage::Search,
        "search",
        "longer searches: library functions and long doubles first, in the end what the SMT solver gave up on",
    ),
    (Stage::Lazy, "lazy", "the SMT solver gets constraints of the path when a model breaks them"),
    (
        Stage::Learn,
        "learn",
        "by kinds of goals: little work for what went unanswered, and who answered asked first",
    ),
    (Stage::Smt, "smt", "the SMT solver"),
    (Stage::Jit, "jit", "native code for what searches evaluate often"),
    #[cfg(feature = "z3")]
    (Stage::Z3, Z3_NAME, "the binary z3, where Bitwuzla gave up; only when it is named"),
];

/// Its stage is used only when it is named: the binary may not be there.
const Z3_NAME: &str = "z3";

impl FromStr for Stage {
    type Err = String;

    fn from_str(name: &str) -> Result<Stage, String> {
        STAGES.iter().find(|row| row.1 == name).map(|row| row.0).ok_or_else(|| {
            let names: Vec<&str> = STAGES.iter().map(|row| row.1).collect();
            format!("there is no stage {name:?}; the stages are {}", names.join(", "))
        })
    }
}

/// Help for `--solvers`.
pub fn help() -> String {
    let mut text = "Stages of solving to use, comma-separated (all by default):\n".to_string();
    for (_, name, what) in STAGES {
        let _ = writeln!(text, "  {name:9} {what}");
    }
    text + "At least one of interval, quick, search and smt finds answers; without smt little is proved infeasible."
}

/// Version of the SMT solver.
pub fn smt_version() -> String {
    solve_smt::Bitwuzla::version()
}

/// Which stages are used; all if none is named.
#[derive(Clone, Debug)]
pub struct Selection(Vec<Stage>);

impl Selection {
    /// The stages named on the command line.
    ///
    /// # Errors
    /// A text for people, if nothing is left that finds answers.
    pub fn new(named: &[Stage]) -> Result<Selection, String> {
        let is_used = |row: &&(Stage, &str, &str)| match named {
            [] => row.1 != Z3_NAME,
            _ => named.contains(&row.0),
        };
        let stages: Vec<Stage> = STAGES.iter().filter(is_used).map(|row| row.0).collect();
        let finds = [Stage::Interval, Stage::Quick, Stage::Search, Stage::Smt];
        if stages.iter().any(|stage| finds.contains(stage)) {
            Ok(Selection(stages))
        } else {
            Err("--solvers: none of the stages named finds answers; add interval, quick, search or smt"
                .into())
        }
    }

    fn has(&self, stage: Stage) -> bool {
        self.0.contains(&stage)
    }

    /// Whether earlier answers are used.
    pub fn remembers(&self) -> bool {
        self.has(Stage::Cache)
    }

    /// The chain of one worker; earlier answers of all of them are in `memory`.
    pub fn chain(&self, clock: &Clock, memory: &Memory) -> Chain {
        let compiler = || solve_jit::Jit::new().map(|jit| Box::new(jit) as Box<dyn Compiler>);
        let shelf = Shelf::new(if self.has(Stage::Jit) { compiler() } else { None });
        let starts = Starts::default();
        let search = |scope| {
            let search = Search::on(Settings::new(scope), shelf.clone()).starting_at(starts.clone());
            Box::new(search) as Box<dyn Solver>
        };
        let interval = |scope| {
            let settings = solve_interval::Settings::new(scope);
            Box::new(Interval::handing_to(settings, starts.clone())) as Box<dyn Solver>
        };
        let goals = self.has(Stage::Learn).then(Goals::default);
        let learned = |solver: Box<dyn Solver>| match &goals {
            Some(goals) => Box::new(Learned::new(solver, goals.clone())) as Box<dyn Solver>,
            None => solver,
        };
        let smt = || Box::new(solve_smt::Bitwuzla::default()) as Box<dyn Solver>;
        let (mut first, mut last) = (Vec::new(), Vec::new());
        if self.has(Stage::Interval) {
            first.push(interval(solve_interval::Scope::Unsupported));
        }
        if self.has(Stage::Search) {
            first.push(Box::new(Only::new(learned(search(Scope::Unsupported)), Kind::Odd)));
        }
        if self.has(Stage::Quick) {
            first.push(search(Scope::Floats));
        }
        if self.has(Stage::Interval) {
            first.push(interval(solve_interval::Scope::Supported));
        }
        #[cfg(feature = "z3")]
        if self.has(Stage::Z3) {
            last.push(Box::new(Z3::default()) as Box<dyn Solver>);
        }
        if self.has(Stage::Search) {
            last.push(search(Scope::Rest));
        }
        let decorators = Decorators {
            simplify: self.has(Stage::Simplify),
            slice: self.has(Stage::Slice),
            domains: self.has(Stage::Domains),
            lazy: self.has(Stage::Lazy),
            learn: goals,
            cache: self.remembers().then(|| memory.clone()),
        };
        solve::chain_with(first, self.has(Stage::Smt).then(smt), last, decorators, clock)
    }
}

/// What the stages of all workers did. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Mutex<Vec<StageStats>>>);

impl Tally {
    /// A chain whose counts are added here when it is dropped.
    pub fn of(&self, chain: Chain) -> impl Solver + use<> {
        Counted { chain, tally: self.clone() }
    }

    fn add(&self, stages: &[StageStats]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for stage in stages {
            match all.iter_mut().find(|known| known.name == stage.name) {
                None => all.push(stage.clone()),
                Some(known) => {
                    known.asked += stage.asked;
                    known.sat += stage.sat;
                    known.unsat += stage.unsat;
                    known.unknown += stage.unknown;
                    known.wrong_models += stage.wrong_models;
                    known.time += stage.time;
                }
            }
        }
    }

    /// Counts of every stage, outermost first; the checks of models together, as one stage.
    pub fn stages(&self) -> Vec<StageStats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// For `summary.json`.
    pub fn to_json(&self) -> serde_json::Value {
        let of = |s: &StageStats| {
            json!({ "stage": s.name, "asked": s.asked, "sat": s.sat, "unsat": s.unsat, "unknown": s.unknown,
                "wrong_models": s.wrong_models, "ms": s.time.as_millis() as u64 })
        };
        self.stages().iter().map(of).collect()
    }

    /// A table for the terminal; empty if nothing was asked.
    pub fn to_text(&self) -> String {
        let stages = self.stages();
        if stages.iter().all(|stage| stage.asked == 0) {
            return String::new();
        }
        let mut text = format!(
            "\nSolving, with what is inside a stage\n  {:14}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
            "stage", "asked", "sat", "unsat", "open", "seconds"
        );
        for s in stages.iter().filter(|stage| stage.asked > 0) {
            let seconds = s.time.max(Duration::ZERO).as_secs_f64();
            let counts = (s.asked, s.sat, s.unsat, s.unknown);
            let _ = writeln!(
                text,
                "  {:14}{:>10}{:>10}{:>10}{:>10}{seconds:>10.2}",
                s.name, counts.0, counts.1, counts.2, counts.3
            );
        }
        text
    }
}

/// A chain that hands its counts over in the end.
struct Counted {
    chain: Chain,
    tally: Tally,
}

impl Solver for Counted {
    fn name(&self) -> &'static str {
        self.chain.name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> solve::Answer {
        self.chain.solve(query, limits)
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.chain.stages(stages);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.tally.add(&self.chain.stats());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_known_by_name_and_mistakes_are_told() {
        for (stage, name, _) in STAGES {
            assert_eq!(name.parse::<Stage>(), Ok(*stage));
            assert!(help().contains(name));
        }
        let error = "smtt".parse::<Stage>().unwrap_err();
        assert!(error.contains("\"smtt\"") && error.contains("simplify, slice, domains"), "{error}");
        assert!(Selection::new(&[Stage::Cache, Stage::Jit]).unwrap_err().contains("quick"));
    }

    #[test]
    fn z3_is_used_only_when_it_is_named() {
        let has = |named: &[&str]| {
            let stages: Vec<Stage> = named.iter().filter_map(|name| name.parse().ok()).collect();
            Selection::new(&stages)
                .unwrap()
                .chain(&solve::no_clock(), &Memory::default())
                .stats()
                .iter()
                .any(|s| s.name == Z3_NAME)
        };
        assert!(!has(&[]));
        assert_eq!(has(&["smt", Z3_NAME]), cfg!(feature = "z3"), "only where it is built in");
    }

    #[test]
    fn a_chain_has_the_stages_that_are_selected_and_hands_its_counts_over() {
        let clock = solve::no_clock();
        let names = |named: &[Stage]| -> Vec<&str> {
            let chain = Selection::new(named).unwrap().chain(&clock, &Memory::default());
            chain.stats().iter().map(|s| s.name).filter(|name| *name != "check").collect()
        };
        let all = [
            "simplify",
            "slice",
            "domains",
            "cache",
            "interval",
            "search",
            "quick search",
            "quick interval",
            "lazy",
            "bitwuzla",
            "late search",
        ];
        assert_eq!(names(&[]), all);
        assert_eq!(names(&[Stage::Quick, Stage::Slice]), ["slice", "quick search"]);
        assert_eq!(names(&[Stage::Smt]), ["bitwuzla"]);

        let tally = Tally::default();
        let mut counted = tally.of(Selection::new(&[]).unwrap().chain(&clock, &Memory::default()));
        let mut arena = expr::Arena::new();
        let constraints = arena.parse("(Eq (Concat in0[1] in0[0]) 0x6261:16)").unwrap();
        let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
        let answer = counted.solve(&mut query, &Limits { work: 0, millis: 0 });
        assert_eq!(answer, solve::Answer::Sat([((0, 0), 0x61), ((0, 1), 0x62)].into()));
        assert!(tally.to_text().is_empty());
        drop(counted);
        let quick = tally.stages().into_iter().find(|stage| stage.name == "quick search").unwrap();
        assert_eq!((quick.asked, quick.sat), (1, 0), "no float in it");
        assert!(tally.to_text().contains("quick search"));
    }
}
