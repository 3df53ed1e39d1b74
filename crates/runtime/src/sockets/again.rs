//! Connections of a run that goes on from a frozen one ([`crate::snapshot`]).
//!
//! A fork shares its sockets with its parent, and what it reads is gone for all. So each run from there gets sockets of its
//! own in their place: a connection on which the client says what this run's input has for it, which begins where the program had
//! read up to; a listening socket to which the clients have connected that were not accepted yet; and sets of `epoll`, which
//! know sockets and not numbers, made anew.
//!
//! Of a connection's state flags, time limits and least amounts are taken over, and whether the program has closed its sending side;
//! other options are not, nor that it has closed its receiving side. Pipes, socket pairs and connections of the program's own making stay shared.

use super::{
    BUFFER, CLIENTS, Client, LOW, UNKNOWN, attend, clients, listening, offset_of, put, take_objects,
};
use crate::libc::{self, c_char, c_int};
use crate::models::socket;
use crate::net::*;
use crate::{files, sys};
use core::sync::atomic::Ordering::Relaxed;
use trace_abi::{CONNECTION_CLOSED, MAX_CONNECTIONS};

/// Where one client was when the run froze, and how much of what it said in that run was read.
#[derive(Clone, Copy)]
enum Stand {
    /// Its connection was not accepted.
    Waiting,
    Open(u64),
    /// The program has closed it.
    Closed(u64),
}

/// The program's open descriptors: device and inode of each, looked at once.
struct Open([(u64, u64); LOW as usize]);

impl Open {
    fn look() -> Open {
        let mut all = [(0, 0); LOW as usize];
        for (fd, identity) in (0..).zip(&mut all) {
            *identity = files::identity(fd).unwrap_or_default();
        }
        Open(all)
    }

    /// Those that are.
    fn all(&self) -> impl Iterator<Item = c_int> {
        (0..).zip(&self.0).filter(|(_, identity)| **identity != (0, 0)).map(|(fd, _)| fd)
    }

    /// Those that are open on this socket.
    fn on(&self, wanted: (u64, u64)) -> impl Iterator<Item = c_int> {
        (0..).zip(&self.0).filter(move |(_, identity)| **identity == wanted).map(|(fd, _)| fd)
    }

    /// Where the client is.
    fn stand(&self, client: &Client) -> Stand {
        let accepted = client.accepted();
        if accepted == (0, 0) {
            return Stand::Waiting;
        }
        let object = client.object.load(Relaxed);
        let read = self.on(accepted).find_map(|fd| offset_of(object, fd));
        read.map_or_else(|| Stand::Closed(client.read_at_close()), Stand::Open)
    }
}

impl Client {
    /// How much was read of a connection that is closed; all, if that is not known.
    fn read_at_close(&self) -> u64 {
        let len = self.len.load(Relaxed) as u64;
        match self.read.load(Relaxed) {
            UNKNOWN => len,
            read => read.min(len),
        }
    }
}

/// Fills in how much of each connection was read, since the program's start.
pub fn tell(to: &mut [u64; MAX_CONNECTIONS]) {
    let errno = libc::errno();
    let open = Open::look();
    for (to, client) in to.iter_mut().zip(clients()) {
        let base = client.base.load(Relaxed);
        *to = match open.stand(client) {
            Stand::Waiting => 0,
            Stand::Open(read) => base + read,
            Stand::Closed(read) => (base + read) | CONNECTION_CLOSED,
        };
    }
    libc::set_errno(errno);
}

/// Gives this run its own sockets.
pub fn go_on() {
    let errno = libc::errno();
    let open = Open::look();
    let before = clients().len();
    let mut sets = [Set::EMPTY; MAX_SETS];
    for (set, fd) in sets.iter_mut().zip(open.all().filter(|&fd| is_epoll(fd))) {
        set.read(fd);
    }
    let mut stands = [Stand::Waiting; MAX_CONNECTIONS];
    for (stand, client) in stands.iter_mut().zip(clients()) {
        *stand = open.stand(client);
    }
    take_objects();
    let given = clients().len();
    for (k, (stand, client)) in stands[..before].iter().zip(&CLIENTS).enumerate() {
        client.begin_anew();
        match *stand {
            Stand::Waiting => client.set_accepted((0, 0)),
            Stand::Open(read) => {
                client.base.fetch_add(read, Relaxed);
                client.resume(&open);
            }
            Stand::Closed(read) => {
                client.base.fetch_add(read, Relaxed);
                client.hold(-1);
                client.read.store(0, Relaxed);
                client.is_done.store(true, Relaxed);
            }
        }
        if k >= given {
            // It is no input of this run: whoever reads it is at its end.
            client.forget();
        }
    }
    let accepted = stands[..before].iter().filter(|s| !matches!(s, Stand::Waiting)).count();
    listen_again(&open, accepted);
    sets.iter().for_each(Set::renew);
    super::IDLE.store(0, Relaxed);
    attend(false);
    libc::set_errno(errno);
}

/// Puts `ours` in the place of all descriptors of the program that are open on this socket; its own identity.
fn replace(open: &Open, identity: (u64, u64), ours: c_int) -> Option<(u64, u64)> {
    let new = files::identity(ours);
    for fd in open.on(identity) {
        // SAFETY: a duplicate for each place.
        put(unsafe { sys::fcntl(ours, sys::F_DUPFD, 0) }, fd);
    }
    // SAFETY: our own descriptor.
    unsafe { libc::close(ours) };
    new
}

impl Client {
    /// A new connection in the place of the one that is open.
    fn resume(&self, open: &Open) {
        let mut ends = [-1; 2];
        let is_silent = self.is_told_the_end();
        // SAFETY: room for two descriptors.
        let failed =
            unsafe { sys::socketpair(sys::AF_UNIX, SOCK_STREAM | libc::O_CLOEXEC, 0, ends.as_mut_ptr()) };
        if failed != 0 || !self.take(ends[0]) {
            return;
        }
        if let Some(old) = open.on(self.accepted()).next() {
            take_over(old, ends[1]);
        }
        if is_silent {
            // SAFETY: our own descriptor.
            unsafe { shutdown(ends[1], SHUT_WR) };
        }
        if let Some(identity) = replace(open, self.accepted(), ends[1]) {
            self.set_accepted(identity);
        }
    }

    /// Whether the program has closed its sending side: then there is no more to be read at this end, and never will be.
    fn is_told_the_end(&self) -> bool {
        let mut byte = 0u8;
        self.drop_answers();
        let fd = self.fd.load(Relaxed);
        // SAFETY: room for a byte, which stays where it is.
        unsafe { recv(fd, (&raw mut byte).cast(), 1, MSG_PEEK | MSG_DONTWAIT) == 0 }
    }
}

/// Gives a new socket what the old one was told and a read or a write depends on.
fn take_over(old: c_int, new: c_int) {
    // SAFETY: a valid number.
    unsafe { setsockopt(new, SOL_SOCKET, SO_SNDBUF, (&raw const BUFFER).cast(), 4) };
    for (name, room) in [(SO_RCVTIMEO, 16), (SO_SNDTIMEO, 16), (SO_RCVLOWAT, 4)] {
        let (mut value, mut len) = ([0u64; 2], room);
        // SAFETY: room for what is asked for.
        unsafe {
            if getsockopt(old, SOL_SOCKET, name, (&raw mut value).cast(), &raw mut len) == 0 {
                setsockopt(new, SOL_SOCKET, name, (&raw const value).cast(), len);
            }
        }
    }
}

/// A new listening socket, to which the clients after the first `accepted` have connected.
fn listen_again(open: &Open, accepted: usize) {
    let Some(waiting) = clients().get(accepted..).filter(|w| !w.is_empty()) else { return };
    if let Some(ours) = listening(MAX_CONNECTIONS as c_int, waiting)
        && let Some(identity) = replace(open, socket::served(), ours)
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
