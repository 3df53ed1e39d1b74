//! (c) The package's own test suite: plain, then with every program replaced by a flavour.

use super::{Bench, first, flavours, telling};
use crate::process::{End, Ran};
use crate::record::Stage;
use crate::results::{self, Results};
use crate::suite::Suite;
use crate::swap::{Placed, Seen, Swap};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest plain run of a suite.
const LIMIT: Duration = Duration::from_secs(300);
/// Flavours may take so many times as long, but no longer than [`MOST`], and no less than [`LEAST`].
const SLOWER: f64 = 40.0;
const LEAST: Duration = Duration::from_secs(300);
const MOST: Duration = Duration::from_secs(900);

/// The plain run of a suite.
pub struct Plain {
    words: Option<Vec<String>>,
    ran: Option<Ran>,
    results: Results,
}

impl Plain {
    /// Whether it can be compared with: it ended with 0, or says of each test how it ended.
    fn is_comparable(&self) -> bool {
        self.ran.is_some_and(|r| {
            r.is_success() || (r.end != End::Late && self.results.values().any(|o| *o == "pass"))
        })
    }
}

impl Bench<'_> {
    /// Runs the suite on the programs as built, and notes it.
    pub(super) fn suite_plain(&mut self) -> anyhow::Result<Plain> {
        let words = self.suite_words()?;
        let Some(words) = words else {
            self.note("suite_plain", Stage::skipped("no way to run a test suite was found"))?;
            return Ok(Plain { words: None, ran: None, results: Results::new() });
        };
        let (ran, results) = self.suite(&words, "suite-plain.log", LIMIT)?;
        let facts = json!({"end": ran.end.text(), "tests": results.len(), "passed": passed(&results), "command": words[3..].join(" ")});
        let stage = match ran.is_success() {
            true => Stage::pass(ran.seconds),
            false => Stage::fail(
                format!("{}\n{}", ran.end.text(), telling(&self.log("suite-plain.log"))),
                ran.seconds,
            ),
        };
        self.note("suite_plain", stage.with(facts))?;
        Ok(Plain { words: Some(words), ran: Some(ran), results })
    }

    /// Runs the suite on what lies in the tree now: one flavour of everything.
    pub(super) fn suite_flavour(
        &self,
        plain: &Plain,
        swap: &Swap,
        placed: Placed,
        flavours: &flavours::Made,
        flavour: &str,
    ) -> anyhow::Result<Stage> {
        let (Some(words), Some(plain_ran)) = (&plain.words, plain.ran) else {
            return Ok(Stage::skipped("no test suite"));
        };
        if !plain.is_comparable() {
            return Ok(Stage::skipped("the plain programs do not pass their test suite"));
        }
        let limit = Duration::from_secs_f64(plain_ran.seconds * SLOWER).clamp(LEAST, MOST);
        let log = format!("suite-{flavour}.log");
        // What was started before (with --help) does not count as run by the suite.
        drop(placed);
        let placed = swap.put(|program| flavours.file(program, flavour))?;
        let (ran, results) = self.suite(words, &log, limit)?;
        let seen = placed.seen();
        let mut lost: Vec<String> =
            results::lost(&plain.results, &results).into_iter().map(String::from).collect();
        let mut differs = !lost.is_empty() || ran.end != plain_ran.end;
        let mut unstable = Vec::new();
        if differs {
            swap.put(|_| None)?;
            let (again, again_results) = self.suite(words, "suite-plain-again.log", LIMIT)?;
            let shaky = results::lost(&plain.results, &again_results);
            unstable = lost.iter().filter(|n| shaky.contains(&n.as_str())).cloned().collect();
            lost.retain(|name| !unstable.contains(name));
            differs = !lost.is_empty()
                || (unstable.is_empty() && ran.end != plain_ran.end && again.end == plain_ran.end);
        }
        let facts = json!({"end": ran.end.text(), "tests": results.len(), "passed": passed(&results), "lost": lost,
            "unstable": unstable, "programs": placed.len(), "made": flavours.count(flavour), "ran": seen.ran, "relinked": seen.replaced,
            "times_plain": ran.seconds / plain_ran.seconds.max(0.01)});
        Ok(verdict(differs, &lost, ran, plain_ran, seen, &self.log(&log)).with(facts))
    }

    fn suite(&self, words: &[String], log: &str, limit: Duration) -> anyhow::Result<(Ran, Results)> {
        let options = ("DEB_BUILD_OPTIONS", "nodoc parallel=1".to_string());
        let ran = self.run_logged(words, log, limit, &[options])?;
        let text = std::fs::read(self.log(log)).unwrap_or_default();
        Ok((ran, results::parse(&String::from_utf8_lossy(&text))))
    }

    /// The command that runs the suite.
    fn suite_words(&self) -> anyhow::Result<Option<Vec<String>>> {
        let source = self.source();
        let by_rules = match Suite::of(&source).makefile() {
            Some((text, target)) => {
                let file = self.folder.join("suite.mk");
                fs_err::write(&file, text)?;
                let file = file.to_string_lossy().into_owned();
                Some(["make", "-f", "debian/rules", "-f", &file, &target].map(String::from).to_vec())
            }
            None => upstream(&source),
        };
        Ok(by_rules.map(|words| self.tool.words(&["build", "--"]).into_iter().chain(words).collect()))
    }
}

fn verdict(differs: bool, lost: &[String], ran: Ran, plain: Ran, seen: Seen, log: &Path) -> Stage {
    if differs {
        let tests = if lost.is_empty() {
            String::new()
        } else {
            format!("{} tests lost: {}; ", lost.len(), first(lost, 8))
        };
        let why = format!("{tests}{} instead of {}\n{}", ran.end.text(), plain.end.text(), telling(log));
        return Stage::fail(why, ran.seconds);
    }
    match seen {
        Seen { ran: 0, replaced: 0 } => {
            Stage { seconds: ran.seconds, ..Stage::skipped("the test suite runs none of the programs") }
        }
        Seen { ran: 0, .. } => {
            Stage { seconds: ran.seconds, ..Stage::skipped("the test suite makes its programs anew") }
        }
        _ => Stage::pass(ran.seconds),
    }
}

fn passed(results: &Results) -> usize {
    results.values().filter(|o| **o == "pass").count()
}

/// Where the rules run no suite: what the build folder offers.
fn upstream(source: &Path) -> Option<Vec<String>> {
    let words = |line: &[&str]| Some(line.iter().map(|w| (*w).to_string()).collect());
    let folders: Vec<PathBuf> = [source.to_path_buf()].into_iter().chain(build_folders(source)).collect();
    let with =
        |name: &str| folders.iter().find(|f| f.join(name).exists()).map(|f| f.to_string_lossy().into_owned());
    if let Some(here) = with("meson-info") {
        return words(&["meson", "test", "--no-rebuild", "-C", &here]);
    }
    // A makefile beside the source may be for another way of building than the one that was gone.
    if let Some(here) = with("CTestTestfile.cmake") {
        return words(&["ctest", "--output-on-failure", "--test-dir", &here]);
    }
    for folder in folders {
        let here = folder.to_string_lossy().into_owned();
        let makefile =
            ["GNUmakefile", "makefile", "Makefile"].iter().map(|n| folder.join(n)).find(|f| f.is_file());
        let text = makefile.and_then(|f| std::fs::read(f).ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_rule = |line: &str, target: &str| {
            line.strip_prefix(target).is_some_and(|r| r.trim_start().starts_with(':') && !r.contains(":="))
        };
        for target in ["check", "test"] {
            if text.lines().any(|l| is_rule(l, target)) {
                return words(&["make", "-C", &here, target]);
            }
        }
    }
    None
}

/// Folders below a source in which it may have been built.
fn build_folders(source: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(source).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}
