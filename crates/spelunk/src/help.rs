//! Help beyond the options.

/// What follows `spelunk --help`.
pub fn after() -> String {
    format!("Exit codes:\n{}", crate::exit::table())
}
