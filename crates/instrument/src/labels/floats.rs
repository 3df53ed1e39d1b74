//! Floating point: which instructions, intrinsics and library functions have a meaning, and their labels.
//!
//! A float is the bits of its format. Arithmetic is an operation of its own (`trace_abi::Op`); what only moves or
//! compares bits is composed from others. Library functions keep their call; their result is a node whose meaning
//! is the very function (`trace_abi::libm`), so no label crosses the call.

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::rules::{Code, Rule};
use super::shape;
use crate::llvm::{FloatPredicate, Kind, Type, Value};
use trace_abi::{Op, libm, rounding};

/// How the label of a float (or of what is computed from floats) comes from those of the operands, lane by lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Float {
    /// A comparison.
    Compare(FloatPredicate),
    /// Sign inverted.
    Negate,
    /// Sign removed.
    Absolute,
    /// Magnitude of operand 0, sign of operand 1.
    CopySign,
    /// To an integer in the same format, in a direction of [`rounding`].
    Round(u8),
    /// The same, then to a signed integer type.
    RoundToInt(u8),
    /// A function of one operand of the mathematics library.
    Libm1(u8),
    /// A function of two operands.
    Libm2(u8),
    /// Operand 0 times two to the power of operand 1, a signed integer.
    Scale,
}

impl Float {
    /// Number of operands whose labels matter.
    pub const fn arity(self) -> u32 {
        match self {
            Float::Compare(_) | Float::CopySign | Float::Libm2(_) | Float::Scale => 2,
            _ => 1,
        }
    }
}

/// What a call of an undefined function of the mathematics library means, by its name, if its type is the
/// usual one.
pub fn library(call: Value) -> Option<Rule> {
    let callee = call.callee();
    if !call.is(crate::llvm::Opcode::LLVMCall) || !callee.is_function() || !callee.is_declaration() {
        return None;
    }
    let arguments = call.arguments();
    let format = arguments.first()?.ty();
    let width = match format.kind() {
        Kind::Float(w) => w,
        _ => return None,
    };
    let name = callee.name();
    let same =
        |n: usize| arguments.len() == n && arguments.iter().all(|a| a.ty() == format) && call.ty() == format;
    if let Some((id, _)) = libm::by_symbol(&name).filter(|&(_, w)| u32::from(w) == width) {
        let arity = libm::TABLE[usize::from(id)].arity;
        if same(usize::from(arity)) {
            return Some(Rule::Float(if arity == 1 { Float::Libm1(id) } else { Float::Libm2(id) }));
        }
    }
    let rule = exact(
        name.strip_suffix(if width == 32 { "f" } else { "l" }).filter(|_| width != 64).unwrap_or(&name),
    )?;
    let fits = match rule {
        Rule::Float(Float::Scale) => {
            arguments.len() == 2 && arguments[1].ty().is_int() && call.ty() == format
        }
        Rule::Float(Float::RoundToInt(_)) => arguments.len() == 1 && call.ty().is_int(),
        Rule::Binary(_) => same(2),
        Rule::Ternary(_) => same(3),
        Rule::Float(f) => same(f.arity() as usize),
        _ => same(1),
    };
    fits.then_some(rule)
}

/// Library functions with an exact meaning, by their name for doubles.
fn exact(name: &str) -> Option<Rule> {
    Some(match name {
        "sqrt" => Rule::Unary(Op::FSqrt),
        "fma" => Rule::Ternary(Op::FFma),
        "fmod" => Rule::Binary(Op::FRem),
        "fabs" => Rule::Float(Float::Absolute),
        "copysign" => Rule::Float(Float::CopySign),
        "ldexp" | "scalbn" | "scalbln" => Rule::Float(Float::Scale),
        "drem" => Rule::Float(Float::Libm2(libm::by_name("remainder")?)),
        "gamma" => Rule::Float(Float::Libm1(libm::by_name("lgamma")?)),
        "lrint" | "llrint" => Rule::Float(Float::RoundToInt(rounding::NEAREST_EVEN)),
        "lround" | "llround" => Rule::Float(Float::RoundToInt(rounding::NEAREST_AWAY)),
        "rint" | "nearbyint" | "roundeven" => Rule::Float(Float::Round(rounding::NEAREST_EVEN)),
        "round" => Rule::Float(Float::Round(rounding::NEAREST_AWAY)),
        "floor" => Rule::Float(Float::Round(rounding::DOWN)),
        "ceil" => Rule::Float(Float::Round(rounding::UP)),
        "trunc" => Rule::Float(Float::Round(rounding::TOWARD_ZERO)),
        _ => return None,
    })
}

/// What a floating-point intrinsic means, by its name after `llvm.` and without types: `sin`, `fabs`, ….
pub fn intrinsic(name: &str, call: Value) -> Option<Rule> {
    if let Some(id) = libm::by_name(name).filter(|_| name != "scalbn") {
        let one = libm::TABLE[usize::from(id)].arity == 1;
        return Some(Rule::Float(if one { Float::Libm1(id) } else { Float::Libm2(id) }));
    }
    Some(match name {
        "fadd" => Rule::Binary(Op::FAdd),
        "fsub" => Rule::Binary(Op::FSub),
        "fmul" => Rule::Binary(Op::FMul),
        "fdiv" => Rule::Binary(Op::FDiv),
        "frem" => Rule::Binary(Op::FRem),
        "fptrunc" | "fpext" => Rule::Unary(Op::FCvt),
        "sitofp" => Rule::Unary(Op::SToF),
        "uitofp" => Rule::Unary(Op::UToF),
        "fptosi" => Rule::Unary(Op::FToS),
        "fptoui" => Rule::Unary(Op::FToU),
        "fcmp" | "fcmps" => Rule::Float(Float::Compare(predicate(&call.operand(2).metadata_text()?)?)),
        _ => return exact(name),
    })
}

/// A predicate by its name in constrained comparisons.
fn predicate(name: &str) -> Option<FloatPredicate> {
    use FloatPredicate::*;
    Some(match name {
        "oeq" => LLVMRealOEQ,
        "ogt" => LLVMRealOGT,
        "oge" => LLVMRealOGE,
        "olt" => LLVMRealOLT,
        "ole" => LLVMRealOLE,
        "one" => LLVMRealONE,
        "ord" => LLVMRealORD,
        "uno" => LLVMRealUNO,
        "ueq" => LLVMRealUEQ,
        "ugt" => LLVMRealUGT,
        "uge" => LLVMRealUGE,
        "ult" => LLVMRealULT,
        "ule" => LLVMRealULE,
        "une" => LLVMRealUNE,
        _ => return None,
    })
}

/// A label and the concrete value it stands for.
type Pair = (Value, Value);

impl Body<'_, '_> {
    /// Labels of the result of a float rule.
    pub fn float_labels(&self, i: Value, rule: Float, fresh: &Fresh) -> Labels {
        let lanes = shape::count(i.ty());
        (0..lanes).map(|k| self.float_lane(i, rule, k, fresh)).collect()
    }

    fn float_lane(&self, i: Value, rule: Float, k: usize, fresh: &Fresh) -> Value {
        let pair = |n: u32| (self.get(fresh, i.operand(n), k), self.scalar(i.operand(n), k));
        if (0..rule.arity()).all(|n| self.get(fresh, i.operand(n), k).is_constant()) {
            return self.env.zero();
        }
        let x = pair(0);
        let result = i.ty().lane().scalar_width().unwrap_or(64);
        match rule {
            Float::Compare(predicate) => self.compare_floats(predicate, x, pair(1)).0,
            Float::Negate => self.bits_with(Op::Xor, x, 1, 0),
            Float::Absolute => self.bits_with(Op::And, x, 0, 1),
            Float::CopySign => self.copy_sign(x, pair(1)),
            Float::Round(direction) => self.un(Code { op: Op::FRound, aux: direction }, result, x.0),
            Float::RoundToInt(direction) => {
                let width = x.1.ty().scalar_width().unwrap_or(64);
                let whole = self.un(Code { op: Op::FRound, aux: direction }, width, x.0);
                self.un(Op::FToS, result, whole)
            }
            Float::Libm1(id) => self.libm1(id, x),
            Float::Libm2(id) => self.libm2(id, x, pair(1)),
            Float::Scale => {
                let (label, count) = pair(1);
                let exponent = (self.un(Op::SToF, result, label), self.env.b.sitofp(count, i.ty().lane()));
                let id = libm::by_name("scalbn").unwrap_or_default();
                self.libm2(id, x, exponent)
            }
        }
    }

    /// All sixteen predicates from the four there are.
    fn compare_floats(&self, predicate: FloatPredicate, x: Pair, y: Pair) -> Pair {
        use FloatPredicate::*;
        let plain = |op: Op, p: FloatPredicate, a: Pair, b: Pair| {
            (self.bin_labels(op, a, b), self.env.b.fcmp(p, a.1, b.1))
        };
        let not = |p: Pair| {
            let one = self.env.context.int(1).int(1);
            (self.bin_labels(Op::Xor, p, (self.env.zero(), one)), self.env.b.xor(p.1, one))
        };
        let both = |op: Op, a: Pair, b: Pair| {
            let now = if op == Op::And { self.env.b.and(a.1, b.1) } else { self.env.b.or(a.1, b.1) };
            (self.bin_labels(op, a, b), now)
        };
        let equal = || plain(Op::FEq, LLVMRealOEQ, x, y);
        let unordered = || plain(Op::FUno, LLVMRealUNO, x, y);
        match predicate {
            LLVMRealOEQ => equal(),
            LLVMRealOLT => plain(Op::FLt, LLVMRealOLT, x, y),
            LLVMRealOLE => plain(Op::FLe, LLVMRealOLE, x, y),
            LLVMRealOGT => plain(Op::FLt, LLVMRealOLT, y, x),
            LLVMRealOGE => plain(Op::FLe, LLVMRealOLE, y, x),
            LLVMRealUNO => unordered(),
            LLVMRealORD => not(unordered()),
            LLVMRealUNE => not(equal()),
            LLVMRealUGE => not(plain(Op::FLt, LLVMRealOLT, x, y)),
            LLVMRealUGT => not(plain(Op::FLe, LLVMRealOLE, x, y)),
            LLVMRealULE => not(plain(Op::FLt, LLVMRealOLT, y, x)),
            LLVMRealULT => not(plain(Op::FLe, LLVMRealOLE, y, x)),
            LLVMRealONE => both(Op::And, not(unordered()), not(equal())),
            LLVMRealUEQ => both(Op::Or, unordered(), equal()),
            LLVMRealPredicateFalse | LLVMRealPredicateTrue => (self.env.zero(), x.1),
        }
    }

    /// The bits of `x` combined with a constant: its sign bit `sign`, all others `rest`.
    fn bits_with(&self, op: Op, x: Pair, sign: u64, rest: u64) -> Value {
        let bits = self.bits(x.1);
        self.bin_labels(op, (x.0, bits), (self.env.zero(), mask(bits.ty(), sign, rest)))
    }

    fn copy_sign(&self, x: Pair, sign: Pair) -> Value {
        let b = &self.env.b;
        let (magnitude, other) = (self.bits(x.1), self.bits(sign.1));
        let (low, high) = (mask(other.ty(), 0, 1), mask(other.ty(), 1, 0));
        let magnitude = (self.bits_with(Op::And, x, 0, 1), b.and(magnitude, low));
        let sign = (self.bits_with(Op::And, sign, 1, 0), b.and(other, high));
        self.bin_labels(Op::Or, magnitude, sign)
    }

    /// A library function; half precision is computed in single, as compilers do.
    fn libm1(&self, id: u8, x: Pair) -> Value {
        let width = x.1.ty().scalar_width().unwrap_or(64);
        let code = Code { op: Op::Libm1, aux: id };
        if width != 16 {
            return self.un(code, width, x.0);
        }
        let single = self.un(code, 32, self.un(Op::FCvt, 32, x.0));
        self.un(Op::FCvt, 16, single)
    }

    fn libm2(&self, id: u8, x: Pair, y: Pair) -> Value {
        let code = Code { op: Op::Libm2, aux: id };
        if x.1.ty().scalar_width() != Some(16) {
            return self.bin_labels(code, x, y);
        }
        let single = self.env.context.single();
        let wide = |p: Pair| (self.un(Op::FCvt, 32, p.0), self.env.b.fcast(p.1, single));
        self.un(Op::FCvt, 16, self.bin_labels(code, wide(x), wide(y)))
    }
}

/// A constant of an integer type: the highest bit `sign`, all others `rest`.
fn mask(ty: Type, sign: u64, rest: u64) -> Value {
    let width = ty.scalar_width().unwrap_or(64);
    let mut words = vec![rest.wrapping_neg(); width.div_ceil(64) as usize];
    let top = (width - 1) % 64;
    if let Some(last) = words.last_mut() {
        *last = (*last & ((1 << top) - 1)) | sign << top;
    }
    ty.int_of_words(&words)
}
