//! Classes of wide characters and their case: ASCII is followed; what a character beyond it is depends on the locale and is
//! pinned.

use super::args::{Args, give, give_concrete};
use super::value::Value;
use crate::event;
use core::ops::Add;
use trace_abi::Reason;

const fn wide(c: u64) -> Value {
    Value::constant(32, c)
}

/// Whether the character is one of ASCII, now decided; others keep their value.
fn is_ascii(c: Value) -> bool {
    let ascii = event::decide(c.ult(wide(128)));
    if !ascii {
        event::pin(c.label, c.now, Reason::Model, 0);
    }
    ascii
}

macro_rules! classes {
    ($($model:ident = $real:ident, $ranges:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(c: u32) -> i32 {
            unsafe extern "C" {
                fn $real(c: u32) -> i32;
            }
            let args = Args::take($model as *const () as usize);
            give_concrete();
            // SAFETY: as called by the program; members of the class are valid arguments.
            unsafe {
                let r = $real(c);
                let v = args.value(0, 32, c.into());
                if v.label != 0 && is_ascii(v) {
                    let ranges: &[(u8, u8)] = $ranges;
                    let yes = $real(ranges[0].0.into()) as u32 as u64;
                    let is = ranges.iter().fold(Value::constant(1, 0), |acc, &(low, high)| {
                        acc.or(v.within(low.into(), high.into()))
                    });
                    give(is.select(wide(yes), wide(0)), r as u32 as u64);
                }
                r
            }
        }
    )+};
}
classes! {
    __spm_iswalpha = iswalpha, &[(b'a', b'z'), (b'A', b'Z')];
    __spm_iswdigit = iswdigit, &[(b'0', b'9')];
    __spm_iswalnum = iswalnum, &[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')];
    __spm_iswupper = iswupper, &[(b'A', b'Z')];
    __spm_iswlower = iswlower, &[(b'a', b'z')];
    __spm_iswspace = iswspace, &[(b' ', b' '), (b'\t', b'\r')];
    __spm_iswblank = iswblank, &[(b' ', b' '), (b'\t', b'\t')];
    __spm_iswxdigit = iswxdigit, &[(b'0', b'9'), (b'a', b'f'), (b'A', b'F')];
    __spm_iswprint = iswprint, &[(b' ', b'~')];
    __spm_iswgraph = iswgraph, &[(b'!', b'~')];
    __spm_iswpunct = iswpunct, &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')];
    __spm_iswcntrl = iswcntrl, &[(0, 31), (127, 127)];
}

macro_rules! mappings {
    ($($model:ident = $real:ident, $low:literal, $high:literal, $add:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(c: u32) -> u32 {
            unsafe extern "C" {
                fn $real(c: u32) -> u32;
            }
            let args = Args::take($model as *const () as usize);
            give_concrete();
            // SAFETY: as called by the program.
            let r = unsafe { $real(c) };
            let v = args.value(0, 32, c.into());
            if v.label != 0 && is_ascii(v) {
                let delta: i32 = $add;
                let mapped = v.within($low, $high).select(v.add(wide(delta as u32 as u64)), v);
                give(mapped, r.into());
            }
            r
        }
    )+};
}
mappings! {
    __spm_towlower = towlower, 0x41, 0x5a, 32;
    __spm_towupper = towupper, 0x61, 0x7a, -32;
}
