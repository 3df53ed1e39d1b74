//! Asks recorded queries (`spelunk explore --record-queries`) of several solvers and compares what they say.
//!
//! Every solver gets the same queries in the same order with the same limits for each, all in turn query by query, from its own copy of the log: one arena
//! per recorded arena, so that what is kept between neighbours on a path can be kept here. Counted is the process's CPU
//! time inside the solver alone, or that of the solver's own process. Every model is evaluated by the reference evaluator; a model that does not hold, or
//! "unsatisfiable" where another solver has a model that holds, is a wrong answer.
#![forbid(unsafe_code)]

mod compare;
mod replay;
mod under_test;

use anyhow::Context;
use clap::Parser;
use solve::Limits;
use std::io::Read;
use std::path::{Path, PathBuf};
use under_test::UnderTest;

/// Asks recorded queries of several solvers.
#[derive(Parser)]
struct Arguments {
    /// Query logs
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// A solver, may be repeated: `chain`, `chain:STAGE,…` (as --solvers), `bitwuzla` (its own options), `bitwuzla-tuned` (the chain's), `z3` (the binary in the path)
    #[arg(long = "solver", value_name = "SOLVER", default_values = ["chain", "bitwuzla"])]
    solvers: Vec<UnderTest>,
    /// Limit of one query, in milliseconds
    #[arg(long, default_value_t = 1000)]
    timeout: u64,
    /// Limit of one query, in the solver's own steps; 0: none
    #[arg(long, default_value_t = 0)]
    work: u64,
    /// Ask only so many queries of each log
    #[arg(long, default_value_t = usize::MAX)]
    first: usize,
    /// Print the query of this index in each log, as text, and ask nobody
    #[arg(long, value_name = "INDEX")]
    show: Option<usize>,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a line for each query: log, index, then answer and microseconds of each solver
    #[arg(long, value_name = "FILE")]
    each: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let limits = Limits { work: arguments.work, millis: arguments.timeout };
    let mut compared = Vec::new();
    for file in &arguments.logs {
        let log = unpacked(file).with_context(|| format!("{} cannot be read", file.display()))?;
        if let Some(index) = arguments.show {
            print!("{}", replay::text(&log, index)?);
            continue;
        }
        let runs = replay::replay(&log, &arguments.solvers, limits, arguments.first)?;
        for run in &runs {
            eprintln!("{} {}", file.display(), run.line());
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        compared.push(compare::Compared::new(name, runs));
    }
    if compared.is_empty() {
        return Ok(());
    }
    print!("{}", compare::table(&compared));
    if let Some(file) = &arguments.json {
        fs_err::write(file, serde_json::to_string(&compare::json(&compared))? + "\n")?;
    }
    if let Some(file) = &arguments.each {
        fs_err::write(file, compare::each(&compared))?;
    }
    let wrong: u64 = compared.iter().flat_map(|c| &c.wrong).sum();
    anyhow::ensure!(wrong == 0, "{wrong} wrong answers");
    Ok(())
}

fn unpacked(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut log = Vec::new();
    flate2::read::GzDecoder::new(fs_err::File::open(file)?).read_to_end(&mut log)?;
    Ok(log)
}
