//! `spelunk replay`: tests and findings again, on the user's own executable; findings that it survives, on flavour
//! `check`.

use crate::bench::{self, Machines};
use crate::cli::{ReplayArgs, TargetArgs};
use crate::failure::{Done, Failure};
use crate::plain::{self, Plain};
use crate::progress::outcome_text;
use crate::{campaign_folder, exit, prepare};
use events::{Diagnosis, RunId, Verdict};
use explore::suite::same_class;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Campaign, Meta, Session};
use trace::{Input, Outcome};

/// A test or finding to run again.
struct Case {
    name: String,
    input: Input,
    expected: Option<Outcome>,
    /// A finding that shows on flavour `check` only.
    silent: Option<Box<Diagnosis>>,
    /// A finding that no executable has shown, and how the instrumented one ended.
    doubted: Option<Outcome>,
    /// A test that its session had no time to confirm, by its run.
    pending: Option<RunId>,
}

/// Replays a campaign, or one test or finding of it.
pub fn run(args: ReplayArgs) -> Done {
    let folder = campaign_of(&args.what)?;
    let campaign = Campaign::open(&folder).map_err(campaign_folder::failure)?;
    let meta = campaign.meta().map_err(campaign_folder::failure)?;
    let cases = cases(&campaign, &folder, &args.what)?;
    if cases.is_empty() {
        println!("{}: no tests or findings yet", folder.display());
        return Ok(exit::OK);
    }
    let mut program = program(&meta)?;
    let (mut different, mut settled) = (0, Vec::new());
    let executable = program_file(&meta)?;
    let mut checked = Checked::new(&meta, &executable);
    let any_code = std::cell::LazyCell::new(|| {
        campaign_folder::exit_is_chance(&meta) || execute::returns_nothing(&executable, "main")
    });
    for case in &cases {
        if let Some(diagnosis) = &case.silent {
            let same = checked.replay(case, diagnosis, args.show)?;
            different += u32::from(!same);
            continue;
        }
        let run = program.run(&case.input).map_err(|e| Failure::new(exit::TOOLS, e.to_string()))?;
        let run_outcome = run.outcome;
        // Of what nobody could confirm it is news if it shows.
        let same = match (case.expected, case.doubted) {
            (Some(Outcome::Exit(_)), _) if matches!(run.outcome, Outcome::Exit(_)) && *any_code => true,
            (Some(expected), _) => same_class(expected, run.outcome),
            (None, Some(_)) => !run.outcome.is_finding(),
            (None, None) => true,
        };
        if let Some(run) = case.pending {
            settled.push((run, case.input.clone(), same));
            let verdict = if same { "confirmed" } else { "REJECTED " };
            println!("{verdict}  {}: {}", case.name, outcome_text(run_outcome));
            continue;
        }
        different += u32::from(!same);
        let remark = match (case.expected, case.doubted) {
            (Some(expected), _) if !same => format!("  (was: {})", outcome_text(expected)),
            (None, Some(seen)) => {
                format!("  (not confirmed; the instrumented program: {})", outcome_text(seen))
            }
            _ => String::new(),
        };
        println!(
            "{}  {}: {}{remark}",
            if same { "same     " } else { "DIFFERENT" },
            case.name,
            outcome_text(run.outcome)
        );
        if args.show {
            print!("{}", String::from_utf8_lossy(&run.stderr));
        }
    }
    drop(campaign);
    settle(&folder, &settled)?;
    let replayed = cases.len() as u32 - settled.len() as u32;
    println!("{replayed} replayed, {} as recorded, {different} different", replayed - different);
    if !settled.is_empty() {
        let confirmed = settled.iter().filter(|(.., same)| *same).count();
        println!("{confirmed} of {} tests that were not confirmed yet are so now", settled.len());
    }
    Ok(if different == 0 { exit::OK } else { exit::DIFFERENT })
}

/// Tests that were confirmed now join the suite; none of those that were run waits any more.
fn settle(folder: &Path, settled: &[(RunId, Input, bool)]) -> Result<(), Failure> {
    if settled.is_empty() {
        return Ok(());
    }
    let write = || {
        let mut session = Session::resume(folder)?;
        for (run, input, _) in settled.iter().filter(|(.., same)| *same) {
            session.add_test(*run, input)?;
        }
        let mut left = session.pending()?;
        left.retain(|run| !settled.iter().any(|(done, ..)| done == run));
        session.set_pending(&left)?;
        session.commit()
    };
    write().map_err(campaign_folder::failure)
}

/// The campaign folder that `what` is, or lies in.
fn campaign_of(what: &Path) -> Result<PathBuf, Failure> {
    let path =
        what.canonicalize().map_err(|e| Failure::new(exit::CAMPAIGN, format!("{}: {e}", what.display())))?;
    let found = path.ancestors().find(|folder| folder.join("campaign.db").is_file());
    found.map(Path::to_path_buf).ok_or_else(|| {
        let what = what.display();
        Failure::new(
            exit::CAMPAIGN,
            format!("{what}: not a campaign folder, and not a file inside one (no campaign.db)"),
        )
    })
}

/// Findings that the user's own executable survives, run on flavours `check` and `find`, which are derived when first needed.
struct Checked<'m> {
    meta: &'m Meta,
    executable: &'m Path,
    check: Option<Machines>,
    find: Option<Machines>,
}

impl<'m> Checked<'m> {
    fn new(meta: &'m Meta, executable: &'m Path) -> Checked<'m> {
        Checked { meta, executable, check: None, find: None }
    }

    /// Whether the finding shows again.
    fn replay(&mut self, case: &Case, diagnosis: &Diagnosis, show: bool) -> Result<bool, Failure> {
        let bench = match if diagnosis.on_check { &mut self.check } else { &mut self.find } {
            Some(bench) => bench,
            none => none.insert(machines(self.meta, self.executable, diagnosis.on_check)?),
        };
        let (seen, how) = match diagnosis.on_check {
            true => (diagnose::observe(bench, &case.input, &[], None, false), "with AddressSanitizer"),
            false => (diagnose::observe_checks(bench, &case.input, false), "with the checks of --find"),
        };
        let again = seen.iter().find(|s| s.kind == diagnosis.kind);
        let what = diagnosis.kind.text();
        match again {
            Some(sighting) => {
                println!("same       {}: {what}, {how}: {}", case.name, sighting.message);
                if show {
                    print!("{}", sighting.report);
                }
            }
            None => println!("DIFFERENT  {}: nothing shows  (was: {what}, {how})", case.name),
        }
        Ok(again.is_some())
    }
}

/// Flavour `check` of the executable, or flavour `find`.
fn machines(meta: &Meta, executable: &Path, check: bool) -> Result<Machines, Failure> {
    let target =
        TargetArgs { target: vec![executable.to_path_buf()], cflags: String::new(), ldflags: String::new() };
    let source = prepare::source(&target, &toolchain::Cache::from_env())?;
    let words = meta.options.get("find").map(String::as_str).unwrap_or_default();
    let find: Vec<_> = words.split(',').filter_map(|word| word.parse().ok()).collect();
    let check = if check { Some(bench::check_flavour(&source, &find, &mut || false)?) } else { None };
    let machines = Machines::new(executable, check, &meta.args, limits(meta));
    Ok(machines.with_find(&source, &find))
}

fn number(meta: &Meta, name: &str, default: u64) -> u64 {
    meta.options.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn limits(meta: &Meta) -> execute::Limits {
    plain::limits(Duration::from_millis(number(meta, "timeout_ms", 2000)), number(meta, "memory_mib", 1024))
}

/// The user's own executable, as the campaign remembers it.
fn program(meta: &Meta) -> Result<Plain, Failure> {
    Ok(Plain::new(&program_file(meta)?, &meta.args, limits(meta)))
}

fn program_file(meta: &Meta) -> Result<PathBuf, Failure> {
    let executable = PathBuf::from(meta.options.get("executable").map(String::as_str).unwrap_or_default());
    if !executable.is_file() {
        return Err(Failure::new(
            exit::TARGET,
            format!("{}: the executable of this campaign is gone; build it again", executable.display()),
        ));
    }
    Ok(executable)
}

/// What to replay: everything, or what lies at `what`.
fn cases(campaign: &Campaign, folder: &Path, what: &Path) -> Result<Vec<Case>, Failure> {
    let what = what.canonicalize().unwrap_or_else(|_| what.to_path_buf());
    let wanted = |file: &Path| file.starts_with(&what) || what.starts_with(file);
    let corpus = campaign.corpus().map_err(campaign_folder::failure)?;
    let pending = campaign.pending().map_err(campaign_folder::failure)?;
    let mut cases = Vec::new();
    for kept in campaign.kept_runs().map_err(campaign_folder::failure)? {
        let Some(name) = kept.file.file_name() else { continue };
        let test = folder.join("tests").join(name);
        let input = corpus.inputs.iter().find(|(run, _)| *run == kept.run).map(|(_, input)| input);
        if let (true, true, Some(input)) = (test.is_file(), wanted(&test), input) {
            let name = format!("tests/{}", name.to_string_lossy());
            cases.push(Case {
                name,
                input: input.clone(),
                expected: Some(kept.outcome),
                silent: None,
                doubted: None,
                pending: None,
            });
        } else if let (true, true, Some(input)) = (pending.contains(&kept.run), wanted(&test), input) {
            cases.push(Case {
                name: format!("corpus/{}", name.to_string_lossy()),
                input: input.clone(),
                expected: Some(kept.outcome),
                silent: None,
                doubted: None,
                pending: Some(kept.run),
            });
        }
    }
    for finding in campaign.findings().map_err(campaign_folder::failure)? {
        let (expected, silent, doubted) = match finding.verdict {
            Some(Verdict::SameAs { .. }) => continue,
            Some(Verdict::Confirmed(d)) if !d.on_own => (None, Some(d), None),
            Some(Verdict::Confirmed(d)) => (d.own, None, None),
            _ => (None, None, Some(finding.outcome)),
        };
        let place = finding.folder.canonicalize().unwrap_or_else(|_| finding.folder.clone());
        if wanted(&place) {
            let name = format!("findings/{}", place.file_name().unwrap_or_default().to_string_lossy());
            let input = campaign.finding_input(finding.id).map_err(campaign_folder::failure)?;
            cases.push(Case { name, input, expected, silent, doubted, pending: None });
        }
    }
    Ok(cases)
}
