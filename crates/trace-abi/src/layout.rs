//! Where each area of the shared mapping lies.

use crate::{BatchEntry, BatchHeader, Event, IndirectCall, PackedNode};

/// Sizes of the areas, in bytes or records; offsets follow from them. Written once by the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Layout {
    /// Capacity of the input area in bytes.
    pub input_bytes: u64,
    /// Capacity of the consumed-values area in bytes.
    pub value_bytes: u64,
    /// Coverage bytes, rounded up to whole pages (branches, then functions), and behind them what was compared
    /// ([`compared_at`]), rounded up as well.
    pub coverage_bytes: u64,
    /// Most inputs in a batch; 0: no batches.
    pub max_batch: u64,
    /// 1: there is a map of the coverage that is known already, for runs that freeze when they find nothing new; else 0.
    pub has_known: u64,
    /// Capacity of the event buffer.
    pub max_events: u64,
    /// Capacity of the path log (0 unless flavour `path`).
    pub max_path: u64,
    /// Capacity of the table area in bytes.
    pub table_bytes: u64,
    /// Capacity of the indirect-call records.
    pub max_icalls: u64,
    /// Capacity of the node table (at most 2^31).
    pub max_nodes: u64,
}

/// Page size assumed by the layout.
pub const PAGE: u64 = 4096;

const fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE) * PAGE
}

/// Offset, from the first coverage byte, of what the conditionals compared last: for each a number of 64 bits, 0 where nothing was recorded,
/// else [`COMPARED_ZERO`] exclusive-or the difference of the two sides (of a `switch`: the value switched on).
pub const fn compared_at(n_branches: u64, n_functions: u64) -> u64 {
    pages(n_branches + n_functions)
}

/// Coverage bytes of a program with so many branches, functions and conditionals whose comparisons are kept, in whole pages.
pub const fn coverage_bytes(n_branches: u64, n_functions: u64, n_compared: u64) -> u64 {
    compared_at(n_branches, n_functions) + pages(8 * n_compared)
}

/// How a difference of 0 is recorded, see [`compared_at`].
pub const COMPARED_ZERO: u64 = 1 << 63;

impl Layout {
    /// Offset of the input area.
    pub const fn input_at(&self) -> u64 {
        PAGE
    }
    /// Offset of the consumed-values area.
    pub const fn values_at(&self) -> u64 {
        self.input_at() + pages(self.input_bytes)
    }
    /// Offset of the coverage bytes (page-aligned: mapped over the program's own).
    pub const fn coverage_at(&self) -> u64 {
        self.values_at() + pages(self.value_bytes)
    }
    /// Offset of the batch area: a [`BatchHeader`], then the entries.
    pub const fn batch_at(&self) -> u64 {
        self.coverage_at() + pages(self.coverage_bytes)
    }
    /// Offset of entry `k` of a batch.
    pub const fn batch_entry_at(&self, k: u64) -> u64 {
        self.batch_at() + size_of::<BatchHeader>() as u64 + k * size_of::<BatchEntry>() as u64
    }
    /// Offset of the map of what was seen: as many bytes as there is coverage, see [`crate::bucket`].
    pub const fn seen_at(&self) -> u64 {
        self.batch_at()
            + if self.max_batch == 0 {
                0
            } else {
                pages(self.batch_entry_at(self.max_batch) - self.batch_at())
            }
    }
    /// Offset of the map of what is covered already: as many bytes as there is coverage, not 0 where it is.
    pub const fn known_at(&self) -> u64 {
        self.seen_at() + if self.max_batch == 0 { 0 } else { pages(self.coverage_bytes) }
    }
    /// Offset of the events.
    pub const fn events_at(&self) -> u64 {
        self.known_at() + if self.has_known == 0 { 0 } else { pages(self.coverage_bytes) }
    }
    /// Offset of the path log.
    pub const fn path_at(&self) -> u64 {
        self.events_at() + pages(self.max_events * size_of::<Event>() as u64)
    }
    /// Offset of the tables.
    pub const fn tables_at(&self) -> u64 {
        self.path_at() + pages(self.max_path * 4)
    }
    /// Offset of the indirect-call records.
    pub const fn icalls_at(&self) -> u64 {
        self.tables_at() + pages(self.table_bytes)
    }
    /// Offset of the nodes.
    pub const fn nodes_at(&self) -> u64 {
        self.icalls_at() + pages(self.max_icalls * size_of::<IndirectCall>() as u64)
    }
    /// Length of the whole mapping in bytes.
    pub const fn total(&self) -> u64 {
        self.nodes_at() + pages(self.max_nodes * size_of::<PackedNode>() as u64)
    }
}
