//! Sockets of programs that accept connections (see [`crate::sockets`]): `bind` without a network, `listen`, `accept`, and
//! the addresses that a socket of the kind asked for would have. Without connections in the input, and on sockets that have
//! nothing to do with them, each call is the function itself.

use super::args::{Args, give_concrete};
use crate::libc::{self, c_int, c_void};
use crate::net::*;
use crate::sys::Message;
use crate::{event, files, shadow, sockets, sys};
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use trace_abi::Reason;

/// Port of a socket that was bound to any.
const FIRST_PORT: u16 = 20_000;
/// Port of the first client.
const FIRST_CLIENT: u16 = 50_000;

/// A socket that the program bound, and where to.
struct Bound {
    device: AtomicU64,
    inode: AtomicU64,
    len: AtomicU32,
    address: [AtomicU8; 128],
    listens: AtomicU32,
}

const MOST: usize = 16;
static BOUND: [Bound; MOST] = [const {
    Bound {
        device: AtomicU64::new(0),
        inode: AtomicU64::new(0),
        len: AtomicU32::new(0),
        address: [const { AtomicU8::new(0) }; 128],
        listens: AtomicU32::new(0),
    }
}; MOST];
static N_BOUND: AtomicU32 = AtomicU32::new(0);
/// Place in the table of the socket that has the clients.
static SERVED: AtomicU32 = AtomicU32::new(0);

/// A run begins.
pub fn reset() {
    N_BOUND.store(0, Relaxed);
}

impl Bound {
    fn set_identity(&self, (device, inode): (u64, u64)) {
        self.device.store(device, Relaxed);
        self.inode.store(inode, Relaxed);
    }

    fn address(&self) -> Address {
        let mut bytes = [0; 128];
        bytes.iter_mut().zip(&self.address).for_each(|(to, from)| *to = from.load(Relaxed));
        Address { bytes, len: (self.len.load(Relaxed) as usize).min(128) }
    }

    fn set_address(&self, address: &Address) {
        self.address.iter().zip(address.bytes).for_each(|(to, from)| to.store(from, Relaxed));
        self.len.store(address.len as u32, Relaxed);
    }
}

/// A new entry of the table, for the socket `fd`.
fn note(fd: c_int, address: &Address) -> Option<&'static Bound> {
    let k = N_BOUND.load(Relaxed) as usize;
    let (bound, identity) = (BOUND.get(k)?, files::identity(fd)?);
    bound.set_identity(identity);
    bound.set_address(address);
    bound.listens.store(0, Relaxed);
    N_BOUND.store(k as u32 + 1, Relaxed);
    Some(bound)
}

fn find(fd: c_int) -> Option<(usize, &'static Bound)> {
    let n = (N_BOUND.load(Relaxed) as usize).min(MOST);
    if n == 0 {
        return None;
    }
    let identity = files::identity(fd)?;
    let is_it = |b: &Bound| (b.device.load(Relaxed), b.inode.load(Relaxed)) == identity;
    let k = BOUND[..n].iter().position(is_it)?;
    Some((k, &BOUND[k]))
}

fn listens(fd: c_int) -> Option<usize> {
    find(fd).filter(|(_, b)| b.listens.load(Relaxed) != 0).map(|(k, _)| k)
}

/// Device and inode of the socket that has the clients.
pub fn served() -> (u64, u64) {
    let bound = &BOUND[SERVED.load(Relaxed) as usize % MOST];
    (bound.device.load(Relaxed), bound.inode.load(Relaxed))
}

/// Another socket has them.
pub fn set_served(identity: (u64, u64)) {
    BOUND[SERVED.load(Relaxed) as usize % MOST].set_identity(identity);
}

/// The address of a socket, as the kernel has it.
#[derive(Clone, Copy)]
struct Address {
    bytes: [u8; 128],
    len: usize,
}

impl Address {
    /// # Safety
    /// `from` has `len` bytes.
    unsafe fn read(from: *const u8, len: u32) -> Address {
        let mut bytes = [0; 128];
        let len = (len as usize).min(128);
        // SAFETY: as the caller promises.
        unsafe { core::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), len) };
        Address { bytes, len }
    }

    /// None yet, of this family.
    fn any(family: u8) -> Address {
        let len = match family {
            AF_INET => 16,
            AF_INET6 => 28,
            _ => 2,
        };
        let mut bytes = [0; 128];
        bytes[0] = family;
        Address { bytes, len }
    }

    fn family(&self) -> u8 {
        self.bytes[0]
    }

    fn port(&self) -> u16 {
        u16::from_be_bytes([self.bytes[2], self.bytes[3]])
    }

    fn set_port(&mut self, port: u16) {
        self.bytes[2..4].copy_from_slice(&port.to_be_bytes());
    }

    /// This machine in place of any.
    fn or_local(mut self) -> Address {
        match self.family() {
            AF_INET if self.bytes[4..8] == [0; 4] => self.bytes[4..8].copy_from_slice(&[127, 0, 0, 1]),
            AF_INET6 if self.bytes[8..24] == [0; 16] => self.bytes[23] = 1,
            _ => {}
        }
        self
    }

    /// The address of client `k` of a socket bound to this one.
    fn of_client(&self, k: usize) -> Address {
        let mut client = Address::any(self.family());
        if matches!(self.family(), AF_INET | AF_INET6) {
            client.set_port(FIRST_CLIENT + k as u16);
        }
        client.or_local()
    }

    /// Gives it to the program.
    ///
    /// # Safety
    /// As for `getsockname`: null, or `*len` bytes of room.
    unsafe fn give(&self, to: *mut u8, len: *mut u32) {
        if to.is_null() || len.is_null() {
            return;
        }
        // SAFETY: as the caller promises.
        unsafe {
            let n = self.len.min(*len as usize);
            core::ptr::copy_nonoverlapping(self.bytes.as_ptr(), to, n);
            *len = self.len as u32;
            shadow::clear(to as usize, n);
            shadow::clear(len as usize, 4);
        }
    }
}

/// A number that the socket is, by name.
fn option(fd: c_int, name: c_int) -> c_int {
    let (mut value, mut len) = (0 as c_int, 4u32);
    let errno = libc::errno();
    // SAFETY: a valid place of four bytes.
    unsafe { getsockopt(fd, SOL_SOCKET, name, (&raw mut value).cast(), &raw mut len) };
    libc::set_errno(errno);
    value
}

fn fail(errno: c_int) -> c_int {
    libc::set_errno(errno);
    -1
}

/// Model of `bind`: with connections in the input, no port of the machine is taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_bind(fd: c_int, address: *const u8, len: u32) -> c_int {
    give_concrete();
    // SAFETY: as called by the program.
    unsafe {
        if !sockets::are_given() || address.is_null() || len < 2 {
            return bind(fd, address, len);
        }
        let mut wanted = Address::read(address, len);
        match wanted.family() {
            AF_INET | AF_INET6 => {
                if find(fd).is_some() {
                    return fail(EINVAL);
                }
                if wanted.port() == 0 {
                    wanted.set_port(FIRST_PORT + N_BOUND.load(Relaxed) as u16);
                }
                note(fd, &wanted);
                0
            }
            _ => {
                let r = bind(fd, address, len);
                // A run before this one left its name.
                let is_taken = r < 0 && libc::errno() == EADDRINUSE;
                if r == 0 || is_taken {
                    note(fd, &wanted);
                    return 0;
                }
                r
            }
        }
    }
}

/// Model of `listen`: the clients come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_listen(fd: c_int, backlog: c_int) -> c_int {
    give_concrete();
    if !sockets::are_given() || option(fd, SO_TYPE) != SOCK_STREAM {
        // SAFETY: as called by the program.
        return unsafe { listen(fd, backlog) };
    }
    if listens(fd).is_some() {
        return 0;
    }
    let was_served = sockets::are_served();
    let there = find(fd).map(|(_, b)| b).or_else(|| {
        let mut address = Address::any(option(fd, SO_DOMAIN) as u8);
        address.set_port(FIRST_PORT + N_BOUND.load(Relaxed) as u16);
        note(fd, &address)
    });
    let served = there.filter(|_| sockets::serve(fd, backlog)).zip(files::identity(fd));
    let Some((bound, identity)) = served else {
        // SAFETY: as called by the program.
        return unsafe { listen(fd, backlog) };
    };
    bound.set_identity(identity);
    bound.listens.store(1, Relaxed);
    if !was_served {
        SERVED.store(find(fd).map_or(0, |(k, _)| k as u32), Relaxed);
    }
    0
}

/// `accept` on any socket.
///
/// # Safety
/// As for `accept4`.
unsafe fn accept(fd: c_int, address: *mut u8, len: *mut u32, flags: c_int) -> c_int {
    give_concrete();
    // SAFETY: as the caller promises.
    unsafe {
        let Some(at) = listens(fd).filter(|_| sockets::are_served()) else {
            let r = accept4(fd, address, len, flags);
            if r >= 0 && !address.is_null() && !len.is_null() {
                shadow::clear(address as usize, *len as usize);
                shadow::clear(len as usize, 4);
            }
            return r;
        };
        sockets::attend(false);
        if !sockets::is_ready(fd) {
            let waits = !sockets::is_nonblocking(fd);
            let gives_up = || sockets::await_others(|| sockets::is_ready(fd).into()) == 0;
            if (waits || sockets::found_nothing(0)) && gives_up() {
                sockets::end();
            }
        }
        let r = accept4(fd, core::ptr::null_mut(), core::ptr::null_mut(), flags);
        if r >= 0
            && at == SERVED.load(Relaxed) as usize
            && let Some(k) = sockets::accepted(r)
        {
            BOUND[at].address().of_client(k).give(address, len);
        }
        r
    }
}

/// Model of `accept`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_accept(fd: c_int, address: *mut u8, len: *mut u32) -> c_int {
    // SAFETY: as called by the program.
    unsafe { accept(fd, address, len, 0) }
}

/// Model of `accept4`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_accept4(fd: c_int, address: *mut u8, len: *mut u32, flags: c_int) -> c_int {
    // SAFETY: as called by the program.
    unsafe { accept(fd, address, len, flags) }
}

/// Where the program thinks that a socket of its own is; with `peer`, who is at its other end.
fn pretended(fd: c_int, peer: bool) -> Option<Address> {
    if !sockets::are_given() {
        return None;
    }
    if let Some(k) = sockets::connection(fd) {
        let ours = BOUND.get(SERVED.load(Relaxed) as usize)?.address();
        return Some(if peer { ours.of_client(k) } else { ours.or_local() });
    }
    find(fd).filter(|_| !peer).map(|(_, b)| b.address())
}

macro_rules! names {
    ($($model:ident = $real:ident, $peer:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(fd: c_int, address: *mut u8, len: *mut u32) -> c_int {
            give_concrete();
            // SAFETY: as called by the program; what the call wrote is made concrete.
            unsafe {
                if let Some(pretended) = pretended(fd, $peer) {
                    pretended.give(address, len);
                    return 0;
                }
                let r = $real(fd, address, len);
                if r == 0 {
                    shadow::clear(address as usize, (*len).min(128) as usize);
                    shadow::clear(len as usize, 4);
                }
                r
            }
        }
    )+};
}
names! {
    __spm_getsockname = getsockname, false;
    __spm_getpeername = getpeername, true;
}

/// Model of `setsockopt`: what a socket of the kind asked for has can be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_setsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const u8,
    len: u32,
) -> c_int {
    give_concrete();
    // SAFETY: as called by the program.
    let r = unsafe { setsockopt(fd, level, name, value, len) };
    if r < 0 && level != SOL_SOCKET && pretended(fd, false).is_some() { 0 } else { r }
}

/// Model of `getsockopt`: what a socket of the kind asked for has is there, and zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_getsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *mut u8,
    len: *mut u32,
) -> c_int {
    give_concrete();
    // SAFETY: as called by the program.
    unsafe {
        let mut r = getsockopt(fd, level, name, value, len);
        if let Some(address) = pretended(fd, false)
            && !value.is_null()
            && !len.is_null()
        {
            if r < 0 && level != SOL_SOCKET {
                value.write_bytes(0, *len as usize);
                r = 0;
            } else if r == 0 && level == SOL_SOCKET && name == SO_DOMAIN && *len == 4 {
                value.cast::<c_int>().write_unaligned(address.family().into());
            }
        }
        if r == 0 {
            shadow::clear(value as usize, *len as usize);
            shadow::clear(len as usize, 4);
        }
        r
    }
}

fn pin_count(args: &Args, k: usize, n: usize) {
    event::pin(args.label(k), n as u64, Reason::Size, 0);
}

macro_rules! sends {
    ($($model:ident = $real:ident($($arg:ident: $ty:ty),*);)+) => {$(
        /// Model of the function of that name: what is sent leaves the program.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(fd: c_int, from: *const c_void, n: usize, $($arg: $ty),*) -> isize {
            pin_count(&Args::take($model as *const () as usize), 2, n);
            let allowed = sockets::room(fd, n);
            // SAFETY: as called by the program.
            let r = unsafe { $real(fd, from, allowed, $($arg),*) };
            give_concrete();
            sockets::written(n, allowed, r)
        }
    )+};
}
sends! {
    __spm_send = send(flags: c_int);
    __spm_sendto = sendto(flags: c_int, to: *const u8, len: u32);
}

/// Model of `sendmsg`: what is sent leaves the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_sendmsg(fd: c_int, message: *const Message, flags: c_int) -> isize {
    give_concrete();
    sockets::attend(false);
    // SAFETY: as called by the program.
    unsafe { sendmsg(fd, message, flags) }
}

/// Model of `close`: how much of a connection was read is remembered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_close(fd: c_int) -> c_int {
    if sockets::are_served() {
        sockets::closes(fd);
    }
    // SAFETY: as called by the program.
    let r = unsafe { libc::close(fd) };
    give_concrete();
    r
}

/// Model of `daemon`: with connections in the input, the program stays where it is seen.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_daemon(stays: c_int, keeps: c_int) -> c_int {
    give_concrete();
    if sockets::are_given() {
        // SAFETY: a call on nothing.
        unsafe { sys::setsid() };
        return 0;
    }
    // SAFETY: as called by the program.
    unsafe { daemon(stays, keeps) }
}
