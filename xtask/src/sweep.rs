//! `cargo xtask sweep …`: the sweep over Debian packages, `bench/sweep`.

use anyhow::Context;
use std::process::Command;

/// Builds and runs the sweep with these arguments.
///
/// # Errors
/// When it cannot be built, or fails.
pub fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--release", "--package", "sweep", "--"]).args(arguments);
    let status = command.status().context("cargo")?;
    anyhow::ensure!(status.success(), "the sweep failed");
    Ok(())
}
