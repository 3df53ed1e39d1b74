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
            #[inline(always)]
            pub const fn from_u8(n: u8) -> Option<Op> {
                BY_NUMBER[n as usize]
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

        /// Operations by number: looked up for every node that is made.
        static BY_NUMBER: [Option<Op>; 256] = {
            let mut all = [None; 256];
            $(all[$num] = Some(Op::$name);)+
            all
        };
    };
}

ops! {
    /// Input byte: `a` = object index << 32 | byte offset; width 8.
    Input = 1, Leaf;
    /// Constant of width at most 128 whose bits from 64 on are zero: `a` = low 64 bits. Others are `Concat`s.
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

    // Floating point. A float is a bit-vector of its format's width: 16 (IEEE half), 32 (single), 64 (double) or 80
    // (x87 extended, 64-bit precision). Operations round to nearest even; what they give is what compiled code gives on
    // x86-64 with SSE2 and the x87, to the bit: see crate `floats`, which is their meaning. The result that is not a number
    // is the first operand that is none, made quiet, else the default one, whose sign bit is set.
    /// Float sum.
    FAdd = 100, Binary;
    /// Float difference.
    FSub = 101, Binary;
    /// Float product.
    FMul = 102, Binary;
    /// Float quotient.
    FDiv = 103, Binary;
    /// Float remainder, as C's `fmod`.
    FRem = 104, Binary;
    /// A two-operand function of the C library: `aux` is its index in [`crate::libm::TABLE`]; width 32, 64 or 80.
    Libm2 = 105, Binary;

    /// Equal as floats (ordered: false where an operand is not a number); result width 1, as for the next three.
    FEq = 110, Binary;
    /// Less than (ordered).
    FLt = 111, Binary;
    /// Less or equal (ordered).
    FLe = 112, Binary;
    /// Unordered: an operand is not a number.
    FUno = 113, Binary;

    /// Float square root.
    FSqrt = 120, Unary;
    /// Rounded to an integer in the same format; `aux` is the direction: see [`crate::rounding`].
    FRound = 121, Unary;
    /// A one-operand function of the C library, as [`Op::Libm2`].
    Libm1 = 122, Unary;
    /// `l * r + t`, rounded once (in half: computed in single, then rounded to half, as compilers do).
    FFma = 125, Ternary;

    /// Float of the operand's width to float of width w.
    FCvt = 130, Unary;
    /// Signed integer (width at most 128) to float of width w.
    SToF = 131, Unary;
    /// Unsigned integer (width at most 128) to float of width w.
    UToF = 132, Unary;
    /// Float to signed integer of width w (at most 128), cut towards zero. Where C leaves the result undefined it is what
    /// scalar x86-64 code gives: crate `floats`, module `integer`.
    FToS = 133, Unary;
    /// Float to unsigned integer of width w, likewise.
    FToU = 134, Unary;
}

/// Directions of [`Op::FRound`], its `aux`.
pub mod rounding {
    /// To the nearest integer, halves to the even one (`rint`, `nearbyint`, `roundeven` in the default environment).
    pub const NEAREST_EVEN: u8 = 0;
    /// Towards zero (`trunc`).
    pub const TOWARD_ZERO: u8 = 1;
    /// Up (`ceil`).
    pub const UP: u8 = 2;
    /// Down (`floor`).
    pub const DOWN: u8 = 3;
    /// To the nearest integer, halves away from zero (`round`).
    pub const NEAREST_AWAY: u8 = 4;
    /// Number of directions.
    pub const COUNT: u8 = 5;
}

impl Op {
    /// A comparison or overflow test: the result has width 1, the operands share another width.
    pub const fn is_predicate(self) -> bool {
        let n = self as u8;
        (n >= Op::Eq as u8 && n <= Op::SMulO as u8) || (n >= Op::FEq as u8 && n <= Op::FUno as u8)
    }

    /// Operands and result have the same width.
    pub const fn is_same_width(self) -> bool {
        let n = self as u8;
        (n >= Op::Add as u8 && n <= Op::SSubSat as u8)
            || (n >= Op::Ctpop as u8 && n <= Op::Abs as u8)
            || (n >= Op::FAdd as u8 && n <= Op::Libm2 as u8)
            || (n >= Op::FSqrt as u8 && n <= Op::FFma as u8)
    }

    /// Some operand, or the result, is a float.
    pub const fn is_float(self) -> bool {
        self as u8 >= Op::FAdd as u8 && self as u8 <= Op::FToU as u8
    }

    /// The node's `aux` has a meaning (it is 0 for the others).
    pub const fn has_aux(self) -> bool {
        matches!(self, Op::FRound | Op::Libm1 | Op::Libm2)
    }
}
