//! What sanitizers call a mistake → its kind.

use events::Kind;

/// The kind of an AddressSanitizer report by the first words of its headline; `None` for what is no mistake of the
/// program or no news beside how the run ended.
pub fn of_asan(headline: &str) -> Option<Kind> {
    let starts = |prefix: &str| headline.starts_with(prefix);
    let table: [(&str, Kind); 26] = [
        ("heap-buffer-overflow", Kind::HeapBufferOverflow),
        ("stack-buffer-overflow", Kind::StackBufferOverflow),
        ("stack-buffer-underflow", Kind::StackBufferOverflow),
        ("dynamic-stack-buffer-overflow", Kind::StackBufferOverflow),
        ("global-buffer-overflow", Kind::GlobalBufferOverflow),
        ("container-overflow", Kind::ContainerOverflow),
        ("heap-use-after-free", Kind::UseAfterFree),
        ("use-after-poison", Kind::UseAfterFree),
        ("stack-use-after-return", Kind::UseAfterReturn),
        ("stack-use-after-scope", Kind::UseAfterReturn),
        ("attempting double-free", Kind::DoubleFree),
        ("attempting free", Kind::BadFree),
        ("attempting to call malloc_usable_size", Kind::BadFree),
        ("alloc-dealloc-mismatch", Kind::BadFree),
        ("new-delete-type-mismatch", Kind::BadFree),
        ("bad-free", Kind::BadFree),
        ("negative-size-param", Kind::OutOfBounds),
        ("stack-overflow", Kind::StackExhaustion),
        ("calloc parameters overflow", Kind::SignedOverflow),
        ("SEGV", Kind::BadAccess),
        ("BUS", Kind::BadAccess),
        ("FPE", Kind::DivisionByZero),
        ("ILL", Kind::Trap),
        ("TRAP", Kind::Trap),
        ("ABRT", Kind::Abort),
        ("unknown-crash", Kind::BadAccess),
    ];
    if headline.contains("param-overlap") {
        return Some(Kind::Undefined);
    }
    table.into_iter().find(|(prefix, _)| starts(prefix)).map(|(_, kind)| kind)
}

/// The kind of an UndefinedBehaviorSanitizer report by its message.
pub fn of_ubsan(message: &str) -> Kind {
    let has = |words: &[&str]| words.iter().any(|w| message.contains(w));
    if has(&["division by zero"]) {
        Kind::DivisionByZero
    } else if has(&["signed integer overflow", "negation of", "division of", "unsigned integer overflow"]) {
        Kind::SignedOverflow
    } else if has(&["shift exponent", "left shift", "right shift", "shift by"]) {
        Kind::Shift
    } else if has(&["null pointer"]) {
        Kind::NullDereference
    } else if has(&[
        "out of bounds",
        "outside its array",
        "insufficient space for an object",
        "pointer index expression",
    ]) {
        Kind::OutOfBounds
    } else if has(&[
        "outside the range of representable",
        "conversion beyond",
        "implicit conversion",
        "downcast",
        "is not a valid value",
    ]) {
        Kind::BadCast
    } else {
        Kind::Undefined
    }
}

/// Kinds that are the same mistake when they show at the same place.
pub fn class(kind: Kind) -> Kind {
    match kind {
        Kind::HeapBufferOverflow
        | Kind::StackBufferOverflow
        | Kind::GlobalBufferOverflow
        | Kind::ContainerOverflow
        | Kind::OutOfBounds
        | Kind::BadAccess
        | Kind::Crash => Kind::OutOfBounds,
        Kind::DoubleFree | Kind::BadFree => Kind::DoubleFree,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headlines_of_address_sanitizer() {
        let kind = |text| of_asan(text);
        assert_eq!(kind("heap-buffer-overflow on address 0x1 at pc 0x2"), Some(Kind::HeapBufferOverflow));
        assert_eq!(kind("attempting double-free on 0x50 in thread T0:"), Some(Kind::DoubleFree));
        assert_eq!(kind("memcpy-param-overlap: memory ranges [0x1,0x2)"), Some(Kind::Undefined));
        assert_eq!(kind("allocator is out of memory trying to allocate 0x5 bytes"), None);
        assert_eq!(kind("something new"), None);
    }

    #[test]
    fn messages_of_undefined_behaviour_sanitizer() {
        let overflow = "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'";
        assert_eq!(of_ubsan(overflow), Kind::SignedOverflow);
        assert_eq!(of_ubsan("shift exponent 40 is too large for 32-bit type 'int'"), Kind::Shift);
        assert_eq!(of_ubsan("division by zero"), Kind::DivisionByZero);
        assert_eq!(of_ubsan("shift by the operand's width or more"), Kind::Shift);
        assert_eq!(of_ubsan("index outside its array"), Kind::OutOfBounds);
        assert_eq!(of_ubsan("conversion beyond the integer type's range"), Kind::BadCast);
        assert_eq!(of_ubsan("index 12 out of bounds for type 'int[10]'"), Kind::OutOfBounds);
        assert_eq!(of_ubsan("load of null pointer of type 'int'"), Kind::NullDereference);
        assert_eq!(of_ubsan("execution reached an unreachable program point"), Kind::Undefined);
    }
}
