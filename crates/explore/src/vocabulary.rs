//! Phrases: what searches found that the program listens for, kept to be said again.
//!
//! Random input behind a snapshot hardly ever says a command, and what follows a command that a search had to solve may need it
//! again, after others, many times (a text that has to be full before it is closed and quoted). So the input of each run
//! of a search is read for what the run compared it with and found ([`mutate::spoken`]). A phrase is a line in which that is so
//! for a word, where the program looks for ends of lines, and another one if that is so up to its end; elsewhere the word itself. Cheap runs from the states kept, and what every
//! other search begins with, are made of phrases, with words that runs compared their input with, and random bytes between them. A state in which a phrase was understood for the
//! first time is worth going on from, also where it covers nothing new: it may be another state of the program than
//! the phrase before led to.
//!
//! As mutation does with a dictionary, but learned, by solving, in the order in which a dialogue goes on. The paper's algorithm has
//! nothing of the kind and goes without it (`--theta2`).

use crate::random::Dice;
use crate::streams;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use strategy::Letters;
use trace::{Input, Object, ObjectKind, Trace};

/// Most phrases; beyond it none is new.
const MOST: usize = 256;
/// Wordings kept of one.
const WORDINGS: usize = 4;
/// Bytes of the longest.
const LONGEST: usize = 96;
/// Of what short arguments are made.
const SHORT: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Random bytes between phrases, at most.
const BETWEEN: usize = 64;
/// Of so many pieces of talk,
const OF: usize = 16;
/// those below this are phrases with another byte,
const MISSPOKEN: usize = 1;
/// those from there on phrases with another word,
const REWORDED: usize = 3;
/// those from there on words that were wanted, with blanks between them,
const FRAMED: usize = 6;
/// and those from there on noise; the rest are phrases as they were.
const NOISE: usize = 10;

/// What was understood so far.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Wordings of each phrase, in the order in which phrases were learned.
    phrases: Vec<Vec<Vec<Object>>>,
    /// By what of it was looked for.
    known: FxHashMap<Vec<u8>, usize>,
    /// The program looks for ends of lines.
    has_lines: bool,
    /// Constants of the program that look like words.
    words: FxHashSet<Vec<u8>>,
    /// Such a word was said: nothing else counts as one from then on, neither its beginning nor its end.
    has_words: bool,
    /// Words that it compared the input with, whether they were there or not.
    wanted: Vec<Vec<u8>>,
    /// What it compared, as far as that led to `wanted`.
    compared: FxHashSet<Vec<u8>>,
}

/// A byte of the input statements of a run.
struct Byte {
    /// Index of its object.
    object: usize,
    byte: u8,
    /// It is the first of a stream: no piece goes on beyond it.
    begins: bool,
    /// It is what the program compared it with.
    said: bool,
}

impl Vocabulary {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// These are words of the program.
    pub fn know(&mut self, words: &[Vec<u8>]) {
        if self.words.len() < words.len() {
            self.words.extend(words.iter().cloned());
        }
    }

    /// Learns from a run; if it understood a phrase for the first time, its input up to the end of the last such phrase.
    pub fn listen(&mut self, trace: &Trace, input: &Input) -> Option<Input> {
        self.want(trace, input);
        let said = mutate::spoken(trace, input);
        let bytes = flat(input, &said);
        self.has_lines |= bytes.iter().any(|b| b.said && b.byte == b'\n');
        let mut last = None;
        for piece in self.pieces(&bytes) {
            let key = self.key(&bytes[piece.clone()]);
            if key.is_empty() || piece.len() > LONGEST {
                continue;
            }
            let wording = || part(input, &bytes, piece.clone());
            match self.known.get(&key) {
                Some(&at) => {
                    let wordings = &mut self.phrases[at];
                    if wordings.len() < WORDINGS && !wordings.contains(&wording()) {
                        wordings.push(wording());
                    }
                }
                None if self.phrases.len() < MOST => {
                    self.known.insert(key, self.phrases.len());
                    self.phrases.push(vec![wording()]);
                    last = Some(piece.end);
                }
                None => {}
            }
        }
        let end = last?;
        let before = input.objects.iter().filter(|o| !is_statement(o)).cloned();
        Some(Input { objects: before.chain(part(input, &bytes, 0..end)).collect() })
    }

    /// Learns the last phrase of an input that ends right behind what it was the first to cover, whatever is in it.
    pub fn learn(&mut self, input: &Input) {
        let said: Vec<Vec<bool>> = input.objects.iter().map(|o| vec![true; o.data.len()]).collect();
        let bytes = flat(input, &said);
        let Some(piece) = self.pieces(&bytes).pop().filter(|p| self.has_lines && p.len() <= LONGEST) else {
            return;
        };
        // No other key ends so.
        let key: Vec<u8> = bytes[piece.clone()].iter().map(|b| b.byte).chain(*b"\n\n").collect();
        if self.phrases.len() < MOST && !self.known.contains_key(&key) {
            self.known.insert(key, self.phrases.len());
            self.phrases.push(vec![part(input, &bytes, piece)]);
        }
    }

    /// Learns what a run would have liked to read.
    fn want(&mut self, trace: &Trace, input: &Input) {
        for place in mutate::tokens::of_input(trace, input).places {
            let text = place.compared.strip_suffix(b"\0").unwrap_or(&place.compared);
            let is_word = text.len() > 1 && text.iter().all(u8::is_ascii_graphic);
            if !is_word || self.wanted.len() >= MOST || !self.compared.insert(text.to_vec()) {
                continue;
            }
            // It may be the beginning of a longer word, as long as the one that was there.
            let mut words: Vec<&Vec<u8>> = self.words.iter().filter(|w| w.starts_with(text)).collect();
            words.sort_unstable();
            let new: Vec<Vec<u8>> = words.into_iter().filter(|w| !self.wanted.contains(w)).cloned().collect();
            self.wanted.extend(new);
            if self.words.is_empty() && !self.wanted.iter().any(|w| w == text) {
                self.wanted.push(text.to_vec());
            }
        }
    }

    /// What of a piece was looked for, word by word. Of a line to its end, or not: `USER ruth` may have led to another state than
    /// `USER ruth too`, in which the name was seen as well.
    fn key(&mut self, piece: &[Byte]) -> Vec<u8> {
        let mut key: Vec<u8> = Vec::new();
        for word in piece.split(|b| !(b.said && b.byte.is_ascii_graphic())) {
            let word: Vec<u8> = word.iter().map(|b| b.byte).collect();
            let is_known = self.words.contains(&word);
            if is_known && !self.has_words {
                self.has_words = true;
                self.phrases.clear();
                self.known.clear();
                key.clear();
            }
            let is_word = !self.has_words && word.iter().any(|&b| b != word[0]);
            if is_known || is_word {
                key.extend(word);
                key.push(b' ');
            }
        }
        let is_blank = |b: &Byte| b.byte.is_ascii_whitespace() || b.byte == 0;
        let end = piece.iter().rfind(|b| !is_blank(b));
        if !key.is_empty() && self.has_lines && end.is_some_and(|end| !end.said) {
            key.push(b'~');
        }
        key
    }

    /// Lines, with their ends, or words.
    fn pieces(&self, bytes: &[Byte]) -> Vec<Range<usize>> {
        let ends = |b: &Byte| if self.has_lines { b.byte == b'\n' } else { !b.said };
        let mut pieces = Vec::new();
        let mut begin = 0;
        for (k, byte) in bytes.iter().enumerate() {
            if byte.begins {
                if !self.has_lines {
                    pieces.push(begin..k);
                }
                begin = k;
            }
            if ends(byte) {
                let end = k + usize::from(self.has_lines);
                pieces.push(begin..end);
                begin = k + 1;
            }
        }
        // An unfinished line is none.
        if !self.has_lines {
            pieces.push(begin..bytes.len());
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// At least `len` bytes of phrases with random bytes between them, as input statements.
    pub fn talk(&self, dice: &mut Dice, len: usize, letters: Letters) -> Vec<Object> {
        let mut objects: Vec<Object> = Vec::new();
        let mut done = 0;
        while done < len && !self.is_empty() {
            let wordings = &self.phrases[dice.below(self.phrases.len())];
            let mut phrase = wordings[dice.below(wordings.len())].clone();
            match dice.below(OF) {
                0..MISSPOKEN => self.scramble(&mut phrase, dice, letters),
                MISSPOKEN..REWORDED => phrase = self.reword(phrase, dice),
                REWORDED..FRAMED => phrase = self.frame(phrase, dice),
                FRAMED..NOISE => phrase = self.noise(&phrase, dice, letters),
                _ => {}
            }
            done += phrase.iter().map(|o| o.data.len()).sum::<usize>().max(1);
            for object in phrase {
                let same = |o: &&mut Object| o.kind == object.kind && o.name == object.name;
                let is_value = object.kind == ObjectKind::Value;
                match objects.iter_mut().find(same).filter(|_| !is_value) {
                    Some(stream) => stream.data.extend(object.data),
                    None if is_value => objects.push(object),
                    // What exists before the run comes first.
                    None => objects.insert(0, object),
                }
            }
        }
        objects
    }

    /// A phrase with one of its bytes made another.
    fn scramble(&self, phrase: &mut [Object], dice: &mut Dice, letters: Letters) {
        let at = dice.below(phrase.len().max(1));
        let Some(object) = phrase.get_mut(at).filter(|o| !o.data.is_empty()) else { return };
        // The line is still to end there.
        let len =
            (object.data.len() - usize::from(self.has_lines && object.kind != ObjectKind::Value)).max(1);
        let k = dice.below(len);
        object.data[k] = dice.bytes(1, letters)[0];
    }

    /// A phrase with one of its words made another that was wanted.
    fn reword(&self, phrase: Vec<Object>, dice: &mut Dice) -> Vec<Object> {
        if self.wanted.is_empty() || !is_text(&phrase) {
            return phrase;
        }
        let text: Vec<u8> = phrase.iter().flat_map(|o| o.data.iter().copied()).collect();
        let mut words: Vec<Range<usize>> = Vec::new();
        for (k, byte) in text.iter().enumerate() {
            match words.last_mut().filter(|word| word.end == k) {
                _ if !byte.is_ascii_graphic() => {}
                Some(word) => word.end = k + 1,
                None => words.push(k..k + 1),
            }
        }
        if words.is_empty() {
            return phrase;
        }
        let word = words[dice.below(words.len())].clone();
        let new = &self.wanted[dice.below(self.wanted.len())];
        worded([&text[..word.start], new, &text[word.end..]].concat(), phrase)
    }

    /// Words that were wanted, or a letter or digit or two, with blanks between them, in statements like those of `phrase`.
    fn frame(&self, phrase: Vec<Object>, dice: &mut Dice) -> Vec<Object> {
        if self.wanted.is_empty() || !self.has_lines || !is_text(&phrase) {
            return phrase;
        }
        let mut text = self.wanted[dice.below(self.wanted.len())].clone();
        for _ in 0..dice.below(3) {
            text.extend_from_slice(b" ");
            match dice.below(2) {
                0 => text.extend(&self.wanted[dice.below(self.wanted.len())]),
                _ => text.extend((0..=dice.below(2)).map(|_| SHORT[dice.below(SHORT.len())])),
            }
        }
        text.push(b'\n');
        worded(text, phrase)
    }

    /// Random input of a random length, in statements like those of `phrase`.
    fn noise(&self, phrase: &[Object], dice: &mut Dice, letters: Letters) -> Vec<Object> {
        let length = 1 + dice.below(BETWEEN);
        let Some(like) = phrase.first().filter(|o| o.kind == ObjectKind::Value) else {
            let mut data = dice.bytes(length, letters);
            if self.has_lines {
                data.push(b'\n');
            }
            return phrase.first().map(|o| Object { data, ..o.clone() }).into_iter().collect();
        };
        let value = |dice: &mut Dice| Object { data: dice.bytes(like.data.len(), letters), ..like.clone() };
        let mut values: Vec<Object> = (0..length).map(|_| value(dice)).collect();
        if let Some(end) = phrase.last().filter(|_| self.has_lines) {
            values.push(end.clone());
        }
        values
    }
}

/// Whether a phrase is text: a stream, or values of one byte.
fn is_text(phrase: &[Object]) -> bool {
    phrase.iter().all(|o| o.kind != ObjectKind::Value || o.data.len() == 1)
}

/// A text in the place of a phrase that is one.
fn worded(text: Vec<u8>, phrase: Vec<Object>) -> Vec<Object> {
    match phrase.first() {
        Some(like) if like.kind == ObjectKind::Value => {
            text.into_iter().map(|b| Object { data: vec![b], ..like.clone() }).collect()
        }
        Some(like) => vec![Object { data: text, ..like.clone() }],
        None => phrase,
    }
}

/// Whether an object is what a program asks for while it runs.
fn is_statement(object: &Object) -> bool {
    object.kind == ObjectKind::Value || streams::is_stream(object)
}

/// The bytes of all input statements.
fn flat(input: &Input, said: &[Vec<bool>]) -> Vec<Byte> {
    let mut bytes = Vec::new();
    for (object, (o, said)) in
        input.objects.iter().zip(said).enumerate().filter(|(_, (o, _))| is_statement(o))
    {
        let is_stream = streams::is_stream(o);
        let byte = |(k, (&byte, &said))| Byte { object, byte, begins: is_stream && k == 0, said };
        bytes.extend(o.data.iter().zip(said).enumerate().map(byte));
    }
    bytes
}

/// The statements of some of the bytes: values whole, streams cut.
fn part(input: &Input, bytes: &[Byte], range: Range<usize>) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    let mut at = None;
    for Byte { object, byte, .. } in &bytes[range] {
        let whole = &input.objects[*object];
        if at != Some(*object) {
            at = Some(*object);
            let data = if whole.kind == ObjectKind::Value { whole.data.clone() } else { Vec::new() };
            objects.push(Object { data, ..whole.clone() });
        }
        if whole.kind != ObjectKind::Value
            && let Some(object) = objects.last_mut()
        {
            object.data.push(*byte);
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream in which the capital letters, digits and ends of lines are what the program looks for.
    fn learn(vocabulary: &mut Vocabulary, input: &Input) -> Option<Input> {
        let mut nodes = vec![trace::PackedNode::default()];
        for (object, o) in input.objects.iter().enumerate() {
            for (offset, &byte) in o.data.iter().enumerate() {
                if byte.is_ascii_uppercase() || byte == b'\n' || byte == b'.' {
                    let input = nodes.len() as u32;
                    let node =
                        |op, width, l, a, b| trace::Node { op: op as u8, aux: 0, width, l, r: 0, t: 0, a, b };
                    let name = (object as u64) << 32 | offset as u64;
                    nodes.push(trace::PackedNode::new(node(trace::Op::Input, 8, 0, name, 0)));
                    nodes.push(trace::PackedNode::new(node(trace::Op::Eq, 1, input, 0, byte.into())));
                }
            }
        }
        vocabulary.listen(&Trace { nodes, ..Trace::default() }, input)
    }

    #[test]
    fn lines_with_words_are_phrases() {
        let mut vocabulary = Vocabulary::default();
        let input = Input::stdin("rest\nHELLO you\nnothing\n.\nmore\nBYE");
        assert_eq!(learn(&mut vocabulary, &input), Some(Input::stdin("rest\nHELLO you\n")));
        vocabulary.learn(&Input::stdin("HELLO you\n.\n"));
        assert_eq!(learn(&mut vocabulary, &input), None, "known");
        assert_eq!(learn(&mut vocabulary, &Input::stdin("HELLO me\nxx")), None, "the same, in other words");
        let wordings: Vec<Vec<u8>> = vocabulary.phrases[0].iter().map(|w| w[0].data.clone()).collect();
        assert_eq!(wordings, [b"HELLO you\n".to_vec(), b"HELLO me\n".to_vec()]);
        assert_eq!(vocabulary.phrases[1][0][0].data, b".\n");
        assert!(learn(&mut vocabulary, &Input::stdin("HELLOW ORLD\n")).is_some(), "other words");
    }

    #[test]
    fn what_is_said_on_two_connections_is_no_phrase() {
        let mut vocabulary = Vocabulary::default();
        let connection = |k: &str, text: &str| Object::new(ObjectKind::Connection, k, text.as_bytes());
        let input =
            Input { objects: vec![connection("0", "HELLO\nPASS"), connection("1", "word\nBYE\nrest")] };
        let understood = learn(&mut vocabulary, &input).expect("something new");
        assert_eq!(understood.objects, [connection("0", "HELLO\nPASS"), connection("1", "word\nBYE\n")]);
        let phrases: Vec<&[u8]> = vocabulary.phrases.iter().map(|p| &p[0][0].data[..]).collect();
        assert_eq!(phrases, [b"HELLO\n".as_slice(), b"BYE\n"]);
    }

    #[test]
    fn words_of_the_program_are_more_than_letters() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.know(&[b"HELLO".to_vec(), b"PASS".to_vec()]);
        assert!(learn(&mut vocabulary, &Input::stdin("HEL\n")).is_some(), "nothing better is known");
        assert!(learn(&mut vocabulary, &Input::stdin("HELLO you\n")).is_some());
        assert_eq!(vocabulary.phrases.len(), 1, "what was no word is forgotten");
        assert_eq!(learn(&mut vocabulary, &Input::stdin("HELL\nSS\nLLO\n")), None);
        assert!(learn(&mut vocabulary, &Input::stdin("PASS HELLO\n")).is_some());
    }

    #[test]
    fn a_line_that_was_looked_for_to_its_end_is_another_than_its_beginning() {
        let mut vocabulary = Vocabulary::default();
        let mut says = |line: &str| learn(&mut vocabulary, &Input::stdin(line)).is_some();
        assert!(says("USER RUTH\n"));
        assert!(says("USER RUTH too\n"), "with a rest");
        assert!(!says("USER RUTH one\n") && !says("USER RUTH  \n") && !says("USER RUTH\0\n"));
    }

    #[test]
    fn without_lines_words_are() {
        let mut vocabulary = Vocabulary::default();
        let key = |b: u8| Object::new(ObjectKind::Value, "key", vec![b]);
        let input = Input { objects: "abcABcdX.".bytes().map(key).collect() };
        let short = learn(&mut vocabulary, &input).expect("something new");
        assert_eq!(short.objects.len(), 9, "X. is the last");
        assert_eq!(vocabulary.phrases.len(), 2);
        assert_eq!(vocabulary.phrases[0][0].iter().map(|o| o.data[0]).collect::<Vec<_>>(), b"AB");
    }

    #[test]
    fn words_that_were_wanted_come_into_phrases() {
        let mut vocabulary = Vocabulary { wanted: vec![b"heron".to_vec()], ..Vocabulary::default() };
        learn(&mut vocabulary, &Input::stdin("PASS word\n"));
        let said = vocabulary.talk(&mut Dice::new(1), 2_000, Letters::Printable);
        let lines: Vec<&[u8]> = said[0].data.split(|&b| b == b'\n').collect();
        assert!(lines.contains(&&b"PASS heron"[..]) && lines.contains(&&b"heron word"[..]));
    }

    #[test]
    fn talk_is_made_of_phrases_and_noise() {
        let mut vocabulary = Vocabulary::default();
        assert!(vocabulary.talk(&mut Dice::new(1), 100, Letters::Printable).is_empty());
        learn(&mut vocabulary, &Input::stdin("HELLO\nPASS word\n"));
        vocabulary.learn(&Input::stdin("HELLO\n.\n"));
        let said = vocabulary.talk(&mut Dice::new(1), 2_000, Letters::Printable);
        assert_eq!(said.len(), 1, "one stream");
        let lines: Vec<&[u8]> = said[0].data.split(|&b| b == b'\n').collect();
        for phrase in ["HELLO", ".", "PASS word"] {
            assert!(lines.contains(&phrase.as_bytes()), "{phrase}");
        }
        assert!(lines.iter().any(|l| l.len() > 20), "noise");
        assert_eq!(said, vocabulary.talk(&mut Dice::new(1), 2_000, Letters::Printable), "by the seed alone");
    }
}
