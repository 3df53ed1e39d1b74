//! `spelunk report`: what a campaign found, for people, for programs and for code scanners.

use crate::cli::ReportArgs;
use crate::failure::{Done, Failure};
use crate::{campaign_folder, exit, report_data, summary};
use std::path::Path;
use store::Campaign;

/// Writes the files asked for; without any, prints the summary.
pub fn run(args: ReportArgs) -> Done {
    let campaign = Campaign::open(&args.dir).map_err(campaign_folder::failure)?;
    let map = campaign.map().map_err(campaign_folder::failure)?;
    let data = report_data::load(&campaign, &map).map_err(campaign_folder::failure)?;
    if let Some(file) = &args.sarif {
        write(file, &report::sarif(&data, env!("CARGO_PKG_VERSION")))?;
    }
    if let Some(file) = &args.json {
        write(file, &report::json(&data))?;
    }
    if args.sarif.is_none() && args.json.is_none() {
        print!("{}", report::summary(&data, &summary::look()));
    }
    Ok(exit::OK)
}

fn write(file: &Path, value: &serde_json::Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    std::fs::write(file, text).map_err(|e| Failure::io("write", file, &e))
}
