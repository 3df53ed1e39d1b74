//! Where a program hangs: the loop, not the line at which it happened to be stopped.
//!
//! Several runs are stopped at different moments. What their stacks have in common, from the outside, ends at the function
//! that loops; of the loops around the lines seen there, read from the source text by its braces, the innermost one that
//! holds them all is reported. So the same hang has the same line however often it is looked at. Where no loop is written
//! (`goto`, or no source), the first line seen stands for it. An inner loop that ends, but takes nearly all of the time, may be
//! taken for the one that does not.

use crate::Bench;
use events::SourceFrame;

/// Lines that are looked at above one.
const FARTHEST: u32 = 4_000;

/// The stack of a hang, innermost frame first, out of several samples of it; empty without samples.
pub fn place(bench: &dyn Bench, samples: &[Vec<SourceFrame>]) -> Vec<SourceFrame> {
    let Some(first) = samples.first() else { return Vec::new() };
    let outermost = |stack: &[SourceFrame], k: usize| stack.iter().rev().nth(k).cloned();
    let name = |stack: &[SourceFrame], k| outermost(stack, k).map(|f| (f.function, f.file));
    let common =
        (0..first.len()).take_while(|&k| samples.iter().all(|s| name(s, k) == name(first, k))).count();
    // Where callers differ in their lines already, the loop is the caller's.
    let lines =
        |k: usize| -> Vec<u32> { samples.iter().filter_map(|s| outermost(s, k)).map(|f| f.line).collect() };
    let depth = (0..common).find(|&k| lines(k).windows(2).any(|w| w[0] != w[1])).map_or(common, |k| k + 1);
    if depth == 0 {
        return first.clone();
    }
    // A function without a loop of its own is called from one.
    let around = |k: usize| -> Option<Vec<Vec<u32>>> {
        let file = outermost(first, k)?.file;
        Some(lines(k).iter().map(|&line| loops(bench, &file, line)).collect())
    };
    let innermost = |chains: &[Vec<u32>]| {
        let all_have = |header: &&u32| chains.iter().all(|chain| chain.contains(header));
        chains.first()?.iter().rev().find(all_have).copied()
    };
    let in_all = |k: usize| Some((k + 1, innermost(&around(k)?)?));
    // On a busy machine one may be stopped before it gets to the loop.
    let in_most = |k: usize| {
        let mut chains = around(k)?;
        let n = chains.len();
        chains.retain(|chain| !chain.is_empty());
        let most = 2 * chains.len() > n;
        Some((k + 1, innermost(&chains).filter(|_| most)?))
    };
    let deepest_first = || (0..depth).rev();
    let found = deepest_first().find_map(in_all).or_else(|| deepest_first().find_map(in_most));
    let (depth, line) =
        found.or_else(|| Some((depth, lines(depth - 1).into_iter().min()?))).unwrap_or((depth, 0));
    let mut stack: Vec<SourceFrame> = first[first.len() - depth..].to_vec();
    if let Some(inner) = stack.first_mut() {
        inner.line = line;
    }
    stack
}

/// The lines at which the loops around `line` begin, outermost first.
fn loops(bench: &dyn Bench, file: &str, line: u32) -> Vec<u32> {
    let text = |n: u32| bench.source_line(file, n).map(|l| code(&l));
    let mut headers = Vec::new();
    let own = text(line).unwrap_or_default();
    let ends_do = own.trim_start().starts_with('}') || own.trim_end().ends_with(';') && starts_while(&own);
    if has_loop(&own) && !ends_do {
        headers.push(line);
    } else if let Some(above) = (1..line).rev().find(|&n| text(n).is_none_or(|t| !t.trim().is_empty())) {
        // The body is one statement without braces.
        let above_text = text(above).unwrap_or_default();
        let open = !above_text.contains(['{', '}']) && !above_text.trim_end().ends_with(';');
        if open && has_loop(&above_text) {
            headers.push(above);
        }
    }
    let mut depth = 0i32;
    for n in (line.saturating_sub(FARTHEST).max(1)..line).rev() {
        let Some(here) = text(n) else { break };
        for (at, c) in here.char_indices().rev() {
            depth += i32::from(c == '}') - i32::from(c == '{');
            if depth < 0 {
                depth = 0;
                headers.extend(header(&text, n, &here[..at]).filter(|h| !headers.contains(h)));
            }
        }
    }
    headers.reverse();
    headers
}

/// The line of the loop whose body begins at line `n` behind `before`, if it is one's.
fn header(text: &dyn Fn(u32) -> Option<String>, n: u32, before: &str) -> Option<u32> {
    let (mut at, mut head) = (n, before.to_owned());
    let balance = |t: &str| t.matches('(').count() as i32 - t.matches(')').count() as i32;
    // A brace on a line of its own, and conditions of several lines.
    while at > 1 && n - at < 16 && (head.trim().is_empty() || balance(&head) < 0) {
        at -= 1;
        head = text(at)? + &head;
    }
    let last = head.rsplit(['}', ';']).next().unwrap_or_default();
    // Semicolons inside the parentheses of `for` end nothing.
    let whole = if head.contains("for") { &head } else { last };
    has_loop(whole).then_some(at)
}

/// Whether `for`, `while` or `do` stands in a line.
fn has_loop(code: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| ["for", "while", "do"].contains(&word))
}

fn starts_while(code: &str) -> bool {
    code.trim_start().starts_with("while")
}

/// A line without comments and the contents of literals.
fn code(line: &str) -> String {
    let (mut out, mut quote, mut escaped) = (String::new(), None, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '/' && chars.peek() == Some(&'/') => break,
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shown;
    use trace::Input;

    struct Source(&'static str);

    impl Bench for Source {
        fn own(&mut self, _: &Input, _: bool) -> Result<Shown, String> {
            Err("nothing to run".into())
        }
        fn check(&mut self, _: &Input, _: bool) -> Option<Shown> {
            None
        }
        fn find(&mut self, _: &Input, _: bool) -> Option<Shown> {
            None
        }
        fn frames(&self, _: &str, _: u64) -> Vec<SourceFrame> {
            Vec::new()
        }
        fn source_line(&self, _: &str, line: u32) -> Option<String> {
            self.0.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
        }
        fn stopped(&self) -> bool {
            false
        }
    }

    const TEXT: &str = "\
int f(int n) {
    for (int i = 0; i < 3; i++) {
        n++;
    }
    while (n) { // {
        if (n > '{') {
            g(n);
            h(n);
        }
        for (int k = 0;
             k < n;
             k++)
        {
            n += k;
        }
        do
            n--;
        while (n > 9);
    }
    for (;;)
        ;
}";

    fn frames(text: &str) -> Vec<SourceFrame> {
        let frame = |part: &str| {
            let (function, line) = part.split_once(':').expect("function:line");
            SourceFrame { function: function.into(), file: "f.c".into(), line: line.parse().expect("number") }
        };
        text.split_whitespace().map(frame).collect()
    }

    fn looping(samples: &[&str]) -> String {
        let samples: Vec<_> = samples.iter().map(|s| frames(s)).collect();
        let stack = place(&Source(TEXT), &samples);
        stack.iter().map(|f| format!("{}:{}", f.function, f.line)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn who_was_stopped_before_the_loop_does_not_count() {
        assert_eq!(looping(&["f:1 main:1", "f:7 main:1", "f:9 main:1"]), "f:5 main:1");
        assert_eq!(looping(&["f:7 main:1", "f:1 main:1"]), "f:1 main:1", "half of them are not most");
    }

    #[test]
    fn the_innermost_loop_around_all_samples_is_it() {
        assert_eq!(looping(&["f:7 main:1", "f:9 main:1"]), "f:5 main:1");
        assert_eq!(looping(&["f:14 main:1", "f:14 main:1"]), "f:10 main:1");
        assert_eq!(looping(&["f:14 main:1", "f:6 main:1"]), "f:5 main:1");
        assert_eq!(looping(&["f:21 main:1"]), "f:20 main:1");
        assert_eq!(looping(&["f:3 main:1"]), "f:2 main:1");
    }

    #[test]
    fn what_is_called_from_the_loop_is_left_out() {
        assert_eq!(looping(&["g:1 f:7 main:1", "h:2 f:8 main:1", "f:6 main:1"]), "f:5 main:1");
        assert_eq!(looping(&["g:50 f:7 main:1", "g:51 f:7 main:1"]), "f:5 main:1");
    }

    #[test]
    fn without_a_loop_the_first_line_stands() {
        assert_eq!(looping(&["x:99 main:1", "x:98 main:1"]), "x:98 main:1");
        assert_eq!(looping(&[]), "");
    }
}
