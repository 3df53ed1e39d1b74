//! `sweep table`: the records as a table in Markdown, what they come to, and all of them in one file of raw data.

use crate::draw::Drawn;
use crate::place::Work;
use crate::record::{Record, STAGES, Status};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Options of `sweep table`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Also collect the records in this file, as JSON
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Failures that are known, and why
    #[arg(long, value_name = "FILE", default_value = "bench/sweep/gaps.toml")]
    gaps: PathBuf,
}

/// The list of known gaps.
#[derive(Default, Deserialize)]
struct Gaps {
    #[serde(default)]
    gap: Vec<Gap>,
}

/// One of them.
#[derive(Deserialize)]
struct Gap {
    package: String,
    stage: String,
    what: String,
}

/// Prints the table.
pub fn run(work: &Work, list: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let drawn = Drawn::read(list)?;
    let records = drawn.package.iter().filter_map(|p| Record::read(&work.record(&p.name)));
    let records: Vec<Record> = records.collect();
    let gaps: Gaps = match std::fs::read_to_string(&arguments.gaps) {
        Ok(text) => toml::from_str(&text)?,
        Err(_) => Gaps::default(),
    };
    print!("{}\n{}", table(&records), totals(&records, drawn.package.len()));
    print!("{}", failures(&records, &gaps));
    if let Some(file) = &arguments.raw {
        let command: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('/')).collect();
        let raw = serde_json::json!({"command": command, "machine": machine(), "seed": drawn.seed, "drawn": drawn.package.len(),
            "records": records.iter().map(|r| without_paths(r, work)).collect::<Vec<_>>()});
        fs_err::write(file, serde_json::to_string_pretty(&raw)? + "\n")?;
    }
    Ok(())
}

/// Puts the records of a raw file where this machine has none: a sweep that was begun elsewhere goes on.
pub fn take(work: &Work, file: &Path) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Raw {
        records: Vec<Record>,
    }
    let raw: Raw = serde_json::from_str(&fs_err::read_to_string(file)?)?;
    let mut taken = 0;
    for record in &raw.records {
        let place = work.record(&record.package.name);
        if !place.exists() {
            record.write(&place)?;
            taken += 1;
        }
    }
    println!("{taken} records taken, {} were here", raw.records.len() - taken);
    Ok(())
}

/// What it was done with.
fn machine() -> serde_json::Value {
    let first_line = |words: &[&str]| {
        let output = std::process::Command::new(words[0]).args(&words[1..]).output().ok();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        text.lines().next().unwrap_or("").to_string()
    };
    serde_json::json!({
        "kernel": first_line(&["uname", "-sr"]), "processors": first_line(&["nproc"]),
        "debian": std::fs::read_to_string("/etc/debian_version").unwrap_or_default().trim(),
        "clang": first_line(&["clang-19", "--version"]), "commit": first_line(&["git", "rev-parse", "--short", "HEAD"]),
    })
}

/// A record without the folder of this machine's sweep.
fn without_paths(record: &Record, work: &Work) -> serde_json::Value {
    let text = serde_json::to_string(record).unwrap_or_default();
    let text = text.replace(&format!("{}/", work.root().display()), "");
    serde_json::from_str(&text).unwrap_or_default()
}

fn table(records: &[Record]) -> String {
    let mut text = String::from("| package | version | kind |");
    for stage in STAGES {
        let _ = write!(text, " {} |", stage.replace('_', " "));
    }
    text += "\n|---|---|---|";
    text += &"---|".repeat(STAGES.len());
    text += "\n";
    for record in records {
        let p = &record.package;
        let _ = write!(text, "| {} | {} | {}, {} |", p.name, p.version, p.language, p.build);
        for stage in STAGES {
            let mark = match record.status(stage) {
                Some(Status::Pass) => "ok",
                Some(Status::Fail) => "**no**",
                Some(Status::Skipped) => "–",
                None => "",
            };
            let _ = write!(text, " {mark} |");
        }
        text += "\n";
    }
    text
}

fn totals(records: &[Record], drawn: usize) -> String {
    let mut text = String::new();
    let of = |wanted: &dyn Fn(&&Record) -> bool| records.iter().filter(wanted).count();
    let built = of(&|r| matches!(r.status("build"), Some(Status::Pass | Status::Fail)));
    let _ = writeln!(text, "{drawn} packages drawn, {} looked at, {built} build with clang.", records.len());
    let base: Vec<&Record> =
        records.iter().filter(|r| r.counts() && r.stages.contains_key("c_start")).collect();
    let holds = |r: &&&Record, stages: &[&str]| !stages.iter().any(|s| r.status(s) == Some(Status::Fail));
    let a_to_c = ["build", "a_bitcode", "b_flavours", "c_start", "c_trace", "c_fast"];
    let _ = writeln!(
        text,
        "Of the {} whose plain build and test suite pass, (a) to (c) hold for {}.",
        base.len(),
        base.iter().filter(|r| holds(r, &a_to_c)).count()
    );
    let compared = |r: &&&Record| r.status("c_trace").is_some_and(|s| s != Status::Skipped);
    let _ = writeln!(
        text,
        "The suites of {} of them run their programs; the others are compared by starting them.",
        base.iter().filter(compared).count()
    );
    for stage in STAGES {
        let by = |status| of(&|r| r.status(stage) == Some(status));
        let (pass, fail, skipped) = (by(Status::Pass), by(Status::Fail), by(Status::Skipped));
        let _ = writeln!(text, "- {stage}: {pass} pass, {fail} fail, {skipped} skipped");
    }
    text
}

fn failures(records: &[Record], gaps: &Gaps) -> String {
    let mut text = String::new();
    for record in records {
        for stage in STAGES.iter().filter(|s| record.status(s) == Some(Status::Fail)) {
            let name = &record.package.name;
            let known = gaps.gap.iter().find(|g| g.package == *name && g.stage == **stage);
            let why = record.stages[*stage].why.replace('\n', "\n    ");
            let _ = match known {
                Some(gap) => writeln!(text, "\n{name} {stage}: known gap: {}", gap.what),
                None => writeln!(text, "\n{name} {stage}: {why}"),
            };
        }
    }
    text
}
