//! A network of its own for a program that accepts connections, and sockets in it for the engine.
//!
//! A socket belongs to the network in which it was made, whoever holds it: the process between engine and program makes the
//! clients' sockets and hands them over, and the engine connects them from where it is. Without namespaces they are of
//! the machine's own network.

use super::child::Setup;
use super::message;
use crate::sys;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Sockets for one connection: one of them is used.
pub struct Ends {
    /// Of the internet's, version 6 (which reaches version 4, too) where the machine has it.
    pub internet: OwnedFd,
    /// Whether it is version 6.
    pub is_v6: bool,
    /// Of the machine's own.
    pub local: OwnedFd,
}

/// Most connections: their sockets go in one message.
const MOST: usize = trace_abi::MAX_CONNECTIONS;

/// Brings up the loopback device of a new network. Does not matter in the machine's.
///
/// # Safety
/// Called in a child made by `clone`, before it gives up its privileges.
pub(super) unsafe fn bring_up() -> bool {
    // SAFETY: system calls on valid records.
    unsafe {
        let fd = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return false;
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let is_up = libc::ioctl(fd, libc::SIOCSIFFLAGS, &raw const request) == 0;
        libc::close(fd);
        is_up
    }
}

/// Makes the sockets and sends them; false if that cannot be.
///
/// # Safety
/// Called in a child made by `clone`: allocates nothing.
pub(super) unsafe fn hand_over(setup: &Setup) -> bool {
    let Some((channel, n)) = setup.clients else { return true };
    let n = (n as usize).min(MOST);
    let mut all = [-1; 2 * MOST];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: system calls on numbers.
    unsafe {
        let mut is_v6 = 1u8;
        for k in 0..n {
            let mut internet = libc::socket(libc::AF_INET6, kind, 0);
            if internet < 0 {
                internet = libc::socket(libc::AF_INET, kind, 0);
                is_v6 = 0;
            }
            all[2 * k] = internet;
            all[2 * k + 1] = libc::socket(libc::AF_UNIX, kind, 0);
        }
        let there = &all[..2 * n];
        let channel = BorrowedFd::borrow_raw(channel);
        let is_sent = there.iter().all(|&fd| fd >= 0) && message::send(channel, &[is_v6], there).is_ok();
        for &fd in there {
            libc::close(fd);
        }
        is_sent
    }
}

/// Receives what [`hand_over`] sent.
pub fn receive(channel: BorrowedFd<'_>) -> io::Result<Vec<Ends>> {
    let mut buffer = [0u8; 8];
    if !sys::wait_readable(channel, std::time::Duration::from_secs(5))? {
        return Err(io::ErrorKind::TimedOut.into());
    }
    let Some((_, sockets)) = message::receive(channel, &mut buffer)? else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let (mut all, mut ends) = (sockets.into_iter(), Vec::new());
    while let (Some(internet), Some(local)) = (all.next(), all.next()) {
        ends.push(Ends { internet, is_v6: buffer[0] == 1, local });
    }
    Ok(ends)
}
