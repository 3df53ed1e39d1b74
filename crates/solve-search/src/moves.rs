//! Other values for a field.

use crate::part::Field;
use floats::{Format, from_ordinal, ordinal};
use solve::Random;

/// A field's value moved by `steps`: of a float in units in the last place, of an integer modulo its width.
pub(crate) fn moved(field: &Field, value: u128, steps: i128) -> u128 {
    match field.float {
        Some(format) => from_ordinal(format, ordinal(format, value).saturating_add(steps)),
        None => value.wrapping_add(steps as u128),
    }
}

/// A value for a field that has `value` now: near it, a special one, or any.
pub(crate) fn mutated(field: &Field, value: u128, random: &mut Random) -> u128 {
    let power = random.below((8 * field.bytes.len()).min(100));
    match (random.below(6), field.float) {
        (0, _) => value ^ 1 << power,
        (1, _) => moved(field, value, 1 << power),
        (2, _) => moved(field, value, -(1 << power)),
        (3, Some(format)) => value ^ 1 << (format.width() - 1),
        (4, Some(format)) => {
            // A number of moderate size, with few digits.
            let (significand, exponent) = (random.word() >> random.below(64), random.below(24));
            floats::pack(format, random.one_in(2), significand.into(), exponent as i32 - 16)
        }
        (5, Some(format)) => special(format, random.below(5)),
        (4, None) => random.wide() >> random.below(128),
        _ => random.wide(),
    }
}

fn special(format: Format, which: usize) -> u128 {
    match which {
        0 => 0,
        1 => format.infinity(false),
        2 => format.infinity(true),
        3 => format.default_nan(),
        _ => 1,
    }
}
