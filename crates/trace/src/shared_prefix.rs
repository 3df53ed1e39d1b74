//! What a trace has in common with an earlier one.
//!
//! The run of a solved flip does what its parent did up to the flip, so its trace begins with the same records; only what comes after
//! the flip is new. Expressions and constraints of the common part are taken over instead of being made again. Nothing is assumed of
//! where the runs come from: records are compared.

use crate::Trace;
use crate::lift::Lifted;
use crate::tables::TableView;
use trace_abi::{EventKind, Op};

/// How far two traces hold the same records, each of which means the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Common {
    nodes: usize,
    events: usize,
    /// Bytes of the table area.
    tables: usize,
}

impl Common {
    fn of(a: &Trace, b: &Trace) -> Common {
        let tables = common(&a.tables, &b.tables);
        let holds = |offset: u64| is_common(&a.tables, tables, offset);
        let nodes = common(&a.nodes, &b.nodes);
        let reads_other = |node: &trace_abi::PackedNode| node.op == Op::Read as u8 && !holds(node.unpack().a);
        let nodes = a.nodes[..nodes].iter().position(reads_other).unwrap_or(nodes);
        let events = common(&a.events, &b.events);
        let differs = |event: &trace_abi::Event| {
            event.label as usize >= nodes || (event.kind == EventKind::Bounds as u8 && !holds(event.value))
        };
        let events = a.events[..events].iter().position(differs).unwrap_or(events);
        Common { nodes, events, tables }
    }
}

/// Whether the table at `offset` is the same in both: its last byte is among the first `common` of the area.
fn is_common(area: &[u8], common: usize, offset: u64) -> bool {
    TableView::end(area, offset).is_some_and(|end| end <= common)
}

/// Length of the longest common prefix.
fn common<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether more than `than` events at the start are the same, and then how many. Asked of many traces, most of which part early, so
/// the far end is looked at first.
pub fn more_events_alike(a: &Trace, b: &Trace, than: usize) -> Option<usize> {
    let alike = |k: usize| a.events.get(k).is_some_and(|e| b.events.get(k) == Some(e));
    if !alike(than) || !alike(than / 2) {
        return None;
    }
    let all = common(&a.events, &b.events);
    (all > than).then_some(all)
}

impl<T: AsRef<Trace>> Lifted<T> {
    /// Takes over what was lifted of `other`'s trace and means the same here, to be called before anything is lifted here. The two must get
    /// the same arena. Returns how many events at the start are the same, with all that they name.
    pub fn take_over(&mut self, other: &Lifted<T>) -> usize {
        let trace = self.trace.as_ref();
        let common = Common::of(trace, other.trace.as_ref());
        self.exprs[..common.nodes].copy_from_slice(&other.exprs[..common.nodes]);
        self.tables = other
            .tables
            .iter()
            .filter(|&(&offset, _)| is_common(&trace.tables, common.tables, offset))
            .map(|(&k, &v)| (k, v))
            .collect();
        let asked = common.events.min(other.constraints.len());
        self.constraints = other.constraints[..asked].to_vec();
        common.events
    }
}
