//! A run inside a unit test: a private mapping with one input object, and the reference evaluator of crate
//! `expr` on what was recorded.

use crate::{init, node, shadow, state, tables};
use expr::{Arena, ArrayId, Bits, Evaluator, ExprId, Table};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trace_abi::{Event, EventKind, Layout, ObjectHeader, ObjectKind, Op, TableHeader, run_flags};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Memory of the program under test: page-aligned, never reused while the lab lives.
pub struct Lab {
    _guard: MutexGuard<'static, ()>,
}

const LAYOUT: Layout = Layout {
    input_bytes: 1 << 16,
    value_bytes: 1 << 12,
    coverage_bytes: 0,
    max_batch: 0,
    has_known: 0,
    max_events: 1 << 12,
    max_path: 16,
    table_bytes: 1 << 18,
    max_icalls: 16,
    max_nodes: 1 << 20,
};

impl Lab {
    /// A recording run whose standard input is `input`.
    pub fn new(input: &[u8]) -> Lab {
        Lab::with_layout(input, LAYOUT)
    }

    /// The same with other sizes.
    pub fn with_layout(input: &[u8], layout: Layout) -> Lab {
        Lab::with_objects(&[(ObjectKind::Stdin, "", input)], layout)
    }

    /// A recording run with these connections: names and what clients send.
    pub fn with_connections(connections: &[(&str, &[u8])]) -> Lab {
        let layout = Layout { input_bytes: 1 << 22, ..LAYOUT };
        let objects: Vec<_> =
            connections.iter().map(|&(name, data)| (ObjectKind::Connection, name, data)).collect();
        let lab = Lab::with_objects(&objects, layout);
        crate::sockets::begin();
        lab
    }

    fn with_objects(objects: &[(ObjectKind, &str, &[u8])], layout: Layout) -> Lab {
        let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the vectors are not looked at in tests.
        unsafe { init::__sp_init(0, std::ptr::null(), std::ptr::null()) };
        shadow::forget_everything();
        state::attach_private(layout);
        let mut at = state::at(state::layout().input_at());
        for &(kind, name, data) in objects {
            let head = ObjectHeader {
                kind: kind as u32,
                name_len: name.len() as u32,
                data_len: data.len() as u32,
                value_type: 0,
            };
            // SAFETY: freshly mapped and large enough.
            unsafe {
                at.cast::<ObjectHeader>().write(head);
                at = at.add(size_of::<ObjectHeader>());
                for part in [name.as_bytes(), data] {
                    std::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
                    at = at.add(part.len());
                }
                at = at.add(at.align_offset(8));
            }
        }
        // SAFETY: attached.
        unsafe {
            (*state::header()).n_objects = objects.len() as u32;
            (*state::header()).flags = run_flags::SYMBOLIC;
        }
        state::begin_run();
        Lab { _guard: guard }
    }

    /// A buffer holding the input's first bytes, labelled, and `tail` unlabelled ones behind them.
    pub fn buffer(&self, len: usize, tail: &[u8]) -> *mut u8 {
        let data = state::object(0).expect("the input").data;
        let p = state::map_anonymous(8192);
        // SAFETY: two fresh pages.
        unsafe {
            std::ptr::copy_nonoverlapping(data.as_ptr(), p, len);
            std::ptr::copy_nonoverlapping(tail.as_ptr(), p.add(len), tail.len());
        }
        for k in 0..len {
            shadow::set(p as usize + k, node::input(0, k as u32));
        }
        p
    }

    /// Everything recorded, lifted.
    pub fn lift(&self) -> Lifted {
        let mut lifted = Lifted { arena: Arena::new(), of: vec![None], tables: Default::default() };
        for label in 1..node::count() {
            lifted.add(label);
        }
        lifted
    }

    /// The events recorded.
    pub fn events(&self) -> Vec<Event> {
        // SAFETY: as many as the header says.
        unsafe { std::slice::from_raw_parts(state::events(), (*state::header()).n_events as usize).to_vec() }
    }

    /// The label left for the caller.
    pub fn ret(&self) -> u32 {
        // SAFETY: this thread's record.
        unsafe { (*crate::tls::tls()).ret[0] }
    }

    /// Leaves argument labels for the model at `callee`.
    pub fn pass(&self, callee: *const (), labels: &[u32]) {
        let t = crate::tls::tls();
        // SAFETY: this thread's record.
        unsafe {
            (*t).callee = callee.cast();
            (*t).args.fill(0);
            (&mut (*t).args)[..labels.len()].copy_from_slice(labels);
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        state::stop_recording();
        crate::sockets::reset();
        shadow::forget_everything();
        node::reset();
    }
}

/// The recorded nodes as expressions.
pub struct Lifted {
    /// Their owner.
    pub arena: Arena,
    of: Vec<Option<ExprId>>,
    tables: std::collections::HashMap<u64, ArrayId>,
}

impl Lifted {
    fn add(&mut self, label: u32) {
        let n = node::get(label);
        let op = n.op().expect("an operation");
        let e = match op {
            Op::Input => self.arena.input((n.a >> 32) as u32, n.a as u32),
            Op::Const => {
                let words = [n.a, n.b].into_iter().take(usize::from(n.width).div_ceil(64));
                self.arena.constant(&Bits::from_words(n.width, words.collect()))
            }
            Op::Read => {
                let table = self.table(n.a);
                let address = self.expr(n.l);
                self.arena.raw(op, n.width, &[address], u64::from(table.0))
            }
            _ => {
                let args = self.operands(&n, op);
                self.arena.raw(op, n.width, &args, if op == Op::Extract { n.a } else { 0 })
            }
        };
        self.of.push(Some(e));
    }

    fn operands(&mut self, n: &trace_abi::Node, op: Op) -> Vec<ExprId> {
        match expr::semantics::operands(op) {
            1 => vec![self.expr(n.l)],
            3 => vec![self.expr(n.l), self.expr(n.r), self.expr(n.t)],
            _ => {
                let (lw, rw) = (node::width(n.l), node::width(n.r));
                let side = |label: u32, other: u16| match op {
                    Op::Concat if label == 0 => n.width - other,
                    _ => other,
                };
                let l = if n.l != 0 { self.expr(n.l) } else { self.arena.const_u64(side(0, rw), n.a) };
                let r = if n.r != 0 { self.expr(n.r) } else { self.arena.const_u64(side(0, lw), n.b) };
                vec![l, r]
            }
        }
    }

    fn table(&mut self, offset: u64) -> ArrayId {
        if let Some(&t) = self.tables.get(&offset) {
            return t;
        }
        let from = state::at(state::layout().tables_at() + offset);
        // SAFETY: written by `tables::snapshot`.
        let (head, bytes) = unsafe {
            let head = from.cast::<TableHeader>().read();
            (head, std::slice::from_raw_parts(from.add(16), head.len as usize))
        };
        let symbolic = if head.labelled == 0 {
            vec![]
        } else {
            let at = from.wrapping_add(16 + (head.len as usize).next_multiple_of(4)).cast::<u32>();
            (0..head.len as usize)
                // SAFETY: as above.
                .map(|k| unsafe { *at.add(k) })
                .map(|l| (l != 0).then(|| self.expr(l)))
                .collect()
        };
        let t = self.arena.add_table(Table { base: head.base, bytes: Arc::from(bytes), symbolic });
        self.tables.insert(offset, t);
        t
    }

    /// The expression of a label.
    pub fn expr(&self, label: u32) -> ExprId {
        self.of[label as usize].expect("lifted")
    }

    /// Its value when the input is `input`.
    pub fn eval(&self, label: u32, input: &[u8]) -> Bits {
        let byte = |_: u32, offset: u32| input.get(offset as usize).copied().unwrap_or(0);
        Evaluator::new(&self.arena, &byte).eval(self.expr(label))
    }

    /// Whether every decision, pin and bound recorded holds when the input is `input`.
    pub fn assumptions_hold(&self, events: &[Event], input: &[u8]) -> bool {
        events.iter().all(|e| match EventKind::from_u8(e.kind) {
            Some(EventKind::Pin | EventKind::Decision | EventKind::Within) => {
                self.eval(e.label, input).low() == e.value
            }
            Some(EventKind::Bounds) => tables::view(e.value).is_none_or(|table| {
                let offset = self.eval(e.label, input).low().wrapping_sub(table.base);
                offset <= (table.len as u64).saturating_sub(u64::from(e.width / 8))
            }),
            _ => true,
        })
    }
}

/// A small, fast, reproducible source of test data (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// `len` bytes of an alphabet.
    pub fn text(&mut self, len: usize, alphabet: &[u8]) -> Vec<u8> {
        (0..len).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}
