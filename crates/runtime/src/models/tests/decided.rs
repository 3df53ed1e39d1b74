//! Models whose results are the same on a path: wherever their decisions hold, the function answers the same.

use super::{ROUNDS, s};
use crate::libc::{c_char, c_int, c_void};
use crate::models::{collate, memory, options, search, token};
use crate::state;
use crate::testing::{Lab, Random};
use std::ptr::null_mut;

const OTHERS: usize = 80;

/// Runs `f` on labelled text, then the same on others that keep its decisions.
fn check(name: &str, alphabet: &[u8], len: usize, f: impl Fn(*mut u8) -> Vec<u64>) {
    let mut r = Random(name.bytes().map(u64::from).sum());
    let (mut decided, mut held) = (0, 0);
    for _ in 0..2 * ROUNDS {
        let text = r.text(len, alphabet);
        let lab = Lab::new(&text);
        let got = f(lab.buffer(len, b"\0\0"));
        let (lifted, events) = (lab.lift(), lab.events());
        assert!(lifted.assumptions_hold(&events, &text), "{name} on {text:?}");
        decided += events.len();
        for _ in 0..OTHERS {
            let mut other = text.clone();
            for _ in 0..=r.below(2) {
                other[r.below(len)] = alphabet[r.below(alphabet.len())];
            }
            if !lifted.assumptions_hold(&events, &other) {
                continue;
            }
            held += 1;
            let p = state::map_anonymous(4096);
            // SAFETY: a fresh page.
            unsafe { std::ptr::copy_nonoverlapping(other.as_ptr(), p, len) };
            assert_eq!(f(p), got, "{name}: recorded on {text:?}, then {other:?}");
        }
    }
    assert!(decided > 0 && held > 0, "{name}: {decided} decisions, {held} compared");
}

#[test]
fn strverscmp_is_decided() {
    // SAFETY: strings that end within the buffer.
    let order = |p: *mut u8| unsafe { collate::__spm_strverscmp(s(p), c"a10.09b".as_ptr()) };
    check("strverscmp", b"a019.b", 7, |p| vec![order(p).signum() as u64]);
}

#[test]
fn tokens_are_decided() {
    check("strtok_r", b"ab,; ", 7, |p| {
        let save = state::map_anonymous(8).cast::<*mut c_char>();
        let mut found = Vec::new();
        // SAFETY: a string in the buffer, and room for a pointer.
        unsafe {
            let mut token = token::__spm_strtok_r(p.cast(), c",; ".as_ptr(), save);
            while !token.is_null() {
                found.push(token as u64 - p as u64);
                token = token::__spm_strtok_r(null_mut(), c",; ".as_ptr(), save);
            }
        }
        found
    });
}

#[test]
fn memccpy_is_decided() {
    check("memccpy", b"abc", 6, |p| {
        let to = state::map_anonymous(64);
        // SAFETY: six bytes each.
        let end = unsafe { memory::__spm_memccpy(to.cast(), p.cast(), 98, 6) };
        vec![(end as u64).saturating_sub(to as u64)]
    });
}

unsafe extern "C" fn by_byte(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: the comparator of the tests for sorting, with the same contract.
    unsafe { super::by_byte(a, b) }
}

#[test]
fn linear_search_is_decided() {
    let (table, n) = (b"bdb", 3usize);
    check("lfind", b"abd", 2, |p| {
        // SAFETY: elements of one byte.
        let found = unsafe { search::__spm_lfind(p.cast(), table.as_ptr().cast(), &raw const n, 1, by_byte) };
        vec![(found as u64).saturating_sub(table.as_ptr() as u64)]
    });
}

#[test]
fn options_are_decided() {
    unsafe extern "C" {
        static mut optind: c_int;
        static mut opterr: c_int;
        static optarg: *mut c_char;
    }
    check("getopt", b"-ab:x\0", 6, |p| {
        // SAFETY: two arguments inside the buffer, each ended by a NUL; the library's own variables.
        unsafe {
            (optind, opterr) = (0, 0);
            let second = p.add(3);
            *p.add(2) = 0;
            crate::shadow::set(p as usize + 2, 0);
            let argv = [c"program".as_ptr().cast_mut(), p.cast(), second.cast(), null_mut()];
            let mut seen = Vec::new();
            for _ in 0..6 {
                let c = options::__spm_getopt(3, argv.as_ptr(), c"ab:".as_ptr());
                seen.push(c as u64);
                if c == c_int::from(b'b') {
                    seen.push((optarg as u64).wrapping_sub(p as u64));
                }
            }
            seen.push(optind as u64);
            seen
        }
    });
}
