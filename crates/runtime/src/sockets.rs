//! Connections that the program accepts, as input objects.
//!
//! A program that listens gets a listening socket of the kernel's own kind (`AF_UNIX`, a name of the kernel's choice, no
//! network) in the place of its own, to which one client per connection object has connected already and sent what it has
//! to say; then it closed its sending side. So `accept`, `poll`, `select`, `epoll`, `fcntl` and descriptors handed around
//! work as the kernel has them. The clients' ends are descriptors of this same process, high up; what the program answers
//! is read and dropped.
//!
//! Nothing is counted here that can be asked: a descriptor is known by device and inode, as files are, and how much of a
//! connection was read is what was sent less what the kernel still holds.
//!
//! When no client has anything more to do, a program that waits for one waits for good: the run ends there, as by
//! `exit(0)` ([`end`]).

mod again;

use crate::libc::{self, c_int};
use crate::models::fixed;
use crate::net::*;
use crate::sys::{self, PollFd};
use crate::threads::ring;
use crate::{files, lock, state};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use trace_abi::{MAX_CONNECTIONS, ObjectKind, Pieces};

/// Descriptors of clients are at least this: above those of the engine, below the limit of runs.
const LOW: c_int = 200;
/// What clients and connections may hold before their writer waits (the kernel may allow less).
static BUFFER: c_int = 1 << 20;
/// Most that one call of the program writes to a connection: what certainly fits.
const MOST_WRITTEN: usize = 64 << 10;
/// Waits in a row that end by their time limit and find nothing, until the program is held to be idle; one without any
/// time counts one, others [`WEIGHT`].
const MOST_IDLE: u32 = 2048;
/// See [`MOST_IDLE`].
const WEIGHT: u32 = 32;
/// How long, in looks of [`LOOK_MS`], other threads and children may do nothing that is seen until they are held to be
/// idle; less when all connections are closed.
const MOST_QUIET: u32 = 25;
/// See [`MOST_QUIET`].
const QUIET_AT_END: u32 = 2;
const LOOK_MS: c_int = 4;

/// How much was read is not known.
const UNKNOWN: u64 = u64::MAX;

/// The client of one connection.
struct Client {
    /// Number of the input object.
    object: AtomicU32,
    data: AtomicPtr<u8>,
    len: AtomicUsize,
    /// As in [`Pieces`]: 0 all, `u32::MAX` lines, else so many bytes.
    pieces: AtomicU32,
    /// Its descriptor; -1: none.
    fd: AtomicI32,
    /// How much it sent.
    sent: AtomicUsize,
    /// How much of what it said in the runs that this one goes on from was read.
    base: AtomicU64,
    /// How much of the rest was read when the program closed the connection; [`UNKNOWN`].
    read: AtomicU64,
    /// Its sending side is closed.
    is_done: AtomicBool,
    /// The accepted end, once there is one.
    device: AtomicU64,
    inode: AtomicU64,
}

static CLIENTS: [Client; MAX_CONNECTIONS] = [const {
    Client {
        object: AtomicU32::new(0),
        data: AtomicPtr::new(null_mut()),
        len: AtomicUsize::new(0),
        pieces: AtomicU32::new(0),
        fd: AtomicI32::new(-1),
        sent: AtomicUsize::new(0),
        base: AtomicU64::new(0),
        read: AtomicU64::new(UNKNOWN),
        is_done: AtomicBool::new(false),
        device: AtomicU64::new(0),
        inode: AtomicU64::new(0),
    }
}; MAX_CONNECTIONS];
/// Connection objects of this input.
static N_CLIENTS: AtomicU32 = AtomicU32::new(0);
/// Whether a socket of the program was given these clients.
static IS_SERVED: AtomicBool = AtomicBool::new(false);
static ACCEPTED: AtomicU32 = AtomicU32::new(0);
/// Bytes that the program answered.
static ANSWERED: AtomicU64 = AtomicU64::new(0);
/// See [`MOST_IDLE`].
static IDLE: AtomicU32 = AtomicU32::new(0);
/// Somebody is at the clients.
static BUSY: AtomicBool = AtomicBool::new(false);

/// A run begins: its connections are those of its input.
pub fn begin() {
    reset();
    take_objects();
}

/// A run goes on from where another froze: what its connections say from there on is in its input.
pub fn resume() {
    if are_served() { again::go_on() } else { take_objects() }
}

/// Clients say what this run's input says.
fn take_objects() {
    let (mut n, mut from) = (0, 0);
    while n < MAX_CONNECTIONS {
        let Some((index, object)) = state::find_object(ObjectKind::Connection, from) else { break };
        CLIENTS[n].give(index, object.name, object.data);
        (n, from) = (n + 1, index + 1);
    }
    N_CLIENTS.store(n as u32, Relaxed);
}

/// Forgets all of the run before.
pub fn reset() {
    CLIENTS.iter().for_each(Client::forget);
    N_CLIENTS.store(0, Relaxed);
    IS_SERVED.store(false, Relaxed);
    ACCEPTED.store(0, Relaxed);
    ANSWERED.store(0, Relaxed);
    IDLE.store(0, Relaxed);
    BUSY.store(false, Relaxed);
    crate::models::socket::reset();
}

/// Whether connections are part of this run's input.
#[inline]
pub fn are_given() -> bool {
    N_CLIENTS.load(Relaxed) > 0
}

/// Whether the program listens and has clients.
#[inline]
pub fn are_served() -> bool {
    IS_SERVED.load(Relaxed)
}

fn clients() -> &'static [Client] {
    &CLIENTS[..(N_CLIENTS.load(Relaxed) as usize).min(MAX_CONNECTIONS)]
}

impl Client {
    /// No connection, and nothing to say.
    fn forget(&self) {
        self.hold(-1);
        self.len.store(0, Relaxed);
        self.begin_anew();
        self.base.store(0, Relaxed);
        self.set_accepted((0, 0));
    }

    /// Nothing of what it says was sent.
    fn begin_anew(&self) {
        self.sent.store(0, Relaxed);
        self.read.store(UNKNOWN, Relaxed);
        self.is_done.store(false, Relaxed);
    }

    /// Its descriptor, in the place of the one it had.
    fn hold(&self, fd: c_int) {
        let old = self.fd.swap(fd, Relaxed);
        if old >= 0 {
            // SAFETY: our own descriptor.
            unsafe { libc::close(old) };
        }
    }

    /// What it says.
    fn give(&self, object: u32, name: &[u8], data: &'static [u8]) {
        let pieces = match Pieces::of_name(name) {
            Pieces::Whole => 0,
            Pieces::Lines => u32::MAX,
            Pieces::Bytes(n) => n.min(u32::MAX - 1),
        };
        self.object.store(object, Relaxed);
        self.data.store(data.as_ptr().cast_mut(), Relaxed);
        self.len.store(data.len(), Relaxed);
        self.pieces.store(pieces, Relaxed);
    }

    fn accepted(&self) -> (u64, u64) {
        (self.device.load(Relaxed), self.inode.load(Relaxed))
    }

    fn set_accepted(&self, (device, inode): (u64, u64)) {
        self.device.store(device, Relaxed);
        self.inode.store(inode, Relaxed);
    }

    fn data(&self) -> &'static [u8] {
        // SAFETY: bytes of the mapping's input area, which stay as they are during a run.
        unsafe { core::slice::from_raw_parts(self.data.load(Relaxed), self.len.load(Relaxed)) }
    }

    fn pieces(&self) -> Pieces {
        match self.pieces.load(Relaxed) {
            0 => Pieces::Whole,
            u32::MAX => Pieces::Lines,
            n => Pieces::Bytes(n),
        }
    }

    /// Whether the program has read all that was sent.
    fn is_read(&self) -> bool {
        let mut held: c_int = 0;
        // SAFETY: asks for a number.
        unsafe { ioctl(self.fd.load(Relaxed), TIOCOUTQ, &raw mut held) != 0 || held == 0 }
    }

    /// Sends what there is to send now; with `all`, whatever was read. Then closes the sending side, if that was all.
    fn send(&self, all: bool) {
        let fd = self.fd.load(Relaxed);
        if fd < 0 || self.is_done.load(Relaxed) {
            return;
        }
        let (data, pieces) = (self.data(), self.pieces());
        let mut sent = self.sent.load(Relaxed);
        while sent < data.len() && (all || pieces == Pieces::Whole || self.is_read()) {
            let end = if all { data.len() } else { pieces.end(data, sent) };
            // SAFETY: bytes of the slice; our own descriptor.
            let n = unsafe {
                let from = data.as_ptr().add(sent);
                send(fd, from.cast(), end - sent, MSG_DONTWAIT | MSG_NOSIGNAL)
            };
            if n <= 0 {
                break;
            }
            sent += n as usize;
            self.sent.store(sent, Relaxed);
        }
        if sent >= data.len() {
            self.is_done.store(true, Relaxed);
            // SAFETY: our own descriptor.
            unsafe { shutdown(fd, SHUT_WR) };
        }
    }

    /// Reads and drops what the program answered.
    fn drop_answers(&self) {
        let mut scratch = [0u8; 4096];
        let fd = self.fd.load(Relaxed);
        loop {
            // SAFETY: a buffer of ours.
            let n = unsafe { recv(fd, scratch.as_mut_ptr().cast(), scratch.len(), MSG_DONTWAIT) };
            if n <= 0 {
                return;
            }
            ANSWERED.fetch_add(n as u64, Relaxed);
        }
    }
}

/// Does what clients do meanwhile: they send what there is room for and read answers. `all`: also what they would send later
/// (the program reads through a buffer of the C library's, which waits for nobody's message).
pub fn attend(all: bool) {
    if !are_served() || BUSY.swap(true, Acquire) {
        return;
    }
    let errno = libc::errno();
    for client in clients() {
        client.drop_answers();
        client.send(all);
    }
    libc::set_errno(errno);
    BUSY.store(false, Release);
}

/// A stream over `fd` is about to be read: it wants what it can get, in whatever pieces that is sent.
pub fn attend_stream(fd: c_int) {
    if are_served() {
        attend(connection(fd).is_some());
    }
}

/// The program's socket `fd` listens from now on: a socket that has the clients takes its place. False if that cannot be.
pub fn serve(fd: c_int, backlog: c_int) -> bool {
    let errno = libc::errno();
    let is_first = are_given() && !IS_SERVED.load(Relaxed);
    let ours = listening(backlog, if is_first { clients() } else { &[] });
    let is_in_place = ours.is_some_and(|ours| put(ours, fd));
    if is_first && is_in_place {
        IS_SERVED.store(true, Relaxed);
        attend(false);
    }
    libc::set_errno(errno);
    is_in_place
}

/// A new socket that listens, to which these clients have connected.
fn listening(backlog: c_int, clients: &[Client]) -> Option<c_int> {
    let (mut address, mut len) = ([0u8; 128], 128u32);
    address[0] = sys::AF_UNIX as u8;
    // SAFETY: a descriptor of our own; addresses are valid records.
    unsafe {
        let ours = socket(sys::AF_UNIX, SOCK_STREAM | libc::O_CLOEXEC, 0);
        // No name but the family: the kernel finds a free one.
        let is_ready = ours >= 0
            && bind(ours, address.as_ptr(), 2) == 0
            && listen(ours, backlog.max(MAX_CONNECTIONS as c_int)) == 0
            && getsockname(ours, address.as_mut_ptr(), &raw mut len) == 0
            && clients.iter().all(|c| c.connect(&address[..len.min(128) as usize]));
        if !is_ready {
            libc::close(ours);
        }
        is_ready.then_some(ours)
    }
}

/// Puts the socket `ours` in the place of the program's `fd`, with its flags; whether that worked.
fn put(ours: c_int, fd: c_int) -> bool {
    // SAFETY: descriptors of our own and the program's.
    unsafe {
        sys::fcntl(ours, F_SETFL, sys::fcntl(fd, sys::F_GETFL) & libc::O_NONBLOCK);
        let on_exec = if sys::fcntl(fd, sys::F_GETFD) & 1 != 0 { libc::O_CLOEXEC } else { 0 };
        let done = dup3(ours, fd, on_exec) == fd;
        libc::close(ours);
        done
    }
}

impl Client {
    fn connect(&self, to: &[u8]) -> bool {
        // SAFETY: descriptors of our own; a valid address.
        unsafe {
            let low = socket(sys::AF_UNIX, SOCK_STREAM | libc::O_CLOEXEC, 0);
            self.take(low) && connect(self.fd.load(Relaxed), to.as_ptr(), to.len() as u32) == 0
        }
    }

    /// Holds this socket, high up.
    fn take(&self, low: c_int) -> bool {
        // SAFETY: a descriptor of our own; a valid number.
        unsafe {
            let fd = sys::fcntl(low, F_DUPFD_CLOEXEC, LOW);
            libc::close(low);
            self.hold(fd);
            setsockopt(fd, SOL_SOCKET, SO_SNDBUF, (&raw const BUFFER).cast(), 4);
            fd >= 0
        }
    }
}

/// The program accepted the next connection as `fd`; its number.
pub fn accepted(fd: c_int) -> Option<usize> {
    let k = ACCEPTED.fetch_add(1, Relaxed) as usize;
    let client = clients().get(k)?;
    client.set_accepted(files::identity(fd)?);
    // SAFETY: the program's new descriptor; a valid number.
    unsafe { setsockopt(fd, SOL_SOCKET, SO_SNDBUF, (&raw const BUFFER).cast(), 4) };
    IDLE.store(0, Relaxed);
    Some(k)
}

/// Takes back that connection `k` was accepted, and those after it.
#[cfg(test)]
pub fn unaccept(k: usize) {
    ACCEPTED.store(k as u32, Relaxed);
    clients()[k..].iter().for_each(|c| c.set_accepted((0, 0)));
}

/// The connection with this device and inode.
pub fn find(identity: (u64, u64)) -> Option<usize> {
    if !are_served() {
        return None;
    }
    clients().iter().position(|c| c.accepted() == identity)
}

/// The connection that `fd` is open on.
pub fn connection(fd: c_int) -> Option<usize> {
    if !are_served() {
        return None;
    }
    find(files::identity(fd)?)
}

/// The input object of the connection with this device and inode.
pub fn object_of(identity: (u64, u64)) -> Option<u32> {
    find(identity).map(|k| CLIENTS[k].object.load(Relaxed))
}

/// How far descriptor `fd` has read into input object `object`, if that is a connection.
pub fn offset_of(object: u32, fd: c_int) -> Option<u64> {
    if !are_served() {
        return None;
    }
    let client = clients().iter().find(|c| c.object.load(Relaxed) == object)?;
    let mut held: c_int = 0;
    let errno = libc::errno();
    // SAFETY: asks for a number.
    let failed = unsafe { ioctl(fd, FIONREAD, &raw mut held) } != 0;
    libc::set_errno(errno);
    let sent = client.sent.load(Relaxed) as u64;
    if failed { None } else { sent.checked_sub(held.max(0) as u64) }
}

/// The program closes a descriptor, perhaps the last of a connection: how much it read of it cannot be asked for after that.
pub fn closes(fd: c_int) {
    let errno = libc::errno();
    if let Some(client) = connection(fd).map(|k| &CLIENTS[k])
        && let Some(read) = offset_of(client.object.load(Relaxed), fd)
    {
        client.read.store(read, Relaxed);
    }
    libc::set_errno(errno);
}

/// Whether connection `k`, open as `fd`, is at its end, and nothing is left to be read on any other that is open: what its
/// client says next is what the program waits for.
pub fn is_all_said(k: usize, fd: c_int) -> bool {
    let errno = libc::errno();
    let is_at_end = |c: &Client| {
        offset_of(c.object.load(Relaxed), fd).is_some_and(|read| read >= c.len.load(Relaxed) as u64)
    };
    let is_said = |(j, c): (usize, &Client)| match c.accepted() {
        _ if j == k => is_at_end(c),
        (0, 0) => c.len.load(Relaxed) == 0,
        _ => (c.is_done.load(Relaxed) && c.is_read()) || c.is_closed(),
    };
    let all = clients().iter().enumerate().all(is_said);
    libc::set_errno(errno);
    all
}

/// What the engine is told of connections when the run freezes: bytes read of each, and whether the program has closed it.
pub fn tell(to: &mut [u64; MAX_CONNECTIONS]) {
    if are_served() {
        again::tell(to);
    }
}

/// How many of `n` bytes the program may write to `fd` at once, so that it does not wait for a client to read.
pub fn room(fd: c_int, n: usize) -> usize {
    if !are_served() || connection(fd).is_none() {
        return n;
    }
    attend(false);
    n.min(MOST_WRITTEN)
}

/// What the program is told of a write of `n` bytes of which `allowed` were written with this result.
pub fn written(n: usize, allowed: usize, result: isize) -> isize {
    if result > 0 && result as usize == allowed { n as isize } else { result }
}

/// Whether `fd` does not wait.
pub fn is_nonblocking(fd: c_int) -> bool {
    // SAFETY: asks for flags.
    unsafe { sys::fcntl(fd, sys::F_GETFL) & libc::O_NONBLOCK != 0 }
}

/// Whether anything can be accepted from `fd`, or read.
pub fn is_ready(fd: c_int) -> bool {
    let mut record = PollFd { fd, events: sys::POLLIN, revents: 0 };
    // SAFETY: a valid record.
    unsafe { sys::poll(&raw mut record, 1, 0) > 0 }
}

/// The program found something to do.
pub fn found() {
    IDLE.store(0, Relaxed);
}

/// The program looked for something to do, for so long (0: not at all), and found nothing. Whether it is idle for good.
pub fn found_nothing(micros: u64) -> bool {
    let weight = if micros == 0 { 1 } else { WEIGHT };
    IDLE.fetch_add(weight, Relaxed) + weight >= MOST_IDLE
}

/// Whether there is anybody beside this thread: threads, children.
fn has_company() -> bool {
    let mut info = [0u64; 16];
    let flags = sys::WEXITED | sys::WNOHANG | sys::WNOWAIT;
    // SAFETY: the record has 128 bytes.
    !lock::alone() || unsafe { sys::waitid(sys::P_ALL, 0, info.as_mut_ptr().cast(), flags) } == 0
}

/// What is seen of the doings of others: answers, connections closed, milliseconds of CPU time.
fn doings() -> (u64, usize, u64) {
    const CLOCK_PROCESS: c_int = 2;
    (ANSWERED.load(Relaxed), hung_up(), sys::clock_us(CLOCK_PROCESS) / 1000)
}

impl Client {
    /// Whether the program has closed the connection. (No longer known of one that was closed in a run before.)
    fn is_closed(&self) -> bool {
        let mut record = PollFd { fd: self.fd.load(Relaxed), events: 0, revents: 0 };
        // SAFETY: a valid record.
        (unsafe { sys::poll(&raw mut record, 1, 0) } > 0) && record.revents & POLLHUP != 0
    }
}

/// Connections that the program has closed.
fn hung_up() -> usize {
    clients().iter().filter(|client| client.is_closed()).count()
}

/// Lets other threads and children get on until `look` finds something (its result), or nothing happens any more (0).
pub fn await_others(mut look: impl FnMut() -> c_int) -> c_int {
    if !has_company() {
        return 0;
    }
    let nap = || {
        // SAFETY: no records: sleeps.
        unsafe { sys::poll(null_mut(), 0, LOOK_MS) };
    };
    let (mut quiet, mut before) = (0, doings());
    while quiet < if before.1 == clients().len() { QUIET_AT_END } else { MOST_QUIET } {
        match ring::entered() {
            Some(me) => ring::outside(me, nap),
            None => nap(),
        }
        attend(false);
        let found = look();
        if found != 0 {
            return found;
        }
        let now = doings();
        // A millisecond in a look of several is what napping takes itself.
        let is_quiet = (now.0, now.1) == (before.0, before.1) && now.2 <= before.2 + 1;
        quiet = if is_quiet { quiet + 1 } else { 0 };
        before = now;
    }
    0
}

/// No client will come or send any more: the run is over, as by `exit(0)`.
pub fn end() -> ! {
    // SAFETY: runs the program's exit handlers, as at the end of `main`.
    unsafe { sys::exit(0) }
}

/// The program waits at most so long (`None`: for ever) with `call`, which is told how many microseconds to wait (-1: for
/// ever). Clients act before, and time that nothing can fill does not pass but on the fixed clock.
pub fn wait(limit: Option<u64>, mut call: impl FnMut(i64) -> c_int) -> c_int {
    if !are_served() {
        return call(limit.map_or(-1, |us| us.min(i64::MAX as u64) as i64));
    }
    attend(false);
    let r = call(0);
    if r != 0 {
        found();
        return r;
    }
    if limit.is_none_or(found_nothing) {
        let r = await_others(|| call(0));
        if r == 0 {
            end();
        }
        return r;
    }
    let us = limit.unwrap_or_default();
    fixed::pass(us);
    if us > 0 && has_company() {
        let short = us.min(LOOK_MS as u64 * 1000) as i64;
        return match ring::entered() {
            Some(me) => ring::outside(me, || call(short)),
            None => call(short),
        };
    }
    0
}
