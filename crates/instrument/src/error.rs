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
    #[error("linking the instrumented program failed{missing}:\n{output}")]
    Linker {
        /// Symbols without definition, or empty.
        missing: String,
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
