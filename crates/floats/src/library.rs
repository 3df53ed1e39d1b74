//! The machine's mathematics library.
//!
//! The functions are pure but for `errno`, and for `signgam`, which `lgamma` sets and nothing here reads.

use crate::cube_root;
use crate::extended::{Memory, load, value};
use crate::format::Format;
use std::arch::asm;

/// A function that takes and gives `long double`, which Rust has no type for: only its address is used.
type Extended = unsafe extern "C" fn();

/// A function of one operand in each format.
struct Unary {
    name: &'static str,
    double: extern "C" fn(f64) -> f64,
    single: extern "C" fn(f32) -> f32,
    extended: Extended,
}

/// A function of two operands in each format.
struct Binary {
    name: &'static str,
    double: extern "C" fn(f64, f64) -> f64,
    single: extern "C" fn(f32, f32) -> f32,
    extended: Extended,
}

/// Declares the functions, and tables of them in the order of `trace_abi::libm::TABLE`.
macro_rules! functions {
    ($($one:ident $one_f:ident $one_l:ident,)+; $($two:ident $two_f:ident $two_l:ident,)+) => {
        // These are functions of the C library with these types.
        #[link(name = "m")]
        unsafe extern "C" {
            $(
                safe fn $one(x: f64) -> f64;
                safe fn $one_f(x: f32) -> f32;
                fn $one_l();
            )+
            $(
                safe fn $two(x: f64, y: f64) -> f64;
                safe fn $two_f(x: f32, y: f32) -> f32;
                fn $two_l();
            )+
            safe fn scalbn(x: f64, n: i32) -> f64;
            safe fn scalbnf(x: f32, n: i32) -> f32;
            fn scalbnl();
            fn fmal();
            fn fmodl();
        }

        const UNARY: &[Unary] = &[
            $(Unary { name: stringify!($one), double: $one, single: $one_f, extended: $one_l },)+
        ];
        const BINARY: &[Binary] = &[
            $(Binary { name: stringify!($two), double: $two, single: $two_f, extended: $two_l },)+
            Binary { name: "scalbn", double: scalbn64, single: scalbn32, extended: scalbnl },
        ];
    };
}

functions! {
    sin sinf sinl,
    cos cosf cosl,
    tan tanf tanl,
    asin asinf asinl,
    acos acosf acosl,
    atan atanf atanl,
    sinh sinhf sinhl,
    cosh coshf coshl,
    tanh tanhf tanhl,
    asinh asinhf asinhl,
    acosh acoshf acoshl,
    atanh atanhf atanhl,
    exp expf expl,
    exp2 exp2f exp2l,
    exp10 exp10f exp10l,
    expm1 expm1f expm1l,
    log logf logl,
    log2 log2f log2l,
    log10 log10f log10l,
    log1p log1pf log1pl,
    cbrt cbrtf cbrtl,
    erf erff erfl,
    erfc erfcf erfcl,
    tgamma tgammaf tgammal,
    lgamma lgammaf lgammal,
    j0 j0f j0l,
    j1 j1f j1l,
    y0 y0f y0l,
    y1 y1f y1l,
    logb logbf logbl,
;
    pow powf powl,
    atan2 atan2f atan2l,
    hypot hypotf hypotl,
    remainder remainderf remainderl,
    nextafter nextafterf nextafterl,
    fdim fdimf fdiml,
}

/// `scalbn` with its exponent as a float.
extern "C" fn scalbn64(x: f64, n: f64) -> f64 {
    scalbn(x, n as i32)
}

/// `scalbnf` with its exponent as a float.
extern "C" fn scalbn32(x: f32, n: f32) -> f32 {
    scalbnf(x, n as i32)
}

/// The one-operand function with index `id` in the table.
pub(crate) fn unary(id: u8, format: Format, a: u128) -> u128 {
    let f = &UNARY[usize::from(id)];
    debug_assert_eq!(trace_abi::libm::TABLE[usize::from(id)].name, f.name);
    let cube_root = f.name == "cbrt";
    match format {
        Format::Single if cube_root => cube_root::SINGLE(f32::from_bits(a as u32)).to_bits().into(),
        Format::Double if cube_root => cube_root::DOUBLE(f64::from_bits(a as u64)).to_bits().into(),
        Format::Single => (f.single)(f32::from_bits(a as u32)).to_bits().into(),
        Format::Double => (f.double)(f64::from_bits(a as u64)).to_bits().into(),
        Format::Extended => call(f.extended, [a, 0, 0]),
        Format::Half => panic!("the library has no functions on halves"),
    }
}

/// The two-operand function with index `id` in the table.
pub(crate) fn binary(id: u8, format: Format, a: u128, b: u128) -> u128 {
    let f = &BINARY[usize::from(id) - UNARY.len()];
    debug_assert_eq!(trace_abi::libm::TABLE[usize::from(id)].name, f.name);
    match format {
        Format::Single => (f.single)(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
        Format::Double => (f.double)(f64::from_bits(a as u64), f64::from_bits(b as u64)).to_bits().into(),
        Format::Extended if f.name == "scalbn" => scalbn_extended(a, b),
        Format::Extended => call(f.extended, [a, b, 0]),
        Format::Half => panic!("the library has no functions on halves"),
    }
}

/// `fmal`.
pub(crate) fn fused_extended(a: u128, b: u128, c: u128) -> u128 {
    call(fmal, [a, b, c])
}

/// `fmodl`.
pub(crate) fn remainder_extended(a: u128, b: u128) -> u128 {
    call(fmodl, [a, b, 0])
}

/// `scalbnl` with its exponent as a float.
fn scalbn_extended(x: u128, n: u128) -> u128 {
    let n = f64::from_bits(crate::format::convert(Format::Extended, Format::Double, n) as u64) as i32;
    let x = load(x);
    let mut result: Memory = [0; 16];
    // SAFETY: the callee takes a `long double` on the stack and an `int` in `edi`, and gives its result in `st(0)`; ten
    // bytes are read at `x` and written at `result`. The stack pointer is aligned before the call and restored after it.
    unsafe {
        asm!(
            "sub rsp, 16", "fld tbyte ptr [r12]", "fstp tbyte ptr [rsp]", "call {f}", "fstp tbyte ptr [r14]", "add rsp, 16",
            f = sym scalbnl, in("edi") n, in("r12") &x, in("r14") &mut result, clobber_abi("C"),
        );
    }
    value(&result)
}

/// Calls a function of up to three `long double` operands.
fn call(f: Extended, operands: [u128; 3]) -> u128 {
    let operands = operands.map(load);
    let mut result: Memory = [0; 16];
    // SAFETY: the callee takes its operands from the stack (it ignores those it does not take) and gives its result in
    // `st(0)`; 48 bytes are read at `operands`, ten written at `result`. The stack pointer is aligned before the call and
    // restored after it; the registers used are preserved by the callee.
    unsafe {
        asm!(
            "sub rsp, 48",
            "fld tbyte ptr [r12]", "fstp tbyte ptr [rsp]",
            "fld tbyte ptr [r12 + 16]", "fstp tbyte ptr [rsp + 16]",
            "fld tbyte ptr [r12 + 32]", "fstp tbyte ptr [rsp + 32]",
            "call r13",
            "fstp tbyte ptr [r14]",
            "add rsp, 48",
            in("r12") &operands, in("r13") f, in("r14") &mut result, clobber_abi("C"),
        );
    }
    value(&result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_those_of_the_trace() {
        let ours = UNARY.iter().map(|f| (f.name, 1)).chain(BINARY.iter().map(|f| (f.name, 2)));
        let theirs: Vec<(&str, u8)> = trace_abi::libm::TABLE.iter().map(|f| (f.name, f.arity)).collect();
        assert_eq!(ours.collect::<Vec<_>>(), theirs);
    }

    #[test]
    fn long_doubles_reach_the_library() {
        let number = |x: u64| crate::format::pack(Format::Extended, false, x.into(), 0);
        let id = |name| trace_abi::libm::by_name(name).unwrap();
        assert_eq!(binary(id("pow"), Format::Extended, number(3), number(7)), number(2187));
        assert_eq!(unary(id("cbrt"), Format::Extended, number(27)), number(3));
        assert_eq!(binary(id("scalbn"), Format::Extended, number(5), number(4)), number(80));
        assert_eq!(fused_extended(number(5), number(6), number(7)), number(37));
        assert_eq!(remainder_extended(number(17), number(5)), number(2));
    }
}
