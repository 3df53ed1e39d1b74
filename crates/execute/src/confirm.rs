//! The user's own executable on one input: no fork server, nothing instrumented, same sandbox and limits.

use crate::config::Config;
use crate::launch::{self, Isolation, Plan, Process, Report};
use crate::outcome::{Stopped, classify};
use crate::scratch::{FILE_ARGUMENT, Scratch};
use crate::server::{io_error, with_path};
use crate::{memory, sys};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};
use trace::{Input, ObjectKind, Outcome, TargetError};

/// Name of the environment variable that gives the replay library its input file.
pub const ENV_REPLAY: &str = "SPELUNK_REPLAY";
/// How much of standard error is kept.
const TAIL: usize = 16 << 10;
const TICK: Duration = Duration::from_millis(20);

/// An executable as the user built it.
pub struct PlainProgram {
    config: Config,
    /// The strictest that worked.
    isolation: Option<Isolation>,
}

/// How it went.
#[derive(Clone, Debug)]
pub struct PlainRun {
    /// How it ended.
    pub outcome: Outcome,
    /// The end of what it wrote to standard error.
    pub stderr: Vec<u8>,
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

    /// Runs it once on `input`.
    ///
    /// # Errors
    /// When it cannot be started at all, in any sandbox.
    pub fn run(&mut self, input: &Input) -> Result<PlainRun, TargetError> {
        let candidates = Isolation::candidates(self.config.sandbox);
        let from = candidates.iter().position(|&i| Some(i) == self.isolation).unwrap_or(0);
        let mut error = TargetError::Server("no sandbox to run in".into());
        for &isolation in &candidates[from..] {
            match self.run_in(input, isolation) {
                Ok(run) => {
                    self.isolation = Some(isolation);
                    return Ok(run);
                }
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
        let run = self.start(&scratch, &delivered, isolation);
        let mut started =
            run.map_err(|e| TargetError::Server(format!("cannot run {}: {e}", c.executable.display())))?;
        let (report, stopped, stderr) =
            watch(&mut started, c).map_err(io_error("waiting for the program"))?;
        Ok(PlainRun {
            outcome: classify(report.status, stopped),
            stderr,
            cpu: Duration::from_micros(report.cpu_us),
            max_rss: report.max_rss_kib.max(0) as u64 * 1024,
        })
    }

    fn start(&self, scratch: &Scratch, delivered: &Delivered, isolation: Isolation) -> io::Result<Started> {
        let (report_read, report_write) = sys::pipe()?;
        let (stderr_read, stderr_write) = sys::pipe()?;
        let output = File::options().write(true).open("/dev/null")?;
        let plan = Plan {
            executable: &self.config.executable,
            argv: &delivered.argv,
            env: &delivered.env,
            directory: scratch.run_dir(),
            directory_path: &scratch.run_path(),
            private_directory: !delivered.has_named_files,
            descriptors: vec![(delivered.stdin.as_fd(), 0), (output.as_fd(), 1), (stderr_write.as_fd(), 2)],
            limits: self.config.limits,
            isolation,
            supervise: Some(report_write.as_fd()),
        };
        Ok(Started { process: launch::spawn(&plan)?, report: report_read, stderr: stderr_read })
    }
}

struct Started {
    process: Process,
    report: OwnedFd,
    stderr: OwnedFd,
}

/// Where the program finds its input.
struct Delivered {
    argv: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdin: File,
    /// Files wait in the working directory: it must not be mounted over.
    has_named_files: bool,
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
            ObjectKind::Value => {}
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
/// bytes. Empty if there are none.
pub fn replay_values(input: &Input) -> Vec<u8> {
    let mut out = Vec::new();
    for o in input.objects.iter().filter(|o| o.kind == ObjectKind::Value) {
        out.extend_from_slice(&(o.data.len() as u32).to_le_bytes());
        out.extend_from_slice(&o.data);
    }
    out
}

/// Waits for the end within the limits, reading standard error meanwhile.
fn watch(started: &mut Started, config: &Config) -> io::Result<(Report, Stopped, Vec<u8>)> {
    let limits = config.limits;
    let deadline = Instant::now() + limits.wall;
    let mut tail = Tail::default();
    let mut stopped = Stopped::No;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let ready = wait_either(&started.report, &started.stderr, left.min(TICK), tail.open)?;
        if ready.stderr {
            tail.read(&started.stderr)?;
        }
        if ready.report {
            break;
        }
        if left.is_zero() {
            stopped = Stopped::Time;
        } else if !ready.stderr && memory::of_descendants(started.process.pid()).0 > limits.memory {
            stopped = Stopped::Memory;
        }
        if stopped != Stopped::No {
            started.process.end()?;
            break;
        }
    }
    while tail.open && wait_either(&started.report, &started.stderr, Duration::ZERO, true)?.stderr {
        tail.read(&started.stderr)?;
    }
    let mut bytes = [0u8; size_of::<Report>()];
    let got = File::from(started.report.try_clone()?).read(&mut bytes)?;
    started.process.wait()?;
    if got < bytes.len() && stopped == Stopped::No {
        return Err(io::Error::other("the process between engine and program was killed"));
    }
    // SAFETY: numbers without padding; every bit pattern is valid.
    let report = unsafe { std::mem::transmute::<[u8; size_of::<Report>()], Report>(bytes) };
    Ok((report, stopped, tail.kept))
}

struct Ready {
    report: bool,
    stderr: bool,
}

fn wait_either(
    report: &OwnedFd,
    stderr: &OwnedFd,
    timeout: Duration,
    with_stderr: bool,
) -> io::Result<Ready> {
    use std::os::fd::AsRawFd;
    let poll = |fd: i32| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut fds = [poll(report.as_raw_fd()), poll(if with_stderr { stderr.as_raw_fd() } else { -1 })];
    // SAFETY: two valid records.
    let n = unsafe { libc::poll(fds.as_mut_ptr(), 2, timeout.as_millis().min(1 << 30) as i32) };
    if n < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
        return Err(io::Error::last_os_error());
    }
    Ok(Ready { report: fds[0].revents != 0, stderr: fds[1].revents != 0 })
}

/// The end of a stream.
struct Tail {
    kept: Vec<u8>,
    open: bool,
}

impl Default for Tail {
    fn default() -> Tail {
        Tail { kept: Vec::new(), open: true }
    }
}

impl Tail {
    fn read(&mut self, from: &OwnedFd) -> io::Result<()> {
        let mut buffer = [0u8; 16 << 10];
        let n = File::from(from.try_clone()?).read(&mut buffer)?;
        self.open = n > 0;
        self.kept.extend_from_slice(&buffer[..n]);
        if self.kept.len() > TAIL {
            self.kept.drain(..self.kept.len() - TAIL);
        }
        Ok(())
    }
}
