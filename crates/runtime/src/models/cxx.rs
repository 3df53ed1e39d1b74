//! What C++ needs of the runtime: pins for our own sources of the C++ library (`crates/instrument/cxx`), and memory of
//! exceptions.

use super::args::{Args, give_concrete};
use crate::libc::c_void;
use crate::{event, shadow};
use trace_abi::Reason;

/// `__spelunk_pin`: the value of this run, as a constraint that the engine may drop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___spelunk_pin(value: u64) -> u64 {
    let args = Args::take(__spm___spelunk_pin as *const () as usize);
    event::pin(args.label(0), value, Reason::Model, 0);
    give_concrete();
    value
}

/// Model of `__cxa_allocate_exception`: the C++ library takes the memory from the heap behind our back, where labels of
/// an earlier block may have been left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___cxa_allocate_exception(size: usize) -> *mut c_void {
    let real = super::weak_address!("__cxa_allocate_exception");
    if real.is_null() {
        crate::message::die("the program throws exceptions without a C++ library");
    }
    // SAFETY: the address of that function, called as by the program; it never answers with null.
    let p =
        unsafe { core::mem::transmute::<*const (), unsafe extern "C" fn(usize) -> *mut c_void>(real)(size) };
    shadow::clear(p as usize, size);
    give_concrete();
    p
}
