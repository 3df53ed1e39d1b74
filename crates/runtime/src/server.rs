//! The fork server: after constructors and before user code, one process that forks a child per run.
//!
//! The idea is Zalewski's (AFL, "Fuzzing random programs without execve()"). The server is deliberately dull: it
//! refills nothing but its own descriptors, allocates nothing, holds no state between runs, and blocks all signals.
//! Everything the run leaves behind is killed before the reply: as process 1 of a process namespace with one
//! `kill(-1)`, otherwise by walking the children it adopted as a subreaper. Many runs for one order: [`crate::batch`].
//! Runs that become servers themselves: [`crate::snapshot`].

use crate::arguments::{Invocation, apply_objects};
use crate::batch::serve::Runner;
use crate::libc::{self, IoVec, c_int};
use crate::sys::{self, PollFd, RLimit, RUsage, SigSet};
use crate::{batch, crash, message, state};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};
use trace_abi::{ANY_CPU, CONTROL_FD, Command, CommandKind, Header, Reply, SHM_FD};

/// The kernel's limit of CPU time for runs that may go on for long: the server watches what each input statement takes.
const LONG_MS: u64 = 1 << 30;
/// How long to sleep between looks at a run's CPU time.
pub const TICK_MS: u64 = 50;
/// The main process of the current run.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// The CPU that the engine's thread was on at the last command.
static CPU: AtomicU32 = AtomicU32::new(ANY_CPU);

/// What a child of the server is for.
pub enum Role {
    /// One run: call the program with these vectors.
    Run(Invocation),
    /// Many runs of the fuzz target.
    Runner(Invocation),
}

/// The server's few facts.
pub struct Server {
    /// Whether it is process 1 of a process namespace.
    is_init: bool,
    /// Signals blocked at the start; runs get it back.
    pub original: SigSet,
    /// A process kept for further inputs of batches.
    pub runner: Option<Runner>,
    /// Its CPU time that earlier replies told.
    pub counted_us: u64,
}

impl Server {
    /// One that has served nothing.
    pub const fn new(is_init: bool) -> Server {
        Server { is_init, original: SigSet([0; 16]), runner: None, counted_us: 0 }
    }

    /// Ends the process that is kept, and what it left behind.
    pub fn retire(&mut self) {
        if let Some(runner) = self.runner.take() {
            runner.end(true);
        }
        kill_leftovers(self.is_init);
    }
}

/// Serves runs; returns in the child of each run, set up so that user code can be called.
///
/// # Safety
/// Called once, from `main`, with the process's own vectors.
pub unsafe fn serve(call: Invocation) -> Role {
    attach();
    crash::preload();
    let all = SigSet([!0; 16]);
    let mut server = Server::new(is_init());
    // SAFETY: valid records; no memory is involved in the rest.
    unsafe {
        sys::sigprocmask(sys::SIG_BLOCK, &raw const all, &raw mut server.original);
        sys::prctl(sys::PR_SET_DUMPABLE, 0);
        if !server.is_init {
            sys::prctl(sys::PR_SET_CHILD_SUBREAPER, 1);
        }
    }
    reply(&Reply { seq: u32::MAX, ..EMPTY });
    loop {
        let Some((command, socket)) = next_command() else { quit(server.is_init) };
        let is = |kind: CommandKind| command.kind == kind as u32;
        if is(CommandKind::Hurry) {
            continue;
        }
        // SAFETY: as the caller promises.
        let child = unsafe {
            if is(CommandKind::Run) {
                server.run(call, &command)
            } else if is(CommandKind::Advance) {
                server.advance(call, &command, socket)
            } else if is(CommandKind::Batch) && batch::is_possible() {
                batch::serve::serve(&mut server, call, &command)
            } else {
                quit(server.is_init)
            }
        };
        if let Some(role) = child {
            return role;
        }
    }
}

impl Server {
    /// One run, and the reply.
    ///
    /// # Safety
    /// As [`serve`].
    unsafe fn run(&mut self, call: Invocation, command: &Command) -> Option<Role> {
        if self.runner.is_some() {
            // What it or its children do must not be taken for the run's.
            self.retire();
            self.counted_us = 0;
            batch::forget();
        }
        // SAFETY: the child goes on with what the parent had; no lock is held by another thread of ours.
        match unsafe { sys::fork() } {
            0 => {
                let objects = Some(state::layout().input_at());
                let cpu_ms = command.cpu_ms.into();
                // SAFETY: as the caller promises; this is the process of the run.
                return Some(Role::Run(unsafe { enter_run(call, cpu_ms, &self.original, objects) }));
            }
            -1 => reply(&Reply { seq: command.seq, status: -1, ..EMPTY }),
            pid => {
                let r = self.supervise(pid, command);
                reply(&r);
            }
        }
        None
    }
}

impl Server {
    /// One run that may freeze, and the reply.
    ///
    /// # Safety
    /// As [`serve`].
    unsafe fn advance(&mut self, call: Invocation, command: &Command, socket: Option<c_int>) -> Option<Role> {
        let child = self.fork_for(command, socket)?;
        let objects = Some(state::layout().input_at());
        // SAFETY: as the caller promises; this is the process of the run.
        let call = unsafe { enter_run(call, LONG_MS, &self.original, objects) };
        child.adopt();
        crate::snapshot::read_no_further();
        Some(Role::Run(call))
    }
}

/// A reply that says nothing.
pub const EMPTY: Reply =
    Reply { seq: 0, status: 0, timed_out: 0, max_rss_kib: 0, cpu_us: 0, wall_us: 0, next: 0, flags: 0 };

/// Whether this is process 1 of a process namespace.
pub fn is_init() -> bool {
    sys::INIT_PID == own_pid()
}

/// Remembers the main process of the current run.
pub fn set_child(pid: c_int) {
    CHILD.store(pid, Relaxed);
}

/// Maps what the engine handed over.
fn attach() {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    let page = trace_abi::PAGE as usize;
    // SAFETY: maps the header alone to learn the length, then all; `attach` checks it.
    unsafe {
        let head = libc::mmap(null_mut(), page, libc::PROT_READ, flags, SHM_FD, 0);
        if head as isize == -1 {
            message::die("SPELUNK_SERVER is set, but there is no engine; run the program without it");
        }
        if (*head.cast::<Header>()).magic != trace_abi::MAGIC {
            message::die("the engine's shared mapping is of another version; instrument the program again");
        }
        let len = (*head.cast::<Header>()).layout.total();
        libc::munmap(head, page);
        let base = libc::mmap(null_mut(), len as usize, prot, flags | libc::MAP_NORESERVE, SHM_FD, 0);
        if base as isize == -1 {
            message::die("cannot map the engine's shared memory");
        }
        state::attach(base.cast(), len);
    }
    keep_constructor_coverage();
    if !state::share_coverage(SHM_FD) {
        message::die("cannot share the coverage counters with the engine");
    }
    // SAFETY: attached just now.
    unsafe { (*state::header()).image_base = crash::image_base() };
}

/// What constructors covered before the mapping was shared belongs to every run.
fn keep_constructor_coverage() {
    if let Some(m) = state::module()
        && !m.coverage.is_null()
    {
        let to = state::at(state::layout().coverage_at());
        // SAFETY: both are at least that long; `attach` checked the area's size.
        unsafe { core::ptr::copy_nonoverlapping(m.coverage, to, state::coverage_len() as usize) };
    }
}

fn own_pid() -> c_int {
    // SAFETY: asks for a number.
    unsafe { sys::getpid() }
}

/// The next order with the socket that came with it, or `None` when the engine is gone.
pub fn next_command() -> Option<(Command, Option<c_int>)> {
    let mut c = Command::EMPTY;
    let size = size_of::<Command>();
    let mut part = IoVec { base: (&raw mut c).cast(), len: size };
    loop {
        // Room for one descriptor.
        let mut control = sys::Control { len: 0, level: 0, kind: 0, fd: -1, padding: 0 };
        let mut message = sys::Message {
            parts: &raw mut part,
            n_parts: 1,
            control: (&raw mut control).cast(),
            control_len: size_of::<sys::Control>(),
            ..sys::Message::EMPTY
        };
        // SAFETY: reads at most one record of plain numbers and one descriptor.
        let n = unsafe { sys::recvmsg(CONTROL_FD, &raw mut message, 0) };
        if n == size as isize {
            follow(c.cpu);
            let has_one = message.control_len >= size_of::<sys::Control>() - size_of::<c_int>();
            return Some((c, has_one.then_some(control.fd).filter(|&fd| fd >= 0)));
        }
        if n != -1 || libc::errno() != sys::EINTR {
            return None;
        }
    }
}

/// Goes on with the CPU of the engine's thread, if it names one. The two and what is forked here take turns; the kernel would put
/// what is forked on whatever CPU idles at that moment, so that with several workers some CPUs have two while others idle.
fn follow(cpu: u32) {
    if cpu != ANY_CPU && CPU.swap(cpu, Relaxed) != cpu {
        settle(0);
    }
}

/// Puts a process that was forked here (0: this one) on the CPU of the engine's thread, if that is known.
pub fn settle(pid: c_int) {
    let cpu = CPU.load(Relaxed);
    let mut set = [0u64; 16];
    if let Some(word) = set.get_mut(cpu as usize / 64) {
        *word = 1 << (cpu % 64);
        // SAFETY: reads the mask. Where that CPU may not be used, all stays as it is.
        unsafe { sys::sched_setaffinity(pid, size_of_val(&set), set.as_ptr()) };
    }
}

/// Tells the engine.
pub fn reply(r: &Reply) {
    // SAFETY: writes one record of plain numbers. If the engine is gone, the next read says so.
    unsafe { libc::write(CONTROL_FD, (&raw const *r).cast(), size_of::<Reply>()) };
}

/// Ends the server and everything it started.
pub fn quit(is_init: bool) -> ! {
    kill_leftovers(is_init);
    // SAFETY: ends the process without running the program's exit handlers.
    unsafe { libc::_exit(0) }
}

/// In the child: own session, limits, descriptors, vectors; then user code may start. `objects`: offset of the first
/// input object in the mapping; `None` if inputs come later. `cpu_ms`: what the process may use.
///
/// # Safety
/// Called in the child right after the fork.
pub unsafe fn enter_run(
    mut call: Invocation,
    cpu_ms: u64,
    original: &SigSet,
    objects: Option<u64>,
) -> Invocation {
    // SAFETY: calls of the kernel with valid records; `call` holds the process's own vectors.
    unsafe {
        sys::setsid();
        sys::prctl(sys::PR_SET_PDEATHSIG, sys::SIGKILL);
        sys::prctl(sys::PR_SET_DUMPABLE, 1);
        reopen_stdin();
        // The server's own standard error takes its start-up messages; a run's goes where its output goes.
        sys::dup2(1, 2);
        libc::close(CONTROL_FD);
        libc::close(SHM_FD);
        // A backstop in whole seconds; the server watches more closely.
        let seconds = cpu_ms.div_ceil(1000) + 1;
        let limit = RLimit { soft: seconds, hard: seconds + 1 };
        sys::setrlimit(sys::RLIMIT_CPU, &raw const limit);
        crash::install();
        if objects.is_none() {
            (*state::header()).n_objects = 0;
        }
        state::begin_run_at(objects.unwrap_or_default());
        crate::files::register_inputs();
        crate::models::fixed::begin();
        apply_objects(&mut call);
        sys::sigprocmask(sys::SIG_SETMASK, original, null_mut());
        (*state::header()).entered = 1;
    }
    call
}

/// Standard input from its beginning, through a description of its own that was opened for reading: position and flags are not
/// shared between runs.
pub fn reopen_stdin() {
    // SAFETY: the path is a C string; descriptors of our own.
    unsafe {
        let fd = libc::open(c"/proc/self/fd/0".as_ptr(), sys::O_RDONLY);
        if fd > 0 {
            sys::dup2(fd, 0);
            libc::close(fd);
        } else {
            libc::lseek(0, 0, libc::SEEK_SET);
        }
    }
}

impl Server {
    /// Waits for the run's main process within its limits, then ends all that it left behind.
    pub fn supervise(&self, pid: c_int, command: &Command) -> Reply {
        let start = sys::now_us();
        let before = children_usage();
        let (mut reply, _) = self.watch(pid, command, None);
        reply.wall_us = sys::now_us() - start;
        kill_leftovers(self.is_init);
        reply.cpu_us = children_usage().micros().saturating_sub(before.micros());
        reply
    }

    /// Waits for the run's main process within its limits, or until it says on `frozen` that it froze; whether it did.
    pub fn watch(&self, pid: c_int, command: &Command, frozen: Option<c_int>) -> (Reply, bool) {
        set_child(pid);
        let before = children_usage();
        let mut r = Reply { seq: command.seq, ..EMPTY };
        let mut cpu_clock = 0;
        // SAFETY: a valid record.
        let has_clock = unsafe { sys::clock_getcpuclockid(pid, &raw mut cpu_clock) } == 0;
        let verdict = wait_within_limits(pid, command, has_clock.then_some(cpu_clock), frozen);
        r.timed_out = match verdict {
            Verdict::Froze => {
                r.cpu_us = if has_clock { sys::clock_us(cpu_clock) } else { 0 };
                return (r, true);
            }
            Verdict::Ended => 0,
            Verdict::Wall => 1,
            Verdict::Cpu => 2,
        };
        if r.timed_out != 0 {
            // SAFETY: the child was not waited for yet, so the number is still its own.
            unsafe { sys::kill(pid, sys::SIGKILL) };
        }
        let mut usage = RUsage::ZERO;
        // SAFETY: valid records.
        while unsafe { sys::wait4(pid, &raw mut r.status, sys::WALL, &raw mut usage) } == -1
            && libc::errno() == sys::EINTR
        {}
        r.cpu_us = children_usage().micros().saturating_sub(before.micros());
        r.max_rss_kib = usage.max_rss.clamp(0, u32::MAX as i64) as u32;
        (r, false)
    }
}

/// What the children that are dead used.
pub fn children_usage() -> RUsage {
    let mut u = RUsage::ZERO;
    // SAFETY: a valid record.
    unsafe { sys::getrusage(sys::RUSAGE_CHILDREN, &raw mut u) };
    u
}

/// How waiting for a run came to an end.
enum Verdict {
    Ended,
    Wall,
    Cpu,
    Froze,
}

/// The limits of a run. Those of a run that may freeze begin anew with each input statement until its time is over; then it is to
/// hurry, and they begin for the last time.
struct Pace {
    wall_us: u64,
    cpu_us: u64,
    deadline: u64,
    cpu_deadline: u64,
    /// When it has to hurry, if it may freeze.
    hurry_at: Option<u64>,
    hurried: bool,
    /// Input statements, as it says.
    inputs: u64,
}

impl Pace {
    fn new(command: &Command, may_freeze: bool) -> Pace {
        let (wall_us, cpu_us) = (u64::from(command.wall_ms) * 1000, u64::from(command.cpu_ms) * 1000);
        let now = sys::now_us();
        let hurry_at = may_freeze.then_some(now + u64::from(command.slice_ms) * 1000);
        let (deadline, cpu_deadline) = (now + wall_us, cpu_us);
        Pace { wall_us, cpu_us, deadline, cpu_deadline, hurry_at, hurried: false, inputs: 0 }
    }

    /// What is waited for from the engine.
    fn listens(&self) -> i16 {
        if self.hurry_at.is_some() && !self.hurried { sys::POLLIN } else { 0 }
    }

    /// Looks at how far the run is. It may write in shared memory what it likes, and is stopped all the same.
    fn look(&mut self, cpu: impl Fn() -> u64) {
        let Some(hurry_at) = self.hurry_at else { return };
        let now = sys::now_us();
        // SAFETY: attached; the field is written by others meanwhile.
        let inputs = unsafe { (&raw const (*state::header()).n_inputs).read_volatile() };
        let must_hurry = now >= hurry_at;
        if !self.hurried && (must_hurry || inputs != self.inputs) {
            let cpu = cpu();
            (self.deadline, self.cpu_deadline, self.inputs) = (now + self.wall_us, cpu + self.cpu_us, inputs);
        }
        self.hurried = self.hurried || must_hurry;
        if self.hurried {
            // SAFETY: as above.
            unsafe { (&raw mut (*state::header()).hurries).write_volatile(1) };
        }
    }
}

/// Sleeps until the child ends, its wall-clock limit, its CPU limit, or until it says on `frozen` that it froze. Ends the server when
/// the engine is gone.
fn wait_within_limits(
    pid: c_int,
    command: &Command,
    cpu_clock: Option<c_int>,
    mut frozen: Option<c_int>,
) -> Verdict {
    // SAFETY: asks for a descriptor of our own child.
    let child = unsafe { sys::syscall(sys::SYS_PIDFD_OPEN, pid as i64, 0i64) } as c_int;
    let cpu = || cpu_clock.map_or(0, sys::clock_us);
    let mut pace = Pace::new(command, frozen.is_some());
    let verdict = loop {
        pace.look(cpu);
        let now = sys::now_us();
        if now >= pace.deadline {
            break Verdict::Wall;
        }
        if pace.cpu_us > 0 && cpu() >= pace.cpu_deadline {
            break Verdict::Cpu;
        }
        let mut timeout = (pace.deadline - now).div_ceil(1000).min(TICK_MS);
        if child < 0 {
            // No descriptors for processes (kernels before 5.3): look once a millisecond.
            timeout = 1;
            if has_ended(pid) {
                break Verdict::Ended;
            }
        }
        let mut fds = [
            PollFd { fd: child, events: sys::POLLIN, revents: 0 },
            PollFd { fd: CONTROL_FD, events: pace.listens(), revents: 0 },
            PollFd { fd: frozen.unwrap_or(-1), events: sys::POLLIN, revents: 0 },
        ];
        // SAFETY: three valid records; a negative descriptor is ignored.
        unsafe { sys::poll(fds.as_mut_ptr(), 3, timeout as c_int) };
        let is_hurry = |(command, _): (Command, _)| command.kind == CommandKind::Hurry as u32;
        if fds[1].revents == sys::POLLIN && next_command().is_some_and(is_hurry) {
            pace.hurry_at = Some(0);
            fds[1].revents = 0;
        }
        if fds[1].revents != 0 {
            // In a frozen process this ends those of its runs that are not frozen.
            // SAFETY: the session of the run.
            unsafe { sys::kill(-pid, sys::SIGKILL) };
            quit(is_init());
        }
        if fds[2].revents & sys::POLLIN != 0 {
            break Verdict::Froze;
        }
        if fds[0].revents != 0 {
            break Verdict::Ended;
        }
        if fds[2].revents != 0 {
            // Closed by the program: it will not freeze.
            frozen = None;
        }
    };
    if child >= 0 {
        // SAFETY: our own descriptor.
        unsafe { libc::close(child) };
    }
    verdict
}

/// Whether the child ended, without reaping it.
pub fn has_ended(pid: c_int) -> bool {
    let mut info = [0u64; 16];
    // SAFETY: the record is 128 bytes; `waitid(P_PID, pid, info, WEXITED | WNOHANG | WNOWAIT)`.
    unsafe {
        sys::waitid(1, pid as u32, info.as_mut_ptr().cast(), 4 | sys::WNOHANG | 0x0100_0000) == 0
            && info[0] as u32 != 0
    }
}

/// Kills and reaps every process the run left behind.
fn kill_leftovers(is_init: bool) {
    loop {
        if is_init {
            // SAFETY: as process 1 of a process namespace this reaches every other process in it, and only those.
            unsafe { sys::kill(-1, sys::SIGKILL) };
        }
        let mut status = 0;
        // SAFETY: a valid record. Reaps without sleeping where killing is not atomic.
        let reaped =
            unsafe { sys::waitpid(-1, &raw mut status, sys::WALL | if is_init { 0 } else { sys::WNOHANG }) };
        match reaped {
            -1 if libc::errno() == sys::EINTR => {}
            -1 => return,
            0 => kill_children(),
            _ => {}
        }
    }
}

/// Kills the processes that have this one as parent: the run's, and its orphans, which a subreaper adopts.
fn kill_children() {
    let path = c"/proc/thread-self/children";
    let mut text = [0u8; 4096];
    // SAFETY: reads into a valid buffer; our own descriptor.
    let n = unsafe {
        let fd = libc::open(path.as_ptr(), sys::O_RDONLY | libc::O_CLOEXEC);
        let n = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        libc::close(fd);
        n
    };
    // Stopped first, so that none forks while the others die. A number cut off at the end is left for later.
    for signal in [sys::SIGSTOP, sys::SIGKILL] {
        for word in text[..n.max(0) as usize].split_inclusive(|&c| c == b' ') {
            let Some(digits) = word.strip_suffix(b" ") else { continue };
            let pid = digits.iter().fold(0, |n: c_int, c| n * 10 + c_int::from(c - b'0'));
            if pid > 1 {
                // SAFETY: children are reaped by us only, so the number is still theirs.
                unsafe { sys::kill(pid, signal) };
            }
        }
    }
    if n <= 0 {
        // Without that file: the run's own process group, as far as it kept it.
        // SAFETY: the group is the run's, made by `setsid` in its first process.
        unsafe { sys::kill(-CHILD.load(Relaxed), sys::SIGKILL) };
    }
}
