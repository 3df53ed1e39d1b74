//! Runs that freeze, and runs that go on from there: the engine's end of `runtime::snapshot`.
//!
//! A frozen run serves a socket of its own, whose other end is ours; it ends when that is closed. It is a process below the
//! first server, which makes no other runs while there are such (its way of cleaning up would end them). What the
//! frozen run had in the working directory is copied and put back before each run from it.
//!
//! What a run from a snapshot leaves behind in another session is found from here, below the server and not frozen. It is ended
//! before the working directory is looked at. A run whose working directory cannot be copied is not frozen: it counts as ended
//! there, and the reason is told.

use super::{Answer, ForkServer, Freezing, GRACE, io_error, stopped};
use crate::outcome::Stopped;
use crate::saved::Saved;
use crate::shared::Orders;
use crate::{memory, sys};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};
use trace::{
    Advance, Advanced, Input, Mode, ObjectKind, Progress, Request, Run, SnapshotId, Snapshots, TargetError,
};
use trace_abi::{CONNECTION_CLOSED, Command, CommandKind, Header, Reply, reply_flags, run_flags};

/// Most frozen runs at a time.
const MOST: usize = 32;
/// Most bytes of the working directory that are copied for one, and for all.
const MOST_SAVED: u64 = 64 << 20;
const MOST_SAVED_BY_ALL: u64 = 256 << 20;
/// How long what was killed may take to be gone.
const GONE: Duration = Duration::from_secs(5);
/// Standard input, or a connection, is not longer than that, whatever a run says of it.
const MOST_STREAM: u64 = 1 << 30;
/// How long a run that said that it froze may take to say so on its socket.
const READY: Duration = Duration::from_secs(5);

/// The frozen runs of a server.
#[derive(Default)]
pub struct Frozen {
    all: Vec<Place>,
    next: u32,
}

struct Place {
    id: SnapshotId,
    control: File,
    /// The process, as this process sees it.
    pid: i32,
    /// The working directory as it was.
    files: Saved,
    /// How many bytes of standard input it had read.
    stream_at: u64,
}

impl Frozen {
    /// They are gone, with the server.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn find(&self, id: SnapshotId) -> Result<usize, TargetError> {
        let at = self.all.iter().position(|p| p.id == id);
        at.ok_or_else(|| TargetError::Server("the frozen run is gone; something ended it".into()))
    }

    /// The socket that frozen run `at` serves, and its process.
    pub fn serving(&self, at: usize) -> (&File, i32) {
        (&self.all[at].control, self.all[at].pid)
    }

    /// Their processes.
    pub fn pids(&self) -> Vec<i32> {
        self.all.iter().map(|p| p.pid).collect()
    }
}

/// A run that froze, or why it cannot be taken for frozen.
type Adopted = Result<SnapshotId, String>;

/// A run that was ordered, and what came of it.
struct Served {
    reply: Reply,
    stopped: Stopped,
    /// Our end of the socket that it serves if it froze.
    socket: Option<OwnedFd>,
}

impl ForkServer {
    /// Orders a run of the server, or of a frozen run.
    fn order(
        &mut self,
        from: Option<usize>,
        freezes: Option<&dyn Fn() -> bool>,
    ) -> Result<Served, TargetError> {
        let pair = freezes.map(|_| sys::socket_pair()).transpose().map_err(io_error("making a socket"))?;
        let (ours, theirs) = pair.map_or((None, None), |(ours, theirs)| (Some(ours), Some(theirs)));
        if let Some(ours) = &ours {
            sys::tell_senders(ours.as_fd()).map_err(io_error("setting up a socket"))?;
        }
        let kind = if freezes.is_some() { CommandKind::Advance } else { CommandKind::Run };
        let leg_ms = self.config.limits.leg.as_millis().min(u128::from(u32::MAX)) as u32;
        let command = Command { kind: kind as u32, slice_ms: leg_ms, ..self.command() };
        let most = self.config.limits.wall + GRACE;
        let freezing = theirs.as_ref().zip(freezes);
        let freezing = freezing.map(|(socket, stop)| Freezing { socket: socket.as_fd(), stop });
        let answer = self.exchange(from, command, most, freezing)?;
        drop(theirs);
        match answer {
            Answer::Done((reply, _)) if reply.status == -1 => {
                Err(TargetError::Server("a frozen run cannot make processes (out of memory?)".into()))
            }
            Answer::Done((reply, over)) => {
                if reply.flags & reply_flags::LEFTOVERS != 0 {
                    self.sweep(&[]);
                }
                Ok(Served { reply, stopped: stopped(over, &reply), socket: ours })
            }
            Answer::Late | Answer::Dead => {
                match from {
                    Some(at) => drop(self.frozen.all.remove(at)),
                    None => self.live = None,
                }
                Err(TargetError::Server("the run that other runs were to go on from is gone".into()))
            }
        }
    }

    /// Takes over a run that froze.
    fn adopt(&mut self, socket: OwnedFd) -> Result<Adopted, TargetError> {
        let gone = || TargetError::Server("a run said that it froze, and did not".into());
        let mut bytes = [0u8; size_of::<Reply>()];
        let ready =
            sys::wait_readable(socket.as_fd(), READY).map_err(io_error("waiting for a frozen run"))?;
        let received = if ready { sys::receive(socket.as_fd(), &mut bytes).ok() } else { None };
        let Some((_, Some(pid))) = received.filter(|r| r.0 == bytes.len()) else {
            // Whatever it is that lives there, it is no frozen run.
            self.sweep(&[]);
            return Err(gone());
        };
        if self.frozen.all.len() >= MOST {
            self.frozen.all.remove(0);
        }
        // What the run left in other sessions is not frozen, and would go on covering and writing.
        if !self.sweep(&[pid]) {
            return Ok(Err("processes that it started cannot be ended".into()));
        }
        let held: u64 = self.frozen.all.iter().map(|p| p.files.bytes()).sum();
        let files = match self.scratch.save(MOST_SAVED.min(MOST_SAVED_BY_ALL.saturating_sub(held))) {
            Ok(files) => files,
            Err(error) => return Ok(Err(format!("its working directory cannot be copied: {error}"))),
        };
        let id = SnapshotId(self.frozen.next);
        self.frozen.next += 1;
        let stream_at = self.shared.header().stream_at.min(MOST_STREAM);
        self.frozen.all.push(Place { id, control: File::from(socket), pid, files, stream_at });
        Ok(Ok(id))
    }

    /// Ends what lives below the server and is not frozen, nor one of `more`; whether all of it is gone.
    fn sweep(&self, more: &[i32]) -> bool {
        let Some(live) = &self.live else { return true };
        let spared = [&self.frozen.pids(), more].concat();
        let deadline = Instant::now() + GONE;
        loop {
            let parents = spared.iter().copied().chain([live.process.pid()]);
            let left: Vec<i32> = parents
                .flat_map(|parent| memory::descendants(parent, &spared))
                .filter(|&pid| memory::lives(pid))
                .collect();
            if left.is_empty() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            let left: Vec<OwnedFd> =
                left.into_iter().filter_map(|p| sys::process_descriptor(p).ok()).collect();
            left.iter().for_each(|process| sys::kill(process.as_fd()));
            for process in &left {
                // Readable when it has ended.
                let _ =
                    sys::wait_readable(process.as_fd(), deadline.saturating_duration_since(Instant::now()));
            }
        }
    }

    /// How many processes live below the server: frozen runs, and whatever else.
    pub fn processes_below(&self) -> usize {
        let below = self.live.as_ref().map(|live| memory::descendants(live.process.pid(), &[]));
        below.unwrap_or_default().into_iter().filter(|&pid| memory::lives(pid)).count()
    }

    /// Puts the input of a run from frozen run `at` where the program will find it: standard input from where it stood there; bytes
    /// of the input area that it takes.
    fn deliver_behind(&mut self, request: &Request<'_>, at: usize) -> Result<u64, TargetError> {
        let stream = request.input.objects.iter().find(|o| o.kind == ObjectKind::Stdin);
        // Without any it ends there; what an earlier run was given is no input of this one.
        let data = stream.map_or(&[][..], |stream| &stream.data);
        let begin = self.frozen.all[at].stream_at;
        let written = self.stdin.write_all_at(data, begin);
        written
            .and_then(|()| self.stdin.set_len(begin + data.len() as u64))
            .map_err(io_error("writing standard input"))?;
        let limit = self.shared.layout().input_bytes;
        let used = self.shared.write_input(request.input, |o| o.name.clone());
        used.map_err(|len| TargetError::InputTooLarge { len, limit })
    }

    /// Puts the working directory of a frozen run back; that of the first server is empty.
    fn restore(&mut self, from: Option<usize>) -> Result<(), TargetError> {
        let files = match from {
            Some(at) => self.scratch.restore(&self.frozen.all[at].files),
            None => self.scratch.restore(&Saved::default()),
        };
        files.map_err(io_error("restoring the working directory"))
    }
}

/// How far the connections of an input are, as a run that froze says.
fn progress(input: &Input, header: &Header) -> Vec<Progress> {
    let connections = input.objects.iter().filter(|o| o.kind == ObjectKind::Connection);
    let of = |(_, at): (_, &u64)| Progress {
        read: (at & !CONNECTION_CLOSED).min(MOST_STREAM),
        is_closed: at & CONNECTION_CLOSED != 0,
    };
    connections.zip(&header.connections_at).map(of).collect()
}

impl Snapshots for ForkServer {
    fn advance(&mut self, order: &Advance<'_>) -> Result<Advanced, TargetError> {
        if self.live.is_none() {
            self.launch()?;
            self.restarts += 1;
        }
        let from = order.from.map(|id| self.frozen.find(id)).transpose()?;
        self.restore(from)?;
        let request = Request {
            input: order.input,
            mode: Mode::Concrete,
            value_seed: Some(order.value_seed),
            max_inputs: Some(order.max_inputs),
        };
        let used = match from {
            None => self.deliver(&request)?,
            Some(at) => self.deliver_behind(&request, at)?,
        };
        let more = Orders {
            flags: run_flags::FREEZES
                | if order.freeze_at_end { run_flags::FREEZES_AT_END } else { 0 }
                | if order.freeze_behind { run_flags::FREEZES_BEHIND } else { 0 }
                | if order.repeats { run_flags::REPEATS } else { 0 },
            patience: order.patience,
            freeze_at: order.freeze_at,
            idle: order.idle,
            ..Orders::default()
        };
        self.begin(&request, used, more);
        let branches = self.taker.branches();
        let known = |k: usize| (order.known)(program::BranchId(k as u32));
        self.shared.write_known(branches, &known);
        let served = self.order(from, Some(order.stop))?;
        let header = self.shared.header();
        let run = self.taken(&request, &served.reply, served.stopped)?;
        let froze = served.reply.flags & reply_flags::FROZEN != 0;
        let adopted = served.socket.filter(|_| froze).map(|socket| self.adopt(socket)).transpose()?;
        let (snapshot, refused) = match adopted {
            Some(Ok(snapshot)) => (Some(snapshot), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        Ok(Advanced {
            run,
            snapshot,
            refused,
            idle: header.idle,
            inputs: header.n_inputs,
            stream_at: header.stream_at,
            connections: progress(order.input, &header),
        })
    }

    fn run_from(&mut self, from: SnapshotId, request: &Request<'_>) -> Result<Run, TargetError> {
        let at = self.frozen.find(from)?;
        self.restore(Some(at))?;
        let used = self.deliver_behind(request, at)?;
        self.begin(request, used, Orders::default());
        let served = self.order(Some(at), None)?;
        self.taken(request, &served.reply, served.stopped)
    }

    fn forget(&mut self, snapshot: SnapshotId) {
        self.frozen.all.retain(|p| p.id != snapshot);
    }
}
