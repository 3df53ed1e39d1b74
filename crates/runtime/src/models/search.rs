//! `lfind`, `lsearch`, the trees of `tsearch`, and the hash table of `hsearch`: each comparison is a decision.

use super::args::{Args, give_concrete};
use super::order::{Comparator, zero};
use super::value::Value;
use crate::libc::{self, c_char, c_int, c_void};
use crate::{event, shadow};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use trace_abi::Reason;

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// Whether two elements are the same, now decided.
///
/// # Safety
/// Elements of the program for its comparator.
unsafe fn same(compare: Compare, a: *const c_void, b: *const c_void) -> bool {
    // SAFETY: as the caller promises.
    event::decide(unsafe { Comparator::Plain(compare).call(a, b) }.equals(zero()))
}

unsafe fn find(
    key: *const c_void,
    base: *const c_void,
    n: usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    for k in 0..n {
        let at = base.cast::<u8>().wrapping_add(k * size).cast::<c_void>();
        // SAFETY: the program's key and elements.
        if unsafe { same(compare, key, at) } {
            return at.cast_mut();
        }
    }
    core::ptr::null_mut()
}

/// Model of `lfind`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_lfind(
    key: *const c_void,
    base: *const c_void,
    n: *const usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let args = Args::take(__spm_lfind as *const () as usize);
    event::pin(args.label(3), size as u64, Reason::Size, 0);
    // SAFETY: as called by the program.
    let found = unsafe { find(key, base, *n, size, compare) };
    give_concrete();
    found
}

/// Model of `lsearch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_lsearch(
    key: *const c_void,
    base: *mut c_void,
    n: *mut usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let args = Args::take(__spm_lsearch as *const () as usize);
    event::pin(args.label(3), size as u64, Reason::Size, 0);
    // SAFETY: as called by the program: there is room for one more.
    unsafe {
        let mut found = find(key, base, *n, size, compare);
        if found.is_null() {
            found = base.cast::<u8>().wrapping_add(*n * size).cast();
            shadow::copy(found as usize, key as usize, size);
            libc::memcpy(found, key, size);
            *n += 1;
        }
        give_concrete();
        found
    }
}

/// A node of glibc's trees (since version 2.24; the lowest bit of `left` is the colour).
#[repr(C)]
struct Node {
    key: *const c_void,
    left: usize,
    right: usize,
}

/// The node with this key, each comparison on the way decided.
///
/// # Safety
/// A tree of `tsearch`, and its comparator.
unsafe fn find_node(key: *const c_void, root: *const *mut Node, compare: Compare) -> *mut Node {
    // SAFETY: as the caller promises.
    unsafe {
        let mut node = if root.is_null() { core::ptr::null_mut() } else { *root };
        while !node.is_null() {
            let order = Comparator::Plain(compare).call(key, (*node).key);
            if event::decide(order.equals(zero())) {
                break;
            }
            let less = event::decide(order.slt(zero()));
            node = (if less { (*node).left & !1 } else { (*node).right & !1 }) as *mut Node;
        }
        node
    }
}

macro_rules! trees {
    ($($model:ident = $real:ident, $root:ty;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(key: *const c_void, root: $root, compare: Compare) -> *mut c_void {
            unsafe extern "C" {
                fn $real(key: *const c_void, root: $root, compare: Compare) -> *mut c_void;
            }
            // SAFETY: as called by the program.
            unsafe {
                let found = find_node(key, root.cast(), compare);
                let r = if found.is_null() { $real(key, root, compare) } else { found.cast() };
                give_concrete();
                r
            }
        }
    )+};
}
trees! {
    __spm_tsearch = tsearch, *mut *mut c_void;
    __spm_tfind = tfind, *const *mut c_void;
}

/// `ENTRY`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    key: *mut c_char,
    data: *mut c_void,
}

/// Whether two strings are equal, now decided as a whole.
///
/// # Safety
/// C strings.
unsafe fn equal(a: *const c_char, b: *const c_char) -> bool {
    // SAFETY: as the caller promises.
    event::decide(unsafe { super::string::compare_strings(a, b) }.equals(Value::constant(32, 0)))
}

/// Most keys that are compared with one looked for.
const MAX_KEYS: usize = 512;
static KEYS: [AtomicUsize; MAX_KEYS] = [const { AtomicUsize::new(0) }; MAX_KEYS];
static N_KEYS: AtomicUsize = AtomicUsize::new(0);

/// The keys entered so far, as addresses.
fn keys() -> impl Iterator<Item = usize> {
    KEYS[..N_KEYS.load(Relaxed).min(MAX_KEYS)].iter().map(|k| k.load(Relaxed))
}

/// Model of `hsearch`: the key is compared with each that was entered before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_hsearch(item: Entry, action: c_int) -> *mut Entry {
    unsafe extern "C" {
        fn hsearch(item: Entry, action: c_int) -> *mut Entry;
    }
    const ENTER: c_int = 1;
    // SAFETY: as called by the program; keys entered stay valid as long as the table.
    unsafe {
        if super::args::symbolic() {
            keys().any(|k| equal(item.key, k as *const c_char));
        }
        let r = hsearch(item, action);
        if !r.is_null() && action == ENTER && (*r).key == item.key {
            let key = item.key as usize;
            let n = N_KEYS.load(Relaxed);
            if n < MAX_KEYS && keys().all(|k| k != key) {
                KEYS[n].store(key, Relaxed);
                N_KEYS.store(n + 1, Relaxed);
            }
        }
        give_concrete();
        r
    }
}

/// Model of `hdestroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_hdestroy() {
    unsafe extern "C" {
        fn hdestroy();
    }
    N_KEYS.store(0, Relaxed);
    // SAFETY: as called by the program.
    unsafe { hdestroy() };
}
