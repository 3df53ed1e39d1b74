//! Checking a trace against the input: every recorded expression is evaluated again from the input bytes, by
//! the reference evaluator's operations ([`Values`]), and compared with what the program did.

use crate::tables::TableView;
use crate::{Event, EventKind, Input, Op, Trace, Values};
use expr::Bits;
use expr::semantics::mask;
use program::{CondId, ProgramMap, Span};
use std::collections::BTreeMap;
use std::fmt;

/// Mismatches that are kept in full.
const KEPT: usize = 20;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Nodes evaluated.
    pub nodes: u64,
    /// Events whose value was compared.
    pub events: u64,
    /// Labelled bytes of tables whose value was compared.
    pub table_bytes: u64,
    /// Number of mismatches by operation of the label and site (id of the conditional or call; 0 for tables).
    pub mismatches: BTreeMap<(Op, u32), u64>,
    /// The first few.
    pub first: Vec<Mismatch>,
}

/// An expression that does not have the value the program saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Index of the event, or `None` if it is a table's byte.
    pub event: Option<u64>,
    /// What the event is, or that it is a table.
    pub kind: &'static str,
    /// Where, as far as the program map knows.
    pub place: Option<(String, Span)>,
    /// The label.
    pub label: u32,
    /// Its operation.
    pub op: Op,
    /// What the program saw.
    pub recorded: u64,
    /// What the expression gives.
    pub computed: Bits,
}

impl CheckReport {
    /// Whether nothing disagreed.
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty()
    }

    /// Total number of mismatches.
    pub fn total(&self) -> u64 {
        self.mismatches.values().sum()
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.event {
            Some(k) => write!(f, "event {k} ({})", self.kind)?,
            None => write!(f, "{}", self.kind)?,
        }
        match &self.place {
            Some((file, span)) if span.line > 0 => write!(f, " at {file}:{}:{}", span.line, span.column)?,
            Some((file, _)) => write!(f, " in {file}")?,
            None => {}
        }
        write!(
            f,
            ": the program saw {:#x}, expression {} ({}) gives {}",
            self.recorded,
            self.label,
            self.op.name(),
            self.computed
        )
    }
}

/// Evaluates a (validated) trace's expressions under the input of the run and compares.
pub fn check(trace: &Trace, input: &Input, map: &ProgramMap) -> CheckReport {
    let values = Values::new(trace, input);
    let mut report =
        CheckReport { nodes: trace.nodes.len().saturating_sub(1) as u64, ..CheckReport::default() };
    for (index, event) in trace.events.iter().enumerate() {
        check_event(&values, map, index as u64, event, &mut report);
    }
    check_tables(&values, &mut report);
    report
}

fn check_event(values: &Values<'_>, map: &ProgramMap, index: u64, event: &Event, report: &mut CheckReport) {
    let kind = match EventKind::from_u8(event.kind) {
        Some(EventKind::Branch) => "branch",
        Some(EventKind::Switch) => "switch",
        Some(EventKind::IndirectCall) => "indirect call",
        Some(EventKind::Pin) => "pinned value",
        Some(EventKind::Decision) => "decision of a library function",
        Some(EventKind::Assume) => "assumption",
        Some(EventKind::Bounds) => "bounds of an access",
        Some(EventKind::Within) => "objects of an access",
        Some(EventKind::Lost | EventKind::Eof | EventKind::Failed | EventKind::Context) | None => return,
    };
    report.events += 1;
    let low = values.low(event.label);
    let (recorded, agrees) = if event.kind == EventKind::Bounds as u8 {
        within(values.trace, event, low)
    } else {
        (event.value, low == event.value & mask(values.width(event.label)))
    };
    if !agrees {
        let at = Some((index, event));
        report.add(values, map, at, kind, event.label, recorded);
    }
}

/// Whether the address lies in the table; the table's address stands for what was recorded.
fn within(trace: &Trace, event: &Event, address: u64) -> (u64, bool) {
    let Some(table) = TableView::at(&trace.tables, event.value) else { return (0, false) };
    let offset = address.wrapping_sub(table.base);
    let last = table.len.checked_sub(u64::from(event.width / 8));
    (table.base, last.is_some_and(|last| offset <= last))
}

/// Every labelled byte of a table must have the value it had when the snapshot was taken.
fn check_tables(values: &Values<'_>, report: &mut CheckReport) {
    let reads = values.trace.nodes.iter().skip(1).filter(|n| n.op == Op::Read as u8);
    let offsets: std::collections::BTreeSet<u64> = reads.map(|n| n.unpack().a).collect();
    let map = ProgramMap::default();
    for offset in offsets {
        let Some(table) = TableView::at(&values.trace.tables, offset) else { continue };
        for (k, label) in table.labels().enumerate().filter(|&(_, l)| l != 0) {
            report.table_bytes += 1;
            if values.low(label) != u64::from(table.bytes[k]) {
                report.add(values, &map, None, "byte of a table", label, table.bytes[k].into());
            }
        }
    }
}

impl CheckReport {
    fn add(
        &mut self,
        values: &Values<'_>,
        map: &ProgramMap,
        event: Option<(u64, &Event)>,
        kind: &'static str,
        label: u32,
        recorded: u64,
    ) {
        let op = values.op(label);
        *self.mismatches.entry((op, event.map_or(0, |(_, e)| e.site))).or_default() += 1;
        if self.first.len() < KEPT {
            let place = event.and_then(|(_, e)| place(map, e));
            let computed = values.bits(label);
            let event = event.map(|(k, _)| k);
            self.first.push(Mismatch { event, kind, place, label, op, recorded, computed });
        }
    }
}

fn place(map: &ProgramMap, event: &Event) -> Option<(String, Span)> {
    let span = match EventKind::from_u8(event.kind)? {
        EventKind::Branch | EventKind::Switch => map.conds.get(CondId(event.site).index())?.span,
        EventKind::IndirectCall => map.calls.get(event.site as usize)?.span,
        _ => return None,
    };
    let file = map.files.get(span.file?.index())?;
    Some((file.clone(), span))
}
