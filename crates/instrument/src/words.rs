//! Words of the program: constant strings that its input may be compared with, for the dictionary of cheap runs.
//!
//! AFL++ does this when it links (its "auto dictionary"), for the constants in calls of comparing functions. Keyword tables are read by
//! loops of the program's own, too, so every constant string counts that looks like a word. Left out are messages (with
//! blanks or formats) and tables so large that their words would crowd out all others.

use crate::llvm::{Module, Value};
use rustc_hash::FxHashSet;

/// Shortest and longest word.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=32;
/// Most strings of a table whose strings are words.
const MAX_TABLE: usize = 256;
/// Most words.
const MAX_WORDS: usize = 1 << 10;

/// The words of a module that was not optimised yet, each once, in the order in which they stand there.
pub fn of(module: &Module) -> Vec<Vec<u8>> {
    let mut found = Found::default();
    for global in module.globals() {
        let Some(value) = global.initializer() else { continue };
        let mut table = Vec::new();
        strings(value, &mut table);
        if table.len() > MAX_TABLE {
            found.crowd.extend(table);
        } else if global.is_constant_global() {
            found.words.extend(table);
        }
    }
    found.known.extend(found.crowd);
    let is_new = |word: &Vec<u8>| found.known.insert(word.clone());
    found.words.into_iter().filter(is_new).take(MAX_WORDS).collect()
}

#[derive(Default)]
struct Found {
    words: Vec<Vec<u8>>,
    crowd: Vec<Vec<u8>>,
    known: FxHashSet<Vec<u8>>,
}

/// The words in a constant, and, in tables of pointers, behind it.
fn strings(value: Value, to: &mut Vec<Vec<u8>>) {
    if let Some(text) = value.as_bytes() {
        to.extend(word(&text));
        return;
    }
    for k in 0..value.n_operands() {
        let part = value.operand(k);
        match part.initializer().filter(|_| part.is_constant_global()) {
            Some(behind) => to.extend(behind.as_bytes().as_deref().and_then(word)),
            None if part.is_function() || part.is_global_variable() => {}
            None => strings(part, to),
        }
    }
}

/// A string without the NUL at its end, if it looks like a word.
fn word(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.split(|&c| c == 0).next().unwrap_or_default();
    let is_word = LENGTHS.contains(&text.len()) && text.iter().all(|c| c.is_ascii_graphic() && *c != b'%');
    is_word.then(|| text.to_vec())
}
