//! Assumptions: the run goes on only while they hold, and ends quietly where they do not.

use crate::simplify::{self, Operand};
use crate::{event, node, state, sys, tls};
use trace_abi::{Event, EventKind, Op, Reason};

/// The program assumed that a number of `width` bits with this value and label is not zero.
pub fn nonzero(value: u64, label: u32, width: u16) {
    if label != 0 && state::recording() {
        let condition = if node::width(label) == 1 {
            label
        } else {
            simplify::bin(Op::Ne, width, Operand::new(label, 0), Operand::constant(0))
        };
        record(condition, value != 0);
    }
    if value == 0 {
        leave();
    }
}

/// `value` was just made by a call: the path goes on only for `low <= value < end`.
pub fn in_range(value: i32, low: i32, end: i32) {
    if low >= end || end == i32::MIN {
        leave();
    }
    in_closed_range(value, low, end - 1);
}

/// `value` was just made by a call, its label is in the return slot: the path goes on only for `low <= value <= high`.
pub fn in_closed_range(value: i32, low: i32, high: i32) {
    // SAFETY: `tls` points to this thread's record.
    let label = unsafe { (*tls::tls()).ret[0] };
    let bound = |v: i32| Operand::constant(u64::from(v as u32));
    if label != 0 && state::recording() {
        let v = Operand::new(label, 0);
        record(simplify::bin(Op::Sle, 32, bound(low), v), low <= value);
        if low <= value {
            record(simplify::bin(Op::Sle, 32, v, bound(high)), value <= high);
        }
    }
    if value < low || value > high {
        leave();
    }
}

/// The program asserted that a number is not zero: a failure is for the program to report, the opposite is worth a try.
pub fn decide(value: u64, label: u32, width: u16) {
    if label != 0 && state::recording() {
        record(simplify::bin(Op::Ne, width, Operand::new(label, 0), Operand::constant(0)), value != 0);
    }
}

/// The program wants a value concrete.
pub fn pin(label: u32, value: u64) {
    event::pin(label, value, Reason::Model, 0);
}

/// The program assumed a condition.
pub fn record(condition: u32, holds: bool) {
    if condition != 0 {
        event::append(Event { width: 1, ..event::new(EventKind::Assume, condition, u64::from(holds), 0) });
    }
}

/// Ends the run as tools of this field do: with exit code 0, exit handlers run.
pub fn leave() -> ! {
    // SAFETY: ends the process.
    unsafe { sys::exit(0) }
}
