//! Reading what AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer of LLVM 14 … 19 report.
//!
//! Unknown lines are skipped. Frames are read unsymbolised (`(MODULE+0xOFFSET)`): who knows the debug information names
//! them.

use crate::kinds;
use crate::words::clean;
use events::Kind;

/// Lines of a report that are looked at.
const MOST_LINES: usize = 4_000;
/// Frames of a stack that are kept.
const MOST_FRAMES: usize = 256;
/// Reports of one run that are kept.
const MOST_REPORTS: usize = 64;
/// An access below this address is one through a null pointer.
const NULL_AREA: u64 = 0x1_0000;

/// A frame: file that is loaded, and the offset in it.
pub type RawFrame = (String, u64);

/// One report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The kind.
    pub kind: Option<Kind>,
    /// What AddressSanitizer calls it, or UndefinedBehaviorSanitizer's message.
    pub headline: String,
    /// `reads 4 bytes` or `writes 4 bytes`.
    pub access: String,
    /// What the address is near to.
    pub near: String,
    /// File and line, where the report itself names them.
    pub place: Option<(String, u32)>,
    /// The stack.
    pub stack: Vec<RawFrame>,
    /// Stacks of what happened before.
    pub related: Vec<(String, Vec<RawFrame>)>,
    /// The run ended with it.
    pub fatal: bool,
}

/// Where frames of the report go that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Stack,
    Related,
    Nowhere,
}

/// All reports of a run, in order.
pub fn parse(bytes: &[u8]) -> Vec<Report> {
    let text = String::from_utf8_lossy(bytes);
    let mut reports: Vec<Report> = Vec::new();
    let mut target = Target::Nowhere;
    for line in text.lines().take(MOST_LINES) {
        if let Some((report, to)) = beginning(line) {
            if reports.len() == MOST_REPORTS {
                // What ended the run is told whatever came before.
                if !report.fatal {
                    target = Target::Nowhere;
                    continue;
                }
                reports.pop();
            }
            reports.push(report);
            target = to;
        } else if let Some(report) = reports.last_mut() {
            target = take_line(report, line, target);
        }
    }
    reports.retain(|r| r.kind.is_some());
    reports
}

/// The report that a line begins, if it begins one.
fn beginning(line: &str) -> Option<(Report, Target)> {
    if let Some((_, headline)) = line.split_once("ERROR: AddressSanitizer: ") {
        let mut report = Report {
            kind: kinds::of_asan(headline),
            headline: clean(headline),
            fatal: true,
            ..Report::default()
        };
        if report.kind == Some(Kind::BadAccess) && address(headline).is_some_and(|a| a < NULL_AREA) {
            report.kind = Some(Kind::NullDereference);
        }
        return Some((report, Target::Stack));
    }
    if line.contains("ERROR: LeakSanitizer: ") {
        return Some((Report::default(), Target::Nowhere));
    }
    if let Some(rest) = line.strip_prefix("Direct leak of ") {
        let size = rest.split(' ').next().unwrap_or_default();
        let objects = rest.split(" in ").nth(1).and_then(|r| r.split(' ').next()).unwrap_or_default();
        let several = if objects == "1" { String::new() } else { format!(" in {} objects", clean(objects)) };
        let headline = format!("{}{several} never freed", bytes(size));
        return Some((Report { kind: Some(Kind::Leak), headline, ..Report::default() }, Target::Stack));
    }
    if line.starts_with("Indirect leak of ") {
        return Some((Report::default(), Target::Nowhere));
    }
    let (place, message) = line.split_once(": runtime error: ")?;
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    let report = Report {
        kind: Some(kinds::of_ubsan(message)),
        headline: clean(message),
        place: Some((clean(file), line)),
        ..Report::default()
    };
    Some((report, Target::Stack))
}

/// The first address of a headline.
fn address(headline: &str) -> Option<u64> {
    let (_, rest) = headline.split_once("address 0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

/// Takes a further line in; where the frames after it go.
fn take_line(report: &mut Report, line: &str, target: Target) -> Target {
    let words = line.trim();
    if words.starts_with('#') {
        let to = match target {
            Target::Stack => Some(&mut report.stack),
            Target::Related => report.related.last_mut().map(|(_, stack)| stack),
            Target::Nowhere => None,
        };
        if let (Some(to), Some(frame)) = (to, frame(words))
            && to.len() < MOST_FRAMES
        {
            to.push(frame);
        }
        return target;
    }
    for (sign, verb) in [("READ of size ", "reads"), ("WRITE of size ", "writes")] {
        if let Some(rest) = words.strip_prefix(sign) {
            let size = rest.split(' ').next().unwrap_or_default();
            report.access = format!("{verb} {}", bytes(size));
            return target;
        }
    }
    if words.contains("caused by a READ memory access") {
        report.access = "reads".into();
    } else if words.contains("caused by a WRITE memory access") {
        report.access = "writes".into();
    }
    for (sign, what) in [
        ("freed by thread", "freed here"),
        ("previously allocated by thread", "allocated here"),
        ("allocated by thread", "allocated here"),
    ] {
        if words.starts_with(sign) {
            report.related.push((what.to_owned(), Vec::new()));
            return Target::Related;
        }
    }
    if let Some((_, near)) = words.split_once(" is located ") {
        if words.contains("in stack of thread") {
            return Target::Nowhere;
        }
        report.near = clean(near.split(" [0x").next().unwrap_or(near).split(" (0x").next().unwrap_or(near));
        if let Some((_, size)) = near.rsplit_once(" of size ") {
            report.near += &format!(" of {}", bytes(size));
        }
    } else if let (Some((variable, _)), true) = (words.split_once(" <=="), words.starts_with('[')) {
        report.near = variable_of(variable);
    } else if words.is_empty() || words.starts_with("Thread T") {
        return Target::Nowhere;
    }
    target
}

/// `[32, 42) 'buf' (line 5)` → `beyond 'buf' (line 5) of 10 bytes`
fn variable_of(text: &str) -> String {
    let size = text.strip_prefix('[').and_then(|t| t.split_once(')')).and_then(|(range, rest)| {
        let (from, to) = range.split_once(", ")?;
        let size = to.parse::<u64>().ok()?.checked_sub(from.parse().ok()?)?;
        Some((size, rest.trim()))
    });
    match size {
        Some((size, name)) if name.starts_with("''") => {
            format!("outside a local variable of {}", bytes(&size.to_string()))
        }
        Some((size, name)) => format!("outside {} of {}", clean(name), bytes(&size.to_string())),
        None => String::new(),
    }
}

fn bytes(size: &str) -> String {
    let size = clean(size);
    if size == "1" { "1 byte".into() } else { format!("{size} bytes") }
}

/// `#0 0x55aefabd6604  (/path/prog+0xc9604) (BuildId: …)`
fn frame(line: &str) -> Option<RawFrame> {
    let (_, rest) = line.split_once(" (")?;
    let (module, rest) = rest.rsplit_once("+0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    Some((module.to_owned(), u64::from_str_radix(digits, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAP: &str = "\
=================================================================
==3548==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50200000001a at pc 0x55aefabd6605 bp 0x7ffd95660740 sp 0x7ffd9565ff10
WRITE of size 11 at 0x50200000001a thread T0
    #0 0x55aefabd6604  (/tmp/a dir (x)/uaf+0xc9604) (BuildId: 5d120ea3)
    #1 0x55aefac18b95  (/tmp/a dir (x)/uaf+0x10bb95) (BuildId: 5d120ea3)

0x50200000001a is located 0 bytes after 10-byte region [0x502000000010,0x50200000001a)
allocated by thread T0 here:
    #0 0x55aefabd85ef  (/tmp/uaf+0xcb5ef) (BuildId: 5d120ea3)

Shadow bytes around the buggy address:
  0x501ffffffd80: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
==3548==ABORTING
";

    #[test]
    fn a_heap_overflow() {
        let all = parse(HEAP.as_bytes());
        assert_eq!(all.len(), 1);
        let r = &all[0];
        assert_eq!((r.kind, r.fatal), (Some(Kind::HeapBufferOverflow), true));
        assert_eq!((r.access.as_str(), r.near.as_str()), ("writes 11 bytes", "0 bytes after 10-byte region"));
        assert_eq!(
            r.stack,
            [("/tmp/a dir (x)/uaf".into(), 0xc9604), ("/tmp/a dir (x)/uaf".into(), 0x10bb95)]
        );
        assert_eq!(r.related, [("allocated here".into(), vec![("/tmp/uaf".into(), 0xcb5ef)])]);
    }

    #[test]
    fn null_is_told_from_other_wrong_addresses() {
        let text =
            |a: &str| format!("==1==ERROR: AddressSanitizer: SEGV on unknown address {a} (pc 0x1 T0)\n");
        assert_eq!(parse(text("0x000000000008").as_bytes())[0].kind, Some(Kind::NullDereference));
        assert_eq!(parse(text("0x0000a4682cf1").as_bytes())[0].kind, Some(Kind::BadAccess));
    }

    #[test]
    fn only_direct_leaks_count() {
        let text = "==1==ERROR: LeakSanitizer: detected memory leaks\n\n\
            Direct leak of 10 byte(s) in 1 object(s) allocated from:\n    #0 0x1  (/p+0x10)\n\n\
            Indirect leak of 5 byte(s) in 1 object(s) allocated from:\n    #0 0x1  (/p+0x20)\n\n\
            Direct leak of 7 byte(s) in 2 object(s) allocated from:\n    #0 0x1  (/p+0x30)\n";
        let all = parse(text.as_bytes());
        assert_eq!(all.iter().map(|r| r.stack[0].1).collect::<Vec<_>>(), [0x10, 0x30]);
        assert!(all.iter().all(|r| r.kind == Some(Kind::Leak) && !r.fatal));
        assert_eq!(all[0].headline, "10 bytes never freed");
        assert_eq!(all[1].headline, "7 bytes in 2 objects never freed");
    }

    #[test]
    fn undefined_behaviour_has_its_own_place() {
        let text = "/src/a b.c:12:9: runtime error: signed integer overflow: 1 + 2\n    #0 0x1  (/p+0x10)\n\
            a.c:13:1: runtime error: shift exponent 40 is too large\n";
        let all = parse(text.as_bytes());
        assert_eq!(all[0].place, Some(("/src/a b.c".into(), 12)));
        assert_eq!((all[0].kind, all[0].stack.len()), (Some(Kind::SignedOverflow), 1));
        assert_eq!((all[1].kind, all[1].fatal), (Some(Kind::Shift), false));
    }

    #[test]
    fn a_local_variable_is_named() {
        let text = "==1==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7f at pc 0x1 bp 0x2 sp 0x3\n\
            READ of size 1 at 0x7f thread T0\n    #0 0x1  (/p+0x10)\n\n\
            Address 0x7f is located in stack of thread T0 at offset 42 in frame\n    #0 0x2  (/p+0x99)\n\n  \
            This frame has 1 object(s):\n    [32, 42) 'buf' (line 5) <== Memory access at offset 42 overflows this variable\n";
        let r = &parse(text.as_bytes())[0];
        assert_eq!(r.near, "outside 'buf' (line 5) of 10 bytes");
        assert_eq!(r.stack.len(), 1, "the frame of the variable is no part of the stack");
    }

    #[test]
    fn the_end_is_told_after_however_many_reports() {
        let overflow = "/src/a.c:3:5: runtime error: signed integer overflow: 1 + 2 overflows int\n";
        let text =
            overflow.repeat(200) + "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x5\n";
        let last = parse(text.as_bytes()).pop().and_then(|r| r.kind);
        assert_eq!(last, Some(Kind::UseAfterFree));
    }

    #[test]
    fn nonsense_is_bounded_and_harmless() {
        let mut text = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x\n".repeat(10_000);
        text += &"#0 0x (+0xzz) #1 (\u{0} ((+0x) runtime error: : : :\n".repeat(10_000);
        assert!(parse(text.as_bytes()).len() <= MOST_REPORTS);
        assert!(parse(&[0xff; 100_000]).is_empty());
        assert!(
            parse(b"Direct leak of \n: runtime error: \n1:2: runtime error: x\n:::: runtime error: ").len()
                <= 2
        );
    }
}
