//! The loop: strategy, solver and target joined; budgets, workers, findings, the suite.
//!
//! Read [`cycle`](cycle::cycle) first: it names every stage in order. Everything the loop needs of the world
//! comes in through [`World`]; with one worker the same seed and the same work budget give the same events.
//!
//! * [`explore`] runs a session; [`Config`] says how, [`Earlier`] continues another one.
//! * [`suite::build`] chooses the final tests from what a session leaves behind.

#![forbid(unsafe_code)]

mod aims;
mod archive;
mod balance;
mod bias;
mod campaign;
mod cheap;
mod config;
pub mod cycle;
mod dispatch;
mod explorer;
mod findings;
#[cfg(test)]
mod fixtures;
mod flip;
mod hangs;
mod held;
mod inputs;
mod journey;
mod lifted;
mod losses;
mod meter;
mod prefix;
mod probe;
mod promise;
mod random;
mod recent;
mod reduce;
mod repair;
mod search_from;
mod seen;
mod shorten;
mod shorter;
mod state;
mod streams;
pub mod suite;
mod task;
mod vocabulary;
mod wall;
mod witness;
mod worker;
mod world;

pub use bias::Bias;
pub use config::{Budget, Config, Hybrid, Memory, Until};
pub use explorer::{Outcome, Searched, explore};
pub use findings::Finding;
pub use held::LockTime;
pub use seen::fingerprint;
pub use wall::{Use, WallTime};
pub use witness::{Kept, Witness};
pub use world::{Earlier, RunStore, SolverFactory, Symbolizer, TargetFactory, World};
