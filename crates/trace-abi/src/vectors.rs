//! Vector instructions of x86-64 without a form of their own in LLVM's language: the runtime composes their labels.
//!
//! All work alike on every 128 bits of their operands where those are wider.

macro_rules! vectors {
    ($($(#[doc = $doc:literal])+ $name:ident = $num:literal, [$($intrinsic:literal),+];)+) => {
        /// A family of vector instructions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Vector { $($(#[doc = $doc])+ $name = $num,)+ }

        impl Vector {
            /// Every family.
            pub const ALL: &'static [Vector] = &[$(Vector::$name,)+];

            /// The family with this number, or `None`.
            pub const fn from_u32(n: u32) -> Option<Vector> {
                match n { $($num => Some(Vector::$name),)+ _ => None }
            }

            /// The family of an intrinsic, by its name after `llvm.x86.`.
            pub fn by_intrinsic(name: &str) -> Option<Vector> {
                match name { $($($intrinsic)|+ => Some(Vector::$name),)+ _ => None }
            }
        }
    };
}

vectors! {
    /// Sums of absolute differences of eight bytes each.
    SumOfDifferences = 1, ["sse2.psad.bw", "avx2.psad.bw"];
    /// Lanes of two vectors, halved in width with signed saturation.
    PackSigned = 2, ["sse2.packsswb.128", "sse2.packssdw.128", "avx2.packsswb", "avx2.packssdw"];
    /// The same from signed to unsigned.
    PackUnsigned = 3, ["sse2.packuswb.128", "sse41.packusdw", "avx2.packuswb", "avx2.packusdw"];
    /// Bytes chosen by the low four bits of a control byte; zero where its highest bit is set.
    ShuffleBytes = 4, ["ssse3.pshuf.b.128", "avx2.pshuf.b"];
    /// High halves of signed products.
    MultiplyHighSigned = 5, ["sse2.pmulh.w", "avx2.pmulh.w"];
    /// High halves of unsigned products.
    MultiplyHighUnsigned = 6, ["sse2.pmulhu.w", "avx2.pmulhu.w"];
    /// Signed products, rounded and scaled: bits 15 to 30.
    MultiplyHighRounded = 7, ["ssse3.pmul.hr.sw.128", "avx2.pmul.hr.sw"];
    /// Sums of two neighbouring signed products.
    MultiplyAdd = 8, ["sse2.pmadd.wd", "avx2.pmadd.wd"];
    /// Sums of two neighbouring products of unsigned and signed bytes, saturated.
    MultiplyAddBytes = 9, ["ssse3.pmadd.ub.sw.128", "avx2.pmadd.ub.sw"];
    /// Rounded averages of unsigned lanes.
    Average = 10, ["sse2.pavg.b", "sse2.pavg.w", "avx2.pavg.b", "avx2.pavg.w"];
    /// All lanes shifted left by one count.
    ShiftLeft = 11, ["sse2.pslli.w", "sse2.pslli.d", "sse2.pslli.q", "sse2.psll.w", "sse2.psll.d", "sse2.psll.q",
        "avx2.pslli.w", "avx2.pslli.d", "avx2.pslli.q", "avx2.psll.w", "avx2.psll.d", "avx2.psll.q"];
    /// All lanes shifted right by one count, zeros from above.
    ShiftRight = 12, ["sse2.psrli.w", "sse2.psrli.d", "sse2.psrli.q", "sse2.psrl.w", "sse2.psrl.d", "sse2.psrl.q",
        "avx2.psrli.w", "avx2.psrli.d", "avx2.psrli.q", "avx2.psrl.w", "avx2.psrl.d", "avx2.psrl.q"];
    /// All lanes shifted right by one count, signs from above.
    ShiftRightSigned = 13, ["sse2.psrai.w", "sse2.psrai.d", "sse2.psra.w", "sse2.psra.d",
        "avx2.psrai.w", "avx2.psrai.d", "avx2.psra.w", "avx2.psra.d"];
    /// Sums of neighbouring lanes.
    AddNeighbours = 14, ["ssse3.phadd.w.128", "ssse3.phadd.d.128", "avx2.phadd.w", "avx2.phadd.d"];
    /// Differences of neighbouring lanes.
    SubtractNeighbours = 15, ["ssse3.phsub.w.128", "ssse3.phsub.d.128", "avx2.phsub.w", "avx2.phsub.d"];
    /// Lanes negated, kept or cleared by the sign of others.
    Sign = 16, ["ssse3.psign.b.128", "ssse3.psign.w.128", "ssse3.psign.d.128", "avx2.psign.b", "avx2.psign.w", "avx2.psign.d"];
    /// A step of CRC-32C (polynomial 0x1EDC6F41, reflected) over an integer.
    Crc32 = 17, ["sse42.crc32.32.8", "sse42.crc32.32.16", "sse42.crc32.32.32", "sse42.crc32.64.64"];
    /// The carry-less product of one 64-bit lane of each operand.
    CarryLess = 18, ["pclmulqdq"];
    /// Each lane shifted left by its own count.
    ShiftEachLeft = 19, ["avx2.psllv.d", "avx2.psllv.q", "avx2.psllv.d.256", "avx2.psllv.q.256"];
    /// Each lane shifted right by its own count, zeros from above.
    ShiftEachRight = 20, ["avx2.psrlv.d", "avx2.psrlv.q", "avx2.psrlv.d.256", "avx2.psrlv.q.256"];
    /// Each lane shifted right by its own count, signs from above.
    ShiftEachRightSigned = 21, ["avx2.psrav.d", "avx2.psrav.d.256"];
    /// Whether the bits of two vectors have none in common (operand 0 and operand 1).
    NoneInCommon = 22, ["sse41.ptestz", "avx.ptestz.256"];
    /// Whether operand 1 has only bits that operand 0 has.
    Contained = 23, ["sse41.ptestc", "avx.ptestc.256"];
}

/// An operand, or the result, of a vector instruction, as the runtime is told of it: on the stack of instrumented code.
#[derive(Debug)]
#[repr(C)]
pub struct Lanes {
    /// The lanes, side by side, little-endian.
    pub values: *const u8,
    /// One label for each lane; of the result: where to write them.
    pub labels: *mut u32,
    /// Number of lanes.
    pub count: u32,
    /// Bits of a lane: 8, 16, 32 or 64.
    pub width: u32,
}
/// Size of [`Lanes`].
pub const LANES_SIZE: u64 = 24;
/// Most operands of a vector instruction.
pub const MAX_LANES_OPERANDS: usize = 3;
