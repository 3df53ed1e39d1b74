//! Inputs, runs and traces: what the engine gives a program and what it gets back.
//!
//! [`Target`] is the seam between the pure engine and the world: `execute` implements it with processes,
//! tests with a fake ([`testing`]). A [`Trace`] comes in through [`Trace::validated`], is checked against the input
//! by [`check`], and becomes expressions in [`Lifted`].

#![forbid(unsafe_code)]

mod batch;
mod check;
mod constraint;
mod decision;
mod input;
mod lift;
mod node;
mod run;
mod shared_prefix;
mod snapshot;
mod tables;
pub mod testing;
mod validate;
mod values;

pub use batch::{Candidate, Glimpse, Glimpses};
pub use check::{CheckReport, Mismatch, check};
pub use constraint::Goal;
pub use decision::{Decision, RunId, Step, decisions};
pub use input::{
    Distribution, ENV_RANDOM, Input, MAX_CONNECTIONS, Object, ObjectKind, Pieces, ValueType,
    WrongDistribution,
};
pub use lift::Lifted;
pub use run::*;
pub use shared_prefix::more_events_alike;
pub use snapshot::{Advance, Advanced, Progress, SnapshotId, Snapshots};
pub use tables::TableView;
pub use trace_abi::{DATA, Event, EventKind, IndirectCall, Node, Op, PackedNode, Reason};
pub use validate::{Area, Problem};
pub use values::Values;
