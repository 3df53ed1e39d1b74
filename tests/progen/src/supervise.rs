//! Many seeds in several processes.

use crate::summary::Summary;
use crate::worker::{Done, Line};
use anyhow::{Context as _, Result};
use fs_err as fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seeds that a process gets at once.
const BATCH: u64 = 40;
/// Programs between two lines of progress.
const PROGRESS: u64 = 500;

/// Checks programs `first..first + count` with `jobs` processes of this executable, which get the arguments `own`. Failing
/// programs are written to the folder `failures` as they are found.
///
/// # Errors
/// When a process cannot be started or a file not be written.
pub fn supervise(
    first: u64,
    count: u64,
    jobs: usize,
    own: &[String],
    failures: &Path,
    summary: &mut Summary,
) -> Result<()> {
    let next = AtomicU64::new(first);
    let end = first + count;
    let summary = Mutex::new(summary);
    let take_batches = || -> Result<()> {
        loop {
            let from = next.fetch_add(BATCH, Ordering::Relaxed);
            if from >= end {
                return Ok(());
            }
            batch(from, (from + BATCH).min(end), own, &|seed, done| record(&summary, failures, seed, done))?;
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(take_batches)).collect();
        threads.into_iter().try_for_each(|t| t.join().expect("no thread panics"))
    })
}

/// The seeds `from..to` in one process; in another one from behind a seed that took the process down.
fn batch(from: u64, to: u64, own: &[String], record: &dyn Fn(u64, &Done) -> Result<()>) -> Result<()> {
    let mut from = from;
    while from < to {
        let executable = std::env::current_exe()?;
        let mut child = Command::new(executable)
            .args(own)
            .args(["--worker", &format!("--seed={from}"), &format!("--programs={}", to - from)])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting a worker")?;
        let mut begun = from;
        for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
            let line: Line = serde_json::from_str(&line?).context("a worker's line")?;
            begun = line.seed;
            if let Some(done) = line.result {
                record(line.seed, &done)?;
                begun = line.seed + 1;
            }
        }
        let status = child.wait()?;
        if begun < to {
            let why = format!("the process that derived the flavour ended: {status}");
            record(begun, &Done::crashed(why))?;
        }
        from = begun + 1;
    }
    Ok(())
}

fn record(summary: &Mutex<&mut Summary>, failures: &Path, seed: u64, done: &Done) -> Result<()> {
    let mut summary = summary.lock().expect("no thread panics");
    summary.add(seed, done);
    if let Some((kind, detail, program)) = &done.failure {
        println!("seed {seed}: {kind}: {detail}");
        fs::create_dir_all(failures)?;
        let text = format!(
            "// seed {seed}, {}\n// {kind}: {}\n{program}",
            done.flags.join(" "),
            detail.replace('\n', "\n// ")
        );
        fs::write(failures.join(format!("{seed}.c")), text)?;
    }
    if summary.programs.is_multiple_of(PROGRESS) {
        println!("{} programs, {} failures", summary.programs, summary.failures.len());
    }
    Ok(())
}
