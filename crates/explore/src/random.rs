//! Inputs that are made without a path: the first ones, random ones, longer and shorter ones.

use crate::bias::Bias;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::sync::Arc;
use strategy::{Fill, Letters};
use trace::{Input, Object, ObjectKind};

/// The engine's random numbers: one stream, advanced only under the lock, so that one worker draws the same
/// numbers every time.
pub struct Dice {
    random: SmallRng,
    bias: Arc<Bias>,
}

/// Characters that text formats care about.
const PRINTABLE: &[u8] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n\"'{}[]()<>/\\=:;,.+-*#&%!?_";

impl Dice {
    /// A stream from a seed.
    #[cfg(test)]
    pub fn new(seed: u64) -> Dice {
        Dice::biased(seed, &Arc::default())
    }

    /// One whose inputs have these distributions.
    pub fn biased(seed: u64, bias: &Arc<Bias>) -> Dice {
        Dice { random: SmallRng::seed_from_u64(seed), bias: bias.clone() }
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n)
    }

    /// So many bytes drawn from `letters`.
    pub fn bytes(&mut self, len: usize, letters: Letters) -> Vec<u8> {
        let byte = |dice: &mut Dice| match letters {
            Letters::Printable => PRINTABLE[dice.below(PRINTABLE.len())],
            Letters::All => dice.random.random(),
        };
        (0..len).map(|_| byte(self)).collect()
    }

    /// So many random bytes of an object: by its distribution, or drawn from `letters` where it has none.
    pub fn text(&mut self, object: &Object, len: usize, letters: Letters) -> Vec<u8> {
        match self.bias.of(object).copied() {
            Some(distribution) => {
                (0..len).map(|_| distribution.byte(&mut || self.random.next_u64())).collect()
            }
            None => self.bytes(len, letters),
        }
    }

    /// An input of the given shape with random contents: each object up to `max_len` bytes drawn from
    /// `letters`. Arguments and environment variables hold no NUL.
    pub fn input(&mut self, shape: &Input, max_len: u32, letters: Letters) -> Input {
        let object = |dice: &mut Dice, o: &Object| {
            let len = dice.below(max_len as usize + 1);
            let mut data = dice.text(o, len, letters);
            if matches!(o.kind, ObjectKind::Arg | ObjectKind::Env) {
                data.iter_mut().filter(|b| **b == 0).for_each(|b| *b = b'0');
            }
            Object { data, ..o.clone() }
        };
        Input { objects: byte_objects(shape).map(|o| object(self, o)).collect() }
    }
}

/// The first inputs when the user gives none: empty, `len` zeros, and `len` spaces each.
pub fn first_inputs(shape: &Input, len: u32) -> Vec<Input> {
    let filled = |byte: u8, len: u32| {
        let fill = |o: &Object| {
            let byte =
                if byte == 0 && matches!(o.kind, ObjectKind::Arg | ObjectKind::Env) { b'0' } else { byte };
            Object { data: vec![byte; len as usize], ..o.clone() }
        };
        Input { objects: byte_objects(shape).map(fill).collect() }
    };
    let mut inputs = vec![filled(0, 0)];
    if len > 0 && byte_objects(shape).next().is_some() {
        inputs.push(filled(0, len));
        inputs.push(filled(b' ', len));
    }
    inputs
}

/// Objects that exist before the run; typed values are asked for anew by each run.
fn byte_objects(shape: &Input) -> impl Iterator<Item = &Object> {
    shape.objects.iter().filter(|o| o.kind != ObjectKind::Value)
}

/// `input` with object `object` made `to` bytes long; shorter when that would exceed `max_input` bytes in all.
///
/// `None` if there is no such object, it is a typed value, or nothing would change.
pub fn resized(
    input: &Input,
    object: u32,
    to: u64,
    fill: Fill,
    max_input: usize,
    dice: &mut Dice,
) -> Option<Input> {
    let old = input.objects.get(object as usize)?;
    if old.kind == ObjectKind::Value {
        return None;
    }
    let room = max_input.saturating_sub(input.len() - old.data.len());
    let to = usize::try_from(to).unwrap_or(usize::MAX).min(room.max(old.data.len()));
    if to == old.data.len() {
        return None;
    }
    let mut new = input.clone();
    let data = &mut new.objects[object as usize].data;
    data.truncate(to);
    while data.len() < to {
        let k = data.len();
        data.push(match fill {
            Fill::Zeros if matches!(old.kind, ObjectKind::Arg | ObjectKind::Env) => b'0',
            Fill::Zeros => 0,
            Fill::Printable => PRINTABLE[dice.below(PRINTABLE.len())],
            Fill::Tail if old.data.is_empty() => b'0',
            Fill::Tail => old.data[old.data.len() - 1 - (to - 1 - k) % old.data.len()],
        });
    }
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(input: Option<Input>) -> Option<Vec<u8>> {
        input.map(|i| i.objects[0].data.clone())
    }

    #[test]
    fn growing_appends_and_shrinking_cuts() {
        let dice = &mut Dice::new(1);
        let input = Input::stdin(*b"abc");
        assert_eq!(data(resized(&input, 0, 5, Fill::Zeros, 100, dice)), Some(b"abc\0\0".to_vec()));
        assert_eq!(data(resized(&input, 0, 5, Fill::Tail, 100, dice)), Some(b"abcbc".to_vec()));
        assert_eq!(data(resized(&input, 0, 1, Fill::Zeros, 100, dice)), Some(b"a".to_vec()));
        let printable = data(resized(&input, 0, 9, Fill::Printable, 100, dice)).unwrap();
        assert!(printable[3..].iter().all(|b| PRINTABLE.contains(b)));
    }

    #[test]
    fn growing_respects_the_longest_input() {
        let dice = &mut Dice::new(1);
        let input = Input::stdin(*b"abc");
        assert_eq!(data(resized(&input, 0, 1 << 40, Fill::Zeros, 4, dice)), Some(b"abc\0".to_vec()));
        assert_eq!(resized(&input, 0, 9, Fill::Zeros, 3, dice), None);
        assert_eq!(resized(&input, 0, 9, Fill::Zeros, 2, dice), None);
        assert_eq!(resized(&input, 1, 9, Fill::Zeros, 100, dice), None);
        assert_eq!(resized(&input, 0, 3, Fill::Zeros, 100, dice), None);
    }

    #[test]
    fn the_same_seed_draws_the_same_inputs() {
        let draw = |seed| {
            let mut dice = Dice::new(seed);
            (0..10).map(|_| dice.input(&Input::stdin([]), 20, Letters::All)).collect::<Vec<_>>()
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }

    #[test]
    fn what_has_a_distribution_is_drawn_by_it() {
        let shape = Input {
            objects: vec![Input::stdin([]).objects.remove(0), Object::new(ObjectKind::File, "@@", [])],
        };
        let bias = Arc::new(Bias::new(vec![(
            "stdin".to_string(),
            trace::Distribution::parse("9:'a'..'c' \"\\n\"").expect("a distribution"),
        )]));
        let draw = |bias: &Arc<Bias>| {
            let mut dice = Dice::biased(3, bias);
            (0..50).map(|_| dice.input(&shape, 20, Letters::All)).collect::<Vec<_>>()
        };
        let texts =
            |k: usize| draw(&bias).iter().flat_map(|i| i.objects[k].data.clone()).collect::<Vec<u8>>();
        let (text, other) = (texts(0), texts(1));
        assert!(text.iter().all(|b| b"abc\n".contains(b)) && other.iter().any(|b| !b"abc\n".contains(b)));
        let ends = text.iter().filter(|&&b| b == b'\n').count();
        assert!(
            text.len() > 300 && (text.len() / 20..text.len() / 5).contains(&ends),
            "{ends} of {}",
            text.len()
        );
        assert_eq!(draw(&bias), draw(&bias), "by the seed alone");
    }

    #[test]
    fn arguments_hold_no_nul() {
        let shape = Input { objects: vec![Object::new(ObjectKind::Arg, "1", [])] };
        let mut dice = Dice::new(1);
        for _ in 0..50 {
            assert!(!dice.input(&shape, 30, Letters::All).objects[0].data.contains(&0));
        }
        assert!(first_inputs(&shape, 4).iter().all(|i| !i.objects[0].data.contains(&0)));
    }
}
