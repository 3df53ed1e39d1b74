//! (d) A minute of `spelunk explore --check-trace` on one program and one input, both found by a rule; (e) `spelunk replay`
//! of what came out.

use super::{Bench, first, start, telling};
use crate::candidates::place;
use crate::process::{self, End, Job};
use crate::programs::{self, Tree};
use crate::record::{Stage, Status};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkdir::WalkDir;

/// Programs and inputs that are tried.
const PROGRAMS: usize = 6;
const INPUTS: usize = 10;
/// Largest input, in bytes.
const LARGEST: u64 = 32 << 10;
/// Folders that hold inputs, by what is in their names.
const HOLDS_INPUTS: &[&str] = &["test", "example", "sample", "data", "doc", "demo", "corpus", "input"];
/// Folders that hold programs which are not what the package is about.
const BESIDE: &[&str] = &["test", "check", "example", "bench", "fuzz", "demo", "sample", "unit"];
/// Endings of what builds make.
const MADE: &[&str] =
    &["o", "lo", "la", "a", "so", "d", "Po", "Plo", "log", "trs", "dirstamp", "cmake", "make"];
/// Longest try of a program on an input.
const TRY: Duration = Duration::from_secs(5);
/// Longest that a campaign of a minute may take with everything, and its replay.
const CAMPAIGN: Duration = Duration::from_secs(600);

/// What is explored: a program, how its input reaches it, and a first input.
struct Chosen {
    program: PathBuf,
    arguments: &'static [&'static str],
    input: PathBuf,
}

impl Bench<'_> {
    /// Both stages.
    pub(super) fn d_to_e(&mut self) -> anyhow::Result<()> {
        let tree = programs::find(&self.source(), &self.prebuilt());
        let Some(chosen) = self.choose(&tree)? else {
            for stage in ["d_explore", "e_replay"] {
                self.note(
                    stage,
                    Stage::skipped("no program takes a file of the package as a file or as standard input"),
                )?;
            }
            return Ok(());
        };
        let campaign = self.folder.join("campaign");
        if campaign.exists() {
            fs_err::remove_dir_all(&campaign)?;
        }
        let more = [("LD_LIBRARY_PATH", start::library_path(&tree))];
        let words = self.explore_words(&chosen, &campaign)?;
        let ran = self.run_logged(&words, "explore.log", CAMPAIGN, &more)?;
        let summary = std::fs::read(campaign.join("summary.json")).unwrap_or_default();
        let summary: Value = serde_json::from_slice(&summary).unwrap_or_default();
        let again =
            self.run_logged(&self.tool.words(&["replay", &text(&campaign)]), "replay.log", CAMPAIGN, &more)?;
        let log = std::fs::read(self.log("replay.log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        let different: Vec<String> =
            log.lines().filter(|l| l.starts_with("DIFFERENT")).map(String::from).collect();
        let ledger = &summary["ledger"];
        let facts = json!({"program": chosen.program, "arguments": chosen.arguments, "input": chosen.input,
            "branches": ledger["branches"], "of": ledger["branches_total"], "runs": ledger["runs"],
            "flips_run": ledger["flips_run"], "divergences": ledger["divergences"],
            "events_checked": ledger["events_checked"], "mismatches": ledger["mismatches"],
            "findings": summary["findings"], "findings_unconfirmed": summary["findings_unconfirmed"],
            "tests": summary["suite"]["tests"], "ended": summary["ended"], "wall_seconds": ran.seconds});
        let not_held: Vec<String> = different.iter().filter(|l| l.contains("findings/")).cloned().collect();
        let stage = match () {
            () if !ran.is_success() => {
                Stage::fail(format!("{}\n{}", ran.end.text(), telling(&self.log("explore.log"))), ran.seconds)
            }
            () if ledger["branches"].as_u64().unwrap_or(0) == 0 => {
                Stage::fail("nothing was covered", ran.seconds)
            }
            () if ledger["mismatches"].as_u64() != Some(0) => {
                Stage::fail("the trace check found mismatches", ran.seconds)
            }
            () if !not_held.is_empty() => {
                Stage::fail(format!("a finding does not hold: {}", first(&not_held, 4)), ran.seconds)
            }
            () => Stage::pass(ran.seconds),
        };
        if self.note("d_explore", stage.with(facts))? == Status::Fail && summary.is_null() {
            self.note("e_replay", Stage::skipped("there is no suite"))?;
            return Ok(());
        }
        let stage = match again.is_success() {
            true => Stage::pass(again.seconds),
            false => {
                let said = if different.is_empty() {
                    telling(&self.log("replay.log"))
                } else {
                    first(&different, 6)
                };
                Stage::fail(format!("{}\n{said}", again.end.text()), again.seconds)
            }
        };
        let facts = json!({"said": log.lines().last().unwrap_or("")});
        self.note("e_replay", stage.with(facts))?;
        Ok(())
    }

    fn explore_words(&self, chosen: &Chosen, campaign: &Path) -> anyhow::Result<Vec<String>> {
        let seeds = self.folder.join("seeds");
        if seeds.exists() {
            fs_err::remove_dir_all(&seeds)?;
        }
        self.work.user().folder(&seeds)?;
        fs_err::copy(self.source().join(&chosen.input), seeds.join("0"))?;
        let program = text(&self.source().join(&chosen.program));
        let (seeds, campaign) = (text(&seeds), text(campaign));
        let words = [
            "explore",
            &program,
            "--seeds",
            &seeds,
            "--time",
            "60s",
            "--jobs",
            "1",
            "--seed",
            "1",
            "--check-trace",
        ];
        let words =
            words.into_iter().chain(["--out", &campaign, "--"]).chain(chosen.arguments.iter().copied());
        Ok(self.tool.words(&words.collect::<Vec<_>>()))
    }

    /// The first of program, way of input and input, in this order, where the program ends with 0 and says something that
    /// it does not say to an empty input; where there is none, the same however it ends.
    fn choose(&self, tree: &Tree) -> anyhow::Result<Option<Chosen>> {
        let inputs = inputs(&self.source());
        let programs = in_order(tree);
        for must_succeed in [true, false] {
            for program in programs.iter().take(PROGRAMS) {
                for arguments in [&["@@"][..], &[]] {
                    let empty = self.try_input(tree, program, arguments, None)?;
                    for input in inputs.iter().take(INPUTS) {
                        let found = self.try_input(tree, program, arguments, Some(input))?;
                        let ends = if must_succeed {
                            found.0 == End::Exit(0)
                        } else {
                            matches!(found.0, End::Exit(_))
                        };
                        if ends && !found.1.is_empty() && found.1 != empty.1 {
                            return Ok(Some(Chosen {
                                program: program.clone(),
                                arguments,
                                input: input.clone(),
                            }));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// Runs a program on an input of the package (or none); how it ends, and what it says.
    fn try_input(
        &self,
        tree: &Tree,
        program: &Path,
        arguments: &[&str],
        input: Option<&PathBuf>,
    ) -> anyhow::Result<(End, Vec<u8>)> {
        let folder = self.folder.join("try");
        if folder.exists() {
            fs_err::remove_dir_all(&folder)?;
        }
        self.work.user().folder(&folder)?;
        let bytes = input.map(|i| fs_err::read(self.source().join(i))).transpose()?.unwrap_or_default();
        fs_err::write(folder.join("input"), bytes)?;
        self.work.user().own(&folder.join("input"))?;
        let program = text(&self.source().join(program));
        let words: Vec<&str> = match arguments.is_empty() {
            true => vec!["sh", "-c", "exec \"$0\" <input", &program],
            false => vec![&program, "input"],
        };
        let words = words.into_iter().map(String::from).collect();
        let environment = self.environment(&[("LD_LIBRARY_PATH", start::library_path(tree))]);
        let (user, mark) = (self.work.user(), self.record.package.name.as_str());
        let job = Job { words, folder: &folder, environment: &environment, user, limit: TRY, mark };
        let files = [self.folder.join("try.out"), self.folder.join("try.err")];
        let ran = process::run_apart(&job, &files[0], &files[1])?;
        Ok((ran.end, files.iter().flat_map(|f| std::fs::read(f).unwrap_or_default()).take(1 << 20).collect()))
    }
}

/// Programs with bitcode, what the package is about first, then by the hash of their paths.
fn in_order(tree: &Tree) -> Vec<PathBuf> {
    let named = |path: &Path, words: &[&str]| {
        let path = path.to_string_lossy().to_ascii_lowercase();
        words.iter().any(|w| path.contains(w))
    };
    let ours = tree.programs.iter().filter(|p| p.bitcode).map(|p| p.path.clone());
    let stand_in = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lt-"));
    let mut ours: Vec<PathBuf> = ours.filter(|p| !stand_in(p)).collect();
    ours.sort_by_cached_key(|p| (named(p, BESIDE), place(&p.to_string_lossy())));
    ours
}

/// Files of the package that may be inputs, by the hash of their paths.
fn inputs(source: &Path) -> Vec<PathBuf> {
    let all = WalkDir::new(source).into_iter().filter_map(Result::ok).filter(|e| e.file_type().is_file());
    let all = all.filter(|e| e.metadata().is_ok_and(|m| m.len() > 0 && m.len() <= LARGEST));
    let all = all.filter_map(|e| Some(e.path().strip_prefix(source).ok()?.to_path_buf()));
    let mut found: Vec<PathBuf> = all
        .filter(|p| {
            let folder = p.parent().map(|f| f.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
            let made = p.extension().is_some_and(|e| MADE.iter().any(|m| e == *m));
            !made && !folder.contains(".pc") && HOLDS_INPUTS.iter().any(|w| folder.contains(w))
        })
        .collect();
    found.retain(|p| !std::fs::read(source.join(p)).is_ok_and(|b| b.starts_with(b"\x7fELF")));
    found.sort_by_cached_key(|p| place(&p.to_string_lossy()));
    found
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
