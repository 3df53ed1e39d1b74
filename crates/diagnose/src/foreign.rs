//! Whose a function is, by its name: the program's, or one that sanitizers, the C and C++ libraries or Spelunk bring.
//!
//! A mistake is where the program makes it, not in the machinery that says so: `abort` and what it calls, failed assertions,
//! exceptions that nobody catches, checked functions of `_FORTIFY_SOURCE`, handlers of sanitizers.

/// How names begin that no program may give to its functions, or that only libraries have.
const PREFIXES: &[&str] = &[
    "__asan",
    "__assert",
    "__cxa_",
    "__cxxabiv1::",
    "__fortify_fail",
    "__GI_",
    "__gnu_cxx::__verbose_terminate_handler",
    "__hwasan",
    "__interceptor",
    "___interceptor",
    "__interception",
    "__libc_",
    "__lsan",
    "__msan",
    "__pthread_kill",
    "__restore_rt",
    "__sanitizer",
    "__sp_",
    "__spelunk_",
    "__stack_chk_fail",
    "__tsan",
    "__ubsan",
    "_Unwind_",
    "_start",
    "std::__1::__libcpp_",
    "std::__1::__throw_",
    "std::__glibcxx_assert",
    "std::__libcpp_",
    "std::__terminate",
    "std::__throw_",
    "std::rethrow_exception",
    "std::terminate",
    "std::unexpected",
];

/// Functions of the C and C++ libraries at which mistakes show; a program may have its own ones of these names.
const LIBRARY: &[&str] = &[
    "__chk_fail",
    "_exit",
    "abort",
    "aligned_alloc",
    "calloc",
    "exit",
    "free",
    "gsignal",
    "kill",
    "malloc",
    "pthread_kill",
    "raise",
    "realloc",
    "tgkill",
];

/// Whether nobody's program has a function of this name.
pub fn is_foreign(function: &str) -> bool {
    let checked = function.starts_with("__") && function.ends_with("_chk");
    checked || PREFIXES.iter().any(|prefix| function.starts_with(prefix))
}

/// Whether a function of this name, about which nothing else is known, is one of a library.
pub fn is_library(function: &str) -> bool {
    let allocates = function.starts_with("operator new") || function.starts_with("operator delete");
    allocates || LIBRARY.contains(&function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machinery_is_told_from_programs() {
        let foreign = [
            "__ubsan_handle_add_overflow_abort",
            "__sanitizer::Die()",
            "__ubsan::Value::getSIntValue() const",
            "__assert_fail",
            "__cxa_throw",
            "std::terminate()",
            "std::__throw_out_of_range_fmt(char const*, ...)",
            "__memcpy_chk",
            "__stack_chk_fail",
        ];
        assert_eq!(foreign.iter().find(|name| !is_foreign(name)), None);
        for own in ["abort_all", "main", "std::vector<int>::at(unsigned long)", "terminate", "my__chk"] {
            assert!(!is_foreign(own) && !is_library(own), "{own}");
        }
        assert!(is_library("abort") && is_library("operator new(unsigned long)"));
    }
}
