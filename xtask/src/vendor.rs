//! `cargo run -p xtask -- vendor`: everything third-party that is not a crate, fetched and built once.

/// Runs every set-up step.
///
/// # Errors
/// The first one that fails.
pub fn run() -> anyhow::Result<()> {
    crate::bitwuzla::run()
}
