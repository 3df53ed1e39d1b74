//! Reading the mapping that a symbolic run by hand (`SPELUNK_TRACE=FILE`) left, field by field.

use anyhow::{Context as _, Result, bail};
use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use trace::{Dropped, Event, Input, PackedNode, Trace};
use trace_abi::{Header, Layout, MAGIC};

/// Little-endian fields of a record.
struct Record<'a>(&'a [u8]);

impl Record<'_> {
    fn u8(&self, at: usize) -> u8 {
        self.0[at]
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from(self.u16(at)) | u32::from(self.u16(at + 2)) << 16
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32
    }
}

/// The validated trace in `file`, of a run with this standard input, and what validation complained about.
///
/// # Errors
/// When the file cannot be read or is no mapping.
pub fn read(file: &Path, stdin: &[u8]) -> Result<(Trace, Vec<String>)> {
    let file = File::open(file).context("the run left no mapping")?;
    let head = read_at(&file, 0, size_of::<Header>())?;
    let h = Record(&head);
    if h.u32(offset_of!(Header, magic)) != MAGIC {
        bail!("the run left no mapping");
    }
    let layout = layout(&h);
    let nodes = read_at(
        &file,
        layout.nodes_at(),
        h.u32(offset_of!(Header, n_nodes)) as usize * size_of::<PackedNode>(),
    )?;
    let events = read_at(
        &file,
        layout.events_at(),
        h.u64(offset_of!(Header, n_events)) as usize * size_of::<Event>(),
    )?;
    let tables = read_at(&file, layout.tables_at(), h.u64(offset_of!(Header, tables_len)) as usize)?;
    let dropped = Dropped {
        nodes: h.u64(offset_of!(Header, dropped_nodes)),
        events: h.u64(offset_of!(Header, dropped_events)),
        path: h.u64(offset_of!(Header, dropped_path)),
        tables: h.u64(offset_of!(Header, dropped_tables)),
    };
    let nodes = nodes.chunks_exact(size_of::<PackedNode>()).map(|r| node(&Record(r))).collect();
    let events = events.chunks_exact(size_of::<Event>()).map(|r| event(&Record(r))).collect();
    let input = Input::stdin(stdin);
    let (trace, problems) = Trace::validated(nodes, events, tables, Vec::new(), dropped, &input);
    Ok((trace, problems.iter().map(ToString::to_string).collect()))
}

fn read_at(file: &File, at: u64, len: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, at).context("the mapping is too short")?;
    Ok(bytes)
}

fn layout(h: &Record<'_>) -> Layout {
    let at = offset_of!(Header, layout);
    Layout {
        input_bytes: h.u64(at + offset_of!(Layout, input_bytes)),
        value_bytes: h.u64(at + offset_of!(Layout, value_bytes)),
        coverage_bytes: h.u64(at + offset_of!(Layout, coverage_bytes)),
        max_batch: h.u64(at + offset_of!(Layout, max_batch)),
        has_known: h.u64(at + offset_of!(Layout, has_known)),
        max_events: h.u64(at + offset_of!(Layout, max_events)),
        max_path: h.u64(at + offset_of!(Layout, max_path)),
        table_bytes: h.u64(at + offset_of!(Layout, table_bytes)),
        max_icalls: h.u64(at + offset_of!(Layout, max_icalls)),
        max_nodes: h.u64(at + offset_of!(Layout, max_nodes)),
    }
}

fn node(r: &Record<'_>) -> PackedNode {
    PackedNode {
        op: r.u8(offset_of!(PackedNode, op)),
        form: r.u8(offset_of!(PackedNode, form)),
        width: r.u16(offset_of!(PackedNode, width)),
        first: r.u32(offset_of!(PackedNode, first)),
        rest: r.u64(offset_of!(PackedNode, rest)),
    }
}

fn event(r: &Record<'_>) -> Event {
    Event {
        kind: r.u8(offset_of!(Event, kind)),
        aux: r.u8(offset_of!(Event, aux)),
        width: r.u16(offset_of!(Event, width)),
        site: r.u32(offset_of!(Event, site)),
        label: r.u32(offset_of!(Event, label)),
        pos: r.u32(offset_of!(Event, pos)),
        value: r.u64(offset_of!(Event, value)),
    }
}
