//! Snapshots of objects read through symbolic addresses.
//!
//! An object whose bytes and labels are as in its last snapshot shares that snapshot: a loop over a constant
//! table records it once.

use crate::objects::Object;
use crate::{event, lock, node, shadow, state};
use core::ptr::copy_nonoverlapping;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use trace_abi::{Event, EventKind, Reason, TABLE_RANGE, TableHeader};

const CACHE: usize = 256;
/// Last snapshot by hash of its base address: offset + 1, or 0.
static LAST: [AtomicU64; CACHE] = [const { AtomicU64::new(0) }; CACHE];
/// Bounds recorded lately, by hash: a repetition says nothing new.
static BOUNDS: [AtomicU64; CACHE] = [const { AtomicU64::new(0) }; CACHE];
/// Ranges recorded lately, by hash: offset + 1, or 0.
static RANGES: [AtomicU64; CACHE] = [const { AtomicU64::new(0) }; CACHE];
/// How often an access was recorded to have gone to a range, by hash: the range and the access, and in the low bits the number.
static PINNED: [AtomicU64; 4 * CACHE] = [const { AtomicU64::new(0) }; 4 * CACHE];
/// Bounds recorded of one access to one range where its address is pinned as well.
const MOST_PINNED: u64 = 15;
static USED: AtomicU64 = AtomicU64::new(0);

const HEAD: u64 = size_of::<TableHeader>() as u64;

/// Forgets all tables: the start of a run.
pub fn reset() {
    for slot in LAST.iter().chain(&BOUNDS).chain(&RANGES).chain(&PINNED) {
        if slot.load(Relaxed) != 0 {
            slot.store(0, Relaxed);
        }
    }
    USED.store(0, Relaxed);
}

fn cache_slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

/// Offset in the table area of a snapshot of `object` as it is now. `None` if the area is full.
pub fn snapshot(object: Object) -> Option<u64> {
    let slot = &LAST[cache_slot(object.base as u64)];
    let last = slot.load(Relaxed);
    if last != 0 && is_known_constant(last - 1, &object) {
        return Some(last - 1);
    }
    let labelled = shadow::any(object.base, object.size);
    if labelled {
        shadow::settle(object.base, object.size);
    }
    if last != 0 && is_current(last - 1, &object, labelled) {
        return Some(last - 1);
    }
    let values_len = object.size.next_multiple_of(4) as u64;
    let need = (HEAD + values_len + if labelled { 4 * object.size as u64 } else { 0 }).next_multiple_of(8);
    let guard = lock::lock()?;
    let (at, capacity) = (USED.load(Relaxed), state::layout().table_bytes);
    if at + need > capacity {
        // SAFETY: the header is attached.
        unsafe { (*state::header()).dropped_tables += need };
        drop(guard);
        event::lose(Reason::TablesFull, 0, need);
        return None;
    }
    let head =
        TableHeader { base: object.base as u64, len: object.size as u32, labelled: u32::from(labelled) };
    let to = state::at(state::layout().tables_at() + at);
    // SAFETY: `need` bytes fit the table area at `at`; the object's bytes are readable, as the program reads
    // there itself; shadow exists for them.
    unsafe {
        to.cast::<TableHeader>().write(head);
        let values = to.add(HEAD as usize);
        copy_nonoverlapping(object.base as *const u8, values, object.size);
        if labelled {
            let labels = values.add(values_len as usize).cast::<u32>();
            copy_nonoverlapping(shadow::slot(object.base), labels, object.size);
            drop_unknown(labels, object.size);
        }
        (*state::header()).tables_len = at + need;
    }
    USED.store(at + need, Relaxed);
    slot.store(at + 1, Relaxed);
    Some(at)
}

/// Offset in the table area of an entry that says where `object` lies and nothing of what is in it.
pub fn range(object: Object) -> Option<u64> {
    let len = u32::try_from(object.size).ok()?;
    let slot = &RANGES[cache_slot(object.base as u64 ^ object.size as u64)];
    let last = slot.load(Relaxed);
    let head = TableHeader { base: object.base as u64, len, labelled: TABLE_RANGE };
    // SAFETY: the slot holds offsets of ranges of this run.
    if last != 0 && unsafe { header(last - 1) } == head {
        return Some(last - 1);
    }
    let guard = lock::lock()?;
    let (at, capacity) = (USED.load(Relaxed), state::layout().table_bytes);
    if at + HEAD > capacity {
        // SAFETY: the header is attached.
        unsafe { (*state::header()).dropped_tables += HEAD };
        drop(guard);
        event::lose(Reason::TablesFull, 0, HEAD);
        return None;
    }
    // SAFETY: a header fits the table area at `at`.
    unsafe {
        state::at(state::layout().tables_at() + at).cast::<TableHeader>().write(head);
        (*state::header()).tables_len = at + HEAD;
    }
    USED.store(at + HEAD, Relaxed);
    slot.store(at + 1, Relaxed);
    Some(at)
}

/// # Safety
/// `offset` came from `snapshot` or `range` in this run.
unsafe fn header(offset: u64) -> TableHeader {
    // SAFETY: as the caller promises.
    unsafe { state::at(state::layout().tables_at() + offset).cast::<TableHeader>().read() }
}

/// A snapshot, for looking into it.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Address of the object's first byte.
    pub base: u64,
    /// Its length.
    pub len: usize,
    offset: u64,
    labelled: bool,
}

/// The snapshot at `offset`, which must be that of a `Read` node; `None` if no snapshot was made there.
pub fn view(offset: u64) -> Option<View> {
    if offset.checked_add(HEAD)? > USED.load(Relaxed) || !offset.is_multiple_of(8) {
        return None;
    }
    // SAFETY: within the used part of the table area.
    let head = unsafe { header(offset) };
    let len = head.len as usize;
    let fits = offset + HEAD + len as u64 <= USED.load(Relaxed);
    (head.labelled != TABLE_RANGE && fits).then_some(View {
        base: head.base,
        len,
        offset,
        labelled: head.labelled == 1,
    })
}

impl View {
    /// Byte `k`, if it is there and concrete.
    pub fn constant(&self, k: usize) -> Option<u8> {
        if k >= self.len {
            return None;
        }
        let values = state::at(state::layout().tables_at() + self.offset + HEAD);
        let labels = self.len.next_multiple_of(4);
        // SAFETY: `view` found `len` bytes there, and as many labels behind them if there are any.
        unsafe {
            let concrete = !self.labelled || values.add(labels).cast::<u32>().add(k).read() == 0;
            concrete.then(|| values.add(k).read())
        }
    }
}

/// Makes labels concrete that are not bytes of this run (a program that scribbled over its shadow).
///
/// # Safety
/// `labels` points to `n` labels.
unsafe fn drop_unknown(labels: *mut u32, n: usize) {
    for k in 0..n {
        // SAFETY: as the caller promises.
        let label = unsafe { &mut *labels.add(k) };
        if *label != 0 && node::width(*label) != 8 {
            *label = 0;
        }
    }
}

/// Whether the snapshot at `offset` is of this object, which never changes.
fn is_known_constant(offset: u64, object: &Object) -> bool {
    // SAFETY: `offset` came from `snapshot` in this run.
    let head = unsafe { header(offset) };
    object.constant
        && head.labelled == 0
        && head.base == object.base as u64
        && head.len as usize == object.size
}

/// Whether the snapshot at `offset` is of this object, of which some byte is labelled or none, and still says what is there.
fn is_current(offset: u64, object: &Object, labelled: bool) -> bool {
    let from = state::at(state::layout().tables_at() + offset);
    // SAFETY: `offset` came from `snapshot` in this run; the object is readable, see there.
    unsafe {
        let head = from.cast::<TableHeader>().read();
        if head.base != object.base as u64 || head.len as usize != object.size {
            return false;
        }
        let values = from.add(HEAD as usize);
        let now = core::slice::from_raw_parts(object.base as *const u8, object.size);
        if core::slice::from_raw_parts(values, object.size) != now {
            return false;
        }
        if head.labelled == 0 || !labelled {
            return head.labelled == u32::from(labelled);
        }
        let labels = values.add(object.size.next_multiple_of(4)).cast::<u32>();
        core::slice::from_raw_parts(labels, object.size)
            == core::slice::from_raw_parts(shadow::slot(object.base), object.size)
    }
}

/// Records that access `id` of `bits` bits through address `label` was followed only inside the table or range. Whether that
/// was news.
pub fn bounds(label: u32, table: u64, bits: u16, id: u32) -> bool {
    let key = u64::from(label) ^ table << 32 ^ u64::from(bits) << 52 | 1 << 63;
    let slot = &BOUNDS[cache_slot(key)];
    let news = slot.load(Relaxed) != key;
    if news {
        slot.store(key, Relaxed);
        event::append(Event { width: bits, ..event::new(EventKind::Bounds, label, table, id) });
    }
    news
}

/// As [`bounds`], of an access whose address is pinned as well. The pin says more, so this is no more than a place from where the
/// access may be sent out of the range: the first few of a run will do.
pub fn bounds_of_pinned(label: impl Fn() -> u32, range: u64, bits: u16, id: u32) {
    let key = (range << 32 ^ u64::from(id)) << 4;
    let slot = &PINNED[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize];
    let had = slot.load(Relaxed);
    let count = if had & !15 == key { had & 15 } else { 0 };
    if count >= MOST_PINNED {
        return;
    }
    let label = label();
    if label != 0 && bounds(label, range, bits, id) {
        slot.store(key | (count + 1), Relaxed);
    }
}

/// Records that access `id` was followed only while `condition` (a label of width 1) holds.
pub fn within(condition: u32, id: u32) {
    let key = u64::from(condition) | 1 << 62;
    let slot = &BOUNDS[cache_slot(key)];
    if slot.load(Relaxed) != key {
        slot.store(key, Relaxed);
        event::append(Event { width: 1, ..event::new(EventKind::Within, condition, 1, id) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Lab;

    #[test]
    fn bounds_beside_a_pin_are_few_for_each_access_and_range() {
        let lab = Lab::new(&[0; 100]);
        let object = |base| Object { base, size: 1 << 20, constant: false, complete: true };
        let ranges = [0x5000, 0x70_0000].map(|base| range(object(base)).unwrap());
        for k in 0..100 {
            for (j, (table, id)) in (0..).zip([(ranges[0], 1), (ranges[0], 2), (ranges[1], 1)]) {
                bounds_of_pinned(|| crate::node::input(j, k), table, 8, id);
            }
        }
        let of = |table, id| lab.events().iter().filter(|e| (e.value, e.site) == (table, id)).count() as u64;
        assert_eq!([of(ranges[0], 1), of(ranges[0], 2), of(ranges[1], 1)], [MOST_PINNED; 3]);
        for k in 0..100 {
            bounds(crate::node::input(9, k), ranges[0], 8, 3);
        }
        assert_eq!(of(ranges[0], 3), 100, "without a pin all of them hold the path");
    }
}
