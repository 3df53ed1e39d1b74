//! Waiting for the end of a plain run within its limits, while what it writes is read and bounded.

use crate::clients::{Clients, Progress};
use crate::config::Config;
use crate::launch::{Process, Report};
use crate::outcome::Stopped;
use crate::{memory, sys};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// How much of standard error is kept: its end.
const STDERR: usize = 16 << 10;
/// How much of a sanitizer's report is kept: its beginning.
const REPORT: usize = 256 << 10;
/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How many pieces are read of what is left in the pipes at the end.
const LEFTOVERS: usize = 1 << 10;
/// How long a program that ran out of time may take to say where it was.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Reading ends of what a run writes.
pub struct Streams {
    /// The supervisor's report.
    pub report: OwnedFd,
    /// Standard error.
    pub stderr: OwnedFd,
    /// Its sanitizer's reports, if they have a descriptor of their own.
    pub sanitizer: Option<OwnedFd>,
}

/// How a run ended.
pub struct End {
    /// The supervisor's report; all zero if the run was stopped.
    pub report: Report,
    /// Who stopped it.
    pub stopped: Stopped,
    /// The end of standard error.
    pub stderr: Vec<u8>,
    /// The beginning of the sanitizer's reports.
    pub sanitizer: Vec<u8>,
}

/// Waits for the end within the limits. `clients` talk with the program meanwhile; when all is said and it waits for more, that
/// is its end. A run that is stopped because the session is to end ([`Config::curfew`]) is an error of kind `Interrupted`.
pub fn watch(
    process: &mut Process,
    streams: Streams,
    config: &Config,
    mut clients: Option<Clients>,
) -> io::Result<End> {
    let limits = config.limits;
    let mut deadline = Instant::now() + limits.wall;
    let mut stderr = Stream::new(Some(streams.stderr), Keep::End(STDERR));
    let mut sanitizer = Stream::new(streams.sanitizer, Keep::Beginning(REPORT));
    let mut stopped = Stopped::No;
    let mut looked = Instant::now();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let tick = clients.as_ref().map_or(TICK, Clients::tick);
        let ended = wait(&streams.report, &mut [&mut stderr, &mut sanitizer], left.min(tick))?;
        if ended {
            break;
        }
        if config.curfew.is_over() {
            process.end()?;
            return Err(io::ErrorKind::Interrupted.into());
        }
        if clients.as_mut().is_some_and(|c| c.step() == Progress::Over) {
            stopped = Stopped::Idle;
            process.end()?;
            break;
        }
        if left.is_zero() && clients.as_ref().is_some_and(Clients::are_all_closed) {
            stopped = Stopped::Idle;
            process.end()?;
            break;
        }
        if left.is_zero() {
            // The second time it had its last words.
            if stopped != Stopped::No || !ask_where(process, config) {
                stopped = Stopped::Time;
                process.end()?;
                break;
            }
            stopped = Stopped::Time;
            deadline = Instant::now() + LAST_WORDS;
        } else if stopped == Stopped::No && looked.elapsed() >= TICK {
            looked = Instant::now();
            if memory::of_descendants(process.pid(), &[]).0 > limits.memory {
                stopped = Stopped::Memory;
                process.end()?;
                break;
            }
        }
    }
    // What is left in the pipes; a process that outlived its run may go on writing.
    for _ in 0..LEFTOVERS {
        if !read_more(&mut [&mut stderr, &mut sanitizer])? {
            break;
        }
    }
    let report = read_report(&streams.report)?;
    process.wait()?;
    let report = match report {
        None if stopped == Stopped::No => {
            return Err(io::Error::other("the process between engine and program was killed"));
        }
        report => report.unwrap_or(Report { status: 0, max_rss_kib: 0, cpu_us: 0 }),
    };
    Ok(End { report, stopped, stderr: stderr.kept, sanitizer: sanitizer.kept })
}

/// Has a program with a sanitizer report where it is, by the signal that it reports; false if it cannot.
fn ask_where(process: &Process, config: &Config) -> bool {
    let program = memory::of_descendants(process.pid(), &[]).1.filter(|_| config.report);
    let Some(program) = program.and_then(|pid| sys::process_descriptor(pid).ok()) else { return false };
    sys::signal(program.as_fd(), libc::SIGABRT);
    true
}

fn read_report(from: &OwnedFd) -> io::Result<Option<Report>> {
    let mut bytes = [0u8; size_of::<Report>()];
    if !sys::wait_readable(from.as_fd(), Duration::ZERO)? {
        return Ok(None);
    }
    let got = File::from(from.try_clone()?).read(&mut bytes)?;
    // SAFETY: numbers without padding; every bit pattern is valid.
    Ok((got == bytes.len())
        .then(|| unsafe { std::mem::transmute::<[u8; size_of::<Report>()], Report>(bytes) }))
}

/// Waits until the supervisor reports (true), a stream has something, which is read, or the time is over.
fn wait(report: &OwnedFd, streams: &mut [&mut Stream], timeout: Duration) -> io::Result<bool> {
    let poll = |fd: i32| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut fds = vec![poll(report.as_raw_fd())];
    fds.extend(streams.iter().map(|s| poll(s.from.as_ref().map_or(-1, AsRawFd::as_raw_fd))));
    // SAFETY: as many valid records as are named.
    let n = unsafe {
        libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, timeout.as_millis().min(1 << 30) as i32)
    };
    if n < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(false) } else { Err(error) };
    }
    for (stream, fd) in streams.iter_mut().zip(&fds[1..]) {
        if fd.revents != 0 {
            stream.read()?;
        }
    }
    Ok(fds[0].revents != 0)
}

/// Reads what is there without waiting; false when nothing is.
fn read_more(streams: &mut [&mut Stream]) -> io::Result<bool> {
    for stream in streams {
        let Some(from) = &stream.from else { continue };
        if sys::wait_readable(from.as_fd(), Duration::ZERO)? {
            stream.read()?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// What of a stream is kept.
#[derive(Clone, Copy)]
enum Keep {
    Beginning(usize),
    End(usize),
}

/// A stream that is read to its end and kept in part.
struct Stream {
    from: Option<OwnedFd>,
    keep: Keep,
    kept: Vec<u8>,
}

impl Stream {
    fn new(from: Option<OwnedFd>, keep: Keep) -> Stream {
        Stream { from, keep, kept: Vec::new() }
    }

    fn read(&mut self) -> io::Result<()> {
        let Some(from) = &self.from else { return Ok(()) };
        let mut buffer = [0u8; 16 << 10];
        let n = File::from(from.try_clone()?).read(&mut buffer)?;
        if n == 0 {
            self.from = None;
            return Ok(());
        }
        match self.keep {
            Keep::Beginning(most) => {
                let room = most.saturating_sub(self.kept.len());
                self.kept.extend_from_slice(&buffer[..n.min(room)]);
            }
            Keep::End(most) => {
                self.kept.extend_from_slice(&buffer[..n]);
                if self.kept.len() > most {
                    self.kept.drain(..self.kept.len() - most);
                }
            }
        }
        Ok(())
    }
}
