//! Before the first campaign: every command is understood, every program prepared, every goal known; and what each campaign depends on
//! is hashed, so that a complete one is not made again.

use crate::cli::{Cli, Command, ExploreArgs};
use crate::exit;
use crate::experiments::goal::{self, Goal};
use crate::experiments::machine::hex;
use crate::failure::Failure;
use crate::prepare::{self, Prepared};
use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use experiment::{Campaign, Plan, Word};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use walkdir::WalkDir;

/// A campaign that can be made.
pub struct Ready {
    /// Which.
    pub campaign: Campaign,
    /// Where: folder below `campaigns/`.
    pub slot: String,
    /// Arguments of `spelunk explore`, without `--out`.
    pub args: Vec<String>,
    /// The command for people, `OUT` for its folder.
    pub command: String,
    /// Hash of what it depends on, but for Spelunk itself.
    pub key: String,
    /// What is to be reached.
    pub goal: Option<Goal>,
}

/// Makes campaigns ready. `file`: the bench file's name, for messages; its folder is the working directory.
///
/// # Errors
/// For options that `spelunk explore` does not take, programs that cannot be used, and goals that do not exist.
pub fn all(plan: &Plan, campaigns: &[Campaign], file: &str) -> Result<Vec<Ready>, Failure> {
    let mut programs = Programs::default();
    campaigns.iter().map(|campaign| one(plan, campaign, file, &mut programs)).collect()
}

fn one(plan: &Plan, campaign: &Campaign, file: &str, programs: &mut Programs) -> Result<Ready, Failure> {
    let target = &plan.targets[campaign.target];
    let words = plan.command(campaign);
    let args = expanded(&words, file)?;
    let explore = understood(&args, &words, file)?;
    let place = |failure: Failure| {
        let message = format!("{file}:{}: target \"{}\": {}", target.line, target.name, failure.message);
        Failure { message, ..failure }
    };
    let prepared = programs.get(&explore).map_err(place)?;
    let goal = target.reached.as_ref().map(|text| {
        Goal::of(text, &prepared.map)
            .map_err(|what| place(Failure::new(exit::USAGE, format!("reached = {text}: {what}"))))
    });
    // The report sets them aside: a campaign does not depend on it.
    if let Some(name) = target.aside.iter().find(|name| goal::functions(name, &prepared.map).is_none()) {
        let what = format!("aside = [\"{name}\"]: the program has no such function of its own");
        return Err(place(Failure::new(exit::USAGE, what)));
    }
    let mut hash = Sha256::new();
    // The version of what is hashed here.
    hash.update("1\0");
    hash.update(prepared.source.content_hash());
    if let Some(seeds) = &explore.seeds {
        hash_folder(seeds, &mut hash).map_err(place)?;
    }
    let is_place = |(i, arg): &(usize, &String)| *i < target.program.len() || arg.starts_with("--seeds=");
    for (_, arg) in args.iter().enumerate().filter(|pair| !is_place(pair)) {
        hash.update(arg);
        hash.update("\0");
    }
    hash.update(format!("repetition {} reached {:?}", campaign.repetition, target.reached));
    Ok(Ready {
        campaign: *campaign,
        slot: plan.slot(campaign),
        command: for_people(&words),
        args,
        key: hex(&hash.finalize(), 16),
        goal: goal.transpose()?,
    })
}

fn expanded(words: &[Word], file: &str) -> Result<Vec<String>, Failure> {
    let expand = |word: &Word| {
        word.expand(&|name| std::env::var(name).ok()).map_err(|name| {
            let what = format!(
                "{file}:{}: the variable {name} in \"{}\" is not set in the environment",
                word.line, word.text
            );
            Failure::new(exit::USAGE, what)
        })
    };
    words.iter().map(expand).collect()
}

/// The command as `spelunk explore` takes it.
fn understood(args: &[String], words: &[Word], file: &str) -> Result<ExploreArgs, Failure> {
    let given = ["spelunk", "explore"].into_iter().chain(args.iter().map(String::as_str));
    match Cli::try_parse_from(given) {
        Ok(Cli { command: Command::Explore(explore) }) => Ok(*explore),
        Ok(_) => Err(Failure::new(exit::INTERNAL, "a campaign is no exploration")),
        Err(error) => {
            let refused = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(arg)) => {
                    arg.split([' ', '=']).next().unwrap_or_default().to_owned()
                }
                _ => String::new(),
            };
            let at = words
                .iter()
                .find(|w| !refused.is_empty() && w.text.split('=').next() == Some(refused.as_str()));
            let text = error.to_string();
            let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
            let hints = |line: &&str| {
                !line.is_empty()
                    && !line.starts_with("For more information")
                    && !line.starts_with("tip: to pass")
            };
            let what: Vec<&str> =
                lines.filter(hints).map(|line| line.trim_start_matches("error: ")).collect();
            let line = at.map_or(1, |word| word.line);
            Err(Failure::new(
                exit::USAGE,
                format!("{file}:{line}: spelunk explore does not take this: {}", what.join("; ")),
            ))
        }
    }
}

/// The command as typed in the folder of the bench file.
fn for_people(words: &[Word]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(c);
    let quoted = |word: &Word| match &word.text {
        text if !text.is_empty() && text.chars().all(plain) => text.clone(),
        text if text.contains("${") => format!("\"{text}\""),
        text => shell_words::quote(text).into_owned(),
    };
    let mut parts: Vec<String> = words.iter().map(quoted).collect();
    let end = words.iter().position(|w| w.text == "--").unwrap_or(words.len());
    parts.insert(end, "--out=OUT".into());
    format!("spelunk explore {}", parts.join(" "))
}

/// Names and contents of all files of a folder.
fn hash_folder(folder: &Path, hash: &mut Sha256) -> Result<(), Failure> {
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry =
            entry.map_err(|e| Failure::new(exit::INPUT, format!("cannot read {}: {e}", folder.display())))?;
        if entry.file_type().is_file() {
            let bytes = std::fs::read(entry.path()).map_err(|e| Failure::io("read", entry.path(), &e))?;
            let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            hash.update(name.as_os_str().as_encoded_bytes());
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    Ok(())
}

/// Programs that are prepared, so that campaigns at the same time need not wait for each other's compilers.
#[derive(Default)]
struct Programs(BTreeMap<String, Prepared>);

impl Programs {
    fn get(&mut self, args: &ExploreArgs) -> Result<&Prepared, Failure> {
        let flavour = if args.strategy.wants_path_log() { "path" } else { "trace" };
        let cheap = args.strategy.wants_cheap_runs(args.runs);
        let name = format!("{:?} {flavour} {cheap} {:?}", args.target, args.find);
        if !self.0.contains_key(&name) {
            let prepared = prepare::program(&args.target, flavour, cheap, &args.find, &mut || false)?;
            self.0.insert(name.clone(), prepared);
        }
        Ok(&self.0[&name])
    }
}
