//! A campaign on disk.
//!
//! ```text
//! DIR/campaign.db     SQLite: what was covered when, flips, losses, findings, the event log
//! DIR/corpus/         inputs that covered something new, one file each, as AFL++ and libFuzzer read them
//! DIR/tests/          the final suite, one file per test
//! DIR/findings/ID/    input, how-to-replay.txt, stack.txt, finding.json
//! DIR/lock            held by the spelunk that writes
//! ```
//! A [`Session`] writes: it takes the engine's events one by one and keeps the tables that reports read. A
//! [`Campaign`] reads, also while another process writes. Inputs that are one stream of bytes (standard input, a file,
//! a fuzz buffer) are stored raw, all others as JSON ([`trace::Input`]).
//!
//! What was recorded is committed about twice a second, so that killing the process loses no more than that.
//! The format is versioned by SQLite's `user_version`; only this crate reads and writes it.

#![forbid(unsafe_code)]

mod apply;
mod error;
mod files;
mod finding_files;
mod lock;
mod meta;
mod read;
mod schema;
mod sealed;
mod session;

pub use error::StoreError;
pub use files::{corpus_name, finding_folder, is_byte_stream};
pub use meta::Meta;
pub use read::{Campaign, Corpus, Covered, Divergence, Finding, Flip, KeptRun, Loss, Sample, Summary};
pub use schema::FORMAT;
pub use session::{JudgedFinding, Keep, Session};
