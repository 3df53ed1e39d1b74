//! Biased random values: by the distributions that the engine hands over when the fork server starts ([`ENV_RANDOM`]).
//!
//! They are read once, before the first run, and stay as they are: each run draws by them from its own seed and the value's number, so that
//! the same seed gives the same values.

use crate::values::splitmix64;
use crate::{libc::c_char, message, sys};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use trace_abi::{Distribution, ENV_RANDOM, ValueType};

/// Most names.
const MOST: usize = 32;

/// Names and their distributions, in the order in which they were given.
struct Table(UnsafeCell<[Option<Named>; MOST]>);
/// A name and its distribution.
type Named = (&'static [u8], Distribution);

// SAFETY: written by `load` alone, while the process has one thread and before the number of entries is published; only read
// from then on.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new([const { None }; MOST]));
static N: AtomicUsize = AtomicUsize::new(0);

/// Reads what the engine says.
///
/// # Safety
/// `env` is the process's environment, which stays; the process has one thread.
pub unsafe fn load(env: *const *mut c_char) {
    // SAFETY: as the caller promises.
    let Some(text) = (unsafe { sys::lookup(env, ENV_RANDOM.as_bytes()).map(|v| sys::bytes(v)) }) else {
        return;
    };
    let lines = text.strip_prefix(b"=").unwrap_or_default().split(|&c| c == b'\n');
    for line in lines.filter(|line| !line.is_empty()) {
        let Some(at) = line.iter().position(|&c| c == b'=') else { continue };
        let parsed =
            core::str::from_utf8(&line[at + 1..]).ok().and_then(|text| Distribution::parse(text).ok());
        match parsed.filter(|_| N.load(Relaxed) < MOST) {
            // SAFETY: as the caller promises, nobody else is there; the place is within the table.
            Some(distribution) => unsafe {
                TABLE
                    .0
                    .get()
                    .cast::<Option<Named>>()
                    .add(N.load(Relaxed))
                    .write(Some((&line[..at], distribution)));
                N.fetch_add(1, Relaxed);
            },
            None => message::warn(
                "a distribution of random values cannot be read, or there are too many; it is left out",
            ),
        }
    }
}

/// The distribution of values of this name, or of all.
fn of(name: &[u8]) -> Option<&'static Distribution> {
    // SAFETY: nobody writes any more.
    let table = unsafe { &*TABLE.0.get() };
    let all = &table[..N.load(Relaxed).min(MOST)];
    let named = |wanted: &[u8]| all.iter().flatten().find(|(known, _)| *known == wanted).map(|(_, d)| d);
    named(name).or_else(|| named(b"*"))
}

/// Fills in value `number` of a run with this seed, of this type and name; false where any value will do.
pub fn draw((kind, name): (ValueType, &[u8]), bytes: &mut [u8], seed: u64, number: u32) -> bool {
    if N.load(Relaxed) == 0 {
        return false;
    }
    let Some(distribution) = of(name) else { return false };
    let mut state = seed ^ splitmix64(u64::from(number) << 32);
    distribution.fill(kind, bytes, &mut || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        splitmix64(state)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_drawn_by_the_distribution_of_their_name() {
        let text = c"SPELUNK_RANDOM=key=0..9\nfar=1000..2000 -7\nkey=77\nodd=?\n";
        let env = [text.as_ptr().cast_mut(), core::ptr::null_mut()];
        // SAFETY: a list of C strings that stay; other tests do not draw values meanwhile.
        unsafe { load(env.as_ptr()) };
        let value = |name: &[u8], seed: u64, number: u32| {
            let mut bytes = [0xaa; 4];
            draw((ValueType::Signed, name), &mut bytes, seed, number).then(|| i32::from_le_bytes(bytes))
        };
        let keys: Vec<i32> = (0..200).map(|k| value(b"key", 7, k).expect("drawn")).collect();
        assert!(keys.iter().all(|k| (0..10).contains(k)) && (0..10).all(|k| keys.contains(&k)), "{keys:?}");
        assert_eq!(
            keys,
            (0..200).map(|k| value(b"key", 7, k).expect("drawn")).collect::<Vec<_>>(),
            "by the seed"
        );
        assert_ne!(keys, (0..200).map(|k| value(b"key", 8, k).expect("drawn")).collect::<Vec<_>>());
        let far: Vec<i32> = (0..200).map(|k| value(b"far", 7, k).expect("drawn")).collect();
        let minus = far.iter().filter(|&&k| k == -7).count();
        assert!((70..130).contains(&minus) && far.iter().all(|&k| k == -7 || (1000..=2000).contains(&k)));
        assert_eq!(
            (value(b"odd", 7, 1), value(b"other", 7, 1)),
            (None, None),
            "what has none is drawn as ever"
        );
        N.store(0, Relaxed);
    }
}
