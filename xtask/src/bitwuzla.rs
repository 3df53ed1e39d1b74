//! `cargo run -p xtask -- bitwuzla`: builds the SMT solver into the cache folder, with progress on the terminal.

/// Builds Bitwuzla unless it is there already, and says where it is.
///
/// # Errors
/// When a source cannot be had or the compiler fails.
pub fn run() -> anyhow::Result<()> {
    let folder = bitwuzla_build::ensure(&|line| eprintln!("bitwuzla: {line}"))?;
    eprintln!("bitwuzla: {}", folder.join(bitwuzla_build::ARCHIVE).display());
    Ok(())
}
