//! What can go wrong around the user's build, as messages for people.

use std::path::{Path, PathBuf};

/// An error of this crate. Its text says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No usable clang.
    #[error("{0}")]
    NoClang(String),
    /// A file is not there.
    #[error("{path}: no such file", path = .0.display())]
    Missing(PathBuf),
    /// The operating system refused something.
    #[error("{path}: cannot {what}: {source}", path = path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Something that is no program at all.
    #[error("{path}: not a program Spelunk can read ({found}); give an executable, or the C/C++ sources, \
             objects or archives of one program", path = path.display())]
    NotAProgram {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        found: String,
    },
    /// An executable for another machine.
    #[error("{path}: built for {machine}; Spelunk tests 64-bit x86-64 Linux programs. Build it with -m64 \
             on this machine", path = path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// Its machine.
        machine: String,
    },
    /// An executable without bitcode.
    #[error("{path}: built without bitcode{detail}; build it again with `spelunk build -- COMMAND`, where \
             COMMAND is your usual build command (for example `spelunk build -- make`)", path = path.display())]
    NoBitcode {
        /// The file.
        path: PathBuf,
        /// More about it, or empty.
        detail: String,
    },
    /// The bitcode section is damaged.
    #[error("{path}: the bitcode in section .llvmbc is damaged at byte {offset} ({what}); build it again \
             with `spelunk build -- COMMAND`", path = path.display())]
    DamagedBitcode {
        /// The file.
        path: PathBuf,
        /// Where in the section.
        offset: usize,
        /// What was found.
        what: &'static str,
    },
    /// The bitcode comes from a newer LLVM than can be read.
    #[error("{path}: the bitcode of {unit} was written by {producer}; this Spelunk reads LLVM 14 to {max}. \
             Build with clang-{max}, for example `spelunk build -- make clean all`", path = path.display())]
    NewerLlvm {
        /// The executable.
        path: PathBuf,
        /// The unit.
        unit: String,
        /// The writer, as it names itself.
        producer: String,
        /// The newest version that can be read.
        max: u32,
    },
    /// Targets that do not belong together.
    #[error(
        "{0}: an executable cannot be combined with other targets; give one executable, or the sources, \
             objects and archives of one program"
    )]
    Mixed(String),
    /// No target at all.
    #[error("no target given; give an executable, or the sources, objects or archives of one program")]
    NoTarget,
    /// The compiler refused the sources.
    #[error("{what} failed (exit code {code}); the compiler's messages are above")]
    Compiler {
        /// What was being done.
        what: String,
        /// The compiler's exit code.
        code: i32,
    },
}

impl Error {
    /// An error of the operating system at `path`; a missing file becomes [`Error::Missing`].
    pub fn io(path: &Path, what: &'static str, source: std::io::Error) -> Error {
        match source.kind() {
            std::io::ErrorKind::NotFound if what == "read" => Error::Missing(path.to_path_buf()),
            _ => Error::Io { path: path.to_path_buf(), what, source },
        }
    }
}
