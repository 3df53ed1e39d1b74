//! What can go wrong, as messages for people.

use std::path::{Path, PathBuf};

/// An error of this crate. Its text says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("{path}: cannot {what}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The plan is not one of this version.
    #[error("{path}: not a program description that this version reads ({why}); make it again with the same version of Spelunk", path = path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Bitcode that LLVM 19 cannot read.
    #[error(
        "the bitcode of {unit} cannot be read: {why}. It must come from clang 14 to 19; build the program again with `spelunk build -- COMMAND`"
    )]
    Bitcode {
        /// The unit.
        unit: String,
        /// LLVM's message.
        why: String,
    },
    /// Bitcode for another machine.
    #[error(
        "the bitcode of {unit} is for {triple}; Spelunk tests x86-64 Linux programs. Build it with -m64 on this machine"
    )]
    Machine {
        /// The unit.
        unit: String,
        /// Its target triple.
        triple: String,
    },
    /// Units that do not fit together.
    #[error("the units of the program cannot be joined at {unit}: {why}")]
    Link {
        /// The unit at which it failed.
        unit: String,
        /// LLVM's message.
        why: String,
    },
    /// Instrumentation made invalid code.
    #[error("internal error while {during}: {why}. Please report it with the program")]
    Internal {
        /// The step.
        during: &'static str,
        /// LLVM's message.
        why: String,
    },
    /// No entry point.
    #[error(
        "the program has neither `main` nor `LLVMFuzzerTestOneInput` with bitcode; build the file that defines it with `spelunk cc`"
    )]
    NoEntry,
    /// Finding the compiler failed.
    #[error(transparent)]
    Toolchain(#[from] toolchain::Error),
    /// The linker refused.
    #[error("linking the instrumented program failed{}", refused(missing, output))]
    Linker {
        /// Symbols without definition, as the linker names them.
        missing: Vec<String>,
        /// The linker's messages.
        output: String,
    },
}

impl Error {
    /// An error of the operating system at `path`.
    pub fn io(path: &Path, what: &'static str, source: std::io::Error) -> Error {
        Error::Io { path: path.to_path_buf(), what, source }
    }
}

/// Missing symbols that are named.
const NAMED: usize = 6;
/// Lines of the linker's that are shown where it misses no symbol.
const LINES: usize = 12;

/// Why the linker refused.
fn refused(missing: &[String], output: &str) -> String {
    if missing.is_empty() {
        let lines: Vec<&str> = output.lines().filter(|l| !l.trim().is_empty()).collect();
        let more = match lines.len().saturating_sub(LINES) {
            0 => String::new(),
            n => format!("\n({n} more lines)"),
        };
        return format!(":\n{}{more}", lines[..lines.len().min(LINES)].join("\n"));
    }
    let readable = |name: &String| {
        let symbol = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok()).flatten();
        symbol.and_then(|s| s.demangle().ok()).unwrap_or_else(|| name.clone())
    };
    let named: Vec<String> = missing.iter().take(NAMED).map(readable).collect();
    let more = match missing.len() - named.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        ": {}{more} have no definition in what the program's link recorded. Is a library missing? Name it with --ldflags for \
         sources, objects and archives; build an executable again with `spelunk build -- COMMAND`, so that all it is linked with is recorded",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn missing_symbols_are_told_in_one_line() {
        let names: Vec<String> =
            (0..30).map(|k| format!("_Z2f{}v", k % 10)).chain(["_Z1fv".into()]).collect();
        let text = refused(&names, "thirty lines of the linker");
        assert!(text.contains(" and 25 more have no definition") && !text.contains('\n'), "{text}");
        assert!(refused(&["_Z1fv".into()], "").starts_with(": f() have"));
        let many = "line\n".repeat(40);
        assert!(refused(&[], &many).ends_with("(28 more lines)"));
    }
}
