//! The stages of one package, in their order.

mod build;
mod explore;
mod flavours;
mod start;
mod tests;

use crate::apt::Apt;
use crate::draw::Package;
use crate::place::Work;
use crate::process::{self, Job, Ran};
use crate::programs::{self, Tree};
use crate::record::{Record, Stage, Status};
use crate::swap::Swap;
use crate::tool::Tool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a run does.
pub struct Plan {
    /// Build, flavours, test suites.
    pub a_to_c: bool,
    /// Explore and replay.
    pub d_to_e: bool,
    /// Keep a tree that was built before, whatever Spelunk built it.
    pub reuse_build: bool,
}

/// A package at work.
pub struct Bench<'a> {
    work: &'a Work,
    apt: &'a Apt,
    tool: &'a Tool,
    folder: PathBuf,
    record: Record,
}

impl<'a> Bench<'a> {
    /// A package with the record it has so far.
    pub fn new(work: &'a Work, apt: &'a Apt, tool: &'a Tool, package: &Package) -> Bench<'a> {
        let kept = Record::read(&work.record(&package.name)).filter(|r| r.spelunk == tool.hash());
        let record = kept.unwrap_or_else(|| Record::new(package, tool.hash()));
        Bench { work, apt, tool, folder: work.package(&package.name), record }
    }

    /// Does what the plan says, and writes the record after each stage.
    pub fn run(mut self, plan: &Plan) -> anyhow::Result<Record> {
        if plan.a_to_c {
            self.record = Record::new(&self.record.package.clone(), self.tool.hash());
            self.a_to_c(plan.reuse_build)?;
        }
        if plan.d_to_e && self.record.counts() {
            self.d_to_e()?;
        }
        Ok(self.record)
    }

    fn a_to_c(&mut self, reuse: bool) -> anyhow::Result<()> {
        if !self.built(reuse)? {
            return Ok(());
        }
        let before = self.prebuilt();
        let suite = self.suite_plain()?;
        let tree = programs::find(&self.source(), &before);
        self.record.programs = tree.programs.clone();
        let bitcode = bitcode_stage(&tree);
        self.note("a_bitcode", bitcode)?;
        let flavours = self.flavours(&tree)?;
        self.compare(&tree, &flavours, &suite)
    }

    /// The unpacked source.
    fn source(&self) -> PathBuf {
        self.folder.join("src")
    }

    /// A log of this package.
    fn log(&self, name: &str) -> PathBuf {
        self.folder.join("logs").join(name)
    }

    fn prebuilt(&self) -> BTreeSet<PathBuf> {
        let text = std::fs::read_to_string(self.folder.join("prebuilt")).unwrap_or_default();
        text.lines().map(PathBuf::from).collect()
    }

    fn note(&mut self, name: &str, stage: Stage) -> anyhow::Result<Status> {
        let status = stage.status;
        self.record.stages.insert(name.into(), stage);
        self.record.write(&self.work.record(&self.record.package.name))?;
        Ok(status)
    }

    /// Runs words in the source as the unprivileged user, into a log made anew.
    fn run_logged(
        &self,
        words: &[String],
        name: &str,
        limit: Duration,
        more: &[(&str, String)],
    ) -> anyhow::Result<Ran> {
        let log = self.log(name);
        let _ = std::fs::remove_file(&log);
        let environment = self.environment(more);
        let (folder, user, mark) = (self.source(), self.work.user(), self.record.package.name.as_str());
        let job =
            Job { words: words.to_vec(), folder: &folder, environment: &environment, user, limit, mark };
        process::run(&job, &log)
    }

    fn environment(&self, more: &[(&str, String)]) -> Vec<(String, String)> {
        let mut all = self.work.environment();
        all.extend(more.iter().map(|(k, v)| ((*k).to_string(), v.clone())));
        all
    }

    /// Everything that is compared between the program and its flavours.
    fn compare(
        &mut self,
        tree: &Tree,
        flavours: &flavours::Made,
        suite: &tests::Plain,
    ) -> anyhow::Result<()> {
        let ours: Vec<PathBuf> = tree.programs.iter().filter(|p| p.bitcode).map(|p| p.path.clone()).collect();
        if ours.is_empty() {
            for stage in ["c_start", "c_trace", "c_fast"] {
                self.note(stage, Stage::skipped("no program with bitcode"))?;
            }
            return Ok(());
        }
        let swap = Swap::new(&self.source(), &self.folder.join("plain"), self.work.user(), &ours)?;
        let mut starts = BTreeMap::new();
        swap.put(|_| None)?;
        starts.insert("plain", self.starts(tree)?);
        for (flavour, stage) in [("trace", "c_trace"), ("fast", "c_fast")] {
            let placed = swap.put(|program| flavours.file(program, flavour))?;
            starts.insert(flavour, self.starts(tree)?);
            let outcome = self.suite_flavour(suite, &swap, placed, flavours, flavour)?;
            self.note(stage, outcome)?;
        }
        swap.put(|_| None)?;
        let outcome = self.starts_compared(tree, &starts)?;
        self.note("c_start", outcome)?;
        Ok(())
    }
}

fn bitcode_stage(tree: &Tree) -> Stage {
    let missing = tree.programs.iter().filter(|p| !p.bitcode && p.exempt.is_none());
    let missing: Vec<String> = missing.map(|p| p.path.display().to_string()).collect();
    let exempt = tree.programs.iter().filter(|p| p.exempt.is_some()).count();
    let with = tree.programs.iter().filter(|p| p.bitcode).count();
    let facts = serde_json::json!({"programs": tree.programs.len(), "with_bitcode": with, "exempt": exempt,
        "opaque_units": tree.programs.iter().map(|p| p.opaque.len()).sum::<usize>()});
    let stage = match (with, missing.len()) {
        (0, 0) => Stage::skipped("the build left no program"),
        (_, 0) => Stage::pass(0.0),
        (_, n) => Stage::fail(format!("{n} without bitcode: {}", first(&missing, 8)), 0.0),
    };
    stage.with(facts)
}

/// The first few of a list, for people.
fn first(all: &[String], most: usize) -> String {
    let rest = if all.len() > most { format!(", … ({} in all)", all.len()) } else { String::new() };
    format!("{}{rest}", all.iter().take(most).cloned().collect::<Vec<_>>().join(", "))
}

/// The lines of a log that tell what went wrong: those that say so, else the last.
fn telling(log: &Path) -> String {
    let bytes = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let says = |l: &&&str| {
        let l = l.to_ascii_lowercase();
        ["error:", "error ", "undefined", "not found", "cannot", "spelunk:", "panicked", "segmentation"]
            .iter()
            .any(|w| l.contains(w))
            && !l.starts_with("checking ")
    };
    let chosen: Vec<&str> = match lines.iter().filter(says).take(6).copied().collect::<Vec<_>>() {
        none if none.is_empty() => lines.iter().rev().take(6).rev().copied().collect(),
        some => some,
    };
    let chosen: Vec<String> = chosen.iter().map(|l| l.chars().take(200).collect()).collect();
    chosen.join("\n")
}
