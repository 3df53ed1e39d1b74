//! One process of many: checks the programs of some seeds and writes a line of JSON about each.
//!
//! Processes of their own, because LLVM is a library here and could take its process down with it: the seed it was
//! busy with is a failure then, and the others go on.

use crate::check::{Counts, Effort, Failure, Kind, check};
use crate::compile;
use crate::generate::{Generated, Wanted, generate};
use crate::inputs;
use crate::rng::Rng;
use crate::shrink::shrink;
use serde::{Deserialize, Serialize};
use std::io::Write as _;

/// What is to be done for each seed.
#[derive(Clone, Debug)]
pub struct Task {
    /// What to generate.
    pub wanted: Wanted,
    /// How many runs.
    pub effort: Effort,
    /// Most tries at making a failure smaller.
    pub shrink: usize,
    /// Whether the sanitizers are asked as well.
    pub sanitize: bool,
    /// Flags besides those that the seed chooses.
    pub flags: Vec<String>,
}

/// One line of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Which program.
    pub seed: u64,
    /// `None`: it is begun.
    pub result: Option<Done>,
}

/// A program that was checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// What it contains.
    pub features: Vec<String>,
    /// Flags it was compiled with.
    pub flags: Vec<String>,
    /// Sums.
    pub counts: Counts,
    /// What failed, and the program made small.
    pub failure: Option<(String, String, String)>,
}

/// Checks these seeds.
///
/// # Errors
/// When the lines cannot be written.
pub fn work(seeds: impl Iterator<Item = u64>, task: &Task) -> std::io::Result<()> {
    for seed in seeds {
        write(&Line { seed, result: None })?;
        write(&Line { seed, result: Some(one(seed, task)) })?;
    }
    Ok(())
}

fn write(line: &Line) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, line)?;
    writeln!(out)?;
    out.flush()
}

/// Checks the program of one seed.
pub fn one(seed: u64, task: &Task) -> Done {
    let mut generated = generate(seed, &task.wanted);
    generated.flags.extend(task.flags.iter().cloned());
    let result = all_checks(&generated.program.to_string(), &generated, seed, task);
    let (counts, failure) = match result {
        Ok(counts) => (counts, None),
        Err(failure) => {
            let (small, failure) = smaller(&generated, seed, task, failure);
            (Counts::default(), Some((failure.kind.name().to_owned(), failure.detail, small)))
        }
    };
    let features = generated.features.iter().map(|f| f.name().to_owned()).collect();
    Done { features, flags: generated.flags, counts, failure }
}

fn all_checks(text: &str, generated: &Generated, seed: u64, task: &Task) -> Result<Counts, Failure> {
    if task.sanitize {
        let mut rng = Rng::new(seed);
        let inputs: Vec<inputs::Bytes> = (0..4).map(|_| inputs::base(&mut rng)).collect();
        compile::sanitize(text, &generated.flags, &inputs)
            .map_err(|e| Failure { kind: Kind::Generator, detail: e.to_string() })?;
    }
    check(text, &generated.flags, seed, task.effort)
}

/// The smallest program that fails the same check, with its failure.
fn smaller(generated: &Generated, seed: u64, task: &Task, first: Failure) -> (String, Failure) {
    let mut failure = first;
    let kind = failure.kind;
    // A program that clang refuses is most easily read as it is.
    let tries = if kind == Kind::Generator { 0 } else { task.shrink };
    let small = shrink(generated, tries, &mut |program| match all_checks(
        &program.to_string(),
        generated,
        seed,
        task,
    ) {
        Err(again) if again.kind == kind => {
            failure = again;
            true
        }
        _ => false,
    });
    (small.to_string(), failure)
}

impl Done {
    /// A program that took its process down.
    pub fn crashed(why: String) -> Done {
        Done {
            features: Vec::new(),
            flags: Vec::new(),
            counts: Counts::default(),
            failure: Some((Kind::Instrument.name().into(), why, String::new())),
        }
    }
}
