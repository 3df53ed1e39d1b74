//! Formatted output into memory: what is written carries the labels of what is printed (see [`print`]).

use super::args::{give_concrete, symbolic};
use super::print;
use super::varargs::{VaList, variadic};
use crate::libc::{self, c_char, c_int, c_void};
use crate::{objects, shadow};

variadic! {
    __spm_snprintf => snprintf, 3, "rcx";
    __spm_sprintf => sprintf, 2, "rdx";
    __spm_asprintf => asprintf, 2, "rdx";
    __spm___snprintf_chk => snprintf_chk, 5, "r9";
    __spm___sprintf_chk => sprintf_chk, 4, "r8";
    __spm___asprintf_chk => asprintf_chk, 3, "rcx";
}

/// What is to be printed, noted before the C library takes the arguments from the list.
struct Printing {
    format: *const c_char,
    args: VaList,
}

impl Printing {
    unsafe fn new(format: *const c_char, ap: *mut VaList) -> Printing {
        // SAFETY: the caller's list, not read yet.
        Printing { format, args: unsafe { (*ap).again() } }
    }

    /// After `len` characters (or as many as fit `room`, a NUL included) were written to `to`.
    ///
    /// # Safety
    /// They were, from these arguments.
    unsafe fn written(self, to: *mut c_char, room: usize, len: c_int) {
        if symbolic() && len >= 0 {
            let n = len as usize;
            shadow::clear(to as usize, (n + 1).min(room));
            // SAFETY: as the caller promises.
            unsafe { print::label(to, room, n, self.format, self.args) };
        }
        give_concrete();
    }
}

unsafe extern "C" fn snprintf(to: *mut c_char, room: usize, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe {
        let printing = Printing::new(format, ap);
        let r = libc::vsnprintf(to, room, format, ap.cast());
        printing.written(to, room, r);
        r
    }
}

/// Model of `vsnprintf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_vsnprintf(
    to: *mut c_char,
    room: usize,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { snprintf(to, room, format, ap) }
}

unsafe extern "C" fn sprintf(to: *mut c_char, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program; `vsnprintf` wants a size that no object exceeds.
    unsafe { snprintf(to, c_int::MAX as usize, format, ap) }
}

/// Model of `vsprintf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_vsprintf(to: *mut c_char, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe { sprintf(to, format, ap) }
}

fn overrun() -> ! {
    crate::message::warn("buffer overflow detected in formatted output");
    // SAFETY: ends the process as the C library does.
    unsafe { libc::abort() }
}

unsafe extern "C" fn snprintf_chk(
    to: *mut c_char,
    room: usize,
    _flag: c_int,
    object: usize,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    if room > object {
        overrun();
    }
    // SAFETY: as called by the program.
    unsafe { snprintf(to, room, format, ap) }
}

/// Model of `__vsnprintf_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___vsnprintf_chk(
    to: *mut c_char,
    room: usize,
    flag: c_int,
    object: usize,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { snprintf_chk(to, room, flag, object, format, ap) }
}

unsafe extern "C" fn sprintf_chk(
    to: *mut c_char,
    _flag: c_int,
    object: usize,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    let room = object.min(c_int::MAX as usize);
    // SAFETY: as called by the program; no more than the object is written.
    let r = unsafe { snprintf(to, room, format, ap) };
    if r >= 0 && r as usize >= object {
        overrun();
    }
    r
}

/// Model of `__vsprintf_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___vsprintf_chk(
    to: *mut c_char,
    flag: c_int,
    object: usize,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { sprintf_chk(to, flag, object, format, ap) }
}

unsafe extern "C" fn asprintf(out: *mut *mut c_char, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program; on success `*out` is a block of `r + 1` bytes.
    unsafe {
        let printing = Printing::new(format, ap);
        let r = libc::vasprintf(out, format, ap.cast::<c_void>());
        shadow::clear(out as usize, 8);
        if r >= 0 {
            objects::born((*out).cast(), r as usize + 1);
            printing.written(*out, r as usize + 1, r);
        }
        give_concrete();
        r
    }
}

/// Model of `vasprintf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_vasprintf(
    out: *mut *mut c_char,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { asprintf(out, format, ap) }
}

unsafe extern "C" fn asprintf_chk(
    out: *mut *mut c_char,
    _flag: c_int,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { asprintf(out, format, ap) }
}
