//! The runtime: what is linked into an instrumented program.
//!
//! It keeps labels in shadow memory, appends expression nodes and events to the mapping shared with the
//! engine, models library functions, and serves runs. It knows no solver, allocates nothing from the
//! program's heap (only private mappings), and calls only functions of the C library.
//!
//! In data-flow order: init (before constructors) maps [`shadow`] and attaches [`state`]; input bytes get
//! labels; instrumented code and the library models make nodes ([`node`], through the rules of
//! simplify) and events (event).
#![cfg_attr(not(test), no_std)]

pub mod abi;
pub mod arguments;
pub mod arithmetic;
pub mod assume;
pub mod batch;
pub mod bias;
mod by_hand;
pub mod conventions;
pub mod crash;
pub mod event;
pub mod external;
pub mod files;
pub mod float_mode;
pub mod icall;
pub mod indexed;
pub mod init;
pub mod libc;
pub mod lock;
pub mod memory;
pub mod message;
pub mod models;
pub mod net;
pub mod node;
pub mod objects;
pub mod pointers;
pub mod repeats;
pub mod server;
pub mod shadow;
pub mod simplify;
pub mod snapshot;
pub mod sockets;
pub mod start;
pub mod state;
pub mod sys;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod threads;
pub mod tls;
pub mod values;
pub mod vectors;

#[cfg(spelunk_staticlib)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    message::warn("the runtime failed (a bug in Spelunk); the program is stopped");
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

// Parts of `core` refer to the unwinder's personality even where panics abort. Weak: a program with Rust code
// in it brings its own.
#[cfg(spelunk_staticlib)]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".type rust_eh_personality,@function",
    "rust_eh_personality:",
    "ud2",
    ".size rust_eh_personality, . - rust_eh_personality",
);
