//! `spelunk-instrument`: derives flavours of one program; called by `spelunk`, usable by hand.
//!
//! It is a program of its own so that LLVM's memory and crashes stay out of the engine.

use clap::Parser;
use instrument::{Destination, Error, Flavour};
use std::path::PathBuf;
use std::process::ExitCode;
use toolchain::{ProgramSource, SOURCE_VERSION};

/// Derives instrumented flavours of a program and its program map; prints one JSON line about them.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Description of the program: a `toolchain::ProgramSource` as JSON.
    #[arg(long, value_name = "PLAN.json")]
    source: PathBuf,
    /// What to derive; may be given more than once.
    #[arg(long, value_enum, required = true)]
    flavour: Vec<Flavour>,
    /// Undefined operations to check for.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    find: Vec<program::CheckKind>,
    /// File for the executable (one flavour); the map goes to FILE.map.
    #[arg(short, value_name = "FILE", conflicts_with = "cache")]
    output: Option<PathBuf>,
    /// Cache folder: what was derived before is used again.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Exit code: the program cannot be used.
const TARGET: u8 = 3;
/// Exit code: a tool is missing or failed.
const TOOLS: u8 = 4;
/// Exit code: the operating system refused something.
const SYSTEM: u8 = 7;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(match error {
                Error::Io { .. } => SYSTEM,
                Error::Toolchain(_) | Error::Internal { .. } | Error::Linker { .. } => TOOLS,
                _ => TARGET,
            })
        }
    }
}

fn run(options: &Options) -> Result<(), Error> {
    let bytes = std::fs::read(&options.source).map_err(|e| Error::io(&options.source, "read", e))?;
    let bad = |why: String| Error::Plan { path: options.source.clone(), why };
    let source: ProgramSource = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
    if source.version != SOURCE_VERSION {
        return Err(bad(format!("version {}, not {SOURCE_VERSION}", source.version)));
    }
    let to = match (&options.output, &options.cache) {
        (Some(file), _) => Destination::File(file.clone()),
        (None, Some(folder)) => Destination::Cache(folder.clone()),
        (None, None) => Destination::Cache(toolchain::Cache::from_env().root().to_path_buf()),
    };
    let built = instrument::build(&source, &options.flavour, &options.find, &to)?;
    let line = serde_json::to_string(&built).map_err(|e| bad(e.to_string()))?;
    println!("{line}");
    Ok(())
}
