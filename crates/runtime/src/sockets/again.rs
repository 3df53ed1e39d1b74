//! Connections of a run that goes on from a frozen one ([`crate::snapshot`]).
//!
//! A fork shares its sockets with its parent, and what it reads is gone for all. So each run from there gets sockets of its
//! own in their place: a connection of which the program had read so many bytes, with what this run's input has from there
//! on; a listening socket to which the clients have connected that were not accepted yet; and sets of `epoll`, which know
//! sockets and not numbers, made anew.

use super::{CLIENTS, LOW, attend, clients, listening, offset_of, put, take_objects};
use crate::libc::{self, c_char, c_int};
use crate::models::socket;
use crate::net::{SOCK_STREAM, dup3, epoll_create1, epoll_ctl};
use crate::{files, sys};
use core::sync::atomic::Ordering::Relaxed;
use trace_abi::MAX_CONNECTIONS;

/// Where one client was when the run froze.
#[derive(Clone, Copy)]
enum Stand {
    /// Its connection was not accepted.
    Waiting,
    /// So much of it was read.
    Read(u64),
    /// The program has closed it.
    Closed,
}

/// Gives this run its own sockets.
pub fn go_on() {
    let errno = libc::errno();
    let before = clients().len();
    let mut sets = [Set::EMPTY; MAX_SETS];
    for (set, fd) in sets.iter_mut().zip((0..LOW).filter(|&fd| is_epoll(fd))) {
        set.read(fd);
    }
    let mut stands = [Stand::Waiting; MAX_CONNECTIONS];
    for (stand, client) in stands.iter_mut().zip(clients()) {
        if client.accepted() != (0, 0) {
            let read = open_on(client.accepted()).find_map(|fd| offset_of(client.object.load(Relaxed), fd));
            *stand = read.map_or(Stand::Closed, Stand::Read);
        }
    }
    take_objects();
    for (k, stand) in stands.iter().enumerate() {
        let client = &CLIENTS[k];
        client.is_done.store(false, Relaxed);
        client.sent.store(0, Relaxed);
        match *stand {
            // Those that this run has not.
            _ if k >= clients().len() => client.forget(),
            Stand::Waiting => client.set_accepted((0, 0)),
            Stand::Read(n) => client.resume(n),
            Stand::Closed => {
                client.hold(-1);
                client.is_done.store(true, Relaxed);
            }
        }
    }
    let accepted = stands[..before].iter().filter(|s| !matches!(s, Stand::Waiting)).count();
    listen_again(accepted);
    sets.iter().for_each(Set::renew);
    attend(false);
    libc::set_errno(errno);
}

/// The program's descriptors that are open on this socket.
fn open_on(identity: (u64, u64)) -> impl Iterator<Item = c_int> {
    (0..LOW).filter(move |&fd| files::identity(fd) == Some(identity))
}

/// Puts `ours` in the place of all descriptors of the program that are open on this socket; its own identity.
fn replace(identity: (u64, u64), ours: c_int) -> Option<(u64, u64)> {
    let new = files::identity(ours);
    for fd in open_on(identity) {
        // SAFETY: a duplicate for each place.
        put(unsafe { sys::fcntl(ours, sys::F_DUPFD, 0) }, fd);
    }
    // SAFETY: our own descriptor.
    unsafe { libc::close(ours) };
    new
}

impl super::Client {
    /// A new connection in the place of the one of which `n` bytes were read.
    fn resume(&self, n: u64) {
        let mut ends = [-1; 2];
        // SAFETY: room for two descriptors.
        let failed =
            unsafe { sys::socketpair(sys::AF_UNIX, SOCK_STREAM | libc::O_CLOEXEC, 0, ends.as_mut_ptr()) };
        if failed != 0 || !self.take(ends[0]) {
            return;
        }
        let sent = (n as usize).min(self.len.load(Relaxed));
        self.sent.store(sent, Relaxed);
        if let Some(identity) = replace(self.accepted(), ends[1]) {
            self.set_accepted(identity);
        }
    }
}

/// A new listening socket, to which the clients after the first `accepted` have connected.
fn listen_again(accepted: usize) {
    let Some(waiting) = clients().get(accepted..).filter(|w| !w.is_empty()) else { return };
    if let Some(ours) = listening(MAX_CONNECTIONS as c_int, waiting)
        && let Some(identity) = replace(socket::served(), ours)
    {
        socket::set_served(identity);
    }
}

/// `/proc/self/NAME/FD`, which ends with a NUL.
fn path_of(name: &[u8], fd: c_int) -> [u8; 40] {
    let mut path = [0u8; 40];
    let mut at = 0;
    let mut digits = [0u8; 3];
    let (mut n, mut from) = (fd.clamp(0, 999), digits.len());
    loop {
        from -= 1;
        digits[from] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    for part in [&b"/proc/self/"[..], name, b"/", &digits[from..]] {
        path[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    path
}

fn is_epoll(fd: c_int) -> bool {
    const WHAT: &[u8] = b"anon_inode:[eventpoll]";
    let mut target = [0u8; 64];
    let path = path_of(b"fd", fd);
    // SAFETY: a C string; a buffer of ours.
    let n =
        unsafe { sys::readlink(path.as_ptr().cast(), target.as_mut_ptr().cast::<c_char>(), target.len()) };
    n > 0 && &target[..n as usize] == WHAT
}

/// Most sets of a program that are made anew.
const MAX_SETS: usize = 4;
/// Most members of each.
const MAX_MEMBERS: usize = 64;

/// A set of `epoll`: descriptor, events and data of each member.
#[derive(Clone, Copy)]
struct Set {
    fd: c_int,
    members: [[u64; 3]; MAX_MEMBERS],
    n: usize,
}

impl Set {
    const EMPTY: Set = Set { fd: -1, members: [[0; 3]; MAX_MEMBERS], n: 0 };

    /// Reads the members of `fd`. Before their sockets are replaced: then they are none.
    fn read(&mut self, fd: c_int) {
        let mut text = [0u8; 8 << 10];
        let path = path_of(b"fdinfo", fd);
        // SAFETY: a C string; a buffer and a descriptor of ours.
        let n = unsafe {
            let info = libc::open(path.as_ptr().cast(), sys::O_RDONLY | libc::O_CLOEXEC);
            let n = libc::read(info, text.as_mut_ptr().cast(), text.len());
            libc::close(info);
            n.max(0) as usize
        };
        self.fd = fd;
        let members = text[..n].split(|&c| c == b'\n').filter_map(member_of);
        for (to, member) in self.members.iter_mut().zip(members) {
            *to = member;
            self.n += 1;
        }
    }

    /// Puts a new set with the same members in its place.
    fn renew(&self) {
        const ADD: c_int = 1;
        if self.fd < 0 {
            return;
        }
        // SAFETY: descriptors of ours and the program's; an event's record has twelve bytes.
        unsafe {
            let new = epoll_create1(libc::O_CLOEXEC);
            for &[member, events, data] in &self.members[..self.n] {
                let mut event = [0u8; 12];
                event[..4].copy_from_slice(&(events as u32).to_le_bytes());
                event[4..].copy_from_slice(&data.to_le_bytes());
                epoll_ctl(new, ADD, member as c_int, event.as_mut_ptr().cast());
            }
            let on_exec = if sys::fcntl(self.fd, sys::F_GETFD) & 1 != 0 { libc::O_CLOEXEC } else { 0 };
            dup3(new, self.fd, on_exec);
            libc::close(new);
        }
    }
}

/// Descriptor, events and data in a line `tfd:        5 events:       19 data:                5  pos:…`.
fn member_of(line: &[u8]) -> Option<[u64; 3]> {
    let mut words = line.split(|&c| c == b' ').filter(|w| !w.is_empty());
    let mut field = |name: &[u8], base: u64| {
        let word = words.next().filter(|w| *w == name).and_then(|_| words.next())?;
        word.iter().try_fold(0u64, |n, &c| {
            let digit = (c as char).to_digit(base as u32)?;
            n.checked_mul(base)?.checked_add(digit.into())
        })
    };
    Some([field(b"tfd:", 10)?, field(b"events:", 16)?, field(b"data:", 16)?])
}
