//! Other people's builds and tests: run as an unprivileged user, with a time limit, logged, and ended entirely.
//!
//! Every command leads a process group, which is killed when the command is over or late. What left the group (daemons)
//! becomes a child of the sweep, which is a reaper, and is known by a variable in its environment.

use anyhow::Context;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Variable that names the package a process belongs to.
const MARK: &str = "SPELUNK_SWEEP_OF";
/// Largest file that a command may write.
const MAX_FILE: u64 = 8 << 30;

/// The sweep was told to end: nothing more is started.
static STOPPING: AtomicBool = AtomicBool::new(false);

/// Who runs other people's code.
#[derive(Clone, Copy, Debug)]
pub struct User {
    ids: Option<(u32, u32)>,
}

impl User {
    /// `nobody` for root, else whoever runs the sweep.
    pub fn unprivileged() -> anyhow::Result<User> {
        if !nix::unistd::geteuid().is_root() {
            return Ok(User { ids: None });
        }
        let nobody = nix::unistd::User::from_name("nobody")?.context("the user nobody is missing")?;
        Ok(User { ids: Some((nobody.uid.as_raw(), nobody.gid.as_raw())) })
    }

    /// Makes a folder that this user may write to.
    pub fn folder(&self, path: &Path) -> anyhow::Result<()> {
        fs_err::create_dir_all(path)?;
        self.own(path)?;
        Ok(())
    }

    /// Gives a file to this user.
    pub fn own(&self, path: &Path) -> std::io::Result<()> {
        match self.ids {
            Some((user, group)) => std::os::unix::fs::chown(path, Some(user), Some(group)),
            None => Ok(()),
        }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// By the time limit.
    Late,
}

impl End {
    /// For people.
    pub fn text(self) -> String {
        match self {
            End::Exit(code) => format!("exit {code}"),
            End::Signal(signal) => format!("signal {signal}"),
            End::Late => "time limit".into(),
        }
    }
}

/// A command to be run.
pub struct Job<'a> {
    /// Its words.
    pub words: Vec<String>,
    /// Where.
    pub folder: &'a Path,
    /// Its whole environment.
    pub environment: &'a [(String, String)],
    /// Who.
    pub user: User,
    /// How long.
    pub limit: Duration,
    /// Name of the package: marks its processes.
    pub mark: &'a str,
}

/// How a job ended, and when.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// How.
    pub end: End,
    /// Wall time.
    pub seconds: f64,
}

impl Ran {
    /// Whether it ended with 0.
    pub fn is_success(&self) -> bool {
        self.end == End::Exit(0)
    }
}

/// Lets orphans of tested programs become children of this process, and ends them all when it is told to end (Ctrl-C,
/// SIGTERM).
pub fn become_reaper() -> anyhow::Result<()> {
    nix::sys::prctl::set_child_subreaper(true).context("becoming a reaper of orphans")?;
    ctrlc::set_handler(|| {
        STOPPING.store(true, Ordering::SeqCst);
        // Twice: what was just being started, and orphans that came by the first time.
        for _ in 0..2 {
            let marked = children(std::process::id()).into_iter().filter(|p| is_marked(*p, MARK));
            for child in marked {
                let _ = killpg(child, Signal::SIGKILL);
                let _ = kill(child, Signal::SIGKILL);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        std::process::exit(130);
    })
    .context("waiting for Ctrl-C")
}

/// Runs a job with standard output and error appended to one log.
pub fn run(job: &Job<'_>, log: &Path) -> anyhow::Result<Ran> {
    if let Some(parent) = log.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let out = File::options().create(true).append(true).open(log)?;
    let error = out.try_clone()?;
    run_to(job, out, error)
}

/// Runs a job with standard output and error in two new files.
pub fn run_apart(job: &Job<'_>, out: &Path, error: &Path) -> anyhow::Result<Ran> {
    run_to(job, File::create(out)?, File::create(error)?)
}

fn run_to(job: &Job<'_>, out: File, error: File) -> anyhow::Result<Ran> {
    let fsize = format!("--fsize={MAX_FILE}");
    let mut command = Command::new("prlimit");
    command.args(["--core=0", &fsize, "--"]).args(&job.words);
    command.current_dir(job.folder).env_clear().env(MARK, format!("{}:", job.mark));
    command.envs(job.environment.iter().map(|(k, v)| (k, v)));
    command.stdin(Stdio::null()).stdout(out).stderr(error).process_group(0);
    if let Some((user, group)) = job.user.ids {
        command.uid(user).gid(group);
    }
    while STOPPING.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
    }
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("starting {}", job.words.join(" ")))?;
    let group = Pid::from_raw(i32::try_from(child.id())?);
    let mut pause = Duration::from_millis(1);
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break match (status.code(), status.signal()) {
                (Some(code), _) => End::Exit(code),
                (None, signal) => End::Signal(signal.unwrap_or(0)),
            };
        }
        if start.elapsed() > job.limit {
            break End::Late;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
    };
    let seconds = start.elapsed().as_secs_f64();
    // The group may be gone already.
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
    end_orphans(job.mark);
    Ok(Ran { end, seconds })
}

/// Kills what a job left in other groups, until nothing is left.
fn end_orphans(mark: &str) {
    let own = std::process::id();
    let wanted = format!("{MARK}={mark}:");
    for _ in 0..100 {
        let orphans: Vec<Pid> = children(own).into_iter().filter(|p| is_marked(*p, &wanted)).collect();
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            let _ = kill(orphan, Signal::SIGKILL);
            for _ in 0..50 {
                match waitpid(orphan, Some(WaitPidFlag::WNOHANG)) {
                    Ok(WaitStatus::StillAlive) => std::thread::sleep(Duration::from_millis(10)),
                    _ => break,
                }
            }
        }
    }
}

/// Direct children of a process, by `/proc`.
fn children(parent: u32) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbers = entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    let of = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest).to_string();
        rest.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    numbers.filter(of).map(Pid::from_raw).collect()
}

/// Whether a process carries a mark that begins like this.
fn is_marked(pid: Pid, wanted: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|&b| b == 0).any(|v| v.starts_with(wanted.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_apart() {
        let user = User { ids: None };
        let environment = [("PATH".to_string(), "/usr/bin:/bin".to_string())];
        let folder = std::env::temp_dir();
        let log = folder.join(format!("sweep-process-{}", std::process::id()));
        let run = |line: &str, millis| {
            let words = ["sh", "-c", line].map(String::from).to_vec();
            let limit = Duration::from_millis(millis);
            let job = Job { words, folder: &folder, environment: &environment, user, limit, mark: "test" };
            super::run(&job, &log).expect("it starts").end
        };
        assert_eq!(run("echo hello; exit 3", 60_000), End::Exit(3));
        assert_eq!(run("kill -SEGV $$", 60_000), End::Signal(11));
        assert_eq!(run("sleep 1000", 100), End::Late);
        assert_eq!(std::fs::read_to_string(&log).expect("a log"), "hello\n");
        std::fs::remove_file(&log).expect("removable");
    }
}
