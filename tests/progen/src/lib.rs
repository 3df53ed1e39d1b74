//! Random programs: the evaluator and the trace against hardware.
//!
//! A seed names a C program without undefined behaviour ([`generate()`]), which is compiled with clang and instrumented
//! ([`compile`]), run, and checked ([`check`](mod@check)); one that fails is made small ([`shrink`](mod@shrink)). [`supervise`] does that for many
//! seeds in several processes and [`Summary`] adds up.

#![forbid(unsafe_code)]

pub mod check;
pub mod compile;
mod feature;
mod generate;
mod inputs;
mod mapping;
mod rng;
pub mod shrink;
mod summary;
mod supervise;
pub mod tree;
mod types;
mod worker;

pub use check::Effort;
pub use feature::Feature;
pub use generate::{Generated, Wanted, generate};
pub use summary::Summary;
pub use supervise::supervise;
pub use worker::{Done, Line, Task, one, work};
