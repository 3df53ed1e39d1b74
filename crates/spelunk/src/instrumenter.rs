//! Calling `spelunk-instrument`, the program beside this one that holds LLVM: its memory and its crashes stay out
//! of the engine.

use crate::exit;
use crate::failure::Failure;
use program::{CheckKind, ProgramMap};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolchain::{Cache, ProgramSource};

/// What the instrumenter made.
#[derive(Debug, Deserialize)]
pub struct Built {
    /// File of the program map.
    pub map: PathBuf,
    /// Executable of each flavour asked for.
    pub flavours: BTreeMap<String, PathBuf>,
}

/// Derives flavours of `source`, with checks for these undefined operations, into the cache, or finds them there.
///
/// # Errors
/// When the instrumenter is missing or says what is wrong.
pub fn flavours(
    source: &ProgramSource,
    wanted: &[&str],
    find: &[CheckKind],
    cache: &Cache,
) -> Result<Built, Failure> {
    let mut arguments: Vec<std::ffi::OsString> = vec!["--cache".into(), cache.root().into()];
    for flavour in wanted {
        arguments.extend(["--flavour".into(), flavour.into()]);
    }
    for kind in find {
        arguments.extend(["--find".into(), kind.name().into()]);
    }
    // What was long unused may have been removed from the cache between its making and its keeping.
    for _ in 0..3 {
        let built = call(source, &arguments)?;
        let kept = built.map.parent().is_some_and(|entry| toolchain::bounded::keep(entry).is_ok());
        if kept && built.flavours.values().all(|f| f.exists()) {
            return Ok(built);
        }
    }
    Err(Failure::new(
        exit::SYSTEM,
        format!(
            "what is derived from the program does not stay in the cache {}: is something else emptying it? SPELUNK_CACHE names another",
            cache.root().display()
        ),
    ))
}

/// Derives one flavour into `file`.
///
/// # Errors
/// As [`flavours`].
pub fn flavour_to(source: &ProgramSource, flavour: &str, file: &Path) -> Result<Built, Failure> {
    call(source, &["--flavour".into(), flavour.into(), "-o".into(), file.into()])
}

fn call(source: &ProgramSource, arguments: &[std::ffi::OsString]) -> Result<Built, Failure> {
    let program = beside_this("spelunk-instrument")?;
    let plan =
        tempfile::NamedTempFile::new().map_err(|e| Failure::io("write to", &std::env::temp_dir(), &e))?;
    serde_json::to_writer(&plan, source).map_err(|e| {
        Failure::new(exit::SYSTEM, format!("cannot hand the program to the instrumenter: {e}"))
    })?;
    let output = Command::new(&program)
        .arg("--source")
        .arg(plan.path())
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Failure::new(exit::TOOLS, format!("cannot start {}: {e}", program.display())))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let code = output.status.code().and_then(|c| u8::try_from(c).ok()).filter(|c| (3..=7).contains(c));
        let what = match messages.trim() {
            "" => format!("{} ended with {}", program.display(), output.status),
            text => text.trim_start_matches("error: ").to_string(),
        };
        return Err(Failure::new(code.unwrap_or(exit::TOOLS), what));
    }
    for line in messages.lines() {
        eprintln!("{line}");
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|e| Failure::new(exit::INTERNAL, format!("the instrumenter's answer cannot be read: {e}")))
}

/// The program of this name in the folder of the running one.
fn beside_this(name: &str) -> Result<PathBuf, Failure> {
    let here = std::env::current_exe().and_then(|exe| exe.canonicalize()).unwrap_or_default();
    let path = here.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::new(
        exit::TOOLS,
        format!(
            "{} is missing; it belongs beside {}: run `make build` again",
            path.display(),
            here.display()
        ),
    ))
}

/// Reads the program map that the instrumenter wrote.
///
/// # Errors
/// When it cannot be read or is of another version.
pub fn read_map(file: &Path) -> Result<ProgramMap, Failure> {
    let bytes = std::fs::read(file).map_err(|e| Failure::io("read", file, &e))?;
    let damaged = |what: String| {
        Failure::new(exit::TOOLS, format!("{}: {what}; remove this file and try again", file.display()))
    };
    let map: ProgramMap =
        postcard::from_bytes(&bytes).map_err(|e| damaged(format!("not a program map ({e})")))?;
    if map.version != program::MAP_VERSION {
        return Err(damaged(format!(
            "a program map of version {}, not {}",
            map.version,
            program::MAP_VERSION
        )));
    }
    Ok(map)
}
