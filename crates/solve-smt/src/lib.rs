//! The SMT solver [Bitwuzla](https://bitwuzla.github.io) as a back end of crate `solve`.
//!
//! [`Bitwuzla`] keeps what it translated of one arena (`translate`, `operation`, `select`, `counting`, `float`, `floating`) in one solver
//! (`context`) for as long as queries come from that arena, asks each query under assumptions, and reads unsat cores
//! off the failed ones. Work is counted in `budget`.
//!
//! A. Niemetz and M. Preiner, "Bitwuzla", CAV 2023.

mod budget;
mod context;
mod counting;
mod float;
mod float_integer;
mod floating;
mod operation;
mod select;
mod smtlib;
mod solver;
mod sys;
mod translate;

pub use budget::STEP;
pub use smtlib::{Script, script};
pub use solver::{Bitwuzla, Settings};
