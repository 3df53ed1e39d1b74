//! Operations of the symbolic expressions, shared by the trace and by crate `expr`.

/// How many operands an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// No operand: an input byte or a constant.
    Leaf,
    /// One operand.
    Unary,
    /// Two operands.
    Binary,
    /// Three operands.
    Ternary,
}

macro_rules! ops {
    ($($(#[doc = $doc:literal])+ $name:ident = $num:literal, $arity:ident;)+) => {
        /// One operation on bit-vectors. `w` below is the node's result width in bits; arithmetic wraps
        /// modulo 2^w; a Boolean is a bit-vector of width 1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op { $($(#[doc = $doc])+ $name = $num,)+ }

        impl Op {
            /// Every operation, in numeric order.
            pub const ALL: &'static [Op] = &[$(Op::$name,)+];

            /// The operation with this number, or `None` if there is none.
            pub const fn from_u8(n: u8) -> Option<Op> {
                match n { $($num => Some(Op::$name),)+ _ => None }
            }

            /// Number of operands.
            pub const fn arity(self) -> Arity {
                match self { $(Op::$name => Arity::$arity,)+ }
            }

            /// Name as written in text forms of expressions.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name),)+ }
            }
        }
    };
}

ops! {
    /// Input byte: `a` = object index << 32 | byte offset; width 8.
    Input = 1, Leaf;
    /// Constant of width at most 128: `a` = low 64 bits, `b` = high 64 bits. Wider ones are `Concat`s.
    Const = 2, Leaf;

    /// `l + r`.
    Add = 10, Binary;
    /// `l - r`.
    Sub = 11, Binary;
    /// `l * r`.
    Mul = 12, Binary;
    /// Unsigned quotient. Division by zero does not occur in a trace; its value is all ones (SMT-LIB).
    UDiv = 13, Binary;
    /// Signed quotient, truncated towards zero; by zero as SMT-LIB's `bvsdiv`.
    SDiv = 14, Binary;
    /// Unsigned remainder; by zero: the dividend (SMT-LIB).
    URem = 15, Binary;
    /// Signed remainder, sign of the dividend; by zero: the dividend (SMT-LIB).
    SRem = 16, Binary;
    /// Shift left; a count of w or more gives 0.
    Shl = 17, Binary;
    /// Logical shift right; a count of w or more gives 0.
    LShr = 18, Binary;
    /// Arithmetic shift right; a count of w or more gives the sign everywhere.
    AShr = 19, Binary;
    /// Bitwise and.
    And = 20, Binary;
    /// Bitwise or.
    Or = 21, Binary;
    /// Bitwise exclusive or.
    Xor = 22, Binary;
    /// Unsigned minimum.
    UMin = 23, Binary;
    /// Unsigned maximum.
    UMax = 24, Binary;
    /// Signed minimum.
    SMin = 25, Binary;
    /// Signed maximum.
    SMax = 26, Binary;
    /// Unsigned saturating addition.
    UAddSat = 27, Binary;
    /// Signed saturating addition.
    SAddSat = 28, Binary;
    /// Unsigned saturating subtraction.
    USubSat = 29, Binary;
    /// Signed saturating subtraction.
    SSubSat = 30, Binary;

    /// Equal; result width 1, as for every comparison and overflow test below.
    Eq = 40, Binary;
    /// Not equal.
    Ne = 41, Binary;
    /// Unsigned less than.
    Ult = 42, Binary;
    /// Unsigned less or equal.
    Ule = 43, Binary;
    /// Signed less than.
    Slt = 44, Binary;
    /// Signed less or equal.
    Sle = 45, Binary;
    /// Unsigned addition overflows.
    UAddO = 46, Binary;
    /// Signed addition overflows.
    SAddO = 47, Binary;
    /// Unsigned subtraction overflows (borrows).
    USubO = 48, Binary;
    /// Signed subtraction overflows.
    SSubO = 49, Binary;
    /// Unsigned multiplication overflows.
    UMulO = 50, Binary;
    /// Signed multiplication overflows.
    SMulO = 51, Binary;

    /// The low w bits of `l`.
    Trunc = 60, Unary;
    /// `l` extended with zeros to w bits.
    ZExt = 61, Unary;
    /// `l` extended with its sign to w bits.
    SExt = 62, Unary;
    /// Bits `a` .. `a + w` of `l` (bit 0 is the lowest).
    Extract = 63, Unary;
    /// `l` above `r`: the width is the sum of both.
    Concat = 64, Binary;

    /// Number of ones.
    Ctpop = 70, Unary;
    /// Leading zeros; w for zero.
    Ctlz = 71, Unary;
    /// Trailing zeros; w for zero.
    Cttz = 72, Unary;
    /// Bytes reversed; w is a multiple of 16 (or 8).
    Bswap = 73, Unary;
    /// Bits reversed.
    Bitreverse = 74, Unary;
    /// Absolute value; the most negative number stays.
    Abs = 75, Unary;

    /// `l` (width 1) ? `r` : `t`.
    Ite = 80, Ternary;
    /// High w bits of `l:r` shifted left by `t mod w`.
    Fshl = 81, Ternary;
    /// Low w bits of `l:r` shifted right by `t mod w`.
    Fshr = 82, Ternary;

    /// Read of w/8 bytes, little-endian, from the [`crate::TableHeader`] at table offset `a`, at the
    /// address `l` (width 64). An address outside the table reads zero; a bounds event guards it.
    Read = 90, Unary;
}

impl Op {
    /// A comparison or overflow test: the result has width 1, the operands share another width.
    pub const fn is_predicate(self) -> bool {
        let n = self as u8;
        n >= Op::Eq as u8 && n <= Op::SMulO as u8
    }

    /// Operands and result have the same width.
    pub const fn is_same_width(self) -> bool {
        let n = self as u8;
        (n >= Op::Add as u8 && n <= Op::SSubSat as u8) || (n >= Op::Ctpop as u8 && n <= Op::Abs as u8)
    }
}
