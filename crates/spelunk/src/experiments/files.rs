//! The folder of the results: records read and written, the report.

use crate::exit;
use crate::failure::Failure;
use experiment::{About, Campaign, Comparison, Plan, Plot, Record};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Where a campaign is.
pub fn slot(out: &Path, slot: &str) -> PathBuf {
    out.join("campaigns").join(slot)
}

/// Takes the folder for this process alone, until the file is closed.
///
/// # Errors
/// When another process has it, or it cannot be made.
pub fn taken(out: &Path) -> Result<File, Failure> {
    std::fs::create_dir_all(out).map_err(|e| Failure::io("make", out, &e))?;
    let path = out.join("lock");
    let file = File::create(&path).map_err(|e| Failure::io("write", &path, &e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Failure::new(
            exit::CAMPAIGN,
            format!(
                "another spelunk bench is working in {}; wait for it, or choose another folder with --out",
                out.display()
            ),
        )),
        Err(std::fs::TryLockError::Error(e)) => Err(Failure::io("lock", &path, &e)),
    }
}

/// Makes a folder, without what was in it.
///
/// # Errors
/// When it cannot.
pub fn emptied(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Failure::io("remove", folder, &e)),
        _ => {}
    }
    std::fs::create_dir_all(folder).map_err(|e| Failure::io("make", folder, &e))
}

/// Writes what a campaign came to.
///
/// # Errors
/// When it cannot.
pub fn write_record(folder: &Path, record: &Record) -> Result<(), Failure> {
    let file = folder.join("record.json");
    let text = serde_json::to_string(record).unwrap_or_default() + "\n";
    toolchain::write_whole(&file, text.as_bytes()).map_err(crate::commands::wrap::failure)
}

/// What the campaign in this folder came to; `None` if it is not complete, or was written by another version.
pub fn read_record(folder: &Path) -> Option<Record> {
    serde_json::from_slice(&std::fs::read(folder.join("record.json")).ok()?).ok()
}

/// All records of a plan that are there.
pub fn records(plan: &Plan, campaigns: &[Campaign], out: &Path) -> Vec<Record> {
    campaigns.iter().filter_map(|campaign| read_record(&slot(out, &plan.slot(campaign)))).collect()
}

/// Writes the report: CSV, plots, page.
///
/// # Errors
/// When it cannot.
pub fn report(
    plan: &Plan,
    comparisons: &[Comparison<'_>],
    about: &About,
    out: &Path,
) -> Result<PathBuf, Failure> {
    write(&out.join("campaigns.csv"), experiment::campaigns_csv(comparisons).as_bytes())?;
    write(&out.join("curves.csv"), experiment::curves_csv(comparisons).as_bytes())?;
    let plots = out.join("plots");
    emptied(&plots)?;
    for comparison in comparisons.iter().filter(|c| !c.is_empty()) {
        for over in comparison.axes() {
            let plot = Plot::new(comparison, over);
            let file = plots.join(format!("{}-{}", comparison.file_name(), over.name()));
            write(&file.with_added_extension("svg"), plot.svg().as_bytes())?;
            write(&file.with_added_extension("png"), &plot.png())?;
        }
    }
    let page = out.join("report.html");
    write(&page, experiment::page(plan, comparisons, about).as_bytes())?;
    Ok(page)
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(file, bytes).map_err(|e| Failure::io("write", file, &e))
}
