//! What happened in a campaign: plain, serialisable enums.
//!
//! The loop (`explore`) emits [`Event`]s, the store keeps them, the status line and the reports are
//! functions of them. An [`Event`] holds nothing that was *measured* (no time, no memory): with one worker
//! the same seed and the same work budget give the same events. What was measured travels beside it, in
//! [`Measured`], and a sink adds the wall clock when it makes a [`Record`].

#![forbid(unsafe_code)]

mod cause;
mod diagnosis;
mod event;
mod ledger;
mod record;

pub use cause::{Cause, FlipAnswer, Follows, Place, Unsolved};
pub use diagnosis::{Diagnosis, InputByte, Kind, Level, Related, SourceFrame, Verdict};
pub use event::{EndReason, Event, FindingId, LimitKind, Rejection};
pub use ledger::Ledger;
pub use record::{Measured, Record, Sink};
pub use trace::{Outcome, Reason, RunId, Step};
