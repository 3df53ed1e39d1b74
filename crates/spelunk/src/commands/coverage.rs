//! `spelunk coverage`: what a campaign's tests cover.

use crate::cli::CoverageArgs;
use crate::failure::{Done, Failure};
use crate::{campaign_folder, exit, report_data, summary};
use store::Campaign;

/// Prints the table, and writes LCOV data if asked to.
pub fn run(args: CoverageArgs) -> Done {
    let campaign = Campaign::open(&args.dir).map_err(campaign_folder::failure)?;
    let map = campaign.map().map_err(campaign_folder::failure)?;
    let data = report_data::load(&campaign, &map).map_err(campaign_folder::failure)?;
    print!("{}", report::coverage_table(&data, &summary::look()));
    if let Some(file) = &args.lcov {
        std::fs::write(file, report::lcov(&data)).map_err(|e| Failure::io("write", file, &e))?;
    }
    Ok(exit::OK)
}
