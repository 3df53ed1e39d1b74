//! Formatted output into memory: what is written is concrete, and labelled arguments are recorded as lost.

use super::args::{give_concrete, symbolic};
use super::varargs::{VaList, variadic};
use crate::libc::{self, c_char, c_int, c_void};
use crate::{event, objects, shadow, tls};
use trace_abi::{ARG_SLOTS, Reason};

variadic! {
    __spm_snprintf => snprintf, 3, "rcx";
    __spm_sprintf => sprintf, 2, "rdx";
    __spm_asprintf => asprintf, 2, "rdx";
    __spm___snprintf_chk => snprintf_chk, 5, "r9";
    __spm___sprintf_chk => sprintf_chk, 4, "r8";
    __spm___asprintf_chk => asprintf_chk, 3, "rcx";
}

/// Records that labelled arguments go into text as plain digits. The callee is whoever was called last: labels
/// are there only if the caller wrote them for this very call.
fn note_labelled_arguments() {
    let t = tls::tls();
    // SAFETY: this thread's record.
    unsafe {
        let given = !(*t).callee.is_null();
        (*t).callee = core::ptr::null();
        if given && (0..ARG_SLOTS.min(16)).any(|k| crate::node::is_known((*t).args[k])) {
            event::lose(Reason::Model, 0, 0);
        }
    }
}

/// After `len` characters (or as many as fit `room`, a NUL included) were written to `to`.
fn written(to: *mut c_char, room: usize, len: c_int) {
    give_concrete();
    if symbolic() {
        note_labelled_arguments();
        let n = (len.max(0) as usize + 1).min(room);
        shadow::clear(to as usize, n);
    }
}

unsafe extern "C" fn snprintf(to: *mut c_char, room: usize, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    let r = unsafe { libc::vsnprintf(to, room, format, ap.cast()) };
    written(to, room, r);
    r
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
        let r = libc::vasprintf(out, format, ap.cast::<c_void>());
        shadow::clear(out as usize, 8);
        if r >= 0 {
            objects::born((*out).cast(), r as usize + 1);
            written(*out, r as usize + 1, r);
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
