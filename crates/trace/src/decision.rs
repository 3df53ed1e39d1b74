//! What a path consists of: the decisions that symbolic data made.

use crate::{EventKind, Trace};
use program::{BranchId, CallId, CondId, ProgramMap};
use serde::{Deserialize, Serialize};

/// A run of a campaign, numbered from 0 in the order in which their results were taken in. A resumed
/// campaign goes on counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub u64);

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A conditional took this branch, a library model decided (see [`ProgramMap::library_branch`]), or the input chose a callee
    /// ([`ProgramMap::call_branch`]).
    Branch(BranchId),
    /// An indirect call went to this address, calculated from the input.
    Call {
        /// The call.
        call: CallId,
        /// Address of the callee.
        target: u64,
    },
}

impl Step {
    /// The branch, unless it is a call.
    pub const fn branch(self) -> Option<BranchId> {
        match self {
            Step::Branch(b) => Some(b),
            Step::Call { .. } => None,
        }
    }
}

/// One decision of a run's path: a conditional over symbolic data, or a call through a symbolic pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// Index of its event in [`Trace::events`].
    pub event: u32,
    /// What was decided.
    pub step: Step,
    /// For a call: how many callees the input chooses among; else 0.
    pub callees: u16,
    /// For a branch: the calling context in which it was taken, by its number ([`ProgramMap::context`]); 0: none is told apart.
    pub context: u16,
}

impl Decision {
    /// What tells this decision apart from others between the same branches: the calling context, or the number of callees.
    pub const fn setting(&self) -> u16 {
        if self.context > 0 { self.context } else { self.callees }
    }
}

/// The decisions of a trace, in program order. Events at conditionals that the map does not have are left
/// out (what a run reports is not trusted).
pub fn decisions(trace: &Trace, map: &ProgramMap) -> Vec<Decision> {
    let mut context = 0;
    let decision = |(index, event): (usize, &trace_abi::Event)| {
        let within = std::mem::take(&mut context);
        let step = match EventKind::from_u8(event.kind)? {
            EventKind::Branch | EventKind::Switch => {
                Step::Branch(map.branch_of(CondId(event.site), event.value)?)
            }
            EventKind::Decision => Step::Branch(map.library_branch(event.value != 0)),
            EventKind::IndirectCall if event.width > 0 => {
                Step::Branch(map.call_branch(CallId(event.site), event.value)?)
            }
            EventKind::IndirectCall => Step::Call { call: CallId(event.site), target: event.value },
            EventKind::Context => {
                context = u16::try_from(event.site).unwrap_or(0);
                return None;
            }
            _ => return None,
        };
        let callees = if event.kind == EventKind::IndirectCall as u8 { event.width } else { 0 };
        let is_there = within > 0 && step.branch().is_some_and(|b| map.in_context(b, within).is_some());
        let context = if is_there { within } else { 0 };
        Some(Decision { event: u32::try_from(index).ok()?, step, callees, context })
    };
    trace.events.iter().enumerate().filter_map(decision).collect()
}
