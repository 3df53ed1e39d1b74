//! Snapshots: a run that is frozen where the program asks for input, so that further runs can go on from there.
//!
//! Majumdar & Sen, "Hybrid Concolic Testing" (ICSE 2007), section 3.4: a snapshot is a process made by `fork`. Here the frozen
//! run itself becomes a server as the first one is ([`crate::server`]): it forks a child for each run ordered of it, and
//! the child returns to the program, which then gets other inputs. Snapshots nest: such a run may freeze, too. What is not
//! shared with a frozen process are its pages, as the kernel copies those that a run writes, open regular files,
//! which each run opens anew at the same offset, and connections that are inputs with what belongs to them
//! (`sockets/again.rs`).
//!
//! What freezes a run is counted at input statements (`values`, standard input, connections): so many in a row
//! that came with nothing new (Algorithm 2's θ2), or so many at all. A program that asks for more input than a run
//! may have ends quietly. So does one that has run for long, or is not wanted any more, and cannot be frozen; if it can, it is.
//!
//! Not frozen is a program with several threads or with children that live: a fork would be another program.

use crate::libc::{self, FILE, c_char, c_int};
use crate::server::{self, EMPTY, Server};
use crate::sys::{self, SigSet};
use crate::{assume, files, sockets, state, threads, values};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use trace_abi::{
    CONTROL_FD, Command, CommandKind, FROZEN_FD, Header, ObjectKind, Reply, SNAPSHOT_FD, reply_flags,
    run_flags,
};

/// Whether anything is to be done at input statements.
static WATCHES: AtomicBool = AtomicBool::new(false);
/// Whether this run was told to freeze.
static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether it may, as far as is known.
static FREEZES: AtomicBool = AtomicBool::new(false);
/// Input statements so far.
static DONE: AtomicU32 = AtomicU32::new(0);
/// How many in a row came with nothing new.
static IDLE: AtomicU32 = AtomicU32::new(0);
/// As in the header, read once.
static MOST: AtomicU32 = AtomicU32::new(0);
/// As in the header, read once.
static PATIENCE: AtomicU32 = AtomicU32::new(0);
/// As in the header, read once.
static FREEZE_AT: AtomicU32 = AtomicU32::new(0);
/// Room in the area of consumed values that a single value may take: with less left, the run freezes.
const ROOM: u64 = 64 << 10;
/// The last descriptor that is looked at for regular files to be opened anew.
const MAX_FD: c_int = 128;
/// A kind of buffering.
const UNBUFFERED: c_int = 2;

unsafe extern "C" {
    fn setvbuf(f: *mut FILE, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
}
/// What the kernel puts behind the name of a file that is gone.
const REMOVED: &[u8] = b" (deleted)";

/// A run begins, or goes on from where another one froze.
pub fn begin() {
    // SAFETY: attached; the fields were written by the engine before it ordered the run.
    let h: &Header = unsafe { &*state::header() };
    let freezes = h.flags & run_flags::FREEZES != 0 && h.layout.has_known != 0;
    DONE.store(0, Relaxed);
    IDLE.store(h.idle, Relaxed);
    MOST.store(h.max_inputs, Relaxed);
    PATIENCE.store(h.patience, Relaxed);
    FREEZE_AT.store(h.freeze_at, Relaxed);
    ASKED.store(freezes, Relaxed);
    FREEZES.store(freezes, Relaxed);
    WATCHES.store(freezes || h.max_inputs != 0, Relaxed);
}

/// The program is about to get input. Called for every input statement; returns more than once where the run freezes.
#[inline]
pub fn at_input() {
    if WATCHES.load(Relaxed) {
        watch();
    }
}

/// Whether this run may freeze.
fn freezes() -> bool {
    FREEZES.load(Relaxed)
}

/// Whether reads of standard input and of connections are to be told of.
pub fn watches_streams() -> bool {
    ASKED.load(Relaxed)
}

/// The program is about to read from `fd`: an input statement where that is a connection, or standard input and an input.
pub fn at_stream(fd: c_int) {
    if !watches_streams() {
        return;
    }
    let connection = sockets::connection(fd);
    if connection.is_none() && (fd != 0 || state::find_object(ObjectKind::Stdin, 0).is_none()) {
        return;
    }
    if freezes() {
        freeze_if_due(is_at_end(connection, fd));
    }
    if hurries() {
        assume::leave();
    }
    count(DONE.load(Relaxed));
}

/// Whether this connection, or standard input, is at its end, which is not meant to be one.
fn is_at_end(connection: Option<usize>, fd: c_int) -> bool {
    // SAFETY: attached.
    let flags = unsafe { (*state::header()).flags };
    let at_end = || match connection {
        Some(k) => sockets::is_all_said(k, fd),
        None => files::offset_of(0).zip(files::stat(0)).is_some_and(|(at, stat)| at >= stat[6]),
    };
    flags & run_flags::FREEZES_AT_END != 0 && at_end()
}

/// The same of a stream of the C library's over a connection, before each read.
///
/// # Safety
/// `f` is an open stream.
pub unsafe fn read_connection_no_further(f: *mut FILE) {
    // SAFETY: as the caller promises. What it has read stays where it is; the next call finds it empty.
    unsafe {
        let is_empty = (*f).read_ptr >= (*f).read_end;
        if is_empty && (*f).flags & FILE::UNBUFFERED == 0 && sockets::connection(libc::fileno(f)).is_some() {
            setvbuf(f, null_mut(), UNBUFFERED, 0);
        }
    }
}

/// Reads of standard input take what they are asked for, and no more: what the C library would read ahead could not be other
/// input in runs that go on from a snapshot. Before the program has read.
pub fn read_no_further() {
    unsafe extern "C" {
        static stdin: *mut FILE;
    }
    // SAFETY: the C library's stream, which nobody has used yet.
    unsafe { setvbuf(stdin, null_mut(), UNBUFFERED, 0) };
}

/// Whether the run is to come to an end.
fn hurries() -> bool {
    // SAFETY: attached; the field is written by others meanwhile, and any value will do.
    watches_streams() && unsafe { (&raw const (*state::header()).hurries).read_volatile() } != 0
}

/// Freezes if it is time, or there is another reason.
fn freeze_if_due(reason: bool) {
    let idle = if found_something() { 0 } else { IDLE.load(Relaxed).saturating_add(1) };
    IDLE.store(idle, Relaxed);
    let reached = |limit: &AtomicU32, n: u32| limit.load(Relaxed) != 0 && n >= limit.load(Relaxed);
    if reason
        || hurries()
        || reached(&PATIENCE, idle)
        || reached(&FREEZE_AT, DONE.load(Relaxed))
        || is_nearly_full()
    {
        freeze(idle);
    }
}

#[cold]
fn watch() {
    if freezes() {
        // SAFETY: attached.
        let flags = unsafe { (*state::header()).flags };
        freeze_if_due(flags & run_flags::FREEZES_BEHIND != 0 && values::are_used_up());
    }
    let (done, most) = (DONE.load(Relaxed), MOST.load(Relaxed));
    if (most != 0 && done >= most) || hurries() {
        assume::leave();
    }
    count(done);
}

/// One more input statement after so many.
fn count(done: u32) {
    DONE.store(done + 1, Relaxed);
    // SAFETY: attached; the field is read by others while it changes, and any value will do for them.
    unsafe { (&raw mut (*state::header()).n_inputs).write_volatile(u64::from(done) + 1) };
}

/// Whether something is covered that was not known; it is known from then on.
fn found_something() -> bool {
    let Some(m) = state::module().filter(|m| !m.coverage.is_null()) else { return false };
    let words = state::layout().coverage_bytes / 8;
    let known = state::at(state::layout().known_at()).cast::<u64>();
    let covered = m.coverage.cast::<u64>();
    let mut new = false;
    for i in 0..words as usize {
        // SAFETY: both areas are of whole pages and that long; `begin` saw that there is a map of what is known.
        unsafe {
            let (have, old) = (covered.add(i).read_volatile(), known.add(i).read_volatile());
            if have & !old != 0 {
                known.add(i).write_volatile(old | have);
                new = true;
            }
        }
    }
    new
}

/// Whether the next value may not fit into the area of consumed values.
fn is_nearly_full() -> bool {
    // SAFETY: attached.
    unsafe { (*state::header()).values_len + ROOM > state::layout().value_bytes }
}

/// Serves runs from here. Returns in the child of each, and at once where the process cannot be frozen.
fn freeze(idle: u32) {
    if !threads::ring::is_alone() || has_children() {
        FREEZES.store(false, Relaxed);
        return;
    }
    let all = SigSet([!0; 16]);
    let mut server = Server::new(false);
    // SAFETY: valid records; the descriptors are ours, given with the order for this run.
    unsafe {
        sys::sigprocmask(sys::SIG_BLOCK, &raw const all, &raw mut server.original);
        (*state::header()).idle = idle;
        (*state::header()).stream_at = files::offset_of(0).unwrap_or(0);
        sockets::tell(&mut (*state::header()).connections_at);
        // The parent may end before; whoever orders runs of this process closes the socket then.
        sys::prctl(sys::PR_SET_PDEATHSIG, 0);
        sys::prctl(sys::PR_SET_CHILD_SUBREAPER, 1);
        if sys::dup2(SNAPSHOT_FD, CONTROL_FD) == -1 || libc::write(FROZEN_FD, c"".as_ptr().cast(), 1) != 1 {
            // The program closed what it should not know of.
            sys::sigprocmask(sys::SIG_SETMASK, &raw const server.original, null_mut());
            FREEZES.store(false, Relaxed);
            return;
        }
        libc::close(SNAPSHOT_FD);
        libc::close(FROZEN_FD);
    }
    server::reply(&Reply { seq: u32::MAX, ..EMPTY });
    loop {
        let Some((command, socket)) = server::next_command() else { leave() };
        let is = |kind: CommandKind| command.kind == kind as u32;
        if is(CommandKind::Hurry) {
            continue;
        }
        if !is(CommandKind::Run) && !is(CommandKind::Advance) {
            leave();
        }
        if server.go_on(&command, socket) {
            return;
        }
    }
}

/// Ends a frozen process without the program's exit handlers. Those that froze below it go on.
fn leave() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

/// Whether the process has children, dead or alive.
fn has_children() -> bool {
    let errno = libc::errno();
    let mut info = [0u64; 16];
    // SAFETY: the record is 128 bytes.
    let r = unsafe {
        sys::waitid(sys::P_ALL, 0, info.as_mut_ptr().cast(), sys::WEXITED | sys::WNOHANG | sys::WNOWAIT)
    };
    libc::set_errno(errno);
    r == 0
}

impl Server {
    /// One run that goes on from here, and the reply; true in the child, which returns to the program.
    fn go_on(&mut self, command: &Command, socket: Option<c_int>) -> bool {
        let Some(child) = self.fork_for(command, socket) else { return false };
        // SAFETY: the process of the run: calls of the kernel about itself.
        unsafe {
            sys::setsid();
            sys::prctl(sys::PR_SET_PDEATHSIG, sys::SIGKILL);
            libc::close(CONTROL_FD);
        }
        child.adopt();
        reopen_files();
        values::reset();
        state::begin_run();
        files::register_inputs_behind();
        // SAFETY: a valid record.
        unsafe { sys::sigprocmask(sys::SIG_SETMASK, &raw const self.original, null_mut()) };
        true
    }

    /// Forks for a run and supervises it: the child's descriptors in the child, nothing in the parent, which has replied.
    pub fn fork_for(&self, command: &Command, socket: Option<c_int>) -> Option<Child> {
        let mut ends = [-1; 2];
        // SAFETY: room for two descriptors.
        let piped = socket.is_none() || unsafe { sys::pipe(ends.as_mut_ptr()) } == 0;
        // SAFETY: the child goes on with what the parent had; this process has one thread.
        let pid = if piped { unsafe { sys::fork() } } else { -1 };
        if pid == 0 {
            close(Some(ends[0]));
            return Some(Child { socket, frozen: ends[1] });
        }
        close(socket);
        close(Some(ends[1]));
        let reply = if pid == -1 {
            Reply { seq: command.seq, status: -1, ..EMPTY }
        } else {
            self.tend(pid, command, ends[0])
        };
        close(Some(ends[0]));
        server::reply(&reply);
        None
    }

    /// As [`Server::supervise`], but what is left is only ended as far as it stayed in the run's session.
    fn tend(&self, pid: c_int, command: &Command, frozen: c_int) -> Reply {
        let (mut reply, froze) = self.watch(pid, command, (frozen >= 0).then_some(frozen));
        if froze {
            // Frozen runs that ended since, whose parents had ended before, are this process's children.
            let mut status = 0;
            // SAFETY: a valid record; the run that froze is alive.
            while unsafe { sys::waitpid(-1, &raw mut status, sys::WALL | sys::WNOHANG) } > 0 {}
            reply.flags = reply_flags::FROZEN;
            return reply;
        }
        // SAFETY: the session of the run, whose number is not used again while anybody is left in it; a valid record.
        unsafe {
            sys::kill(-pid, sys::SIGKILL);
            let mut status = 0;
            loop {
                match sys::waitpid(-1, &raw mut status, sys::WALL | sys::WNOHANG) {
                    -1 if libc::errno() == sys::EINTR => {}
                    -1 => break,
                    0 => {
                        reply.flags = reply_flags::LEFTOVERS;
                        break;
                    }
                    _ => {}
                }
            }
        }
        reply
    }
}

/// What the process of a run has of the order.
pub struct Child {
    /// Where it is to serve when it froze.
    socket: Option<c_int>,
    /// Where it tells that it did.
    frozen: c_int,
}

impl Child {
    /// Puts the descriptors where a run that freezes finds them.
    pub fn adopt(self) {
        for (from, to) in [(self.socket, SNAPSHOT_FD), (self.socket.map(|_| self.frozen), FROZEN_FD)] {
            let Some(from) = from.filter(|&from| from >= 0) else { continue };
            // SAFETY: descriptors of ours; programs that this one starts do not get them.
            unsafe {
                sys::dup2(from, to);
                sys::fcntl(to, sys::F_SETFD, 1);
                libc::close(from);
            }
        }
    }
}

fn close(fd: Option<c_int>) {
    if let Some(fd) = fd.filter(|&fd| fd >= 0) {
        // SAFETY: a descriptor of ours.
        unsafe { libc::close(fd) };
    }
}

/// Opens every regular file anew, by its path, where it was open, at the same offset: a description of its own, and where
/// the engine put the working directory's files back, the file as it was.
fn reopen_files() {
    for fd in 0..MAX_FD {
        if is_regular(fd) {
            reopen(fd);
        }
    }
}

fn is_regular(fd: c_int) -> bool {
    files::stat(fd).is_some_and(|stat| stat[3] as u32 & 0o170_000 == 0o100_000)
}

fn reopen(fd: c_int) {
    const APPEND_AND_ACCESS: c_int = 0o2003;
    // What has its name by now may be a pipe, at which nobody is to wait, or a link.
    const CAREFULLY: c_int = 0o4000 | 0o400_000;
    let mut link = *b"/proc/self/fd/000\0";
    for (digit, power) in link[14..17].iter_mut().zip([100, 10, 1]) {
        *digit = b'0' + (fd / power % 10) as u8;
    }
    // `/proc/self/fd/007` is not a name there: leading zeros go.
    let zeros = link[14..16].iter().take_while(|&&d| d == b'0').count();
    link.copy_within(14 + zeros.., 14);
    let mut path = [0u8; 4096];
    // SAFETY: C strings with their ends inside the buffers; descriptors of the program, which stay what they are.
    unsafe {
        let at = libc::lseek(fd, 0, libc::SEEK_CUR);
        let flags = sys::fcntl(fd, sys::F_GETFL) & APPEND_AND_ACCESS;
        let close_on_exec = sys::fcntl(fd, sys::F_GETFD);
        let n = sys::readlink(link.as_ptr().cast(), path.as_mut_ptr().cast(), path.len() - 1);
        // By its name, where there is a file of that name again; a file in memory has none and is opened through the link.
        let name = &mut path[..n.max(0) as usize];
        if name.ends_with(REMOVED) {
            let end = name.len() - REMOVED.len();
            name[end] = 0;
        }
        let mut new = if n > 0 { libc::open(path.as_ptr().cast(), flags | CAREFULLY) } else { -1 };
        if new >= 0 && is_regular(new) {
            sys::fcntl(new, sys::F_SETFL, flags);
        } else {
            close(Some(new));
            new = -1;
        }
        if new < 0 {
            new = libc::open(link.as_ptr().cast(), flags);
        }
        if new < 0 || new == fd {
            return;
        }
        if at >= 0 {
            libc::lseek(new, at, libc::SEEK_SET);
        }
        sys::dup2(new, fd);
        sys::fcntl(fd, sys::F_SETFD, close_on_exec);
        libc::close(new);
    }
}
