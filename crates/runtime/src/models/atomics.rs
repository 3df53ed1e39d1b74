//! libatomic: atomic operations that the compiler leaves to a library, on objects of any size.
//!
//! Loads, stores and exchanges of whole objects move their labels as copies do; a compare-and-exchange decides by bytes,
//! and is followed for the way it went (the bytes compared are pinned).

use super::args::{give_concrete, symbolic};
use crate::libc::c_int;
use crate::{event, memory, shadow};
use trace_abi::Reason;

/// Calls the library's function of this name and type.
macro_rules! library {
    ($name:literal, fn($($ty:ty),*) $(-> $ret:ty)?, $($arg:expr),*) => {{
        let address = super::weak_address!($name);
        // SAFETY: the program needs the function, so it is linked; it is of this type.
        unsafe {
            let f = core::mem::transmute::<*const (), unsafe extern "C" fn($($ty),*) $(-> $ret)?>(address);
            f($($arg),*)
        }
    }};
}

/// Model of `__atomic_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_load(n: usize, from: *const u8, to: *mut u8, order: c_int) {
    shadow::copy(to as usize, from as usize, n);
    library!("__atomic_load", fn(usize, *const u8, *mut u8, c_int), n, from, to, order);
}

/// Model of `__atomic_store`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_store(n: usize, to: *mut u8, from: *const u8, order: c_int) {
    shadow::copy(to as usize, from as usize, n);
    library!("__atomic_store", fn(usize, *mut u8, *const u8, c_int), n, to, from, order);
}

/// Model of `__atomic_exchange`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_exchange(
    n: usize,
    at: *mut u8,
    new: *const u8,
    old: *mut u8,
    order: c_int,
) {
    shadow::copy(old as usize, at as usize, n);
    shadow::copy(at as usize, new as usize, n);
    library!("__atomic_exchange", fn(usize, *mut u8, *const u8, *mut u8, c_int), n, at, new, old, order);
}

/// Pins each labelled byte of `n` bytes.
fn pin(at: usize, n: usize) {
    for address in at..at + n {
        let byte = memory::byte(address);
        if byte.label != 0 {
            // SAFETY: a labelled byte is memory of the program.
            event::pin(byte.label, u64::from(unsafe { *(address as *const u8) }), Reason::Atomic, 0);
        }
    }
}

/// Model of `__atomic_compare_exchange`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_compare_exchange(
    n: usize,
    at: *mut u8,
    expected: *mut u8,
    new: *const u8,
    success: c_int,
    failure: c_int,
) -> bool {
    if symbolic() {
        pin(at as usize, n);
        pin(expected as usize, n);
    }
    let done = library!(
        "__atomic_compare_exchange",
        fn(usize, *mut u8, *mut u8, *const u8, c_int, c_int) -> bool,
        n,
        at,
        expected,
        new,
        success,
        failure
    );
    match done {
        true => shadow::copy(at as usize, new as usize, n),
        false => shadow::copy(expected as usize, at as usize, n),
    }
    give_concrete();
    done
}

/// Model of `__atomic_load_16`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_load_16(from: *const u8, order: c_int) -> u128 {
    let value = library!("__atomic_load_16", fn(*const u8, c_int) -> u128, from, order);
    crate::tls::set_ret(memory::load(from as usize, 16, 128));
    value
}

/// Model of `__atomic_store_16`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_store_16(to: *mut u8, value: u128, order: c_int) {
    let args = super::args::Args::take(__spm___atomic_store_16 as *const () as usize);
    memory::store(to as usize, 16, args.label(1));
    library!("__atomic_store_16", fn(*mut u8, u128, c_int), to, value, order);
}

/// Model of `__atomic_exchange_16`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___atomic_exchange_16(at: *mut u8, value: u128, order: c_int) -> u128 {
    let args = super::args::Args::take(__spm___atomic_exchange_16 as *const () as usize);
    let label = memory::load(at as usize, 16, 128);
    let old = library!("__atomic_exchange_16", fn(*mut u8, u128, c_int) -> u128, at, value, order);
    memory::store(at as usize, 16, args.label(1));
    crate::tls::set_ret(label);
    old
}
