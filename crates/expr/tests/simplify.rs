//! Simplified expressions have the value of the unsimplified ones; a plan gives the reference evaluator's values.
//!
//! `simplify/*.txt` has lines `before => after`, one or more for each rule; with `BLESS=1` in the environment the
//! right sides are rewritten to what comes out.

#![expect(clippy::disallowed_methods, reason = "the examples are files")]

use expr::{Arena, Evaluator, ExprId, Op, Plan, Table};
use proptest::prelude::*;
use std::path::Path;

/// Inputs under which both sides must agree.
fn corners() -> Vec<[u8; 4]> {
    let mut all = vec![[0; 4], [255; 4], [1, 2, 3, 4], [0x7f, 0x80, 0x81, 0xfe], [b'a', b'z', b'0', b'9']];
    let mut x = 12345u32;
    for _ in 0..200 {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        all.push((x ^ x >> 13).to_le_bytes());
    }
    all
}

fn assert_same(arena: &Arena, before: ExprId, after: ExprId) {
    assert_eq!(arena.width(before), arena.width(after));
    for input in corners() {
        let byte = |_, k: u32| input[k as usize % 4];
        let mut ev = Evaluator::new(arena, &byte);
        let (x, y) = (ev.eval(before), ev.eval(after));
        assert_eq!(x, y, "under {input:?}:\n{}\n{}", arena.to_text(before), arena.to_text(after));
    }
}

#[test]
fn rules_do_what_their_examples_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simplify");
    let mut wrong = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut blessed = String::new();
        for line in text.lines() {
            if line.is_empty() || line.starts_with('#') {
                blessed += &format!("{line}\n");
                continue;
            }
            let (before, after) = line.split_once(" =>").expect("before => after");
            let mut arena = Arena::new();
            let e = arena.parse(before).unwrap_or_else(|err| panic!("{line}: {err}"))[0];
            let simple = arena.simplify(e);
            assert_same(&arena, e, simple);
            let got = arena.to_text(simple).trim().replace('\n', "; ");
            blessed += &format!("{before} => {got}\n");
            if got != after.trim() {
                wrong += &format!("{before}\n  gives {got}\n  not   {}\n", after.trim());
            }
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, blessed).unwrap();
            wrong.clear();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// One construction step: an operation and where its operands come from.
type Recipe = (u8, u8, u8, u8, u8);

/// Builds the same expression twice: with [`Arena::raw`] and with the simplifying constructors.
struct Twins {
    arena: Arena,
    pool: Vec<(ExprId, ExprId)>,
}

impl Twins {
    fn new() -> Twins {
        let mut arena = Arena::new();
        let mut pool: Vec<_> = (0..4).map(|k| arena.input(0, k)).map(|e| (e, e)).collect();
        for (w, v) in [
            (8, 0),
            (8, 1),
            (8, 0xff),
            (1, 1),
            (32, 0x100),
            (32, 0xff00),
            (64, 0x8000_0000_0000_0000),
            (8, 0x80),
            (32, 3),
        ] {
            let c = arena.const_u64(w, v);
            pool.push((c, c));
        }
        Twins { arena, pool }
    }

    /// An operand of this width, made by a cast if need be.
    fn operand(&mut self, pick: u8, width: u16) -> (ExprId, ExprId) {
        // Prefer recent expressions, so that they grow deep.
        let (raw, simple) = self.pool[self.pool.len() - 1 - pick as usize % self.pool.len()];
        let w = self.arena.width(raw);
        if w == width {
            return (raw, simple);
        }
        let op = match (w < width, pick & 64 != 0) {
            (true, true) => Op::SExt,
            (true, false) => Op::ZExt,
            _ => Op::Trunc,
        };
        (self.arena.raw(op, width, &[raw], 0), self.arena.unary(op, width, simple))
    }

    /// A float operation on operands of some format's width.
    fn float(&mut self, op: Op, (_, x, y, z, imm): Recipe) -> (ExprId, ExprId) {
        let formats = [16u16, 32, 64, 80];
        let (mut format, other) = (formats[imm as usize % 4], formats[imm as usize / 4 % 4]);
        if matches!(op, Op::Libm1 | Op::Libm2) {
            format = format.max(32);
        }
        let integer = [1, 8, 17, 32, 64, 128][imm as usize % 6];
        let (width, operand) = match op {
            _ if op.is_predicate() => (1, format),
            Op::FCvt if other == format => (if format == 64 { 32 } else { 64 }, format),
            Op::FCvt => (other, format),
            Op::SToF | Op::UToF => (format, integer),
            Op::FToS | Op::FToU => (integer, format),
            _ => (format, format),
        };
        let one_operand = trace_abi::libm::TABLE.iter().filter(|f| f.arity == 1).count() as u64;
        let aux = match op {
            Op::FRound => u64::from(z % trace_abi::rounding::COUNT),
            Op::Libm1 => u64::from(z) % one_operand,
            Op::Libm2 => one_operand + u64::from(z) % (trace_abi::libm::TABLE.len() as u64 - one_operand),
            _ => 0,
        };
        let args = [self.operand(x, operand), self.operand(y, operand), self.operand(z, operand)];
        let args = &args[..expr::semantics::operands(op)];
        let (raw, simple): (Vec<_>, Vec<_>) = args.iter().copied().unzip();
        (self.arena.raw(op, width, &raw, aux), self.arena.build(op, width, aux, &simple))
    }

    fn step(&mut self, recipe: Recipe) {
        let (op, x, y, z, imm) = recipe;
        let op = Op::ALL[op as usize % Op::ALL.len()];
        if op.is_float() {
            let new = self.float(op, recipe);
            self.pool.push(new);
            return;
        }
        let a = self
            .operand(x, self.arena.width(self.pool[self.pool.len() - 1 - x as usize % self.pool.len()].0));
        let w = self.arena.width(a.0);
        let new = match op {
            Op::Input => return,
            Op::Const => {
                let c = self.arena.const_u64(w, u64::from(imm) << (y % 57));
                (c, c)
            }
            Op::Trunc | Op::ZExt | Op::SExt => {
                self.operand(x ^ imm, [1, 4, 8, 16, 24, 32, 33, 64, 65, 128][y as usize % 10])
            }
            Op::Extract => {
                let low = u16::from(imm) % w;
                let width = 1 + u16::from(y) % (w - low);
                (self.arena.raw(op, width, &[a.0], low.into()), self.arena.extract(a.1, low, width))
            }
            Op::Concat => {
                let b = self.operand(
                    y,
                    self.arena.width(self.pool[self.pool.len() - 1 - y as usize % self.pool.len()].0),
                );
                let width = w + self.arena.width(b.0);
                if width > 200 {
                    return;
                }
                (self.arena.raw(op, width, &[a.0, b.0], 0), self.arena.concat(a.1, b.1))
            }
            Op::Read => {
                let bytes: Vec<u8> = (0..16).map(|k| k * 17).collect();
                let symbolic = self.operand(y, 8);
                let mut entries = vec![None; 16];
                entries[3] = Some(symbolic.1);
                let table =
                    self.arena.add_table(Table { base: 0x10, bytes: bytes.into(), symbolic: entries });
                let address = self.operand(x, 64);
                (self.arena.raw(op, 16, &[address.0], table.0.into()), self.arena.read(table, address.1, 16))
            }
            Op::Ite => {
                let c = self.operand(y, 1);
                let b = self.operand(z, w);
                (self.arena.raw(op, w, &[c.0, a.0, b.0], 0), self.arena.ite(c.1, a.1, b.1))
            }
            Op::Bswap if !w.is_multiple_of(8) => return,
            _ => {
                let args = [a, self.operand(y, w), self.operand(z, w)];
                let n = expr::semantics::operands(op);
                let width = if op.is_predicate() { 1 } else { w };
                let raw: Vec<ExprId> = args[..n].iter().map(|a| a.0).collect();
                let simple = match n {
                    1 => self.arena.unary(op, width, a.1),
                    2 => self.arena.binary(op, a.1, args[1].1),
                    _ => self.arena.ternary(op, a.1, args[1].1, args[2].1),
                };
                (self.arena.raw(op, width, &raw, 0), simple)
            }
        };
        self.pool.push(new);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn all_rules_together_keep_the_value(
        recipes in proptest::collection::vec(any::<Recipe>(), 1..60),
        inputs in proptest::collection::vec(any::<[u8; 4]>(), 6),
    ) {
        let mut twins = Twins::new();
        for r in recipes {
            twins.step(r);
        }
        let arena = &twins.arena;
        let roots: Vec<ExprId> = twins.pool.iter().map(|p| p.0).collect();
        let mut plan = Plan::new(arena, &roots);
        for input in inputs.into_iter().chain([[0; 4], [255; 4]]) {
            let byte = |_, k: u32| input[k as usize];
            let mut ev = Evaluator::new(arena, &byte);
            plan.run(&byte);
            for (k, &(raw, simple)) in twins.pool.iter().enumerate() {
                prop_assert_eq!(plan.value(k), ev.eval(raw), "{}", arena.to_text(raw));
                prop_assert_eq!(arena.width(raw), arena.width(simple));
                let (x, y) = (ev.eval(raw), ev.eval(simple));
                prop_assert_eq!(x, y, "under {:?}:\n{}is not\n{}", input, arena.to_text(raw), arena.to_text(simple));
            }
        }
        // The text form gives the same expressions back, in this arena and, by hash, in another.
        let last = twins.pool[twins.pool.len() - 1];
        for e in [last.0, last.1] {
            let text = twins.arena.to_text(e);
            let mut other = Arena::new();
            let read = other.parse(&text).unwrap()[0];
            if !text.contains('$') {
                prop_assert_eq!(other.hash(read), twins.arena.hash(e));
            }
            prop_assert_eq!(other.to_text(read), text);
        }
    }
}
