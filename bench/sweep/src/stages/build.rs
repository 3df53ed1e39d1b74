//! Source, build dependencies, build.

use super::{Bench, telling};
use crate::draw;
use crate::process::Ran;
use crate::programs;
use crate::record::{Stage, Status};
use std::time::{Duration, Instant};

/// Longest build.
const LIMIT: Duration = Duration::from_secs(900);
/// How an upstream archive without Debian's part is built: as its build system tells.
const UPSTREAM: &str = "set -ex
if [ -f meson.build ]; then meson setup build && ninja -j2 -C build
elif [ -f CMakeLists.txt ] && [ ! -f configure ]; then cmake -B build && make -j2 -C build
else
    if [ ! -f configure ] && [ -f autogen.sh ]; then NOCONFIGURE=1 sh ./autogen.sh; fi
    if [ ! -f configure ] && { [ -f configure.ac ] || [ -f configure.in ]; }; then autoreconf -fi; fi
    if [ -f configure ]; then sh ./configure; fi
    make -j2
fi
";

impl Bench<'_> {
    /// Fetches, installs, builds; whether there is something to go on with.
    pub(super) fn built(&mut self, reuse: bool) -> anyhow::Result<bool> {
        let marker = self.folder.join("built");
        if reuse && marker.exists() {
            for stage in ["source", "depends", "build"] {
                self.note(stage, Stage::pass(0.0))?;
            }
            return Ok(true);
        }
        let package = self.record.package.clone();
        let start = Instant::now();
        let got = self.apt.source(&package.name, &package.version, &self.work.downloads(&package.name));
        let got = got.and_then(|got| draw::unpack(self.work, &got, &self.folder, &package.name));
        let stage = match &got {
            Ok(_) => Stage::pass(start.elapsed().as_secs_f64()),
            Err(error) => Stage::skipped(format!("{error:#}")),
        };
        if self.note("source", stage)? != Status::Pass {
            return Ok(false);
        }
        let listed: Vec<String> =
            programs::prebuilt(&self.source()).iter().map(|p| p.to_string_lossy().into_owned()).collect();
        fs_err::write(self.folder.join("prebuilt"), listed.join("\n"))?;
        let start = Instant::now();
        let stage = match self.apt.build_dep(&package.name, &package.version) {
            Ok(()) => Stage::pass(start.elapsed().as_secs_f64()),
            Err(error) => Stage::skipped(format!("{error:#}")),
        };
        if self.note("depends", stage)? != Status::Pass {
            return Ok(false);
        }
        let stage = self.build()?;
        let passed = self.note("build", stage)? == Status::Pass;
        if passed {
            fs_err::write(marker, self.tool.hash())?;
        }
        Ok(passed)
    }

    /// `spelunk build -- debian/rules build-arch`; where that fails, the same with clang itself tells whose fault it is.
    fn build(&self) -> anyhow::Result<Stage> {
        let ran = self.rules(&self.tool.words(&["build", "--"]), "build.log", &[])?;
        if ran.is_success() {
            return Ok(Stage::pass(ran.seconds));
        }
        let why = format!("{}\n{}", ran.end.text(), telling(&self.log("build.log")));
        let package = &self.record.package;
        let got = self.apt.source(&package.name, &package.version, &self.work.downloads(&package.name))?;
        let log = self.log("build.log");
        let kept = std::fs::read(&log).unwrap_or_default();
        draw::unpack(self.work, &got, &self.folder, &package.name)?;
        fs_err::create_dir_all(self.folder.join("logs"))?;
        fs_err::write(&log, kept)?;
        let path = format!("{}:{}", self.work.clang_folder()?.display(), crate::place::SEARCH_PATH);
        let more = [("CC", "clang-19".to_string()), ("CXX", "clang++-19".to_string()), ("PATH", path)];
        let control = self.rules(&[], "build-clang.log", &more)?;
        Ok(match control.is_success() {
            true => Stage::fail(why, ran.seconds),
            false => {
                let telling = telling(&self.log("build-clang.log"));
                Stage::skipped(format!("does not build with clang itself: {}\n{telling}", control.end.text()))
            }
        })
    }

    fn rules(&self, before: &[String], log: &str, more: &[(&str, String)]) -> anyhow::Result<Ran> {
        if !self.source().join("debian/rules").exists() {
            let script = self.folder.join("build.sh");
            fs_err::write(&script, UPSTREAM)?;
            let words = before.iter().cloned().chain(["sh".into(), script.to_string_lossy().into_owned()]);
            return self.run_logged(&words.collect::<Vec<_>>(), log, LIMIT, more);
        }
        let mut ran = None;
        for target in ["build-arch", "build"] {
            let words = before.iter().cloned().chain(["debian/rules".into(), target.into()]);
            let words: Vec<String> = words.collect();
            let this = self.run_logged(&words, log, LIMIT, more)?;
            let text = std::fs::read(self.log(log)).unwrap_or_default();
            let missing = String::from_utf8_lossy(&text).contains("No rule to make target 'build-arch'");
            ran = Some(this);
            if !missing {
                break;
            }
        }
        Ok(ran.expect("two targets were tried"))
    }
}
