//! Explores the programs of the suite and prints a line each and the table by feature.

use anyhow::Result;
use clap::Parser;
use programs::{Program, Verdict, failure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What Spelunk makes of small programs, one feature each.
#[derive(Debug, Parser)]
struct Args {
    /// Only programs whose FEATURE/NAME contains one of these
    filters: Vec<String>,
    /// Programs at a time
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// Folder of the programs
    #[arg(long, default_value = env!("CARGO_MANIFEST_DIR"))]
    root: PathBuf,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let spelunk = programs::spelunk()?;
    let mut programs = programs::all(&args.root)?;
    programs.retain(|p| args.filters.is_empty() || args.filters.iter().any(|f| p.name.contains(f.as_str())));
    let results = check_all(&spelunk, &programs, args.jobs.max(1));
    println!("{}", programs::by_feature(&results));
    let fails = |(program, verdict): &&(Program, Verdict)| failure(program, verdict).is_some();
    let failed = results.iter().filter(fails).count();
    println!("{} programs, {failed} not as annotated", results.len());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_all(spelunk: &Path, programs: &[Program], jobs: usize) -> Vec<(Program, Verdict)> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = programs::check(spelunk, program)
                        .unwrap_or_else(|e| Verdict::Broken(format!("{e:#}")));
                    println!("{}", line(program, &verdict));
                    if let Ok(mut results) = results.lock() {
                        results.push((program.clone(), verdict));
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default()
}

fn line(program: &Program, verdict: &Verdict) -> String {
    let word = match (failure(program, verdict), verdict) {
        (Some(why), _) => format!("FAILED: {why}"),
        (None, Verdict::Solved) => "solved".into(),
        (None, _) => format!("gap: {}", program.gap.as_deref().unwrap_or_default()),
    };
    format!("{:40} {word}", program.name)
}
