//! Starting a process in its sandbox: namespaces, limits, descriptors, then the program.
//!
//! `isolation` says how strictly, `network` gives a network of its own to programs that accept connections, `child` is what runs between `clone` and `execve`, `launcher` is the thread that all
//! processes are started from, `zygote` the small process that does it for that thread, `message` what it is told.

mod child;
mod isolation;
mod launcher;
mod message;
mod network;
mod zygote;

pub use child::Report;
pub use isolation::Isolation;
pub use network::{Ends, receive as receive_clients};

use crate::aside::{set_aside, wait_aside};
use crate::config::Limits;
use crate::sys;
use child::Setup;
use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What to start.
pub struct Plan<'a> {
    /// The executable.
    pub executable: &'a Path,
    /// All arguments, the program's name first.
    pub argv: &'a [OsString],
    /// Variables on top of this process's environment; those that start with `SPELUNK_` are not passed on otherwise.
    pub env: &'a [(OsString, OsString)],
    /// Whether its stack is to begin at the same address whatever the variables are. The program is instrumented: its runtime hides
    /// the variable that fills up.
    pub same_stack: bool,
    /// Whether the kernel may choose its addresses at random, other ones each time.
    pub moved: bool,
    /// Working directory.
    pub directory: BorrowedFd<'a>,
    /// Where that directory is, for mounting over it.
    pub directory_path: &'a Path,
    /// Whether to mount a file system of limited size over it, where the isolation can.
    pub private_directory: bool,
    /// Descriptors: (ours, number there).
    pub descriptors: Vec<(BorrowedFd<'a>, i32)>,
    /// Limits.
    pub limits: Limits,
    /// How strictly.
    pub isolation: Isolation,
    /// With these: a process of ours stands between, starts the program once, waits within the limits, ends what
    /// is left, and writes a [`Report`] to the descriptor.
    pub supervise: Option<BorrowedFd<'a>>,
    /// With these: the program has a network of its own, where the isolation can, and sockets in it for so many clients
    /// are sent through this socket ([`receive_clients`]).
    pub clients: Option<(BorrowedFd<'a>, u32)>,
}

/// A started process. Killed and reaped when dropped.
pub struct Process {
    pid: i32,
    descriptor: OwnedFd,
    reaped: Option<i32>,
    /// Whether it runs beside the search (`aside`).
    aside: bool,
    /// Without a namespace: the mark in the environment of all that it starts.
    mark: Option<String>,
}

/// Environment variable by which processes are found again that no namespace holds together.
const ENV_MARK: &str = "SPELUNK_MARK";

/// Environment variables that fill up what is above the stack ([`Plan::same_stack`]).
const ENV_FILLER: &str = "SPELUNK_FILLER";
/// To a multiple of so many bytes: nearly all environments fit into one.
const STACK_HEAD: usize = 64 << 10;

/// A mark that no other process has.
fn new_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

impl Process {
    /// Its number.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Kills it, and with it (in a process namespace) all that it started; its wait status.
    pub fn end(&mut self) -> io::Result<i32> {
        sys::kill(self.descriptor.as_fd());
        let status = self.wait();
        if let Some(mark) = self.mark.take() {
            kill_marked(&mark);
        }
        status
    }

    /// Waits for its end; its wait status.
    pub fn wait(&mut self) -> io::Result<i32> {
        if let Some(status) = self.reaped {
            return Ok(status);
        }
        let status = if self.aside { wait_aside(self.pid)? } else { sys::reap(self.pid)? };
        self.reaped = Some(status);
        Ok(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Kills all processes that were started with this mark in their environment. The kernel shows the environment that a
/// program was started with, whatever it changed later. All are stopped before any is killed, so that none makes more
/// meanwhile.
fn kill_marked(mark: &str) {
    let wanted = format!("{ENV_MARK}={mark}");
    let has_mark = |pid: i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&b| b == 0).any(|v| v == wanted.as_bytes())
    };
    let mut held: HashMap<i32, OwnedFd> = HashMap::new();
    for _ in 0..1000 {
        let before = held.len();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
            if held.contains_key(&pid) || !has_mark(pid) {
                continue;
            }
            // Looked at again: the number may have gone to another process before it was held.
            let Some(process) = sys::process_descriptor(pid).ok().filter(|_| has_mark(pid)) else { continue };
            sys::signal(process.as_fd(), libc::SIGSTOP);
            held.insert(pid, process);
        }
        if held.len() == before {
            break;
        }
    }
    held.values().for_each(|process| sys::kill(process.as_fd()));
    for process in held.values() {
        let _ = sys::wait_readable(process.as_fd(), Duration::from_secs(1));
    }
}

/// Starts the process that `plan` describes.
pub fn spawn(plan: &Plan<'_>) -> io::Result<Process> {
    let (error_read, error_write) = sys::pipe()?;
    let (go_read, go_write) = sys::pipe()?;
    // Numbers clear of the targets', so that `dup2` overwrites nothing that is still needed.
    let mut held = Vec::new();
    let mut moved = Vec::new();
    for (fd, to) in &plan.descriptors {
        let high = sys::high(*fd)?;
        moved.push((high.as_raw_fd(), *to));
        held.push(high);
    }
    let directory = sys::high(plan.directory)?;
    let error = sys::high(error_write.as_fd())?;
    let go = sys::high(go_read.as_fd())?;
    let report = plan.supervise.map(sys::high).transpose()?;
    let clients = plan.clients.map(|(channel, n)| sys::high(channel).map(|fd| (fd, n))).transpose()?;
    let executable_file = sys::high(File::open(plan.executable)?.as_fd())?;
    let mark = (!plan.isolation.has_namespace()).then(new_mark);
    let mut env = plan.env.to_vec();
    env.extend(mark.iter().map(|m| (ENV_MARK.into(), m.into())));
    let executable = c_string(plan.executable.as_os_str())?;
    let argv = plan.argv.iter().map(|a| c_string(a)).collect::<io::Result<Vec<_>>>()?;
    let mut env = environment(&env)?;
    if plan.same_stack {
        fill(&executable, &argv, &mut env)?;
    }
    let setup = Setup {
        executable,
        executable_file: executable_file.as_raw_fd(),
        argv: vector(argv),
        env: vector(env),
        directory: directory.as_raw_fd(),
        directory_path: c_string(plan.directory_path.as_os_str())?,
        mount_options: CString::new(format!("size={},nr_inodes=65536,mode=0700", plan.limits.disk))?,
        private_directory: plan.private_directory,
        moved: plan.moved,
        descriptors: moved,
        error: error.as_raw_fd(),
        go: go.as_raw_fd(),
        report: report.as_ref().map(|r| r.as_raw_fd()),
        clients: clients.as_ref().map(|(channel, n)| (channel.as_raw_fd(), *n)),
        limits: plan.limits,
        isolation: plan.isolation,
        inside: plan.isolation.inside_ids(),
    };
    let pid = launcher::clone(setup)?;
    // Single runs of a program confirm what a search found; they are none of its runs.
    let aside = plan.supervise.is_some();
    if aside {
        set_aside(pid);
    }
    let mut process = Process { pid, descriptor: sys::process_descriptor(pid)?, reaped: None, aside, mark };
    drop((error, error_write, go_read, go));
    plan.isolation.write_maps(pid)?;
    drop(go_write);
    let mut message = [0u8; 8];
    let mut pipe = File::from(error_read);
    // Closed by `execve`: no message is good news.
    if pipe.read(&mut message)? == message.len() {
        process.end()?;
        let step = child::step_name(i32::from_ne_bytes([message[0], message[1], message[2], message[3]]));
        let code = i32::from_ne_bytes([message[4], message[5], message[6], message[7]]);
        let cause = io::Error::from_raw_os_error(code);
        return Err(io::Error::new(cause.kind(), format!("{step}: {cause}")));
    }
    Ok(process)
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("{text:?} contains a zero byte")))
}

/// Owned strings and the null-terminated vector of pointers to them.
struct Vector {
    strings: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}
// SAFETY: the pointers are to heap memory owned by the strings beside them.
unsafe impl Send for Vector {}

fn vector(strings: Vec<CString>) -> Vector {
    let pointers = strings.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect();
    Vector { strings, pointers }
}

/// Adds variables with which strings and pointers at the beginning of the stack take a multiple of [`STACK_HEAD`]. (The kernel puts the
/// strings there, and below them the pointers with three words more; what it rounds to 16 is a multiple of that already. Where the executable is started by its
/// descriptor, the descriptor's name stands there instead of the path, and the path's length is all that still counts.)
fn fill(executable: &CStr, argv: &[CString], env: &mut Vec<CString>) -> io::Result<()> {
    let filler = |n| CString::new(format!("{ENV_FILLER}={}", "-".repeat(n)));
    let empty = filler(0)?;
    // With the variable that fills up there is to be an even number of words.
    if !(argv.len() + env.len() + 1 + 3).is_multiple_of(2) {
        env.push(empty.clone());
    }
    let all = argv.iter().chain(&*env).map(CString::as_c_str).chain([executable, empty.as_c_str()]);
    let strings: usize = all.map(|s| s.count_bytes() + 1).sum();
    let taken = strings + (argv.len() + env.len() + 1 + 3) * size_of::<*const u8>();
    env.push(filler(taken.next_multiple_of(STACK_HEAD) - taken)?);
    Ok(())
}

fn environment(extra: &[(OsString, OsString)]) -> io::Result<Vec<CString>> {
    let own = std::env::vars_os()
        .filter(|(k, _)| !k.as_bytes().starts_with(b"SPELUNK_") && !extra.iter().any(|(e, _)| e == k));
    let all = own.chain(extra.iter().cloned());
    all.map(|(mut k, v)| {
        k.push("=");
        k.push(v);
        c_string(&k)
    })
    .collect()
}
