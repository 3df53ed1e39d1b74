//! The heap: blocks are born concrete, and small ones are remembered as objects.

use super::args::{Args, give_concrete};
use crate::libc::{self, c_int, c_void};
use crate::{event, objects, shadow, state, tls};
use trace_abi::Reason;

/// Pins a labelled size: the block has the size of this run.
fn pin_size(args: &Args, k: usize, size: usize) {
    event::pin(args.label(k), size as u64, Reason::Size, 0);
}

fn block(p: *mut c_void, size: usize) -> *mut c_void {
    objects::born(p.cast(), size);
    give_concrete();
    p
}

/// Model of `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_malloc(size: usize) -> *mut c_void {
    let args = Args::take(__spm_malloc as *const () as usize);
    pin_size(&args, 0, size);
    // SAFETY: as called by the program.
    block(unsafe { libc::malloc(size) }, size)
}

/// Model of `calloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_calloc(n: usize, size: usize) -> *mut c_void {
    let args = Args::take(__spm_calloc as *const () as usize);
    pin_size(&args, 0, n);
    pin_size(&args, 1, size);
    // SAFETY: as called by the program.
    block(unsafe { libc::calloc(n, size) }, n.saturating_mul(size))
}

fn resized(old: *mut c_void, old_len: usize, new: *mut c_void, size: usize) -> *mut c_void {
    give_concrete();
    if new.is_null() {
        if size == 0 {
            objects::died(old.cast());
        }
        return new;
    }
    let kept = old_len.min(size);
    objects::died(old.cast());
    if new != old && !old.is_null() {
        shadow::copy(new as usize, old as usize, kept);
        shadow::clear(old as usize, old_len);
    }
    shadow::clear(new as usize + kept, size - kept);
    objects::note(new as usize, size);
    new
}

fn usable(p: *mut c_void) -> usize {
    // SAFETY: a block of the heap, or null.
    if p.is_null() { 0 } else { unsafe { libc::malloc_usable_size(p) } }
}

/// Model of `realloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let args = Args::take(__spm_realloc as *const () as usize);
    pin_size(&args, 1, size);
    let old_len = usable(old);
    // SAFETY: as called by the program.
    resized(old, old_len, unsafe { libc::realloc(old, size) }, size)
}

/// Model of `reallocarray`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_reallocarray(old: *mut c_void, n: usize, size: usize) -> *mut c_void {
    let args = Args::take(__spm_reallocarray as *const () as usize);
    pin_size(&args, 1, n);
    pin_size(&args, 2, size);
    let old_len = usable(old);
    // SAFETY: as called by the program.
    resized(old, old_len, unsafe { libc::reallocarray(old, n, size) }, n.saturating_mul(size))
}

/// A block is no more: who gets its memory next may be a library, whose stores leave labels as they are.
fn forget(p: *mut c_void) {
    objects::died(p.cast());
    if state::recording() {
        shadow::clear(p as usize, usable(p));
    }
}

/// Model of `free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_free(p: *mut c_void) {
    forget(p);
    // SAFETY: as called by the program.
    unsafe { libc::free(p) }
}

/// Model of `posix_memalign`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int {
    let args = Args::take(__spm_posix_memalign as *const () as usize);
    pin_size(&args, 2, size);
    // SAFETY: as called by the program; on success `*out` was written.
    unsafe {
        let r = libc::posix_memalign(out, align, size);
        if r == 0 {
            shadow::clear(out as usize, 8);
            block(*out, size);
        }
        give_concrete();
        r
    }
}

macro_rules! aligned {
    ($($model:ident = $real:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(align: usize, size: usize) -> *mut c_void {
            let args = Args::take($model as *const () as usize);
            pin_size(&args, 1, size);
            // SAFETY: as called by the program.
            block(unsafe { libc::$real(align, size) }, size)
        }
    )+};
}
aligned!(__spm_aligned_alloc = aligned_alloc, __spm_memalign = memalign);

/// Model of `valloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_valloc(size: usize) -> *mut c_void {
    let args = Args::take(__spm_valloc as *const () as usize);
    pin_size(&args, 0, size);
    // SAFETY: as called by the program.
    block(unsafe { libc::memalign(4096, size) }, size)
}

/// `operator new`: first the variant that does not throw; only where that fails the one that does.
fn operator_new(size: usize, nothrow: *const (), throwing: *const ()) -> *mut c_void {
    if nothrow.is_null() || throwing.is_null() {
        // SAFETY: allocates; a program that calls `operator new` has both, this is the last resort.
        return block(unsafe { libc::malloc(size) }, size);
    }
    let tag = 0u8;
    // SAFETY: addresses of `operator new(size_t, nothrow_t const &)` and `operator new(size_t)`.
    let p = unsafe {
        let quiet =
            core::mem::transmute::<*const (), unsafe extern "C" fn(usize, *const u8) -> *mut c_void>(nothrow);
        let p = quiet(size, &raw const tag);
        if p.is_null() {
            let loud = core::mem::transmute::<*const (), unsafe extern "C-unwind" fn(usize) -> *mut c_void>(
                throwing,
            );
            loud(size)
        } else {
            p
        }
    };
    block(p, size)
}

/// Model of `operator new(size_t)`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __spm__Znwm(size: usize) -> *mut c_void {
    let args = Args::take(__spm__Znwm as *const () as usize);
    pin_size(&args, 0, size);
    operator_new(size, super::weak_address!("_ZnwmRKSt9nothrow_t"), super::weak_address!("_Znwm"))
}

/// Model of `operator new[](size_t)`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __spm__Znam(size: usize) -> *mut c_void {
    let args = Args::take(__spm__Znam as *const () as usize);
    pin_size(&args, 0, size);
    operator_new(size, super::weak_address!("_ZnamRKSt9nothrow_t"), super::weak_address!("_Znam"))
}

macro_rules! deletes {
    ($($model:ident = $name:literal),+) => {$(
        /// Model of the `operator delete` of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(p: *mut c_void, size: usize) {
            forget(p);
            let real = super::weak_address!($name);
            if real.is_null() {
                return;
            }
            // SAFETY: the address of that operator; a size that it does not take is ignored by the calling convention.
            unsafe { core::mem::transmute::<*const (), unsafe extern "C" fn(*mut c_void, usize)>(real)(p, size) }
        }
    )+};
}
deletes!(
    __spm__ZdlPv = "_ZdlPv",
    __spm__ZdaPv = "_ZdaPv",
    __spm__ZdlPvm = "_ZdlPvm",
    __spm__ZdaPvm = "_ZdaPvm"
);

/// A string's copy in a new block, with its labels.
///
/// # Safety
/// `from` has `len` bytes.
unsafe fn duplicate(from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: copies as many bytes as there are, plus the NUL, into a block of that size.
    unsafe {
        let p = libc::malloc(len + 1).cast::<u8>();
        if !p.is_null() {
            core::ptr::copy_nonoverlapping(from, p, len);
            *p.add(len) = 0;
            objects::born(p, len + 1);
            if state::recording() {
                shadow::copy(p as usize, from as usize, len);
            }
        }
        tls::set_ret(0);
        p
    }
}

macro_rules! strdups {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const u8) -> *mut u8 {
            // SAFETY: a C string; its terminator keeps its label too.
            unsafe {
                let n = libc::strlen(s.cast());
                let p = duplicate(s, n);
                if !p.is_null() && state::recording() {
                    shadow::copy(p as usize + n, s as usize + n, 1);
                }
                p
            }
        }
    )+};
}
strdups!(__spm_strdup, __spm___strdup);

/// Model of `strndup`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strndup(s: *const u8, max: usize) -> *mut u8 {
    let args = Args::take(__spm_strndup as *const () as usize);
    event::pin(args.label(1), max as u64, Reason::Size, 0);
    // SAFETY: as called by the program.
    unsafe { duplicate(s, libc::strnlen(s.cast(), max)) }
}
