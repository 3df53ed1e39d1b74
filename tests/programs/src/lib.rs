//! Small programs, one feature each (`tests/programs/FEATURE/NAME.c` or `.cpp`), and whether Spelunk solves them.
//!
//! Every program says in its first lines what it shows, how it is run and what counts as solved (see [`Program`]).
//! [`check`] explores it within its work budget, replays the tests of the resulting suite on the plain executable,
//! and looks at what that prints: coverage as Spelunk counts it is not asked.
#![forbid(unsafe_code)]

mod annotation;
mod check;
mod table;

pub use annotation::{Program, Wanted, all};
pub use check::{Verdict, check, failure, spelunk};
pub use table::by_feature;
