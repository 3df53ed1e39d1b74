//! Campaigns compared: what `spelunk bench` reads, computes and shows.
//!
//! A bench file ([`Plan`]) names targets, strategies, budgets and seeds; each combination is a campaign
//! ([`Plan::campaigns`], [`Plan::command`]). What campaigns came to ([`Record`]) is put together by target and budget
//! ([`Comparison`]): medians and ranges, strategies against each other ([`mann_whitney`], [`a12`]), coverage over time.
//! Shown as a table ([`table`]), as CSV ([`campaigns_csv`], [`curves_csv`]), as plots ([`Plot`]) and as one page of HTML ([`page`]).
//!
//! Pure: texts and records in, texts and pictures out. Campaigns are started, and files written, by the command line.

#![forbid(unsafe_code)]

mod campaign;
mod compare;
mod csv_files;
mod curve;
mod page;
mod parse;
mod plan;
mod plot;
mod raw;
mod record;
mod statistics;
mod table;
mod text;

pub use campaign::{Campaign, Word};
pub use compare::{Comparison, Group, Pair, Reachable, comparisons};
pub use csv_files::{campaigns_csv, curves_csv};
pub use curve::{Band, Over, band};
pub use page::{About, page};
pub use parse::{FileError, parse};
pub use plan::{Budget, Metric, Plan, Setting, Strategy, Target};
pub use plot::Plot;
pub use record::{Entered, Machine, Point, Reached, Record, Status, Versions, is_named};
pub use statistics::{Effect, Spread, Test, a12, mann_whitney};
pub use table::table;
