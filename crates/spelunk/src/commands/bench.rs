//! `spelunk bench`: makes the campaigns of a bench file that are not there yet, and the report of all.

use crate::cli::BenchArgs;
use crate::experiments::run::{self, Making};
use crate::experiments::{files, machine, ready};
use crate::failure::{Done, Failure};
use crate::{exit, summary};
use experiment::{About, Campaign, Plan};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes campaigns and the report.
pub fn run(args: BenchArgs) -> Done {
    let file = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).map_err(|e| Failure::io("read", &args.file, &e))?;
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let plan = experiment::parse(&text, &stem)
        .map_err(|e| Failure::new(exit::USAGE, format!("{file}:{}: {}", e.line, e.what)))?;
    let out = args.out.clone().unwrap_or_else(|| Path::new("spelunk-bench").join(&stem));
    let out = std::path::absolute(&out).map_err(|e| Failure::io("find", &out, &e))?;
    let all = plan.campaigns();
    let lock = files::taken(&out)?;
    let ended = if args.report { Ended::default() } else { make(&args, &plan, &all, &file, &out)? };
    let about = About {
        date: day(now()),
        file: args.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        text,
        spelunk: format!("{}, commit {}", env!("CARGO_PKG_VERSION"), env!("SPELUNK_COMMIT")),
        day,
    };
    let records = files::records(&plan, &all, &out);
    if records.is_empty() {
        let what =
            format!("there is no complete campaign in {}; run spelunk bench without --report", out.display());
        return Err(Failure::new(if ended.stopped { exit::INTERRUPTED } else { exit::CAMPAIGN }, what));
    }
    let comparisons = experiment::comparisons(&plan, &records);
    let page = files::report(&plan, &comparisons, &about, &out)?;
    drop(lock);
    print!("{}", experiment::table(&comparisons, summary::look().width));
    println!("\n{}", page.display());
    match ended {
        Ended { stopped: true, .. } => {
            eprintln!("stopped; the same command goes on with what is missing");
            Ok(exit::INTERRUPTED)
        }
        Ended { lost: 0, .. } => Ok(exit::OK),
        Ended { lost, .. } => {
            let what = if lost == 1 { "a campaign was".to_owned() } else { format!("{lost} campaigns were") };
            let what = format!("{what} lost (log.txt in its folder says more); the same command tries again");
            Err(Failure::new(exit::CAMPAIGN, what))
        }
    }
}

/// What came of making campaigns.
#[derive(Default)]
struct Ended {
    lost: usize,
    stopped: bool,
}

/// Makes what is missing.
fn make(args: &BenchArgs, plan: &Plan, all: &[Campaign], file: &str, out: &Path) -> Result<Ended, Failure> {
    let wanted = |campaign: &&Campaign| {
        let slot = plan.slot(campaign);
        args.only.is_empty() || args.only.iter().any(|part| slot.contains(part.as_str()))
    };
    let chosen: Vec<Campaign> = all.iter().filter(wanted).copied().collect();
    if chosen.is_empty() {
        let some: Vec<String> = all.iter().take(3).map(|c| plan.slot(c)).collect();
        return Err(Failure::new(
            exit::USAGE,
            format!(
                "--only {} fits no campaign; they are called {}, …",
                args.only.join(" --only "),
                some.join(", ")
            ),
        ));
    }
    // What the file names is relative to its folder.
    let folder = args.file.parent().filter(|f| !f.as_os_str().is_empty()).map(PathBuf::from);
    if let Some(folder) = folder {
        std::env::set_current_dir(&folder).map_err(|e| Failure::io("go to", &folder, &e))?;
    }
    let stop = stop_on_signals()?;
    let versions = machine::versions()?;
    let ready = ready::all(plan, &chosen, file)?;
    let complete = |r: &&ready::Ready| {
        let known = files::read_record(&files::slot(out, &r.slot));
        known.is_some_and(|known| {
            known.is_done() && known.key == r.key && (args.keep || known.versions.build == versions.build)
        })
    };
    let missing: Vec<&ready::Ready> = ready.iter().filter(|r| !complete(r)).collect();
    eprintln!(
        "{} campaigns, {} of them complete; {} at a time",
        ready.len(),
        ready.len() - missing.len(),
        args.jobs
    );
    let making =
        Making { plan, out, jobs: args.jobs as usize, versions, machine: machine::machine(), stop: &stop };
    let (_, lost) = making.all(&missing)?;
    Ok(Ended { lost, stopped: stop.load(Ordering::SeqCst) })
}

/// A flag that Ctrl-C and SIGTERM set; a second one ends the process at once.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            run::kill_all();
            std::process::exit(exit::INTERRUPTED.into());
        }
        eprintln!("\nstopping: campaigns that have ended are kept (again to stop at once)");
    })
    .map_err(|e| Failure::new(exit::SYSTEM, format!("cannot watch for Ctrl-C: {e}")))?;
    Ok(stop)
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// `2026-11-21`.
fn day(unix: u64) -> String {
    let moment = i64::try_from(unix).ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
    moment.map_or_else(String::new, |m| m.strftime("%Y-%m-%d").to_string())
}
