//! The environment: what the program sets keeps its labels until it is asked for.

use super::args::{give_concrete, symbolic};
use super::cut;
use crate::libc::{self, c_char, c_int};
use crate::shadow;

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *mut c_char;
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int;
}

/// The name is the one of this run.
unsafe fn pin_name(name: *const c_char) {
    if symbolic() {
        // SAFETY: a C string.
        cut::pin_bytes(name as usize, unsafe { libc::strlen(name) } + 1);
    }
}

/// Model of `setenv`: the C library's copy gets the labels of the value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int {
    give_concrete();
    // SAFETY: as called by the program.
    unsafe {
        let kept = overwrite == 0 && !getenv(name).is_null();
        let r = setenv(name, value, overwrite);
        if r == 0 && !kept && symbolic() {
            pin_name(name);
            let (n, copy) = (libc::strlen(value), getenv(name));
            if !copy.is_null() && copy.cast_const() != value && libc::strcmp(copy, value) == 0 {
                cut::pin_length(value as usize, n, true);
                shadow::copy(copy as usize, value as usize, n + 1);
            }
        }
        r
    }
}

/// Model of `getenv`: where the variable lies, its bytes have their labels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_getenv(name: *const c_char) -> *mut c_char {
    give_concrete();
    // SAFETY: as called by the program.
    unsafe {
        pin_name(name);
        getenv(name)
    }
}

/// Model of `secure_getenv`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_secure_getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: as called by the program.
    unsafe { __spm_getenv(name) }
}
