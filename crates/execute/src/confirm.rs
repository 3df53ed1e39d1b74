//! The user's own executable on one input: no fork server, nothing instrumented, same sandbox and limits. To a program
//! that accepts connections the engine is the client (`clients`).

use crate::clients::Clients;
use crate::config::Config;
use crate::curfew::Curfew;
use crate::launch::{self, Isolation, Plan, Process};
use crate::outcome::classify;
use crate::scratch::{FILE_ARGUMENT, Scratch};
use crate::server::{io_error, with_path};
use crate::sys;
use crate::watch::{Streams, watch};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;
use trace::{Input, ObjectKind, Outcome, Pieces, TargetError};

/// Name of the environment variable that gives the replay library its input file.
pub const ENV_REPLAY: &str = "SPELUNK_REPLAY";

/// An executable as the user built it.
pub struct PlainProgram {
    config: Config,
    /// The strictest that worked.
    isolation: Option<Isolation>,
}

/// How much of standard output is kept: its beginning.
const STDOUT: u64 = 1 << 20;

/// How it went.
#[derive(Clone, Debug)]
pub struct PlainRun {
    /// How it ended.
    pub outcome: Outcome,
    /// The end of what it wrote to standard error.
    pub stderr: Vec<u8>,
    /// The beginning of what its sanitizer reported, if [`Config::report`] was set.
    pub report: Vec<u8>,
    /// The beginning of what it wrote to standard output, if [`Config::output`] was set; the folder of the run, which is another
    /// one each time, is left out of it.
    pub stdout: Vec<u8>,
    /// CPU time.
    pub cpu: Duration,
    /// Peak resident memory of its main process in bytes.
    pub max_rss: u64,
}

impl PlainProgram {
    /// For runs of `config.executable`.
    pub fn new(config: Config) -> PlainProgram {
        PlainProgram { config, isolation: None }
    }

    /// Its runs end with this curfew from now on.
    pub fn set_curfew(&mut self, curfew: &Curfew) {
        self.config.curfew = curfew.clone();
    }

    /// Runs it once on `input`.
    ///
    /// # Errors
    /// When it cannot be started at all, in any sandbox; [`TargetError::Interrupted`] when the session is to end.
    pub fn run(&mut self, input: &Input) -> Result<PlainRun, TargetError> {
        let candidates = Isolation::candidates(self.config.sandbox);
        let from = candidates.iter().position(|&i| Some(i) == self.isolation).unwrap_or(0);
        let mut error = TargetError::Server("no sandbox to run in".into());
        for &isolation in &candidates[from..] {
            if self.config.curfew.is_over() {
                return Err(TargetError::Interrupted);
            }
            match self.run_in(input, isolation) {
                Ok(run) => {
                    self.isolation = Some(isolation);
                    return Ok(run);
                }
                Err(TargetError::Interrupted) => return Err(TargetError::Interrupted),
                Err(e) => error = e,
            }
        }
        Err(error)
    }

    fn run_in(&self, input: &Input, isolation: Isolation) -> Result<PlainRun, TargetError> {
        let c = &self.config;
        let mut scratch = Scratch::new(c.scratch.as_deref(), c.extension.as_deref(), isolation.owner())
            .map_err(io_error("making a scratch directory"))?;
        let delivered = deliver(input, &mut scratch, c).map_err(io_error("writing the input"))?;
        let talk = Talk::of(input).map_err(io_error("preparing connections"))?;
        let run = self.start(&scratch, &delivered, talk.as_ref(), isolation);
        let mut started =
            run.map_err(|e| TargetError::Server(format!("cannot run {}: {e}", c.executable.display())))?;
        let clients = talk.map(|talk| talk.begin(&started.process, isolation)).transpose();
        let clients = clients.map_err(io_error("making clients of the program"))?;
        let end = watch(&mut started.process, started.streams, c, clients).map_err(|e| match e.kind() {
            io::ErrorKind::Interrupted if c.curfew.is_over() => TargetError::Interrupted,
            _ => io_error("waiting for the program")(e),
        })?;
        let mut stdout = Vec::new();
        if c.output {
            let written = sys::reopen_for_reading(&started.output);
            let read = written.and_then(|file| file.take(STDOUT).read_to_end(&mut stdout));
            read.map_err(io_error("reading standard output"))?;
            stdout = without_folder(&stdout, &scratch);
        }
        Ok(PlainRun {
            outcome: classify(end.report.status, end.stopped),
            stderr: end.stderr,
            report: end.sanitizer,
            stdout,
            cpu: Duration::from_micros(end.report.cpu_us),
            max_rss: end.report.max_rss_kib.max(0) as u64 * 1024,
        })
    }

    fn start(
        &self,
        scratch: &Scratch,
        delivered: &Delivered,
        talk: Option<&Talk>,
        isolation: Isolation,
    ) -> io::Result<Started> {
        let (report_read, report_write) = sys::pipe()?;
        let (stderr_read, stderr_write) = sys::pipe()?;
        let sanitizer = if self.config.report { Some(sys::pipe()?) } else { None };
        let output = match self.config.output {
            // A file rather than a pipe: nobody has to read it meanwhile.
            true => sys::memory(c"stdout")?,
            false => File::options().write(true).open("/dev/null")?,
        };
        let mut descriptors =
            vec![(delivered.stdin.as_fd(), 0), (output.as_fd(), 1), (stderr_write.as_fd(), 2)];
        descriptors.extend(sanitizer.iter().map(|(_, write)| (write.as_fd(), trace_abi::CHECK_REPORT)));
        let plan = Plan {
            executable: &self.config.executable,
            argv: &delivered.argv,
            env: &delivered.env,
            same_stack: false,
            moved: self.config.moved,
            directory: scratch.run_dir(),
            directory_path: &scratch.run_path(),
            private_directory: !delivered.has_named_files,
            descriptors,
            limits: self.config.limits,
            isolation,
            supervise: Some(report_write.as_fd()),
            clients: talk.map(|t| (t.theirs.as_fd(), t.texts.len() as u32)),
        };
        let streams = Streams {
            report: report_read,
            stderr: stderr_read,
            sanitizer: sanitizer.as_ref().map(|(read, _)| read.try_clone()).transpose()?,
        };
        let process = launch::spawn(&plan)?;
        Ok(Started { process, streams, output })
    }
}

/// What clients of the program will say, and the socket through which their sockets come.
struct Talk {
    texts: Vec<(Pieces, Vec<u8>)>,
    ours: OwnedFd,
    theirs: OwnedFd,
}

impl Talk {
    /// None where the input has no connections.
    fn of(input: &Input) -> io::Result<Option<Talk>> {
        let connections = input.objects.iter().filter(|o| o.kind == ObjectKind::Connection);
        let texts: Vec<_> = connections
            .take(trace_abi::MAX_CONNECTIONS)
            .map(|o| (Pieces::of_name(o.name.as_bytes()), o.data.clone()))
            .collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let (ours, theirs) = sys::socket_pair()?;
        Ok(Some(Talk { texts, ours, theirs }))
    }

    fn begin(self, process: &Process, isolation: Isolation) -> io::Result<Clients> {
        let ends = launch::receive_clients(self.ours.as_fd())?;
        Ok(Clients::new(process.pid(), isolation.has_namespace(), ends.into_iter().zip(self.texts)))
    }
}

struct Started {
    process: Process,
    streams: Streams,
    /// Its standard output.
    output: File,
}

/// Where the program finds its input.
struct Delivered {
    argv: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdin: File,
    /// Files wait in the working directory: it must not be mounted over.
    has_named_files: bool,
}

/// The text without the path of the folder that this run had.
fn without_folder(text: &[u8], scratch: &Scratch) -> Vec<u8> {
    let folder = scratch.input_path().parent().unwrap_or(Path::new("/")).as_os_str().as_bytes();
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        match rest.strip_prefix(folder) {
            Some(behind) if folder.len() > 1 => rest = behind,
            _ => {
                out.push(rest[0]);
                rest = &rest[1..];
            }
        }
    }
    out
}

fn deliver(input: &Input, scratch: &mut Scratch, config: &Config) -> io::Result<Delivered> {
    let path = scratch.input_path().as_os_str().to_owned();
    let mut argv = vec![config.name.clone().unwrap_or_else(|| config.executable.clone().into())];
    argv.extend(config.args.iter().map(|a| with_path(a, &path)));
    let mut env = config.env.clone();
    let mut stdin = sys::memory(c"stdin")?;
    for o in &input.objects {
        match o.kind {
            ObjectKind::Stdin => stdin.write_all(&o.data)?,
            ObjectKind::File if o.name == FILE_ARGUMENT => scratch.write_input(&o.data)?,
            ObjectKind::File => scratch.write_named(&o.name, &o.data)?,
            ObjectKind::Arg => {
                let text = OsString::from_vec(o.data.split(|&b| b == 0).next().unwrap_or(&[]).to_vec());
                match o.name.parse::<usize>().ok().filter(|&k| k < argv.len()) {
                    Some(k) => argv[k] = text,
                    None => argv.push(text),
                }
            }
            ObjectKind::Env => {
                let text = o.data.split(|&b| b == 0).next().unwrap_or(&[]).to_vec();
                env.push((o.name.clone().into(), OsString::from_vec(text)));
            }
            ObjectKind::Fuzz => {
                scratch.write_input(&o.data)?;
                argv.push(path.clone());
            }
            ObjectKind::Value | ObjectKind::Connection | ObjectKind::End => {}
        }
    }
    let values = replay_values(input);
    if !values.is_empty() {
        scratch.write_input(&values)?;
        env.push((ENV_REPLAY.into(), path));
    }
    let has_named_files = input.objects.iter().any(|o| o.kind == ObjectKind::File && o.name != FILE_ARGUMENT);
    Ok(Delivered { argv, env, stdin: sys::reopen_for_reading(&stdin)?, has_named_files })
}

/// The values of an input as the replay library reads them: per value its length (four bytes, little-endian), then its
/// bytes; at the end, where the run ends when it asks for more, a length of 2^32 - 1. Empty if there are none.
pub fn replay_values(input: &Input) -> Vec<u8> {
    let mut out = Vec::new();
    for o in input.objects.iter().filter(|o| o.kind == ObjectKind::Value) {
        out.extend_from_slice(&(o.data.len() as u32).to_le_bytes());
        out.extend_from_slice(&o.data);
    }
    if input.ends() {
        out.extend_from_slice(&u32::MAX.to_le_bytes());
    }
    out
}
