//! Edits that change how often something happens in a run: pieces of an input repeated, put in, taken out, and numbers raised.

use rand::RngExt;
use rand::rngs::SmallRng;
use trace::{Input, Object, ObjectKind, ValueType};

/// Pieces, and numbers, of one input that are looked at.
const MOST_PIECES: usize = 40;
/// Longest piece that is repeated.
const LONGEST: usize = 256;
/// Places of one input where a piece is put in.
const MOST_SPOTS: usize = 4;
/// Characters that end a piece of text.
const ENDS: &[u8] = b" ,;&:|/\t";

/// A stretch of an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Of an object that exists before the run.
    Bytes {
        /// The object's index.
        object: u32,
        /// What stands there.
        bytes: Vec<u8>,
    },
    /// Typed values, one after the other.
    Values(Vec<Object>),
}

/// A change of an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Edit {
    /// A piece put in so often at an offset of its object, or before a value of this number.
    Insert {
        /// What.
        piece: Piece,
        /// Where.
        at: usize,
        /// How often.
        times: u32,
    },
    /// So many of a piece's occurrences taken out, the last ones first.
    Remove {
        /// What.
        piece: Piece,
        /// How many.
        times: u32,
    },
    /// A number raised.
    Raise {
        /// Where it is.
        number: Number,
        /// By so much.
        by: i64,
    },
}

/// A number in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    /// Index of the object.
    object: u32,
    /// Offset of its first byte.
    at: usize,
    /// Bytes, least significant first; 0: decimal digits, as many as there are.
    width: usize,
}

impl Edit {
    /// The changed input; `None` if it does not apply to this one, or makes it longer than `longest`.
    pub fn apply(&self, input: &Input, longest: usize) -> Option<Input> {
        let mut new = input.clone();
        match self {
            Edit::Insert { piece: Piece::Bytes { object, bytes }, at, times } => {
                let data = bytes_of(&mut new, *object)?;
                let added = bytes.len().checked_mul(*times as usize)?;
                if *at > data.len() || input.len().checked_add(added)? > longest {
                    return None;
                }
                data.splice(*at..*at, bytes.repeat(*times as usize));
            }
            Edit::Insert { piece: Piece::Values(values), at, times } => {
                let added = values.len().checked_mul(*times as usize)?;
                if added > longest {
                    return None;
                }
                let at =
                    value_indices(input).nth(*at).or_else(|| value_indices(input).last().map(|k| k + 1))?;
                let many = std::iter::repeat_n(values, *times as usize).flatten().cloned();
                new.objects.splice(at..at, many);
            }
            Edit::Remove { piece, times } => {
                for _ in 0..*times {
                    remove_last(&mut new, piece)?;
                }
            }
            Edit::Raise { number, by } => number.raise(&mut new, *by)?,
        }
        (new != *input).then_some(new)
    }

    /// The same change, so many times over; a negative number undoes it.
    pub fn times(&self, n: i64) -> Option<Edit> {
        match self {
            Edit::Insert { piece, at, .. } if n > 0 => {
                Some(Edit::Insert { piece: piece.clone(), at: *at, times: u32::try_from(n).ok()? })
            }
            Edit::Insert { piece, .. } if n < 0 => {
                Some(Edit::Remove { piece: piece.clone(), times: u32::try_from(n.checked_neg()?).ok()? })
            }
            Edit::Raise { number, by } => Some(Edit::Raise { number: *number, by: by.checked_mul(n)? }),
            _ => None,
        }
    }

    /// Whether it puts in the same piece, or raises the same number.
    pub fn is_like(&self, other: &Edit) -> bool {
        match (self, other) {
            (Edit::Insert { piece: a, .. }, Edit::Insert { piece: b, .. }) => a == b,
            (Edit::Raise { number: a, .. }, Edit::Raise { number: b, .. }) => a == b,
            _ => false,
        }
    }

    /// A piece anywhere in an input once more.
    pub fn at_random(input: &Input, rng: &mut SmallRng) -> Option<Edit> {
        let values: Vec<usize> = value_indices(input).collect();
        let objects = (0..)
            .zip(&input.objects)
            .filter(|(_, o)| !matches!(o.kind, ObjectKind::Value | ObjectKind::End) && !o.data.is_empty());
        let objects: Vec<(u32, &Object)> = objects.collect();
        if !values.is_empty() && (objects.is_empty() || rng.random_bool(0.5)) {
            let from = rng.random_range(0..values.len());
            let len = rng.random_range(1..=(values.len() - from).min(8));
            let piece = values[from..from + len].iter().map(|&k| input.objects[k].clone()).collect();
            return Some(Edit::Insert { piece: Piece::Values(piece), at: from + len, times: 1 });
        }
        if objects.is_empty() {
            return None;
        }
        let (object, o) = objects[rng.random_range(0..objects.len())];
        let from = rng.random_range(0..o.data.len());
        let len = rng.random_range(1..=(o.data.len() - from).min(24));
        let piece = Piece::Bytes { object, bytes: o.data[from..from + len].to_vec() };
        Some(Edit::Insert { piece, at: from + len, times: 1 })
    }

    /// What is put in, if something is.
    pub fn piece(&self) -> Option<&Piece> {
        match self {
            Edit::Insert { piece, .. } => Some(piece),
            _ => None,
        }
    }
}

impl Number {
    fn raise(self, input: &mut Input, by: i64) -> Option<()> {
        let object = input.objects.get_mut(self.object as usize)?;
        if self.width == 0 {
            let digits = digits_at(&object.data, self.at);
            let text = std::str::from_utf8(object.data.get(digits.clone())?).ok()?;
            let new = text.parse::<i64>().ok()?.checked_add(by).filter(|n| *n >= 0)?;
            object.data.splice(digits, new.to_string().into_bytes());
            return Some(());
        }
        if self.width < 8 && by.unsigned_abs() >= 1 << (8 * self.width) {
            return None;
        }
        let bytes = object.data.get_mut(self.at..self.at.checked_add(self.width)?)?;
        let mut word = [0; 8];
        word[..self.width].copy_from_slice(bytes);
        let new = u64::from_le_bytes(word).wrapping_add_signed(by).to_le_bytes();
        if matches!(object.kind, ObjectKind::Arg | ObjectKind::Env) && new[..self.width].contains(&0) {
            return None;
        }
        bytes.copy_from_slice(&new[..self.width]);
        Some(())
    }
}

fn bytes_of(input: &mut Input, object: u32) -> Option<&mut Vec<u8>> {
    let object = input.objects.get_mut(object as usize)?;
    let is_bytes = !matches!(object.kind, ObjectKind::Value | ObjectKind::End);
    is_bytes.then_some(&mut object.data)
}

fn value_indices(input: &Input) -> impl Iterator<Item = usize> + '_ {
    (0..).zip(&input.objects).filter(|(_, o)| o.kind == ObjectKind::Value).map(|(k, _)| k)
}

fn remove_last(input: &mut Input, piece: &Piece) -> Option<()> {
    match piece {
        Piece::Bytes { object, bytes } => {
            let data = bytes_of(input, *object)?;
            let at = data.windows(bytes.len()).rposition(|w| w == bytes)?;
            data.drain(at..at + bytes.len());
        }
        Piece::Values(values) => {
            let at = input.objects.windows(values.len()).rposition(|w| w == values)?;
            input.objects.drain(at..at + values.len());
        }
    }
    Some(())
}

/// Decimal digits from `at` on.
fn digits_at(data: &[u8], at: usize) -> std::ops::Range<usize> {
    let len = data.get(at..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    at..at + len
}

/// Stretches of an input whose number may matter, each put in once more where it stands: ends, lines, words, single bytes, chunks of usual sizes;
/// of values the last few.
pub fn repetitions(input: &Input) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (object, o) in (0..).zip(&input.objects) {
        if matches!(o.kind, ObjectKind::Value | ObjectKind::End) {
            continue;
        }
        for range in stretches(&o.data) {
            let piece = Piece::Bytes { object, bytes: o.data[range.clone()].to_vec() };
            let known = edits.iter().any(|e: &Edit| e.piece() == Some(&piece));
            if !known && edits.len() < MOST_PIECES {
                edits.push(Edit::Insert { piece, at: range.end, times: 1 });
            }
        }
    }
    let values: Vec<&Object> = input.objects.iter().filter(|o| o.kind == ObjectKind::Value).collect();
    let n = values.len();
    let ranges =
        (1..=n.min(6)).map(|k| n - k..n).chain((1..=n.min(4)).map(|k| 0..k)).chain((1..n).map(|k| k..k + 1));
    for range in ranges {
        let piece = Piece::Values(values[range.clone()].iter().map(|&o| o.clone()).collect());
        let known = edits.iter().any(|e: &Edit| e.piece() == Some(&piece));
        if !known && edits.len() < MOST_PIECES {
            edits.push(Edit::Insert { piece, at: range.end, times: 1 });
        }
    }
    edits
}

fn stretches(data: &[u8]) -> Vec<std::ops::Range<usize>> {
    let n = data.len();
    let mut all = Vec::new();
    if n == 0 {
        return all;
    }
    all.push(n - 1..n);
    all.extend(parts(data, b"\n").rev().take(8));
    all.push(0..1);
    all.extend(parts(data, ENDS).rev().take(8));
    all.extend([2, 3, 4, 8, 16].into_iter().filter(|&k| k < n).flat_map(|k| [n - k..n, 0..k]));
    all.extend((0..n).filter(|&k| !data[..k].contains(&data[k])).take(12).map(|k| k..k + 1));
    all.push(0..n);
    all.retain(|r| !r.is_empty() && r.len() <= LONGEST);
    all
}

/// Stretches that end behind one of `ends`, or at the end.
fn parts(data: &[u8], ends: &'static [u8]) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for to in 1..=data.len() {
        if to == data.len() || ends.contains(&data[to - 1]) {
            parts.push(from..to);
            from = to;
        }
    }
    parts.into_iter()
}

/// Numbers of an input, each raised by one: decimal ones, typed values, single bytes.
pub fn raises(input: &Input) -> Vec<Edit> {
    let mut numbers = Vec::new();
    for (object, o) in (0..).zip(&input.objects) {
        let is_value = o.kind == ObjectKind::Value;
        let is_number = is_value && o.value_type != ValueType::Bytes && o.data.len() <= 8;
        if is_number && !o.data.is_empty() {
            numbers.push(Number { object, at: 0, width: o.data.len() });
            continue;
        }
        let starts = (0..o.data.len())
            .filter(|&k| o.data[k].is_ascii_digit() && (k == 0 || !o.data[k - 1].is_ascii_digit()));
        numbers.extend(starts.take(6).map(|at| Number { object, at, width: 0 }));
        let single = (0..o.data.len()).filter(|_| o.data.len() <= 64).take(24);
        numbers.extend(single.map(|at| Number { object, at, width: 1 }));
    }
    numbers.truncate(MOST_PIECES);
    numbers.into_iter().map(|number| Edit::Raise { number, by: 1 }).collect()
}

/// Where a piece can be put into an input: behind its last occurrence, at the ends, behind lines.
pub fn spots(input: &Input, piece: &Piece) -> Vec<usize> {
    let mut spots = Vec::new();
    match piece {
        Piece::Bytes { object, bytes } => {
            let Some(o) = input.objects.get(*object as usize) else { return spots };
            let there = o.data.windows(bytes.len()).rposition(|w| w == bytes);
            spots.extend(there.map(|at| at + bytes.len()));
            spots.extend([o.data.len(), 0]);
            let lines = (1..=o.data.len()).filter(|&k| o.data[k - 1] == b'\n');
            spots.extend(lines.rev().take(MOST_SPOTS));
        }
        Piece::Values(values) => {
            let all: Vec<&Object> = input.objects.iter().filter(|o| o.kind == ObjectKind::Value).collect();
            let same = |w: &[&Object]| w.iter().zip(values).all(|(a, b)| *a == b);
            let there = all.windows(values.len().max(1)).rposition(same);
            spots.extend(there.map(|at| at + values.len()));
            spots.extend([all.len(), 0]);
        }
    }
    let mut once = Vec::new();
    spots.retain(|s| {
        !once.contains(s) && {
            once.push(*s);
            true
        }
    });
    spots.truncate(MOST_SPOTS);
    spots
}

/// Inputs that have something of both: the lines (or all) of `from` put into `into`, lines of `into` replaced by them, and what differs
/// at the same place taken over.
pub fn splices(into: &Input, from: &Input, longest: usize) -> Vec<Input> {
    let mut all = Vec::new();
    for (object, (a, b)) in (0..).zip(into.objects.iter().zip(&from.objects)) {
        let fixed = a.kind == ObjectKind::Value || a.data.len() == b.data.len();
        if a.kind != b.kind || a.kind == ObjectKind::End {
            continue;
        }
        if fixed && a.data.len() == b.data.len() {
            for range in differences(&a.data, &b.data) {
                let mut new = into.clone();
                new.objects[object as usize].data[range.clone()].copy_from_slice(&b.data[range]);
                all.push(new);
            }
        }
        if a.kind != ObjectKind::Value {
            pieces_into(into, object, &b.data, longest, &mut all);
        }
    }
    values_into(into, from, longest, &mut all);
    all.retain(|new| new != into && new != from && new.len() <= longest);
    all
}

/// Stretches in which two texts of one length differ: at most eight, near ones joined.
fn differences(a: &[u8], b: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut all: Vec<std::ops::Range<usize>> = Vec::new();
    for k in (0..a.len()).filter(|&k| a[k] != b[k]) {
        match all.last_mut() {
            Some(last) if last.end == k => last.end = k + 1,
            _ => all.push(k..k + 1),
        }
    }
    all.truncate(8);
    all
}

fn pieces_into(into: &Input, object: u32, from: &[u8], longest: usize, all: &mut Vec<Input>) {
    let data = &into.objects[object as usize].data;
    let lines: Vec<_> = parts(data, b"\n").collect();
    let mut others: Vec<&[u8]> = parts(from, b"\n").map(|r| &from[r]).collect();
    others.insert(0, from);
    others.extend(parts(from, ENDS).map(|r| &from[r]));
    others.retain(|p| !p.is_empty() && p.len() + data.len() <= longest);
    others.truncate(6);
    let mut once: Vec<&[u8]> = Vec::new();
    for piece in others {
        if once.contains(&piece) {
            continue;
        }
        once.push(piece);
        let mut put = |range: std::ops::Range<usize>| {
            let mut new = into.clone();
            new.objects[object as usize].data.splice(range, piece.iter().copied());
            all.push(new);
        };
        put(data.len()..data.len());
        put(0..0);
        lines.iter().rev().take(4).for_each(|line| put(line.clone()));
        let first = lines.first().filter(|_| lines.len() > 4);
        first.into_iter().for_each(|line| put(line.clone()));
    }
}

fn values_into(into: &Input, from: &Input, longest: usize, all: &mut Vec<Input>) {
    let others: Vec<Object> = from.objects.iter().filter(|o| o.kind == ObjectKind::Value).cloned().collect();
    if others.is_empty() || others.len() > longest {
        return;
    }
    let own: Vec<usize> = value_indices(into).collect();
    let ends = own.first().copied().into_iter().chain(own.last().map(|k| k + 1));
    for at in ends {
        let mut new = into.clone();
        new.objects.splice(at..at, others.iter().cloned());
        all.push(new);
    }
    for (&at, other) in own.iter().zip(&others).take(8) {
        if into.objects[at].name == other.name && into.objects[at].data.len() == other.data.len() {
            let mut new = into.clone();
            new.objects[at] = other.clone();
            all.push(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &Input) -> String {
        String::from_utf8_lossy(&input.objects[0].data).into_owned()
    }

    #[test]
    fn a_line_is_repeated_and_taken_out_again() {
        let input = Input::stdin(*b"ab\ncd\n");
        let line = Piece::Bytes { object: 0, bytes: b"cd\n".to_vec() };
        let once = repetitions(&input).into_iter().find(|e| e.piece() == Some(&line)).expect("the last line");
        let many = once.times(3).and_then(|e| e.apply(&input, 100)).expect("room enough");
        assert_eq!(text(&many), "ab\ncd\ncd\ncd\ncd\n");
        let back = once.times(-3).and_then(|e| e.apply(&many, 100)).expect("four of them");
        assert_eq!(back, input);
        assert_eq!(once.times(-2).and_then(|e| e.apply(&input, 100)), None, "there is one");
        assert_eq!(once.times(40).and_then(|e| e.apply(&input, 100)), None, "too long");
    }

    #[test]
    fn numbers_are_raised_as_they_are_written() {
        let input = Input::stdin(*b"n=99;");
        let raised: Vec<String> =
            raises(&input).iter().filter_map(|e| e.apply(&input, 9)).map(|i| text(&i)).collect();
        assert_eq!(raised[0], "n=100;");
        assert!(raised.contains(&"n=9:;".to_string()));
        let value = Object {
            value_type: ValueType::Signed,
            ..Object::new(ObjectKind::Value, "n", 255u32.to_le_bytes().to_vec())
        };
        let values = Input { objects: vec![value] };
        let many = raises(&values)[0].times(1000).and_then(|e| e.apply(&values, 9)).expect("a number");
        assert_eq!(many.objects[0].data, 1255u32.to_le_bytes());
    }

    #[test]
    fn edits_of_one_input_do_not_apply_to_a_shorter_one() {
        let input = Input::stdin(*b"ab\n12=99;\n");
        let edits: Vec<Edit> = repetitions(&input).into_iter().chain(raises(&input)).collect();
        for len in 0..input.len() {
            let mut short = input.clone();
            short.objects[0].data.truncate(len);
            for edit in edits.iter().flat_map(|e| [e.times(1), e.times(-1), e.times(3)]).flatten() {
                let made = edit.apply(&short, 50);
                assert!(made.is_none_or(|new| new != short));
            }
        }
        let number = Number { object: 0, at: 8, width: 0 };
        let raise = Edit::Raise { number, by: 1 };
        assert_eq!(raise.apply(&Input::stdin(*b"n=1"), 50), None, "there is no such place");
        assert_eq!(raise.apply(&Input::default(), 50), None, "there is no such object");
    }

    #[test]
    fn values_are_repeated_as_a_row() {
        let value = |k: u8| Object::new(ObjectKind::Value, "v", vec![k]);
        let input = Input { objects: vec![value(1), value(2)] };
        let row = Piece::Values(vec![value(1), value(2)]);
        let once = repetitions(&input).into_iter().find(|e| e.piece() == Some(&row)).expect("both");
        let many = once.times(2).and_then(|e| e.apply(&input, 100)).expect("room enough");
        let data: Vec<u8> = many.objects.iter().map(|o| o.data[0]).collect();
        assert_eq!(data, [1, 2, 1, 2, 1, 2]);
    }

    #[test]
    fn splices_put_lines_in_and_in_the_place_of_others() {
        let made: Vec<String> =
            splices(&Input::stdin(*b"a\nb\n"), &Input::stdin(*b"X\n"), 50).iter().map(text).collect();
        for wanted in ["a\nb\nX\n", "X\na\nb\n", "a\nX\n", "X\nb\n"] {
            assert!(made.iter().any(|m| m == wanted), "{wanted:?} is not among {made:?}");
        }
        let same: Vec<String> =
            splices(&Input::stdin(*b"axxbc"), &Input::stdin(*b"ayybd"), 50).iter().map(text).collect();
        assert!(same.contains(&"ayybc".into()) && same.contains(&"axxbd".into()), "{same:?}");
    }
}
