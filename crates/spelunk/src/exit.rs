//! The exit codes: public, documented, never renumbered.

/// One row of the table of exit codes.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The code.
    pub code: u8,
    /// Its name.
    pub name: &'static str,
    /// What it means, for people.
    pub meaning: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)+) => {
        $(#[doc = $meaning] pub const $name: u8 = $code;)+
        /// Every code, ascending.
        pub const TABLE: &[Row] = &[$(Row { code: $code, name: stringify!($name), meaning: $meaning },)+];
    };
}

codes! {
    OK = 0, "done; `replay`: everything behaved as recorded";
    DIFFERENT = 1, "`replay`: at least one test or finding did not behave as recorded";
    USAGE = 2, "the command line could not be understood";
    TARGET = 3, "the target cannot be used: missing, not a program, built without bitcode, for another machine; or it cannot start: a shared library is missing";
    TOOLS = 4, "something Spelunk needs is missing or failed: clang, the instrumenter, the fork server";
    CAMPAIGN = 5, "the campaign folder cannot be used: of another version, in use, damaged, or not one; `bench`: a campaign was lost";
    INPUT = 6, "a seed or another input cannot be used: unreadable, or larger than --max-input";
    SYSTEM = 7, "the operating system refused something: disk full, no permission, no memory";
    INTERNAL = 70, "a bug in Spelunk, also: on the first input the instrumented program is not as your own; please report it with the message";
    INTERRUPTED = 130, "stopped by Ctrl-C before anything could be saved (a stopped campaign exits with 0); `bench`: stopped";
}

/// The table, for `spelunk help exit-codes` and the README.
pub fn table() -> String {
    TABLE.iter().map(|row| format!("  {:>3}  {:11}  {}\n", row.code, row.name, row.meaning)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_ascending() {
        assert!(TABLE.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
