//! Small safe wrappers over system calls that the standard library lacks.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Turns -1 into the system's error.
pub fn check<T: PartialOrd + From<i8>>(result: T) -> io::Result<T> {
    if result < T::from(0) { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// An anonymous file of `len` bytes in memory. Sealed: nobody can change its length.
pub fn sealed_memory(name: &CStr, len: u64) -> io::Result<File> {
    let file = memory_file(name, libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)?;
    file.set_len(len)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: a call about a descriptor of ours.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) })?;
    Ok(file)
}

/// An anonymous, empty file in memory, closed on exec.
pub fn memory(name: &CStr) -> io::Result<File> {
    memory_file(name, libc::MFD_CLOEXEC)
}

fn memory_file(name: &CStr, flags: libc::c_uint) -> io::Result<File> {
    // SAFETY: a valid C string; the descriptor returned is new.
    unsafe { Ok(File::from_raw_fd(check(libc::memfd_create(name.as_ptr(), flags))?)) }
}

/// The path of what a descriptor of ours refers to, whatever has its name.
pub fn through_proc(fd: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

/// Whether the file system of what `fd` refers to is mounted in this process's own namespace.
pub fn is_mounted_here(fd: BorrowedFd<'_>) -> io::Result<bool> {
    let device = rustix::fs::fstat(fd)?.st_dev;
    let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    Ok(mounts.lines().any(|line| line.split(' ').nth(2) == Some(&device)))
}

/// The same file opened anew for reading: a position and flags of its own.
pub fn reopen_for_reading(file: &File) -> io::Result<File> {
    File::open(through_proc(file.as_fd()))
}

/// A duplicate with a number of at least 256, clear of the numbers that the server uses.
pub fn high(fd: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor returned is new.
    unsafe { Ok(OwnedFd::from_raw_fd(check(libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 256))?)) }
}

/// A connected pair of sockets that keep message boundaries.
pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: room for two descriptors, both new.
    unsafe {
        check(libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()))?;
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

/// Sends one message, with a descriptor if one is given.
pub fn send_with(socket: BorrowedFd<'_>, bytes: &[u8], fd: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = [0u64; 4];
    // SAFETY: an all-zero message is valid; it then points to the part and, with a descriptor, to the control buffer, which has
    // room for its header and one descriptor and is aligned for it.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        if let Some(fd) = fd {
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(4) as usize;
            let head = libc::CMSG_FIRSTHDR(&raw const message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(4) as usize;
            libc::CMSG_DATA(head).cast::<i32>().write_unaligned(fd.as_raw_fd());
        }
        check(libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL))?;
    }
    Ok(())
}

/// Makes messages on this socket tell the process that sent them.
pub fn tell_senders(socket: BorrowedFd<'_>) -> io::Result<()> {
    let on: libc::c_int = 1;
    let len = size_of_val(&on) as libc::socklen_t;
    // SAFETY: a valid option value of that length.
    check(unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PASSCRED, (&raw const on).cast(), len)
    })?;
    Ok(())
}

/// Receives one message: its length, and the process that sent it, as this process sees it.
pub fn receive(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<(usize, Option<i32>)> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // Room for the sender and no descriptors.
    let mut control = [0u64; 4];
    // SAFETY: an all-zero message is valid; it then points to the part and a control buffer of that length, aligned for headers;
    // what is read of the buffer is inside what the kernel says it wrote.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control);
        let n = check(libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC))?;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        let told = !head.is_null()
            && (*head).cmsg_level == libc::SOL_SOCKET
            && (*head).cmsg_type == libc::SCM_CREDENTIALS;
        let pid = told.then(|| libc::CMSG_DATA(head).cast::<libc::ucred>().read_unaligned().pid);
        Ok((n as usize, pid.filter(|&pid| pid > 0)))
    }
}

/// A pipe: reading end, writing end.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: room for two descriptors, both new.
    unsafe {
        check(libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC))?;
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

/// Waits until `fd` can be read or was closed by the other side; false after `timeout`.
pub fn wait_readable(fd: BorrowedFd<'_>, timeout: Duration) -> io::Result<bool> {
    let mut p = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let ms = timeout.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32;
    // SAFETY: one valid record.
    match check(unsafe { libc::poll(&raw mut p, 1, ms) }) {
        Ok(n) => Ok(n > 0),
        Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(e) => Err(e),
    }
}

/// A descriptor that refers to process `pid` for good.
pub fn process_descriptor(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor returned is new.
    unsafe { Ok(OwnedFd::from_raw_fd(check(libc::syscall(libc::SYS_pidfd_open, pid, 0))? as i32)) }
}

/// Kills the process that the descriptor refers to; one that is gone is no error.
pub fn kill(process: BorrowedFd<'_>) {
    signal(process, libc::SIGKILL);
}

/// Kills the processes of this group; none is no error.
pub fn kill_process_group(group: i32) {
    // SAFETY: sends a signal; no memory involved.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Sends a signal to the process that the descriptor refers to; one that is gone is no error.
pub fn signal(process: BorrowedFd<'_>, signal: i32) {
    // SAFETY: sends a signal; no memory involved.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), signal, 0, 0) };
}

/// Waits for our child `pid` to end and reaps it; its `waitpid` status.
pub fn reap(pid: i32) -> io::Result<i32> {
    let mut status = 0;
    loop {
        // SAFETY: a valid place for the status.
        match check(unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) }) {
            Ok(_) => return Ok(status),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Waits until our child `pid` has ended, without reaping it.
pub fn wait_ended(pid: i32) -> io::Result<()> {
    loop {
        // SAFETY: an all-zero record is valid, and a place for what is told.
        let done = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOWAIT | libc::__WALL;
            check(libc::waitid(libc::P_PID, pid as libc::id_t, &raw mut info, flags))
        };
        match done {
            Ok(_) => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Reaps our child `pid`: its `waitpid` status, and the CPU time of it and of all that it had waited for.
pub fn reap_with_usage(pid: i32) -> io::Result<(i32, Duration)> {
    let mut status = 0;
    loop {
        // SAFETY: an all-zero record is valid; valid places for status and usage.
        let (done, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (check(libc::wait4(pid, &raw mut status, libc::__WALL, &raw mut usage)), usage)
        };
        let of = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
        match done {
            Ok(_) => return Ok((status, of(usage.ru_utime) + of(usage.ru_stime))),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// User and group of this process that decide about files.
pub fn effective_ids() -> (u32, u32) {
    // SAFETY: asks for numbers.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// CPU time of the calling thread so far.
pub fn thread_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the time; the clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The CPU that the calling thread runs on.
pub fn current_cpu() -> Option<u32> {
    // SAFETY: asks for a number.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}
