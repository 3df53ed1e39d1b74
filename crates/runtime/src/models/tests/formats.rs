//! Text read and written by formats: labels against the C library on other inputs, wherever decisions and pins hold.

use super::{LETTERS, NULL, ROUNDS, check, s};
use crate::libc::{self, c_char, c_void};
use crate::models::varargs::VaList;
use crate::models::{float_text, multibyte, print, scanf, wide};
use crate::testing::{Lab, Lifted, Random};
use crate::{memory, shadow, state};
use std::ffi::CStr;

const OTHERS: usize = 60;

/// The bytes at `at` as they would be with another input.
fn bytes_under(lifted: &Lifted, at: *const u8, n: usize, input: &[u8]) -> Vec<u8> {
    (0..n)
        .map(|k| match shadow::get(at as usize + k) {
            // SAFETY: as many bytes are there.
            0 => unsafe { *at.add(k) },
            label => lifted.eval(label, input).low() as u8,
        })
        .collect()
}

/// What the C library prints for these words.
fn printed(format: &CStr, words: &[u64]) -> Vec<u8> {
    let mut out = vec![0u8; 512];
    let mut list = VaList::of(words.as_ptr().cast_mut());
    // SAFETY: the format takes as many words; the buffer has the length given.
    let n = unsafe {
        libc::vsnprintf(out.as_mut_ptr().cast(), 512, format.as_ptr(), (&raw mut list).cast::<c_void>())
    };
    out.truncate(n as usize);
    out
}

/// Prints one labelled number of `bits` bits, then a constant one.
fn check_print(format: &CStr, bits: usize) {
    let mut r = Random(format.to_bytes().iter().map(|&c| u64::from(c)).sum());
    let (mut labelled, mut held) = (0, 0);
    for _ in 0..ROUNDS {
        // Numbers of all lengths.
        let draw =
            |r: &mut Random| (r.next() >> r.below(64)).wrapping_mul(if r.below(2) == 0 { 1 } else { !0 });
        let input = draw(&mut r).to_le_bytes();
        let lab = Lab::new(&input);
        let words = lab.buffer(bits / 8, &[0; 16]).cast::<u64>();
        let to = state::map_anonymous(4096);
        let mut list = VaList::of(words);
        // SAFETY: the format takes two words; the buffer is a page.
        let n = unsafe {
            *words.add(1) = 77;
            let args = list.again();
            let n = libc::vsnprintf(to.cast(), 300, format.as_ptr(), (&raw mut list).cast::<c_void>());
            print::label(to.cast::<c_char>(), 300, n as usize, format.as_ptr(), args);
            n as usize
        };
        let (lifted, events) = (lab.lift(), lab.events());
        assert!(lifted.assumptions_hold(&events, &input), "{format:?} of {input:?}");
        labelled += usize::from(shadow::any(to as usize, n));
        for _ in 0..OTHERS {
            let other = draw(&mut r).to_le_bytes();
            if !lifted.assumptions_hold(&events, &other) {
                continue;
            }
            held += 1;
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            let want = printed(format, &[u64::from_le_bytes(other) & mask, 77]);
            let got = bytes_under(&lifted, to, n, &other);
            assert_eq!(got, want, "{format:?}: recorded on {input:?}, evaluated on {other:?}");
        }
    }
    assert!(labelled > 0 && held > 0, "{format:?}: {labelled} texts labelled, {held} compared");
}

#[test]
fn printed_numbers_are_what_the_library_prints() {
    for format in [c"%d", c"<%+5d|%-4d>", c"%08d", c"% .3i", c"%u", c"%x", c"%#X", c"%#o", c"%.0d;%d", c"%c"]
    {
        check_print(format, 32);
    }
    for format in [c"%ld", c"%zu%%%d", c"%lx", c"%#018lx", c"%-30lo|", c"%jd", c"%.25ld"] {
        check_print(format, 64);
    }
    check_print(c"%hhd,%hhu", 8);
    check_print(c"%hd", 16);
}

#[test]
fn printed_strings_keep_their_labels_and_floats_their_length() {
    let lab = Lab::new(b"hello");
    let (p, to) = (lab.buffer(5, b"\0"), state::map_anonymous(4096));
    let words = [p as u64, 0x3ff8_0000_0000_0000, p as u64];
    let mut list = VaList::of(words.as_ptr().cast_mut());
    let format = c"[%7s] %.3f %.2s";
    // SAFETY: a string, a number, a string; the buffer is a page.
    unsafe {
        let args = list.again();
        let n = libc::vsnprintf(to.cast(), 64, format.as_ptr(), (&raw mut list).cast::<c_void>());
        print::label(to.cast(), 64, n as usize, format.as_ptr(), args);
        assert_eq!(CStr::from_ptr(to.cast()), c"[  hello] 1.500 he");
    }
    for (k, c) in b"[  hello] 1.500 he".iter().enumerate() {
        let input = match k {
            3..=7 => Some(k - 3),
            16.. => Some(k - 16),
            _ => None,
        };
        let want = input.map_or(0, |i| crate::node::input(0, i as u32));
        assert_eq!(shadow::get(to as usize + k), want, "{}", char::from(*c));
    }
}

/// Reads with `format` into four words, of which the first `n` bytes are compared.
fn check_scan(format: &CStr, alphabet: &[u8], len: usize, n: usize) {
    let mut r = Random(format.to_bytes().iter().map(|&c| u64::from(c)).sum());
    let (mut stored, mut held) = (0, 0);
    let read = |f: &dyn Fn(*const c_char, *mut VaList) -> i32, text: *const u8, out: *mut u8| {
        let pointers: Vec<u64> = (0..4).map(|k| out as u64 + 64 * k).collect();
        let mut list = VaList::of(pointers.as_ptr().cast_mut());
        f(text.cast(), &raw mut list)
    };
    // SAFETY: each conversion has 64 bytes; texts are shorter.
    let model =
        |t: *const c_char, list: *mut VaList| unsafe { scanf::__spm_vsscanf(t, format.as_ptr(), list) };
    // SAFETY: as above.
    let real =
        |t: *const c_char, list: *mut VaList| unsafe { libc::vsscanf(t, format.as_ptr(), list.cast()) };
    for _ in 0..2 * ROUNDS {
        let text = r.text(len, alphabet);
        let lab = Lab::new(&text);
        let p = lab.buffer(len, b"\0");
        let (out, other_out) = (state::map_anonymous(4096), state::map_anonymous(4096));
        let got = read(&model, p, out);
        assert_eq!(got, read(&real, p, other_out), "{format:?} on {text:?}");
        shadow::settle(out as usize, 4096);
        let (lifted, events) = (lab.lift(), lab.events());
        assert!(lifted.assumptions_hold(&events, &text), "{format:?} on {text:?}");
        stored += usize::from(got > 0);
        for _ in 0..OTHERS {
            let mut other = text.clone();
            other[r.below(len)] = alphabet[r.below(alphabet.len())];
            if !lifted.assumptions_hold(&events, &other) {
                continue;
            }
            held += 1;
            let fresh = state::map_anonymous(4096);
            let c_text = [other.as_slice(), b"\0"].concat();
            assert_eq!(read(&real, c_text.as_ptr(), fresh), got, "{format:?}: {text:?}, then {other:?}");
            // SAFETY: a page each.
            let want = unsafe { std::slice::from_raw_parts(fresh, n) };
            let is = bytes_under(&lifted, out, n, &other);
            assert_eq!(is, want, "{format:?}: recorded on {text:?}, evaluated on {other:?}");
        }
    }
    assert!(stored > 0 && held > 0, "{format:?}: {stored} stored, {held} compared");
}

#[test]
fn scanned_values_are_what_the_library_reads() {
    check_scan(c"%d", b"0129 -+x", 6, 8);
    check_scan(c"%d,%x", b"12a,,,", 5, 128);
    check_scan(c"%3u%n", b"0129 ", 6, 128);
    check_scan(c"%i", b"0x17 9", 5, 8);
    check_scan(c" %s", b"ab \t", 6, 64);
    check_scan(c"%2c%c", b"ab ", 5, 128);
    check_scan(c"%[a-c]%[^b]", b"abcd", 6, 128);
    check_scan(c"a%%%hhd", b"a%1", 4, 64);
    check_scan(c"%2$d %1$d", b"12 ", 5, 128);
    check_scan(c"%*d %lu", b"12 ", 6, 64);
}

#[test]
fn scanned_floats_are_what_the_library_reads() {
    check_scan(c"%lf", b"0127.e-", 6, 8);
    check_scan(c"%f%c", b"019.", 5, 4);
}

#[test]
fn formats_left_to_the_library_clear_what_they_store() {
    let lab = Lab::new(b"abcdefgh");
    let (text, out) = (lab.buffer(0, b"wide\0"), lab.buffer(8, &[0; 64]));
    let words = [out as u64];
    let mut list = VaList::of(words.as_ptr().cast_mut());
    // SAFETY: room for five wide characters.
    let n = unsafe { scanf::__spm_vsscanf(text.cast(), c"%ls".as_ptr(), &raw mut list) };
    assert_eq!(n, 1);
    assert!(!shadow::any(out as usize, 20));
}

/// Exact in the fast path: the label is the number's bits.
fn check_float(name: &str, alphabet: &[u8], len: usize) {
    // SAFETY: strings that end within the buffer.
    let model = |p: *mut u8| unsafe { float_text::__spm_strtod(s(p), NULL) }.to_bits();
    // SAFETY: as above.
    let real = |p: *mut u8| unsafe { libc::strtod(s(p), NULL) }.to_bits();
    check(name, alphabet, len, model, real, 64);
}

#[test]
fn strtod_gives_the_bits_that_the_library_gives() {
    check_float("strtod", b"0123456789", 6);
    check_float("strtod with a point", b"0127.", 6);
    check_float("strtod of everything", b"019.e-+ x\0", 7);
    check_float("strtod of many digits", b"0123456789.", 17);
}

#[test]
fn strtof_is_exact_for_short_texts() {
    // SAFETY: strings that end within the buffer.
    let model = |p: *mut u8| unsafe { float_text::__spm_strtof(s(p), NULL) }.to_bits().into();
    // SAFETY: as above.
    let real = |p: *mut u8| unsafe { libc::strtof(s(p), NULL) }.to_bits().into();
    check("strtof", b"0123456789.-", 6, model, real, 32);
}

/// The letters of the buffer as wide characters, labelled.
fn widened(p: *mut u8, n: usize) -> *mut u32 {
    let to = state::map_anonymous(4096).cast::<u32>();
    for k in 0..n {
        // SAFETY: inside the buffer and a page.
        unsafe { *to.add(k) = u32::from(*p.add(k)) };
        let label = crate::simplify::zero_extend(shadow::get(p as usize + k), 32);
        memory::store(to as usize + 4 * k, 4, label);
    }
    to
}

/// Length of the string behind the buffer's letters, as wide characters.
#[test]
fn wcslen_counts_characters() {
    unsafe extern "C" {
        fn wcslen(s: *const u32) -> usize;
    }
    // SAFETY: strings of wide characters that end within their page.
    let model = |p: *mut u8| unsafe { wide::__spm_wcslen(widened(p, 8)) } as u64;
    // SAFETY: as above.
    let real = |p: *mut u8| unsafe { wcslen(widened(p, 8)) } as u64;
    check("wcslen", LETTERS, 7, model, real, 64);
}

#[test]
fn wcscmp_has_the_sign_of_the_library() {
    let word: Vec<u32> = "ab\0".chars().map(u32::from).collect();
    // SAFETY: strings of wide characters that end within their page.
    let model = |p: *mut u8| unsafe { wide::__spm_wcscmp(widened(p, 8), word.as_ptr()) }.signum() as u64;
    unsafe extern "C" {
        fn wcscmp(a: *const u32, b: *const u32) -> i32;
    }
    // SAFETY: as above.
    let real = |p: *mut u8| unsafe { wcscmp(widened(p, 8), word.as_ptr()) }.signum() as u64;
    check("wcscmp", LETTERS, 7, model, real, 32);
}

#[test]
fn ascii_is_widened_with_its_labels() {
    let lab = Lab::new(b"az");
    let (p, out) = (lab.buffer(2, b"\0"), state::map_anonymous(4096).cast::<u32>());
    // SAFETY: a string of two characters and room for three.
    let n = unsafe { multibyte::__spm_mbstowcs(out, p.cast(), 8) };
    assert_eq!(n, 2);
    let lifted = lab.lift();
    assert!(lifted.assumptions_hold(&lab.events(), b"qx"));
    assert!(!lifted.assumptions_hold(&lab.events(), b"q\0"));
    let want = [b"q\0\0\0x\0\0\0".as_slice(), &[0; 4]].concat();
    assert_eq!(bytes_under(&lifted, out.cast(), 12, b"qx"), want);
}
