//! Calling `spelunk-instrument`, the program beside this one that holds LLVM: its memory and its crashes stay out
//! of the engine.

use crate::failure::Failure;
use crate::{cpu_time, exit};
use program::{CheckKind, ProgramMap};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use toolchain::{Cache, ProgramSource};

/// What the instrumenter made.
#[derive(Debug, Deserialize)]
pub struct Built {
    /// File of the program map.
    pub map: PathBuf,
    /// Executable of each flavour asked for.
    pub flavours: BTreeMap<String, PathBuf>,
}

/// How often somebody who waits for the instrumenter is asked.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// Asked now and then while the instrumenter works: whether to give up.
pub type Patience<'a> = &'a mut dyn FnMut() -> bool;

/// Derives flavours of `source`, with checks for these undefined operations, into the cache, or finds them there.
///
/// # Errors
/// When the instrumenter is missing or says what is wrong, or nobody waits for it any more.
pub fn flavours(
    source: &ProgramSource,
    wanted: &[&str],
    find: &[CheckKind],
    cache: &Cache,
    patience: Patience<'_>,
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
        let built = call(source, &arguments, patience)?;
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
    call(source, &["--flavour".into(), flavour.into(), "-o".into(), file.into()], &mut || false)
}

fn call(
    source: &ProgramSource,
    arguments: &[std::ffi::OsString],
    patience: Patience<'_>,
) -> Result<Built, Failure> {
    let program = beside_this("spelunk-instrument")?;
    let plan =
        tempfile::NamedTempFile::new().map_err(|e| Failure::io("write to", &std::env::temp_dir(), &e))?;
    serde_json::to_writer(&plan, source).map_err(|e| {
        Failure::new(exit::SYSTEM, format!("cannot hand the program to the instrumenter: {e}"))
    })?;
    let mut command = Command::new(&program);
    command.arg("--source").arg(plan.path()).args(arguments).stdin(Stdio::null());
    let output = finish(command, patience)
        .map_err(|e| Failure::new(exit::TOOLS, format!("cannot start {}: {e}", program.display())))?;
    let Some((status, stdout, stderr)) = output else {
        return Err(Failure::new(
            exit::INTERRUPTED,
            "stopped while the program was being instrumented".to_string(),
        ));
    };
    let messages = String::from_utf8_lossy(&stderr);
    if !status.success() {
        let code = status.code().and_then(|c| u8::try_from(c).ok()).filter(|c| (3..=7).contains(c));
        let what = match messages.trim() {
            "" => format!("{} ended with {status}", program.display()),
            text => text.trim_start_matches("error: ").to_string(),
        };
        return Err(Failure::new(code.unwrap_or(exit::TOOLS), what));
    }
    for line in messages.lines() {
        eprintln!("{line}");
    }
    serde_json::from_slice(&stdout)
        .map_err(|e| Failure::new(exit::INTERNAL, format!("the instrumenter's answer cannot be read: {e}")))
}

/// A command's exit status, standard output and standard error.
type Finished = (ExitStatus, Vec<u8>, Vec<u8>);

/// Runs a command to its end; `None`: nobody waited for its end, and it was killed. It runs beside
/// a search: its CPU time is no part of one's.
fn finish(mut command: Command, patience: Patience<'_>) -> std::io::Result<Option<Finished>> {
    // A group of its own: what it starts ends with it.
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let pid = child.id() as i32;
    execute::set_aside(pid);
    let read = |from: Option<Box<dyn Read + Send>>| {
        let mut text = Vec::new();
        // What it could not say any more is not there.
        let _ = from.map(|mut from| from.read_to_end(&mut text));
        text
    };
    let stdout = child.stdout.take().map(|o| Box::new(o) as Box<dyn Read + Send>);
    let stderr = child.stderr.take().map(|e| Box::new(e) as Box<dyn Read + Send>);
    let (ended, end) = channel();
    std::thread::scope(|scope| {
        let (out, err) = (scope.spawn(move || read(stdout)), scope.spawn(move || read(stderr)));
        scope.spawn(move || ended.send(execute::wait_aside(pid)));
        let (mut gave_up, mut spent) = (false, Duration::ZERO);
        let status = loop {
            let ended = end.recv_timeout(ASK_EVERY);
            if ended.is_err() {
                let now = spent.max(cpu_time::of_tool(pid));
                cpu_time::tool_spent(now - spent);
                spent = now;
            }
            match ended {
                Ok(status) => break status,
                Err(RecvTimeoutError::Timeout) if !gave_up && patience() => {
                    gave_up = true;
                    execute::kill_group(pid);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(std::io::Error::other("nobody waited for it"));
                }
            }
        };
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        Ok((!gave_up).then_some((ExitStatus::from_raw(status?), out, err)))
    })
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
