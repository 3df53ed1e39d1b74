//! The campaign folder: chosen, checked before anything costly, created or continued.

use crate::biased;
use crate::cli::ExploreArgs;
use crate::commands::explore::name_of;
use crate::exit;
use crate::failure::Failure;
use crate::prepare::Prepared;
use events::Verdict;
use explore::Earlier;
use solve::Memory;
use solvers::Selection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use store::{Campaign, Meta, Session, StoreError};
use trace::Input;

/// The option under which a campaign remembers that exit codes are chance, and its value then.
const EXIT_CODES: &str = "exit_codes";
const CHANCE: &str = "chance";

/// A store error with the exit code that fits.
pub fn failure(error: StoreError) -> Failure {
    let code = match error {
        StoreError::Exists { .. }
        | StoreError::NotACampaign { .. }
        | StoreError::Version { .. }
        | StoreError::Locked { .. }
        | StoreError::Damaged { .. } => exit::CAMPAIGN,
        StoreError::DiskFull { .. } | StoreError::Io { .. } | StoreError::Database { .. } => exit::SYSTEM,
    };
    Failure::new(code, error.to_string())
}

/// The folder of `--out`, or one named after the target.
pub fn choose(args: &ExploreArgs) -> PathBuf {
    let default = || Path::new("spelunk-out").join(name_of(&args.target.target[0]));
    args.out.clone().unwrap_or_else(default)
}

/// Whether the folder can be used, before the program is prepared.
///
/// # Errors
/// When it holds a campaign and `resume` is not asked for, or the other way round.
pub fn check(folder: &Path, resume: bool) -> Result<(), Failure> {
    let there = folder.join("campaign.db").exists();
    match (there, resume) {
        (true, false) => Err(failure(StoreError::Exists { dir: folder.to_path_buf() })),
        (false, true) => Err(failure(StoreError::NotACampaign { dir: folder.to_path_buf() })),
        (true, true) => {
            Campaign::open(folder).and_then(|campaign| campaign.meta()).map(drop).map_err(failure)
        }
        (false, false) => Ok(()),
    }
}

/// Creates the campaign, or continues it.
///
/// # Errors
/// When the folder cannot be used.
pub fn session(
    folder: &Path,
    args: &ExploreArgs,
    prepared: &Prepared,
) -> Result<(Session, Earlier), Failure> {
    if !args.resume {
        let session = Session::create(folder, &meta(args, prepared), &prepared.map).map_err(failure)?;
        return Ok((session, Earlier::default()));
    }
    let mut session = Session::resume(folder).map_err(failure)?;
    let known = session.map().map_err(failure)?;
    if known != *prepared.map {
        return Err(Failure::new(
            exit::CAMPAIGN,
            format!(
                "{}: the program was built anew since this campaign began; start another one with --out, and give it \
                 {}/corpus with --seeds",
                folder.display(),
                folder.display()
            ),
        ));
    }
    let corpus = session.corpus().map_err(failure)?;
    for what in &corpus.unreadable {
        eprintln!("left out of the corpus: {what}");
    }
    let runs = session.runs().map_err(failure)?;
    let findings = findings(&session).map_err(failure)?;
    session.commit().map_err(failure)?;
    Ok((session, Earlier { runs, corpus: corpus.inputs, findings }))
}

/// The findings of earlier sessions with their reproducers. One whose reproducer is gone keeps its number: it
/// comes with an input that shows nothing.
fn findings(session: &Session) -> Result<Vec<(explore::Finding, Input)>, StoreError> {
    let known = session.findings()?.into_iter().map(|finding| {
        let input = match finding.verdict {
            Some(Verdict::SameAs { .. }) => Input::default(),
            _ => session.finding_input(finding.id).unwrap_or_else(|error| {
                eprintln!("the reproducer of finding #{} cannot be read: {error}", finding.id.0);
                Input::default()
            }),
        };
        let known = explore::Finding {
            id: finding.id,
            outcome: finding.outcome,
            stack: finding.stack,
            best: finding.best_run,
            input_len: input.len() as u64,
            count: finding.count,
        };
        (known, input)
    });
    Ok(known.collect())
}

/// What was answered in the campaign's last session, for a session with this selection of stages.
///
/// # Errors
/// If the database cannot be read.
pub fn answers(session: &Session, selection: &Selection) -> Result<Memory, StoreError> {
    let memory = Memory::default();
    let known = selection.remembers().then(|| session.answers(&solver_version())).transpose()?.flatten();
    if known.is_some_and(|bytes| memory.take_in(&bytes).is_none()) {
        eprintln!("earlier answers of the solvers cannot be read and are left out");
    }
    Ok(memory)
}

/// Keeps what was answered for the next session.
///
/// # Errors
/// If the database cannot be written.
pub fn keep_answers(session: &mut Session, selection: &Selection, memory: &Memory) -> Result<(), StoreError> {
    if !selection.remembers() {
        return Ok(());
    }
    session.set_answers(&solver_version(), &memory.to_bytes())?;
    session.commit()
}

/// Tells builds of the solvers apart: contradictions found by another one are not believed. The executable's size and date stand
/// for what versions do not tell.
fn solver_version() -> String {
    let built = std::env::current_exe().and_then(|path| path.metadata());
    let built = built.and_then(|file| Ok((file.len(), file.modified()?)));
    format!("{} {} {built:?}", env!("CARGO_PKG_VERSION"), solvers::smt_version())
}

/// Whether the first look of the campaign found that the program's exit codes are chance.
pub fn exit_is_chance(meta: &Meta) -> bool {
    meta.options.get(EXIT_CODES).is_some_and(|text| text == CHANCE)
}

/// What the campaign remembers about itself.
fn meta(args: &ExploreArgs, prepared: &Prepared) -> Meta {
    let absolute =
        |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string();
    let options = BTreeMap::from([
        ("executable".to_string(), absolute(&prepared.source.executable)),
        ("timeout_ms".to_string(), args.timeout.as_millis().to_string()),
        ("memory_mib".to_string(), args.memory.to_string()),
        biased::recorded(&args.random),
        ("depth".to_string(), args.depth.to_string()),
        ("find".to_string(), args.find.iter().map(|k| k.name()).collect::<Vec<_>>().join(",")),
        (EXIT_CODES.to_string(), if prepared.exit_is_chance { CHANCE } else { "" }.to_string()),
    ]);
    Meta {
        target: args.target.target.iter().map(|t| absolute(t)).collect::<Vec<_>>().join(" "),
        args: args.args.clone(),
        seed: args.seed,
        strategy: args.strategy.name().to_string(),
        began_unix: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()),
        versions: BTreeMap::from([
            ("spelunk".to_string(), env!("CARGO_PKG_VERSION").to_string()),
            ("bitwuzla".to_string(), solvers::smt_version()),
        ]),
        options,
    }
}
