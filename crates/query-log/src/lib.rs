//! Queries to a solver, recorded as they are asked, and read back: what solvers are measured with.
//!
//! A log holds what a solver sees: expressions with their sharing, the arenas they live in, the constraints of each query in
//! their order, and the run's own bytes that they read. Queries stay in the order in which they were asked, so that
//! neighbours on a path are neighbours here. A list of constraints that was asked before is left out.
//!
//! # Format (version 1)
//! [`MAGIC`], then records: a tag, then numbers as LEB128. Nothing is said twice: expressions and tables are numbered per
//! arena in the order of their records, and operands are written as distances back.
//!
//! | tag | record | content |
//! |---|---|---|
//! | 1 | arena | – ; numbering begins anew, all bytes of the run are 0 |
//! | 2 | expression | operation, width, distance of each operand; then table (`Read`), words (constants) or immediate |
//! | 3 | table | address, length, bytes; number of symbolic bytes, of each its place and the distance of its expression |
//! | 4 | bytes | number of bytes of the run that are others than before; of each object, offset, value |
//! | 5 | query | number of constraints kept from the query before, number of further ones, distance of each |
//!
//! Written and read by this crate only. A reader takes its own version and no other; files are made anew, not converted.
#![forbid(unsafe_code)]

mod number;
mod reader;
mod recording;
mod writer;

pub use reader::{FormatError, Reader};
pub use recording::{Log, Recording};
pub use writer::Writer;

/// The first bytes of a log; the last of them is the version.
pub const MAGIC: &[u8; 8] = b"SPLKQRY\x01";

/// What a record is.
mod tag {
    pub(crate) const ARENA: u8 = 1;
    pub(crate) const EXPRESSION: u8 = 2;
    pub(crate) const TABLE: u8 = 3;
    pub(crate) const BYTES: u8 = 4;
    pub(crate) const QUERY: u8 = 5;
}
