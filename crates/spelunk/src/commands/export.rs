//! `spelunk export`: a campaign's tests and findings in another tool's format.

use crate::cli::{ExportArgs, ExportFormat};
use crate::failure::{Done, Failure};
use crate::{campaign_folder, exit};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use store::{Campaign, Meta};
use testgen::{File, Test, test_comp};
use trace::{Input, Outcome};
use zip::write::SimpleFileOptions;

/// Writes the suite.
pub fn run(args: ExportArgs) -> Done {
    let campaign = Campaign::open(&args.dir).map_err(campaign_folder::failure)?;
    let meta = campaign.meta().map_err(campaign_folder::failure)?;
    let cases = cases(&campaign)?;
    if cases.is_empty() {
        return Err(Failure::new(
            exit::CAMPAIGN,
            format!("{}: no tests to export yet; explore first", args.dir.display()),
        ));
    }
    let tests: Vec<Test> = cases
        .iter()
        .map(|(name, input, outcome)| Test { name: name.clone(), input, outcome: *outcome })
        .collect();
    let unfit = |e: testgen::Error| Failure::new(exit::INPUT, e.to_string());
    let program = meta.options.get("executable").map_or(meta.target.as_str(), String::as_str);
    match args.format {
        ExportFormat::Raw => folder(&args.output, &testgen::raw::folder(&tests).map_err(unfit)?)?,
        ExportFormat::Ktest => folder(&args.output, &testgen::ktest::folder(&tests, program))?,
        ExportFormat::TestComp => {
            let metadata = metadata(&meta, args.program.as_deref())?;
            let files = test_comp::suite(&tests, &metadata).map_err(unfit)?;
            if args.output.extension().is_some_and(|e| e == "zip") {
                write(&args.output, &zipped(&files).map_err(|e| Failure::io("write", &args.output, &e))?)?;
            } else {
                folder(&args.output, &files)?;
            }
        }
        ExportFormat::C => {
            write(&args.output, testgen::c_file::file(&tests, program, &meta.args).as_bytes())?;
        }
    }
    println!("{} tests written to {}", tests.len(), args.output.display());
    Ok(exit::OK)
}

/// The suite, then the confirmed findings: name, input, how it ends.
fn cases(campaign: &Campaign) -> Result<Vec<(String, Input, Outcome)>, Failure> {
    let corpus = campaign.corpus().map_err(campaign_folder::failure)?;
    let mut cases = Vec::new();
    for kept in campaign.kept_runs().map_err(campaign_folder::failure)? {
        let Some(name) = kept.file.file_name() else { continue };
        if !campaign.dir().join("tests").join(name).is_file() {
            continue;
        }
        if let Some((_, input)) = corpus.inputs.iter().find(|(run, _)| *run == kept.run) {
            let name = name.to_string_lossy().trim_end_matches(".json").to_owned();
            cases.push((name, input.clone(), kept.outcome));
        }
    }
    for finding in campaign.findings().map_err(campaign_folder::failure)? {
        if !matches!(finding.verdict, Some(events::Verdict::Confirmed(_))) {
            continue;
        }
        let input = campaign.finding_input(finding.id).map_err(campaign_folder::failure)?;
        let name = finding.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        cases.push((format!("finding-{name}"), input, finding.outcome));
    }
    Ok(cases)
}

fn metadata(meta: &Meta, program: Option<&Path>) -> Result<test_comp::Metadata, Failure> {
    let file = program.map_or_else(|| PathBuf::from(&meta.target), Path::to_path_buf);
    let bytes = fs::read(&file).map_err(|e| {
        let what = format!(
            "{}: cannot read the program's source, whose hash belongs to the suite: {e}; name it with --program",
            file.display()
        );
        Failure::new(exit::INPUT, what)
    })?;
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(test_comp::Metadata {
        producer: format!("Spelunk {}", env!("CARGO_PKG_VERSION")),
        specification: test_comp::COVER_BRANCHES.into(),
        program_file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        program_hash: hash,
        entry_function: "main".into(),
        architecture: "64bit".into(),
        creation_time: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    })
}

fn folder(path: &Path, files: &[File]) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| Failure::io("create", path, &e))?;
    files.iter().try_for_each(|file| write(&path.join(&file.name), &file.content))
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content).map_err(|e| Failure::io("write", path, &e))
}

fn zipped(files: &[File]) -> std::io::Result<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        zip.start_file(&file.name, SimpleFileOptions::default())?;
        zip.write_all(&file.content)?;
    }
    Ok(zip.finish()?.into_inner())
}
