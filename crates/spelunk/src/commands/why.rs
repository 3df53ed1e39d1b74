//! `spelunk why`: what is known of the branches at a line or in a function.

use crate::cli::WhyArgs;
use crate::failure::{Done, Failure};
use crate::{campaign_folder, exit, report_data, summary};
use std::path::{Path, PathBuf};
use store::Campaign;

/// Where campaigns go without `--out`.
const DEFAULT: &str = "spelunk-out";

/// Prints the answer.
pub fn run(args: WhyArgs) -> Done {
    let dir = args.dir.map_or_else(newest, Ok)?;
    let campaign = Campaign::open(&dir).map_err(campaign_folder::failure)?;
    let map = campaign.map().map_err(campaign_folder::failure)?;
    let question = report::Question::parse(&args.what);
    let conds = report::conditionals(&map, &question).map_err(|what| Failure::new(exit::USAGE, what))?;
    let data = report_data::load(&campaign, &map).map_err(campaign_folder::failure)?;
    let look = summary::look();
    print!("{}{}", report::about(&data, &question, &look), report::why(&data, &conds, &look));
    Ok(exit::OK)
}

/// The campaign in the default folder that was written last.
fn newest() -> Result<PathBuf, Failure> {
    let entries = std::fs::read_dir(DEFAULT).into_iter().flatten().flatten();
    let written =
        |folder: &Path| std::fs::metadata(folder.join("campaign.db")).and_then(|m| m.modified()).ok();
    let campaigns = entries.map(|e| e.path()).filter_map(|folder| Some((written(&folder)?, folder)));
    campaigns.max().map(|(_, folder)| folder).ok_or_else(|| {
        Failure::new(exit::CAMPAIGN, format!("no campaign in ./{DEFAULT}; name its folder with --dir"))
    })
}
