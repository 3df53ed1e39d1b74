//! The clients of a program that accepts connections, while the user's own executable runs.
//!
//! The engine looks, through `/proc`, for the socket on which the program listens, connects one socket after the other to it
//! (made in the program's network, see `launch`), sends what the input says, closes the sending side, and reads and drops the
//! answers. When all is said and the program waits for another connection, its run is over.
//!
//! Of several sockets on which a program listens, the one that it made first is taken.

use crate::launch::Ends;
use crate::memory::descendants;
use socket2::{SockAddr, Socket};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trace::Pieces;

/// How often there is something to do.
const TICK: Duration = Duration::from_millis(1);
/// Looks in a row that find the program waiting, until it is held to be idle.
const IDLE_LOOKS: u32 = 5;
/// How long between two of them.
const LOOK_EVERY: Duration = Duration::from_millis(3);
/// How long a program must have done nothing that waits with a time limit, over and over.
const PATIENCE: Duration = Duration::from_millis(250);
/// Most bytes of answers read at once.
const ANSWER: usize = 16 << 10;

/// How far clients are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do.
    Busy,
    /// All is said, and the program waits.
    Over,
}

/// All clients of one run.
pub struct Clients {
    /// A process in the program's network; those of the program are below it.
    pid: i32,
    /// Nobody else is in that network.
    is_alone: bool,
    listener: Option<Listener>,
    /// In the order in which they connect.
    clients: Vec<Client>,
    looked: Instant,
    /// What was seen of the program's threads, and how often in a row.
    seen: (String, u32),
    /// Since when they wait, whenever they are looked at.
    quiet_since: Option<Instant>,
}

/// Where the program listens.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Listener {
    Internet(SocketAddr),
    Local(PathBuf),
    /// In the network's own namespace of names.
    Abstract(Vec<u8>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not connected yet.
    Waiting,
    Connecting,
    Talking,
    /// It sent all it has to say; the other side may still answer.
    Said,
    /// The connection is over.
    Closed,
}

struct Client {
    ends: Option<Ends>,
    socket: Option<Socket>,
    pieces: Pieces,
    text: Vec<u8>,
    sent: usize,
    state: State,
}

impl Clients {
    /// Clients that say these texts.
    pub fn new(
        pid: i32,
        is_alone: bool,
        clients: impl Iterator<Item = (Ends, (Pieces, Vec<u8>))>,
    ) -> Clients {
        let client = |(ends, (pieces, text))| Client {
            ends: Some(ends),
            socket: None,
            pieces,
            text,
            sent: 0,
            state: State::Waiting,
        };
        Clients {
            pid,
            is_alone,
            listener: None,
            clients: clients.map(client).collect(),
            looked: Instant::now(),
            seen: (String::new(), 0),
            quiet_since: None,
        }
    }

    /// How long nothing needs to be done.
    pub fn tick(&self) -> Duration {
        TICK
    }

    /// Does what can be done now.
    pub fn step(&mut self) -> Progress {
        if self.listener.is_none() {
            self.listener = self.find_listener();
        }
        let Some(listener) = &self.listener else { return Progress::Busy };
        for client in &mut self.clients {
            client.step(listener, self.pid);
            if matches!(client.state, State::Waiting | State::Connecting) {
                // Those behind it come after it.
                break;
            }
        }
        let all_said = self.clients.iter().all(|c| matches!(c.state, State::Said | State::Closed));
        if all_said && self.program_waits() { Progress::Over } else { Progress::Busy }
    }

    /// The socket on which the program listens that was made first.
    fn find_listener(&self) -> Option<Listener> {
        let read =
            |name: &str| fs::read_to_string(format!("/proc/{}/net/{name}", self.pid)).unwrap_or_default();
        let mut found = Vec::new();
        for (name, parse) in
            [("tcp", internet as fn(&str) -> Option<(u64, Listener)>), ("tcp6", internet), ("unix", local)]
        {
            found.extend(read(name).lines().skip(1).filter_map(parse));
        }
        if found.is_empty() {
            return None;
        }
        if !self.is_alone {
            let own = self.sockets();
            found.retain(|(inode, _)| own.contains(inode));
        }
        let mut first = found.into_iter().min_by_key(|(inode, _)| *inode)?.1;
        if let Listener::Local(path) = &mut first {
            *path = seen_from_outside(*descendants(self.pid, &[]).first()?, path);
        }
        Some(first)
    }

    /// Numbers of the sockets that the program's processes hold.
    fn sockets(&self) -> BTreeSet<u64> {
        let mut all = BTreeSet::new();
        for pid in descendants(self.pid, &[]) {
            for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
                let target = fs::read_link(entry.path()).unwrap_or_default();
                let number = target.to_str().and_then(|t| t.strip_prefix("socket:[")?.strip_suffix(']'));
                all.extend(number.and_then(|n| n.parse::<u64>().ok()));
            }
        }
        all
    }

    /// Whether the program closed all connections: what it does now, it does for nobody.
    pub fn are_all_closed(&self) -> bool {
        self.clients.iter().all(|c| c.state == State::Closed)
    }

    /// Whether every thread of the program sleeps, one of them in a call that waits for sockets, and it has been so for a
    /// while.
    fn program_waits(&mut self) -> bool {
        if self.looked.elapsed() < LOOK_EVERY {
            return false;
        }
        self.looked = Instant::now();
        let Some(Waiting { switches, has_limit }) = waiting(&descendants(self.pid, &[])) else {
            (self.seen, self.quiet_since) = (Default::default(), None);
            return false;
        };
        let since = *self.quiet_since.get_or_insert(self.looked);
        let count = if switches == self.seen.0 { self.seen.1 + 1 } else { 0 };
        self.seen = (switches, count);
        if has_limit { since.elapsed() >= PATIENCE } else { count >= IDLE_LOOKS }
    }
}

impl Client {
    fn step(&mut self, listener: &Listener, pid: i32) {
        if self.state == State::Waiting {
            self.state = State::Connecting;
            self.connect(listener);
        }
        if self.state == State::Connecting && self.is_connected() {
            self.state = State::Talking;
        }
        if matches!(self.state, State::Talking | State::Said) {
            self.drop_answers();
        }
        if self.state == State::Talking {
            self.talk(pid);
        }
    }

    fn connect(&mut self, listener: &Listener) {
        let Some(Ends { internet, is_v6, local }) = self.ends.take() else { return };
        let to = match listener {
            Listener::Internet(to) => Ok(reachable(*to, is_v6)),
            Listener::Local(path) => SockAddr::unix(path),
            Listener::Abstract(name) => abstract_address(name),
        };
        let socket = Socket::from(if matches!(listener, Listener::Internet(_)) { internet } else { local });
        let done = to.and_then(|to| socket.connect(&to));
        self.socket = Some(socket);
        self.state = match done {
            Ok(()) => State::Talking,
            Err(e) if e.raw_os_error() == Some(libc::EINPROGRESS) => State::Connecting,
            // Refused: it listens no more.
            Err(_) => State::Closed,
        };
    }

    fn is_connected(&mut self) -> bool {
        let Some(socket) = &self.socket else { return false };
        match socket.take_error() {
            Ok(None) => socket.peer_addr().is_ok(),
            _ => {
                self.state = State::Closed;
                false
            }
        }
    }

    fn drop_answers(&mut self) {
        let Some(socket) = &mut self.socket else { return };
        let mut buffer = [0u8; ANSWER];
        loop {
            match socket.read(&mut buffer) {
                Ok(0) if self.state == State::Said => {
                    self.state = State::Closed;
                    return;
                }
                // It closed its sending side, and may still read.
                Ok(0) => return,
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.state = State::Closed;
                    return;
                }
            }
        }
    }

    fn talk(&mut self, pid: i32) {
        while self.sent < self.text.len() {
            if self.pieces != Pieces::Whole && !self.is_read(pid) {
                return;
            }
            let end = self.pieces.end(&self.text, self.sent);
            let Some(socket) = &mut self.socket else { return };
            match socket.write(&self.text[self.sent..end]) {
                Ok(n) => self.sent += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.state = State::Closed;
                    return;
                }
            }
        }
        self.state = match self.socket.as_ref().map(|s| s.shutdown(Shutdown::Write)) {
            Some(Ok(())) => State::Said,
            _ => State::Closed,
        };
    }

    /// Whether the program has read all that was sent.
    fn is_read(&self, pid: i32) -> bool {
        let Some(socket) = &self.socket else { return false };
        let mut held: libc::c_int = 0;
        // SAFETY: asks a descriptor of ours for a number.
        let failed =
            unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(socket), libc::TIOCOUTQ, &raw mut held) }
                != 0;
        if !failed && held > 0 {
            return false;
        }
        let (Ok(own), Ok(peer)) = (socket.local_addr(), socket.peer_addr()) else { return true };
        let (Some(own), Some(peer)) = (own.as_socket(), peer.as_socket()) else { return true };
        // The other end's queue.
        ["tcp", "tcp6"].iter().all(|name| {
            let table = fs::read_to_string(format!("/proc/{pid}/net/{name}")).unwrap_or_default();
            table.lines().skip(1).all(|line| match queue(line) {
                Some((here, there, received)) => (here, there) != (peer.port(), own.port()) || received == 0,
                None => true,
            })
        })
    }
}

/// The fields of a line of `/proc/net/tcp`: local address, remote address, state, queues, …, inode.
fn fields(line: &str) -> Option<[&str; 5]> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let (here, there, state, queues) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some([here, there, state, queues, words.nth(4)?])
}

/// A listening socket of the internet's in a line of `/proc/net/tcp` or `tcp6`, with its inode.
fn internet(line: &str) -> Option<(u64, Listener)> {
    const LISTENS: &str = "0A";
    let [here, _, state, _, inode] = fields(line)?;
    let address = Listener::Internet(address(here)?);
    (state == LISTENS).then_some((inode.parse().ok()?, address))
}

/// Local port, remote port and bytes received that nobody read, of a line of the same.
fn queue(line: &str) -> Option<(u16, u16, u64)> {
    let [here, there, _, queues, _] = fields(line)?;
    let received = u64::from_str_radix(queues.split_once(':')?.1, 16).ok()?;
    Some((address(here)?.port(), address(there)?.port(), received))
}

/// `0100007F:1F90`: words as this machine has them in memory, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::new();
    for k in (0..host.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(host.get(k..k + 8)?, 16).ok()?.to_ne_bytes());
    }
    let host = match <[u8; 4]>::try_from(&bytes[..]) {
        Ok(four) => IpAddr::from(four),
        Err(_) => IpAddr::from(<[u8; 16]>::try_from(&bytes[..]).ok()?),
    };
    Some(SocketAddr::new(host, port))
}

/// A listening stream socket of the machine's own in a line of `/proc/net/unix`, with its inode.
fn local(line: &str) -> Option<(u64, Listener)> {
    const ACCEPTS: u32 = 0x1_0000;
    let mut words = line.split_ascii_whitespace().skip(3);
    let flags = u32::from_str_radix(words.next()?, 16).ok()?;
    let (kind, inode) = (words.next()?, words.nth(1)?.parse().ok()?);
    let name = words.next()?;
    let listener = match name.strip_prefix('@') {
        Some(name) => Listener::Abstract(name.as_bytes().to_vec()),
        None => Listener::Local(name.into()),
    };
    (flags & ACCEPTS != 0 && kind == "0001").then_some((inode, listener))
}

/// A path of the program's as the engine reaches it.
fn seen_from_outside(pid: i32, path: &std::path::Path) -> PathBuf {
    match path.strip_prefix("/") {
        Ok(rest) => PathBuf::from(format!("/proc/{pid}/root")).join(rest),
        Err(_) => PathBuf::from(format!("/proc/{pid}/cwd")).join(path),
    }
}

/// Where to connect to for a socket that listens there.
fn reachable(to: SocketAddr, from_v6: bool) -> SockAddr {
    let host = match to.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let host = match host {
        IpAddr::V4(ip) if from_v6 => IpAddr::from(ip.to_ipv6_mapped()),
        ip => ip,
    };
    SocketAddr::new(host, to.port()).into()
}

fn abstract_address(name: &[u8]) -> io::Result<SockAddr> {
    use std::os::unix::ffi::OsStringExt;
    SockAddr::unix(std::ffi::OsString::from_vec([&[0], name].concat()))
}

/// What is seen of processes that wait.
struct Waiting {
    /// How often their threads were switched, which stays as it is while they wait.
    switches: String,
    /// One of them waits for a time only.
    has_limit: bool,
}

/// What is seen of these processes if all of their threads sleep, one of them in a call that waits for sockets, and none for
/// time alone.
fn waiting(pids: &[i32]) -> Option<Waiting> {
    let (mut seen, mut for_sockets) = (Waiting { switches: String::new(), has_limit: false }, false);
    for pid in pids {
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let status = fs::read_to_string(task.path().join("status")).ok()?;
            let value = |name: &str| {
                status.lines().find_map(|l| l.strip_prefix(name)).map(str::trim).unwrap_or_default()
            };
            match value("State:").chars().next() {
                Some('S') => {}
                Some('Z' | 'X') => continue,
                _ => return None,
            }
            let call = fs::read_to_string(task.path().join("syscall")).unwrap_or_default();
            match call_of(&call) {
                Call::Time => return None,
                Call::Sockets { has_limit } => {
                    (for_sockets, seen.has_limit) = (true, seen.has_limit || has_limit)
                }
                Call::Other => {}
            }
            seen.switches.push_str(&task.file_name().to_string_lossy());
            seen.switches.push_str(value("voluntary_ctxt_switches:"));
        }
    }
    for_sockets.then_some(seen)
}

/// What a sleeping thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Time,
    Sockets { has_limit: bool },
    Other,
}

/// The call in a line of `/proc/PID/syscall`: its number, then its arguments in hexadecimal.
fn call_of(line: &str) -> Call {
    let mut words = line.split_ascii_whitespace();
    // The kernel does not tell: it may be for sockets.
    let Some(number) = words.next().and_then(|n| n.parse::<u32>().ok()) else {
        return Call::Sockets { has_limit: false };
    };
    let arguments: Vec<u64> =
        words.filter_map(|w| u64::from_str_radix(w.trim_start_matches("0x"), 16).ok()).collect();
    let argument = |k: usize| arguments.get(k).copied().unwrap_or(0);
    let is_set = |k: usize| argument(k) as i32 >= 0;
    match number {
        // nanosleep, clock_nanosleep
        35 | 230 => Call::Time,
        // accept, accept4
        43 | 288 => Call::Sockets { has_limit: false },
        // poll; epoll_wait, epoll_pwait
        7 => Call::Sockets { has_limit: is_set(2) },
        232 | 281 => Call::Sockets { has_limit: is_set(3) },
        // ppoll; epoll_pwait2; select, pselect6: null is no limit
        271 => Call::Sockets { has_limit: argument(2) != 0 },
        441 => Call::Sockets { has_limit: argument(3) != 0 },
        23 | 270 => Call::Sockets { has_limit: argument(4) != 0 },
        _ => Call::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_read_from_the_kernels_tables() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 4242 1 0 100";
        let at = |text: &str| Listener::Internet(text.parse().unwrap());
        assert_eq!(internet(line), Some((4242, at("127.0.0.1:8080"))));
        assert_eq!(internet(&line.replace(" 0A ", " 01 ")), None);
        assert_eq!(queue(line), Some((8080, 0, 3)));
        let six = "   1: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1 0";
        assert_eq!(internet(six), Some((77, at("[::1]:80"))));
        let unix = "0000000000000000: 00000002 00000000 00010000 0001 01 31337 /tmp/a.sock";
        assert_eq!(local(unix), Some((31337, Listener::Local("/tmp/a.sock".into()))));
        assert_eq!(
            local(&unix.replace("/tmp/a.sock", "@x")),
            Some((31337, Listener::Abstract(b"x".to_vec())))
        );
        assert_eq!(local(&unix.replace("00010000", "00000000")), None);
        assert_eq!(local("0000000000000000: 00000002 00000000 00010000 0001 01 31337"), None);
    }

    #[test]
    fn waiting_for_sockets_is_told_from_sleep() {
        let sockets = |has_limit| Call::Sockets { has_limit };
        assert_eq!(call_of("43 0x3 0x0 0x0 0x0 0x0 0x0 0x7ffe 0x7f01"), sockets(false));
        assert_eq!(call_of("7 0x7ffe 0x2 0xffffffff 0x0 0x0 0x0 0x7ffe 0x7f01"), sockets(false));
        assert_eq!(call_of("7 0x7ffe 0x2 0x64 0x0 0x0 0x0 0x7ffe 0x7f01"), sockets(true));
        assert_eq!(call_of("270 0x5 0x7ffe 0x0 0x0 0x7ffd 0x0 0x7ffe 0x7f01"), sockets(true));
        assert_eq!(call_of("230 0x0 0x0 0x7ffe 0x7ffe 0x0 0x0 0x7ffe 0x7f01"), Call::Time);
        assert_eq!(call_of("202 0x0 0x0 0x7ffe 0x7ffe 0x0 0x0 0x7ffe 0x7f01"), Call::Other);
        assert_eq!(call_of("running"), sockets(false));
    }

    #[test]
    fn any_address_is_reached_at_this_machine() {
        let reached = |text: &str, v6| reachable(text.parse().unwrap(), v6).as_socket().unwrap().to_string();
        assert_eq!(reached("0.0.0.0:80", false), "127.0.0.1:80");
        assert_eq!(reached("0.0.0.0:80", true), "[::ffff:127.0.0.1]:80");
        assert_eq!(reached("[::]:80", true), "[::1]:80");
        assert_eq!(reached("10.1.2.3:80", false), "10.1.2.3:80");
    }
}
