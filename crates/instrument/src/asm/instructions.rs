//! What each instruction does (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2).

use super::machine::{Flags, Machine};
use super::template::{Arg, Line};
use crate::llvm::{Predicate, RmwOperation, Value};

/// Mnemonics that are known as they are; any other may end in a letter for the size (AT&T).
const KNOWN: &[&str] = &[
    "mov", "movabs", "add", "sub", "adc", "sbb", "and", "or", "xor", "cmp", "test", "inc", "dec", "neg",
    "not", "imul", "mul", "shl", "sal", "shr", "sar", "rol", "ror", "shld", "shrd", "bswap", "bsf", "bsr",
    "tzcnt", "lzcnt", "popcnt", "lea", "xchg", "xadd", "cmpxchg", "bt", "bts", "btr", "btc", "cltd", "cdq",
    "cqto", "cqo", "cltq", "cdqe", "cwtl", "cwde", "nop", "pause", "endbr64", "mfence", "lfence", "sfence",
    "cld", "clc", "stc", "cmc", "movzx", "movsx", "movsxd",
];

/// Executes one line; `None` if it is not known or an operand is not of the usual kind.
pub fn execute(m: &mut Machine<'_>, line: &Line) -> Option<()> {
    let name = line.mnemonic.as_str();
    if let Some(condition) = name.strip_prefix("set") {
        let bit = m.condition(condition)?;
        let byte = m.b.zext(bit, m.int(8));
        return m.write(line.args.first()?, byte);
    }
    if let Some(rest) = name.strip_prefix("cmov") {
        return conditional_move(m, line, rest);
    }
    if let Some((signed, from, to)) = extending(m, line) {
        return extend(m, line, signed, from, to);
    }
    let (name, suffix) = split(name, line.suffixed)?;
    if let Some(done) = without_operands(m, name) {
        return line.args.is_empty().then_some(done);
    }
    let width = match suffix {
        Some(width) => width,
        None => line.args.iter().find_map(|a| m.width(a))?,
    };
    (matches!(width, 8 | 16 | 32 | 64)).then_some(())?;
    Instruction { m, line, width }.execute(name)
}

/// The mnemonic without the letter for its size, and the size.
fn split(name: &str, suffixed: bool) -> Option<(&str, Option<u32>)> {
    if KNOWN.contains(&name) {
        return Some((name, None));
    }
    let width = match name.as_bytes().last()? {
        b'b' => 8,
        b'w' => 16,
        b'l' => 32,
        b'q' => 64,
        _ => return None,
    };
    let base = &name[..name.len() - 1];
    (suffixed && KNOWN.contains(&base)).then_some((base, Some(width)))
}

/// Instructions on fixed registers or none.
fn without_operands(m: &mut Machine<'_>, name: &str) -> Option<()> {
    let register = |name: &str| Arg::Register(name.to_owned());
    match name {
        "nop" | "pause" | "endbr64" | "lfence" | "sfence" | "cld" => {}
        "mfence" => m.b.fence(),
        "clc" | "stc" => {
            let carry = m.int(1).int(u64::from(name == "stc"));
            m.flags = Flags { compared: None, carry: Some(carry), ..std::mem::take(&mut m.flags) };
        }
        "cmc" => {
            let carry = m.b.xor(m.flags.carry?, m.int(1).int(1));
            m.flags = Flags { compared: None, carry: Some(carry), ..std::mem::take(&mut m.flags) };
        }
        "cltd" | "cdq" | "cqto" | "cqo" => {
            let width = if matches!(name, "cltd" | "cdq") { 32 } else { 64 };
            let value = m.read(&register("rax"), width)?;
            let sign = m.b.ashr(value, value.ty().int(u64::from(width) - 1));
            m.write(&register(if width == 32 { "edx" } else { "rdx" }), sign)?;
        }
        "cltq" | "cdqe" | "cwtl" | "cwde" => {
            let from = if matches!(name, "cltq" | "cdqe") { 32 } else { 16 };
            let value = m.read(&register("rax"), from)?;
            let wide = m.b.sext(value, m.int(2 * from));
            m.write(&register(if from == 32 { "rax" } else { "eax" }), wide)?;
        }
        _ => return None,
    }
    Some(())
}

/// `movz`, `movs` with both sizes in the name, `movzx`, `movsx`: (signed, from, to).
fn extending(m: &Machine<'_>, line: &Line) -> Option<(bool, u32, u32)> {
    let name = line.mnemonic.as_str();
    let size = |c: u8| match c {
        b'b' => Some(8),
        b'w' => Some(16),
        b'l' => Some(32),
        b'q' => Some(64),
        _ => None,
    };
    if matches!(name, "movzx" | "movsx" | "movsxd") {
        return Some((name != "movzx", m.width(line.args.get(1)?)?, m.width(line.args.first()?)?));
    }
    let signed = name.starts_with("movs");
    match name.as_bytes() {
        [b'm', b'o', b'v', b'z' | b's', from, to] if line.suffixed => {
            Some((signed, size(*from)?, size(*to)?))
        }
        [b'm', b'o', b'v', b'z' | b's', from] if line.suffixed => {
            Some((signed, size(*from)?, m.width(line.args.first()?)?))
        }
        _ => None,
    }
}

fn extend(m: &mut Machine<'_>, line: &Line, signed: bool, from: u32, to: u32) -> Option<()> {
    let [dst, src] = &line.args[..] else { return None };
    (from < to).then_some(())?;
    let value = m.read(src, from)?;
    let wide = if signed { m.b.sext(value, m.int(to)) } else { m.b.zext(value, m.int(to)) };
    m.write(dst, wide)
}

/// By masks: a select would count as a conditional of the program.
fn conditional_move(m: &mut Machine<'_>, line: &Line, rest: &str) -> Option<()> {
    let [dst, src] = &line.args[..] else { return None };
    let bit = m.condition(rest).or_else(|| {
        let letters = rest.strip_suffix(['w', 'l', 'q']).filter(|_| line.suffixed)?;
        m.condition(letters)
    })?;
    let width = m.width(dst)?;
    let (old, new) = (m.read(dst, width)?, m.read(src, width)?);
    let chosen = choose(m, bit, new, old);
    m.write(dst, chosen)
}

/// `bit ? yes : no`, without a select.
fn choose(m: &Machine<'_>, bit: Value, yes: Value, no: Value) -> Value {
    let mask = m.b.sext(bit, yes.ty());
    m.b.or(m.b.and(yes, mask), m.b.and(no, m.b.xor(mask, mask.ty().ones())))
}

/// One instruction with a size.
struct Instruction<'a, 'm> {
    m: &'a mut Machine<'m>,
    line: &'a Line,
    width: u32,
}

impl Instruction<'_, '_> {
    fn execute(&mut self, name: &str) -> Option<()> {
        match name {
            "mov" | "movabs" => {
                let value = self.read(1)?;
                self.write(0, value)
            }
            "lea" => {
                let address = self.m.effective(self.line.args.get(1)?)?;
                let value = self.m.b.trunc(address, self.m.int(self.width));
                self.write(0, value)
            }
            "add" | "sub" | "and" | "or" | "xor" | "adc" | "sbb" | "cmp" | "test" | "inc" | "dec" | "neg" => {
                self.arithmetic(name)
            }
            "not" => {
                let value = self.read(0)?;
                self.unlocked()?;
                self.write(0, self.m.b.xor(value, value.ty().ones()))
            }
            "mul" => self.multiply_wide(false),
            "imul" if self.line.args.len() == 1 => self.multiply_wide(true),
            "imul" => {
                let (x, y) = if self.line.args.len() == 3 { (1, 2) } else { (0, 1) };
                let product = self.m.b.mul(self.read(x)?, self.read(y)?);
                self.m.flags = Flags::default();
                self.write(0, product)
            }
            "shl" | "sal" | "shr" | "sar" => self.shift(name),
            "rol" | "ror" | "shld" | "shrd" => self.rotate(name),
            "bswap" | "tzcnt" | "lzcnt" | "popcnt" => self.count(name),
            "bsf" | "bsr" => self.scan(name),
            "xchg" | "xadd" | "cmpxchg" => self.exchange(name),
            "bt" | "bts" | "btr" | "btc" => self.bit(name),
            _ => None,
        }
    }

    fn arg(&self, k: usize) -> Option<&Arg> {
        self.line.args.get(k)
    }

    fn read(&self, k: usize) -> Option<Value> {
        self.m.read(self.arg(k)?, self.width)
    }

    fn write(&mut self, k: usize, value: Value) -> Option<()> {
        let line = self.line;
        self.m.write(line.args.get(k)?, value)
    }

    fn unlocked(&self) -> Option<()> {
        (!self.line.lock).then_some(())
    }

    /// Two-operand arithmetic with its flags; atomically with `lock`.
    fn arithmetic(&mut self, name: &str) -> Option<()> {
        let ty = self.m.int(self.width);
        let operand = match name {
            "inc" | "dec" => ty.int(1),
            "neg" => ty.zero(),
            _ => self.read(1)?,
        };
        let locked = self.line.lock;
        let old = if locked { self.locked(name, operand)? } else { self.read(0)? };
        let carry_in = match name {
            "adc" | "sbb" => Some(self.m.b.zext(self.m.flags.carry?, ty)),
            _ => None,
        };
        let carry_before = self.m.flags.carry;
        let result = match name {
            "add" | "inc" | "adc" => self.sum(old, operand, carry_in),
            "sub" | "dec" | "cmp" | "sbb" => self.difference(old, operand, carry_in),
            "neg" => self.difference(operand, old, None),
            "and" | "test" => self.logical(self.m.b.and(old, operand)),
            "or" => self.logical(self.m.b.or(old, operand)),
            _ => self.logical(self.m.b.xor(old, operand)),
        };
        if matches!(name, "inc" | "dec") {
            self.m.flags.carry = carry_before;
            self.m.flags.compared = None;
        }
        if locked || matches!(name, "cmp" | "test") { Some(()) } else { self.write(0, result) }
    }

    /// The memory operand's old value; the operation is done by one atomic instruction.
    fn locked(&mut self, name: &str, operand: Value) -> Option<Value> {
        use RmwOperation::*;
        let operation = match name {
            "add" | "inc" => LLVMAtomicRMWBinOpAdd,
            "sub" | "dec" => LLVMAtomicRMWBinOpSub,
            "and" => LLVMAtomicRMWBinOpAnd,
            "or" => LLVMAtomicRMWBinOpOr,
            "xor" => LLVMAtomicRMWBinOpXor,
            _ => return None,
        };
        let address = self.m.address(self.arg(0)?)?;
        Some(self.m.b.atomic_rmw(operation, address, operand))
    }

    fn set_flags(&mut self, result: Value, carry: Option<Value>, overflow: Option<Value>) {
        let zero = result.ty().zero();
        let b = &self.m.b;
        let is_zero = b.icmp(Predicate::LLVMIntEQ, result, zero);
        let sign = b.icmp(Predicate::LLVMIntSLT, result, zero);
        self.m.flags = Flags { compared: None, carry, zero: Some(is_zero), sign: Some(sign), overflow };
    }

    fn top(&self, value: Value) -> Value {
        self.m.b.icmp(Predicate::LLVMIntSLT, value, value.ty().zero())
    }

    fn sum(&mut self, x: Value, y: Value, carry_in: Option<Value>) -> Value {
        let b = &self.m.b;
        let plain = b.add(x, y);
        let result = carry_in.map_or(plain, |c| b.add(plain, c));
        let mut carry = b.icmp(Predicate::LLVMIntULT, plain, x);
        if carry_in.is_some() {
            carry = b.or(carry, b.icmp(Predicate::LLVMIntULT, result, plain));
        }
        let overflow = self.top(b.and(b.xor(x, result), b.xor(y, result)));
        self.set_flags(result, Some(carry), Some(overflow));
        result
    }

    fn difference(&mut self, x: Value, y: Value, borrow: Option<Value>) -> Value {
        let b = &self.m.b;
        let plain = b.sub(x, y);
        let result = borrow.map_or(plain, |c| b.sub(plain, c));
        let mut carry = b.icmp(Predicate::LLVMIntULT, x, y);
        if let Some(c) = borrow {
            carry = b.or(carry, b.icmp(Predicate::LLVMIntULT, plain, c));
        }
        let overflow = self.top(b.and(b.xor(x, y), b.xor(x, result)));
        self.set_flags(result, Some(carry), Some(overflow));
        if borrow.is_none() {
            self.m.flags.compared = Some((x, y));
            self.m.flags.zero = Some(self.m.b.icmp(Predicate::LLVMIntEQ, x, y));
        }
        result
    }

    fn logical(&mut self, result: Value) -> Value {
        let off = self.m.int(1).zero();
        self.set_flags(result, Some(off), Some(off));
        result
    }

    fn fixed(&self, name: &str) -> Arg {
        Arg::Register(name.to_owned())
    }

    /// `mul` and one-operand `imul`: both halves.
    fn multiply_wide(&mut self, signed: bool) -> Option<()> {
        let (wide, width) = (self.m.int(2 * self.width), self.width);
        (self.line.args.len() == 1).then_some(())?;
        let (x, y) = (self.m.read(&self.fixed("rax"), width)?, self.read(0)?);
        let b = &self.m.b;
        let extend = |v| if signed { b.sext(v, wide) } else { b.zext(v, wide) };
        let product = b.mul(extend(x), extend(y));
        let low = b.trunc(product, self.m.int(width));
        let high = b.trunc(b.lshr(product, wide.int(width.into())), self.m.int(width));
        let spill = if signed { b.ashr(low, low.ty().int(u64::from(width) - 1)) } else { low.ty().zero() };
        let spilled = b.icmp(Predicate::LLVMIntNE, high, spill);
        self.m.flags = Flags { carry: Some(spilled), overflow: Some(spilled), ..Flags::default() };
        if width == 8 {
            return self.m.write(&self.fixed("ax"), product);
        }
        self.m.write(&self.fixed("rax"), low)?;
        self.m.write(&self.fixed("rdx"), high)
    }

    /// The count of a shift, of type `i8`, as the processor masks it; 1 if none is written.
    fn shift_count(&self, k: usize) -> Option<Value> {
        let count = match self.arg(k) {
            Some(arg) => self.m.read(arg, 8)?,
            None => self.m.int(8).int(1),
        };
        let most = if self.width == 64 { 63 } else { 31 };
        Some(self.m.b.and(count, count.ty().int(most)))
    }

    fn shift(&mut self, name: &str) -> Option<()> {
        self.unlocked()?;
        let (value, count) = (self.read(0)?, self.shift_count(1)?);
        // In at least 32 bits, where the masked count is never too large.
        let (b, wide) = (&self.m.b, self.m.int(self.width.max(32)));
        let by = b.zext(count, wide);
        let result = match name {
            "sar" => b.ashr(b.sext(value, wide), by),
            "shr" => b.lshr(b.zext(value, wide), by),
            _ => b.shl(b.zext(value, wide), by),
        };
        let result = b.trunc(result, value.ty());
        match count.as_u64() {
            Some(0) => {}
            Some(_) => self.set_flags(result, None, None),
            None => self.m.flags = Flags::default(),
        }
        self.write(0, result)
    }

    fn rotate(&mut self, name: &str) -> Option<()> {
        self.unlocked()?;
        let double = self.line.args.len() == 3;
        (double == name.starts_with("sh") && (!double || self.width >= 32)).then_some(())?;
        let (value, count) = (self.read(0)?, self.shift_count(if double { 2 } else { 1 })?);
        let other = if double { self.read(1)? } else { value };
        let count = self.m.b.zext(count, value.ty());
        let (intrinsic, arguments) = match name {
            "rol" | "shld" => ("llvm.fshl", [value, other, count]),
            _ => ("llvm.fshr", [other, value, count]),
        };
        let result = self.intrinsic(intrinsic, &arguments)?;
        self.m.flags = Flags::default();
        self.write(0, result)
    }

    fn intrinsic(&self, name: &str, arguments: &[Value]) -> Option<Value> {
        let (ty, function) = self.m.module.intrinsic(name, &[arguments.first()?.ty()]);
        Some(self.m.b.call(ty, function, arguments))
    }

    fn count(&mut self, name: &str) -> Option<()> {
        let source = if name == "bswap" { 0 } else { 1 };
        (self.width > 16 || (name != "bswap" && self.width == 16)).then_some(())?;
        let (value, defined) = (self.read(source)?, self.m.int(1).zero());
        let result = match name {
            "bswap" => self.intrinsic("llvm.bswap", &[value])?,
            "popcnt" => self.intrinsic("llvm.ctpop", &[value])?,
            "tzcnt" => self.intrinsic("llvm.cttz", &[value, defined])?,
            _ => self.intrinsic("llvm.ctlz", &[value, defined])?,
        };
        if name != "bswap" {
            let zero = |v: Value| self.m.b.icmp(Predicate::LLVMIntEQ, v, v.ty().zero());
            let (carry, is_zero) = (zero(value), zero(result));
            let carry = if name == "popcnt" { self.m.int(1).zero() } else { carry };
            self.m.flags = Flags { carry: Some(carry), zero: Some(is_zero), ..Flags::default() };
        }
        self.write(0, result)
    }

    /// `bsf`, `bsr`: for zero the destination stays (documented by AMD, and so on Intel's processors).
    fn scan(&mut self, name: &str) -> Option<()> {
        (self.width >= 16).then_some(())?;
        let (old, value, defined) = (self.read(0)?, self.read(1)?, self.m.int(1).zero());
        let found = if name == "bsf" {
            self.intrinsic("llvm.cttz", &[value, defined])?
        } else {
            let leading = self.intrinsic("llvm.ctlz", &[value, defined])?;
            self.m.b.sub(value.ty().int(u64::from(self.width) - 1), leading)
        };
        let is_zero = self.m.b.icmp(Predicate::LLVMIntEQ, value, value.ty().zero());
        let result = choose(self.m, is_zero, old, found);
        self.m.flags = Flags { zero: Some(is_zero), ..Flags::default() };
        self.write(0, result)
    }

    fn exchange(&mut self, name: &str) -> Option<()> {
        // `xchg` may name its memory operand first or second.
        let swapped = name == "xchg" && self.m.is_memory(self.arg(1)?);
        let (to, from) = if swapped { (1, 0) } else { (0, 1) };
        let given = self.read(from)?;
        if !self.m.is_memory(self.arg(to)?) {
            return self.exchange_registers(name, given);
        }
        let address = self.m.address(self.arg(to)?)?;
        match name {
            "xchg" => {
                let old = self.m.b.atomic_rmw(RmwOperation::LLVMAtomicRMWBinOpXchg, address, given);
                self.write(from, old)
            }
            "xadd" => {
                let old = self.m.b.atomic_rmw(RmwOperation::LLVMAtomicRMWBinOpAdd, address, given);
                self.sum(old, given, None);
                self.write(from, old)
            }
            _ => {
                let expected = self.m.read(&self.fixed("rax"), self.width)?;
                let pair = self.m.b.compare_exchange(address, expected, given);
                let (old, done) = (self.m.b.extract_value(pair, 0), self.m.b.extract_value(pair, 1));
                self.difference(expected, old, None);
                self.m.flags.zero = Some(done);
                self.m.write(&self.fixed("rax"), old)
            }
        }
    }

    fn exchange_registers(&mut self, name: &str, given: Value) -> Option<()> {
        let old = self.read(0)?;
        match name {
            "xchg" => {
                self.write(0, given)?;
                self.write(1, old)
            }
            "xadd" => {
                let sum = self.sum(old, given, None);
                self.write(1, old)?;
                self.write(0, sum)
            }
            _ => None,
        }
    }

    /// `bt` and what changes the bit too; in memory only with a constant.
    fn bit(&mut self, name: &str) -> Option<()> {
        self.unlocked()?;
        (self.width >= 16).then_some(())?;
        let in_memory = self.m.is_memory(self.arg(0)?);
        let (value, index) = (self.read(0)?, self.read(1)?);
        if in_memory && index.as_u64().is_none() {
            return None;
        }
        let b = &self.m.b;
        let index = b.and(index, index.ty().int(u64::from(self.width) - 1));
        let carry = b.trunc(b.lshr(value, index), self.m.int(1));
        let mask = b.shl(value.ty().int(1), index);
        let changed = match name {
            "bts" => Some(b.or(value, mask)),
            "btr" => Some(b.and(value, b.xor(mask, mask.ty().ones()))),
            "btc" => Some(b.xor(value, mask)),
            _ => None,
        };
        self.m.flags =
            Flags { compared: None, carry: Some(carry), zero: self.m.flags.zero, ..Flags::default() };
        changed.map_or(Some(()), |v| self.write(0, v))
    }
}
