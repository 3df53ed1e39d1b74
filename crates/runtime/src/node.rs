//! The node table: appending and hash-consing.
//!
//! Equal nodes get equal labels as long as the older one is remembered: a two-way table in private memory
//! remembers the newest nodes of each hash. It is deliberately small: a table of all nodes costs a cache miss
//! per node and most of a trace's time, and what it would find again the engine's arena finds too. No
//! simplification here: see [`crate::simplify`].

use crate::{event, lock, state};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering::Relaxed};
use trace_abi::{Node, Op, PackedNode, Reason, labelled};

/// Slots of the table, as a power of two: 128 KiB, which stay in the second-level cache beside all else. (With four times as many
/// bzip2 has 0.6 % fewer nodes, and takes a tenth longer.)
const BITS: u32 = 14;
/// Of a hash: the first slot of a pair.
const PAIR: usize = (1 << BITS) - 2;

/// Slots: hash in the high half, label in the low half; 0 is free.
static TABLE: AtomicPtr<u64> = AtomicPtr::new(null_mut());
/// Nodes in use; mirrored in the header, which the program might scribble over.
static COUNT: AtomicU32 = AtomicU32::new(1);

/// [`trace_abi::LABELLED_SYMBOL`]: read by instrumented code.
#[cfg_attr(spelunk_staticlib, unsafe(export_name = "__sp_labelled"))]
pub static LABELLED: AtomicU8 = AtomicU8::new(0);

/// From here on labels may come into being at any time, not only where the program's own sequence of calls asks for input.
pub fn interrupts() {
    LABELLED.fetch_or(labelled::INTERRUPTS, Relaxed);
}

/// Forgets all nodes: the start of a run.
pub fn reset() {
    let old = TABLE.swap(null_mut(), Relaxed);
    if !old.is_null() {
        // SAFETY: mapped by `table` with this length; nothing points into it any more.
        unsafe { crate::libc::munmap(old.cast(), 8 << BITS) };
    }
    COUNT.store(1, Relaxed);
    LABELLED.fetch_and(!labelled::LABELS, Relaxed);
}

/// The table, made when first needed; null if there is no memory.
#[inline(always)]
fn table() -> *mut u64 {
    let table = TABLE.load(Relaxed);
    if table.is_null() { new_table() } else { table }
}

#[cold]
fn new_table() -> *mut u64 {
    LABELLED.fetch_or(labelled::LABELS, Relaxed);
    let new = state::map_anonymous(8 << BITS).cast::<u64>();
    TABLE.store(new, Relaxed);
    new
}

/// Number of nodes, the unused node 0 included.
pub fn count() -> u32 {
    COUNT.load(Relaxed)
}

/// The node of a label as it is stored. An unknown label (a scribbled shadow) reads as node 0, which has no operation.
#[inline(always)]
pub fn packed(label: u32) -> PackedNode {
    let known = if label < count() { label } else { 0 };
    // SAFETY: `known` is below the count, which never exceeds the capacity.
    unsafe { *state::nodes().add(known as usize) }
}

/// The node of a label, as [`packed`].
#[inline(always)]
pub fn get(label: u32) -> Node {
    packed(label).unpack()
}

/// Width in bits of a label's value; 0 for an unknown label.
#[inline(always)]
pub fn width(label: u32) -> u16 {
    packed(label).width
}

/// Whether a label names a node of this run.
#[inline(always)]
pub fn is_known(label: u32) -> bool {
    label != 0 && label < count()
}

#[inline(always)]
fn hash(n: &PackedNode) -> u64 {
    let head = u64::from(n.op) | u64::from(n.form) << 8 | u64::from(n.width) << 16 | u64::from(n.first) << 32;
    let mut h = (head ^ n.rest.rotate_left(23)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ n.rest).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^= h >> 29;
    h = h.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ h >> 32
}

/// The label of this node, appended if it is not remembered. 0 if the run does not record (any more).
pub fn make(n: Node) -> u32 {
    if !state::recording() {
        return 0;
    }
    let Some(_guard) = lock::lock() else { return 0 };
    let table = table();
    if table.is_null() {
        return full();
    }
    let whole = n;
    let n = PackedNode::new(n);
    debug_assert_eq!(n.unpack(), whole, "a node with more than fits");
    let h = hash(&n);
    let tag = h >> 32 << 32;
    // SAFETY: both slots lie in the table. The newer node of a pair is in the first.
    let (first, second) = unsafe { (table.add(h as usize & PAIR), table.add(h as usize & PAIR | 1)) };
    // SAFETY: see above.
    for slot in unsafe { [*first, *second] } {
        if slot >> 32 << 32 == tag && slot != 0 && packed(slot as u32) == n {
            return slot as u32;
        }
    }
    let label = count();
    if label >= state::max_nodes() {
        return full();
    }
    // SAFETY: `label` is below the capacity; both slots lie in the table; the header is attached.
    unsafe {
        *state::nodes().add(label as usize) = n;
        *second = *first;
        *first = tag | u64::from(label);
        (*state::header()).n_nodes = label + 1;
    }
    COUNT.store(label + 1, Relaxed);
    label
}

/// Ends the symbolic part of the run: the table is full. Called with the lock held.
#[cold]
fn full() -> u32 {
    // SAFETY: the header is attached.
    unsafe { (*state::header()).dropped_nodes += 1 };
    event::append_locked(event::lost(Reason::NodesFull, 0, u64::from(count())));
    state::stop_recording();
    0
}

/// Node without operands beyond those given; the rest zero.
pub const fn raw(op: Op, width: u16) -> Node {
    Node { op: op as u8, aux: 0, width, l: 0, r: 0, t: 0, a: 0, b: 0 }
}

/// Byte `offset` of input object `object`.
pub fn input(object: u32, offset: u32) -> u32 {
    make(Node { a: u64::from(object) << 32 | u64::from(offset), ..raw(Op::Input, 8) })
}

/// A constant of at most 128 bits as a label. One with bits above the low 64 is put together.
pub fn constant(width: u16, low: u64, high: u64) -> u32 {
    let high = if width > 64 { high & mask(width - 64) } else { 0 };
    if high == 0 {
        return make(Node { a: low & mask(width), ..raw(Op::Const, width) });
    }
    match make(Node { a: low, ..raw(Op::Const, 64) }) {
        0 => 0,
        r => make(Node { a: high, r, ..raw(Op::Concat, width) }),
    }
}

/// The low `width` bits set; all 64 for larger widths.
#[inline(always)]
pub const fn mask(width: u16) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
