//! `spelunk replay`: tests and findings again, on the user's own executable.

use crate::cli::ReplayArgs;
use crate::failure::{Done, Failure};
use crate::plain::{self, Plain};
use crate::progress::outcome_text;
use crate::{campaign_folder, exit};
use explore::suite::same_class;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Campaign, Meta};
use trace::{Input, Outcome};

/// A test or finding to run again.
struct Case {
    name: String,
    input: Input,
    expected: Option<Outcome>,
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
    let mut different = 0;
    for case in &cases {
        let run = program.run(&case.input).map_err(|e| Failure::new(exit::TOOLS, e.to_string()))?;
        let same = case.expected.is_none_or(|expected| same_class(expected, run.outcome));
        different += u32::from(!same);
        let remark = match case.expected {
            Some(expected) if !same => format!("  (was: {})", outcome_text(expected)),
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
    println!(
        "{} replayed, {} as recorded, {different} different",
        cases.len(),
        cases.len() as u32 - different
    );
    Ok(if different == 0 { exit::OK } else { exit::DIFFERENT })
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

/// The user's own executable, as the campaign remembers it.
fn program(meta: &Meta) -> Result<Plain, Failure> {
    let option = |name: &str| meta.options.get(name).map(String::as_str);
    let number =
        |name: &str, default: u64| option(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let executable = PathBuf::from(option("executable").unwrap_or_default());
    if !executable.is_file() {
        return Err(Failure::new(
            exit::TARGET,
            format!("{}: the executable of this campaign is gone; build it again", executable.display()),
        ));
    }
    let limits = plain::limits(Duration::from_millis(number("timeout_ms", 2000)), number("memory_mib", 1024));
    Ok(Plain::new(&executable, &meta.args, limits))
}

/// What to replay: everything, or what lies at `what`.
fn cases(campaign: &Campaign, folder: &Path, what: &Path) -> Result<Vec<Case>, Failure> {
    let what = what.canonicalize().unwrap_or_else(|_| what.to_path_buf());
    let wanted = |file: &Path| file.starts_with(&what) || what.starts_with(file);
    let corpus = campaign.corpus().map_err(campaign_folder::failure)?;
    let mut cases = Vec::new();
    for kept in campaign.kept_runs().map_err(campaign_folder::failure)? {
        let Some(name) = kept.file.file_name() else { continue };
        let test = folder.join("tests").join(name);
        let input = corpus.inputs.iter().find(|(run, _)| *run == kept.run).map(|(_, input)| input);
        if let (true, true, Some(input)) = (test.is_file(), wanted(&test), input) {
            let name = format!("tests/{}", name.to_string_lossy());
            cases.push(Case { name, input: input.clone(), expected: Some(kept.outcome) });
        }
    }
    for finding in campaign.findings().map_err(campaign_folder::failure)? {
        let place = finding.folder.canonicalize().unwrap_or_else(|_| finding.folder.clone());
        if wanted(&place) {
            let name = format!("findings/{}", place.file_name().unwrap_or_default().to_string_lossy());
            let input = campaign.finding_input(finding.id).map_err(campaign_folder::failure)?;
            cases.push(Case { name, input, expected: Some(finding.outcome) });
        }
    }
    Ok(cases)
}
