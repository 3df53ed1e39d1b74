//! Whose frames count, and when two sightings are the same mistake.
//!
//! Two sightings are one mistake if they are of the same class of kinds and their innermost frames of the program's own
//! code agree: the functions of the first three, and the line of the first. Of a stack that is deep in recursion only
//! which functions recur counts, because where it overflowed is chance. Of a hang, the place is where it was found
//! looping, which may lie some calls deeper another time: one stack that continues the other by up to
//! [`DEEPER`] calls is the same.

use crate::{foreign, kinds};
use events::{Kind, SourceFrame};
use std::collections::BTreeMap;

/// Frames that name a mistake.
const TOP: usize = 3;
/// A function this often on the stack is recursive.
const RECURSIVE: usize = 8;
/// How many calls deeper the same hang may be found.
const DEEPER: usize = 2;
/// Frames shown to people.
const SHOWN: usize = 16;

/// Folders of headers and libraries that are not the program's own.
const SYSTEM: &[&str] =
    &["/usr/include/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libexec/", "/lib/"];
/// Whether a frame lies in Spelunk's runtime, the only code that is not of C or C++.
fn is_runtime(frame: &SourceFrame) -> bool {
    frame.file.ends_with(".rs")
}

/// Whether a frame lies in the program's own code.
pub fn is_own(frame: &SourceFrame) -> bool {
    if frame.file.is_empty() || is_runtime(frame) {
        return false;
    }
    let system =
        SYSTEM.iter().any(|folder| frame.file.starts_with(folder)) || frame.file.starts_with("../sysdeps");
    !system && !foreign::is_foreign(&frame.function)
}

/// The frames of a stack that mean something to people: from the innermost one of the program's own code on; without
/// debug information, those with a name that is nobody else's.
pub fn meaningful(stack: Vec<SourceFrame>) -> Vec<SourceFrame> {
    let named = |f: &SourceFrame| {
        let name = &f.function;
        !name.is_empty() && !is_runtime(f) && !foreign::is_foreign(name) && !foreign::is_library(name)
    };
    match stack.iter().any(is_own) {
        true => stack.into_iter().filter(is_own).collect(),
        false => stack.into_iter().filter(named).collect(),
    }
}

/// At most as many frames as people want to see; recursion is cut in its middle.
pub fn shown(mut stack: Vec<SourceFrame>) -> Vec<SourceFrame> {
    if stack.len() > SHOWN {
        stack.drain(SHOWN - 4..stack.len() - 4);
    }
    stack
}

/// What names a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    class: Kind,
    /// For a hang: all functions, outermost first.
    functions: Vec<String>,
    /// Line of the innermost frame; 0 if unknown or of no meaning.
    line: u32,
    file: String,
}

impl Key {
    /// Of a mistake of this kind with these frames (as [`meaningful`] gives them).
    pub fn of(kind: Kind, stack: &[SourceFrame]) -> Key {
        let class = kinds::class(kind);
        let key = |functions, line, file: &str| Key { class, functions, line, file: file.to_owned() };
        let names = || stack.iter().map(|f| f.function.clone());
        if kind == Kind::Hang {
            return key(names().rev().collect(), 0, "");
        }
        let recurring = recurring(stack);
        if kind == Kind::StackExhaustion && !recurring.is_empty() {
            return key(recurring, 0, "");
        }
        let mut functions: Vec<String> = names().collect();
        functions.dedup();
        functions.truncate(TOP);
        let first = stack.first();
        key(functions, first.map_or(0, |f| f.line), first.map_or("", |f| base(&f.file)))
    }

    /// Whether both name the same mistake.
    pub fn same(&self, other: &Key) -> bool {
        if self.class != other.class {
            return false;
        }
        if self.class == Kind::Hang {
            let (short, long) = if self.functions.len() < other.functions.len() {
                (&self.functions, &other.functions)
            } else {
                (&other.functions, &self.functions)
            };
            return long.starts_with(short) && long.len() - short.len() <= DEEPER;
        }
        let known = self.line != 0 && other.line != 0;
        self.functions == other.functions && (!known || (self.line == other.line && self.file == other.file))
    }
}

/// The functions that recur, in a fixed order.
fn recurring(stack: &[SourceFrame]) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for frame in stack {
        *times.entry(&frame.function).or_default() += 1;
    }
    times.into_iter().filter(|(_, n)| *n >= RECURSIVE).map(|(name, _)| name.to_owned()).collect()
}

fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> SourceFrame {
        let (function, rest) = text.split_once('@').unwrap_or((text, ""));
        let (file, line) = rest.split_once(':').unwrap_or((rest, "0"));
        SourceFrame { function: function.into(), file: file.into(), line: line.parse().expect("a number") }
    }

    fn stack(text: &str) -> Vec<SourceFrame> {
        text.split_whitespace().map(frame).collect()
    }

    fn same(kind: Kind, a: &str, b: &str) -> bool {
        Key::of(kind, &stack(a)).same(&Key::of(kind, &stack(b)))
    }

    #[test]
    fn frames_of_libraries_do_not_count() {
        let all =
            stack("__asan_memset at@/usr/include/c++/12/v.h:9 f@/home/x/a.c:3 main@/home/x/a.c:8 _start");
        assert_eq!(meaningful(all), stack("f@/home/x/a.c:3 main@/home/x/a.c:8"));
        assert_eq!(meaningful(stack("__asan_memset malloc f main _start")), stack("f main"));
        let aborted = stack("__sanitizer::Die() __ubsan_handle_shift_out_of_bounds_abort abort f main");
        assert_eq!(meaningful(aborted), stack("f main"));
        let model = stack("check@../runtime/src/models/memory.rs:16 main");
        assert_eq!(meaningful(model), stack("main"));
        // A program's own function of a library's name.
        assert_eq!(meaningful(stack("raise@/home/x/a.c:3 main@/home/x/a.c:8"))[0].function, "raise");
    }

    #[test]
    fn top_frames_and_the_line_name_a_mistake() {
        let k = Kind::HeapBufferOverflow;
        assert!(same(k, "a@a.c:1 b@a.c:2 c@a.c:3 x@a.c:4", "a@a.c:1 b@a.c:9 c@a.c:3 y@a.c:5"));
        assert!(!same(k, "a@a.c:1 b@a.c:2", "a@a.c:7 b@a.c:2"));
        assert!(!same(k, "a@a.c:1 b@a.c:2", "a@b.c:1 b@a.c:2"));
        assert!(!same(k, "a@a.c:1 b@a.c:2", "a@a.c:1 other@a.c:2"));
        assert!(same(k, "eval@a.c:1 eval@a.c:5 main@a.c:9", "eval@a.c:1 eval@a.c:5 eval@a.c:5 main@a.c:9"));
    }

    #[test]
    fn near_kinds_at_one_place_are_one_mistake() {
        let here = stack("a@a.c:1 main@a.c:5");
        let key = |kind| Key::of(kind, &here);
        assert!(key(Kind::HeapBufferOverflow).same(&key(Kind::BadAccess)));
        assert!(!key(Kind::HeapBufferOverflow).same(&key(Kind::UseAfterFree)));
    }

    #[test]
    fn where_a_recursion_ended_is_chance() {
        let deep = |text: &str| text.repeat(10);
        assert!(same(Kind::StackExhaustion, &deep("a@a.c:1 b@a.c:2 "), &deep("b@a.c:2 a@a.c:1 ")));
        assert!(!same(Kind::StackExhaustion, &deep("a@a.c:1 "), &deep("b@a.c:2 ")));
    }

    #[test]
    fn a_hang_may_be_found_deeper() {
        assert!(same(Kind::Hang, "scan@a.c:1 main@a.c:9", "next@a.c:7 scan@a.c:2 main@a.c:9"));
        assert!(!same(Kind::Hang, "scan@a.c:1 main@a.c:9", "other@a.c:7 main@a.c:9"));
    }
}
