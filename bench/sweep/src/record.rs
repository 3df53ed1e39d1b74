//! What is known of one package: one JSON file each, written after every stage.

use crate::draw::Package;
use crate::programs::Program;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As it should.
    Pass,
    /// Not as it should.
    Fail,
    /// Not done, for the reason given.
    Skipped,
}

/// One stage of one package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// How it ended.
    pub status: Status,
    /// Why, where it did not pass; the first lines of what went wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Wall time.
    pub seconds: f64,
    /// Numbers of the stage.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub facts: serde_json::Value,
}

impl Stage {
    /// A stage that passed.
    pub fn pass(seconds: f64) -> Stage {
        Stage { status: Status::Pass, why: String::new(), seconds, facts: serde_json::Value::Null }
    }

    /// A stage that failed.
    pub fn fail(why: impl Into<String>, seconds: f64) -> Stage {
        Stage { status: Status::Fail, why: why.into(), ..Stage::pass(seconds) }
    }

    /// A stage that was not done.
    pub fn skipped(why: impl Into<String>) -> Stage {
        Stage { status: Status::Skipped, why: why.into(), ..Stage::pass(0.0) }
    }

    /// The same with numbers.
    #[must_use]
    pub fn with(self, facts: serde_json::Value) -> Stage {
        Stage { facts, ..self }
    }
}

/// The stages' names, in their order.
pub const STAGES: &[&str] = &[
    "source",
    "depends",
    "build",
    "suite_plain",
    "a_bitcode",
    "b_flavours",
    "c_start",
    "c_trace",
    "c_fast",
    "d_explore",
    "e_replay",
];

/// Everything known of one package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was drawn.
    pub package: Package,
    /// Hash of the Spelunk build.
    pub spelunk: String,
    /// By name.
    pub stages: BTreeMap<String, Stage>,
    /// Programs of the tree.
    pub programs: Vec<Program>,
}

impl Record {
    /// One without stages.
    pub fn new(package: &Package, spelunk: &str) -> Record {
        Record {
            package: package.clone(),
            spelunk: spelunk.into(),
            stages: BTreeMap::new(),
            programs: Vec::new(),
        }
    }

    /// Reads one, if it is there and understood.
    pub fn read(file: &Path) -> Option<Record> {
        serde_json::from_slice(&std::fs::read(file).ok()?).ok()
    }

    /// Writes it, whole.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let part = file.with_extension("part");
        fs_err::write(&part, serde_json::to_vec_pretty(self)?)?;
        fs_err::rename(&part, file)?;
        Ok(())
    }

    /// Whether the package is one of those that count: its plain build passes, and its test suite.
    pub fn counts(&self) -> bool {
        ["build", "suite_plain"].iter().all(|s| self.status(s) == Some(Status::Pass))
    }

    /// How a stage ended, if it was done.
    pub fn status(&self, stage: &str) -> Option<Status> {
        self.stages.get(stage).map(|s| s.status)
    }
}
