//! The machine on which a template is executed: general registers, flags and memory, all holding LLVM values.

use super::constraint::{Constraint, Kind, Place};
use super::instructions;
use super::template::{Arg, Line};
use crate::llvm::{Builder, Context, Module, Predicate, Type, Value};
use rustc_hash::FxHashMap;

/// What holds a value: a named register, or the one the compiler chose for an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Operand(usize),
    Register(&'static str),
}

/// An operand of the call.
#[derive(Clone, Debug)]
enum Slot {
    /// In a register (or a constant), with its type.
    Value(Holder, Type),
    /// In memory at this address; the type of what lies there.
    Memory(Value, Type),
    /// A condition, at the end.
    Flag(String, Type),
}

/// The condition flags, as far as known; each of type `i1`.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Operands of the comparison or subtraction that set them.
    pub compared: Option<(Value, Value)>,
    /// Carry.
    pub carry: Option<Value>,
    /// Zero.
    pub zero: Option<Value>,
    /// Sign.
    pub sign: Option<Value>,
    /// Overflow.
    pub overflow: Option<Value>,
}

/// The machine.
pub struct Machine<'m> {
    /// Makes instructions before the call.
    pub b: Builder,
    /// The module.
    pub module: &'m Module,
    /// The condition flags.
    pub flags: Flags,
    call: Value,
    held: FxHashMap<Holder, Value>,
    slots: Vec<Slot>,
    barrier: bool,
}

impl<'m> Machine<'m> {
    /// The machine at the start of the template; `None` if an operand is of an unknown kind.
    pub fn new(module: &'m Module, call: Value, constraints: Vec<Constraint>) -> Option<Machine<'m>> {
        let b = Builder::new(module.context());
        b.before(call);
        let barrier = constraints.iter().any(|c| c.place == Place::Named("memory".into()));
        let (held, slots) = (FxHashMap::default(), Vec::new());
        let mut m = Machine { b, module, flags: Flags::default(), call, held, slots, barrier };
        if barrier {
            m.memory_barrier();
        }
        m.bind(&constraints)?;
        Some(m)
    }

    fn bind(&mut self, constraints: &[Constraint]) -> Option<()> {
        let outputs = constraints.iter().filter(|c| c.kind == Kind::Output && !c.indirect).count();
        let mut results = match (outputs, self.call.ty()) {
            (0, _) => Vec::new(),
            (1, ty) => vec![ty],
            (_, ty) => ty.fields(),
        }
        .into_iter();
        let mut arguments = self.call.arguments().into_iter().enumerate();
        for (k, c) in constraints.iter().enumerate() {
            if matches!(c.kind, Kind::Clobber) {
                continue;
            }
            let slot = match (c.kind, c.indirect) {
                (Kind::Label | Kind::Clobber, _) => return None,
                (_, true) => {
                    let (n, address) = arguments.next()?;
                    let ty = self.call.call_type_attribute(n as u32 + 1, "elementtype")?;
                    Slot::Memory(address, ty)
                }
                (Kind::Output, false) => match &c.place {
                    Place::Flag(condition) => Slot::Flag(condition.clone(), results.next()?),
                    place => Slot::Value(holder(k, place)?, general(results.next()?)?),
                },
                (Kind::Input, false) => {
                    let (_, value) = arguments.next()?;
                    let ty = general(value.ty())?;
                    let holder = match &c.place {
                        Place::Tied(output) => match self.slots.get(*output)? {
                            Slot::Value(holder, _) => holder.clone(),
                            _ => return None,
                        },
                        place => holder(k, place)?,
                    };
                    let wide = self.widened(value);
                    self.held.insert(holder.clone(), wide);
                    Slot::Value(holder, ty)
                }
            };
            self.slots.push(slot);
        }
        Some(())
    }

    /// Executes the lines; the value of the call at the end, if it has one.
    pub fn run(mut self, lines: &[Line]) -> Option<Option<Value>> {
        for line in lines {
            instructions::execute(&mut self, line)?;
        }
        let mut results = Vec::new();
        for slot in self.slots.clone() {
            match slot {
                Slot::Value(holder, ty) if results.len() < self.n_results() => {
                    let value = self.held.get(&holder).copied().unwrap_or_else(|| self.i64().zero());
                    results.push(self.narrowed(value, ty));
                }
                Slot::Flag(condition, ty) => {
                    let bit = self.condition(&condition)?;
                    results.push(self.b.zext(bit, ty));
                }
                _ => {}
            }
        }
        if self.barrier {
            self.memory_barrier();
        }
        Some(match (&results[..], self.n_results()) {
            ([], _) => None,
            ([one], 1) => Some(*one),
            (all, _) => {
                let start = self.call.ty().poison();
                Some(all.iter().enumerate().fold(start, |a, (k, &v)| self.b.insert_value(a, v, k as u32)))
            }
        })
    }

    /// Values that the call gives: outputs come first among the operands.
    fn n_results(&self) -> usize {
        match self.call.ty().kind() {
            crate::llvm::Kind::Void => 0,
            crate::llvm::Kind::Struct => self.call.ty().fields().len(),
            _ => 1,
        }
    }

    fn memory_barrier(&self) {
        let ty = self.context().void().function(&[], false);
        let barrier = self.context().barrier(ty);
        self.b.call(ty, barrier, &[]);
    }

    /// The context.
    pub fn context(&self) -> Context {
        self.module.context()
    }

    /// Integer of `width` bits.
    pub fn int(&self, width: u32) -> Type {
        self.context().int(width)
    }

    fn i64(&self) -> Type {
        self.int(64)
    }

    fn widened(&self, value: Value) -> Value {
        let integer = if value.ty().is_pointer() { self.b.ptr_to_int(value, self.i64()) } else { value };
        self.b.zext(integer, self.i64())
    }

    fn narrowed(&self, value: Value, ty: Type) -> Value {
        if ty.is_pointer() { self.b.int_to_ptr(value, ty) } else { self.b.trunc(value, ty) }
    }

    /// Width in bits of an operand as it is written, if it has one.
    pub fn width(&self, arg: &Arg) -> Option<u32> {
        match arg {
            Arg::Operand(k, modifier) => match (modifier, self.slots.get(*k)?) {
                (_, Slot::Memory(_, ty)) => ty.scalar_width(),
                (_, Slot::Flag(..)) => None,
                (Some('b' | 'h'), _) => Some(8),
                (Some('w'), _) => Some(16),
                (Some('k'), _) => Some(32),
                (Some('q'), _) => Some(64),
                (None, Slot::Value(Holder::Operand(k), _)) if self.is_immediate(*k) => None,
                (None, Slot::Value(_, ty)) => ty.scalar_width(),
                (Some(_), _) => None,
            },
            Arg::Register(name) => register(name).map(|r| r.1),
            Arg::Memory { bytes, .. } => bytes.map(|n| 8 * n),
            Arg::Immediate(_) => None,
        }
    }

    /// Whether operand `k` is a constant, which is written as one where its constraint allows.
    fn is_immediate(&self, k: usize) -> bool {
        self.held.get(&Holder::Operand(k)).is_some_and(|v| v.as_u64().is_some())
    }

    /// Whether an operand lies in memory.
    pub fn is_memory(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Operand(k, _) => matches!(self.slots.get(*k), Some(Slot::Memory(..))),
            Arg::Memory { .. } => true,
            _ => false,
        }
    }

    /// Address of an operand in memory.
    pub fn address(&self, arg: &Arg) -> Option<Value> {
        match arg {
            Arg::Operand(k, None) => match self.slots.get(*k)? {
                Slot::Memory(address, _) => Some(*address),
                _ => None,
            },
            Arg::Memory { .. } => Some(self.b.int_to_ptr(self.effective(arg)?, self.context().pointer())),
            _ => None,
        }
    }

    /// The address that a memory operand computes, as `i64`.
    pub fn effective(&self, arg: &Arg) -> Option<Value> {
        let Arg::Memory { displacement, base, index, scale, .. } = arg else {
            return Some(self.b.ptr_to_int(self.address(arg)?, self.i64()));
        };
        let part_width = |part: &Option<Box<Arg>>| part.as_ref().and_then(|p| self.width(p));
        // Addresses of 32 bits wrap at 32 bits.
        let narrow = part_width(base).or(part_width(index)) == Some(32);
        let width = if narrow { 32 } else { 64 };
        let mut sum = self.i64().int(*displacement as u64);
        if let Some(base) = base {
            sum = self.b.add(sum, self.address_part(base, width)?);
        }
        if let Some(index) = index {
            let factor = self.i64().int(*scale as u64);
            sum = self.b.add(sum, self.b.mul(self.address_part(index, width)?, factor));
        }
        Some(if narrow { self.b.zext(self.b.trunc(sum, self.int(32)), self.i64()) } else { sum })
    }

    /// A register in an address, as `i64`: all are of one width.
    fn address_part(&self, arg: &Arg, width: u32) -> Option<Value> {
        (!self.is_memory(arg) && self.width(arg) == Some(width)).then_some(())?;
        self.read(arg, width).map(|v| self.b.zext(v, self.i64()))
    }

    fn holder_of(&self, arg: &Arg) -> Option<(Holder, bool)> {
        match arg {
            Arg::Operand(k, modifier) => match self.slots.get(*k)? {
                Slot::Value(holder, _) => Some((holder.clone(), *modifier == Some('h'))),
                _ => None,
            },
            Arg::Register(name) => register(name).map(|(name, _, high)| (Holder::Register(name), high)),
            _ => None,
        }
    }

    /// Reads an operand of `width` bits.
    pub fn read(&self, arg: &Arg, width: u32) -> Option<Value> {
        if let Arg::Immediate(n) = arg {
            return Some(self.int(width).int_signed(*n));
        }
        if self.is_memory(arg) {
            return Some(self.b.load(self.int(width), self.address(arg)?, 1));
        }
        let (holder, high) = self.holder_of(arg)?;
        let value = self.held.get(&holder).copied().unwrap_or_else(|| self.i64().zero());
        let value = if high { self.b.lshr(value, self.i64().int(8)) } else { value };
        Some(self.b.trunc(value, self.int(width)))
    }

    /// Writes an operand of the value's width: 32 bits clear the upper half of a register, fewer leave the rest.
    pub fn write(&mut self, arg: &Arg, value: Value) -> Option<()> {
        let width = value.ty().scalar_width()?;
        if self.is_memory(arg) {
            self.b.store(value, self.address(arg)?, 1);
            return Some(());
        }
        let (holder, high) = self.holder_of(arg)?;
        let mut wide = self.b.zext(value, self.i64());
        if width < 32 {
            let old = self.held.get(&holder).copied().unwrap_or_else(|| self.i64().zero());
            let mut mask = (1u64 << width) - 1;
            if high {
                mask <<= 8;
                wide = self.b.shl(wide, self.i64().int(8));
            }
            wide = self.b.or(self.b.and(old, self.i64().int(!mask)), wide);
        }
        self.held.insert(holder, wide);
        Some(())
    }

    /// A condition by the letters after `set`, `cmov`, `@cc`; `None` where its flags are not known.
    pub fn condition(&self, letters: &str) -> Option<Value> {
        use Predicate::*;
        let b = &self.b;
        let not = |v: Value| b.xor(v, v.ty().int(1));
        let (letters, negated) = canonical(letters)?;
        let compared = self.flags.compared;
        let order = |predicate| compared.map(|(x, y)| b.icmp(predicate, x, y));
        let or = |x: Option<Value>, y: Option<Value>| Some(b.or(x?, y?));
        let differ = |x: Option<Value>, y: Option<Value>| Some(b.xor(x?, y?));
        let f = &self.flags;
        let found = match letters {
            "o" => f.overflow,
            "c" => f.carry,
            "z" => f.zero,
            "s" => f.sign,
            "be" => order(LLVMIntULE).or_else(|| or(f.carry, f.zero)),
            "l" => order(LLVMIntSLT).or_else(|| differ(f.sign, f.overflow)),
            "le" => order(LLVMIntSLE).or_else(|| or(differ(f.sign, f.overflow), f.zero)),
            _ => None,
        }?;
        Some(if negated { not(found) } else { found })
    }
}

/// The condition of which this one is another name, and whether it is its opposite.
fn canonical(letters: &str) -> Option<(&'static str, bool)> {
    Some(match letters {
        "o" => ("o", false),
        "no" => ("o", true),
        "b" | "c" | "nae" => ("c", false),
        "ae" | "nb" | "nc" => ("c", true),
        "e" | "z" => ("z", false),
        "ne" | "nz" => ("z", true),
        "be" | "na" => ("be", false),
        "a" | "nbe" => ("be", true),
        "s" => ("s", false),
        "ns" => ("s", true),
        "l" | "nge" => ("l", false),
        "ge" | "nl" => ("l", true),
        "le" | "ng" => ("le", false),
        "g" | "nle" => ("le", true),
        _ => return None,
    })
}

fn holder(k: usize, place: &Place) -> Option<Holder> {
    match place {
        Place::Any => Some(Holder::Operand(k)),
        Place::Named(name) => register(name).map(|r| Holder::Register(r.0)),
        _ => None,
    }
}

/// The type, if values of it fit a general register.
fn general(ty: Type) -> Option<Type> {
    (ty.is_pointer() || (ty.is_int() && matches!(ty.scalar_width(), Some(8 | 16 | 32 | 64)))).then_some(ty)
}

/// A general register by any of its names: (its name in 64 bits, width, whether it is the second byte).
fn register(name: &str) -> Option<(&'static str, u32, bool)> {
    const LEGACY: [(&str, [&str; 6]); 8] = [
        ("rax", ["rax", "eax", "ax", "al", "ah", "a"]),
        ("rbx", ["rbx", "ebx", "bx", "bl", "bh", "b"]),
        ("rcx", ["rcx", "ecx", "cx", "cl", "ch", "c"]),
        ("rdx", ["rdx", "edx", "dx", "dl", "dh", "d"]),
        ("rsi", ["rsi", "esi", "si", "sil", "", ""]),
        ("rdi", ["rdi", "edi", "di", "dil", "", ""]),
        ("rbp", ["rbp", "ebp", "bp", "bpl", "", ""]),
        ("r8", ["r8", "r8d", "r8w", "r8b", "", ""]),
    ];
    const HIGH: [(&str, [&str; 4]); 7] = [
        ("r9", ["r9", "r9d", "r9w", "r9b"]),
        ("r10", ["r10", "r10d", "r10w", "r10b"]),
        ("r11", ["r11", "r11d", "r11w", "r11b"]),
        ("r12", ["r12", "r12d", "r12w", "r12b"]),
        ("r13", ["r13", "r13d", "r13w", "r13b"]),
        ("r14", ["r14", "r14d", "r14w", "r14b"]),
        ("r15", ["r15", "r15d", "r15w", "r15b"]),
    ];
    const WIDTHS: [u32; 4] = [64, 32, 16, 8];
    let lower = name.to_ascii_lowercase();
    if lower.is_empty() {
        return None;
    }
    for (whole, names) in LEGACY {
        if let Some(k) = names.iter().position(|&n| n == lower) {
            return Some((whole, WIDTHS.get(k).copied().unwrap_or(8), k == 4));
        }
    }
    HIGH.into_iter()
        .find_map(|(whole, names)| names.iter().position(|&n| n == lower).map(|k| (whole, WIDTHS[k], false)))
}
