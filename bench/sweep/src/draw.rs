//! `sweep draw`: walks the candidates in their order and takes those whose source can be had and holds a test suite, until
//! the quotas are full.

use crate::apt::{Apt, Source};
use crate::candidates::{self, Candidate, SEED};
use crate::place::Work;
use crate::process::{self, Job};
use crate::suite;
use anyhow::bail;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Packages drawn whatever they are.
const GENERAL: usize = 130;
/// Of these kinds there are at least so many; the walk goes on for them alone.
const QUOTAS: &[(Kind, usize)] = &[(Kind::Cxx, 40), (Kind::Cmake, 28), (Kind::Meson, 14)];

/// What a quota is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Cxx,
    Cmake,
    Meson,
}

impl Kind {
    fn holds(self, package: &Candidate) -> bool {
        match self {
            Kind::Cxx => package.language == "c++",
            Kind::Cmake => package.build == "cmake",
            Kind::Meson => package.build == "meson",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Cxx => "quota of C++",
            Kind::Cmake => "quota of cmake",
            Kind::Meson => "quota of meson",
        }
    }
}

/// The list that is committed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Drawn {
    /// The seed of the order.
    pub seed: String,
    /// Candidates that the indices admitted, without those walked last.
    pub candidates: usize,
    /// Larger ones, walked last.
    #[serde(default)]
    pub later: usize,
    /// Candidates that were looked at.
    pub walked: usize,
    /// Why candidates were passed over, and how many.
    pub passed_over: BTreeMap<String, usize>,
    /// The packages, in their order.
    pub package: Vec<Package>,
}

/// One drawn package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Name of the source package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Section of its programs.
    pub section: String,
    /// `c` or `c++`.
    pub language: String,
    /// `cmake`, `meson` or `other`.
    pub build: String,
    /// What says that it has a test suite.
    pub suite: String,
    /// Size of the upstream archive.
    pub archive_kb: u64,
    /// `general`, or the quota for which it was taken.
    pub why: String,
}

impl Drawn {
    /// Reads the list.
    pub fn read(file: &Path) -> anyhow::Result<Drawn> {
        Ok(toml::from_str(&fs_err::read_to_string(file)?)?)
    }

    fn write(&self, file: &Path) -> anyhow::Result<()> {
        Ok(fs_err::write(file, toml::to_string(self)?)?)
    }
}

/// Draws, and writes the list to `file` as it grows.
pub fn run(work: &Work, apt: &Apt, file: &Path) -> anyhow::Result<()> {
    let candidates = candidates::candidates(&apt.index("Sources")?, &apt.index("Packages")?);
    if candidates.is_empty() {
        bail!("apt's indices admit no package: are there entries of Debian's archive in /etc/apt?");
    }
    let later = candidates.iter().filter(|c| c.later).count();
    let first = candidates.len() - later;
    let mut drawn = Drawn { seed: SEED.into(), candidates: first, later, ..Drawn::default() };
    // What a stopped draw left stays until this one has come as far, and what it looked at is not fetched again.
    let of_these = |d: &Drawn| (d.seed == SEED, d.candidates, d.later) == (true, first, later);
    let old = Drawn::read(file).unwrap_or_default();
    let before = if of_these(&old) { &old } else { &Drawn::default() };
    drawn.passed_over.clone_from(&before.passed_over);
    let mut full = BTreeMap::<Kind, usize>::new();
    for candidate in candidates {
        let wanting = QUOTAS
            .iter()
            .find(|(kind, least)| kind.holds(&candidate) && full.get(kind).copied().unwrap_or(0) < *least);
        let why = match (drawn.package.len() < GENERAL, wanting) {
            (true, _) => "general",
            (false, Some((kind, _))) => kind.name(),
            (false, None) if QUOTAS.iter().all(|(k, least)| full.get(k).is_some_and(|n| n >= least)) => break,
            (false, None) => continue,
        };
        drawn.walked += 1;
        if drawn.walked <= before.walked {
            if let Some(package) = before.package.iter().find(|p| p.name == candidate.name) {
                count(&mut full, &candidate);
                drawn.package.push(package.clone());
            }
            continue;
        }
        match looked_at(work, apt, &candidate) {
            Err(reason) => *drawn.passed_over.entry(reason).or_default() += 1,
            Ok(suite) => {
                count(&mut full, &candidate);
                println!(
                    "{:4} {} {} ({}, {}, {suite}; {why})",
                    drawn.package.len() + 1,
                    candidate.name,
                    candidate.version,
                    candidate.language,
                    candidate.build
                );
                drawn.package.push(Package {
                    name: candidate.name,
                    version: candidate.version,
                    section: candidate.section,
                    language: candidate.language.into(),
                    build: candidate.build.into(),
                    suite,
                    archive_kb: candidate.archive_kb,
                    why: why.into(),
                });
            }
        }
        if drawn.walked >= old.walked {
            drawn.write(file)?;
        }
    }
    drawn.write(file)?;
    println!(
        "{} packages of {} looked at; passed over: {:?}",
        drawn.package.len(),
        drawn.walked,
        drawn.passed_over
    );
    Ok(())
}

/// Counts a package for the quotas it fills.
fn count(full: &mut BTreeMap<Kind, usize>, package: &Candidate) {
    for (kind, _) in QUOTAS.iter().filter(|(kind, _)| kind.holds(package)) {
        *full.entry(*kind).or_default() += 1;
    }
}

/// Fetches and unpacks a candidate; says what its test suite is, or why it is passed over. Remembered in a file: a walk that
/// was stopped goes on where it was.
fn looked_at(work: &Work, apt: &Apt, candidate: &Candidate) -> Result<String, String> {
    let memory = work.root().join("looked-at").join(format!("{}_{}", candidate.name, candidate.version));
    if let Ok(text) = std::fs::read_to_string(&memory) {
        return match text.split_once(' ') {
            Some(("suite", suite)) => Ok(suite.to_string()),
            _ => Err(text),
        };
    }
    let result = look_at(work, apt, candidate);
    let text = result.as_ref().map_or_else(String::clone, |suite| format!("suite {suite}"));
    let written =
        fs_err::create_dir_all(work.root().join("looked-at")).and_then(|()| fs_err::write(&memory, text));
    written.map_err(|e| e.to_string())?;
    result
}

fn look_at(work: &Work, apt: &Apt, candidate: &Candidate) -> Result<String, String> {
    let downloads = work.downloads(&candidate.name);
    let got = apt
        .source(&candidate.name, &candidate.version, &downloads)
        .map_err(|_| "its source is not in the archive".to_string())?;
    let folder = work.root().join("looking");
    let source = unpack(work, &got, &folder, &candidate.name)
        .map_err(|_| "its source cannot be unpacked".to_string())?;
    let suite = suite::evidence(&source);
    let _ = fs_err::remove_dir_all(&folder);
    if suite.is_none() {
        let _ = fs_err::remove_dir_all(&downloads);
    }
    let of = if matches!(got, Source::Upstream(_)) { ", upstream archive alone" } else { "" };
    suite.map(|s| format!("{s}{of}")).ok_or_else(|| "its source shows no test suite".to_string())
}

/// Unpacks a source package into `folder/src`; the folder is made anew.
pub fn unpack(work: &Work, got: &Source, folder: &Path, mark: &str) -> anyhow::Result<PathBuf> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    work.user().folder(folder)?;
    let source = folder.join("src");
    let (line, archive) = match got {
        Source::Debian(dsc) => (&["dpkg-source", "--no-check", "-x"][..], dsc),
        Source::Upstream(archive) => {
            work.user().folder(&source)?;
            (&["tar", "--strip-components=1", "-C", "src", "-xf"][..], archive)
        }
    };
    let mut words: Vec<String> = line.iter().map(|w| (*w).to_string()).collect();
    words.push(archive.to_string_lossy().into_owned());
    if matches!(got, Source::Debian(_)) {
        words.push(source.to_string_lossy().into_owned());
    }
    let environment = work.environment();
    let limit = Duration::from_secs(120);
    let job = Job { words, folder, environment: &environment, user: work.user(), limit, mark };
    let log = work.root().join("unpack.log");
    let ran = process::run(&job, &log)?;
    if !ran.is_success() {
        bail!("unpacking: {} ({})", ran.end.text(), log.display());
    }
    Ok(source)
}
