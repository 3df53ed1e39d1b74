//! Help beyond the options.

/// What follows `spelunk --help`.
pub fn after() -> String {
    format!("Exit codes:\n{}", crate::exit::table())
}

/// Long help of `--strategy`.
pub fn strategies() -> String {
    let rows = strategy::Kind::ALL.iter().map(|kind| format!("  {:15} {}\n", kind.name(), kind.help()));
    format!("How to choose what to try next:\n{}", rows.collect::<String>())
}
