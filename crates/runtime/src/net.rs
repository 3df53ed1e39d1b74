//! The socket side of the C library: what [`crate::sockets`] and its models call.

#![expect(missing_docs, reason = "C library functions and constants under their own names")]

use crate::libc::{c_int, c_void};
use crate::sys::{Message, PollFd, TimeSpec};

pub const AF_INET: u8 = 2;
pub const AF_INET6: u8 = 10;
pub const SOCK_STREAM: c_int = 1;
pub const SOL_SOCKET: c_int = 1;
pub const SO_TYPE: c_int = 3;
pub const SO_SNDBUF: c_int = 7;
pub const SO_RCVLOWAT: c_int = 18;
pub const SO_RCVTIMEO: c_int = 20;
pub const SO_SNDTIMEO: c_int = 21;
pub const SO_DOMAIN: c_int = 39;
pub const MSG_PEEK: c_int = 2;
pub const MSG_DONTWAIT: c_int = 0x40;
pub const MSG_WAITALL: c_int = 0x100;
pub const MSG_NOSIGNAL: c_int = 0x4000;
pub const SHUT_WR: c_int = 1;
/// Bytes that a socket has received and nobody read.
pub const FIONREAD: u64 = 0x541b;
/// Memory of what was sent and nobody read.
pub const TIOCOUTQ: u64 = 0x5411;
pub const POLLHUP: i16 = 0x10;
pub const F_DUPFD_CLOEXEC: c_int = 1030;
pub const F_SETFL: c_int = 4;
pub const EINVAL: c_int = 22;
pub const EADDRINUSE: c_int = 98;

unsafe extern "C" {
    pub fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    pub fn bind(fd: c_int, address: *const u8, len: u32) -> c_int;
    pub fn listen(fd: c_int, backlog: c_int) -> c_int;
    pub fn connect(fd: c_int, address: *const u8, len: u32) -> c_int;
    pub fn accept4(fd: c_int, address: *mut u8, len: *mut u32, flags: c_int) -> c_int;
    pub fn getsockname(fd: c_int, address: *mut u8, len: *mut u32) -> c_int;
    pub fn getpeername(fd: c_int, address: *mut u8, len: *mut u32) -> c_int;
    pub fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut u8, len: *mut u32) -> c_int;
    pub fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const u8, len: u32) -> c_int;
    pub fn shutdown(fd: c_int, how: c_int) -> c_int;
    pub fn send(fd: c_int, from: *const c_void, n: usize, flags: c_int) -> isize;
    pub fn sendto(fd: c_int, from: *const c_void, n: usize, flags: c_int, to: *const u8, len: u32) -> isize;
    pub fn sendmsg(fd: c_int, message: *const Message, flags: c_int) -> isize;
    pub fn recv(fd: c_int, to: *mut c_void, n: usize, flags: c_int) -> isize;
    pub fn recvfrom(
        fd: c_int,
        to: *mut c_void,
        n: usize,
        flags: c_int,
        whom: *mut u8,
        len: *mut u32,
    ) -> isize;
    pub fn ioctl(fd: c_int, request: u64, ...) -> c_int;
    pub fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int;
    pub fn daemon(stays: c_int, keeps: c_int) -> c_int;
    pub fn ppoll(fds: *mut PollFd, n: u64, limit: *const TimeSpec, mask: *const c_void) -> c_int;
    pub fn pselect(
        n: c_int,
        read: *mut u64,
        write: *mut u64,
        except: *mut u64,
        limit: *const TimeSpec,
        mask: *const c_void,
    ) -> c_int;
    pub fn epoll_create1(flags: c_int) -> c_int;
    pub fn epoll_ctl(fd: c_int, what: c_int, member: c_int, event: *mut c_void) -> c_int;
    pub fn epoll_pwait(fd: c_int, events: *mut c_void, n: c_int, ms: c_int, mask: *const c_void) -> c_int;
}
