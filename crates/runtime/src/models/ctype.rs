//! Character classes.
//!
//! As functions: ranges of ASCII, as in the C locale; where another locale says otherwise, the check of the
//! value against the real result drops the label. As macros: the C library's tables become objects, so that
//! reads through a symbolic index become selects.

use super::args::{Args, give, give_concrete};
use super::value::Value;
use crate::libc::{self, c_int};
use crate::objects;
use core::ops::Add;

/// Ranges of bytes, both ends included.
type Ranges = &'static [(u8, u8)];

fn in_ranges(c: Value, ranges: Ranges) -> Value {
    ranges
        .iter()
        .fold(Value::constant(1, 0), |acc, &(low, high)| acc.or(c.within(u64::from(low), u64::from(high))))
}

macro_rules! classes {
    ($($model:ident = $real:ident, $ranges:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(c: c_int) -> c_int {
            unsafe extern "C" {
                fn $real(c: c_int) -> c_int;
            }
            let args = Args::take($model as *const () as usize);
            give_concrete();
            // SAFETY: as called by the program; members of the class are valid arguments.
            unsafe {
                let r = $real(c);
                if args.label(0) != 0 {
                    let ranges: Ranges = $ranges;
                    let yes = $real(c_int::from(ranges[0].0)) as u32 as u64;
                    let is = in_ranges(args.value(0, 32, c as u32 as u64), ranges);
                    give(is.select(Value::constant(32, yes), Value::constant(32, 0)), r as u32 as u64);
                }
                r
            }
        }
    )+};
}
classes! {
    __spm_isalpha = isalpha, &[(b'a', b'z'), (b'A', b'Z')];
    __spm_isdigit = isdigit, &[(b'0', b'9')];
    __spm_isalnum = isalnum, &[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')];
    __spm_isupper = isupper, &[(b'A', b'Z')];
    __spm_islower = islower, &[(b'a', b'z')];
    __spm_isspace = isspace, &[(b' ', b' '), (b'\t', b'\r')];
    __spm_isblank = isblank, &[(b' ', b' '), (b'\t', b'\t')];
    __spm_isxdigit = isxdigit, &[(b'0', b'9'), (b'a', b'f'), (b'A', b'F')];
    __spm_isprint = isprint, &[(b' ', b'~')];
    __spm_isgraph = isgraph, &[(b'!', b'~')];
    __spm_ispunct = ispunct, &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')];
    __spm_iscntrl = iscntrl, &[(0, 31), (127, 127)];
    __spm_isascii = isascii, &[(0, 127)];
}

macro_rules! mappings {
    ($($model:ident = $real:ident, $low:literal, $high:literal, $add:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(c: c_int) -> c_int {
            let args = Args::take($model as *const () as usize);
            give_concrete();
            // SAFETY: as called by the program.
            let r = unsafe { libc::$real(c) };
            if args.label(0) != 0 {
                let c = args.value(0, 32, c as u32 as u64);
                let delta: i32 = $add;
                let mapped = c.within($low, $high).select(c.add(Value::constant(32, delta as u32 as u64)), c);
                give(mapped, r as u32 as u64);
            }
            r
        }
    )+};
}
mappings! {
    __spm_tolower = tolower, 0x41, 0x5a, 32;
    __spm_toupper = toupper, 0x61, 0x7a, -32;
}

/// Model of `toascii`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_toascii(c: c_int) -> c_int {
    let args = Args::take(__spm_toascii as *const () as usize);
    let r = c & 0x7f;
    give(args.value(0, 32, c as u32 as u64).and(Value::constant(32, 0x7f)), r as u64);
    r
}

/// Entries of the C library's tables: for -128 to 255.
const ENTRIES: usize = 384;
/// How many of them come before the entry for 0.
const BEFORE: usize = 128;

macro_rules! tables {
    ($($model:ident = $real:ident: $entry:ty;)+) => {$(
        /// Model of the function of that name: registers the table.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model() -> *mut *const $entry {
            // SAFETY: the C library answers with a pointer to a pointer into a table of 384 entries.
            unsafe {
                let p = libc::$real();
                if crate::state::recording() {
                    objects::add_constant((*p).sub(BEFORE).cast(), ENTRIES * size_of::<$entry>());
                }
                give_concrete();
                p
            }
        }
    )+};
}
/// Registers all three tables at the start of the process: C++'s character facet has pointers to them.
pub fn register_tables() {
    // SAFETY: the C library answers with a pointer to a pointer into a table of 384 entries, or (not yet set up) to
    // null.
    unsafe {
        for (table, bytes) in [
            ((*libc::__ctype_b_loc()).cast::<u8>(), size_of::<u16>()),
            ((*libc::__ctype_tolower_loc()).cast(), size_of::<i32>()),
            ((*libc::__ctype_toupper_loc()).cast(), size_of::<i32>()),
        ] {
            if !table.is_null() {
                objects::add_constant(table.sub(BEFORE * bytes), ENTRIES * bytes);
            }
        }
    }
}

tables! {
    __spm___ctype_b_loc = __ctype_b_loc: u16;
    __spm___ctype_tolower_loc = __ctype_tolower_loc: i32;
    __spm___ctype_toupper_loc = __ctype_toupper_loc: i32;
}
