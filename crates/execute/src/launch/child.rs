//! What a started process does before the program: everything between `clone` and `execve`.
//!
//! The engine has threads, so nothing here may allocate or take a lock: only system calls on what [`Setup`] prepared.

use super::{Isolation, Vector, network};
use crate::config::Limits;
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

/// Everything the child needs, prepared before `clone`.
pub struct Setup {
    pub(super) executable: CString,
    pub(super) executable_file: i32,
    pub(super) argv: Vector,
    pub(super) env: Vector,
    pub(super) directory: i32,
    pub(super) directory_path: CString,
    pub(super) mount_options: CString,
    pub(super) private_directory: bool,
    pub(super) moved: bool,
    /// (ours, number there)
    pub(super) descriptors: Vec<(i32, i32)>,
    pub(super) error: i32,
    pub(super) go: i32,
    pub(super) report: Option<i32>,
    /// A socket, and how many clients' sockets are sent through it.
    pub(super) clients: Option<(i32, u32)>,
    pub(super) limits: Limits,
    pub(super) isolation: Isolation,
    pub(super) inside: Option<(u32, u32)>,
}

/// How a supervised run ended.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Report {
    /// `waitpid` status.
    pub status: i32,
    /// Peak resident set in KiB.
    pub max_rss_kib: i32,
    /// CPU time in microseconds.
    pub cpu_us: u64,
}

/// What went wrong, for messages.
pub(super) fn step_name(step: i32) -> &'static str {
    match step {
        1 => "setting up the user namespace",
        2 => "changing to the working directory",
        3 => "passing descriptors on",
        4 => "starting the executable",
        5 => "starting a process",
        6 => "setting up the file system",
        7 => "setting up a network",
        _ => "setting limits",
    }
}

/// Does it all; does not return.
///
/// # Safety
/// Called in a child made by `clone`, the only thread of its process.
pub unsafe fn run(setup: &mut Setup) -> ! {
    // SAFETY: system calls on prepared, valid memory, here and in the functions called.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let mut byte = 0u8;
        // Ends when the parent has written the maps and closed the pipe (or died). Our own copy of the writing end
        // is closed first.
        close_others(setup);
        libc::read(setup.go, (&raw mut byte).cast(), 1);
        volunteer_for_oom();
        become_user(setup);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setsid();
        enter_network(setup);
        enter_directory(setup);
        for &(from, to) in &setup.descriptors {
            if libc::dup2(from, to) < 0 {
                fail(setup, 3);
            }
        }
        set_limits(setup);
        if !setup.moved {
            libc::personality(libc::ADDR_NO_RANDOMIZE as u64);
        }
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        reset_signals();
        match setup.report {
            None => exec(setup),
            Some(fd) => supervise(setup, fd),
        }
    }
}

/// Tells the engine which step failed and why.
unsafe fn fail(setup: &Setup, step: i32) -> ! {
    // SAFETY: reads errno, writes eight bytes, ends.
    unsafe {
        let message = [step, *libc::__errno_location()];
        libc::write(setup.error, message.as_ptr().cast(), 8);
        libc::_exit(127)
    }
}

/// Closes every descriptor of the engine's that is not needed here.
unsafe fn close_others(setup: &Setup) {
    let needed = |fd: u32| {
        let fd = fd as i32;
        fd == setup.error
            || fd == setup.go
            || fd == setup.directory
            || fd == setup.executable_file
            || Some(fd) == setup.report
            || setup.clients.is_some_and(|(channel, _)| fd == channel)
            || setup.descriptors.iter().any(|d| d.0 == fd)
    };
    let mut low = 3u32;
    // Needed ones are all at least 256 (see `sys::high`) and few; the numbers between are closed in ranges.
    // SAFETY: system calls on numbers.
    unsafe {
        let top = setup.descriptors.iter().map(|d| d.0).chain([
            setup.error,
            setup.go,
            setup.directory,
            setup.executable_file,
        ]);
        let top = top.chain(setup.report).chain(setup.clients.map(|c| c.0)).max().unwrap_or(3) as u32;
        for fd in 3..=top {
            if needed(fd) {
                if fd > low {
                    libc::syscall(libc::SYS_close_range, low, fd - 1, 0);
                }
                low = fd + 1;
            }
        }
        libc::syscall(libc::SYS_close_range, low, u32::MAX, 0);
    }
}

unsafe fn become_user(setup: &Setup) {
    let Some((user, group)) = setup.inside else { return };
    // SAFETY: system calls on numbers.
    unsafe {
        if setup.isolation.owner().is_some() && libc::syscall(libc::SYS_setgroups, 0, null::<u32>()) != 0 {
            fail(setup, 1);
        }
        // The raw calls: the C library's would tell other threads, of which the child has none.
        if libc::syscall(libc::SYS_setresgid, group, group, group) != 0
            || libc::syscall(libc::SYS_setresuid, user, user, user) != 0
        {
            fail(setup, 1);
        }
    }
}

/// Makes the new network usable, and the engine's sockets in it.
unsafe fn enter_network(setup: &Setup) {
    let Some((channel, _)) = setup.clients else { return };
    // SAFETY: as in `run`.
    unsafe {
        let is_up = !setup.isolation.has_namespace() || network::bring_up();
        if !is_up || !network::hand_over(setup) {
            fail(setup, 7);
        }
        libc::close(channel);
    }
}

/// Working directory; with a mount namespace, a file system of limited size over it.
unsafe fn enter_directory(setup: &Setup) {
    // SAFETY: system calls on prepared C strings and numbers.
    unsafe {
        if setup.isolation == Isolation::User && setup.private_directory {
            let slave = libc::MS_REC | libc::MS_SLAVE;
            if libc::mount(null(), c"/".as_ptr(), null(), slave, null()) != 0 {
                fail(setup, 6);
            }
            let flags = libc::MS_NOSUID | libc::MS_NODEV;
            let data = setup.mount_options.as_ptr().cast();
            if libc::mount(c"tmpfs".as_ptr(), setup.directory_path.as_ptr(), c"tmpfs".as_ptr(), flags, data)
                != 0
            {
                fail(setup, 6);
            }
            if libc::chdir(setup.directory_path.as_ptr()) != 0 {
                fail(setup, 2);
            }
        } else if libc::fchdir(setup.directory) != 0 {
            fail(setup, 2);
        }
        if setup.isolation == Isolation::User {
            drop_capabilities();
        }
    }
}

/// Privileges inside the namespace, too, are none of the program's business.
unsafe fn drop_capabilities() {
    for capability in 0..64 {
        // SAFETY: a call on numbers; unknown ones are refused.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
}

/// When the machine runs out of memory, these processes are the ones to go.
unsafe fn volunteer_for_oom() {
    // SAFETY: writes to a file of this process.
    unsafe {
        let fd = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd >= 0 {
            libc::write(fd, c"1000".as_ptr().cast(), 4);
            libc::close(fd);
        }
    }
}

unsafe fn set_limits(setup: &Setup) {
    let l = &setup.limits;
    let mut all = [
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, l.file_size),
        (libc::RLIMIT_NOFILE, l.descriptors),
        (libc::RLIMIT_MEMLOCK, 64 << 10),
        (libc::RLIMIT_MSGQUEUE, 64 << 10),
        // Last: without a namespace it would count all processes of the user.
        (libc::RLIMIT_NPROC, l.processes + 2),
    ];
    let n = if setup.inside.is_some() { all.len() } else { all.len() - 1 };
    for (what, value) in &mut all[..n] {
        // SAFETY: valid records.
        unsafe {
            let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::getrlimit(*what, &raw mut old);
            let value = (*value).min(old.rlim_max);
            let new = libc::rlimit { rlim_cur: value, rlim_max: value };
            libc::setrlimit(*what, &raw const new);
        }
    }
}

/// Signals as a shell would leave them: Rust ignores SIGPIPE, and the engine may block some.
unsafe fn reset_signals() {
    // SAFETY: valid records; zero is the empty set.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let empty: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const empty, null_mut());
    }
}

unsafe fn exec(setup: &Setup) -> ! {
    // SAFETY: prepared, null-terminated vectors.
    unsafe {
        let (argv, env) = (setup.argv.pointers.as_ptr(), setup.env.pointers.as_ptr());
        // Only what was handed over stays open. The error pipe closes itself.
        libc::fcntl(setup.error, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::execve(setup.executable.as_ptr(), argv, env);
        if *libc::__errno_location() == libc::EACCES {
            // The way there may be closed to this user although the file itself is not.
            let empty: &CStr = c"";
            libc::syscall(
                libc::SYS_execveat,
                setup.executable_file,
                empty.as_ptr(),
                argv,
                env,
                libc::AT_EMPTY_PATH,
            );
        }
        fail(setup, 4)
    }
}

/// Starts the program as a child, waits for it, ends what is left, reports.
unsafe fn supervise(setup: &Setup, report: i32) -> ! {
    // SAFETY: system calls on valid records.
    unsafe {
        if !setup.isolation.has_namespace() {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        }
        let pid = libc::syscall(libc::SYS_clone, i64::from(libc::SIGCHLD), 0, 0, 0, 0) as i32;
        if pid < 0 {
            fail(setup, 5);
        }
        if pid == 0 {
            libc::setsid();
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::close(report);
            exec(setup);
        }
        // The program has its copies.
        libc::close(setup.error);
        for &(from, to) in &setup.descriptors {
            libc::close(from);
            libc::close(to);
        }
        let mut status = 0;
        let mut usage: libc::rusage = std::mem::zeroed();
        while libc::wait4(pid, &raw mut status, libc::__WALL, &raw mut usage) == -1
            && *libc::__errno_location() == libc::EINTR
        {}
        let us = |t: libc::timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
        let r = Report {
            status,
            max_rss_kib: usage.ru_maxrss.clamp(0, i32::MAX as i64) as i32,
            cpu_us: us(usage.ru_utime) + us(usage.ru_stime),
        };
        if setup.isolation.has_namespace() {
            libc::kill(-1, libc::SIGKILL);
        } else {
            libc::kill(-pid, libc::SIGKILL);
        }
        libc::write(report, (&raw const r).cast(), size_of::<Report>());
        libc::_exit(0)
    }
}
