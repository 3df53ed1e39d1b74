//! Response files: `@FILE` on a compiler's command line stands for the arguments in FILE, as GCC and clang
//! read them (whitespace separates; single and double quotes and backslashes protect).

use std::path::Path;

/// How deep response files may name one another.
const MAX_DEPTH: u32 = 16;

/// `args` with every `@FILE` replaced by its content. An argument whose file cannot be read stays as it is,
/// as compilers do.
pub fn expand(args: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(args.len());
    expand_into(args, 0, &mut out);
    out
}

fn expand_into(args: &[String], depth: u32, out: &mut Vec<String>) {
    for arg in args {
        let content = match arg.strip_prefix('@') {
            Some(file) if depth < MAX_DEPTH => std::fs::read_to_string(Path::new(file)).ok(),
            _ => None,
        };
        match content {
            Some(text) => expand_into(&split(&text), depth + 1, out),
            None => out.push(arg.clone()),
        }
    }
}

/// Splits the text of a response file.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `args` in the form of a response file.
pub fn quote(args: &[String]) -> String {
    let mut text = String::new();
    for arg in args {
        text.push('"');
        for c in arg.chars() {
            if matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
        text.push_str("\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_backslashes() {
        assert_eq!(split("a  b\n'c d' \"e\\\"f\" g\\ h ''"), ["a", "b", "c d", "e\"f", "g h", ""]);
    }

    #[test]
    fn quoting_round_trips() {
        let args: Vec<String> = ["plain", "two words", "q\"uote", "back\\slash", ""].map(String::from).into();
        assert_eq!(split(&quote(&args)), args);
    }
}
