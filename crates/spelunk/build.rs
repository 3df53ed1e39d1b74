//! Tells the program which commit it is built from, where git knows: results of `spelunk bench` name it.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rustc-env=SPELUNK_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
    println!("cargo::rerun-if-changed=build.rs");
    // Written with every commit, checkout and rebase.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        let log = PathBuf::from(log);
        if log.exists() {
            println!("cargo::rerun-if-changed={}", log.display());
        }
    }
}

/// The commit, in short; with `+` where files differed from it.
fn commit() -> Option<String> {
    let short = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|text| !text.is_empty());
    Some(if changed { short + "+" } else { short })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
