//! Batches: many inputs in the shared mapping, run one after the other without waking the engine.
//!
//! The engine writes [`BatchEntry`]s, the inputs they name and the map of what was seen, then orders a range of entries
//! ([`crate::CommandKind::Batch`]). Whoever runs an input compares its counters with the map, adds what is new to it and
//! writes a [`BatchResult`]. All of it is a filter, nothing more: a tested program can write all over it, so the engine keeps a
//! map of its own and believes what is called new only after a run of its own.

/// Head of the batch area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BatchHeader {
    /// Entry that is being run, written before user code is entered; [`BATCH_IDLE`] between runs.
    pub current: u32,
    /// Padding.
    pub reserved: u32,
}

/// In [`BatchHeader::current`]: no input is being run.
pub const BATCH_IDLE: u32 = u32::MAX;

/// One input of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BatchEntry {
    /// Offset of its first object in the input area; a multiple of 8.
    pub offset: u64,
    /// As [`crate::Header::value_seed`].
    pub value_seed: u64,
    /// Number of its objects.
    pub n_objects: u32,
    /// As [`crate::Header::flags`].
    pub flags: u32,
    /// A [`BatchResult`] as number; 0 when the batch is ordered.
    pub result: u32,
    /// `waitpid` status of the process, if it ended in this run; else 0.
    pub status: i32,
}

/// What running an input of a batch showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BatchResult {
    /// It was not run.
    NotRun = 0,
    /// Nothing that was not seen before.
    Known = 1,
    /// A counter in a range ([`bucket`]) that it was never in.
    NewCount = 2,
    /// A counter that was always 0.
    NewPlace = 3,
}

impl BatchResult {
    /// The result with this number, or `None`.
    pub const fn from_u32(n: u32) -> Option<BatchResult> {
        Some(match n {
            0 => BatchResult::NotRun,
            1 => BatchResult::Known,
            2 => BatchResult::NewCount,
            3 => BatchResult::NewPlace,
            _ => return None,
        })
    }
}

/// Flags of a reply to a batch, in [`crate::Reply::flags`].
pub mod batch_flags {
    /// The first input of a process had other coverage when it was run again at its end: state leaks between runs.
    pub const LEAK: u32 = 1;
    /// A process held much more memory, descriptors, threads or children than at its start.
    pub const GROWTH: u32 = 2;
    /// The last input that was run ended its process by a signal or for a limit, not by itself.
    pub const DIED: u32 = 4;
    /// Which input that was could not be told.
    pub const UNKNOWN: u32 = 8;
    /// As [`LEAK`], but nearly all places were the same: what varies with addresses, such as chains of hash tables.
    pub const NOISE: u32 = 16;
}

/// The range of counts that a counter lies in, one bit each: 1, 2, 3, 4–7, 8–15, 16–31, 32–127, 128 and more (as in AFL and
/// libFuzzer); 0 for 0.
pub const fn bucket(count: u8) -> u8 {
    BUCKETS[count as usize]
}

const BUCKETS: [u8; 256] = {
    let mut table = [0; 256];
    let mut count = 1;
    while count < 256 {
        table[count] = match count {
            1 => 1,
            2 => 2,
            3 => 4,
            4..=7 => 8,
            8..=15 => 16,
            16..=31 => 32,
            32..=127 => 64,
            _ => 128,
        };
        count += 1;
    }
    table
};

/// Compares counters with the map of ranges seen, adds what is new to it, and says what is new.
///
/// Both slices have the same length, a multiple of 8. This is done after every run: stretches of zeros are passed 64 bytes
/// at a time, and words that hold nothing new cost one comparison.
pub fn compare(counters: &[u8], seen: &mut [u8]) -> BatchResult {
    let mut result = BatchResult::Known;
    for (counters, seen) in counters.chunks(64).zip(seen.chunks_mut(64)) {
        if counters.iter().fold(0, |all, c| all | c) == 0 {
            continue;
        }
        let (words, _) = counters.as_chunks::<8>();
        let (maps, _) = seen.as_chunks_mut::<8>();
        for (counts, map) in words.iter().zip(maps) {
            if u64::from_ne_bytes(*counts) == 0 {
                continue;
            }
            let ranges = counts.map(bucket);
            if u64::from_ne_bytes(ranges) & !u64::from_ne_bytes(*map) != 0 {
                add(&ranges, map, &mut result);
            }
        }
    }
    result
}

/// Adds ranges, some of which are new, to a word of the map.
#[cold]
fn add(ranges: &[u8; 8], map: &mut [u8; 8], result: &mut BatchResult) {
    for (&range, seen) in ranges.iter().zip(map) {
        if range & !*seen != 0 {
            if *seen == 0 {
                *result = BatchResult::NewPlace;
            } else if *result as u32 == BatchResult::Known as u32 {
                *result = BatchResult::NewCount;
            }
            *seen |= range;
        }
    }
}

/// A number that tells sets of places apart: where counters are not 0 (FNV-1a over words of eight places). Counts are left
/// out: they vary where nothing is wrong, with addresses that are hashed, for example.
pub fn fingerprint(counters: &[u8]) -> u64 {
    let (words, _) = counters.as_chunks::<8>();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for (at, counts) in words.iter().enumerate().filter(|(_, c)| u64::from_ne_bytes(**c) != 0) {
        let places = counts.iter().fold(0u64, |all, &count| all << 1 | u64::from(count != 0));
        hash = (hash ^ (places << 32 | at as u64)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_other_fuzzers() {
        let of = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 127, 128, 255].map(bucket);
        assert_eq!(of, [0, 1, 2, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128]);
    }

    #[test]
    fn what_is_new_is_told_once() {
        let mut seen = [0; 16];
        let mut counters = [0; 16];
        assert_eq!(compare(&counters, &mut seen), BatchResult::Known);
        counters[9] = 1;
        assert_eq!(compare(&counters, &mut seen), BatchResult::NewPlace);
        assert_eq!(compare(&counters, &mut seen), BatchResult::Known);
        counters[9] = 5;
        assert_eq!(compare(&counters, &mut seen), BatchResult::NewCount);
        counters[9] = 6;
        assert_eq!(compare(&counters, &mut seen), BatchResult::Known);
        counters[0] = 200;
        counters[9] = 2;
        assert_eq!(compare(&counters, &mut seen), BatchResult::NewPlace, "a place is more than a count");
        assert_eq!((seen[0], seen[9]), (128, 1 | 2 | 8));
    }

    #[test]
    fn every_length_and_place_is_looked_at() {
        for len in [8, 56, 64, 72, 200] {
            for at in 0..len {
                let (mut counters, mut seen) = ([0; 200], [0; 200]);
                counters[at] = 9;
                assert_eq!(
                    compare(&counters[..len], &mut seen[..len]),
                    BatchResult::NewPlace,
                    "{at} of {len}"
                );
                assert_eq!((seen[at], seen.iter().filter(|s| **s != 0).count()), (16, 1));
            }
        }
    }

    #[test]
    fn fingerprints_go_by_place() {
        let with = |at: usize, count: u8| {
            let mut counters = [0; 32];
            counters[at] = count;
            fingerprint(&counters)
        };
        assert_eq!(with(3, 4), with(3, 200));
        assert_ne!(with(3, 4), with(4, 4));
        assert_ne!(with(3, 4), with(11, 4));
        assert_ne!(with(3, 4), with(3, 0));
    }
}
