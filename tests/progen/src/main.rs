//! `progen`: checks random programs; see the crate's documentation.

#![forbid(unsafe_code)]

use anyhow::{Context as _, Result};
use clap::Parser;
use progen::{Effort, Feature, Summary, Task, Wanted, supervise};
use std::path::PathBuf;
use std::process::ExitCode;

/// Generates C programs, instruments them, and compares every recorded expression with hardware.
#[derive(Parser)]
#[command(args_override_self = true)]
struct Options {
    /// How many programs.
    #[arg(long, default_value_t = 100)]
    programs: u64,
    /// Seed of the first program; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Runs with a trace per program.
    #[arg(long, default_value_t = 2)]
    traces: usize,
    /// Other inputs under which each trace is evaluated.
    #[arg(long, default_value_t = 4)]
    others: usize,
    /// Features to leave out, by comma.
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Nothing but these features, by comma.
    #[arg(long, value_delimiter = ',', conflicts_with = "without")]
    only: Vec<String>,
    /// More compiler flags, one string.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    cflags: String,
    /// Ask the sanitizers too: finds the generator's own mistakes.
    #[arg(long)]
    sanitize: bool,
    /// Most tries at making a failing program smaller.
    #[arg(long, default_value_t = 300)]
    shrink: usize,
    /// Folder for failing programs.
    #[arg(long, default_value = "progen-failures")]
    failures: PathBuf,
    /// File for the summary as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Print the program of the first seed and stop.
    #[arg(long)]
    print: bool,
    /// Do the work here and write lines of JSON (what the other processes do).
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let task = Task {
        wanted: wanted(&options)?,
        effort: Effort { traces: options.traces, others: options.others },
        shrink: options.shrink,
        sanitize: options.sanitize,
        flags: options.cflags.split_whitespace().map(str::to_owned).collect(),
    };
    if options.print {
        let generated = progen::generate(options.seed, &task.wanted);
        println!("// {}\n{}", generated.flags.join(" "), generated.program);
        return Ok(ExitCode::SUCCESS);
    }
    if options.worker {
        progen::work(options.seed..options.seed + options.programs, &task)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut summary = Summary::default();
    let own: Vec<String> = std::env::args().skip(1).collect();
    supervise(options.seed, options.programs, options.jobs, &own, &options.failures, &mut summary)?;
    println!("{summary}");
    if let Some(file) = &options.json {
        fs_err::write(file, serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(if summary.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn wanted(options: &Options) -> Result<Wanted> {
    let named = |n: &String| Feature::named(n).with_context(|| format!("there is no feature {n:?}"));
    let mut wanted = Wanted { without: options.without.iter().map(named).collect::<Result<_>>()? };
    if !options.only.is_empty() {
        let only = options.only.iter().map(named).collect::<Result<Vec<_>>>()?;
        wanted.without = Feature::ALL.iter().copied().filter(|f| !only.contains(f)).collect();
    }
    Ok(wanted)
}
