//! Loads and stores through symbolic addresses.
//!
//! A read is a choice among the bytes of the object that the address lies in ([`Op::Read`] of a snapshot); a write is
//! an update of every place it could go to: `place = address == place ? new : old`, byte by byte. Where the address is a
//! pointer *chosen* among several objects ([`crate::pointers`]) both range over all of these. What must hold for that to
//! be right (the address stays in its object) is recorded as an event; where object or limits do not allow it the address
//! is pinned.

use crate::arithmetic::Arithmetic;
use crate::memory;
use crate::objects::{self, Object};
use crate::pointers::{self, Split};
use crate::simplify::{Operand, bin, extract, tri, zero_extend};
use crate::{event, node, shadow, state, tables};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use trace_abi::{MAX_UPDATE_BYTES, MAX_UPDATE_NODES, Node, Op, Reason};

/// Pointers that an access is told apart by. More (the entries of a hash table) make the expressions behind them grow faster
/// than what they are worth: on lua, 64 made flips three times as dear.
const MAX_CHOSEN: usize = 16;
/// Objects that one address may range over with an index into each of them.
const MAX_OBJECTS: usize = 16;

/// Nodes made by symbolic stores in this run.
static UPDATES: AtomicU32 = AtomicU32::new(0);

/// The start of a run.
pub fn reset() {
    UPDATES.store(0, Relaxed);
}

/// An access through a symbolic address.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The concrete address.
    pub address: usize,
    /// How many bytes.
    pub bytes: usize,
    /// The address's label; 0 if it is concrete or not made yet.
    pub label: u32,
    /// Of an address that has no label yet: what it is made of, [`Arithmetic::is_plain_index`].
    pub index: Option<Arithmetic>,
    /// The object it must stay in, as far as the program's text tells.
    pub declared: Option<Object>,
    /// Function, for pins.
    pub site: u32,
    /// Which access of the program it is.
    pub id: u32,
}

impl Access {
    /// An access through address arithmetic.
    pub fn through(
        parts: Arithmetic,
        address: usize,
        bytes: usize,
        declared: Option<Object>,
        site: u32,
        id: u32,
    ) -> Access {
        let index = parts.is_plain_index().then_some(parts);
        let label = if index.is_some() { 0 } else { parts.label(address as u64) };
        Access { address, bytes, label, index, declared, site, id }
    }

    /// The address's label; 0 if it is concrete.
    fn label(&self) -> u32 {
        self.index.map_or(self.label, |parts| parts.label(self.address as u64))
    }

    /// Whether the address has no label and is to get none.
    const fn is_concrete(&self) -> bool {
        self.label == 0 && self.index.is_none()
    }

    /// The object: what is declared, cut to what is known to be there.
    fn object(&self) -> Option<Object> {
        let declared = self.declared.filter(|o| o.holds(self.address, self.bytes));
        let known = objects::find(self.address, self.bytes);
        match (declared, known) {
            (Some(d), Some(k)) => Some(d.within(&k)),
            (Some(d), None) if d.complete => Some(d),
            // Nobody knows how much of what the type promises is there: the page is.
            (Some(d), None) => {
                Some(d.within(&page(self.address))).filter(|o| o.holds(self.address, self.bytes))
            }
            (None, Some(k)) => Some(k),
            (None, None) => objects::find_text(self.address).filter(|o| o.holds(self.address, self.bytes)),
        }
    }

    fn bits(&self) -> u16 {
        8 * self.bytes as u16
    }

    /// Followed at this address only. With a range, that is told as well.
    fn pin(&self, object: Option<Object>, reason: Reason) {
        if let Some(range) = object.and_then(tables::range) {
            tables::bounds_of_pinned(|| self.label(), range, self.bits(), self.id);
        }
        match self.index {
            Some(parts) => event::pin(parts.index, parts.value, reason, self.site),
            None => event::pin(self.label, self.address as u64, reason, self.site),
        }
    }

    /// The address as the sum of a pointer chosen among several objects and a rest.
    fn split(&self, object: Option<&Object>) -> Option<Split> {
        if self.index.is_some() {
            return None;
        }
        let apart = |v: u64| objects::find(v as usize, 1).is_some();
        let split = pointers::split(self.label, apart)?;
        let same = |&v: &u64| object.is_some_and(|o| o.holds((v.wrapping_add(split.constant)) as usize, 1));
        let few = split.leaves.as_slice().len() <= MAX_CHOSEN;
        (few && !split.leaves.as_slice().iter().all(same)).then_some(split)
    }
}

fn page(address: usize) -> Object {
    Object { base: address & !0xfff, size: 0x1000, constant: false, complete: true }
}

/// Label of a value of `width` bits that is read.
pub fn load(access: &Access, width: u16) -> u32 {
    if access.is_concrete() || !state::recording() {
        return memory::load(access.address, access.bytes, width);
    }
    let object = access.object();
    if let Some(label) = access.split(object.as_ref()).and_then(|s| load_chosen(access, &s)) {
        return extract(label, 0, width.min(access.bits()));
    }
    let Some(table) = object.filter(selectable).and_then(tables::snapshot) else {
        access.pin(object, Reason::LoadAddress);
        return memory::load(access.address, access.bytes, width);
    };
    let label = access.label();
    if label == 0 {
        return memory::load(access.address, access.bytes, width);
    }
    tables::bounds(label, table, access.bits(), access.id);
    extract(read(label, table, access.bits()), 0, width.min(access.bits()))
}

/// Whether a load is followed where the input leads it, instead of pinned.
pub fn follows(access: &Access) -> bool {
    access.label != 0
        && access.object().is_some_and(|o| o.holds(access.address, access.bytes) && selectable(&o))
}

fn read(address: u32, table: u64, bits: u16) -> u32 {
    node::make(Node { l: address, a: table, ..node::raw(Op::Read, bits) })
}

/// Whether a read of this object through a symbolic address is recorded as a choice among its bytes.
fn selectable(object: &Object) -> bool {
    let limit = match object {
        o if o.constant => trace_abi::MAX_SELECT_BYTES,
        o if o.size as u64 > trace_abi::MAX_SELECT_MUTABLE => return false,
        o if shadow::any(o.base, o.size) => trace_abi::MAX_SELECT_LABELLED,
        _ => trace_abi::MAX_SELECT_MUTABLE,
    };
    object.size as u64 <= limit
}

/// A value read through a pointer that is one of several: a chain of choices by the pointer's value.
fn load_chosen(access: &Access, split: &Split) -> Option<u32> {
    if access.bytes > 8 {
        return None;
    }
    let here = access.address as u64;
    let mut chain: Option<Operand> = None;
    let mut covered = Cover::new(split);
    for &leaf in split.leaves.as_slice() {
        let Some(value) = value_behind(access, split, leaf, &mut covered) else { continue };
        let chosen = bin(Op::Eq, 64, Operand::new(split.pointer, 0), Operand::constant(leaf));
        chain = Some(match chain {
            None => value,
            // It cannot have this value.
            Some(other) if chosen == 0 => other,
            Some(other) => {
                let label = tri(Op::Ite, access.bits(), Operand::new(chosen, 0), value, other);
                // Equal constants on both sides are that constant.
                Operand::new(label, value.value)
            }
        });
    }
    let is_covered =
        if split.rest == 0 { covered.has(here.wrapping_sub(split.constant)) } else { covered.holds };
    if !is_covered {
        return None;
    }
    covered.record(access)?;
    chain.map(|c| c.label)
}

/// What is read where the pointer is `leaf`; `None` if nothing known lies there.
fn value_behind(access: &Access, split: &Split, leaf: u64, covered: &mut Cover) -> Option<Operand> {
    let at = leaf.wrapping_add(split.constant);
    if split.rest == 0 {
        objects::find(at as usize, access.bytes)?;
        covered.add(leaf);
        return Some(memory::operand(at as usize, access.bytes));
    }
    let object = objects::find(at as usize, 1).filter(selectable).filter(|o| o.size >= access.bytes)?;
    let table = tables::snapshot(object)?;
    let address = bin(Op::Add, 64, Operand::new(split.rest, 0), Operand::constant(at));
    covered.add_range(leaf, address, &object, access);
    Some(Operand::new(read(address, table, access.bits()), 0))
}

/// Under which condition an access through a chosen pointer stays where it was followed.
struct Cover {
    pointer: u32,
    n_leaves: usize,
    good: [u64; pointers::MAX_LEAVES],
    n: usize,
    /// With an index: the disjunction of "this object, and inside it".
    inside: u32,
    /// With an index: the access lies in one of the objects.
    holds: bool,
}

impl Cover {
    fn new(split: &Split) -> Cover {
        let n_leaves = split.leaves.as_slice().len();
        Cover {
            pointer: split.pointer,
            n_leaves,
            good: [0; pointers::MAX_LEAVES],
            n: 0,
            inside: 0,
            holds: false,
        }
    }

    fn add(&mut self, leaf: u64) {
        self.good[self.n] = leaf;
        self.n += 1;
    }

    fn has(&self, leaf: u64) -> bool {
        self.good[..self.n].contains(&leaf)
    }

    fn add_range(&mut self, leaf: u64, address: u32, object: &Object, access: &Access) {
        self.add(leaf);
        self.holds |= object.holds(access.address, access.bytes);
        let inside = within(address, object, access.bytes);
        let here = and(self.is(leaf), inside);
        self.inside = or(self.inside, here);
    }

    fn is(&self, leaf: u64) -> u32 {
        bin(Op::Eq, 64, Operand::new(self.pointer, 0), Operand::constant(leaf))
    }

    /// Records the condition. `None` if nothing is covered, or too many objects.
    fn record(&self, access: &Access) -> Option<()> {
        if self.n == 0 || (self.inside != 0 && self.n > MAX_OBJECTS) {
            return None;
        }
        let condition = match self.inside {
            0 if self.n == self.n_leaves => return Some(()),
            0 => self.good[..self.n].iter().fold(0, |any, &leaf| or(any, self.is(leaf))),
            inside => inside,
        };
        if condition != 0 {
            tables::within(condition, access.id);
        }
        Some(())
    }
}

/// `bytes` bytes at `address` lie in `object`.
fn within(address: u32, object: &Object, bytes: usize) -> u32 {
    let offset = bin(Op::Sub, 64, Operand::new(address, 0), Operand::constant(object.base as u64));
    bin(Op::Ule, 64, Operand::new(offset, 0), Operand::constant((object.size - bytes) as u64))
}

fn and(x: u32, y: u32) -> u32 {
    if x == 0 || y == 0 { x | y } else { bin(Op::And, 1, Operand::new(x, 0), Operand::new(y, 0)) }
}

fn or(x: u32, y: u32) -> u32 {
    if x == 0 || y == 0 { x | y } else { bin(Op::Or, 1, Operand::new(x, 0), Operand::new(y, 0)) }
}

/// A store of a value of at most 8 bytes, before it is done: every place it may go to is updated.
pub fn store(access: &Access, value: Operand) {
    if access.is_concrete() || !state::recording() {
        memory::store(access.address, access.bytes, value.label);
        return;
    }
    if access.bytes > 8 || store_chosen(access, value).or_else(|| store_ranged(access, value)).is_none() {
        access.pin(access.object(), Reason::StoreAddress);
        memory::store(access.address, access.bytes, value.label);
    }
}

/// A store into one object.
fn store_ranged(access: &Access, value: Operand) -> Option<()> {
    let object = access.object().filter(|o| o.size <= MAX_UPDATE_BYTES as usize && !o.constant)?;
    let label = Some(access.label()).filter(|&l| l != 0)?;
    let stride = raster(access, label);
    let first = object.base + (access.address - object.base) % stride;
    let places = (object.size - (first - object.base)).div_ceil(stride);
    spend(places * (access.bytes + 1))?;
    let range = tables::range(object)?;
    tables::bounds(label, range, access.bits(), access.id);
    let new = Bytes::of(value, access.bytes);
    let end = object.base + object.size;
    for at in (first..end).step_by(stride).filter(|at| at + access.bytes <= end) {
        update(at, is_at(label, at as u64), &new);
    }
    Some(())
}

/// The distance between places that the address can be, in bytes.
fn raster(access: &Access, label: u32) -> usize {
    let (start, stride) = pointers::form(label);
    // Index arithmetic that wrapped around may leave the raster: then every byte is a place.
    let fits = stride > 1 && (access.address as u64).wrapping_sub(start).is_multiple_of(stride);
    if fits { stride.min(1 << 32) as usize } else { 1 }
}

/// A store through a pointer that is one of several.
fn store_chosen(access: &Access, value: Operand) -> Option<()> {
    let split = access.split(access.object().as_ref()).filter(|s| s.rest == 0)?;
    let mut covered = Cover::new(&split);
    for &leaf in split.leaves.as_slice() {
        let at = leaf.wrapping_add(split.constant) as usize;
        if objects::find(at, access.bytes).is_some_and(|o| !o.constant) {
            covered.add(leaf);
        }
    }
    if !covered.has((access.address as u64).wrapping_sub(split.constant)) {
        return None;
    }
    spend(covered.n * (access.bytes + 1))?;
    covered.record(access)?;
    let new = Bytes::of(value, access.bytes);
    for &leaf in &covered.good[..covered.n] {
        update(leaf.wrapping_add(split.constant) as usize, is_at(split.pointer, leaf), &new);
    }
    Some(())
}

/// Takes `nodes` from what symbolic stores may add to a run; `None` if that is used up.
fn spend(nodes: usize) -> Option<()> {
    let used = UPDATES.fetch_add(nodes as u32, Relaxed);
    (used.saturating_add(nodes as u32) <= MAX_UPDATE_NODES).then_some(())
}

fn is_at(label: u32, place: u64) -> Condition {
    match bin(Op::Eq, 64, Operand::new(label, 0), Operand::constant(place)) {
        0 => Condition::Never,
        label => Condition::If(label),
    }
}

/// Whether a store goes to a place.
#[derive(Clone, Copy)]
enum Condition {
    /// The address cannot be this.
    Never,
    /// If this label is 1.
    If(u32),
}

/// The bytes of a value.
struct Bytes {
    all: [Operand; 8],
    n: usize,
}

impl Bytes {
    fn of(value: Operand, n: usize) -> Bytes {
        let mut all = [Operand::constant(0); 8];
        let wide = if value.is_const() { 0 } else { zero_extend(value.label, 8 * n as u16) };
        for (k, byte) in all.iter_mut().enumerate().take(n) {
            let concrete = value.value >> (8 * k) & 0xff;
            *byte = Operand::new(if wide == 0 { 0 } else { extract(wide, 8 * k as u16, 8) }, concrete);
        }
        Bytes { all, n }
    }
}

/// `place = condition ? new : old`, in the shadow; the program's own store follows.
fn update(place: usize, condition: Condition, new: &Bytes) {
    let Condition::If(condition) = condition else { return };
    for (k, &byte) in new.all[..new.n].iter().enumerate() {
        let old = memory::byte(place + k);
        let label = tri(Op::Ite, 8, Operand::new(condition, 0), byte, old);
        shadow::set(place + k, label);
    }
}
