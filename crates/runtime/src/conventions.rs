//! The functions of the input conventions, under their own names: `spelunk.h`, CREST, KLEE, SV-COMP.
//!
//! All are weak: a program that brings its own definition (SV-COMP programs often define `reach_error`) keeps it. Stable
//! Rust has no weak symbols, so each name is a weak jump in assembly to its Rust function.

#![cfg_attr(
    not(spelunk_staticlib),
    expect(dead_code, reason = "reached by their C names only, inside a tested program")
)]

use crate::libc::{self, c_char, c_int, c_void};
use crate::values::{argument_label, ask, name_or, scalar};
use crate::{assume, message, sys, tls};
use trace_abi::ValueType;

/// Defines `$name` as a weak symbol that jumps to `$to`.
macro_rules! weak {
    ($name:literal, $to:path) => {
        #[cfg(spelunk_staticlib)]
        core::arch::global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",@progbits"),
            concat!(".weak ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            "jmp {to}",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            to = sym $to,
        );
    };
}

/// The address by which callers know `$name`.
macro_rules! address {
    ($name:literal) => {{
        let p: usize;
        // SAFETY: reads the address of a symbol from the table of addresses.
        #[cfg(spelunk_staticlib)]
        unsafe {
            core::arch::asm!(
                concat!("mov {p}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                p = out(reg) p,
                options(nostack, pure, readonly),
            )
        };
        #[cfg(not(spelunk_staticlib))]
        {
            p = 0;
        }
        p
    }};
}

/// Functions that return a value of their type.
macro_rules! returning {
    ($($name:literal, $fun:ident, $ty:ty, $kind:ident, $label:literal;)+) => {$(
        extern "C" fn $fun() -> $ty {
            scalar(ValueType::$kind, $label)
        }
        weak!($name, $fun);
    )+};
}

/// Functions that return a value of their type under the name they are given.
macro_rules! named {
    ($($name:literal, $fun:ident, $ty:ty, $kind:ident, $label:literal;)+) => {$(
        unsafe extern "C" fn $fun(name: *const c_char) -> $ty {
            // SAFETY: the caller passes a C string or null.
            scalar(ValueType::$kind, unsafe { name_or(name, $label) })
        }
        weak!($name, $fun);
    )+};
}

/// CREST's functions: they fill the variable they are given.
macro_rules! filling {
    ($($name:literal, $fun:ident, $ty:ty, $kind:ident;)+) => {$(
        unsafe extern "C" fn $fun(to: *mut $ty) {
            // SAFETY: the caller passes a variable of this type.
            unsafe { ask(to.cast(), size_of::<$ty>(), ValueType::$kind, b"") };
        }
        weak!($name, $fun);
    )+};
}

returning! {
    "__VERIFIER_nondet_char", nondet_char, i8, Signed, b"char";
    "__VERIFIER_nondet_schar", nondet_schar, i8, Signed, b"schar";
    "__VERIFIER_nondet_short", nondet_short, i16, Signed, b"short";
    "__VERIFIER_nondet_int", nondet_int, i32, Signed, b"int";
    "__VERIFIER_nondet_pthread_t", nondet_pthread_t, i32, Signed, b"pthread_t";
    "__VERIFIER_nondet_long", nondet_long, i64, Signed, b"long";
    "__VERIFIER_nondet_longlong", nondet_longlong, i64, Signed, b"longlong";
    "__VERIFIER_nondet_loff_t", nondet_loff_t, i64, Signed, b"loff_t";
    "__VERIFIER_nondet_int128", nondet_int128, i128, Signed, b"int128";
    "__VERIFIER_nondet_uchar", nondet_uchar, u8, Unsigned, b"uchar";
    "__VERIFIER_nondet_unsigned_char", nondet_unsigned_char, u8, Unsigned, b"unsigned_char";
    "__VERIFIER_nondet_u8", nondet_u8, u8, Unsigned, b"u8";
    "__VERIFIER_nondet_ushort", nondet_ushort, u16, Unsigned, b"ushort";
    "__VERIFIER_nondet_unsigned_short", nondet_unsigned_short, u16, Unsigned, b"unsigned_short";
    "__VERIFIER_nondet_u16", nondet_u16, u16, Unsigned, b"u16";
    "__VERIFIER_nondet_uint", nondet_uint, u32, Unsigned, b"uint";
    "__VERIFIER_nondet_unsigned", nondet_unsigned, u32, Unsigned, b"unsigned";
    "__VERIFIER_nondet_unsigned_int", nondet_unsigned_int, u32, Unsigned, b"unsigned_int";
    "__VERIFIER_nondet_u32", nondet_u32, u32, Unsigned, b"u32";
    "__VERIFIER_nondet_sector_t", nondet_sector_t, u32, Unsigned, b"sector_t";
    "__VERIFIER_nondet_ulong", nondet_ulong, u64, Unsigned, b"ulong";
    "__VERIFIER_nondet_unsigned_long", nondet_unsigned_long, u64, Unsigned, b"unsigned_long";
    "__VERIFIER_nondet_ulonglong", nondet_ulonglong, u64, Unsigned, b"ulonglong";
    "__VERIFIER_nondet_size_t", nondet_size_t, u64, Unsigned, b"size_t";
    "__VERIFIER_nondet_pointer", nondet_pointer, u64, Unsigned, b"pointer";
    "__VERIFIER_nondet_pchar", nondet_pchar, u64, Unsigned, b"pchar";
    "__VERIFIER_nondet_uint128", nondet_uint128, u128, Unsigned, b"uint128";
    "__VERIFIER_nondet_float", nondet_float, f32, Float, b"float";
    "__VERIFIER_nondet_double", nondet_double, f64, Float, b"double";
    "__VERIFIER_nondet_bool", nondet_bool, u8, Bool, b"bool";
    "__VERIFIER_nondet__Bool", nondet_bool_c99, u8, Bool, b"_Bool";
}

named! {
    "spelunk_char", spelunk_char, i8, Signed, b"char";
    "spelunk_short", spelunk_short, i16, Signed, b"short";
    "spelunk_int", spelunk_int, i32, Signed, b"int";
    "spelunk_long", spelunk_long, i64, Signed, b"long";
    "spelunk_longlong", spelunk_longlong, i64, Signed, b"longlong";
    "spelunk_uchar", spelunk_uchar, u8, Unsigned, b"uchar";
    "spelunk_ushort", spelunk_ushort, u16, Unsigned, b"ushort";
    "spelunk_uint", spelunk_uint, u32, Unsigned, b"uint";
    "spelunk_ulong", spelunk_ulong, u64, Unsigned, b"ulong";
    "spelunk_ulonglong", spelunk_ulonglong, u64, Unsigned, b"ulonglong";
    "spelunk_float", spelunk_float, f32, Float, b"float";
    "spelunk_double", spelunk_double, f64, Float, b"double";
    "spelunk_bool", spelunk_bool, u8, Bool, b"bool";
}

filling! {
    "__CrestUChar", crest_uchar, u8, Unsigned;
    "__CrestUShort", crest_ushort, u16, Unsigned;
    "__CrestUInt", crest_uint, u32, Unsigned;
    "__CrestULong", crest_ulong, u64, Unsigned;
    "__CrestULongLong", crest_ulonglong, u64, Unsigned;
    "__CrestChar", crest_char, i8, Signed;
    "__CrestShort", crest_short, i16, Signed;
    "__CrestInt", crest_int, i32, Signed;
    "__CrestLong", crest_long, i64, Signed;
    "__CrestLongLong", crest_longlong, i64, Signed;
    "__CrestFloat", crest_float, f32, Float;
    "__CrestDouble", crest_double, f64, Float;
}

unsafe extern "C" fn spelunk_bytes(to: *mut c_void, len: usize, name: *const c_char) {
    // SAFETY: the caller passes an object of that length and a name or null.
    unsafe { ask(to.cast(), len, ValueType::Bytes, name_or(name, b"bytes")) };
}
weak!("spelunk_bytes", spelunk_bytes);

unsafe extern "C" fn klee_make_symbolic(to: *mut c_void, len: usize, name: *const c_char) {
    // SAFETY: as above.
    unsafe { ask(to.cast(), len, ValueType::Bytes, name_or(name, b"unnamed")) };
}
weak!("klee_make_symbolic", klee_make_symbolic);

unsafe extern "C" fn nondet_memory(to: *mut c_void, len: usize) {
    // SAFETY: the caller passes an object of that length.
    unsafe { ask(to.cast(), len, ValueType::Bytes, b"memory") };
}
weak!("__VERIFIER_nondet_memory", nondet_memory);

/// `int klee_int(name)`.
unsafe extern "C" fn klee_int(name: *const c_char) -> c_int {
    // SAFETY: the caller passes a C string or null.
    scalar(ValueType::Signed, unsafe { name_or(name, b"int") })
}
weak!("klee_int", klee_int);

/// `int klee_range(begin, end, name)`: a value with begin <= value < end.
unsafe extern "C" fn klee_range(begin: c_int, end: c_int, name: *const c_char) -> c_int {
    // SAFETY: the caller passes a C string or null.
    let v: c_int = scalar(ValueType::Signed, unsafe { name_or(name, b"range") });
    assume::in_range(v, begin, end);
    v
}
weak!("klee_range", klee_range);

/// `int spelunk_range(low, high, name)`: a value with low <= value <= high.
unsafe extern "C" fn spelunk_range(low: c_int, high: c_int, name: *const c_char) -> c_int {
    // SAFETY: the caller passes a C string or null.
    let v: c_int = scalar(ValueType::Signed, unsafe { name_or(name, b"range") });
    assume::in_closed_range(v, low, high);
    v
}
weak!("spelunk_range", spelunk_range);

extern "C" fn klee_assume(condition: usize) {
    assume::nonzero(condition as u64, argument_label(address!("klee_assume"), 0), 64);
}
weak!("klee_assume", klee_assume);

extern "C" fn verifier_assume(condition: c_int) {
    assume::nonzero(u64::from(condition as u32), argument_label(address!("__VERIFIER_assume"), 0), 32);
}
weak!("__VERIFIER_assume", verifier_assume);

extern "C" fn spelunk_assume(condition: c_int) {
    assume::nonzero(u64::from(condition as u32), argument_label(address!("spelunk_assume"), 0), 32);
}
weak!("spelunk_assume", spelunk_assume);

/// A failed assertion or a forbidden place that was reached: a finding.
fn fail(text: &str) -> ! {
    message::warn(text);
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

extern "C" fn verifier_assert(condition: c_int) {
    let label = argument_label(address!("__VERIFIER_assert"), 0);
    assume::decide(u64::from(condition as u32), label, 32);
    if condition == 0 {
        fail("__VERIFIER_assert failed");
    }
}
weak!("__VERIFIER_assert", verifier_assert);

extern "C" fn verifier_error() {
    fail("__VERIFIER_error reached");
}
weak!("__VERIFIER_error", verifier_error);

extern "C" fn reach_error() {
    fail("reach_error reached");
}
weak!("reach_error", reach_error);

extern "C" fn nothing() {}
weak!("__VERIFIER_atomic_begin", nothing);
weak!("__VERIFIER_atomic_end", nothing);
weak!("klee_open_merge", nothing);
weak!("klee_close_merge", nothing);
weak!("klee_prefer_cex", nothing);
weak!("klee_posix_prefer_cex", nothing);
weak!("klee_mark_global", nothing);
weak!("klee_warning", nothing);
weak!("klee_warning_once", nothing);

/// Whether the value passed is symbolic in this run.
extern "C" fn klee_is_symbolic(_value: usize) -> c_int {
    c_int::from(argument_label(address!("klee_is_symbolic"), 0) != 0)
}
weak!("klee_is_symbolic", klee_is_symbolic);

extern "C" fn klee_is_replay() -> c_int {
    0
}
weak!("klee_is_replay", klee_is_replay);

/// One concrete value for what may be symbolic: the path goes on for this value only.
macro_rules! get_value {
    ($($name:literal, $fun:ident, $ty:ty;)+) => {$(
        extern "C" fn $fun(value: $ty) -> $ty {
            assume::pin(argument_label(address!($name), 0), value as u64);
            tls::clear_ret();
            value
        }
        weak!($name, $fun);
    )+};
}
get_value! {
    "klee_get_valuel", get_value_long, i64;
    "klee_get_valuell", get_value_long_long, i64;
    "klee_get_value_i32", get_value_i32, i32;
    "klee_get_value_i64", get_value_i64, i64;
}

/// Floating-point values are concrete here.
macro_rules! get_float {
    ($($name:literal, $fun:ident, $ty:ty;)+) => {$(
        extern "C" fn $fun(value: $ty) -> $ty {
            tls::clear_ret();
            value
        }
        weak!($name, $fun);
    )+};
}
get_float! {
    "klee_get_valuef", get_value_float, f32;
    "klee_get_valued", get_value_double, f64;
}

extern "C" fn klee_silent_exit(code: c_int) -> ! {
    // SAFETY: ends the process as the program asked.
    unsafe { sys::exit(code) }
}
weak!("klee_silent_exit", klee_silent_exit);

extern "C" fn klee_abort() -> ! {
    fail("klee_abort reached")
}
weak!("klee_abort", klee_abort);

unsafe extern "C" fn klee_report_error(
    _file: *const c_char,
    _line: c_int,
    text: *const c_char,
    _suffix: *const c_char,
) -> ! {
    // SAFETY: the caller passes a C string or null.
    let text = unsafe { name_or(text, b"") };
    fail(core::str::from_utf8(text).unwrap_or("klee_report_error reached"))
}
weak!("klee_report_error", klee_report_error);
