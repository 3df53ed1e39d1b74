//! A pretend program with honest traces, and a solver that tries everything: what the tests of the loop run.

#![expect(dead_code, reason = "each test file uses its own part")]

mod brute;
mod fake;

pub use brute::BruteForce;
pub use fake::{E, Fake, Program, S, byte, num};
