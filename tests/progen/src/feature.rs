//! What generated programs contain, by name: for the options that switch it off and for the counts of the summary.

macro_rules! features {
    ($($name:ident $text:literal,)+) => {
        /// A part of the language or library.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Feature { $(
            #[doc = $text]
            $name,
        )+ }
        impl Feature {
            /// All of them.
            pub const ALL: &'static [Feature] = &[$(Feature::$name,)+];
            /// Its name in options and summaries.
            pub const fn name(self) -> &'static str { match self { $(Feature::$name => $text,)+ } }
        }
    };
}

features! {
    Division "division",
    Shift "shift",
    Compare "compare",
    Ternary "ternary",
    Bool "bool",
    Int128 "int128",
    BitInt "bitint",
    Builtin "builtin",
    Overflow "overflow",
    Float16 "float16",
    Float32 "float",
    Float64 "double",
    Float80 "long-double",
    IntToFloat "int-to-float",
    FloatToInt "float-to-int",
    FloatToFloat "float-to-float",
    FloatBits "float-bits",
    FloatCompare "float-compare",
    Classify "classify",
    Rounding "rounding",
    Fma "fma",
    MinMax "float-min-max",
    Libm "libm",
    Libm80 "libm-long-double",
    Vector "vector",
    VectorFloat "vector-float",
    VectorLane "vector-lane",
    Array "array",
    SymbolicLoad "symbolic-load",
    SymbolicStore "symbolic-store",
    ConstTable "const-table",
    Global "global",
    Struct "struct",
    BitField "bit-field",
    Packed "packed",
    Union "union",
    ByValue "by-value",
    Pointer "pointer",
    Memory "memcpy-memset",
    Unaligned "unaligned",
    Heap "heap",
    Vla "vla",
    Call "call",
    Recursion "recursion",
    FunctionPointer "function-pointer",
    Varargs "varargs",
    If "if",
    Loop "loop",
    SymbolicLoop "symbolic-loop",
    Switch "switch",
    Goto "goto",
    ComputedGoto "computed-goto",
    Setjmp "setjmp",
    Atomics "atomics",
    Strings "strings",
    Ctype "ctype",
    Numbers "numbers-from-text",
    Print "numbers-to-text",
    Sort "sort-search",
}

impl Feature {
    /// The feature of this name.
    pub fn named(name: &str) -> Option<Feature> {
        Feature::ALL.iter().copied().find(|f| f.name() == name)
    }
}
