//! Where everything is: the shared mapping's areas, whether this run records, and the input objects.
//!
//! Life of a process: [`attach_private`] (from `.preinit_array`) gives every program a private mapping, so
//! that nothing later has to ask whether there is one; a fork server then calls [`attach`] with the engine's
//! mapping; the child of each run (or the program itself when run by hand) calls [`begin_run`] right before
//! user code. Pointers live in relaxed atomics: they are set before threads exist.

use crate::{event, external, icall, indexed, libc, lock, message, node, shadow, snapshot, tables};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};
use trace_abi::{
    Event, Flavour, GlobalObject, Header, IndirectCall, Layout, MAGIC, ModuleInfo, ObjectHeader, PAGE,
    PackedNode, VERSION, run_flags,
};

/// Pointers into the attached mapping, and its limits.
pub struct State {
    header: AtomicPtr<Header>,
    nodes: AtomicPtr<PackedNode>,
    events: AtomicPtr<Event>,
    path: AtomicPtr<u32>,
    icalls: AtomicPtr<IndirectCall>,
    recording: AtomicBool,
    max_nodes: AtomicU32,
    max_events: AtomicU64,
    /// Offsets of the input objects in the mapping, one `u64` each.
    objects: AtomicPtr<u64>,
    n_objects: AtomicU32,
}

static STATE: State = State {
    header: AtomicPtr::new(null_mut()),
    nodes: AtomicPtr::new(null_mut()),
    events: AtomicPtr::new(null_mut()),
    path: AtomicPtr::new(null_mut()),
    icalls: AtomicPtr::new(null_mut()),
    recording: AtomicBool::new(false),
    max_nodes: AtomicU32::new(0),
    max_events: AtomicU64::new(0),
    objects: AtomicPtr::new(null_mut()),
    n_objects: AtomicU32::new(0),
};

/// The program's global variables, as its description lists them.
pub fn globals() -> &'static [GlobalObject] {
    match module() {
        // SAFETY: the instrumenter emits `n_objects` entries.
        Some(m) if !m.objects.is_null() => unsafe {
            core::slice::from_raw_parts(m.objects, m.n_objects as usize)
        },
        _ => &[],
    }
}

/// The instrumented program's description; `None` in unit tests of this crate.
pub fn module() -> Option<&'static ModuleInfo> {
    let p: *const ModuleInfo;
    // SAFETY: computes the address of a weak symbol, null if there is none; `lea` would not give null in a
    // position-independent executable, the table entry does.
    unsafe {
        core::arch::asm!(
            ".weak __sp_module",
            "mov {p}, qword ptr [rip + __sp_module@GOTPCREL]",
            p = out(reg) p,
            options(nostack, pure, readonly),
        );
        p.as_ref()
    }
}

/// Start of the attached mapping. Never null after [`attach_private`].
#[inline(always)]
pub fn header() -> *mut Header {
    STATE.header.load(Relaxed)
}

/// First node.
#[inline(always)]
pub fn nodes() -> *mut PackedNode {
    STATE.nodes.load(Relaxed)
}

/// Capacity of the node table.
#[inline(always)]
pub fn max_nodes() -> u32 {
    STATE.max_nodes.load(Relaxed)
}

/// First event.
#[inline(always)]
pub fn events() -> *mut Event {
    STATE.events.load(Relaxed)
}

/// Capacity of the event buffer.
#[inline(always)]
pub fn max_events() -> u64 {
    STATE.max_events.load(Relaxed)
}

/// First entry of the path log.
#[inline(always)]
pub fn path() -> *mut u32 {
    STATE.path.load(Relaxed)
}

/// First indirect-call record.
pub fn icalls() -> *mut IndirectCall {
    STATE.icalls.load(Relaxed)
}

/// Whether nodes and events are being recorded in this process.
#[inline(always)]
pub fn recording() -> bool {
    STATE.recording.load(Relaxed)
}

/// Ends the symbolic part of this process for good (table full, child of a fork).
pub fn stop_recording() {
    STATE.recording.store(false, Relaxed);
}

/// The areas' sizes.
pub fn layout() -> Layout {
    // SAFETY: the header is attached before anybody asks.
    unsafe { (*header()).layout }
}

/// A pointer `offset` bytes into the mapping.
pub fn at(offset: u64) -> *mut u8 {
    header().cast::<u8>().wrapping_add(offset as usize)
}

/// Sizes of the private mapping of a program run by hand.
pub const fn private_layout(coverage_bytes: u64) -> Layout {
    Layout {
        input_bytes: 64 << 20,
        value_bytes: 1 << 20,
        coverage_bytes: coverage_bytes.div_ceil(PAGE) * PAGE,
        max_batch: 0,
        has_known: 0,
        max_events: 1 << 24,
        max_path: 1 << 24,
        table_bytes: 64 << 20,
        max_icalls: 1 << 16,
        max_nodes: 1 << 26,
    }
}

/// Bytes of coverage of this program, before rounding.
pub fn coverage_len() -> u64 {
    module().map_or(0, |m| m.n_branches as u64 + m.n_functions as u64)
}

/// Bytes of coverage and comparisons that this program has room for; `otherwise` where it does not say.
fn most_coverage(otherwise: u64) -> u64 {
    module().map_or(otherwise, |m| {
        trace_abi::coverage_bytes(m.n_branches.into(), m.n_functions.into(), m.n_compared.into())
    })
}

/// Writes a fresh header for `layout` at `base`.
///
/// # Safety
/// `base` is the start of a writable mapping of at least `layout.total()` bytes.
pub unsafe fn format(base: *mut u8, layout: Layout) {
    let h = base.cast::<Header>();
    // SAFETY: as the caller promises; a header is plain numbers, valid when zero.
    unsafe {
        h.write_bytes(0, 1);
        (*h).magic = MAGIC;
        (*h).version = VERSION;
        (*h).layout = layout;
        (*h).n_nodes = 1;
    }
}

/// Maps `layout.total()` private, sparse bytes, formats and attaches them.
pub fn attach_private(layout: Layout) {
    let base = map_anonymous(layout.total() as usize);
    if base.is_null() {
        message::die("cannot map memory for the trace: the address-space or overcommit limit is too low");
    }
    // SAFETY: freshly mapped with that length.
    unsafe {
        format(base, layout);
        attach(base, layout.total());
    }
}

/// Private, zeroed, lazily committed memory; null on failure.
pub fn map_anonymous(len: usize) -> *mut u8 {
    let (prot, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping at an address of the kernel's choice.
    let p = unsafe { libc::mmap(null_mut(), len, prot, flags, -1, 0) };
    if p as isize == -1 { null_mut() } else { p.cast() }
}

/// Attaches the mapping at `base`: every later record goes there.
///
/// # Safety
/// `base` is the start of a readable and writable mapping of `len` bytes that stays mapped. Its header is
/// checked here; a mapping that does not fit this runtime ends the process with a message.
pub unsafe fn attach(base: *mut u8, len: u64) {
    let h = base.cast::<Header>();
    // SAFETY: as the caller promises.
    let (magic, version, layout) = unsafe { ((*h).magic, (*h).version, (*h).layout) };
    if magic != MAGIC || version != VERSION {
        message::die(
            "the engine and this instrumented program are of different versions; instrument it again",
        );
    }
    if layout.total() > len
        || layout.coverage_bytes < coverage_len()
        || layout.coverage_bytes > most_coverage(layout.coverage_bytes)
        || layout.max_nodes > 1 << 31
        || layout.max_nodes < 2
    {
        message::die("the shared mapping does not fit this program; instrument it again");
    }
    STATE.header.store(h, Relaxed);
    STATE.nodes.store(at(layout.nodes_at()).cast(), Relaxed);
    STATE.events.store(at(layout.events_at()).cast(), Relaxed);
    STATE.path.store(at(layout.path_at()).cast(), Relaxed);
    STATE.icalls.store(at(layout.icalls_at()).cast(), Relaxed);
    STATE.max_nodes.store(layout.max_nodes as u32, Relaxed);
    STATE.max_events.store(layout.max_events, Relaxed);
}

/// Maps the coverage area of the shared mapping (descriptor `fd`) over the program's own coverage bytes, so
/// that coverage needs no copying and survives any crash. Returns whether that worked.
pub fn share_coverage(fd: i32) -> bool {
    let Some(m) = module() else { return false };
    let len = layout().coverage_bytes as usize;
    if len == 0 || m.coverage.is_null() {
        return true;
    }
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
    let at = layout().coverage_at() as libc::c_long;
    // SAFETY: the instrumenter pads the coverage array to whole pages of its own; `attach` checked the size.
    let p = unsafe { libc::mmap(m.coverage.cast(), len, prot, flags, fd, at) };
    p as isize != -1
}

/// Starts a run in this process: reads the per-run fields of the header, indexes the input objects, resets
/// all records, and starts recording if the run is symbolic and this is a tracing flavour.
pub fn begin_run() {
    begin_run_at(layout().input_at());
}

/// The same with the first input object at `objects`, an offset in the mapping.
pub fn begin_run_at(objects: u64) {
    let h = header();
    // SAFETY: attached; nobody else writes the header of a run that has not begun.
    let flags = unsafe {
        (*h).n_nodes = 1;
        (*h).n_values = 0;
        (*h).n_events = 0;
        (*h).n_path = 0;
        (*h).tables_len = 0;
        (*h).values_len = 0;
        (*h).n_icalls = 0;
        (*h).dropped_nodes = 0;
        (*h).dropped_events = 0;
        (*h).dropped_path = 0;
        (*h).dropped_tables = 0;
        (*h).flags
    };
    if node::count() > 1 {
        shadow::forget_everything();
        crate::tls::clear();
    }
    index_objects(objects);
    lock::reset();
    node::reset();
    event::reset();
    tables::reset();
    indexed::reset();
    crate::models::stdio::reset();
    external::reset();
    icall::reset();
    snapshot::begin();
    let traces = module().is_none_or(|m| m.flavour != Flavour::Fast as u32);
    STATE.recording.store(traces && flags & run_flags::SYMBOLIC != 0 && shadow::is_mapped(), Relaxed);
}

/// One input object, borrowed from the mapping.
#[derive(Clone, Copy, Debug)]
pub struct ObjectView {
    /// `trace_abi::ObjectKind` as number.
    pub kind: u32,
    /// `trace_abi::ValueType` as number.
    pub value_type: u32,
    /// Its name, not NUL-terminated.
    pub name: &'static [u8],
    /// Its bytes.
    pub data: &'static [u8],
}

/// Number of input objects of this run that lie wholly inside the input area.
pub fn n_objects() -> u32 {
    STATE.n_objects.load(Relaxed)
}

/// Input object `index`, or `None` past the last.
pub fn object(index: u32) -> Option<ObjectView> {
    if index >= n_objects() {
        return None;
    }
    // SAFETY: `index_objects` stored `n_objects` offsets of objects it had checked.
    let offset = unsafe { *STATE.objects.load(Relaxed).add(index as usize) };
    object_at(offset).map(|(view, _)| view)
}

/// The first object of this kind with index at least `from`, and its index.
pub fn find_object(kind: trace_abi::ObjectKind, from: u32) -> Option<(u32, ObjectView)> {
    (from..n_objects()).find_map(|i| object(i).filter(|o| o.kind == kind as u32).map(|o| (i, o)))
}

/// The object at `offset` of the mapping and the offset of the next one, if it lies inside the input area.
pub fn object_at(offset: u64) -> Option<(ObjectView, u64)> {
    const HEAD: u64 = size_of::<ObjectHeader>() as u64;
    let end = layout().input_at() + layout().input_bytes;
    if offset < layout().input_at() || !offset.is_multiple_of(8) || offset.checked_add(HEAD)? > end {
        return None;
    }
    // SAFETY: inside the input area; a header is plain numbers; objects are padded to 8.
    let head = unsafe { *at(offset).cast::<ObjectHeader>() };
    let name = offset + HEAD;
    let data = name + head.name_len as u64;
    let stop = data + head.data_len as u64;
    if stop > end {
        return None;
    }
    // SAFETY: both ranges lie inside the input area, which nobody writes during a run.
    let (name, bytes) = unsafe {
        (
            core::slice::from_raw_parts(at(name), head.name_len as usize),
            core::slice::from_raw_parts(at(data), head.data_len as usize),
        )
    };
    Some((
        ObjectView { kind: head.kind, value_type: head.value_type, name, data: bytes },
        stop.next_multiple_of(8),
    ))
}

/// Finds where each object starts (objects are of variable length).
fn index_objects(first: u64) {
    // SAFETY: attached.
    let wanted = unsafe { (*header()).n_objects }.min(1 << 24);
    STATE.n_objects.store(0, Relaxed);
    if wanted == 0 {
        return;
    }
    let index = map_anonymous(wanted as usize * 8).cast::<u64>();
    if index.is_null() {
        return;
    }
    let (mut offset, mut n) = (first, 0);
    while n < wanted {
        let Some((_, next)) = object_at(offset) else { break };
        // SAFETY: `n < wanted`, the length of the index.
        unsafe { *index.add(n as usize) = offset };
        offset = next;
        n += 1;
    }
    STATE.objects.store(index, Relaxed);
    STATE.n_objects.store(n, Relaxed);
}

/// The label of byte `offset` of input object `object`, or 0 when this run does not record.
pub fn input_label(object: u32, offset: u32) -> u32 {
    if recording() { node::input(object, offset) } else { 0 }
}
