//! Making campaigns: child processes, several at once; what each came to is written when it ended.

use crate::exit;
use crate::experiments::files;
use crate::experiments::machine;
use crate::experiments::measure;
use crate::experiments::ready::Ready;
use crate::failure::Failure;
use experiment::{Machine, Plan, Record, Status, Versions};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where the bench file does not say what ends a campaign before its budget: it is over with what is measured, branches, or also what
/// is to be reached.
fn until(args: &[String], has_goal: bool) -> Option<&'static str> {
    let says = args.iter().any(|arg| arg.starts_with("--until"));
    (!says).then_some(if has_goal { "--until=goals" } else { "--until=covered" })
}

/// How often a child is looked after.
const LOOK: Duration = Duration::from_millis(30);
/// How long a campaign may take to stop when it is asked to.
const GRACE: Duration = Duration::from_secs(5);
/// Lines of a lost campaign's log that are told.
const LAST_LINES: usize = 3;

/// Processes of campaigns that are under way, for the second Ctrl-C.
static UNDER_WAY: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Kills all campaigns that are under way; what they started dies with them.
pub fn kill_all() {
    for &pid in lock(&UNDER_WAY).iter() {
        // It may have ended by itself.
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

/// What all campaigns share.
pub struct Making<'a> {
    /// The bench file.
    pub plan: &'a Plan,
    /// Folder of the results.
    pub out: &'a Path,
    /// Campaigns at the same time.
    pub jobs: usize,
    /// What makes them.
    pub versions: Versions,
    /// Where.
    pub machine: Machine,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
}

impl Making<'_> {
    /// Makes these campaigns, and says so of each. How many ran to their end and how many were lost.
    ///
    /// # Errors
    /// When the results cannot be written; a campaign that fails is a result.
    pub fn all(&self, campaigns: &[&Ready]) -> Result<(usize, usize), Failure> {
        let (next, ended) = (AtomicUsize::new(0), Mutex::new((0, 0)));
        let failure: Mutex<Option<Failure>> = Mutex::new(None);
        let worker = || {
            while let Some(ready) = campaigns.get(next.fetch_add(1, Ordering::SeqCst)) {
                if self.stop.load(Ordering::SeqCst) {
                    return;
                }
                match self.one(ready) {
                    Ok(None) => return,
                    Ok(Some(record)) => {
                        let mut ended = lock(&ended);
                        if record.is_done() {
                            ended.0 += 1
                        } else {
                            ended.1 += 1
                        }
                        eprintln!("[{}/{}] {}", ended.0 + ended.1, campaigns.len(), told(&record));
                    }
                    Err(what) => {
                        lock(&failure).get_or_insert(what);
                        next.store(campaigns.len(), Ordering::SeqCst);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(campaigns.len()) {
                scope.spawn(worker);
            }
        });
        match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(*lock(&ended)),
        }
    }

    /// Makes a campaign; `None` if it was interrupted.
    fn one(&self, ready: &Ready) -> Result<Option<Record>, Failure> {
        let folder = files::slot(self.out, &ready.slot);
        files::emptied(&folder)?;
        let mut record = self.begun(ready);
        record.status = match self.explore(ready, &folder)? {
            End::Stopped => return Ok(None),
            End::Late => Status::Lost("it took longer than the limit of the bench file".to_owned()),
            End::Exited(status) if status.success() => Status::Done,
            End::Exited(status) => {
                Status::Lost(format!("spelunk explore ended with {status}: {}", last_lines(&folder)))
            }
        };
        if record.is_done()
            && let Err(failure) = measure::read(&folder.join("campaign"), ready.goal.as_ref(), &mut record)
        {
            record.status = Status::Lost(failure.message);
        }
        // Somebody else may have sent the signal that ended it; what it did before its budget's end is no result.
        if record.ended == "stopped" {
            record.status = Status::Lost("it was stopped before its budget was used".to_owned());
        }
        files::write_record(&folder, &record)?;
        Ok(Some(record))
    }

    fn begun(&self, ready: &Ready) -> Record {
        let (plan, campaign) = (self.plan, &ready.campaign);
        Record {
            target: plan.targets[campaign.target].name.clone(),
            strategy: plan.strategies[campaign.strategy].name.clone(),
            budget: plan.budgets[campaign.budget].name.clone(),
            seed: campaign.seed,
            repetition: campaign.repetition,
            key: ready.key.clone(),
            command: ready.command.clone(),
            began_unix: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()),
            load: machine::load(),
            versions: self.versions.clone(),
            machine: self.machine.clone(),
            ..Record::default()
        }
    }

    /// Runs `spelunk explore` in a process group of its own, so that Ctrl-C reaches this process alone.
    fn explore(&self, ready: &Ready, folder: &Path) -> Result<End, Failure> {
        let log = folder.join("log.txt");
        let file = File::create(&log).map_err(|e| Failure::io("write", &log, &e))?;
        let second = file.try_clone().map_err(|e| Failure::io("write", &log, &e))?;
        let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("spelunk"));
        let end = ready.args.iter().position(|arg| arg == "--").unwrap_or(ready.args.len());
        let mut out = std::ffi::OsString::from("--out=");
        out.push(folder.join("campaign"));
        let child = Command::new(&own)
            .arg("explore")
            .args(&ready.args[..end])
            .args(until(&ready.args[..end], ready.goal.is_some()))
            .arg(out)
            .args(&ready.args[end..])
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(second)
            .process_group(0)
            .spawn()
            .map_err(|e| Failure::new(exit::SYSTEM, format!("cannot start {}: {e}", own.display())))?;
        let pid = i32::try_from(child.id()).unwrap_or_default();
        lock(&UNDER_WAY).insert(pid);
        let end = self.watch(child);
        lock(&UNDER_WAY).remove(&pid);
        end
    }

    fn watch(&self, mut child: Child) -> Result<End, Failure> {
        let began = Instant::now();
        let unknown = |e: std::io::Error| {
            Failure::new(exit::SYSTEM, format!("cannot tell whether a campaign has ended: {e}"))
        };
        loop {
            if let Some(status) = child.try_wait().map_err(unknown)? {
                let stopped = self.stop.load(Ordering::SeqCst) && !status.success();
                return Ok(if stopped { End::Stopped } else { End::Exited(status) });
            }
            if self.stop.load(Ordering::SeqCst) {
                ended(&mut child);
                return Ok(End::Stopped);
            }
            if self.plan.limit.is_some_and(|limit| began.elapsed() > limit) {
                ended(&mut child);
                return Ok(End::Late);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// How a child ended.
enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It was over the limit.
    Late,
    /// The user interrupted.
    Stopped,
}

/// Ends a child: asked first, so that it can clear up.
fn ended(child: &mut Child) {
    let began = Instant::now();
    if let Ok(pid) = i32::try_from(child.id()) {
        // It may have ended by itself.
        let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
    }
    while began.elapsed() < GRACE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(LOOK);
    }
    // As above.
    let _ = child.kill();
    let _ = child.wait();
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The end of what a campaign printed, in one line.
fn last_lines(folder: &Path) -> String {
    let text = std::fs::read(folder.join("log.txt")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("; ")
}

fn told(record: &Record) -> String {
    match &record.status {
        Status::Lost(what) => format!("{}: lost: {what}", record.name()),
        Status::Done => format!(
            "{}: {} of {} branches, {} runs, {:.1} CPU-s",
            record.name(),
            record.branches,
            record.branches_in_all,
            record.runs,
            record.cpu
        ),
    }
}
