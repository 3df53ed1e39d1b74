//! Which object an address lies in: the module's global variables, and small heap blocks.
//!
//! Heap blocks of at most [`MAX_SELECT_BYTES`] are kept in a sparse side table with one entry per 16 bytes of
//! address space (modulo 64 GiB), at their start; a search scans downwards, 256 entries at most. Larger
//! blocks stand in a short list: reads through symbolic addresses pin there, only their bounds are asked for.

use crate::state;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering::Relaxed};
use trace_abi::{MAX_SELECT_BYTES, OBJECT_CONSTANT};

/// A piece of memory that reads may range over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Address of the first byte.
    pub base: usize,
    /// Length in bytes.
    pub size: usize,
    /// Whether its content never changes.
    pub constant: bool,
    /// Whether all of it is known to be there; otherwise that is what a type in the program promises.
    pub complete: bool,
}

impl Object {
    /// Whether `bytes` bytes at `address` lie inside.
    pub const fn holds(&self, address: usize, bytes: usize) -> bool {
        address >= self.base && bytes <= self.size && address - self.base <= self.size - bytes
    }

    /// The part of it that lies in `other`, which overlaps it.
    pub fn within(&self, other: &Object) -> Object {
        let base = self.base.max(other.base);
        let end = (self.base + self.size).min(other.base + other.size);
        let constant = self.constant || other.constant;
        Object { base, size: end.saturating_sub(base), constant, complete: other.complete }
    }
}

/// A global, sorted by address.
#[derive(Clone, Copy)]
struct Global {
    base: usize,
    size: u64,
}

static GLOBALS: AtomicPtr<Global> = AtomicPtr::new(null_mut());
static N_GLOBALS: AtomicU32 = AtomicU32::new(0);
/// Tables of the C library, registered by models (`__ctype_b_loc` and friends).
static EXTRA: [Extra; 4] = [const { Extra { base: AtomicPtr::new(null_mut()), size: AtomicU32::new(0) } }; 4];

struct Extra {
    base: AtomicPtr<u8>,
    size: AtomicU32,
}

const GRANULE_BITS: u32 = 4;
const INDEX_BITS: u32 = 32;
const SIZE_BITS: u32 = 13;
/// The heap's side table; null until the first block.
static BLOCKS: AtomicPtr<u32> = AtomicPtr::new(null_mut());
/// Where the blocks of the side table have been so far, and the size of the largest: what is asked for lies often outside.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);
static LONGEST: AtomicUsize = AtomicUsize::new(0);

/// Copies and sorts the module's table of globals. Once, before user code.
pub fn index_globals() {
    let given = state::globals();
    if given.is_empty() || !GLOBALS.load(Relaxed).is_null() {
        return;
    }
    let copy = state::map_anonymous(size_of_val(given)).cast::<Global>();
    if copy.is_null() {
        return;
    }
    // SAFETY: freshly mapped with room for as many entries; zero is a valid entry.
    let globals = unsafe { core::slice::from_raw_parts_mut(copy, given.len()) };
    for (to, from) in globals.iter_mut().zip(given) {
        *to = Global { base: from.address as usize, size: from.size };
    }
    globals.sort_unstable_by_key(|g| g.base);
    crate::models::ctype::register_tables();
    GLOBALS.store(copy, Relaxed);
    N_GLOBALS.store(given.len() as u32, Relaxed);
}

/// Registers a constant table of the C library; further ones beyond a handful are ignored.
pub fn add_constant(base: *const u8, size: usize) {
    for e in &EXTRA {
        let had = e.base.load(Relaxed);
        if had.is_null() {
            e.size.store(size as u32, Relaxed);
            e.base.store(base.cast_mut(), Relaxed);
            return;
        }
        if had.cast_const() == base {
            return;
        }
    }
}

/// Strings that models searched of late, in which the pointers that they found lie (newest last, in a ring).
static TEXTS: [Extra; 8] = [const { Extra { base: AtomicPtr::new(null_mut()), size: AtomicU32::new(0) } }; 8];
static NEXT_TEXT: AtomicU32 = AtomicU32::new(0);

/// A model gives out a pointer into these bytes, whose object nobody may know (the stack): reads through it range over
/// them, as they are when it is read.
pub fn note_text(base: usize, size: usize) {
    let k = NEXT_TEXT.fetch_add(1, Relaxed) as usize % TEXTS.len();
    TEXTS[k].size.store(size as u32, Relaxed);
    TEXTS[k].base.store(base as *mut u8, Relaxed);
}

/// The bytes in which a pointer that a model gave out lies: for pointers of which nothing else is known.
pub fn find_text(address: usize) -> Option<Object> {
    let next = NEXT_TEXT.load(Relaxed) as usize;
    (1..=TEXTS.len()).find_map(|back| {
        let e = &TEXTS[next.wrapping_sub(back) % TEXTS.len()];
        let (base, size) = (e.base.load(Relaxed) as usize, e.size.load(Relaxed) as usize);
        let o = Object { base, size, constant: false, complete: true };
        (base != 0 && o.holds(address, 1)).then_some(o)
    })
}

/// The object that holds `bytes` bytes at `address`.
pub fn find(address: usize, bytes: usize) -> Option<Object> {
    find_global(address)
        .or_else(|| find_extra(address))
        // Few, and quickly looked through: the walk back through the blocks is longest where an address lies in none of them.
        .or_else(|| find_large(address))
        .or_else(|| find_block(address))
        .filter(|o| o.holds(address, bytes))
}

fn find_global(address: usize) -> Option<Object> {
    let (p, n) = (GLOBALS.load(Relaxed), N_GLOBALS.load(Relaxed) as usize);
    if p.is_null() {
        return None;
    }
    // SAFETY: `index_globals` filled `n` entries.
    let globals = unsafe { core::slice::from_raw_parts(p, n) };
    let after = globals.partition_point(|g| g.base <= address);
    let g = globals.get(after.checked_sub(1)?)?;
    let size = (g.size & !OBJECT_CONSTANT) as usize;
    (address - g.base < size).then_some(Object {
        base: g.base,
        size,
        constant: g.size & OBJECT_CONSTANT != 0,
        complete: true,
    })
}

fn find_extra(address: usize) -> Option<Object> {
    EXTRA.iter().find_map(|e| {
        let (base, size) = (e.base.load(Relaxed) as usize, e.size.load(Relaxed) as usize);
        let o = Object { base, size, constant: true, complete: true };
        (base != 0 && o.holds(address, 1)).then_some(o)
    })
}

/// Larger heap blocks that are live: their bounds are wanted where the program leaves them. Further ones are not kept.
static LARGE: [Large; 256] = [const { Large { base: AtomicUsize::new(0), size: AtomicUsize::new(0) } }; 256];
/// Entries of `LARGE` ever used.
static N_LARGE: AtomicUsize = AtomicUsize::new(0);

struct Large {
    base: AtomicUsize,
    size: AtomicUsize,
}

fn large() -> &'static [Large] {
    &LARGE[..N_LARGE.load(Relaxed).min(LARGE.len())]
}

fn find_large(address: usize) -> Option<Object> {
    large().iter().find_map(|l| {
        let (base, size) = (l.base.load(Relaxed), l.size.load(Relaxed));
        let o = Object { base, size, constant: false, complete: true };
        (base != 0 && o.holds(address, 1)).then_some(o)
    })
}

fn note_large(base: usize, size: usize) {
    forget_large(base);
    if let Some(free) = large().iter().find(|l| l.base.load(Relaxed) == 0) {
        free.size.store(size, Relaxed);
        free.base.store(base, Relaxed);
        return;
    }
    let n = N_LARGE.load(Relaxed);
    if let Some(next) = LARGE.get(n) {
        next.size.store(size, Relaxed);
        next.base.store(base, Relaxed);
        N_LARGE.store(n + 1, Relaxed);
    }
}

/// Whatever lay at `address` is no more: something else begins there.
fn forget_large(address: usize) {
    for l in large() {
        let base = l.base.load(Relaxed);
        if base != 0 && address.wrapping_sub(base) < l.size.load(Relaxed) {
            l.base.store(0, Relaxed);
        }
    }
}

const fn index(address: usize) -> usize {
    (address >> GRANULE_BITS) & ((1 << INDEX_BITS) - 1)
}

const fn tag(address: usize) -> u32 {
    ((address >> (GRANULE_BITS + INDEX_BITS)) as u32) << SIZE_BITS
}

fn find_block(address: usize) -> Option<Object> {
    let table = BLOCKS.load(Relaxed);
    if table.is_null() || address < LOWEST.load(Relaxed) || address >= HIGHEST.load(Relaxed) {
        return None;
    }
    let start = address & !((1 << GRANULE_BITS) - 1);
    for back in 0..=LONGEST.load(Relaxed) >> GRANULE_BITS {
        let base = start.checked_sub(back << GRANULE_BITS)?;
        // SAFETY: the table has an entry for every index.
        let entry = unsafe { *table.add(index(base)) };
        if entry != 0 && entry & !((1 << SIZE_BITS) - 1) == tag(base) {
            let size = (entry & ((1 << SIZE_BITS) - 1)) as usize;
            let object = Object { base, size, constant: false, complete: true };
            return (address - base < size).then_some(object);
        }
    }
    None
}

/// A heap block of `size` bytes came to be at `base`: its bytes are concrete.
pub fn born(base: *mut u8, size: usize) {
    if base.is_null() {
        return;
    }
    crate::shadow::clear(base as usize, size);
    note(base as usize, size);
}

/// A small block is there: looking for one must reach it. (Mostly known already, and an atomic exchange is dear.)
fn widen(base: usize, size: usize) {
    if base < LOWEST.load(Relaxed) {
        LOWEST.fetch_min(base, Relaxed);
    }
    if base + size > HIGHEST.load(Relaxed) {
        HIGHEST.fetch_max(base + size, Relaxed);
    }
    if size > LONGEST.load(Relaxed) {
        LONGEST.fetch_max(size, Relaxed);
    }
}

/// Remembers a block without touching its labels.
pub fn note(base: usize, size: usize) {
    let mut table = BLOCKS.load(Relaxed);
    if table.is_null() {
        table = state::map_anonymous(4 << INDEX_BITS).cast();
        if table.is_null() {
            return;
        }
        BLOCKS.store(table, Relaxed);
    }
    if size as u64 > MAX_SELECT_BYTES {
        note_large(base, size);
    } else {
        forget_large(base);
    }
    let small = size > 0 && size as u64 <= MAX_SELECT_BYTES && base.is_multiple_of(1 << GRANULE_BITS);
    let slot = table.wrapping_add(index(base));
    // SAFETY: the table has an entry for every index.
    unsafe {
        if small {
            widen(base, size);
            *slot = tag(base) | size as u32;
        } else if *slot != 0 {
            *slot = 0;
        }
    }
}

/// The heap block at `base` is no more.
pub fn died(base: *const u8) {
    let table = BLOCKS.load(Relaxed);
    if base.is_null() || table.is_null() {
        return;
    }
    forget_large(base as usize);
    let slot = table.wrapping_add(index(base as usize));
    // SAFETY: the table has an entry for every index.
    unsafe {
        if *slot != 0 {
            *slot = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Lab;

    #[test]
    fn of_two_blocks_at_one_place_the_newer_is_there() {
        let _lab = Lab::new(b"");
        let (base, size) = (0x7000_0000_0000, 3 * MAX_SELECT_BYTES as usize);
        let inside = base + 64;
        let found = |at: usize| find(at, 1).map(|o| (o.base, o.size));
        note(base, size);
        assert_eq!(found(inside), Some((base, size)));
        assert_eq!(found(base + size), None);
        note(inside, 32);
        assert_eq!(found(inside + 31), Some((inside, 32)));
        assert_eq!(found(base), None, "what the newer block lies in is gone");
        note(base, size);
        assert_eq!(found(inside), Some((base, size)));
        died(base as *const u8);
        assert_eq!(found(base + size - 1), None);
    }
}
