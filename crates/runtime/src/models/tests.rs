//! Each model against the real function: the label left by a call, evaluated under *other* inputs, must say
//! what the real function answers on those inputs, wherever the pins of the recorded run hold.

mod chosen;
mod decided;
mod formats;
mod sockets;

use crate::libc::{self, c_char, c_int, c_void};
use crate::testing::{Lab, Random};
use std::ops::Sub;

const ROUNDS: u64 = 60;
const OTHERS: usize = 40;

/// Runs `model` on labelled text, then compares its label with `real` on other texts of the same length.
/// Text is followed by an unlabelled NUL and some more.
fn check(
    name: &str,
    alphabet: &[u8],
    len: usize,
    model: impl Fn(*mut u8) -> u64,
    real: impl Fn(*mut u8) -> u64,
    width: u16,
) {
    let mut r = Random(name.bytes().map(u64::from).sum());
    let (mut symbolic, mut held) = (0, 0);
    for _ in 0..ROUNDS {
        let text = r.text(len, alphabet);
        let lab = Lab::new(&text);
        let p = lab.buffer(len, b"\0\0");
        let got = model(p);
        let label = lab.ret();
        let (lifted, events) = (lab.lift(), lab.events());
        assert!(
            lifted.assumptions_hold(&events, &text),
            "{name}: a pin does not hold in its own run: {text:?}"
        );
        if label == 0 {
            continue;
        }
        symbolic += 1;
        assert_eq!(lifted.arena.width(lifted.expr(label)), width, "{name}");
        let own = lifted.eval(label, &text).low();
        assert_eq!(own, got & crate::node::mask(width), "{name} on {text:?}: label against result");
        for _ in 0..OTHERS {
            let mut other = text.clone();
            for _ in 0..=r.below(3) {
                let k = r.below(len);
                other[k] = alphabet[r.below(alphabet.len())];
            }
            if !lifted.assumptions_hold(&events, &other) {
                continue;
            }
            held += 1;
            // SAFETY: the buffer has that length; labels do not matter to the real function.
            unsafe { std::ptr::copy_nonoverlapping(other.as_ptr(), p, len) };
            let want = real(p) & crate::node::mask(width);
            assert_eq!(
                lifted.eval(label, &other).low(),
                want,
                "{name}: recorded on {text:?}, evaluated on {other:?}"
            );
        }
    }
    assert!(symbolic > 0 && held > 0, "{name}: nothing was tested ({symbolic} labels, {held} evaluations)");
}

/// Sign of a comparison's result, which is all the standard promises.
fn sign(lifted_or_real: u64) -> i64 {
    i64::from(lifted_or_real as i32).signum()
}

fn s(p: *mut u8) -> *const c_char {
    p.cast()
}

const LETTERS: &[u8] = b"abAB\0";

macro_rules! searches {
    ($($test:ident: $model:expr, $real:expr;)+) => {$(
        #[test]
        fn $test() {
            // SAFETY: strings that end within the buffer.
            unsafe { check(stringify!($test), LETTERS, 7, |p| $model(p) as u64, |p| $real(p) as u64, 64) }
        }
    )+};
}

use super::memory as mem;
use super::string as st;

searches! {
    strlen: |p| st::__spm_strlen(s(p)), |p| libc::strlen(s(p));
    strnlen: |p| st::__spm_strnlen(s(p), 5), |p| libc::strnlen(s(p), 5);
    strchr: |p| st::__spm_strchr(s(p), 98), |p| libc::strchr(s(p), 98);
    strrchr: |p| st::__spm_strrchr(s(p), 98), |p| libc::strrchr(s(p), 98);
    strrchr_nul: |p| st::__spm_strrchr(s(p), 0), |p| libc::strrchr(s(p), 0);
    strchrnul: |p| st::__spm_strchrnul(s(p), 66), |p| libc::strchrnul(s(p), 66);
    memchr: |p: *mut u8| st::__spm_memchr(p.cast(), 97, 7), |p: *mut u8| libc::memchr(p.cast(), 97, 7);
    memrchr: |p: *mut u8| st::__spm_memrchr(p.cast(), 97, 7), |p: *mut u8| libc::memrchr(p.cast(), 97, 7);
    rawmemchr: |p: *mut u8| st::__spm_rawmemchr(p.cast(), 0), |p: *mut u8| libc::rawmemchr(p.cast(), 0);
    strspn: |p| st::__spm_strspn(s(p), c"aA".as_ptr()), |p| libc::strspn(s(p), c"aA".as_ptr());
    strcspn: |p| st::__spm_strcspn(s(p), c"bB".as_ptr()), |p| libc::strcspn(s(p), c"bB".as_ptr());
    strpbrk: |p| st::__spm_strpbrk(s(p), c"BA".as_ptr()), |p| libc::strpbrk(s(p), c"BA".as_ptr());
    strstr: |p| st::__spm_strstr(s(p), c"ab".as_ptr()), |p| libc::strstr(s(p), c"ab".as_ptr());
    strcasestr: |p| st::__spm_strcasestr(s(p), c"aB".as_ptr()), |p| libc::strcasestr(s(p), c"aB".as_ptr());
    memmem: |p: *mut u8| st::__spm_memmem(p.cast(), 7, c"ba".as_ptr().cast(), 2),
        |p: *mut u8| libc::memmem(p.cast(), 7, c"ba".as_ptr().cast(), 2);
}

/// Mostly `a`, so that what decides a result is often far from the start.
fn rare() -> Vec<u8> {
    let mut alphabet = vec![b'a'; 300];
    alphabet[..4].copy_from_slice(b"bbB\0");
    alphabet
}

/// Models whose expressions end before their texts do: what is cut must be pinned.
macro_rules! long_searches {
    ($($test:ident: $model:expr, $real:expr;)+) => {$(
        #[test]
        fn $test() {
            // SAFETY: strings that end within the buffer.
            unsafe { check(stringify!($test), &rare(), 400, |p| $model(p) as u64, |p| $real(p) as u64, 64) }
        }
    )+};
}

long_searches! {
    long_strlen: |p| st::__spm_strlen(s(p)), |p| libc::strlen(s(p));
    long_strnlen: |p| st::__spm_strnlen(s(p), 390), |p| libc::strnlen(s(p), 390);
    long_strchr: |p| st::__spm_strchr(s(p), 98), |p| libc::strchr(s(p), 98);
    long_strrchr: |p| st::__spm_strrchr(s(p), 98), |p| libc::strrchr(s(p), 98);
    long_strchrnul: |p| st::__spm_strchrnul(s(p), 66), |p| libc::strchrnul(s(p), 66);
    long_memchr: |p: *mut u8| st::__spm_memchr(p.cast(), 66, 400), |p: *mut u8| libc::memchr(p.cast(), 66, 400);
    long_memrchr: |p: *mut u8| st::__spm_memrchr(p.cast(), 98, 400), |p: *mut u8| libc::memrchr(p.cast(), 98, 400);
    long_rawmemchr: |p: *mut u8| st::__spm_rawmemchr(p.cast(), 0), |p: *mut u8| libc::rawmemchr(p.cast(), 0);
    long_strspn: |p| st::__spm_strspn(s(p), c"aA".as_ptr()), |p| libc::strspn(s(p), c"aA".as_ptr());
    long_strcspn: |p| st::__spm_strcspn(s(p), c"bB".as_ptr()), |p| libc::strcspn(s(p), c"bB".as_ptr());
    long_strpbrk: |p| st::__spm_strpbrk(s(p), c"BA".as_ptr()), |p| libc::strpbrk(s(p), c"BA".as_ptr());
    long_strstr: |p| st::__spm_strstr(s(p), c"ab".as_ptr()), |p| libc::strstr(s(p), c"ab".as_ptr());
    long_strcasestr: |p| st::__spm_strcasestr(s(p), c"Ba".as_ptr()), |p| libc::strcasestr(s(p), c"Ba".as_ptr());
    long_memmem: |p: *mut u8| st::__spm_memmem(p.cast(), 400, c"ba".as_ptr().cast(), 2),
        |p: *mut u8| libc::memmem(p.cast(), 400, c"ba".as_ptr().cast(), 2);
}

/// A number longer than what is followed: its value is lost, but whether digits follow is pinned.
#[test]
fn long_number_keeps_its_bytes() {
    let text = [b"  +".as_slice(), &[b'0'; 90], b"17"].concat();
    let lab = Lab::new(&text);
    let p = lab.buffer(text.len(), b"\0");
    // SAFETY: a C string.
    let got = unsafe { super::number::__spm_strtol(s(p), std::ptr::null_mut(), 10) };
    assert_eq!(got, 17);
    let (lifted, events) = (lab.lift(), lab.events());
    assert!(lifted.assumptions_hold(&events, &text));
    for (k, _) in text.iter().enumerate() {
        let mut other = text.clone();
        other[k] = b'5';
        assert!(!lifted.assumptions_hold(&events, &other), "byte {k} is free");
    }
}

/// Comparisons that are decided, or remain undecided, behind the bytes followed.
#[test]
fn long_comparisons() {
    let (len, mut r, mut held) = (300, Random(11), 0);
    let mut alphabet = rare();
    alphabet.retain(|&c| c != 0);
    for _ in 0..ROUNDS {
        let half = r.text(len, &alphabet);
        let mut text = [half.clone(), half].concat();
        if r.below(2) == 0 {
            text[len + r.below(len)] = b'c';
        }
        let lab = Lab::new(&text);
        let p = lab.buffer(2 * len, b"\0\0");
        // SAFETY: both halves of the buffer.
        let real = |p: *mut u8| unsafe { libc::memcmp(p.cast(), p.add(len).cast(), len) };
        // SAFETY: as above.
        let got = unsafe { st::__spm_memcmp(p.cast(), p.add(len).cast(), len) };
        assert_eq!(got.signum(), real(p).signum());
        let (label, lifted, events) = (lab.ret(), lab.lift(), lab.events());
        assert!(lifted.assumptions_hold(&events, &text));
        for _ in 0..OTHERS {
            let mut other = text.clone();
            other[r.below(2 * len)] = b'B';
            if !lifted.assumptions_hold(&events, &other) {
                continue;
            }
            held += 1;
            // SAFETY: the buffer has that length.
            unsafe { std::ptr::copy_nonoverlapping(other.as_ptr(), p, 2 * len) };
            assert_eq!(sign(lifted.eval(label, &other).low()), i64::from(real(p).signum()));
        }
    }
    assert!(held > 0);
}

/// Comparisons against constants, and of two halves of the input.
fn check_comparison(name: &str, model: impl Fn(*mut u8) -> c_int, real: impl Fn(*mut u8) -> c_int) {
    let mut r = Random(7);
    let (mut symbolic, mut equal) = (0, 0);
    for _ in 0..ROUNDS {
        let text = r.text(6, b"abB\0");
        let lab = Lab::new(&text);
        let p = lab.buffer(6, b"\0\0");
        let got = model(p);
        assert_eq!(got.signum(), real(p).signum(), "{name} on {text:?}");
        let label = lab.ret();
        if label == 0 {
            continue;
        }
        symbolic += 1;
        let lifted = lab.lift();
        assert_eq!(lifted.eval(label, &text).low() as i32, got, "{name} on {text:?}");
        for _ in 0..OTHERS {
            let other = r.text(6, b"abB\0");
            // SAFETY: as long as the buffer.
            unsafe { std::ptr::copy_nonoverlapping(other.as_ptr(), p, 6) };
            let (is, want) = (sign(lifted.eval(label, &other).low()), i64::from(real(p).signum()));
            assert_eq!(is, want, "{name}: recorded on {text:?}, evaluated on {other:?}");
            equal += u32::from(want == 0);
        }
    }
    assert!(symbolic > 0 && equal > 0, "{name}: {symbolic} labels, {equal} equal");
}

macro_rules! comparisons {
    ($($test:ident: $model:expr, $real:expr;)+) => {$(
        #[test]
        fn $test() {
            // SAFETY: strings that end within the buffer.
            unsafe { check_comparison(stringify!($test), |p| $model(p), |p| $real(p)) }
        }
    )+};
}
comparisons! {
    strcmp: |p| st::__spm_strcmp(s(p), c"ab".as_ptr()), |p| libc::strcmp(s(p), c"ab".as_ptr());
    strcmp_left: |p| st::__spm_strcmp(c"ab".as_ptr(), s(p)), |p| libc::strcmp(c"ab".as_ptr(), s(p));
    strcasecmp: |p| st::__spm_strcasecmp(s(p), c"aB".as_ptr()), |p| libc::strcasecmp(s(p), c"aB".as_ptr());
    strncmp: |p| st::__spm_strncmp(s(p), c"abb".as_ptr(), 2), |p| libc::strncmp(s(p), c"abb".as_ptr(), 2);
    strncasecmp: |p| st::__spm_strncasecmp(s(p), c"aBx".as_ptr(), 2), |p| libc::strncasecmp(s(p), c"aBx".as_ptr(), 2);
    memcmp: |p: *mut u8| st::__spm_memcmp(p.cast(), c"ab".as_ptr().cast(), 2),
        |p: *mut u8| libc::memcmp(p.cast(), c"ab".as_ptr().cast(), 2);
    memcmp_halves: |p: *mut u8| st::__spm_memcmp(p.cast(), p.add(2).cast(), 2),
        |p: *mut u8| libc::memcmp(p.cast(), p.add(2).cast(), 2);
}

macro_rules! numbers {
    ($($test:ident: $alphabet:expr, $len:literal, $width:literal, $model:expr, $real:expr;)+) => {$(
        #[test]
        fn $test() {
            // SAFETY: strings that end within the buffer.
            unsafe { check(stringify!($test), $alphabet, $len, |p| $model(p) as u64, |p| $real(p) as u64, $width) }
        }
    )+};
}

const NULL: *mut *mut c_char = std::ptr::null_mut();
use super::number as num;

numbers! {
    strtol_10: b"0129 -+\tx\0", 6, 64, |p| num::__spm_strtol(s(p), NULL, 10), |p| libc::strtol(s(p), NULL, 10);
    strtol_16: b"0aFx -9g\0", 6, 64, |p| num::__spm_strtol(s(p), NULL, 16), |p| libc::strtol(s(p), NULL, 16);
    strtol_0: b"0x17 -8\0", 6, 64, |p| num::__spm_strtol(s(p), NULL, 0), |p| libc::strtol(s(p), NULL, 0);
    strtol_36: b"zZ1 -0\0", 5, 64, |p| num::__spm_strtol(s(p), NULL, 36), |p| libc::strtol(s(p), NULL, 36);
    strtol_large: b"98-", 22, 64, |p| num::__spm_strtol(s(p), NULL, 10), |p| libc::strtol(s(p), NULL, 10);
    strtoul_large: b"918-", 22, 64, |p| num::__spm_strtoul(s(p), NULL, 10), |p| libc::strtoul(s(p), NULL, 10);
    strtoul: b"019 -\0", 6, 64, |p| num::__spm_strtoul(s(p), NULL, 10), |p| libc::strtoul(s(p), NULL, 10);
    atoi: b"0129 -+x\0", 6, 32, |p| num::__spm_atoi(s(p)), |p| libc::strtol(s(p), NULL, 10) as i32;
    atol: b"0129 -+x\0", 6, 64, |p| num::__spm_atol(s(p)), |p| libc::strtol(s(p), NULL, 10);
}

#[test]
fn strtol_gives_its_end_pointer_as_an_expression() {
    let end_of = |p: *mut u8, f: unsafe extern "C" fn(*const c_char, *mut *mut c_char, c_int) -> i64| {
        let end = crate::state::map_anonymous(8).cast::<*mut c_char>();
        // SAFETY: a string in the buffer and room for a pointer.
        unsafe {
            f(s(p), end, 10);
            let label = crate::memory::load(end as usize, 8, 64);
            crate::tls::set_ret(label);
            *end as u64
        }
    };
    check("strtol's end", b"12 -x\0", 5, |p| end_of(p, num::__spm_strtol), |p| end_of(p, libc::strtol), 64);
}

/// Models of one character.
fn check_char(name: &str, model: unsafe extern "C" fn(c_int) -> c_int, real: impl Fn(c_int) -> c_int) {
    for c in 0..=255u8 {
        let lab = Lab::new(&[c]);
        let label = crate::simplify::zero_extend(crate::node::input(0, 0), 32);
        lab.pass(model as *const (), &[label]);
        // SAFETY: a character.
        let got = unsafe { model(c_int::from(c)) };
        assert_eq!(got, real(c_int::from(c)), "{name}({c})");
        let ret = lab.ret();
        let lifted = lab.lift();
        for other in 0..=255u8 {
            if ret != 0 {
                let want = real(c_int::from(other)) as u32 as u64;
                assert_eq!(
                    lifted.eval(ret, &[other]).low(),
                    want,
                    "{name}: recorded on {c}, evaluated on {other}"
                );
            }
        }
        assert!(ret != 0, "{name}({c}) keeps its label");
        if c % 16 == 5 {
            continue;
        }
    }
}

macro_rules! chars {
    ($($model:ident = $real:ident),+) => {
        #[test]
        fn character_classes_agree_with_the_c_locale() {
            $({
                unsafe extern "C" { fn $real(c: c_int) -> c_int; }
                // SAFETY: a character.
                check_char(stringify!($real), super::ctype::$model, |c| unsafe { $real(c) });
            })+
        }
    };
}
chars!(
    __spm_isalpha = isalpha,
    __spm_isdigit = isdigit,
    __spm_isalnum = isalnum,
    __spm_isupper = isupper,
    __spm_islower = islower,
    __spm_isspace = isspace,
    __spm_isblank = isblank,
    __spm_isxdigit = isxdigit,
    __spm_isprint = isprint,
    __spm_isgraph = isgraph,
    __spm_ispunct = ispunct,
    __spm_iscntrl = iscntrl,
    __spm_isascii = isascii,
    __spm_tolower = tolower,
    __spm_toupper = toupper
);

#[test]
fn copies_of_strings_take_labels_along_and_clear_what_is_concrete() {
    let lab = Lab::new(b"hello");
    let (from, to) = (lab.buffer(5, b"\0"), lab.buffer(5, b"\0"));
    // SAFETY: buffers of two pages.
    unsafe {
        mem::__spm_strcpy(to.add(1).cast(), s(from));
        assert_eq!(crate::shadow::get(to as usize + 1), crate::node::input(0, 0));
        assert_eq!(crate::shadow::get(to as usize + 5), crate::node::input(0, 4));
        assert_eq!(crate::shadow::get(to as usize + 6), 0);
        mem::__spm_strncpy(to.cast(), c"x".as_ptr(), 3);
        assert!(!crate::shadow::any(to as usize, 3));
        mem::__spm_memset(to.cast::<c_void>(), 0, 8);
        assert!(!crate::shadow::any(to as usize, 8));
        mem::__spm_strcat(to.cast(), s(from));
        mem::__spm_strncat(to.cast(), s(from), 2);
        assert_eq!(std::ffi::CStr::from_ptr(to.cast()), c"hellohe");
        assert_eq!(crate::shadow::get(to as usize + 6), crate::node::input(0, 1));
    }
}

unsafe extern "C" fn by_byte(a: *const c_void, b: *const c_void) -> c_int {
    let (a, b) = (super::value::Value::byte_at(a as usize), super::value::Value::byte_at(b as usize));
    let d = a.zext(32).sub(b.zext(32));
    crate::tls::set_ret(d.label);
    d.now as c_int
}

#[test]
fn qsort_moves_labels_with_elements_and_pins_its_decisions() {
    let text = b"dbacbe";
    let lab = Lab::new(text);
    let p = lab.buffer(6, b"");
    // SAFETY: six elements of one byte.
    unsafe { super::order::__spm_qsort(p.cast(), 6, 1, by_byte) };
    // SAFETY: as above.
    let sorted = unsafe { std::slice::from_raw_parts(p, 6).to_vec() };
    assert_eq!(sorted, b"abbcde");
    let lifted = lab.lift();
    for (k, &c) in sorted.iter().enumerate() {
        assert_eq!(lifted.eval(crate::shadow::get(p as usize + k), text).low(), u64::from(c));
    }
    let events = lab.events();
    assert!(!events.is_empty() && lifted.assumptions_hold(&events, text));
    assert!(!lifted.assumptions_hold(&events, b"abcdef"));
}

#[test]
fn blocks_of_the_heap_are_born_concrete_and_known() {
    let lab = Lab::new(b"abcdefgh");
    // SAFETY: heap blocks used within their sizes.
    unsafe {
        let p = super::heap::__spm_malloc(24).cast::<u8>();
        crate::shadow::set(p as usize + 3, crate::node::input(0, 3));
        super::heap::__spm_free(p.cast());
        let q = super::heap::__spm_malloc(24).cast::<u8>();
        assert!(!crate::shadow::any(q as usize, 24));
        let object = crate::objects::find(q as usize + 20, 4).expect("known");
        assert_eq!((object.base, object.size), (q as usize, 24));
        assert!(crate::objects::find(q as usize + 22, 4).is_none());
        crate::shadow::set(q as usize + 3, crate::node::input(0, 3));
        let r = super::heap::__spm_realloc(q.cast(), 4000).cast::<u8>();
        assert_eq!(crate::shadow::get(r as usize + 3), crate::node::input(0, 3));
        assert_eq!(crate::objects::find(r as usize + 3999, 1).expect("known").size, 4000);
        super::heap::__spm_free(r.cast());
        assert!(crate::objects::find(r as usize, 1).is_none());
    }
    drop(lab);
}
