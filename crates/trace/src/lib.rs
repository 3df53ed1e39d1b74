//! Inputs, runs and traces: what the engine gives a program and what it gets back.
//!
//! [`Target`] is the seam between the pure engine and the world: `execute` implements it with processes,
//! tests with a fake.

#![forbid(unsafe_code)]

mod decision;
mod input;
mod run;

pub use decision::{Decision, RunId, Step, decisions};
pub use input::{Input, Object, ObjectKind, ValueType};
pub use run::*;
pub use trace_abi::{Event, EventKind, IndirectCall, Node, Op, Reason};
