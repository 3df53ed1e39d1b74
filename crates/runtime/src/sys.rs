//! The process side of the C library: what the fork server, crash handlers and limits call.

#![expect(missing_docs, reason = "C library functions and constants under their own names")]

use crate::libc::{IoVec, c_char, c_int, c_long, c_void};

pub const SIGILL: c_int = 4;
pub const SIGTRAP: c_int = 5;
pub const SIGABRT: c_int = 6;
pub const SIGBUS: c_int = 7;
pub const SIGFPE: c_int = 8;
pub const SIGKILL: c_int = 9;
pub const SIGSEGV: c_int = 11;
pub const SIGSTOP: c_int = 19;
pub const SIGSYS: c_int = 31;
pub const SIG_BLOCK: c_int = 0;
pub const SIG_SETMASK: c_int = 2;
pub const SIG_DFL: usize = 0;
pub const SA_SIGINFO: c_int = 4;
pub const SA_ONSTACK: c_int = 0x0800_0000;
pub const SA_NODEFER: c_int = 0x4000_0000;
pub const WNOHANG: c_int = 1;
pub const WALL: c_int = 0x4000_0000;
pub const WEXITED: c_int = 4;
pub const WNOWAIT: c_int = 0x0100_0000;
pub const P_ALL: c_int = 0;
pub const ECHILD: c_int = 10;
pub const EINTR: c_int = 4;
pub const O_RDONLY: c_int = 0;
pub const O_WRONLY: c_int = 1;
pub const AF_UNIX: c_int = 1;
/// `SOCK_SEQPACKET | SOCK_CLOEXEC`
pub const SOCK_MESSAGES: c_int = 5 | 0o2_000_000;
pub const F_DUPFD: c_int = 0;
pub const F_GETFD: c_int = 1;
pub const F_SETFD: c_int = 2;
pub const F_GETFL: c_int = 3;
pub const F_SETFL: c_int = 4;
pub const POLLIN: i16 = 1;
pub const PR_SET_PDEATHSIG: c_int = 1;
pub const PR_SET_DUMPABLE: c_int = 4;
pub const PR_SET_CHILD_SUBREAPER: c_int = 36;
pub const RLIMIT_CPU: c_int = 0;
pub const CLOCK_MONOTONIC: c_int = 1;
/// Without a system call, a few milliseconds coarse.
pub const CLOCK_MONOTONIC_COARSE: c_int = 6;
pub const RUSAGE_CHILDREN: c_int = -1;
/// Number of the first process of a process namespace.
pub const INIT_PID: c_int = 1;
pub const SYS_PIDFD_OPEN: c_long = 434;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct SigSet(pub [u64; 16]);

#[repr(C)]
pub struct SigAction {
    pub handler: usize,
    pub mask: SigSet,
    pub flags: c_int,
    pub restorer: usize,
}

#[repr(C)]
pub struct SigStack {
    pub sp: *mut c_void,
    pub flags: c_int,
    pub size: usize,
}

/// The part of `siginfo_t` that is read here.
#[repr(C)]
pub struct SigInfo {
    pub signo: c_int,
    pub errno: c_int,
    pub code: c_int,
    pad: c_int,
    pub address: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct TimeSpec {
    pub sec: i64,
    pub nsec: i64,
}

#[repr(C)]
pub struct PollFd {
    pub fd: c_int,
    pub events: i16,
    pub revents: i16,
}

#[repr(C)]
pub struct RLimit {
    pub soft: u64,
    pub hard: u64,
}

/// `struct msghdr`.
#[repr(C)]
pub struct Message {
    pub name: *mut c_void,
    pub name_len: u32,
    pub parts: *mut IoVec,
    pub n_parts: usize,
    pub control: *mut c_void,
    pub control_len: usize,
    pub flags: c_int,
}

impl Message {
    pub const EMPTY: Message = Message {
        name: core::ptr::null_mut(),
        name_len: 0,
        parts: core::ptr::null_mut(),
        n_parts: 0,
        control: core::ptr::null_mut(),
        control_len: 0,
        flags: 0,
    };
}

/// `struct cmsghdr` with one descriptor behind it.
#[repr(C)]
pub struct Control {
    pub len: usize,
    pub level: c_int,
    pub kind: c_int,
    pub fd: c_int,
    pub padding: c_int,
}

/// `struct rusage`: two times, then fourteen numbers of which the first is the peak resident set in KiB.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RUsage {
    pub user_sec: i64,
    pub user_usec: i64,
    pub sys_sec: i64,
    pub sys_usec: i64,
    pub max_rss: c_long,
    rest: [c_long; 13],
}

impl RUsage {
    pub const ZERO: RUsage =
        RUsage { user_sec: 0, user_usec: 0, sys_sec: 0, sys_usec: 0, max_rss: 0, rest: [0; 13] };

    /// User and system time in microseconds.
    pub const fn micros(&self) -> u64 {
        ((self.user_sec + self.sys_sec) * 1_000_000 + self.user_usec + self.sys_usec) as u64
    }
}

unsafe extern "C" {
    pub static mut environ: *mut *mut c_char;
    pub fn fork() -> c_int;
    pub fn sched_setaffinity(pid: c_int, len: usize, set: *const u64) -> c_int;
    pub fn exit(code: c_int) -> !;
    pub fn setsid() -> c_int;
    pub fn getpid() -> c_int;
    pub fn kill(pid: c_int, signal: c_int) -> c_int;
    pub fn raise(signal: c_int) -> c_int;
    pub fn prctl(option: c_int, ...) -> c_int;
    pub fn waitpid(pid: c_int, status: *mut c_int, flags: c_int) -> c_int;
    pub fn waitid(which: c_int, id: u32, info: *mut c_void, flags: c_int) -> c_int;
    pub fn wait4(pid: c_int, status: *mut c_int, flags: c_int, usage: *mut RUsage) -> c_int;
    pub fn getrusage(who: c_int, usage: *mut RUsage) -> c_int;
    pub fn setrlimit(what: c_int, limit: *const RLimit) -> c_int;
    pub fn sigaction(signal: c_int, new: *const SigAction, old: *mut SigAction) -> c_int;
    pub fn sigaltstack(new: *const SigStack, old: *mut SigStack) -> c_int;
    pub fn sigprocmask(how: c_int, new: *const SigSet, old: *mut SigSet) -> c_int;
    pub fn isatty(fd: c_int) -> c_int;
    pub fn dup2(from: c_int, to: c_int) -> c_int;
    pub fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    pub fn socketpair(domain: c_int, kind: c_int, protocol: c_int, fds: *mut c_int) -> c_int;
    pub fn pipe(ends: *mut c_int) -> c_int;
    pub fn recvmsg(fd: c_int, message: *mut Message, flags: c_int) -> isize;
    pub fn readlink(path: *const c_char, to: *mut c_char, len: usize) -> isize;
    pub fn memfd_create(name: *const c_char, flags: c_int) -> c_int;
    pub fn poll(fds: *mut PollFd, n: u64, timeout_ms: c_int) -> c_int;
    pub fn clock_gettime(clock: c_int, t: *mut TimeSpec) -> c_int;
    pub fn clock_getcpuclockid(pid: c_int, clock: *mut c_int) -> c_int;
    pub fn syscall(number: c_long, ...) -> c_long;
    pub fn malloc(n: usize) -> *mut c_void;
    pub fn free(p: *mut c_void);
    pub fn strlen(s: *const c_char) -> usize;
    pub fn backtrace(frames: *mut *mut c_void, n: c_int) -> c_int;
    pub fn dl_iterate_phdr(
        callback: unsafe extern "C" fn(*const u64, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// Microseconds of a clock that only goes forwards.
pub fn now_us() -> u64 {
    clock_us(CLOCK_MONOTONIC)
}

/// Microseconds of `clock`; 0 if there is none (its process is gone).
pub fn clock_us(clock: c_int) -> u64 {
    let mut t = TimeSpec { sec: 0, nsec: 0 };
    // SAFETY: fills a valid record.
    unsafe { clock_gettime(clock, &raw mut t) };
    t.sec as u64 * 1_000_000 + t.nsec as u64 / 1000
}

/// The value of environment variable `name` (with its `=`), looked up without the C library's help.
///
/// # Safety
/// `env` is null or a null-terminated array of C strings.
pub unsafe fn lookup(env: *const *mut c_char, name: &[u8]) -> Option<*const c_char> {
    if env.is_null() {
        return None;
    }
    // SAFETY: as the caller promises; comparison stops at the first difference, so at the string's end.
    unsafe {
        let mut p = env;
        while !(*p).is_null() {
            let s = (*p).cast::<u8>();
            if (0..name.len()).all(|i| *s.add(i) == name[i]) {
                return Some(s.add(name.len()).cast());
            }
            p = p.add(1);
        }
    }
    None
}

/// The bytes of a C string.
///
/// # Safety
/// `s` is a valid C string that stays as it is for as long as the result lives.
pub unsafe fn bytes<'a>(s: *const c_char) -> &'a [u8] {
    // SAFETY: as the caller promises.
    unsafe { core::slice::from_raw_parts(s.cast(), strlen(s)) }
}
