//! Automation of the workspace.
#![forbid(unsafe_code)]

mod bitwuzla;
mod sweep;
mod vendor;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bitwuzla"] => bitwuzla::run(),
        ["vendor"] => vendor::run(),
        ["sweep", ref rest @ ..] => sweep::run(rest),
        _ => Err(anyhow::anyhow!("usage: cargo xtask bitwuzla | vendor | sweep …")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
