//! Every program started by hand with nothing, `--help` and `--version`: its flavours do and say the same. This also holds
//! programs that the test suite does not run.

use super::{Bench, first};
use crate::process::{self, End, Job};
use crate::programs::Tree;
use crate::record::Stage;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest that one start may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Programs that are started.
const MOST: usize = 40;
/// Arguments they are started with.
const ARGUMENTS: &[&[&str]] = &[&[], &["--help"], &["--version"]];

/// What a start did: how it ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    end: End,
    out: Vec<u8>,
    error: Vec<u8>,
}

impl Start {
    /// Whether the loader could not start the program: a shared library is not found where it lies. Its flavours hold the library.
    fn is_unloaded(&self) -> bool {
        self.end == End::Exit(127)
            && String::from_utf8_lossy(&self.error).contains("error while loading shared libraries")
    }
}

/// What the starts of all programs did.
pub(super) type Starts = BTreeMap<(PathBuf, usize), Start>;

impl Bench<'_> {
    /// Starts all programs of the tree as they lie there now.
    pub(super) fn starts(&self, tree: &Tree) -> anyhow::Result<Starts> {
        let mut starts = Starts::new();
        for program in tree.programs.iter().filter(|p| p.bitcode).take(MOST) {
            for n in 0..ARGUMENTS.len() {
                starts.insert((program.path.clone(), n), self.start(tree, &program.path, n)?);
            }
        }
        Ok(starts)
    }

    fn start(&self, tree: &Tree, program: &std::path::Path, arguments: usize) -> anyhow::Result<Start> {
        let folder = self.folder.join("start");
        if folder.exists() {
            fs_err::remove_dir_all(&folder)?;
        }
        self.work.user().folder(&folder)?;
        let mut words = vec![self.source().join(program).to_string_lossy().into_owned()];
        words.extend(ARGUMENTS[arguments].iter().map(|a| (*a).to_string()));
        let environment = self.environment(&[("LD_LIBRARY_PATH", library_path(tree))]);
        let (user, mark) = (self.work.user(), self.record.package.name.as_str());
        let job = Job { words, folder: &folder, environment: &environment, user, limit: LIMIT, mark };
        let (out, error) = (self.folder.join("start.out"), self.folder.join("start.err"));
        let ran = process::run_apart(&job, &out, &error)?;
        let read = |file: &PathBuf| {
            let mut bytes = std::fs::read(file).unwrap_or_default();
            bytes.truncate(1 << 20);
            bytes
        };
        Ok(Start { end: ran.end, out: read(&out), error: read(&error) })
    }

    /// The stage: flavours against programs, which are started again where something differs.
    pub(super) fn starts_compared(&self, tree: &Tree, all: &BTreeMap<&str, Starts>) -> anyhow::Result<Stage> {
        let begin = Instant::now();
        let plain = &all["plain"];
        let (mut wrong, mut unstable, mut late, mut same, mut unloaded) = (Vec::new(), 0, 0, 0, 0);
        for (key, expected) in plain {
            if expected.end == End::Late {
                late += 1;
                continue;
            }
            if expected.is_unloaded() {
                unloaded += 1;
                continue;
            }
            for flavour in ["trace", "fast"] {
                let Some(found) = all[flavour].get(key) else { continue };
                if found == expected {
                    same += 1;
                } else if self.start(tree, &key.0, key.1)? != *expected
                    || self.start(tree, &key.0, key.1)? != *expected
                {
                    unstable += 1;
                } else {
                    let line = ARGUMENTS[key.1].join(" ");
                    wrong.push(format!(
                        "{flavour} of {} {line}: {}",
                        key.0.display(),
                        difference(expected, found)
                    ));
                }
            }
        }
        let facts = json!({"same": same, "different": wrong.len(), "unstable": unstable, "no_end": late,
            "not_loaded": unloaded});
        let seconds = begin.elapsed().as_secs_f64();
        let stage = match wrong.len() {
            0 => Stage::pass(seconds),
            n => Stage::fail(format!("{n} starts differ: {}", first(&wrong, 4)), seconds),
        };
        Ok(stage.with(facts))
    }
}

/// What the loader needs for libraries that lie in the tree.
pub(super) fn library_path(tree: &Tree) -> String {
    let folders: Vec<String> =
        tree.library_folders.iter().map(|f| f.to_string_lossy().into_owned()).collect();
    folders.join(":")
}

fn difference(expected: &Start, found: &Start) -> String {
    let line = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(160).collect::<String>();
    if expected.end != found.end {
        return format!("{} instead of {} ({})", found.end.text(), expected.end.text(), line(&found.error));
    }
    let (name, a, b) = match expected.out == found.out {
        false => ("standard output", &expected.out, &found.out),
        true => ("standard error", &expected.error, &found.error),
    };
    let at = a.iter().zip(b.iter()).take_while(|(x, y)| x == y).count();
    let from = a[..at].iter().rposition(|&c| c == b'\n').map_or(0, |p| p + 1);
    format!(
        "{name} differs at byte {at}: {:?} instead of {:?}",
        line(&b[from.min(b.len())..]),
        line(&a[from..])
    )
}
