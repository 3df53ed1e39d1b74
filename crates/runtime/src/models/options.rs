//! `getopt` and `getopt_long`: the C library reads the arguments; what it saw in them is decided, character by character.
//!
//! After each call the same arguments are gone through once more: which are options at all, which option a letter or a
//! name is, whether it has a value. All that the library does with arguments (their order, `optarg`, `optind`) follows
//! from these decisions and keeps labels, since the arguments themselves stay where they are.

use super::args::{give_concrete, symbolic};
use super::scan::byte;
use super::value::Value;
use crate::libc::{c_char, c_int};
use crate::{event, shadow, sys};
use core::ptr::null;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// `struct option`.
#[repr(C)]
#[derive(Debug)]
pub struct LongOption {
    name: *const c_char,
    has_arg: c_int,
    flag: *mut c_int,
    val: c_int,
}

unsafe extern "C" {
    static optind: c_int;
    fn getopt(argc: c_int, argv: *const *mut c_char, options: *const c_char) -> c_int;
    fn getopt_long(
        argc: c_int,
        argv: *const *mut c_char,
        options: *const c_char,
        long: *const LongOption,
        index: *mut c_int,
    ) -> c_int;
    fn getopt_long_only(
        argc: c_int,
        argv: *const *mut c_char,
        options: *const c_char,
        long: *const LongOption,
        index: *mut c_int,
    ) -> c_int;
}

/// The letters of the current argument that are still to come; null: a new argument is next.
static REST: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

/// What was there before the library changed it.
struct Seen {
    /// Where in the arguments the next call begins.
    index: usize,
    rest: *const c_char,
    argc: usize,
    argv: *const *mut c_char,
}

/// Whether the byte is this one, now decided.
fn is(at: *const c_char, c: u8) -> bool {
    event::decide(Value::byte_at(at as usize).equals(byte(c)))
}

impl Seen {
    /// # Safety
    /// Called right before the library, with its arguments.
    unsafe fn new(argc: c_int, argv: *const *mut c_char) -> Seen {
        // SAFETY: the library's own variable.
        let index = unsafe { optind };
        let rest = if index <= 0 { null() } else { REST.load(Relaxed).cast_const() };
        Seen { index: index.max(1) as usize, rest, argc: argc.max(0) as usize, argv }
    }

    /// The next argument that is an option, decided argument by argument; null: there is none. `args` are the arguments in
    /// the order before the call.
    ///
    /// # Safety
    /// The arguments are C strings.
    unsafe fn option(&self, args: &[*mut c_char], in_order: bool) -> *const c_char {
        for &arg in &args[self.index.min(args.len())..] {
            let arg = arg.cast_const();
            if is(arg, b'-') && !is(arg.wrapping_add(1), 0) {
                if is(arg.wrapping_add(1), b'-') && is(arg.wrapping_add(2), 0) {
                    return null();
                }
                return arg.wrapping_add(1);
            }
            if in_order {
                return null();
            }
        }
        null()
    }
}

/// Arguments looked at in one call.
const MAX_ARGS: usize = 256;

/// Goes through what a call that returned `r` saw.
///
/// # Safety
/// The call's own arguments, in the order before it.
unsafe fn follow(
    seen: &Seen,
    args: &[*mut c_char],
    options: *const c_char,
    (long, only): (*const LongOption, bool),
    r: c_int,
) {
    // SAFETY: C strings of the program.
    unsafe {
        let letters = sys::bytes(options);
        let in_order = letters.first().is_some_and(|&c| c == b'+' || c == b'-');
        let mut at = seen.rest;
        if at.is_null() || *at == 0 {
            at = seen.option(args, in_order);
            if at.is_null() {
                return REST.store(core::ptr::null_mut(), Relaxed);
            }
            if only {
                long_option(at, long);
            }
            if !long.is_null() && is(at, b'-') {
                long_option(at.add(1), long);
                return REST.store(core::ptr::null_mut(), Relaxed);
            }
        }
        let known = letters.iter().enumerate().filter(|(_, c)| !matches!(c, b':' | b'+' | b'-'));
        let found = known.map(|(k, &c)| (k, c)).find(|&(_, c)| is(at, c));
        let takes = found.is_some_and(|(k, _)| letters.get(k + 1) == Some(&b':'));
        let more = !is(at.add(1), 0);
        let rest = if r == -1 || takes || !more { null() } else { at.add(1) };
        REST.store(rest.cast_mut(), Relaxed);
    }
}

/// Decides which long option the text is: one of that very name, else those it abbreviates.
///
/// # Safety
/// C strings, and a table that ends with a null name.
unsafe fn long_option(text: *const c_char, long: *const LongOption) {
    // SAFETY: as the caller promises.
    unsafe {
        for exact in [true, false] {
            let mut option = long;
            while !(*option).name.is_null() {
                if event::decide(names(text, sys::bytes((*option).name), exact)) && exact {
                    return;
                }
                option = option.add(1);
            }
        }
    }
}

/// Whether the text up to its end or `=` is the name (or the beginning of it). Nothing behind the text's end in this
/// run is looked at: that the text goes on there is a condition for being the name.
///
/// # Safety
/// A C string.
unsafe fn names(text: *const c_char, name: &[u8], exact: bool) -> Value {
    let mut all = Value::constant(1, 1);
    let ends = |v: Value| v.equals(byte(0)).or(v.equals(byte(b'=')));
    for k in 0..=name.len() {
        let v = Value::byte_at(text as usize + k);
        let same = if k < name.len() { v.equals(byte(name[k])) } else { ends(v) };
        let over = ends(v).now == 1;
        all = all.and(if exact || k == name.len() { same } else { same.or(ends(v)) });
        if over || v.now == 0 {
            break;
        }
    }
    all
}

/// Calls the library's function and follows what it saw.
///
/// # Safety
/// The call's own arguments.
unsafe fn call(
    argc: c_int,
    argv: *const *mut c_char,
    options: *const c_char,
    long: *const LongOption,
    only: bool,
    library: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: as the caller promises: as many arguments as it says.
    unsafe {
        let seen = Seen::new(argc, argv);
        let mut args = [core::ptr::null_mut(); MAX_ARGS];
        let n = seen.argc.min(MAX_ARGS);
        for (k, arg) in args[..n].iter_mut().enumerate() {
            *arg = *seen.argv.add(k);
        }
        let r = library();
        if symbolic() {
            follow(&seen, &args[..n], options, (long, only), r);
        }
        give_concrete();
        r
    }
}

/// Model of `getopt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_getopt(
    argc: c_int,
    argv: *const *mut c_char,
    options: *const c_char,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { call(argc, argv, options, null(), false, || getopt(argc, argv, options)) }
}

macro_rules! long_options {
    ($($model:ident = $real:ident, $only:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(
            argc: c_int,
            argv: *const *mut c_char,
            options: *const c_char,
            long: *const LongOption,
            index: *mut c_int,
        ) -> c_int {
            // SAFETY: as called by the program.
            unsafe {
                let r = call(argc, argv, options, long, $only, || $real(argc, argv, options, long, index));
                if !index.is_null() {
                    shadow::clear(index as usize, 4);
                }
                r
            }
        }
    )+};
}
long_options! {
    __spm_getopt_long = getopt_long, false;
    __spm_getopt_long_only = getopt_long_only, true;
}
