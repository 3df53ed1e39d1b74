//! The mapping shared with the fork server, seen from the engine: requests go in, untrusted records come out.

use crate::sys;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use trace::{Input, Object, ObjectKind, ValueType};
use trace_abi::{BatchEntry, Event, Header, IndirectCall, Layout, MAGIC, ObjectHeader, PackedNode, VERSION};

/// Above this many bytes used in the large areas, memory is given back to the system after a run.
const KEEP: u64 = 64 << 20;

/// A shared mapping. The front (header, input, values, coverage) is mapped here too; the rest is read by `pread`.
pub struct Shared {
    file: File,
    layout: Layout,
    front: *mut u8,
}

// SAFETY: the pointer is to a mapping owned by this value; access goes through `&self`/`&mut self` methods.
unsafe impl Send for Shared {}

/// What a run is told in the header, as there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders {
    /// See [`trace_abi::run_flags`].
    pub flags: u32,
    /// Objects in the input area.
    pub n_objects: u32,
    /// Bytes of it in use.
    pub input_len: u64,
    /// Of values that are drawn.
    pub value_seed: u64,
    /// As [`Header::max_inputs`].
    pub max_inputs: u32,
    /// As [`Header::patience`].
    pub patience: u32,
    /// As [`Header::freeze_at`].
    pub freeze_at: u32,
    /// As [`Header::idle`].
    pub idle: u32,
}

/// Plain records that may hold any bit pattern.
pub trait Record: Copy {
    /// Value that fills a new vector.
    const ZERO: Self;
}
impl Record for u8 {
    const ZERO: u8 = 0;
}
impl Record for u32 {
    const ZERO: u32 = 0;
}
impl Record for PackedNode {
    const ZERO: PackedNode = PackedNode { op: 0, form: 0, width: 0, first: 0, rest: 0 };
}
impl Record for Event {
    const ZERO: Event = Event { kind: 0, aux: 0, width: 0, site: 0, label: 0, pos: 0, value: 0 };
}
impl Record for IndirectCall {
    const ZERO: IndirectCall = IndirectCall { call: 0, function: 0 };
}

impl Shared {
    /// Makes and maps one.
    pub fn new(layout: Layout) -> io::Result<Shared> {
        let file = sys::sealed_memory(c"spelunk", layout.total())?;
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
        let len = layout.events_at() as usize;
        // SAFETY: a new mapping of a sealed file at least that long.
        let front = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, file.as_raw_fd(), 0) };
        if front == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mut shared = Shared { file, layout, front: front.cast() };
        shared.begin(&Orders::default());
        Ok(shared)
    }

    /// The descriptor to hand to the server.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Sizes of the areas.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Writes a fresh header: the run that follows starts from nothing.
    pub fn begin(&mut self, orders: &Orders) {
        let image_base = self.header().image_base;
        let zero = std::mem::MaybeUninit::<Header>::zeroed();
        // SAFETY: a header is plain numbers, valid when zero.
        let mut h = unsafe { zero.assume_init() };
        h.magic = MAGIC;
        h.version = VERSION;
        h.layout = self.layout;
        h.n_nodes = 1;
        (h.flags, h.n_objects, h.input_len) = (orders.flags, orders.n_objects, orders.input_len);
        (h.value_seed, h.image_base) = (orders.value_seed, image_base);
        (h.max_inputs, h.freeze_at) = (orders.max_inputs, orders.freeze_at);
        (h.patience, h.idle) = (orders.patience, orders.idle);
        // SAFETY: the mapping begins with a page for the header.
        unsafe { self.front.cast::<Header>().write_volatile(h) };
        self.coverage_mut().fill(0);
    }

    /// A copy of the header as it is now.
    pub fn header(&self) -> Header {
        // SAFETY: the mapping begins with a header of plain numbers; nothing in it is believed.
        unsafe { self.front.cast::<Header>().read_volatile() }
    }

    /// The coverage bytes. Between runs nobody else writes them.
    pub fn coverage(&self) -> &[u8] {
        // SAFETY: inside the front; the processes of the last run are dead.
        unsafe {
            let at = self.front.add(self.layout.coverage_at() as usize);
            std::slice::from_raw_parts(at, self.layout.coverage_bytes as usize)
        }
    }

    /// Writes the map of what is covered already: all but the first branches, of which `known` decides, count as covered.
    pub fn write_known(&mut self, branches: usize, known: &dyn Fn(usize) -> bool) {
        if self.layout.has_known == 0 {
            return;
        }
        let map: Vec<u8> = (0..self.layout.coverage_bytes as usize)
            .map(|k| if k >= branches || known(k) { 0xff } else { 0 })
            .collect();
        self.write_at(self.layout.known_at(), &map);
    }

    fn coverage_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe {
            let at = self.front.add(self.layout.coverage_at() as usize);
            std::slice::from_raw_parts_mut(at, self.layout.coverage_bytes as usize)
        }
    }

    /// Writes the objects of `input`, files under the names that `file_name` gives; the bytes used, or an error
    /// with the length that would have been needed.
    pub fn write_input(&mut self, input: &Input, file_name: impl Fn(&Object) -> String) -> Result<u64, u64> {
        let mut packed = Vec::with_capacity(input.len() + 64 * input.objects.len());
        pack(input, file_name, &mut packed);
        if packed.len() as u64 > self.layout.input_bytes {
            return Err(packed.len() as u64);
        }
        self.write_at(self.layout.input_at(), &packed);
        Ok(packed.len() as u64)
    }

    /// Copies bytes into the front.
    fn write_at(&mut self, at: u64, bytes: &[u8]) {
        assert!(at + bytes.len() as u64 <= self.layout.events_at(), "outside the front");
        // SAFETY: inside the front, as just checked; nobody reads it now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.front.add(at as usize), bytes.len()) };
    }

    /// Writes a batch: its inputs, packed, the entries that name them, and what was seen so far.
    pub fn write_batch(&mut self, packed: &[u8], entries: &[BatchEntry], seen: &[u8]) {
        assert!(
            packed.len() as u64 <= self.layout.input_bytes && entries.len() as u64 <= self.layout.max_batch
        );
        assert!(seen.len() as u64 <= self.layout.coverage_bytes);
        self.write_at(self.layout.input_at(), packed);
        self.write_at(self.layout.seen_at(), seen);
        for (k, entry) in (0..).zip(entries) {
            // SAFETY: the entry lies inside the batch area, inside the front.
            unsafe {
                let at = self.front.add(self.layout.batch_entry_at(k) as usize);
                at.cast::<BatchEntry>().write_volatile(*entry);
            }
        }
    }

    /// Entry `k` of the batch, as it is now.
    pub fn batch_entry(&self, k: u32) -> BatchEntry {
        assert!(u64::from(k) < self.layout.max_batch);
        // SAFETY: the entry lies inside the batch area, inside the front; it is plain numbers, and nothing in it is believed.
        unsafe {
            let at = self.front.add(self.layout.batch_entry_at(k.into()) as usize);
            at.cast::<BatchEntry>().read_volatile()
        }
    }

    /// The map of what was seen, as the last batch left it.
    pub fn seen(&self) -> &[u8] {
        if self.layout.max_batch == 0 {
            return &[];
        }
        // SAFETY: inside the front.
        unsafe {
            let at = self.front.add(self.layout.seen_at() as usize);
            std::slice::from_raw_parts(at, self.layout.coverage_bytes as usize)
        }
    }

    /// The values that the run asked for, as far as what it left behind makes sense.
    pub fn consumed_values(&self, header: &Header) -> Vec<Object> {
        let len = header.values_len.min(self.layout.value_bytes) as usize;
        let mut area = vec![0; len];
        // SAFETY: the area is inside the front and at least that long.
        unsafe {
            let at = self.front.add(self.layout.values_at() as usize);
            std::ptr::copy_nonoverlapping(at, area.as_mut_ptr(), len);
        }
        let mut values = Vec::new();
        let mut rest = area.as_slice();
        while (values.len() as u64) < u64::from(header.n_values) {
            let Some((value, used)) = parse_value(rest) else { break };
            values.push(value);
            rest = rest.get(used..).unwrap_or(&[]);
        }
        values
    }

    /// The first `n` nodes.
    pub fn nodes(&self, n: u64) -> io::Result<Vec<PackedNode>> {
        self.records(self.layout.nodes_at(), n.min(self.layout.max_nodes))
    }

    /// The first `n` events.
    pub fn events(&self, n: u64) -> io::Result<Vec<Event>> {
        self.records(self.layout.events_at(), n.min(self.layout.max_events))
    }

    /// The first `n` entries of the path log.
    pub fn path(&self, n: u64) -> io::Result<Vec<u32>> {
        self.records(self.layout.path_at(), n.min(self.layout.max_path))
    }

    /// The first `n` bytes of the table area.
    pub fn tables(&self, n: u64) -> io::Result<Vec<u8>> {
        self.records(self.layout.tables_at(), n.min(self.layout.table_bytes))
    }

    /// The first `n` indirect calls.
    pub fn indirect_calls(&self, n: u64) -> io::Result<Vec<IndirectCall>> {
        self.records(self.layout.icalls_at(), n.min(self.layout.max_icalls))
    }

    fn records<T: Record>(&self, at: u64, n: u64) -> io::Result<Vec<T>> {
        let mut out = vec![T::ZERO; n as usize];
        // SAFETY: records of plain numbers without padding are as many bytes; every bit pattern is valid.
        let bytes =
            unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), size_of_val(&out[..])) };
        self.file.read_exact_at(bytes, at)?;
        Ok(out)
    }

    /// Gives memory back after a run that used much of it.
    pub fn release(&self, header: &Header) {
        let layout = &self.layout;
        let areas = [
            (layout.input_at(), header.input_len),
            (layout.events_at(), header.n_events.saturating_mul(size_of::<Event>() as u64)),
            (layout.tables_at(), header.tables_len),
            (layout.nodes_at(), u64::from(header.n_nodes) * size_of::<PackedNode>() as u64),
        ];
        let used: u64 = areas.iter().fold(0, |sum, a| sum.saturating_add(a.1));
        if used > KEEP {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            let ranges = [(layout.input_at(), layout.coverage_at()), (layout.events_at(), layout.total())];
            for (from, to) in ranges {
                // SAFETY: a call about our own file. What cannot be given back stays: no harm.
                unsafe { libc::fallocate(self.file.as_raw_fd(), mode, from as i64, (to - from) as i64) };
            }
        }
    }
}

/// Appends the objects of `input` as the runtime reads them, files under the names that `file_name` gives.
pub fn pack(input: &Input, file_name: impl Fn(&Object) -> String, packed: &mut Vec<u8>) {
    for o in &input.objects {
        let renamed = (o.kind == ObjectKind::File).then(|| file_name(o));
        let name = renamed.as_deref().unwrap_or(&o.name);
        let lengths = [o.kind as u32, name.len() as u32, o.data.len() as u32, o.value_type as u32];
        lengths.iter().for_each(|n| packed.extend_from_slice(&n.to_ne_bytes()));
        packed.extend_from_slice(name.as_bytes());
        packed.extend_from_slice(&o.data);
        packed.resize(packed.len().next_multiple_of(8), 0);
    }
}

/// The value object at the start of `bytes`, and its length there.
fn parse_value(bytes: &[u8]) -> Option<(Object, usize)> {
    const HEAD: usize = size_of::<ObjectHeader>();
    let word = |i: usize| Some(u32::from_ne_bytes(bytes.get(4 * i..4 * i + 4)?.try_into().ok()?));
    let (kind, name_len, data_len) = (word(0)?, word(1)? as usize, word(2)? as usize);
    let value_type = ValueType::from_u32(word(3)?)?;
    if ObjectKind::from_u32(kind)? != ObjectKind::Value {
        return None;
    }
    let name = bytes.get(HEAD..HEAD.checked_add(name_len)?)?;
    let data = bytes.get(HEAD + name_len..(HEAD + name_len).checked_add(data_len)?)?;
    let value = Object {
        kind: ObjectKind::Value,
        name: String::from_utf8_lossy(name).into_owned(),
        value_type,
        data: data.to_vec(),
    };
    Some((value, (HEAD + name_len + data_len).next_multiple_of(8)))
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: our own mapping, no longer used.
        unsafe { libc::munmap(self.front.cast(), self.layout.events_at() as usize) };
    }
}
