//! Runs that freeze, and runs that go on from there: the engine's end of `runtime::snapshot`.
//!
//! A frozen run serves a socket of its own, whose other end is ours; it ends when that is closed. It is a process below the
//! first server, which makes no other runs while there are such (its way of cleaning up would end them). What the
//! frozen run had in the working directory is copied and put back before each run from it.
//!
//! What a run from a snapshot leaves behind in another session is found from here, below the server and not frozen.

use super::{
    Answer, ForkServer, GRACE, encode_command, io_error, orders, stop_if_over, stopped, wait_for_reply,
};
use crate::outcome::Stopped;
use crate::scratch::Saved;
use crate::shared::Orders;
use crate::{memory, sys};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};
use trace::{Advance, Advanced, Mode, ObjectKind, Request, Run, SnapshotId, Snapshots, TargetError};
use trace_abi::{Command, CommandKind, Reply, reply_flags, run_flags};

/// Most frozen runs at a time.
const MOST: usize = 32;
/// Standard input is not longer than that, whatever a run says of it.
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

    fn pids(&self) -> Vec<i32> {
        self.all.iter().map(|p| p.pid).collect()
    }
}

/// A run that was ordered, and what came of it.
struct Served {
    reply: Reply,
    stopped: Stopped,
    /// Our end of the socket that it serves if it froze.
    socket: Option<OwnedFd>,
}

impl ForkServer {
    /// Orders a run of the server, or of a frozen run.
    fn order(&mut self, from: Option<usize>, freezes: bool) -> Result<Served, TargetError> {
        let pair = freezes.then(sys::socket_pair).transpose().map_err(io_error("making a socket"))?;
        let (ours, theirs) = pair.map_or((None, None), |(ours, theirs)| (Some(ours), Some(theirs)));
        if let Some(ours) = &ours {
            sys::tell_senders(ours.as_fd()).map_err(io_error("setting up a socket"))?;
        }
        let kind = if freezes { CommandKind::Advance } else { CommandKind::Run };
        let command = Command { kind: kind as u32, ..self.command() };
        let answer = self.exchange_with(from, command, theirs.as_ref().map(AsFd::as_fd))?;
        drop(theirs);
        match answer {
            Answer::Done((reply, _)) if reply.status == -1 => {
                Err(TargetError::Server("a frozen run cannot make processes (out of memory?)".into()))
            }
            Answer::Done((reply, over)) => {
                if reply.flags & reply_flags::LEFTOVERS != 0 {
                    self.sweep();
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

    /// As [`ForkServer::exchange`], with the server or a frozen run; the limits of a run that may freeze begin anew with
    /// each input statement.
    fn exchange_with(
        &mut self,
        from: Option<usize>,
        command: Command,
        socket: Option<BorrowedFd<'_>>,
    ) -> Result<Answer<(Reply, bool)>, TargetError> {
        self.seq = self.seq.wrapping_add(1) & 0x7fff_ffff;
        let command = Command { seq: self.seq, ..command };
        let Some(live) = &self.live else { return Ok(Answer::Dead) };
        let (control, parent) = match from {
            None => (&live.control, live.process.pid()),
            Some(at) => (&self.frozen.all[at].control, self.frozen.all[at].pid),
        };
        if sys::send_with(control.as_fd(), &encode_command(&command), socket).is_err() {
            return Ok(Answer::Dead);
        }
        let (limit, spared) = (self.config.limits.memory, self.frozen.pids());
        let mut over = false;
        let mut inputs = 0;
        loop {
            let most = self.config.limits.wall + GRACE;
            let reply = wait_for_reply(control, self.seq, Instant::now() + most, || {
                over = over || stop_if_over(parent, &spared, limit);
                over
            });
            let reply = reply.map_err(io_error("waiting for a frozen run"))?;
            let now = self.shared.header().n_inputs;
            if matches!(reply, Answer::Late) && now != inputs {
                inputs = now;
                continue;
            }
            return Ok(reply.map(|reply| (reply, over)));
        }
    }

    /// Takes over a run that froze.
    fn adopt(&mut self, socket: OwnedFd) -> Result<SnapshotId, TargetError> {
        let gone = || TargetError::Server("a run said that it froze, and did not".into());
        let mut bytes = [0u8; size_of::<Reply>()];
        let ready =
            sys::wait_readable(socket.as_fd(), READY).map_err(io_error("waiting for a frozen run"))?;
        let received = if ready { sys::receive(socket.as_fd(), &mut bytes).ok() } else { None };
        let Some((_, Some(pid))) = received.filter(|r| r.0 == bytes.len()) else {
            // Whatever it is that lives there, it is no frozen run.
            self.sweep();
            return Err(gone());
        };
        let files = self.scratch.save().map_err(io_error("copying the working directory"))?;
        let id = SnapshotId(self.frozen.next);
        self.frozen.next += 1;
        if self.frozen.all.len() >= MOST {
            self.frozen.all.remove(0);
        }
        let stream_at = self.shared.header().stream_at.min(MOST_STREAM);
        self.frozen.all.push(Place { id, control: File::from(socket), pid, files, stream_at });
        // What the run left in other sessions is not frozen, and would go on covering.
        self.sweep();
        Ok(id)
    }

    /// Ends what lives below the server and is not frozen.
    fn sweep(&self) {
        let Some(live) = &self.live else { return };
        let spared = self.frozen.pids();
        for parent in spared.iter().copied().chain([live.process.pid()]) {
            for pid in memory::descendants(parent, &spared) {
                let Ok(descriptor) = sys::process_descriptor(pid) else { continue };
                sys::kill(descriptor.as_fd());
            }
        }
    }

    /// How many processes live below the server: frozen runs, and whatever else.
    pub fn processes_below(&self) -> usize {
        let below = self.live.as_ref().map(|live| memory::descendants(live.process.pid(), &[]));
        below.unwrap_or_default().into_iter().filter(|&pid| memory::lives(pid)).count()
    }

    /// Writes input and orders of a run, `from` a snapshot: standard input from where it stood there.
    fn deliver_behind(
        &mut self,
        request: &Request<'_>,
        from: Option<usize>,
        more: Orders,
    ) -> Result<(), TargetError> {
        let stream = request.input.objects.iter().find(|o| o.kind == ObjectKind::Stdin);
        if let (Some(at), Some(stream)) = (from, stream) {
            let begin = self.frozen.all[at].stream_at;
            let written = self.stdin.write_all_at(&stream.data, begin);
            written
                .and_then(|()| self.stdin.set_len(begin + stream.data.len() as u64))
                .map_err(io_error("writing standard input"))?;
        }
        let used = self.shared.write_input(request.input, |o| o.name.clone());
        let limit = self.shared.layout().input_bytes;
        let used = used.map_err(|len| TargetError::InputTooLarge { len, limit })?;
        let first = orders(request, used);
        self.shared.begin(&Orders {
            flags: first.flags | more.flags,
            n_objects: first.n_objects,
            input_len: first.input_len,
            value_seed: first.value_seed,
            ..more
        });
        Ok(())
    }

    /// The run that was served.
    fn taken(&mut self, request: &Request<'_>, served: &Served) -> Result<Run, TargetError> {
        let header = self.shared.header();
        let (run, problems) =
            self.taker.take(&self.shared, &header, request, &served.reply, served.stopped)?;
        self.problems.extend(problems);
        self.shared.release(&header);
        Ok(run)
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
            max_inputs: None,
        };
        if from.is_none() {
            self.deliver(&request)?;
        }
        let more = Orders {
            flags: run_flags::FREEZES | if order.freeze_at_end { run_flags::FREEZES_AT_END } else { 0 },
            max_inputs: order.max_inputs,
            patience: order.patience,
            freeze_at: order.freeze_at,
            idle: order.idle,
            ..Orders::default()
        };
        self.deliver_behind(&request, from, more)?;
        let branches = self.taker.branches();
        let known = |k: usize| (order.known)(program::BranchId(k as u32));
        self.shared.write_known(branches, &known);
        let served = self.order(from, true)?;
        let header = self.shared.header();
        let run = self.taken(&request, &served)?;
        let froze = served.reply.flags & reply_flags::FROZEN != 0;
        let snapshot = served.socket.filter(|_| froze).map(|socket| self.adopt(socket)).transpose()?;
        Ok(Advanced {
            run,
            snapshot,
            idle: header.idle,
            inputs: header.n_inputs,
            stream_at: header.stream_at,
        })
    }

    fn run_from(&mut self, from: SnapshotId, request: &Request<'_>) -> Result<Run, TargetError> {
        let at = self.frozen.find(from)?;
        self.restore(Some(at))?;
        let max_inputs = request.max_inputs.unwrap_or(self.config.max_inputs);
        self.deliver_behind(request, Some(at), Orders { max_inputs, ..Orders::default() })?;
        let served = self.order(Some(at), false)?;
        self.taken(request, &served)
    }

    fn forget(&mut self, snapshot: SnapshotId) {
        self.frozen.all.retain(|p| p.id != snapshot);
    }
}
