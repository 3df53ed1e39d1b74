//! One file per command.

pub mod bench;
pub mod coverage;
pub mod explore;
pub mod export;
pub mod instrument;
pub mod replay;
pub mod report;
pub mod why;
pub mod wrap;
