//! Every rule at once: random expressions are built through the rules and, beside them, node by node in crate
//! `expr`; both must have the same value under every input tried, and "constant" must be constant.

use super::float::{float_bin, float_un};
use super::{Operand, bin, concat, extract, tri, unary};
use crate::node::mask;
use crate::testing::{Lab, Random};
use crate::{memory, node, shadow};
use expr::{Arena, Evaluator, ExprId};
use trace_abi::Op;

const BYTES: usize = 6;
const INPUTS: usize = 24;

/// An expression both ways; `label` 0: constant, of value `now`.
#[derive(Clone, Copy)]
struct Both {
    label: u32,
    now: u64,
    plain: ExprId,
    width: u16,
}

impl Both {
    fn operand(&self) -> Operand {
        Operand::new(self.label, self.now)
    }
}

struct World {
    r: Random,
    plain: Arena,
    inputs: Vec<Vec<u8>>,
    pool: Vec<Both>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut r = Random(seed);
        let special = [0u8, 1, 0x7f, 0x80, 0xff];
        let mut inputs: Vec<Vec<u8>> = (0..INPUTS / 2).map(|_| r.text(BYTES, &special)).collect();
        inputs.extend((0..INPUTS / 2).map(|_| (0..BYTES).map(|_| r.next() as u8).collect()));
        let mut plain = Arena::new();
        let byte = |k: usize, plain: &mut Arena| plain.input(0, k as u32);
        let pool = (0..BYTES)
            .map(|k| Both { label: node::input(0, k as u32), now: 0, plain: byte(k, &mut plain), width: 8 })
            .collect();
        World { r, plain, inputs, pool }
    }

    fn value(&self, e: ExprId, input: &[u8]) -> u64 {
        Evaluator::new(&self.plain, &|_, k| input[k as usize]).eval(e).low()
    }

    /// Adds what was built; a result of label 0 must be constant.
    fn add(&mut self, label: u32, plain: ExprId, what: &str) {
        let width = self.plain.width(plain);
        let now = self.value(plain, &self.inputs[0]);
        if label == 0 {
            for input in &self.inputs {
                assert_eq!(
                    self.value(plain, input),
                    now,
                    "{what} was called constant: {:?}",
                    self.plain.node(plain)
                );
            }
        }
        self.pool.push(Both { label, now, plain, width });
    }

    fn pick(&mut self) -> Both {
        let n = self.pool.len();
        let k = self.r.below(n);
        self.pool[k]
    }

    /// Something of that width, sometimes a constant.
    fn of_width(&mut self, width: u16) -> Both {
        let fitting: Vec<Both> = self.pool.iter().copied().filter(|b| b.width == width).collect();
        if fitting.is_empty() || self.r.below(3) == 0 {
            let shift = self.r.below(64);
            let few = [
                0,
                1,
                2,
                8,
                0xff,
                0xff00,
                u64::MAX,
                1 << (width - 1),
                u64::from(width),
                self.r.next() >> shift,
            ];
            let now = few[self.r.below(few.len())] & mask(width);
            return Both { label: 0, now, plain: self.plain.const_u64(width, now), width };
        }
        fitting[self.r.below(fitting.len())]
    }

    fn step(&mut self) {
        match self.r.below(8) {
            0..=2 => self.binary(),
            3 | 4 => self.cast(),
            5 => self.part(),
            6 => self.join(),
            _ => self.ternary(),
        }
    }

    fn binary(&mut self) {
        let ops: Vec<Op> = Op::ALL
            .iter()
            .copied()
            .filter(|o| (Op::Add as u8..=Op::SMulO as u8).contains(&(*o as u8)))
            .collect();
        let op = ops[self.r.below(ops.len())];
        let a = self.pick();
        let b = self.of_width(a.width);
        let (a, b) = if self.r.below(2) == 0 { (a, b) } else { (b, a) };
        let label = bin(op, a.width, a.operand(), b.operand());
        let width = if op.is_predicate() { 1 } else { a.width };
        let plain = self.plain.raw(op, width, &[a.plain, b.plain], 0);
        self.add(label, plain, op.name());
    }

    fn cast(&mut self) {
        let a = self.pick();
        if a.label == 0 {
            return;
        }
        let widths = [1u16, 7, 8, 16, 24, 32, 33, 64];
        let to = widths[self.r.below(widths.len())];
        let ops = [Op::ZExt, Op::SExt, Op::Bitreverse, Op::Ctpop, Op::Ctlz, Op::Cttz, Op::Abs, Op::Bswap];
        let op = ops[self.r.below(ops.len())];
        let (op, to) = match op {
            Op::ZExt | Op::SExt if to < a.width => (Op::Trunc, to),
            Op::ZExt | Op::SExt => (op, to),
            Op::Bswap if !a.width.is_multiple_of(8) => (Op::Ctpop, a.width),
            _ => (op, a.width),
        };
        let label = unary(op, to, a.label);
        let plain = self.plain.raw(op, to, &[a.plain], 0);
        self.add(label, plain, op.name());
    }

    fn part(&mut self) {
        let a = self.pick();
        let width = 1 + self.r.below(a.width.into()) as u16;
        let low = self.r.below(usize::from(a.width - width) + 1) as u16;
        let (low, width) =
            if a.width >= 16 && self.r.below(2) == 0 { (low / 8 * 8, 8) } else { (low, width) };
        if a.label != 0 {
            let plain = self.plain.raw(Op::Extract, width, &[a.plain], u64::from(low));
            self.add(extract(a.label, low, width), plain, "Extract");
        }
    }

    fn join(&mut self) {
        let (a, b) = (self.pick(), self.pick());
        if a.width + b.width > 64 || (a.label == 0 && b.label == 0) {
            return;
        }
        let plain = self.plain.raw(Op::Concat, a.width + b.width, &[a.plain, b.plain], 0);
        self.add(concat(a.operand(), a.width, b.operand(), b.width), plain, "Concat");
    }

    fn ternary(&mut self) {
        let (c, a) = (self.of_width(1), self.pick());
        let b = self.of_width(a.width);
        let (op, first, second, third) = match self.r.below(3) {
            0 | 1 => (Op::Ite, c, a, b),
            _ => (if self.r.below(2) == 0 { Op::Fshl } else { Op::Fshr }, a, b, self.of_width(a.width)),
        };
        let label = tri(op, a.width, first.operand(), second.operand(), third.operand());
        let plain = self.plain.raw(op, a.width, &[first.plain, second.plain, third.plain], 0);
        self.add(label, plain, op.name());
    }
}

#[test]
fn rules_keep_the_value_under_every_input() {
    for seed in 0..400 {
        let lab = Lab::new(&[0; BYTES]);
        let mut w = World::new(seed);
        for _ in 0..60 {
            w.step();
        }
        let lifted = lab.lift();
        for b in w.pool.iter().filter(|b| b.label != 0) {
            for input in &w.inputs {
                let (got, want) = (lifted.eval(b.label, input).low(), w.value(b.plain, input));
                assert_eq!(
                    got,
                    want,
                    "seed {seed}, label {} = {:?}, input {input:?}",
                    b.label,
                    node::get(b.label)
                );
            }
        }
    }
}

/// Labels of the input's first bytes put together, lowest first.
fn word(bytes: u16) -> u32 {
    let mut acc = Operand::new(node::input(0, 0), 0);
    for k in 1..bytes {
        acc = Operand::new(concat(Operand::new(node::input(0, k.into()), 0), 8, acc, 8 * k), 0);
    }
    acc.label
}

#[test]
fn values_survive_the_way_through_memory() {
    let lab = Lab::new(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let p = lab.buffer(0, &[0; 32]) as usize;
    let four = word(4);
    let sum = bin(Op::Add, 32, Operand::new(four, 0), Operand::constant(3));
    let signed = unary(Op::SExt, 64, sum);
    let small = unary(Op::ZExt, 32, node::input(0, 0));
    let bit = bin(Op::Ult, 8, Operand::new(node::input(0, 0), 0), Operand::constant(9));
    let short = unary(Op::SExt, 32, node::input(0, 1));
    for (label, bytes, width) in
        [(sum, 4, 32), (signed, 8, 64), (small, 4, 32), (bit, 1, 1), (short, 4, 32), (word(8), 8, 64)]
    {
        memory::store(p, bytes, label);
        assert_eq!(memory::load(p, bytes, width), label, "{:?}", node::get(label));
        let before = node::count();
        memory::store(p + 16, bytes, memory::load(p, bytes, width));
        assert_eq!(memory::load(p + 16, bytes, width), label);
        assert_eq!(node::count(), before, "the second round makes no node");
    }
}

#[test]
fn wide_values_survive_the_way_through_memory() {
    let lab = Lab::new(&(0..40).collect::<Vec<u8>>());
    let p = lab.buffer(40, &[]) as usize;
    for (bytes, width) in [(16, 128), (32, 256), (10, 80), (17, 136)] {
        let label = memory::load(p, bytes, width);
        assert_eq!(node::width(label), width);
        memory::store(p + 64, bytes, label);
        assert_eq!(memory::load(p + 64, bytes, width), label);
        shadow::set(p + 64 + 9, 0);
        // SAFETY: inside the buffer.
        unsafe { std::ptr::copy_nonoverlapping(p as *const u8, (p + 64) as *mut u8, bytes) };
        let mixed = memory::load(p + 64, bytes, width);
        let lifted = lab.lift();
        let input: Vec<u8> = (100..140).collect();
        let words = lifted.eval(mixed, &input).words().to_vec();
        let byte = |k: usize| (words[k / 8] >> (8 * (k % 8))) as u8;
        for (k, &given) in input.iter().enumerate().take(bytes) {
            assert_eq!(byte(k), if k == 9 { 9 } else { given }, "byte {k} of {bytes}");
        }
    }
}

#[test]
fn equal_nodes_have_equal_labels_while_remembered() {
    let _lab = Lab::new(&[0; 4]);
    let make = |k: u64| bin(Op::Mul, 32, Operand::new(word(4), 0), Operand::constant(2 * k + 3));
    let first: Vec<u32> = (0..1_000).map(make).collect();
    let again: Vec<u32> = (0..1_000).map(make).collect();
    let same = first.iter().zip(&again).filter(|(a, b)| a == b).count();
    assert!(same >= 990, "{same} of 1,000 equal nodes have equal labels");
}

#[test]
fn float_nodes_stay_as_they_are() {
    let _lab = Lab::new(&[0; 4]);
    let x = Operand::new(word(4), 0);
    // Not constant: false if `x` is not a number.
    let same = float_bin(Op::FEq, 0, 32, x, x);
    let made = node::get(same);
    assert_eq!((made.op, made.width, made.l, made.r), (Op::FEq as u8, 1, x.label, x.label));
    let functions = [0, 1].map(|aux| float_un(Op::Libm1, aux, 32, x.label));
    assert_ne!(functions[0], functions[1]);
    assert_eq!(functions.map(|f| node::get(f).aux), [0, 1]);
    let sum = float_bin(Op::FAdd, 0, 32, x, Operand::constant(0));
    assert_eq!((node::get(sum).op, node::get(sum).b), (Op::FAdd as u8, 0));
}

#[test]
fn floats_rounded_in_another_direction_are_lost() {
    let lab = Lab::new(&[0; 4]);
    let x = Operand::new(word(4), 0);
    let set = |control: u32| {
        // SAFETY: sets the rounding direction of this thread, whose other arithmetic is on integers.
        unsafe { core::arch::asm!("ldmxcsr [{c}]", c = in(reg) &control, options(nostack)) };
    };
    assert_ne!(float_bin(Op::FAdd, 0, 32, x, x), 0);
    set(0x1f80 | 2 << 13);
    let made =
        [float_bin(Op::FMul, 0, 32, x, x), float_un(Op::FSqrt, 0, 32, x.label), tri(Op::FFma, 32, x, x, x)];
    set(0x1f80);
    assert_eq!(made, [0; 3]);
    assert_eq!(lab.events().last().map(|e| e.aux), Some(trace_abi::Reason::Float as u8));
}

#[test]
fn a_full_table_ends_the_symbolic_part_and_is_reported() {
    let layout = trace_abi::Layout {
        input_bytes: 4096,
        value_bytes: 4096,
        coverage_bytes: 0,
        max_batch: 0,
        has_known: 0,
        max_events: 64,
        max_path: 0,
        table_bytes: 4096,
        max_icalls: 1,
        max_nodes: 100,
    };
    let lab = Lab::with_layout(&[0; 4], layout);
    let made =
        (0..200).filter(|&k| bin(Op::Mul, 8, Operand::new(node::input(0, 0), 0), Operand::constant(k)) != 0);
    assert!(made.count() < 100);
    assert!(!crate::state::recording());
    // SAFETY: attached.
    assert!(unsafe { (*crate::state::header()).dropped_nodes } > 0);
    let last = *lab.events().last().expect("an event");
    assert_eq!((last.kind, last.aux), (trace_abi::EventKind::Lost as u8, trace_abi::Reason::NodesFull as u8));
}
