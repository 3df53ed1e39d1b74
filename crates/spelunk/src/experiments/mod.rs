//! `spelunk bench`: campaigns of a bench file, each a `spelunk explore` of its own, and what they came to.
//!
//! Below the folder of the results: `campaigns/TARGET/STRATEGY/BUDGET/SEED/` with `record.json` (written last: a folder without it
//! is of an interrupted campaign, and made anew), `log.txt` and the campaign's own folder `campaign/`; and the report.

pub mod files;
pub mod goal;
pub mod machine;
pub mod measure;
pub mod ready;
pub mod run;
