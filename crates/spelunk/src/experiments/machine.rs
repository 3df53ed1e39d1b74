//! What results say of where they come from: the machine, and the versions.

use crate::exit;
use crate::failure::Failure;
use experiment::{Machine, Versions};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;
use toolchain::{Clang, Language};

/// This machine, as far as Linux says.
pub fn machine() -> Machine {
    let field = |file: &str, name: &str, between: char| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name));
        let value =
            line.and_then(|line| line.split_once(between)).map(|(_, value)| value.trim().trim_matches('"'));
        value.map_or_else(|| "unknown".to_owned(), str::to_owned)
    };
    let kib = field("/proc/meminfo", "MemTotal", ':');
    Machine {
        cpu: field("/proc/cpuinfo", "model name", ':'),
        cores: std::thread::available_parallelism().map_or(0, |n| n.get() as u32),
        memory_mib: kib.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024,
        kernel: one_line("/proc/sys/kernel/osrelease"),
        system: field("/etc/os-release", "PRETTY_NAME", '='),
    }
}

/// Processes that wanted a core, mean of the last minute; 0 if the system does not say.
pub fn load() -> f64 {
    let text = one_line("/proc/loadavg");
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0)
}

fn one_line(file: &str) -> String {
    std::fs::read_to_string(file).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

/// What makes the campaigns.
///
/// # Errors
/// When the executables of Spelunk or clang cannot be found.
pub fn versions() -> Result<Versions, Failure> {
    let own = std::env::current_exe()
        .and_then(|exe| exe.canonicalize())
        .map_err(|e| Failure::new(exit::SYSTEM, format!("cannot find the executable of spelunk: {e}")))?;
    let mut hash = Sha256::new();
    for file in [own.clone(), own.with_file_name("spelunk-instrument")] {
        hash.update(content(&file)?);
    }
    Ok(Versions {
        spelunk: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("SPELUNK_COMMIT").to_owned(),
        build: hex(&hash.finalize(), 6),
        clang: clang(),
        bitwuzla: solvers::smt_version(),
    })
}

fn content(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file).map_err(|e| Failure::io("read", file, &e))
}

/// First line of `clang --version`.
fn clang() -> String {
    let output =
        Clang::find().ok().and_then(|c| Command::new(c.driver(Language::C)).arg("--version").output().ok());
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let line = text.lines().next().unwrap_or("unknown");
    line.split_once("clang version ").map_or(line, |(_, version)| version).to_owned()
}

/// The first bytes of a hash, as hexadecimal digits.
pub fn hex(hash: &[u8], bytes: usize) -> String {
    hash.iter().take(bytes).map(|b| format!("{b:02x}")).collect()
}
