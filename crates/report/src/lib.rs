//! Reports of a campaign: pure functions of its events and the program map ([`Data`]) to text.
//!
//! [`summary`] for people, [`coverage_table`] per file and function, [`why`] on single branches, [`lcov`] for coverage
//! viewers, [`sarif`] for code scanners, [`json`] for
//! programs. None of them reads or writes files, knows a solver or LLVM, or asks the terminal: how wide and how
//! colourful the text may be is said in [`Look`].

#![forbid(unsafe_code)]

mod coverage_table;
mod data;
mod findings;
mod goals;
mod json;
mod lcov;
mod sarif;
mod summary;
mod text;
mod verdict;
mod why;

pub use coverage_table::coverage_table;
pub use data::{Data, Finding, FlipFacts, Loss};
pub use goals::{Goals, about};
pub use json::{JSON_VERSION, json};
pub use lcov::lcov;
pub use sarif::sarif;
pub use summary::summary;
pub use text::Look;
pub use verdict::{OpenGroup, Verdict, Why, open_groups, verdict};
pub use why::{Question, conditionals, why};
