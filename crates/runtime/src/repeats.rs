//! Values that come again: what the program was given at an input place before, to be given there once more.
//!
//! Uniform random numbers never meet: a key of 32 bits that was put in is not asked for again by chance, so whatever happens to known
//! keys stays untried. Testing with values seen before is old practice (Pacheco and others, "Feedback-directed random test
//! generation", ICSE 2007, reuse them as arguments). Some of the values of the whole run are kept, whoever chose them, the newer the
//! likelier; with [`trace_abi::run_flags::REPEATS`] every other value drawn is one of them. They live in the program's own memory, and are
//! frozen with it.

use crate::values::splitmix64;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use trace_abi::ValueType;

/// Values kept.
const KEPT: usize = 256;
/// Longest that is kept, in bytes.
const LONGEST: usize = 8;
/// Values looked at for one of the place.
const LOOKS: u64 = 16;

/// A value and the place where it was given; place 0: none.
struct Slot {
    place: AtomicU32,
    value: AtomicU64,
}

static SLOTS: [Slot; KEPT] = [const { Slot { place: AtomicU32::new(0), value: AtomicU64::new(0) } }; KEPT];

/// A number, not 0, for all input statements of this name, type and size (FNV-1a).
pub fn place(name: &[u8], kind: ValueType, len: usize) -> u32 {
    let head = [kind as u8, len as u8];
    let hash = |h: u32, &b: &u8| (h ^ u32::from(b)).wrapping_mul(0x0100_0193);
    head.iter().chain(name).fold(0x811c_9dc5, hash).max(1)
}

/// Keeps what value `number` of the run was, in the place of any other.
pub fn remember(place: u32, bytes: &[u8], number: u32) {
    if bytes.len() > LONGEST {
        return;
    }
    let mut value = [0; LONGEST];
    value[..bytes.len()].copy_from_slice(bytes);
    let slot = &SLOTS[splitmix64(u64::from(number)) as usize % KEPT];
    slot.value.store(u64::from_le_bytes(value), Relaxed);
    slot.place.store(place, Relaxed);
}

/// Fills in a value that was given at `place` before, every other time if there is one; whether it did.
pub fn draw(place: u32, bytes: &mut [u8], seed: u64, number: u32) -> bool {
    let dice = splitmix64(!seed ^ splitmix64(u64::from(number)));
    if bytes.len() > LONGEST || dice & 1 == 0 {
        return false;
    }
    let mut looked_at = (0..LOOKS).map(|k| &SLOTS[splitmix64(dice ^ k) as usize % KEPT]);
    let Some(slot) = looked_at.find(|slot| slot.place.load(Relaxed) == place) else { return false };
    bytes.copy_from_slice(&slot.value.load(Relaxed).to_le_bytes()[..bytes.len()]);
    true
}

/// Forgets all: another run in the same process.
pub fn forget() {
    for slot in &SLOTS {
        slot.place.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_place_come_again_every_other_time() {
        forget();
        let (key, other) = (place(b"key", ValueType::Signed, 4), place(b"other", ValueType::Signed, 4));
        assert_ne!(key, other);
        assert_ne!(key, place(b"key", ValueType::Signed, 8));
        let mut bytes = [0; 4];
        assert!(!(0..100).any(|n| draw(key, &mut bytes, 7, n)), "there are none");
        (0..200u32).for_each(|n| remember(key, &(1000 + n).to_le_bytes(), n));
        let mut seen = [false; 200];
        let mut times = 0;
        for number in 200..1_200 {
            if draw(key, &mut bytes, 7, number) {
                seen[u32::from_le_bytes(bytes) as usize - 1000] = true;
                times += 1;
            }
        }
        assert!((400..600).contains(&times), "{times}");
        assert!(seen.iter().filter(|s| **s).count() > 90);
        assert!(!(0..100).any(|n| draw(other, &mut bytes, 7, n)), "each place has its own");
        let mut long = [0; 9];
        remember(key, &long, 1);
        assert!(!draw(key, &mut long, 7, 2), "what is longer is not kept");
    }
}
