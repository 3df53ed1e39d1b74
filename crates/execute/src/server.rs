//! The engine's end of the fork server: start, order runs, watch, restart. Many runs at once: `batch`; runs that freeze: `snapshots`.

mod batch;
mod snapshots;

use crate::config::{Capacities, Config};
use crate::haste::Haste;
use crate::launch::{self, Isolation, Plan, Process};
use crate::outcome::Stopped;
use crate::scratch::{FILE_ARGUMENT, Scratch};
use crate::seen::Seen;
use crate::shared::{Orders, Shared};
use crate::take::Taker;
use crate::{memory, sys};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{Duration, Instant};
use trace::{Candidate, Glimpses, Mode, ObjectKind, Problem, Request, Run, Snapshots, Target, TargetError};
use trace_abi::{ANY_CPU, CONTROL_FD, Command, CommandKind, ENV_SERVER, Reply, SHM_FD, run_flags};

/// How long constructors may take.
const START_LIMIT: Duration = Duration::from_secs(30);
/// How much longer than a run's own limit the server may take to answer.
const GRACE: Duration = Duration::from_secs(5);
/// How often a run's memory is looked at.
const TICK: Duration = Duration::from_millis(20);
/// Deaths of the server in a row after which there is no point in going on.
const MOST_DEATHS: u32 = 5;

/// An instrumented executable, ready to be run again and again.
///
/// Owns the server process, its shared memory and its scratch directory; dropping it ends and removes all three.
pub struct ForkServer {
    config: Config,
    isolation: Isolation,
    shared: Shared,
    scratch: Scratch,
    /// Standard input of runs.
    stdin: File,
    taker: Taker,
    haste: Haste,
    live: Option<Live>,
    seq: u32,
    deaths: u32,
    restarts: u64,
    problems: Vec<Problem>,
    batching: batch::Batching,
    frozen: snapshots::Frozen,
}

/// What a run that may freeze is given.
struct Freezing<'a> {
    /// What it serves then.
    socket: BorrowedFd<'a>,
    /// Whether it is to hurry.
    stop: &'a dyn Fn() -> bool,
}

/// A running server.
struct Live {
    process: Process,
    control: File,
}

impl ForkServer {
    /// Starts the server of `config.executable`.
    ///
    /// # Errors
    /// When the executable cannot be started as a fork server in any sandbox; the message says what it said.
    pub fn start(config: Config, capacities: &Capacities) -> Result<ForkServer, TargetError> {
        let mut last_error = None;
        for isolation in Isolation::candidates(config.sandbox) {
            match ForkServer::start_in(config.clone(), capacities, isolation) {
                Ok(server) => return Ok(server),
                // The last, least strict attempt tells best what is wrong with the program itself.
                Err(e) => last_error = Some(e),
            }
        }
        Err(last_error.unwrap_or_else(|| TargetError::Server("no sandbox to run in".into())))
    }

    fn start_in(
        config: Config,
        capacities: &Capacities,
        isolation: Isolation,
    ) -> Result<ForkServer, TargetError> {
        let scratch = Scratch::new(config.scratch.as_deref(), config.extension.as_deref(), isolation.owner())
            .map_err(io_error("making a scratch directory"))?;
        if !isolation.reaches(scratch.input_path().parent().unwrap_or(Path::new("/"))) {
            return Err(TargetError::Server("the scratch directory is closed to other users".into()));
        }
        let shared = Shared::new(capacities.layout()).map_err(io_error("making shared memory"))?;
        let stdin = sys::memory(c"stdin").map_err(io_error("making standard input"))?;
        let taker = Taker::new(&config.executable, capacities)?;
        let mut server = ForkServer {
            config,
            isolation,
            shared,
            scratch,
            stdin,
            taker,
            haste: Haste::default(),
            live: None,
            seq: 0,
            deaths: 0,
            restarts: 0,
            problems: Vec::new(),
            batching: batch::Batching::new(capacities),
            frozen: snapshots::Frozen::default(),
        };
        server.launch()?;
        Ok(server)
    }

    /// What this server's batches show is what no other server with this map has shown.
    #[must_use]
    pub fn sharing(mut self, seen: &Seen) -> ForkServer {
        self.batching.share(seen);
        self
    }

    /// How strictly the program is shut in.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// How often the server had to be started again because a run broke it.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// What was wrong with what runs left in shared memory, since the last call.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// Starts the process and waits until it is ready.
    fn launch(&mut self) -> Result<(), TargetError> {
        self.live = None;
        self.frozen.clear();
        self.shared.begin(&Orders::default());
        let started = Instant::now();
        let messages = sys::memory(c"messages").map_err(io_error("making a file in memory"))?;
        let live = self.spawn(&messages).map_err(|e| {
            TargetError::Server(format!("cannot run {}: {e}", self.config.executable.display()))
        })?;
        let ready = wait_for_reply(&live.control, u32::MAX, started + START_LIMIT, || Tick::Enough);
        self.live = Some(live);
        if !matches!(ready, Ok(Answer::Done(_))) {
            let error = self.explain_start(messages);
            self.live = None;
            return Err(error);
        }
        self.taker.keep_start_coverage(self.shared.coverage());
        self.adopt_working_directory()
    }

    fn spawn(&self, messages: &File) -> io::Result<Live> {
        let (ours, theirs) = sys::socket_pair()?;
        let stdin = sys::reopen_for_reading(&self.stdin)?;
        let output = File::options().read(true).write(true).open("/dev/null")?;
        let mut argv =
            vec![self.config.name.clone().unwrap_or_else(|| self.config.executable.clone().into())];
        let path = self.scratch.input_path().as_os_str();
        argv.extend(self.config.args.iter().map(|a| with_path(a, path)));
        let mut env = self.config.env.clone();
        env.push((ENV_SERVER.into(), "1".into()));
        let plan = Plan {
            executable: &self.config.executable,
            argv: &argv,
            env: &env,
            same_stack: true,
            moved: false,
            directory: self.scratch.run_dir(),
            directory_path: &self.scratch.run_path(),
            private_directory: true,
            descriptors: vec![
                (stdin.as_fd(), 0),
                (output.as_fd(), 1),
                (messages.as_fd(), 2),
                (theirs.as_fd(), CONTROL_FD),
                (self.shared.fd(), SHM_FD),
            ],
            limits: self.config.limits,
            isolation: self.isolation,
            supervise: None,
            clients: None,
        };
        Ok(Live { process: launch::spawn(&plan)?, control: File::from(ours) })
    }

    /// In a mount namespace the working directory is a file system of its own, reached through the process. Everything in it
    /// will be removed again and again, and constructors may have led there whatever they like: so it has to be a file system
    /// that is not to be seen from here.
    fn adopt_working_directory(&mut self) -> Result<(), TargetError> {
        let (Isolation::User, Some(live)) = (self.isolation, &self.live) else { return Ok(()) };
        let path = self.scratch.run_path();
        let path = format!("/proc/{}/root{}", live.process.pid(), path.display());
        let dir = File::open(path).map_err(io_error("opening the program's working directory"))?;
        if sys::is_mounted_here(dir.as_fd())
            .map_err(io_error("looking at the program's working directory"))?
        {
            return Err(TargetError::Server("the program's working directory is not its own".into()));
        }
        self.scratch.adopt_run_dir(OwnedFd::from(dir));
        Ok(())
    }

    /// Why the server did not become ready.
    fn explain_start(&mut self, mut messages: File) -> TargetError {
        let mut text = String::new();
        let _ = messages.rewind();
        let _ = Read::by_ref(&mut messages).take(4096).read_to_string(&mut text);
        let name = self.config.executable.display();
        let ended = self.live.as_mut().map(|l| l.process.end());
        let how = match ended {
            Some(Ok(status)) if libc::WIFEXITED(status) => {
                format!("it exited with code {}", libc::WEXITSTATUS(status))
            }
            Some(Ok(status)) if libc::WTERMSIG(status) == libc::SIGKILL => {
                format!("it was not ready after {} seconds", START_LIMIT.as_secs())
            }
            Some(Ok(status)) => format!("it died of signal {}", libc::WTERMSIG(status)),
            _ => "its end is unknown".to_owned(),
        };
        let said = if text.trim().is_empty() { String::new() } else { format!("; it said: {}", text.trim()) };
        TargetError::Server(format!(
            "{name} did not start as a fork server (is it an instrumented executable?): {how}{said}"
        ))
    }

    /// Puts the input where the program will find it; bytes of the input area that it takes.
    fn deliver(&mut self, request: &Request<'_>) -> Result<u64, TargetError> {
        let input_path = self.scratch.input_path().to_string_lossy().into_owned();
        let used = self.shared.write_input(request.input, |o| match o.name.as_str() {
            FILE_ARGUMENT => input_path.clone(),
            other => other.to_owned(),
        });
        let limit = self.shared.layout().input_bytes;
        let used = used.map_err(|len| TargetError::InputTooLarge { len, limit })?;
        let mut stdin: &[u8] = &[];
        for o in &request.input.objects {
            match o.kind {
                ObjectKind::Stdin => stdin = &o.data,
                ObjectKind::File if o.name == FILE_ARGUMENT => {
                    self.scratch.write_input(&o.data).map_err(io_error("writing the input file"))?;
                }
                ObjectKind::File => {
                    self.scratch.write_named(&o.name, &o.data).map_err(io_error("writing an input file"))?;
                }
                _ => {}
            }
        }
        self.write_stdin(stdin).map_err(io_error("writing standard input"))?;
        Ok(used)
    }

    fn write_stdin(&mut self, data: &[u8]) -> io::Result<()> {
        self.stdin.rewind()?;
        self.stdin.write_all(data)?;
        self.stdin.set_len(data.len() as u64)
    }

    /// One attempt.
    fn attempt(&mut self, request: &Request<'_>) -> Result<Answer<(Reply, Stopped)>, TargetError> {
        if !self.frozen.is_empty() {
            // The server ends everything below it after such a run.
            self.frozen.clear();
        }
        if self.live.is_none() {
            self.launch()?;
            self.restarts += 1;
        }
        let used = self.deliver(request)?;
        self.begin(request, used, Orders::default());
        let command = Command { kind: CommandKind::Run as u32, ..self.command() };
        let most = self.config.limits.wall + GRACE;
        Ok(self.exchange(None, command, most, None)?.map(|(reply, over)| (reply, stopped(over, &reply))))
    }

    /// A command within this server's limits that asks for nothing yet.
    fn command(&self) -> Command {
        let ms = |limit: Duration| limit.as_millis().min(u128::from(u32::MAX)) as u32;
        let limits = self.config.limits;
        let most = |full| ms(self.haste.limit(full)).max(1);
        Command { wall_ms: most(limits.wall), cpu_ms: most(limits.cpu), ..Command::EMPTY }
    }

    /// Writes what the run of a request whose input takes so many bytes is told, with `more` that only some runs are.
    fn begin(&mut self, request: &Request<'_>, input_len: u64, more: Orders) {
        let symbolic = if request.mode == Mode::Symbolic { run_flags::SYMBOLIC } else { 0 };
        let random = if request.value_seed.is_some() { run_flags::RANDOM_VALUES } else { 0 };
        self.shared.begin(&Orders {
            flags: symbolic | random | more.flags,
            n_objects: request.input.objects.len() as u32,
            input_len,
            value_seed: request.value_seed.unwrap_or(0),
            max_inputs: request.max_inputs.unwrap_or(self.config.max_inputs),
            ..more
        });
    }

    /// Sends a command to the server, or to a frozen run, and waits for its reply, at most so long (for a run that may freeze:
    /// since its last input statement, until it is to hurry); whether a run was over its memory limit.
    fn exchange(
        &mut self,
        from: Option<usize>,
        command: Command,
        most: Duration,
        freezing: Option<Freezing<'_>>,
    ) -> Result<Answer<(Reply, bool)>, TargetError> {
        self.seq = self.seq.wrapping_add(1) & 0x7fff_ffff;
        let command = Command { seq: self.seq, cpu: sys::current_cpu().unwrap_or(ANY_CPU), ..command };
        let Some(live) = &self.live else { return Ok(Answer::Dead) };
        let (control, parent) = match from {
            None => (&live.control, live.process.pid()),
            Some(at) => self.frozen.serving(at),
        };
        if sys::send_with(control.as_fd(), &encode_command(&command), freezing.as_ref().map(|f| f.socket))
            .is_err()
        {
            return Ok(Answer::Dead);
        }
        let (limit, spared) = (self.config.limits.memory, self.frozen.pids());
        let (mut over, mut inputs, mut hurries) = (false, 0, false);
        let last = Instant::now() + self.config.limits.leg + most;
        loop {
            let deadline =
                if freezing.is_some() { last.min(Instant::now() + most) } else { Instant::now() + most };
            let reply = wait_for_reply(control, self.seq, deadline, || {
                if self.is_interrupted() {
                    return Tick::GiveUp;
                }
                over = over || stop_if_over(parent, &spared, limit);
                if !hurries && freezing.as_ref().is_some_and(|f| (f.stop)()) {
                    hurries = true;
                    let hurry = Command { kind: CommandKind::Hurry as u32, ..self.command() };
                    // If nobody is there to read it, that is seen below.
                    let _ = sys::send_with(control.as_fd(), &encode_command(&hurry), None);
                }
                if over { Tick::Enough } else { Tick::Again }
            });
            let reply = reply.map_err(io_error("waiting for the fork server"))?;
            if matches!(reply, Answer::Late) && self.is_interrupted() {
                // What runs ends with its server.
                self.live = None;
                return Err(TargetError::Interrupted);
            }
            let now = if freezing.is_some() { self.shared.header().n_inputs } else { 0 };
            // A program may count as it likes: nobody waits longer than to the last moment for it.
            if !matches!(reply, Answer::Late) || now == inputs || hurries || Instant::now() >= last {
                return Ok(reply.map(|reply| (reply, over)));
            }
            inputs = now;
        }
    }

    /// Whether the session is to end now.
    fn is_interrupted(&self) -> bool {
        self.shared.layout().has_known == 0 && self.config.curfew.is_over()
    }

    /// The run that a reply ended, or a frozen one as far as it came.
    fn taken(&mut self, request: &Request<'_>, reply: &Reply, stopped: Stopped) -> Result<Run, TargetError> {
        let header = self.shared.header();
        let (run, problems) = self.taker.take(&self.shared, &header, request, reply, stopped)?;
        self.problems.extend(problems);
        self.shared.release(&header);
        Ok(run)
    }

    /// One attempt, repeated where it was not this run that failed: a server that cannot fork (what an earlier run left
    /// behind may be in the way, and goes with the server), or one that died once (of what an earlier run did, or of
    /// somebody else's hand).
    fn attempts(&mut self, request: &Request<'_>) -> Result<Answer<(Reply, Stopped)>, TargetError> {
        let mut died = false;
        let mut answer = self.attempt(request)?;
        for _ in 0..10 {
            match &answer {
                Answer::Done((reply, _)) if reply.status == -1 => {}
                Answer::Dead if !died => died = true,
                _ => break,
            }
            self.live = None;
            std::thread::sleep(TICK);
            answer = self.attempt(request)?;
        }
        Ok(answer)
    }
}

/// What is to follow a look at a run under way.
enum Tick {
    /// Another one.
    Again,
    /// None, until it ends.
    Enough,
    /// Nobody waits for it any more.
    GiveUp,
}

/// Waits for the reply with number `seq`, calling `tick` now and then for as long as it wants.
fn wait_for_reply(
    control: &File,
    seq: u32,
    deadline: Instant,
    mut tick: impl FnMut() -> Tick,
) -> io::Result<Answer<Reply>> {
    let mut watching = true;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Answer::Late);
        }
        if !sys::wait_readable(control.as_fd(), left.min(TICK))? {
            match if watching { tick() } else { Tick::Again } {
                Tick::Again => {}
                Tick::Enough => watching = false,
                Tick::GiveUp => return Ok(Answer::Late),
            }
            continue;
        }
        let mut bytes = [0u8; size_of::<Reply>()];
        match (&*control).read(&mut bytes) {
            Ok(n) if n == bytes.len() => {
                let reply = decode_reply(&bytes);
                if reply.seq == seq {
                    return Ok(Answer::Done(reply));
                }
            }
            // Closed, or not one of our messages: not to be trusted any more.
            Ok(_) => return Ok(Answer::Dead),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(Answer::Dead),
        }
    }
}

/// How the server took a command.
enum Answer<T> {
    /// It answered.
    Done(T),
    /// It did not answer although the time was long over.
    Late,
    /// It is gone, or says what is no answer.
    Dead,
}

impl<T> Answer<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Done(done) => Answer::Done(f(done)),
            Answer::Late => Answer::Late,
            Answer::Dead => Answer::Dead,
        }
    }
}

/// Who stopped the run of a reply, which the engine may have found over its memory limit.
const fn stopped(over: bool, reply: &Reply) -> Stopped {
    match (over, reply.timed_out) {
        (true, _) => Stopped::Memory,
        (_, 0) => Stopped::No,
        _ => Stopped::Time,
    }
}

impl Target for ForkServer {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        let zero = || Reply { status: libc::SIGKILL, ..decode_reply(&[0u8; size_of::<Reply>()]) };
        let (reply, stopped) = match self.attempts(request)? {
            Answer::Done(done) => {
                self.deaths = 0;
                done
            }
            Answer::Late => {
                self.live = None;
                (zero(), Stopped::Time)
            }
            Answer::Dead => {
                // The run broke the server, twice: it is this run's end, and the next gets a new server.
                self.live = None;
                self.deaths += 1;
                if self.deaths >= MOST_DEATHS {
                    return Err(TargetError::Server(format!(
                        "the fork server of {} died {MOST_DEATHS} times in a row",
                        self.config.executable.display()
                    )));
                }
                (zero(), Stopped::No)
            }
        };
        if reply.status == -1 {
            return Err(TargetError::Server("the fork server cannot make processes (out of memory?)".into()));
        }
        match stopped {
            Stopped::Time => self.haste.stopped(),
            Stopped::No => self.haste.ended(Duration::from_micros(reply.wall_us)),
            _ => {}
        }
        let run = self.taken(request, &reply, stopped)?;
        if self.live.is_some() && self.scratch.wipe().is_err() {
            // What cannot be removed goes away with the server's own file system, or with a new directory.
            self.live = None;
        }
        Ok(run)
    }

    fn run_many(&mut self, candidates: &[Candidate<'_>], most: Duration) -> Result<Glimpses, TargetError> {
        self.run_batches(candidates, most)
    }

    fn set_haste(&mut self, yes: bool) {
        self.haste.set(yes);
    }

    fn relax(&mut self) {
        self.haste.relax();
    }

    fn snapshots(&mut self) -> Option<&mut dyn Snapshots> {
        (self.shared.layout().has_known != 0).then_some(self)
    }
}

/// Kills the run below `server`, which is not one of `spared`, if it holds more than `limit` bytes; whether it did.
fn stop_if_over(server: i32, spared: &[i32], limit: u64) -> bool {
    let (bytes, main) = memory::of_descendants(server, spared);
    let Some(main) = main.filter(|_| bytes > limit) else { return false };
    let Ok(descriptor) = sys::process_descriptor(main) else { return false };
    // The number could have been reused between looking and opening; it is still below the server, so it was not.
    if memory::of_descendants(server, spared).1 == Some(main) {
        sys::kill(descriptor.as_fd());
        return true;
    }
    false
}

/// `@@` inside an argument replaced by the path.
pub(crate) fn with_path(arg: &OsStr, path: &OsStr) -> OsString {
    let (bytes, mark) = (arg.as_bytes(), FILE_ARGUMENT.as_bytes());
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(mark.len()).position(|w| w == mark) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(path.as_bytes());
        rest = &rest[at + mark.len()..];
    }
    out.extend_from_slice(rest);
    OsString::from_vec(out)
}

pub(crate) fn io_error(what: &str) -> impl FnOnce(io::Error) -> TargetError {
    let what = what.to_owned();
    move |source| TargetError::Io { what, source }
}

fn encode_command(c: &Command) -> [u8; size_of::<Command>()] {
    // SAFETY: numbers without padding are as many bytes.
    unsafe { std::mem::transmute(*c) }
}

fn decode_reply(bytes: &[u8; size_of::<Reply>()]) -> Reply {
    // SAFETY: numbers without padding; every bit pattern is valid.
    unsafe { std::mem::transmute(*bytes) }
}
