//! The C library's `cbrt`, looked up at run time.
//!
//! Rust's support library has functions of this name too, which round correctly, and a Rust executable is linked with
//! those. A tested program calls the C library's, which may differ in the last bit. (The other functions that both
//! libraries have are exact, and so the same.)

use std::ffi::{CStr, c_char, c_void};
use std::sync::LazyLock;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: i32) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `RTLD_LAZY`.
const LAZY: i32 = 1;

/// The function in double precision.
pub(crate) static DOUBLE: LazyLock<extern "C" fn(f64) -> f64> = LazyLock::new(|| {
    // SAFETY: the C library's `cbrt` has this type.
    find(c"cbrt").map_or(Rust::cbrt, |f| unsafe { std::mem::transmute::<*mut c_void, _>(f) })
});

/// The function in single precision.
pub(crate) static SINGLE: LazyLock<extern "C" fn(f32) -> f32> = LazyLock::new(|| {
    // SAFETY: the C library's `cbrtf` has this type.
    find(c"cbrtf").map_or(Rust::cbrtf, |f| unsafe { std::mem::transmute::<*mut c_void, _>(f) })
});

/// What stands in where the library is linked statically.
struct Rust;

impl Rust {
    extern "C" fn cbrt(x: f64) -> f64 {
        x.cbrt()
    }

    extern "C" fn cbrtf(x: f32) -> f32 {
        x.cbrt()
    }
}

fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: both names are C strings; the library stays loaded for the life of the process.
    let found = unsafe {
        let library = dlopen(c"libm.so.6".as_ptr(), LAZY);
        if library.is_null() { library } else { dlsym(library, name.as_ptr()) }
    };
    (!found.is_null()).then_some(found)
}
