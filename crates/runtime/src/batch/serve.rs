//! The server's end of a batch: processes per input, or a process for many ([`super::runner`]) that is kept.

use super::runner::{Answer, CHECK, Order, fits};
use super::{adopt, again, clear, current, finish, first_without_result, write_all};
use crate::arguments::Invocation;
use crate::libc::{self, c_int};
use crate::server::{self, EMPTY, Role, Server};
use crate::sys::{self, PollFd};
use crate::{message, state};
use core::ptr::null_mut;
use trace_abi::{Command, ObjectKind, RUNNER_FD, Reply, batch_flags};

/// CPU seconds after which a kept process is replaced.
const MAX_CPU_S: u64 = 60;
/// What starting, checking and ending a process may take beyond limits and slice.
const SPARE_MS: u64 = 500;

/// A process that makes many runs.
#[derive(Clone, Copy)]
pub struct Runner {
    pid: c_int,
    /// The server's end of its socket.
    link: c_int,
    /// Descriptor of the process, -1 where there are none.
    process: c_int,
    clock: c_int,
    has_clock: bool,
}

/// How an order to a runner ended.
enum End {
    Answered(Answer),
    /// It ended with this status, in the run of this entry ([`BATCH_IDLE`] if none); 1 or 2 if it was over a limit.
    Died {
        status: c_int,
        at: u32,
        timed_out: u32,
    },
    /// It could not be had.
    NoProcess,
}

/// A batch under way.
struct Batch<'c> {
    command: &'c Command,
    end: u32,
    started: u64,
    reply: Reply,
}

impl Batch<'_> {
    fn is_over(&self) -> bool {
        let slice = u64::from(self.command.slice_ms) * 1000;
        self.reply.next >= self.end || sys::now_us() - self.started >= slice
    }

    fn slice_left_ms(&self) -> u32 {
        let used = (sys::now_us() - self.started) / 1000;
        u64::from(self.command.slice_ms).saturating_sub(used) as u32
    }

    fn died(&mut self, status: c_int, timed_out: u32) {
        (self.reply.status, self.reply.timed_out) = (status, timed_out);
        self.reply.flags |= batch_flags::DIED;
    }
}

/// Runs a batch and replies; returns in a child what that child is to do.
///
/// # Safety
/// As [`server::serve`].
pub unsafe fn serve(server: &mut Server, call: Invocation, command: &Command) -> Option<Role> {
    let max = state::layout().max_batch.min(u64::from(CHECK)) as u32;
    let end = command.first.saturating_add(command.count).min(max);
    let next = command.first.min(end);
    let mut batch =
        Batch { command, end, started: sys::now_us(), reply: Reply { seq: command.seq, next, ..EMPTY } };
    let before = server::children_usage();
    let has_target = state::module().is_some_and(|m| m.main.is_null() && !m.fuzz_one.is_null());
    let is_possible = has_target || again::is_possible();
    let in_process = command.per_process > 1 && is_possible && (next..end).all(|k| fits(k, has_target));
    // SAFETY: as the caller promises.
    let role = unsafe {
        if in_process {
            many_in_one(server, call, &mut batch)
        } else {
            server.retire();
            one_by_one(server, call, &mut batch)
        }
    };
    if role.is_none() {
        let kept = server.runner.map_or(0, |r| r.cpu_us());
        let gone = server::children_usage().micros().saturating_sub(before.micros());
        batch.reply.cpu_us = (gone + kept).saturating_sub(server.counted_us);
        server.counted_us = kept;
        batch.reply.wall_us = sys::now_us() - batch.started;
        server::reply(&batch.reply);
    }
    role
}

/// A process per input.
///
/// # Safety
/// As [`server::serve`].
unsafe fn one_by_one(server: &mut Server, call: Invocation, batch: &mut Batch<'_>) -> Option<Role> {
    while batch.reply.next < batch.end {
        let k = batch.reply.next;
        clear();
        // SAFETY: the child goes on with what the parent had.
        match unsafe { sys::fork() } {
            0 => {
                let objects = adopt(k).unwrap_or(u64::MAX);
                let cpu_ms = batch.command.cpu_ms.into();
                // SAFETY: this is the process of the run.
                let call = unsafe { server::enter_run(call, cpu_ms, &server.original, Some(objects)) };
                deliver_files();
                return Some(Role::Run(call));
            }
            -1 => {
                batch.reply.status = -1;
                return None;
            }
            pid => {
                let run = server.supervise(pid, batch.command);
                batch.reply.next = k + 1;
                batch.reply.max_rss_kib = batch.reply.max_rss_kib.max(run.max_rss_kib);
                finish(k, run.status);
                if run.timed_out != 0 || !has_exited(run.status) {
                    batch.died(run.status, run.timed_out);
                    return None;
                }
            }
        }
        if batch.is_over() {
            return None;
        }
    }
    None
}

/// In the process of a run of a batch: standard input and the input file, which the engine writes for single runs.
fn deliver_files() {
    if let Some((_, o)) = state::find_object(ObjectKind::Stdin, 0) {
        let memory = stdin_file(o.data);
        // SAFETY: descriptors of our own.
        unsafe {
            sys::dup2(memory, 0);
            libc::close(memory);
        }
        server::reopen_stdin();
    }
    if let Some((_, o)) = state::find_object(ObjectKind::File, 0) {
        deliver_file(o.name, o.data);
    }
}

/// A memory file that holds `data`.
pub fn stdin_file(data: &[u8]) -> c_int {
    // SAFETY: a name, and a descriptor of our own.
    let memory = unsafe { sys::memfd_create(c"stdin".as_ptr(), 0) };
    if memory < 0 || !write_all(memory, data) {
        message::die("cannot make standard input");
    }
    memory
}

/// Writes the input file.
pub fn deliver_file(name: &[u8], data: &[u8]) {
    let mut path = [0u8; 4096];
    if name.len() >= path.len() {
        message::die("the path of the input file is too long");
    }
    path[..name.len()].copy_from_slice(name);
    // SAFETY: the path ends with a NUL; the descriptor is ours.
    unsafe {
        let fd = libc::open(path.as_ptr().cast(), sys::O_WRONLY | libc::O_TRUNC | libc::O_CLOEXEC);
        if fd < 0 || !write_all(fd, data) {
            message::die("cannot write the input file");
        }
        libc::close(fd);
    }
}

/// One process for as many inputs as it may run.
///
/// # Safety
/// As [`server::serve`].
unsafe fn many_in_one(server: &mut Server, call: Invocation, batch: &mut Batch<'_>) -> Option<Role> {
    let mut fruitless = 0;
    loop {
        let from = batch.reply.next;
        if server.runner.is_none() {
            // SAFETY: as the caller promises.
            match unsafe { start(server, call, batch.command) } {
                Started::Child(role) => return Some(role),
                Started::Kept(runner) => server.runner = Some(runner),
                Started::Failed => {
                    batch.reply.status = -1;
                    return None;
                }
            }
        }
        match order(server, batch) {
            End::Answered(answer) => {
                batch.reply.next = answer.next.clamp(from, batch.end);
                batch.reply.flags |=
                    answer.flags & (batch_flags::LEAK | batch_flags::GROWTH | batch_flags::NOISE);
                if answer.retire != 0 || server.runner.is_some_and(|r| r.cpu_us() > MAX_CPU_S * 1_000_000) {
                    server.retire();
                }
            }
            End::Died { status, at, timed_out } => {
                server.retire();
                batch.reply.next = first_without_result(from, batch.end);
                if at == CHECK {
                    batch.reply.flags |= batch_flags::LEAK;
                } else if (from..batch.end).contains(&at) {
                    finish(at, status);
                    batch.reply.next = at + 1;
                    if timed_out != 0 || !has_exited(status) {
                        batch.died(status, timed_out);
                        return None;
                    }
                } else {
                    // It ended between runs, of what one of them left behind.
                    batch.reply.flags |= batch_flags::LEAK;
                }
            }
            End::NoProcess => server.retire(),
        }
        fruitless = if batch.reply.next > from { 0 } else { fruitless + 1 };
        if fruitless > 2 {
            batch.died(0, 0);
            batch.reply.flags |= batch_flags::UNKNOWN;
            return None;
        }
        if batch.is_over() {
            return None;
        }
    }
}

fn has_exited(status: c_int) -> bool {
    status & 0x7f == 0
}

enum Started {
    Kept(Runner),
    Child(Role),
    Failed,
}

/// Forks a runner.
///
/// # Safety
/// As [`server::serve`].
unsafe fn start(server: &mut Server, call: Invocation, command: &Command) -> Started {
    let mut ends = [-1; 2];
    // SAFETY: room for two descriptors.
    if unsafe { sys::socketpair(sys::AF_UNIX, sys::SOCK_MESSAGES, 0, ends.as_mut_ptr()) } != 0 {
        return Started::Failed;
    }
    let [ours, theirs] = ends;
    clear();
    // SAFETY: the child goes on with what the parent had; descriptors are our own.
    unsafe {
        match sys::fork() {
            0 => {
                libc::close(ours);
                sys::dup2(theirs, RUNNER_FD);
                libc::close(theirs);
                let spare = u64::from(command.cpu_ms) + u64::from(command.slice_ms);
                let cpu_ms = MAX_CPU_S * 1000 + 2 * spare;
                Started::Child(Role::Runner(server::enter_run(call, cpu_ms, &server.original, None)))
            }
            -1 => {
                libc::close(ours);
                libc::close(theirs);
                Started::Failed
            }
            pid => {
                libc::close(theirs);
                server::set_child(pid);
                let process = sys::syscall(sys::SYS_PIDFD_OPEN, i64::from(pid), 0i64) as c_int;
                let mut clock = 0;
                let has_clock = sys::clock_getcpuclockid(pid, &raw mut clock) == 0;
                Started::Kept(Runner { pid, link: ours, process, clock, has_clock })
            }
        }
    }
}

impl Runner {
    fn cpu_us(&self) -> u64 {
        if self.has_clock { sys::clock_us(self.clock) } else { 0 }
    }

    /// Ends it; its status.
    pub fn end(self, kill: bool) -> c_int {
        let mut status = 0;
        // SAFETY: the child was not waited for yet, so the number is still its own; descriptors are ours.
        unsafe {
            if kill {
                sys::kill(self.pid, sys::SIGKILL);
            }
            while sys::wait4(self.pid, &raw mut status, sys::WALL, null_mut()) == -1
                && libc::errno() == sys::EINTR
            {}
            libc::close(self.link);
            if self.process >= 0 {
                libc::close(self.process);
            }
        }
        status
    }
}

/// Orders the runner to go on and waits for it within limits.
fn order(server: &mut Server, batch: &Batch<'_>) -> End {
    let Some(runner) = server.runner else { return End::NoProcess };
    let order = Order {
        first: batch.reply.next,
        end: batch.end,
        per_process: batch.command.per_process,
        slice_ms: batch.slice_left_ms(),
    };
    // It was forked when the engine's thread may have been elsewhere, and was not waited for yet: the number is its own.
    server::settle(runner.pid);
    // SAFETY: writes one record of plain numbers.
    let n = unsafe { libc::write(runner.link, (&raw const order).cast(), size_of::<Order>()) };
    if n != size_of::<Order>() as isize {
        return End::NoProcess;
    }
    match wait(&runner, batch.command) {
        Waited::Answered(answer) => End::Answered(answer),
        Waited::Ended => {
            server.runner = None;
            End::Died { status: runner.end(false), at: current(), timed_out: 0 }
        }
        Waited::Over(limit) => {
            let at = current();
            server.runner = None;
            End::Died { status: runner.end(true), at, timed_out: limit }
        }
    }
}

enum Waited {
    Answered(Answer),
    Ended,
    Over(u32),
}

/// Until the runner answers, ends, or is too long at one input: 1 by the clock on the wall, 2 by its own.
fn wait(runner: &Runner, command: &Command) -> Waited {
    let (wall, cpu) = (u64::from(command.wall_ms) * 1000, u64::from(command.cpu_ms) * 1000);
    let start = sys::now_us();
    let most = start + (u64::from(command.slice_ms) + 2 * u64::from(command.wall_ms) + SPARE_MS) * 1000;
    let (mut at, mut since, mut cpu_since) = (current(), start, runner.cpu_us());
    let mut link = runner.link;
    loop {
        let now = sys::now_us();
        if current() != at {
            (at, since, cpu_since) = (current(), now, runner.cpu_us());
        }
        if now >= since + wall || now >= most {
            return Waited::Over(1);
        }
        if cpu > 0 && runner.cpu_us() >= cpu_since + cpu {
            return Waited::Over(2);
        }
        let left = (since + wall).min(most) - now;
        let timeout = left.div_ceil(1000).min(if runner.process < 0 { 1 } else { server::TICK_MS });
        let mut fds = [
            PollFd { fd: link, events: sys::POLLIN, revents: 0 },
            PollFd { fd: runner.process, events: sys::POLLIN, revents: 0 },
            PollFd { fd: trace_abi::CONTROL_FD, events: 0, revents: 0 },
        ];
        // SAFETY: three valid records; a negative descriptor is ignored.
        unsafe { sys::poll(fds.as_mut_ptr(), 3, timeout as c_int) };
        if fds[2].revents != 0 {
            server::quit(server::is_init());
        }
        if fds[0].revents & sys::POLLIN != 0 {
            let mut answer = Answer { next: 0, flags: 0, retire: 1, reserved: 0 };
            // SAFETY: reads at most one record of plain numbers.
            let n = unsafe { libc::read(runner.link, (&raw mut answer).cast(), size_of::<Answer>()) };
            if n == size_of::<Answer>() as isize {
                return Waited::Answered(answer);
            }
        }
        if fds[0].revents != 0 {
            // The program closed its end: nothing will come any more.
            link = -1;
        }
        if fds[1].revents != 0 || (runner.process < 0 && server::has_ended(runner.pid)) {
            return Waited::Ended;
        }
    }
}
