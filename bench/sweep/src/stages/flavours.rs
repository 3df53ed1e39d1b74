//! (b) Flavours of every program, by `spelunk instrument`.

use super::{Bench, first, telling};
use crate::programs::Tree;
use crate::record::{Stage, Status};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest that one flavour may take.
const LIMIT: Duration = Duration::from_secs(300);
/// After so long no further program is begun.
const BUDGET: Duration = Duration::from_secs(600);
/// Of packages with more programs, so many get `path` and `check`, too.
const MOST_ALL: usize = 1;
/// Of packages with more programs, so many get `trace` and `fast`.
const MOST: usize = 30;
/// Of packages that do not count, since their plain programs fail their test suite.
const MOST_FAILING: usize = 1;

/// The flavours that were made.
pub(super) struct Made {
    folder: PathBuf,
    made: BTreeMap<(PathBuf, &'static str), bool>,
}

impl Made {
    /// The file of a flavour that was made.
    pub fn file(&self, program: &Path, flavour: &str) -> Option<PathBuf> {
        let key = self.made.iter().find(|((p, f), _)| p == program && *f == flavour)?;
        key.1.then(|| self.folder.join(flavour).join(program))
    }

    /// How many of a flavour were made.
    pub fn count(&self, flavour: &str) -> usize {
        self.made.iter().filter(|((_, f), made)| *f == flavour && **made).count()
    }
}

impl Bench<'_> {
    /// Makes the flavours and notes the stage.
    pub(super) fn flavours(&mut self, tree: &Tree) -> anyhow::Result<Made> {
        let start = Instant::now();
        let folder = self.folder.join("flavours");
        if folder.exists() {
            fs_err::remove_dir_all(&folder)?;
        }
        let mut made = BTreeMap::new();
        let (mut wrong, mut seconds, mut left) = (Vec::new(), BTreeMap::<&str, f64>::new(), 0);
        let counts = self.record.status("suite_plain") == Some(Status::Pass);
        let most = if counts { MOST } else { MOST_FAILING };
        let ours = tree.programs.iter().filter(|p| p.bitcode);
        for (number, program) in ours.enumerate() {
            for flavour in ["trace", "fast", "path", "check"] {
                let wanted =
                    number < if matches!(flavour, "trace" | "fast") { most } else { MOST_ALL.min(most) };
                if !wanted || start.elapsed() > BUDGET {
                    left += 1;
                    continue;
                }
                let output = folder.join(flavour).join(&program.path);
                self.folders_to(&folder, &output)?;
                let words = ["instrument", "--flavour", flavour, "--output"];
                let mut words = self.tool.words(&words);
                words.extend(
                    [&output, &self.source().join(&program.path)].map(|p| p.to_string_lossy().into_owned()),
                );
                let ran = self.run_logged(&words, "instrument.log", LIMIT, &[])?;
                *seconds.entry(flavour).or_default() += ran.seconds;
                made.insert((program.path.clone(), flavour), ran.is_success());
                if !ran.is_success() {
                    let why = telling(&self.log("instrument.log"));
                    wrong.push(format!("{flavour} of {}: {}: {why}", program.path.display(), ran.end.text()));
                }
            }
        }
        let made = Made { folder, made };
        let counts: BTreeMap<&str, usize> =
            ["trace", "fast", "path", "check"].iter().map(|f| (*f, made.count(f))).collect();
        let facts = json!({"made": counts, "failed": wrong.len(), "left_out": left, "seconds": seconds});
        let elapsed = start.elapsed().as_secs_f64();
        let stage = match (wrong.len(), counts["trace"]) {
            (0, 0) => Stage::skipped("no program with bitcode"),
            (0, _) => Stage::pass(elapsed),
            (n, _) => Stage::fail(format!("{n} not made: {}", first(&wrong, 4)), elapsed),
        };
        self.note("b_flavours", stage.with(facts))?;
        Ok(made)
    }

    /// Makes the folders down to a file, each writable for the unprivileged user.
    fn folders_to(&self, root: &Path, file: &Path) -> anyhow::Result<()> {
        let parent = file.parent().unwrap_or(root);
        fs_err::create_dir_all(parent)?;
        for folder in parent.ancestors().take_while(|a| a.starts_with(root)) {
            self.work.user().own(folder)?;
        }
        Ok(())
    }
}
