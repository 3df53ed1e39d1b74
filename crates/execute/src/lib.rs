//! Runs programs and brings back what happened.
//!
//! [`ForkServer`] implements [`trace::Target`] over an instrumented executable: it writes the input to shared
//! memory and files, orders a run, waits within limits, and takes over coverage and trace, trusting nothing.
//! [`PlainProgram`] runs the user's own executable on an input, to confirm what was found. Both live in a
//! [`Sandbox`]: what a hostile program does costs its own run only.
//!
//! In data-flow order: `config` → `scratch` (on `beneath` and `saved`) and `shared` (input side) → `launch` (processes) → `server` (with `seen` and `haste`) →
//! `outcome` and `take` (result side); `confirm` (with the `clients` of programs
//! that accept connections) and `symbolize` stand beside, and `curfew`, which ends
//! what runs when a session is to end.

mod aside;
mod beneath;
mod clients;
mod config;
mod confirm;
mod curfew;
mod haste;
mod launch;
mod memory;
mod outcome;
mod saved;
mod scratch;
mod seen;
mod server;
mod shared;
mod symbolize;
mod sys;
mod take;
mod watch;

pub use aside::{kill_group, set_aside, wait_aside, with_aside};
pub use config::{Capacities, Config, Limits, Sandbox};
pub use confirm::{ENV_REPLAY, PlainProgram, PlainRun, replay_values};
pub use curfew::Curfew;
pub use launch::Isolation;
pub use scratch::FILE_ARGUMENT;
pub use seen::Seen;
pub use server::ForkServer;
pub use symbolize::{Frame, Symbolizer, returns_nothing};
pub use sys::thread_cpu;
