//! `sweep run`: the packages in their order, resumable.

use crate::apt::Apt;
use crate::draw::{Drawn, Package};
use crate::place::Work;
use crate::record::{Record, Status};
use crate::stages::{Bench, Plan};
use crate::tool::Tool;
use anyhow::bail;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Which stages are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stages {
    /// Build, bitcode, flavours, test suites
    #[value(name = "a-c")]
    AToC,
    /// Explore and replay; of packages for which a to c were done and which count
    #[value(name = "d-e")]
    DToE,
    /// Everything
    #[value(name = "a-e")]
    AToE,
}

/// Options of `sweep run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Which stages
    #[arg(long, value_enum, default_value = "a-e")]
    stages: Stages,
    /// Only this package (may be repeated); done again if it was done
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Stop after this many packages
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Begin no package after this many minutes
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// Packages at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Take records of other builds of Spelunk as done
    #[arg(long)]
    any_build: bool,
    /// Keep what was built before, with whatever Spelunk: make flavours and run suites only
    #[arg(long)]
    reuse_build: bool,
    /// Folder with the Spelunk to sweep with
    #[arg(long, value_name = "DIR", default_value = "target/release")]
    spelunk: PathBuf,
}

/// Goes through the list.
pub fn run(work: &Work, apt: &Apt, list: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let drawn = Drawn::read(list)?;
    let tool = Tool::copied(&arguments.spelunk, &work.root().join("tool"))?;
    let wanted = |p: &&Package| arguments.only.is_empty() || arguments.only.contains(&p.name);
    let todo: Vec<&Package> =
        drawn.package.iter().filter(wanted).filter(|p| !is_done(work, &tool, p, arguments)).collect();
    if !arguments.only.is_empty() && todo.len() < arguments.only.len() {
        bail!("not all of {} are in {}", arguments.only.join(", "), list.display());
    }
    let todo: Vec<&Package> = todo.into_iter().take(arguments.limit.unwrap_or(usize::MAX)).collect();
    println!("{} packages to do with Spelunk {}, in {}", todo.len(), tool.hash(), work.root().display());
    let plan = Plan {
        a_to_c: arguments.stages != Stages::DToE,
        d_to_e: arguments.stages != Stages::AToC,
        reuse_build: arguments.reuse_build,
    };
    let (start, next) = (Instant::now(), Mutex::new(todo.into_iter()));
    let limit = arguments.minutes.map(|m| Duration::from_secs(60 * m));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    if limit.is_some_and(|l| start.elapsed() > l) {
                        return;
                    }
                    let package = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                    let Some(package) = package else { return };
                    let begin = Instant::now();
                    let line = match Bench::new(work, apt, &tool, package).run(&plan) {
                        Ok(record) => summary(&record),
                        Err(error) => format!("the sweep itself failed: {error:#}"),
                    };
                    println!("{} ({:.0} s): {line}", package.name, begin.elapsed().as_secs_f64());
                }
            });
        }
    });
    Ok(())
}

/// Whether everything asked for was done before.
fn is_done(work: &Work, tool: &Tool, package: &Package, arguments: &Arguments) -> bool {
    if !arguments.only.is_empty() {
        return false;
    }
    let Some(record) = Record::read(&work.record(&package.name)) else { return false };
    if record.spelunk != tool.hash() && !arguments.any_build {
        return false;
    }
    let ended_early =
        ["source", "depends", "build"].iter().any(|s| record.status(s).is_some_and(|s| s != Status::Pass));
    let has = |stage| record.stages.contains_key(stage);
    let compared = has("c_start");
    let explored = has("e_replay") || (compared && !record.counts());
    ended_early
        || match arguments.stages {
            Stages::AToC => compared,
            Stages::DToE => explored,
            Stages::AToE => compared && explored,
        }
}

fn summary(record: &Record) -> String {
    let named = crate::record::STAGES.iter().filter_map(|name| {
        let stage = record.stages.get(*name)?;
        Some(match stage.status {
            Status::Pass => format!("{name} ok"),
            Status::Fail => format!("{name} FAILED"),
            Status::Skipped => format!("{name} skipped ({})", stage.why.lines().next().unwrap_or("")),
        })
    });
    named.collect::<Vec<_>>().join(", ")
}
