//! Explores a program and says whether it was solved.

use crate::{Program, Wanted};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A guard against programs that never end; budgets count runs.
const TIME: &str = "300s";
/// Far above what queries of the suite take: on a busy machine time limits would decide otherwise what is solved.
const SOLVER_TIME: &str = "20s";

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As wanted.
    Solved,
    /// Not as wanted: what there was instead.
    Unsolved(String),
    /// A tool failed, or the trace check found a mismatch.
    Broken(String),
}

/// What is not as annotated; `None` if all is.
pub fn failure(program: &Program, verdict: &Verdict) -> Option<String> {
    match (verdict, &program.gap) {
        (Verdict::Broken(why), _) => Some(why.clone()),
        (Verdict::Solved, Some(_)) => Some("solved, though annotated as a gap: remove that line".into()),
        (Verdict::Unsolved(_), Some(_)) | (Verdict::Solved, None) => None,
        (Verdict::Unsolved(what), None) => Some(format!("not solved: {what}")),
    }
}

/// The `spelunk` that was built beside this executable.
///
/// # Errors
/// When there is none.
pub fn spelunk() -> Result<PathBuf> {
    let own = std::env::current_exe().context("where this program is")?;
    let beside = own.ancestors().skip(1).take(3).map(|folder| folder.join("spelunk"));
    beside.into_iter().find(|file| file.is_file()).with_context(|| {
        let folder = own.parent().unwrap_or(Path::new("."));
        format!(
            "no spelunk beside {}: build the whole workspace first, in the same profile",
            folder.display()
        )
    })
}

/// Explores `program` with `spelunk` and looks at its tests or findings.
///
/// # Errors
/// When files cannot be written or `spelunk` cannot be started.
pub fn check(spelunk: &Path, program: &Program) -> Result<Verdict> {
    let folder = tempfile::tempdir().context("temporary folder")?;
    let campaign = folder.path().join("campaign");
    let explored = run(explore(spelunk, program, folder.path())?)?;
    if !explored.status.success() {
        let said = String::from_utf8_lossy(&explored.stderr).into_owned();
        return Ok(Verdict::Broken(format!("spelunk explore: {}: {}", explored.status, said.trim())));
    }
    let said = [&explored.stdout[..], &explored.stderr[..]].concat();
    if let Some(line) = String::from_utf8_lossy(&said).lines().find(|line| line.contains("trace mismatch")) {
        return Ok(Verdict::Broken(line.trim().to_owned()));
    }
    match &program.wanted {
        Wanted::Goals(n) => goals(spelunk, &campaign, *n),
        Wanted::Infeasible(n) => infeasible(&campaign, *n),
        Wanted::Finding(kind) => finding(&campaign, kind),
    }
}

fn explore(spelunk: &Path, program: &Program, folder: &Path) -> Result<Command> {
    let mut command = Command::new(spelunk);
    command.arg("explore").arg(&program.file).arg("--out").arg(folder.join("campaign"));
    command.args(["--runs", &program.runs.to_string(), "--time", TIME, "--seed", "1", "--check-trace"]);
    command.args(["--solver-timeout", SOLVER_TIME]);
    command.arg("--cflags").arg(shell_words::join(&program.cflags));
    command.arg("--ldflags").arg(shell_words::join(&program.ldflags));
    if !program.seeds.is_empty() {
        let seeds = folder.join("seeds");
        fs::create_dir(&seeds)?;
        for (k, seed) in program.seeds.iter().enumerate() {
            fs::write(seeds.join(format!("{k}")), seed)?;
        }
        command.arg("--seeds").arg(seeds);
    }
    command.args(&program.options);
    if !program.options.iter().any(|option| option.starts_with("--until")) {
        // What most programs show is a branch: what else there is to reach would cost runs.
        command.args(["--until", "covered"]);
    }
    if !program.args.is_empty() {
        command.arg("--").args(&program.args);
    }
    command.current_dir(folder);
    Ok(command)
}

fn run(mut command: Command) -> Result<Output> {
    command.stdin(Stdio::null()).output().with_context(|| format!("starting {command:?}"))
}

/// Different lines `SOLVED …` that the tests print on the plain executable.
fn goals(spelunk: &Path, campaign: &Path, wanted: usize) -> Result<Verdict> {
    let mut replay = Command::new(spelunk);
    replay.args(["replay", "--show"]).arg(campaign);
    let replayed = run(replay)?;
    if !matches!(replayed.status.code(), Some(0 | 1)) {
        let said = String::from_utf8_lossy(&replayed.stderr).into_owned();
        bail!("spelunk replay: {}: {}", replayed.status, said.trim());
    }
    if replayed.status.code() == Some(1) {
        return Ok(Verdict::Broken("a test did not replay as recorded".into()));
    }
    let printed = String::from_utf8_lossy(&replayed.stdout).into_owned();
    let reached: BTreeSet<&str> =
        printed.lines().filter_map(|line| line.strip_prefix("SOLVED")).map(str::trim).collect();
    Ok(if reached.len() >= wanted {
        Verdict::Solved
    } else {
        Verdict::Unsolved(format!("{} of {wanted} goals", reached.len()))
    })
}

/// What the outermost stage of solving answered.
fn infeasible(campaign: &Path, wanted: u64) -> Result<Verdict> {
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(campaign.join("summary.json"))?)?;
    let count =
        |what: &str| summary["solving"][0][what].as_u64().with_context(|| format!("no count of {what}"));
    let (unsat, open) = (count("unsat")?, count("unknown")?);
    Ok(if unsat >= wanted && open == 0 {
        Verdict::Solved
    } else {
        Verdict::Unsolved(format!("{unsat} of {wanted} queries shown infeasible, {open} without an answer"))
    })
}

/// Names of findings are `NUMBER-KIND`.
fn finding(campaign: &Path, wanted: &str) -> Result<Verdict> {
    let mut found = Vec::new();
    let folder = campaign.join("findings");
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            found.push(name.split_once('-').map_or(name.clone(), |(_, kind)| kind.to_owned()));
        }
    }
    found.sort();
    Ok(if found == [wanted] {
        Verdict::Solved
    } else if found.is_empty() {
        Verdict::Unsolved("no finding".into())
    } else {
        Verdict::Unsolved(format!("findings: {}", found.join(", ")))
    })
}
