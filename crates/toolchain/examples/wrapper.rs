//! A minimal `spelunk` for this crate's tests: `wrapper cc|c++ ARGS…`, `wrapper build COMMAND…`, and
//! `wrapper program TARGET…`, which prints the program as JSON.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolchain::{Cache, Error, Language, Options};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let result = match toolchain::build::called_as(Path::new(&words[0])) {
        Some(language) => toolchain::wrapper::run(language, &words[1..]),
        None => command(&words[1..]),
    };
    result.map(ExitCode::from).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(99)
    })
}

fn command(words: &[OsString]) -> Result<u8, Error> {
    let Some((name, rest)) = words.split_first() else { return Err(Error::NoTarget) };
    match name.to_str() {
        Some("cc") => toolchain::wrapper::run(Language::C, rest),
        Some("c++") => toolchain::wrapper::run(Language::Cxx, rest),
        Some("build") => {
            let own = std::env::current_exe().map_err(|e| Error::io(Path::new("wrapper"), "find", e))?;
            let report = toolchain::build::run(rest, &own, &Cache::from_env())?;
            println!("{report:#?}");
            Ok(report.code)
        }
        _ => {
            let targets: Vec<PathBuf> = rest.iter().map(PathBuf::from).collect();
            let program = toolchain::program_of(&targets, &Options::default(), &Cache::from_env())?;
            println!("{}", serde_json::to_string_pretty(&program).unwrap_or_default());
            Ok(0)
        }
    }
}
