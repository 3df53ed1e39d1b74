//! Taking over what a run left in shared memory. The program may have scribbled there: nothing is believed, the
//! trace is cut at the first thing that cannot be right, and what was wrong is told.

use crate::node::Decoded;
use crate::tables::TableView;
use crate::{Dropped, Event, EventKind, Input, Op, PackedNode, Trace};
use rustc_hash::FxHashMap;
use std::fmt;
use trace_abi::path_log;

/// Something in the shared memory that no runtime writes; what follows it was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which records.
    pub area: Area,
    /// Index of the record; it and all later ones of its kind were dropped.
    pub at: u64,
    /// What is wrong with it.
    pub what: &'static str,
}

/// A kind of records in the shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    /// Expression nodes.
    Nodes,
    /// Events.
    Events,
    /// The path log.
    Path,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let area = match self.area {
            Area::Nodes => "expression",
            Area::Events => "event",
            Area::Path => "path-log entry",
        };
        write!(
            f,
            "{area} {} of the trace: {}; the trace ends before it (the program may have overwritten it)",
            self.at, self.what
        )
    }
}

impl Trace {
    /// Checks what a run left behind and establishes the invariants of [`Trace`].
    ///
    /// `nodes` includes the unused node 0; `input` is what the run consumed. Lists are cut at their first
    /// malformed record, events also at the first whose label was cut off. Never panics.
    pub fn validated(
        mut nodes: Vec<PackedNode>,
        mut events: Vec<Event>,
        tables: Vec<u8>,
        mut path: Vec<u32>,
        dropped: Dropped,
        input: &Input,
    ) -> (Trace, Vec<Problem>) {
        let mut problems = Vec::new();
        if nodes.len() as u64 > u32::MAX.into() {
            nodes.truncate(u32::MAX as usize);
        }
        // Label 0 is nothing, whatever the program wrote there.
        if let Some(none) = nodes.first_mut() {
            *none = PackedNode::default();
        }
        let mut checked = FxHashMap::default();
        cut(&mut nodes, Area::Nodes, &mut problems, |nodes, at| {
            node_defect(nodes, at, &tables, &mut checked, input)
        });
        cut(&mut events, Area::Events, &mut problems, |events, at| {
            event_defect(&events[at], &nodes, &tables)
        });
        cut(&mut path, Area::Path, &mut problems, |path, at| {
            (path[at] & path_log::TAG == path_log::TAG).then_some("its tag does not exist")
        });
        (Trace { nodes, events, tables, path, dropped }, problems)
    }
}

/// Truncates `records` at the first with a defect.
fn cut<T>(
    records: &mut Vec<T>,
    area: Area,
    problems: &mut Vec<Problem>,
    mut defect: impl FnMut(&[T], usize) -> Option<&'static str>,
) {
    let first = (0..records.len()).find_map(|at| Some((at, defect(records, at)?)));
    if let Some((at, what)) = first {
        problems.push(Problem { area, at: at as u64, what });
        records.truncate(at);
    }
}

/// `checked`: tables seen, by offset, with the largest label in them.
fn node_defect(
    nodes: &[PackedNode],
    at: usize,
    tables: &[u8],
    checked: &mut FxHashMap<u64, u32>,
    input: &Input,
) -> Option<&'static str> {
    if at == 0 {
        return None;
    }
    let Some(node) = Decoded::new(nodes[at]) else { return Some("its operation does not exist") };
    let width_of = |l: u32| nodes[l as usize].width;
    let defect = node.defect(at as u32, width_of);
    if defect.is_some() {
        return defect;
    }
    match node.op {
        Op::Input if input.byte((node.node.a >> 32) as u32, node.node.a as u32).is_none() => {
            Some("it names an input byte that does not exist")
        }
        Op::Read => {
            let largest = match checked.get(&node.node.a) {
                Some(&l) => l,
                None => match table_labels(nodes, at, tables, node.node.a) {
                    Ok(l) => *checked.entry(node.node.a).or_insert(l),
                    Err(what) => return Some(what),
                },
            };
            (largest as usize >= at).then_some("its table holds a label that is not smaller")
        }
        _ => None,
    }
}

/// The largest label in a table, all of whose labels must be bytes.
fn table_labels(nodes: &[PackedNode], at: usize, tables: &[u8], offset: u64) -> Result<u32, &'static str> {
    let table = TableView::at(tables, offset).ok_or("its table does not lie in the table area")?;
    if table.is_range() {
        return Err("it reads where only the bounds of an object are known");
    }
    let mut largest = 0;
    for l in table.labels().filter(|&l| l != 0) {
        if l as usize >= at {
            return Err("its table holds a label that is not smaller");
        }
        if nodes[l as usize].width != 8 {
            return Err("its table holds a label that is not a byte");
        }
        largest = largest.max(l);
    }
    Ok(largest)
}

fn event_defect(event: &Event, nodes: &[PackedNode], tables: &[u8]) -> Option<&'static str> {
    let Some(kind) = EventKind::from_u8(event.kind) else { return Some("its kind does not exist") };
    if matches!(kind, EventKind::Eof | EventKind::Failed | EventKind::Context) {
        return None;
    }
    let Some(node) = nodes.get(event.label as usize) else { return Some("its label does not exist") };
    if event.label == 0 {
        return (kind != EventKind::Lost).then_some("it has no label");
    }
    let fits = match kind {
        EventKind::Branch | EventKind::Decision | EventKind::Assume | EventKind::Within => {
            node.width == 1 && event.value <= 1
        }
        EventKind::Switch => node.width <= 64 && event.value <= expr::semantics::mask(node.width),
        EventKind::IndirectCall => {
            let index = event.width == 0 || event.value < u64::from(event.width);
            node.width == 64 && event.width <= trace_abi::MAX_CALLEES && index
        }
        EventKind::Bounds => {
            let read = u64::from(event.width / 8);
            node.width == 64 && read > 0 && TableView::at(tables, event.value).is_some_and(|t| t.len >= read)
        }
        EventKind::Pin | EventKind::Lost | EventKind::Eof | EventKind::Failed | EventKind::Context => true,
    };
    (!fits).then_some("its label's width or its value cannot be")
}
