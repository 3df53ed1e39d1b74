//! Models given pointers that other models chose: labels against the C library on other inputs, wherever what was recorded holds.

use super::{OTHERS, ROUNDS, s};
use crate::libc::{self, c_char, c_int, c_void};
use crate::models::cut::Facts;
use crate::models::scan::address;
use crate::models::string as st;
use crate::models::value::Value;
use crate::testing::{Lab, Random};
use std::ops::Add;

/// A second call behind the byte that a first one found: what it answers, and how much of that counts.
struct Case {
    name: &'static str,
    /// The model, which is given the pointer (its label is passed).
    model: unsafe fn(&Lab, Value, &[u8]) -> u64,
    /// What the library says.
    real: unsafe fn(*mut u8, *mut u8) -> u64,
    /// Whether only the sign counts.
    sign: bool,
}

fn pointer(p: Value) -> *mut u8 {
    p.now as *mut u8
}

/// Behind the end of the text.
fn end(text: *mut u8) -> usize {
    text as usize + LEN
}

const LEN: usize = 8;

macro_rules! compares {
    ($name:literal, $model:ident($($argument:expr),*), $real:ident) => {
        Case {
            name: $name,
            model: |lab, p, _| {
                lab.pass(st::$model as *const (), &[p.label]);
                // SAFETY: text that ends within its buffer.
                unsafe { st::$model(pointer(p).cast(), $($argument),*) as u32 as u64 }
            },
            // SAFETY: the same.
            real: |p, _| unsafe { libc::$real(p.cast(), $($argument),*) as u32 as u64 },
            sign: true,
        }
    };
}

const CASES: &[Case] = &[
    compares!("strcmp", __spm_strcmp(c"ab".as_ptr()), strcmp),
    compares!("strncmp", __spm_strncmp(c"abc".as_ptr(), 2), strncmp),
    compares!("strcasecmp", __spm_strcasecmp(c"B".as_ptr()), strcasecmp),
    compares!("memcmp", __spm_memcmp(c"a".as_ptr().cast::<c_void>(), 1), memcmp),
    Case {
        name: "strlen",
        model: |lab, p, _| {
            lab.pass(st::__spm_strlen as *const (), &[p.label]);
            // SAFETY: as above.
            unsafe { st::__spm_strlen(s(pointer(p))) as u64 }
        },
        // SAFETY: as above.
        real: |p, _| unsafe { libc::strlen(s(p)) as u64 },
        sign: false,
    },
    Case {
        name: "strchr",
        model: |lab, p, _| {
            lab.pass(st::__spm_strchr as *const (), &[p.label]);
            // SAFETY: as above.
            unsafe { st::__spm_strchr(s(pointer(p)), c_int::from(b'b')) as u64 }
        },
        // SAFETY: as above.
        real: |p, _| unsafe { libc::strchr(s(p), c_int::from(b'b')) as u64 },
        sign: false,
    },
    Case {
        name: "memchr",
        model: |lab, p, text| {
            let rest = address(end(text.as_ptr().cast_mut())).sub_value(p);
            lab.pass(st::__spm_memchr as *const (), &[p.label, 0, rest.label]);
            // SAFETY: as above.
            unsafe { st::__spm_memchr(pointer(p).cast(), c_int::from(b'A'), rest.now as usize) as u64 }
        },
        // SAFETY: as above.
        real: |p, text| unsafe { libc::memchr(p.cast(), c_int::from(b'A'), end(text) - p as usize) as u64 },
        sign: false,
    },
];

impl Value {
    fn sub_value(self, other: Value) -> Value {
        std::ops::Sub::sub(self, other)
    }
}

fn shown(case: &Case, value: u64) -> u64 {
    if case.sign { (value as i32).signum() as u32 as u64 } else { value }
}

#[test]
fn what_lies_behind_a_pointer_that_the_input_chose() {
    for case in CASES {
        let mut r = Random(case.name.bytes().map(u64::from).sum());
        let (mut moved, mut held) = (0, 0);
        for _ in 0..4 * ROUNDS {
            let text = r.text(LEN, b"=abA=\0");
            let lab = Lab::new(&text);
            let p = lab.buffer(LEN, b"\0\0");
            lab.pass(st::__spm_strchr as *const (), &[0]);
            // SAFETY: a C string within its buffer.
            let found = unsafe { st::__spm_strchr(p as *const c_char, c_int::from(b'=')) } as u64;
            let found = Value::new(lab.ret(), 64, found);
            Facts::new().add(found.equals(address(0)));
            if found.now == 0 || found.is_const() {
                continue;
            }
            let behind = found.add(Value::constant(64, 1));
            // SAFETY: the text, which the model takes the end of.
            let got = unsafe { (case.model)(&lab, behind, std::slice::from_raw_parts(p, LEN)) };
            let label = lab.ret();
            let (lifted, events) = (lab.lift(), lab.events());
            assert!(
                lifted.assumptions_hold(&events, &text),
                "{}: does not hold in its own run: {text:?}",
                case.name
            );
            if label == 0 {
                continue;
            }
            assert_eq!(
                shown(case, lifted.eval(label, &text).low()),
                shown(case, got),
                "{} on {text:?}",
                case.name
            );
            for _ in 0..4 * OTHERS {
                let other = r.text(LEN, b"=abA=\0");
                if !lifted.assumptions_hold(&events, &other) {
                    continue;
                }
                // SAFETY: the buffer has that length; the byte is in the text, as that was recorded.
                let (at, want) = unsafe {
                    std::ptr::copy_nonoverlapping(other.as_ptr(), p, LEN);
                    let at = libc::strchr(s(p), c_int::from(b'='));
                    (at as u64, (case.real)(at.cast::<u8>().add(1), p))
                };
                held += 1;
                moved += usize::from(at != found.now);
                let own = lifted.eval(label, &other).low();
                assert_eq!(shown(case, own), shown(case, want), "{}: {text:?}, then {other:?}", case.name);
            }
        }
        assert!(held > 100 && moved > 50, "{}: {held} evaluations, {moved} elsewhere", case.name);
    }
}
