//! From a constraint's nodes to code: every node once, operands first, then the comparisons' distances.
//!
//! A value of at most 64 bits is an `i64` with zeros above its width, one of width 1 as well. Wider ones are in the
//! function's memory.

use crate::calls;
use crate::memory::{Memory, TableView};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::FunctionBuilder;
use expr::Op;
use expr::semantics::mask;
use solve_search::{Node, NodeId, Part};

/// Signatures of the functions in `calls`.
pub(crate) struct Signatures {
    narrow: SigRef,
    wide: SigRef,
    read: SigRef,
    read_wide: SigRef,
    distance: SigRef,
    distance_wide: SigRef,
}

impl Signatures {
    fn new(b: &mut FunctionBuilder<'_>, convention: CallConv) -> Signatures {
        let mut signature = |params: usize, result: Option<Type>| {
            let mut s = Signature::new(convention);
            s.params.extend((0..params).map(|_| AbiParam::new(I64)));
            s.returns.extend(result.map(AbiParam::new));
            b.import_signature(s)
        };
        Signatures {
            narrow: signature(5, Some(I64)),
            wide: signature(1, Some(I64)),
            read: signature(3, Some(I64)),
            read_wide: signature(4, None),
            distance: signature(4, Some(F64)),
            distance_wide: signature(3, Some(F64)),
        }
    }
}

/// The code of one function in the making.
pub(crate) struct Emitter<'a, 'b> {
    pub(crate) b: FunctionBuilder<'b>,
    pub(crate) part: &'a Part,
    memory: &'a mut Memory,
    signatures: Signatures,
    /// Pointer to the input bytes.
    input: Value,
    /// Values of the nodes so far; of wide ones the low word, where something is known to need it.
    values: Vec<Option<Value>>,
    /// Tables whose symbolic bytes have been written.
    written: Vec<bool>,
}

impl<'a, 'b> Emitter<'a, 'b> {
    pub(crate) fn new(
        mut b: FunctionBuilder<'b>,
        part: &'a Part,
        memory: &'a mut Memory,
        convention: CallConv,
    ) -> Emitter<'a, 'b> {
        let signatures = Signatures::new(&mut b, convention);
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        b.seal_block(block);
        let input = b.block_params(block)[0];
        let (values, written) = (vec![None; part.nodes.len()], vec![false; part.tables.len()]);
        Emitter { b, part, memory, signatures, input, values, written }
    }

    /// The whole function.
    pub(crate) fn emit(mut self, target: TargetFrontendConfig) {
        for (k, node) in self.part.nodes.iter().enumerate() {
            self.values[k] = self.node(k, node);
        }
        let distance = self.formulas();
        self.b.ins().return_(&[distance]);
        self.b.finalize(target);
    }

    /// Value of a node of at most 64 bits.
    pub(crate) fn value(&self, node: NodeId) -> Value {
        self.values[node].expect("operands come first")
    }

    pub(crate) fn width(&self, node: NodeId) -> u16 {
        self.part.nodes[node].width
    }

    /// A constant.
    pub(crate) fn k(&mut self, value: u64) -> Value {
        self.b.ins().iconst(I64, value as i64)
    }

    /// The low `width` bits.
    pub(crate) fn cut(&mut self, value: Value, width: u16) -> Value {
        if width >= 64 {
            return value;
        }
        let m = self.k(mask(width));
        self.b.ins().band(value, m)
    }

    /// The low `width` bits as a signed number.
    pub(crate) fn signed(&mut self, value: Value, width: u16) -> Value {
        if width >= 64 {
            return value;
        }
        let unused = self.k(u64::from(64 - width));
        let top = self.b.ins().ishl(value, unused);
        self.b.ins().sshr(top, unused)
    }

    /// A truth value as a number.
    pub(crate) fn flag(&mut self, truth: Value) -> Value {
        self.b.ins().uextend(I64, truth)
    }

    fn node(&mut self, k: NodeId, n: &Node) -> Option<Value> {
        match n.op {
            Op::Input => {
                let at = i32::try_from(n.imm).expect("fewer than 2^31 input bytes");
                Some(self.b.ins().uload8(I64, MemFlagsData::trusted(), self.input, at))
            }
            Op::Const if n.width <= 64 => Some(self.k(n.imm)),
            // It is in memory from the start.
            Op::Const => None,
            Op::Read => self.read(k, n),
            _ if n.width > 64 || n.args().iter().any(|&a| self.width(a as NodeId) > 64) => self.wide(k, n),
            op if op.is_float() => Some(self.float(n)),
            _ => Some(self.integer(n)),
        }
    }

    /// A call of a function in `calls`.
    fn call(&mut self, signature: SigRef, function: *const (), args: &[Value]) -> Option<Value> {
        let address = self.k(function as u64);
        let call = self.b.ins().call_indirect(signature, address, args);
        self.b.inst_results(call).first().copied()
    }

    /// The node's value by the evaluator's own function.
    pub(crate) fn by_call(&mut self, n: &Node) -> Value {
        let shape = self.k(calls::shape(n.op, n.width, self.width(n.arg(0))));
        let imm = self.k(n.imm);
        let zero = self.k(0);
        let arg = |k: usize| n.args().get(k).map_or(zero, |&a| self.value(a as NodeId));
        let args = [shape, imm, arg(0), arg(1), arg(2)];
        let function = calls::narrow as extern "C" fn(u64, u64, u64, u64, u64) -> u64;
        self.call(self.signatures.narrow, function as *const (), &args).expect("it has a result")
    }

    /// `usual` where `is_rare` is 0; where not, the node's value by a call.
    pub(crate) fn unless(&mut self, is_rare: Value, usual: Value, n: &Node) -> Value {
        let (rare, after) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(after, I64);
        self.b.set_cold_block(rare);
        self.b.ins().brif(is_rare, rare, &[], after, &[usual.into()]);
        self.b.switch_to_block(rare);
        self.b.seal_block(rare);
        let value = self.by_call(n);
        self.b.ins().jump(after, &[value.into()]);
        self.b.switch_to_block(after);
        self.b.seal_block(after);
        self.b.block_params(after)[0]
    }

    /// Distance of a comparison by a call.
    pub(crate) fn distance_by_call(&mut self, node: NodeId, want: bool) -> Value {
        let n = &self.part.nodes[node];
        let (a, b) = (n.arg(0), n.arg(1));
        let want = self.k(want.into());
        if self.width(a) > 64 {
            let step = self.memory.step(self.part, node) as u64;
            let step = self.k(step);
            let function =
                calls::distance_wide as unsafe extern "C" fn(*const crate::memory::Step, u64, u64) -> f64;
            let args = [step, self.value(node), want];
            return self
                .call(self.signatures.distance_wide, function as *const (), &args)
                .expect("it has a result");
        }
        let shape = self.k(calls::shape(n.op, n.width, self.width(a)));
        let args = [shape, self.value(a), self.value(b), want];
        let function = calls::distance as extern "C" fn(u64, u64, u64, u64) -> f64;
        self.call(self.signatures.distance, function as *const (), &args).expect("it has a result")
    }

    /// Where a node's words are.
    fn words(&mut self, node: NodeId) -> Value {
        self.k(self.memory.words(node) as u64)
    }

    fn word(&mut self, node: NodeId, k: i32) -> Value {
        let words = self.words(node);
        self.b.ins().load(I64, MemFlagsData::trusted(), words, 8 * k)
    }

    /// An operation with an operand or a result of more than 64 bits.
    fn wide(&mut self, k: NodeId, n: &Node) -> Option<Value> {
        let first = n.arg(0);
        match n.op {
            Op::Trunc | Op::Extract if n.width <= 64 => {
                let low = if n.op == Op::Extract { n.imm } else { 0 };
                return Some(self.extract(first, low, n.width));
            }
            Op::ZExt if self.width(first) <= 64 => {
                let (words, value, zero) = (self.words(k), self.value(first), self.k(0));
                self.b.ins().store(MemFlagsData::trusted(), value, words, 0);
                for word in 1..i32::from(n.width.div_ceil(64)) {
                    self.b.ins().store(MemFlagsData::trusted(), zero, words, 8 * word);
                }
                return None;
            }
            Op::Concat if self.width(first) <= 64 && self.width(n.arg(1)) <= 64 => {
                let (words, high, low) = (self.words(k), self.value(first), self.value(n.arg(1)));
                let shift = self.width(n.arg(1));
                let (mut lower, mut upper) = (low, high);
                if shift < 64 {
                    let (up, down) = (self.k(shift.into()), self.k(u64::from(64 - shift)));
                    let moved = self.b.ins().ishl(high, up);
                    lower = self.b.ins().bor(low, moved);
                    upper = self.b.ins().ushr(high, down);
                }
                self.b.ins().store(MemFlagsData::trusted(), lower, words, 0);
                self.b.ins().store(MemFlagsData::trusted(), upper, words, 8);
                return None;
            }
            _ => {}
        }
        for &a in n.args() {
            let a = a as NodeId;
            if self.width(a) <= 64 {
                let (words, value) = (self.words(a), self.value(a));
                self.b.ins().store(MemFlagsData::trusted(), value, words, 0);
            }
        }
        let step = self.memory.step(self.part, k) as u64;
        let step = self.k(step);
        let function = calls::wide as unsafe extern "C" fn(*const crate::memory::Step) -> u64;
        self.call(self.signatures.wide, function as *const (), &[step])
    }

    /// `width` bits of a wide value from bit `low` on.
    fn extract(&mut self, node: NodeId, low: u64, width: u16) -> Value {
        let (word, shift) = ((low / 64) as i32, low % 64);
        let mut value = self.word(node, word);
        if shift > 0 {
            let by = self.k(shift);
            value = self.b.ins().ushr(value, by);
            if shift + u64::from(width) > 64 {
                let (next, by) = (self.word(node, word + 1), self.k(64 - shift));
                let upper = self.b.ins().ishl(next, by);
                value = self.b.ins().bor(value, upper);
            }
        }
        self.cut(value, width)
    }

    fn read(&mut self, k: NodeId, n: &Node) -> Option<Value> {
        let index = n.imm as usize;
        let view: *const TableView = &raw const self.memory.tables[index];
        let (base, count) = (self.memory.tables[index].base, self.memory.tables[index].bytes.len() as u64);
        let bytes = self.memory.tables[index].bytes.as_ptr() as u64;
        if !std::mem::replace(&mut self.written[index], true) {
            let part = self.part;
            for &(offset, node) in &part.tables[index].symbolic {
                let (to, value) = (self.k(bytes + u64::from(offset)), self.value(node as NodeId));
                self.b.ins().istore8(MemFlagsData::trusted(), value, to, 0);
            }
        }
        let (address, view, width) = (self.value(n.arg(0)), self.k(view as u64), self.k(n.width.into()));
        if n.width > 64 {
            let result = self.words(k);
            let function = calls::read_wide
                as unsafe extern "C" fn(*const TableView, u64, u64, *const std::cell::Cell<u64>);
            self.call(self.signatures.read_wide, function as *const (), &[view, width, address, result]);
            return None;
        }
        let function = calls::read as unsafe extern "C" fn(*const TableView, u64, u64) -> u64;
        let size = u64::from(n.width / 8);
        if !matches!(size, 1 | 2 | 4 | 8) || count < size {
            return self.call(self.signatures.read, function as *const (), &[view, width, address]);
        }
        let (usual, rare, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.append_block_param(after, I64);
        self.b.set_cold_block(rare);
        let (base, last) = (self.k(base), self.k(count - size));
        let offset = self.b.ins().isub(address, base);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, offset, last);
        self.b.ins().brif(inside, usual, &[], rare, &[]);
        self.b.switch_to_block(usual);
        self.b.seal_block(usual);
        let start = self.k(bytes);
        let at = self.b.ins().iadd(start, offset);
        let flags = MemFlagsData::new().with_notrap();
        let value = match size {
            1 => self.b.ins().uload8(I64, flags, at, 0),
            2 => self.b.ins().uload16(I64, flags, at, 0),
            4 => self.b.ins().uload32(flags, at, 0),
            _ => self.b.ins().load(I64, flags, at, 0),
        };
        self.b.ins().jump(after, &[value.into()]);
        self.b.switch_to_block(rare);
        self.b.seal_block(rare);
        let value = self
            .call(self.signatures.read, function as *const (), &[view, width, address])
            .expect("it has a result");
        self.b.ins().jump(after, &[value.into()]);
        self.b.switch_to_block(after);
        self.b.seal_block(after);
        Some(self.b.block_params(after)[0])
    }
}
