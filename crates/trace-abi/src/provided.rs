//! Which functions of input conventions the runtime brings under their own names.

/// Functions of `spelunk.h`, `crest.h`, `klee.h` and SV-COMP that the runtime defines (weakly: a program's own
/// definition wins). They follow the label conventions of [`crate::Tls`] themselves: argument labels under
/// their own address, return labels in `ret`. A call of one is no loss of precision.
pub const PROVIDED: &[&str] = &[
    "in_bytes",
    "__CrestUChar", "__CrestUShort", "__CrestUInt", "__CrestULong", "__CrestULongLong",
    "__CrestChar", "__CrestShort", "__CrestInt", "__CrestLong", "__CrestLongLong",
    "__CrestFloat", "__CrestDouble",
    "__VERIFIER_nondet_bool", "__VERIFIER_nondet__Bool",
    "__VERIFIER_nondet_char", "__VERIFIER_nondet_schar", "__VERIFIER_nondet_uchar",
    "__VERIFIER_nondet_unsigned_char", "__VERIFIER_nondet_u8",
    "__VERIFIER_nondet_short", "__VERIFIER_nondet_ushort", "__VERIFIER_nondet_unsigned_short",
    "__VERIFIER_nondet_u16",
    "__VERIFIER_nondet_int", "__VERIFIER_nondet_uint", "__VERIFIER_nondet_unsigned",
    "__VERIFIER_nondet_unsigned_int", "__VERIFIER_nondet_u32", "__VERIFIER_nondet_pthread_t",
    "__VERIFIER_nondet_sector_t",
    "__VERIFIER_nondet_long", "__VERIFIER_nondet_ulong", "__VERIFIER_nondet_unsigned_long",
    "__VERIFIER_nondet_longlong", "__VERIFIER_nondet_ulonglong", "__VERIFIER_nondet_size_t",
    "__VERIFIER_nondet_loff_t", "__VERIFIER_nondet_pointer", "__VERIFIER_nondet_pchar",
    "__VERIFIER_nondet_float", "__VERIFIER_nondet_double",
    "__VERIFIER_nondet_int128", "__VERIFIER_nondet_uint128", "__VERIFIER_nondet_memory",
    "__VERIFIER_assume", "__VERIFIER_assert", "__VERIFIER_error", "reach_error",
    "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end",
    "klee_make_symbolic", "klee_assume", "klee_range", "klee_int", "klee_is_symbolic", "klee_prefer_cex",
    "klee_is_replay", "klee_silent_exit", "klee_abort", "klee_report_error", "klee_warning",
    "klee_warning_once", "klee_mark_global", "klee_posix_prefer_cex", "klee_open_merge", "klee_close_merge",
    "klee_get_valuef", "klee_get_valued", "klee_get_valuel", "klee_get_valuell", "klee_get_value_i32",
    "klee_get_value_i64",
    "spelunk_bytes", "spelunk_bool", "spelunk_char", "spelunk_uchar", "spelunk_short", "spelunk_ushort",
    "spelunk_int", "spelunk_uint", "spelunk_long", "spelunk_ulong", "spelunk_longlong",
    "spelunk_ulonglong", "spelunk_float", "spelunk_double", "spelunk_range", "spelunk_assume",
];
