//! Types of generated expressions and their names in C.

/// Type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `_Bool`.
    Bool,
    /// An integer of a standard width (8 to 128).
    Int {
        /// Its width.
        bits: u16,
        /// Whether it is signed.
        signed: bool,
    },
    /// `_BitInt(bits)`.
    BitInt {
        /// Its width.
        bits: u16,
        /// Whether it is signed.
        signed: bool,
    },
    /// A float of 16, 32, 64 or 80 bits.
    Float(u16),
    /// A vector: index into [`VECTORS`].
    Vector(usize),
}

/// Vector types of the prelude: lanes and their type.
pub const VECTORS: &[(usize, Ty)] = &[
    (16, Ty::int(8, false)),
    (16, Ty::int(8, true)),
    (8, Ty::int(16, false)),
    (8, Ty::int(16, true)),
    (4, Ty::int(32, false)),
    (4, Ty::int(32, true)),
    (2, Ty::int(64, false)),
    (2, Ty::int(64, true)),
    (8, Ty::int(32, false)),
    (8, Ty::int(32, true)),
    (4, Ty::Float(32)),
    (2, Ty::Float(64)),
];

/// `uint8_t`.
pub const U8: Ty = Ty::Int { bits: 8, signed: false };
/// `uint32_t`.
pub const U32: Ty = Ty::Int { bits: 32, signed: false };
/// `int32_t`.
pub const I32: Ty = Ty::Int { bits: 32, signed: true };
/// `int64_t`.
pub const I64: Ty = Ty::Int { bits: 64, signed: true };
/// `uint64_t`.
pub const U64: Ty = Ty::Int { bits: 64, signed: false };

impl Ty {
    /// The unsigned or signed integer of a standard width.
    pub const fn int(bits: u16, signed: bool) -> Ty {
        Ty::Int { bits, signed }
    }

    /// Its name in C, as the prelude defines it.
    pub fn name(self) -> String {
        match self {
            Ty::Bool => "_Bool".into(),
            Ty::Int { bits, signed } => format!("{}{bits}", if signed { 'i' } else { 'u' }),
            Ty::BitInt { bits, signed: true } => format!("_BitInt({bits})"),
            Ty::BitInt { bits, signed: false } => format!("unsigned _BitInt({bits})"),
            Ty::Float(bits) => format!("f{bits}"),
            Ty::Vector(k) => format!("v{}{}", VECTORS[k].0, VECTORS[k].1.name()),
        }
    }

    /// Width of its values in bits.
    pub const fn bits(self) -> u16 {
        match self {
            Ty::Bool => 1,
            Ty::Int { bits, .. } | Ty::BitInt { bits, .. } | Ty::Float(bits) => bits,
            Ty::Vector(k) => VECTORS[k].0 as u16 * VECTORS[k].1.bits(),
        }
    }

    /// Whether it is an integer (or `_Bool`).
    pub const fn is_int(self) -> bool {
        matches!(self, Ty::Bool | Ty::Int { .. } | Ty::BitInt { .. })
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::Float(_))
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Ty::Int { signed: true, .. } | Ty::BitInt { signed: true, .. })
    }

    /// The unsigned type in which its arithmetic wraps without undefined behaviour.
    pub const fn wrapping(self) -> Ty {
        match self {
            Ty::Int { bits, .. } if bits > 32 => Ty::int(bits, false),
            Ty::BitInt { bits, .. } => Ty::BitInt { bits, signed: false },
            _ => U32,
        }
    }

    /// The signed type whose sums, differences and products fit into this signed type.
    pub const fn half(self) -> Ty {
        match self {
            Ty::BitInt { bits, .. } if bits < 8 => Ty::BitInt { bits: 2, signed: true },
            Ty::BitInt { bits, .. } => Ty::BitInt { bits: bits / 2, signed: true },
            Ty::Int { bits: 8 | 16, .. } => self,
            _ => Ty::int(self.bits() / 2, true),
        }
    }

    /// Whether arithmetic promotes it to `int`, which holds all its sums, differences and (but for `u16`) products.
    pub const fn is_promoted(self) -> bool {
        matches!(self, Ty::Bool | Ty::Int { bits: 8 | 16, .. })
    }
}
