//! How labels pass through each instruction: the table.

use super::floats::{self, Float};
use crate::llvm::{Kind, Opcode, Predicate, Type, Value};
use trace_abi::{Op, Reason, Vector};

/// An operation with the direction or function that belongs to it, as the runtime takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The operation.
    pub op: Op,
    /// What `trace_abi::Node::aux` will be.
    pub aux: u8,
}

impl From<Op> for Code {
    fn from(op: Op) -> Code {
        Code { op, aux: 0 }
    }
}

/// How the labels of a pure instruction's result come from those of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Lane by lane, operands 0 and 1.
    Binary(Op),
    /// Comparison lane by lane; `true`: operands swapped.
    Compare(Op, bool),
    /// Lane by lane, operand 0.
    Unary(Op),
    /// Lane by lane, operands 0, 1 and 2.
    Ternary(Op),
    /// Labels of operand 0 as they are.
    Copy,
    /// The bits of operand 0 under another type of the same size.
    Recast,
    /// Address arithmetic.
    Gep,
    /// Choice by operand 0.
    Select,
    /// Arithmetic with an overflow flag: (operation, flag).
    Overflow(Op, Op),
    /// Part of an aggregate.
    ExtractValue,
    /// Replacement of a part of an aggregate.
    InsertValue,
    /// A lane.
    ExtractElement,
    /// Replacement of a lane.
    InsertElement,
    /// Choice of lanes from two vectors.
    Shuffle,
    /// All lanes combined.
    Reduce(Op),
    /// Floating point beyond plain operations.
    Float(Float),
    /// A vector instruction whose labels the runtime composes.
    Vector(Vector),
    /// Not followed: the result is concrete, and the loss is recorded.
    Lost(Reason),
}

/// The rule of an instruction, or `None` if its result carries no labels (or it is not pure).
pub fn rule(i: Value) -> Option<Rule> {
    let found = by_opcode(i)?;
    let unknown = computes_floats(found) && (i.ty().is_other_float() || i.operand(0).ty().is_other_float());
    Some(if unknown { Rule::Lost(Reason::Float) } else { found })
}

/// Whether a rule depends on the format of floats (others only move bits).
const fn computes_floats(rule: Rule) -> bool {
    match rule {
        Rule::Unary(op) | Rule::Binary(op) | Rule::Ternary(op) => op.is_float(),
        Rule::Float(Float::Negate | Float::Absolute | Float::CopySign) => false,
        Rule::Float(_) => true,
        _ => false,
    }
}

fn by_opcode(i: Value) -> Option<Rule> {
    let opcode = i.opcode();
    if let Some(op) = binary(opcode) {
        return Some(Rule::Binary(op));
    }
    use Opcode::*;
    Some(match opcode {
        LLVMICmp => compare(i.int_predicate()),
        LLVMFNeg => Rule::Float(Float::Negate),
        LLVMTrunc => Rule::Unary(Op::Trunc),
        LLVMZExt => Rule::Unary(Op::ZExt),
        LLVMSExt => Rule::Unary(Op::SExt),
        LLVMIntToPtr | LLVMPtrToInt => pointer_cast(i),
        LLVMBitCast => same_lanes(i.ty(), i.operand(0).ty()),
        LLVMFreeze | LLVMAddrSpaceCast => Rule::Copy,
        LLVMGetElementPtr => Rule::Gep,
        LLVMSelect => Rule::Select,
        LLVMExtractValue => Rule::ExtractValue,
        LLVMInsertValue => Rule::InsertValue,
        LLVMExtractElement => Rule::ExtractElement,
        LLVMInsertElement => Rule::InsertElement,
        LLVMShuffleVector => Rule::Shuffle,
        LLVMFCmp => Rule::Float(Float::Compare(i.float_predicate())),
        LLVMFPToUI => float_integer(i.ty(), Op::FToU),
        LLVMFPToSI => float_integer(i.ty(), Op::FToS),
        LLVMUIToFP => float_integer(i.operand(0).ty(), Op::UToF),
        LLVMSIToFP => float_integer(i.operand(0).ty(), Op::SToF),
        LLVMFPTrunc | LLVMFPExt => Rule::Unary(Op::FCvt),
        LLVMCall => return intrinsic(i),
        _ => return None,
    })
}

fn binary(opcode: Opcode) -> Option<Op> {
    use Opcode::*;
    Some(match opcode {
        LLVMAdd => Op::Add,
        LLVMSub => Op::Sub,
        LLVMMul => Op::Mul,
        LLVMUDiv => Op::UDiv,
        LLVMSDiv => Op::SDiv,
        LLVMURem => Op::URem,
        LLVMSRem => Op::SRem,
        LLVMShl => Op::Shl,
        LLVMLShr => Op::LShr,
        LLVMAShr => Op::AShr,
        LLVMAnd => Op::And,
        LLVMOr => Op::Or,
        LLVMXor => Op::Xor,
        LLVMFAdd => Op::FAdd,
        LLVMFSub => Op::FSub,
        LLVMFMul => Op::FMul,
        LLVMFDiv => Op::FDiv,
        LLVMFRem => Op::FRem,
        _ => return None,
    })
}

fn compare(predicate: Predicate) -> Rule {
    use Predicate::*;
    match predicate {
        LLVMIntEQ => Rule::Compare(Op::Eq, false),
        LLVMIntNE => Rule::Compare(Op::Ne, false),
        LLVMIntUGT => Rule::Compare(Op::Ult, true),
        LLVMIntUGE => Rule::Compare(Op::Ule, true),
        LLVMIntULT => Rule::Compare(Op::Ult, false),
        LLVMIntULE => Rule::Compare(Op::Ule, false),
        LLVMIntSGT => Rule::Compare(Op::Slt, true),
        LLVMIntSGE => Rule::Compare(Op::Sle, true),
        LLVMIntSLT => Rule::Compare(Op::Slt, false),
        LLVMIntSLE => Rule::Compare(Op::Sle, false),
    }
}

fn lane_width(ty: Type) -> Option<u32> {
    match ty.kind() {
        Kind::Vector(element, _) => element.scalar_width(),
        _ => ty.scalar_width(),
    }
}

fn pointer_cast(i: Value) -> Rule {
    match (lane_width(i.operand(0).ty()), lane_width(i.ty())) {
        (Some(from), Some(to)) if from > to => Rule::Unary(Op::Trunc),
        (Some(from), Some(to)) if from < to => Rule::Unary(Op::ZExt),
        _ => Rule::Copy,
    }
}

/// A conversion between floats and integers of this type; those of the widest have no node.
fn float_integer(integer: Type, op: Op) -> Rule {
    match lane_width(integer) {
        Some(0..=trace_abi::MAX_FLOAT_INTEGER) => Rule::Unary(op),
        _ => Rule::Lost(Reason::Float),
    }
}

fn same_lanes(a: Type, b: Type) -> Rule {
    let lanes = |t: Type| if let Kind::Vector(_, n) = t.kind() { n } else { 1 };
    if lanes(a) == lanes(b) { Rule::Copy } else { Rule::Recast }
}

/// Intrinsics without a memory effect, by the part of their name after `llvm.`.
fn intrinsic(i: Value) -> Option<Rule> {
    let Some(name) = i.intrinsic() else { return floats::library(i) };
    let rest = name.strip_prefix("llvm.")?;
    if let Some(family) = rest.strip_prefix("x86.").and_then(Vector::by_intrinsic) {
        return Some(Rule::Vector(family));
    }
    let plain = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
    if let Some(found) = plain.split('.').next().and_then(|word| floats::intrinsic(word, i)) {
        return Some(found);
    }
    if let Some(found) = by_prefix(rest) {
        return Some(found);
    }
    let floats = i.ty().is_floating() || i.arguments().first().is_some_and(|a| a.ty().is_floating());
    let concrete = CONCRETE.iter().any(|p| rest.starts_with(p));
    if concrete || matches!(i.ty().kind(), Kind::Void | Kind::Other) {
        return None;
    }
    Some(Rule::Lost(if floats { Reason::Float } else { Reason::Unsupported }))
}

fn by_prefix(rest: &str) -> Option<Rule> {
    INTRINSICS.iter().find(|(p, _)| rest.starts_with(p)).map(|&(_, rule)| rule)
}

/// Intrinsics whose result never depends on input (or is followed elsewhere).
const CONCRETE: &[&str] = &[
    "is.constant",
    "objectsize",
    "dbg.",
    "lifetime.",
    "invariant.",
    "va_",
    "assume",
    "stack",
    "frameaddress",
    "returnaddress",
    "addressofreturnaddress",
    "sponentry",
    "eh.",
    "threadlocal.address",
    "trap",
    "debugtrap",
    "ubsantrap",
    "prefetch",
    "experimental.noalias",
    "memcpy",
    "memmove",
    "memset",
    "sideeffect",
    "donothing",
    "readcyclecounter",
    "x86.rdtsc",
    "thread.pointer",
    "get.",
    "set.",
    "type.test",
    "vscale",
    "pseudoprobe",
    "instrprof",
    "init.trampoline",
    "adjust.trampoline",
    "localescape",
    "gcroot",
    "clear_cache",
    "read_register",
    "write_register",
    "call.preallocated",
    "x86.rdpmc",
    "x86.xgetbv",
    "x86.rdrand",
    "x86.rdseed",
    "x86.sse.stmxcsr",
];

const INTRINSICS: &[(&str, Rule)] = &[
    ("umin.", Rule::Binary(Op::UMin)),
    ("umax.", Rule::Binary(Op::UMax)),
    ("smin.", Rule::Binary(Op::SMin)),
    ("smax.", Rule::Binary(Op::SMax)),
    ("uadd.sat.", Rule::Binary(Op::UAddSat)),
    ("sadd.sat.", Rule::Binary(Op::SAddSat)),
    ("usub.sat.", Rule::Binary(Op::USubSat)),
    ("ssub.sat.", Rule::Binary(Op::SSubSat)),
    ("uadd.with.overflow.", Rule::Overflow(Op::Add, Op::UAddO)),
    ("sadd.with.overflow.", Rule::Overflow(Op::Add, Op::SAddO)),
    ("usub.with.overflow.", Rule::Overflow(Op::Sub, Op::USubO)),
    ("ssub.with.overflow.", Rule::Overflow(Op::Sub, Op::SSubO)),
    ("umul.with.overflow.", Rule::Overflow(Op::Mul, Op::UMulO)),
    ("smul.with.overflow.", Rule::Overflow(Op::Mul, Op::SMulO)),
    ("abs.", Rule::Unary(Op::Abs)),
    ("bswap.", Rule::Unary(Op::Bswap)),
    ("bitreverse.", Rule::Unary(Op::Bitreverse)),
    ("ctpop.", Rule::Unary(Op::Ctpop)),
    ("ctlz.", Rule::Unary(Op::Ctlz)),
    ("cttz.", Rule::Unary(Op::Cttz)),
    ("fshl.", Rule::Ternary(Op::Fshl)),
    ("fshr.", Rule::Ternary(Op::Fshr)),
    ("ptrmask.", Rule::Binary(Op::And)),
    ("expect.", Rule::Copy),
    ("ssa.copy.", Rule::Copy),
    ("launder.invariant.group", Rule::Copy),
    ("strip.invariant.group", Rule::Copy),
    ("annotation.", Rule::Copy),
    ("ptr.annotation.", Rule::Copy),
    ("arithmetic.fence.", Rule::Copy),
    ("preserve.", Rule::Copy),
    ("vector.reduce.add.", Rule::Reduce(Op::Add)),
    ("vector.reduce.mul.", Rule::Reduce(Op::Mul)),
    ("vector.reduce.and.", Rule::Reduce(Op::And)),
    ("vector.reduce.or.", Rule::Reduce(Op::Or)),
    ("vector.reduce.xor.", Rule::Reduce(Op::Xor)),
    ("vector.reduce.fadd.", Rule::Reduce(Op::FAdd)),
    ("vector.reduce.fmul.", Rule::Reduce(Op::FMul)),
    ("vector.reduce.umin.", Rule::Reduce(Op::UMin)),
    ("vector.reduce.umax.", Rule::Reduce(Op::UMax)),
    ("vector.reduce.smin.", Rule::Reduce(Op::SMin)),
    ("vector.reduce.smax.", Rule::Reduce(Op::SMax)),
];

/// The operands whose labels the rule looks at.
pub fn inputs(i: Value, rule: Rule) -> Vec<Value> {
    match rule {
        Rule::Unary(_) | Rule::Copy | Rule::Recast | Rule::ExtractValue => {
            vec![i.operand(0)]
        }
        Rule::Vector(_) | Rule::Reduce(_) => i.arguments(),
        Rule::Binary(_)
        | Rule::Compare(..)
        | Rule::Overflow(..)
        | Rule::ExtractElement
        | Rule::InsertValue
        | Rule::Shuffle => {
            vec![i.operand(0), i.operand(1)]
        }
        Rule::Float(f) => (0..f.arity()).map(|k| i.operand(k)).collect(),
        Rule::Ternary(_) | Rule::Select | Rule::InsertElement => {
            vec![i.operand(0), i.operand(1), i.operand(2)]
        }
        Rule::Gep => match i.gep() {
            Some(gep) => std::iter::once(gep.base).chain(gep.variables.into_iter().map(|(v, _)| v)).collect(),
            None => i.operands(),
        },
        Rule::Lost(_) if i.is_call() => i.arguments(),
        Rule::Lost(_) => i.operands(),
    }
}
