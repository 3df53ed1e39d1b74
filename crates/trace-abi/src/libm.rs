//! Functions of the C mathematics library that are operations ([`crate::Op::Libm1`], [`crate::Op::Libm2`]). Their meaning
//! is the machine's own library: the engine calls the very function that the program called.
//!
//! What is exact is not here but composed from other operations (`fabs`, `floor`, `sqrt`, `fma`, `fmod`, `copysign`, `fmin`, …).

/// A function of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name for doubles; in text forms too.
    pub name: &'static str,
    /// Number of operands, 1 or 2.
    pub arity: u8,
    /// Its symbols, for float, double and long double: [`WIDTHS`].
    pub symbols: [&'static str; 3],
}

/// Widths of the formats of [`Function::symbols`].
pub const WIDTHS: [u16; 3] = [32, 64, 80];

const fn f(name: &'static str, arity: u8, symbols: [&'static str; 3]) -> Function {
    Function { name, arity, symbols }
}

/// The functions; a node's `aux` is an index. `scalbn` takes its second operand, an `int` in C, as a float with that value
/// (`ldexp` is the same function; operands beyond `int`'s range, which no call has, count as its ends).
pub const TABLE: &[Function] = &[
    f("sin", 1, ["sinf", "sin", "sinl"]),
    f("cos", 1, ["cosf", "cos", "cosl"]),
    f("tan", 1, ["tanf", "tan", "tanl"]),
    f("asin", 1, ["asinf", "asin", "asinl"]),
    f("acos", 1, ["acosf", "acos", "acosl"]),
    f("atan", 1, ["atanf", "atan", "atanl"]),
    f("sinh", 1, ["sinhf", "sinh", "sinhl"]),
    f("cosh", 1, ["coshf", "cosh", "coshl"]),
    f("tanh", 1, ["tanhf", "tanh", "tanhl"]),
    f("asinh", 1, ["asinhf", "asinh", "asinhl"]),
    f("acosh", 1, ["acoshf", "acosh", "acoshl"]),
    f("atanh", 1, ["atanhf", "atanh", "atanhl"]),
    f("exp", 1, ["expf", "exp", "expl"]),
    f("exp2", 1, ["exp2f", "exp2", "exp2l"]),
    f("exp10", 1, ["exp10f", "exp10", "exp10l"]),
    f("expm1", 1, ["expm1f", "expm1", "expm1l"]),
    f("log", 1, ["logf", "log", "logl"]),
    f("log2", 1, ["log2f", "log2", "log2l"]),
    f("log10", 1, ["log10f", "log10", "log10l"]),
    f("log1p", 1, ["log1pf", "log1p", "log1pl"]),
    f("cbrt", 1, ["cbrtf", "cbrt", "cbrtl"]),
    f("erf", 1, ["erff", "erf", "erfl"]),
    f("erfc", 1, ["erfcf", "erfc", "erfcl"]),
    f("tgamma", 1, ["tgammaf", "tgamma", "tgammal"]),
    f("lgamma", 1, ["lgammaf", "lgamma", "lgammal"]),
    f("j0", 1, ["j0f", "j0", "j0l"]),
    f("j1", 1, ["j1f", "j1", "j1l"]),
    f("y0", 1, ["y0f", "y0", "y0l"]),
    f("y1", 1, ["y1f", "y1", "y1l"]),
    f("logb", 1, ["logbf", "logb", "logbl"]),
    f("pow", 2, ["powf", "pow", "powl"]),
    f("atan2", 2, ["atan2f", "atan2", "atan2l"]),
    f("hypot", 2, ["hypotf", "hypot", "hypotl"]),
    f("remainder", 2, ["remainderf", "remainder", "remainderl"]),
    f("nextafter", 2, ["nextafterf", "nextafter", "nextafterl"]),
    f("fdim", 2, ["fdimf", "fdim", "fdiml"]),
    f("scalbn", 2, ["scalbnf", "scalbn", "scalbnl"]),
];

/// The function with this symbol and the width of its format.
pub fn by_symbol(symbol: &str) -> Option<(u8, u16)> {
    TABLE.iter().enumerate().find_map(|(id, f)| {
        let k = f.symbols.iter().position(|s| *s == symbol)?;
        Some((id as u8, WIDTHS[k]))
    })
}

/// The function of this name.
pub fn by_name(name: &str) -> Option<u8> {
    TABLE.iter().position(|f| f.name == name).map(|id| id as u8)
}

/// Whether `aux` is a function of so many operands.
pub fn has_arity(aux: u64, arity: u8) -> bool {
    usize::try_from(aux).ok().and_then(|id| TABLE.get(id)).is_some_and(|f| f.arity == arity)
}
