//! Building small programs in every flavour, running them, and reading back what a symbolic run left.

mod mapping;

pub use mapping::read_mapping;

use instrument::{Destination, Flavour};
use program::ProgramMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A program in all flavours.
pub struct Program {
    /// Keeps the files.
    _folder: tempfile::TempDir,
    /// As the user built it.
    pub plain: PathBuf,
    /// Flavours in the order trace, fast, path.
    pub flavours: Vec<PathBuf>,
    /// Its map.
    pub map: ProgramMap,
}

impl Program {
    /// Compiles `source` with `flags` and derives every flavour.
    pub fn build(source: &Path, flags: &[String]) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let cache = toolchain::Cache::at(folder.path());
        let options = toolchain::Options {
            cflags: flags.to_vec(),
            ldflags: vec!["-lm".into(), "-lpthread".into()],
            ..toolchain::Options::default()
        };
        let program = toolchain::program_of(&[source.to_path_buf()], &options, &cache)
            .unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let wanted = [Flavour::Trace, Flavour::Fast, Flavour::Path];
        let to = Destination::Cache(folder.path().to_path_buf());
        let built = instrument::build(&program, &wanted, &[], &to)
            .unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let flavours = wanted.iter().map(|f| built.flavours[f.name()].clone()).collect();
        let map = postcard::from_bytes(&std::fs::read(&built.map).unwrap()).unwrap();
        Program { plain: program.executable, flavours, map, _folder: folder }
    }

    /// Runs `executable` with standard input.
    pub fn run(executable: &Path, stdin: &[u8], trace: Option<&Path>) -> Output {
        let mut command = Command::new(executable);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(file) = trace {
            command.env("SPELUNK_TRACE", file);
        }
        let mut child = command.spawn().unwrap();
        // A program need not read its input.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap()
    }
}
