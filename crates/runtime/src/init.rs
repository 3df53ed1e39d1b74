//! Before constructors: shadow memory, a private trace mapping, tables of functions and globals.
//!
//! Runs from `.preinit_array`, where the C library has not set `environ` yet. Shadow memory fits the usual
//! address layout, randomised or not; where a kernel randomises more bits, the program is executed again with
//! randomisation off (`personality(2)`), and where that is refused, the rest of the shadow is mapped too.

use crate::{icall, libc, message, objects, shadow, state};
use core::ffi::{c_char, c_int};
use trace_abi::Flavour;

#[cfg(spelunk_staticlib)]
#[used]
#[unsafe(link_section = ".preinit_array")]
static INIT: unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) = __sp_init;

/// Sets the runtime up. Idempotent; called by the loader before any constructor.
///
/// # Safety
/// Called with the process's argument and environment vectors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_init(_argc: c_int, argv: *const *const c_char, envp: *const *const c_char) {
    if !state::header().is_null() {
        return;
    }
    let tracing = state::module().is_none_or(|m| m.flavour != Flavour::Fast as u32);
    if tracing {
        if !addresses_fit() {
            without_randomisation(argv, envp);
        }
        shadow::map();
        if !addresses_fit() && !shadow::map_unusual() {
            message::die(
                "this machine randomises addresses too widely for shadow memory; \
                 run `sysctl vm.mmap_rnd_bits=28` or allow personality(2)",
            );
        }
        objects::index_globals();
    }
    icall::index_functions();
    let layout = state::private_layout(state::coverage_len());
    state::attach_private(layout);
}

/// Whether code, stack and libraries all lie where the usual shadow is.
fn addresses_fit() -> bool {
    let on_stack = 0u8;
    let places = [
        addresses_fit as *const () as u64,
        &raw const on_stack as u64,
        libc::mmap as *const () as u64,
        crate::tls::thread_id(),
    ];
    places.iter().all(|&p| shadow::covers(p))
}

/// Executes this program again without address randomisation; returns only if that is not possible.
fn without_randomisation(argv: *const *const c_char, envp: *const *const c_char) {
    unsafe extern "C" {
        fn execve(path: *const c_char, argv: *const *const c_char, envp: *const *const c_char) -> c_int;
    }
    const QUERY: u64 = 0xffff_ffff;
    // SAFETY: asks for, then sets, a flag of this process; then replaces the process image by the same program.
    unsafe {
        let persona = libc::personality(QUERY);
        if persona < 0 || persona as u64 & libc::ADDR_NO_RANDOMIZE != 0 {
            return;
        }
        if libc::personality(persona as u64 | libc::ADDR_NO_RANDOMIZE) < 0 {
            return;
        }
        execve(c"/proc/self/exe".as_ptr(), argv, envp);
        libc::personality(persona as u64);
    }
}
