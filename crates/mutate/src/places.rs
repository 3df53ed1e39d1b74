//! Words put exactly where the program looked for one.
//!
//! A solver changes bytes, never how many there are: where a program compares `add` with `replace`, the constraint of the other
//! outcome has no solution, for the end of the word is where it is. Inserting words at random places hardly ever hits. But
//! the symbolic view knows which input bytes a comparison was about, so the old word can be taken out and the new one
//! put there, whatever their lengths. (RedQueen guesses such places from equal bytes: Aschermann et al., "REDQUEEN:
//! fuzzing with input-to-state correspondence", NDSS 2019; here they are known.)

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;
use trace::{Input, ObjectKind};

/// Most inputs waiting to be run; beyond it the oldest go.
const MAX_WAITING: usize = 1 << 12;
/// Most bytes of theirs.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// Most substitutions remembered; beyond it none is made.
const MAX_TRIED: usize = 1 << 20;
/// Most words tried at one place because the comparison named them.
const MAX_WORDS: usize = 16;
/// Most words tried in the place of one that was the right one: a format mostly has several for the same place.
const MAX_SIBLINGS: usize = 32;
/// Bytes in front of a place that tell it from others with the same old word.
const CONTEXT: usize = 12;

/// Consecutive input bytes that were compared with constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the input object.
    pub object: u32,
    /// Of the first byte.
    pub offset: u32,
    /// What the bytes were compared with: a word, or its beginning where the input's own word was shorter. A zero at the end is
    /// that of a C string.
    pub compared: Vec<u8>,
}

/// Inputs made by substitution, each once.
#[derive(Debug, Default)]
pub struct Substitutes {
    waiting: VecDeque<Input>,
    /// Of those that wait.
    bytes: usize,
    tried: HashSet<u64>,
    /// How many siblings were looked at; the next ones come next time.
    turn: usize,
}

impl Substitutes {
    /// A run of `input` compared at these places: puts other words there, from `words` and what was compared.
    pub fn add(&mut self, input: &Arc<Input>, places: &[Place], words: &BTreeSet<Vec<u8>>, max_input: usize) {
        for place in places {
            let Some(object) = input.objects.get(place.object as usize) else { continue };
            if object.kind == ObjectKind::Value {
                continue;
            }
            for span in spans(&object.data, place).into_iter().flatten() {
                let old = &object.data[span.clone()];
                let siblings = if old == text(&place.compared) { self.siblings(words) } else { Vec::new() };
                for word in candidates(place, words).chain(siblings) {
                    let grown = input.len() - old.len() + word.len();
                    if old != word && grown <= max_input && self.is_new(&object.data, &span, word) {
                        self.push(with(input, place.object as usize, span.clone(), word));
                    }
                }
            }
        }
    }

    /// Names in the dictionary, other ones each time.
    fn siblings<'w>(&mut self, words: &'w BTreeSet<Vec<u8>>) -> Vec<&'w [u8]> {
        let from = if self.turn < words.len() { self.turn } else { 0 };
        self.turn = from + MAX_SIBLINGS;
        let all = words.iter().skip(from).take(MAX_SIBLINGS).map(Vec::as_slice);
        all.filter(|w| w.iter().all(is_name)).collect()
    }

    /// The next one.
    pub fn pop(&mut self) -> Option<Input> {
        let next = self.waiting.pop_front()?;
        self.bytes -= next.len();
        Some(next)
    }

    fn push(&mut self, input: Input) {
        self.bytes += input.len();
        self.waiting.push_back(input);
        while self.waiting.len() > MAX_WAITING || self.bytes > MAX_WAITING_BYTES {
            self.pop();
        }
    }

    /// Whether this word was not put in place of that one behind the same bytes before.
    fn is_new(&mut self, data: &[u8], span: &Range<usize>, word: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        (&data[span.start.saturating_sub(CONTEXT)..span.end], word).hash(&mut hasher);
        self.tried.len() < MAX_TRIED && self.tried.insert(hasher.finish())
    }
}

fn with(input: &Input, object: usize, span: Range<usize>, word: &[u8]) -> Input {
    let mut input = input.clone();
    let object = &mut input.objects[object];
    object.data.splice(span, word.iter().copied());
    if matches!(object.kind, ObjectKind::Arg | ObjectKind::Env) {
        object.data.iter_mut().filter(|b| **b == 0).for_each(|b| *b = b'0');
    }
    input
}

/// What the old word may be: the bytes that were compared, and all of the name or number that begins there.
fn spans(data: &[u8], place: &Place) -> [Option<Range<usize>>; 2] {
    let start = place.offset as usize;
    let Some(rest) = data.get(start..) else { return [None, None] };
    let compared = start..start + text(&place.compared).len().min(rest.len());
    let name = start..start + rest.iter().position(|b| !is_name(b)).unwrap_or(rest.len());
    let other = (name != compared && !name.is_empty()).then_some(name);
    [Some(compared), other]
}

/// Whether a byte is one of a name or a number.
pub fn is_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || b"_-.".contains(b)
}

/// What was compared, and words that begin so unless all of a word was compared.
fn candidates<'w>(place: &'w Place, words: &'w BTreeSet<Vec<u8>>) -> impl Iterator<Item = &'w [u8]> {
    let known = text(&place.compared);
    let is_whole = known.len() < place.compared.len();
    let longer = words.range(known.to_vec()..).take_while(move |w| !is_whole && w.starts_with(known));
    std::iter::once(known).chain(longer.map(Vec::as_slice).filter(move |w| *w != known)).take(MAX_WORDS)
}

/// A C string without its end.
fn text(compared: &[u8]) -> &[u8] {
    compared.strip_suffix(b"\0").unwrap_or(compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(data: &[u8], offset: u32, compared: &[u8], words: &[&[u8]]) -> Vec<Vec<u8>> {
        let place = Place { object: 0, offset, compared: compared.to_vec() };
        let words = words.iter().map(|w| w.to_vec()).collect();
        let mut substitutes = Substitutes::default();
        let input = Arc::new(Input::stdin(data));
        substitutes.add(&input, &[place.clone(), place], &words, 32);
        std::iter::from_fn(|| substitutes.pop()).map(|i| i.objects[0].data.clone()).collect()
    }

    #[test]
    fn a_longer_word_takes_the_place_of_the_one_that_was_compared_with_its_beginning() {
        let made = made(br#"{"op":"add"}"#, 7, b"rep", &[b"replace", b"remove", b"rep", b"x"]);
        assert_eq!(made, [br#"{"op":"rep"}"#.to_vec(), br#"{"op":"replace"}"#.to_vec()]);
    }

    #[test]
    fn a_shorter_word_takes_the_place_of_all_of_a_longer_one() {
        // `remove` against `add` and its end.
        let made = made(br#"{"op":"remove"}"#, 7, b"add\0", &[b"addendum"]);
        assert_eq!(made, [br#"{"op":"addove"}"#.to_vec(), br#"{"op":"add"}"#.to_vec()]);
    }

    #[test]
    fn others_take_the_place_of_a_word_that_was_right() {
        let made = made(br#"{"op":"add"}"#, 7, b"add\0", &[b"copy", b"no name", b"remove"]);
        assert_eq!(made, [br#"{"op":"copy"}"#.to_vec(), br#"{"op":"remove"}"#.to_vec()]);
    }

    #[test]
    fn what_does_not_fit_or_is_there_already_is_left_out() {
        assert!(made(b"word", 0, b"word", &[]).is_empty());
        assert!(made(&[b'-'; 32], 0, b"ab", &[&[b'a'; 40]]).iter().all(|m| m.len() <= 32));
        assert!(made(b"word", 9, b"some", &[]).is_empty(), "garbage in a trace");
    }

    #[test]
    fn long_inputs_do_not_pile_up() {
        let mut substitutes = Substitutes::default();
        let words = (0..MAX_WORDS as u8).map(|k| vec![b'a', b'b', b'c' + k]).collect();
        let places = |from: u32| {
            (from..from + 8).map(|k| Place { object: 0, offset: 2 * k, compared: b"ab".to_vec() })
        };
        let input = Arc::new(Input::stdin(vec![b'-'; 1 << 20]));
        substitutes.add(&input, &places(0).collect::<Vec<_>>(), &words, 2 << 20);
        let waiting: Vec<usize> = std::iter::from_fn(|| substitutes.pop()).map(|i| i.len()).collect();
        assert!(!waiting.is_empty() && waiting.iter().sum::<usize>() <= MAX_WAITING_BYTES);
        assert_eq!(substitutes.bytes, 0);
    }

    #[test]
    fn values_keep_their_size() {
        let place = Place { object: 0, offset: 0, compared: b"word".to_vec() };
        let mut substitutes = Substitutes::default();
        let object = trace::Object::new(ObjectKind::Value, "int", [1, 2, 3, 4]);
        let input = Arc::new(Input { objects: vec![object] });
        substitutes.add(&input, &[place], &BTreeSet::from([b"words".to_vec()]), 32);
        assert_eq!(substitutes.pop(), None);
    }
}
