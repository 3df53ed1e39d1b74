//! Checks on request (`--find`): before each operation that C and C++ leave undefined for some operands, a marker that says
//! whether these are such operands.
//!
//! The markers stand in the bitcode before optimisation, where every operation of the source still is, and change nothing but
//! that: a check that fails is reported to the runtime, and the program goes on. A marker may, as far as LLVM knows, not
//! return; so nothing that is undefined behind it can be used to prove that it does not fail. Kinds:
//! * overflow: `add`, `sub`, `mul` of signed integers (clang's `nsw`)
//! * div: divisions and remainders by zero, and of the smallest number by -1
//! * shift: by the width or more
//! * bounds: an index of an array type beyond its length (trailing arrays behind pointers are taken for flexible)
//! * null: loads and stores through pointers that are not addresses of variables
//! * cast: floating point to integer, out of range

use crate::llvm::{Builder, FUNCTION, FloatPredicate, Kind, Module, Opcode, Predicate, Type, Value};
use crate::mark;
use crate::number::{Mark, Numbering};
use program::{Check, CheckKind, FunctionId, ProgramMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// An operation to be checked, in the order of [`ProgramMap::checks`].
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// What it is about.
    pub kind: CheckKind,
    /// The operation.
    pub at: Value,
    /// Bounds: which index. Null: which operand is the pointer.
    pub operand: u32,
}

/// The operations that the kinds `find` are about; they enter the map. Library code is left out.
pub fn wanted(find: &[CheckKind], numbering: &mut Numbering) -> Vec<Wanted> {
    let mut all = Vec::new();
    if find.is_empty() {
        return all;
    }
    let Numbering { map, marks } = numbering;
    let own = map.functions.len() as u32 - map.library_functions;
    let function = |m: &Mark| if let Mark::Function(f, id) = *m { Some((f, id)) } else { None };
    let functions: Vec<(Value, FunctionId)> =
        marks.iter().filter_map(function).filter(|(_, id)| id.0 < own).collect();
    let mut files: FxHashMap<String, u32> = map.files.iter().cloned().zip(0..).collect();
    for (function, id) in functions {
        for block in function.blocks() {
            let mut seen = FxHashSet::default();
            for at in block.instructions() {
                for w in of(at, &mut seen).into_iter().filter(|w| find.contains(&w.kind)) {
                    let span = at.location().map_or(Span { file: None, line: 0, column: 0 }, |l| {
                        let file = *files.entry(l.file).or_insert_with_key(|name| {
                            map.files.push(name.clone());
                            map.files.len() as u32 - 1
                        });
                        Span { file: Some(program::FileId(file)), line: l.line, column: l.column }
                    });
                    map.checks.push(Check { kind: w.kind, function: id, span });
                    all.push(w);
                }
            }
        }
    }
    all
}

/// What there is to check about an instruction. `seen`: pointers of this block that were checked already.
fn of(at: Value, seen: &mut FxHashSet<Value>) -> Vec<Wanted> {
    use Opcode::*;
    let one = |kind, operand| vec![Wanted { kind, at, operand }];
    let narrow = |v: Value| v.ty().is_int() && v.ty().scalar_width().is_some_and(|w| w <= 64);
    match at.opcode() {
        LLVMAdd | LLVMSub | LLVMMul if narrow(at) && at.has_no_signed_wrap() => one(CheckKind::Overflow, 0),
        LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem if narrow(at) && !at.operand(1).is_constant() => {
            one(CheckKind::Division, 0)
        }
        LLVMShl | LLVMLShr | LLVMAShr if narrow(at) && !at.operand(1).is_constant() => {
            one(CheckKind::Shift, 0)
        }
        LLVMFPToSI | LLVMFPToUI if narrow(at) && is_plain_float(at.operand(0).ty()) => {
            one(CheckKind::Cast, 0)
        }
        LLVMGetElementPtr => {
            let last = at.n_operands() - 1;
            let is_index = |k: &u32| array_length(at, *k).is_some() && narrow(at.operand(*k));
            (2..=last)
                .filter(|k| !at.operand(*k).is_constant())
                .filter(is_index)
                .map(|operand| Wanted { kind: CheckKind::Bounds, at, operand })
                .collect()
        }
        LLVMLoad => null(at, 0, seen),
        LLVMStore => null(at, 1, seen),
        _ => Vec::new(),
    }
}

/// `float` and `double`: bounds of the integer types are written exactly in these.
fn is_plain_float(ty: Type) -> bool {
    matches!(ty.kind(), Kind::Float(32 | 64))
}

fn null(at: Value, operand: u32, seen: &mut FxHashSet<Value>) -> Vec<Wanted> {
    let base = base(at.operand(operand));
    let loaded = base.is_instruction() && !base.is(Opcode::LLVMAlloca);
    let possible = loaded || base.is_parameter();
    if possible && base.ty().is_pointer() && seen.insert(base) {
        vec![Wanted { kind: CheckKind::Null, at, operand }]
    } else {
        Vec::new()
    }
}

/// The pointer that address arithmetic starts from.
fn base(pointer: Value) -> Value {
    let mut at = pointer;
    while let Some((below, ..)) = at.address_steps() {
        at = below;
    }
    at
}

/// Length of the array that operand `k` of address arithmetic is an index of, if it is one that has a length.
pub fn array_length(at: Value, k: u32) -> Option<u64> {
    let (base, mut here, indices) = at.address_steps()?;
    let mut trailing = false;
    for (n, index) in (1..).zip(&indices).skip(1) {
        let array = matches!(here.kind(), Kind::Array(..));
        if n == k {
            let Kind::Array(_, length) = here.kind() else { return None };
            let variable = base.is(Opcode::LLVMAlloca) || base.is_global_variable();
            return (length > 1 && (variable || !trailing)).then_some(length);
        }
        match here.kind() {
            Kind::Struct => {
                let (field, fields) = (index.as_u64()? as usize, here.fields());
                trailing = field + 1 == fields.len();
                here = *fields.get(field)?;
            }
            Kind::Array(element, _) if array => {
                trailing = false;
                here = element;
            }
            _ => return None,
        }
    }
    None
}

/// Plants the markers.
pub fn plant(module: &Module, all: &[Wanted], map: &ProgramMap) {
    let checks = Checks { module, builder: Builder::new(module.context()) };
    for (wanted, number) in all.iter().zip(0..) {
        checks.builder.before(wanted.at);
        let fails = checks.condition(wanted);
        checks.marker(fails, number, map.check_cond(number).0);
    }
}

struct Checks<'m> {
    module: &'m Module,
    builder: Builder,
}

impl Checks<'_> {
    fn marker(&self, fails: Value, check: u32, cond: u32) {
        let context = self.module.context();
        let k = |n: u32| context.int(32).int(n.into());
        let arguments = [fails, k(check), k(cond)];
        let params: Vec<Type> = arguments.iter().map(|a| a.ty()).collect();
        let ty = context.void().function(&params, false);
        let fresh = self.module.function(mark::CHECK).is_none();
        let function = self.module.declare(mark::CHECK, ty);
        if fresh {
            // Not `willreturn`: see the module.
            for attribute in ["nounwind", "nocallback", "nofree", "nosync"] {
                function.add_attribute(context, FUNCTION, attribute, 0);
            }
            function.add_attribute(context, FUNCTION, "memory", mark::INACCESSIBLE_READ_WRITE);
        }
        let call = self.builder.call(ty, function, &arguments);
        call.add_call_attribute(context, FUNCTION, "nomerge");
    }

    /// Whether the operation is undefined.
    fn condition(&self, wanted: &Wanted) -> Value {
        let at = wanted.at;
        match wanted.kind {
            CheckKind::Overflow => self.overflows(at),
            CheckKind::Division => self.divides(at),
            CheckKind::Shift => {
                let (amount, width) = (at.operand(1), at.ty().scalar_width().unwrap_or(64));
                self.builder.icmp(Predicate::LLVMIntUGE, amount, amount.ty().int(width.into()))
            }
            CheckKind::Bounds => self.leaves(at, wanted.operand),
            CheckKind::Null => {
                let base = base(at.operand(wanted.operand));
                self.builder.icmp(Predicate::LLVMIntEQ, base, base.ty().zero())
            }
            CheckKind::Cast => self.beyond(at),
        }
    }

    fn overflows(&self, at: Value) -> Value {
        let name = match at.opcode() {
            Opcode::LLVMAdd => "llvm.sadd.with.overflow",
            Opcode::LLVMSub => "llvm.ssub.with.overflow",
            _ => "llvm.smul.with.overflow",
        };
        let (ty, function) = self.module.intrinsic(name, &[at.ty()]);
        let both = self.builder.call(ty, function, &[at.operand(0), at.operand(1)]);
        self.builder.extract_value(both, 1)
    }

    fn divides(&self, at: Value) -> Value {
        let (b, x, y) = (&self.builder, at.operand(0), at.operand(1));
        let zero = b.icmp(Predicate::LLVMIntEQ, y, y.ty().zero());
        if !matches!(at.opcode(), Opcode::LLVMSDiv | Opcode::LLVMSRem) {
            return zero;
        }
        let width = at.ty().scalar_width().unwrap_or(64);
        let smallest = b.icmp(Predicate::LLVMIntEQ, x, x.ty().int(1 << (width - 1)));
        let minus_one = b.icmp(Predicate::LLVMIntEQ, y, y.ty().ones());
        b.or(zero, b.and(smallest, minus_one))
    }

    /// One past the end is an address, but nothing that can be read or written.
    fn leaves(&self, at: Value, k: u32) -> Value {
        let length = array_length(at, k).unwrap_or(u64::MAX);
        let used = |user: Value| {
            let pointer = match user.opcode() {
                Opcode::LLVMLoad => 0,
                Opcode::LLVMStore => 1,
                _ => return false,
            };
            user.operand(pointer) == at
        };
        let accessed = at.users().into_iter().all(|u| u.is_instruction() && used(u));
        let index = self.builder.sext(at.operand(k), self.module.context().int(64));
        let predicate = if accessed { Predicate::LLVMIntUGE } else { Predicate::LLVMIntUGT };
        self.builder.icmp(predicate, index, index.ty().int(length))
    }

    /// Not (low < x < high), so that no number is beyond either.
    fn beyond(&self, at: Value) -> Value {
        let (b, x) = (&self.builder, at.operand(0));
        let width = at.ty().scalar_width().unwrap_or(64);
        let signed = at.is(Opcode::LLVMFPToSI);
        let high = 2f64.powi(width as i32 - i32::from(signed));
        let digits = if x.ty().kind() == Kind::Float(32) { 24 } else { 53 };
        // Where low - 1 has no exact form of this type, low itself is the last value below which nothing lies.
        let (low, above) = match (signed, width < digits) {
            (false, _) => (-1.0, FloatPredicate::LLVMRealOGT),
            (true, true) => (-high - 1.0, FloatPredicate::LLVMRealOGT),
            (true, false) => (-high, FloatPredicate::LLVMRealOGE),
        };
        let above = b.fcmp(above, x, x.ty().float(low));
        let below = b.fcmp(FloatPredicate::LLVMRealOLT, x, x.ty().float(high));
        b.xor(b.and(above, below), self.module.context().int(1).int(1))
    }
}
