//! Counters against what was seen, sixteen at a time.
//!
//! It is done after every run of a batch, over all counters of a program. The range that a count lies in is looked up with byte
//! shuffles (two tables of sixteen: small counts, and the upper half of large ones), so that counters which hold nothing new cost a
//! few instructions for sixteen of them. What holds something new is rare and goes the plain way, [`trace_abi::compare`], which
//! is also the way of processors without SSSE3.

use core::arch::x86_64 as simd;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use trace_abi::{BatchResult, bucket};

/// Counters looked at together.
const CHUNK: usize = 64;

/// What [`trace_abi::compare`] gives and does.
pub fn compare(counters: &[u8], seen: &mut [u8]) -> BatchResult {
    if !has_ssse3() {
        return trace_abi::compare(counters, seen);
    }
    // SAFETY: the processor has these instructions.
    unsafe { with_ssse3(counters, seen) }
}

/// Asked of the processor once: in virtual machines that takes longer than a run.
fn has_ssse3() -> bool {
    const YES: u8 = 1;
    const NO: u8 = 2;
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    match KNOWN.load(Relaxed) {
        0 => {
            let has = simd::__cpuid(1).ecx & 1 << 9 != 0;
            KNOWN.store(if has { YES } else { NO }, Relaxed);
            has
        }
        known => known == YES,
    }
}

/// Ranges of counts below 16, and those of counts from 16 on by their upper half.
const SMALL: [u8; 16] = table(1);
const LARGE: [u8; 16] = table(16);

const fn table(step: usize) -> [u8; 16] {
    let (mut table, mut k) = ([0; 16], 1);
    while k < 16 {
        table[k] = bucket((k * step) as u8);
        k += 1;
    }
    table
}

#[target_feature(enable = "ssse3")]
fn with_ssse3(counters: &[u8], seen: &mut [u8]) -> BatchResult {
    let mut result = BatchResult::Known;
    let (chunks, rest) = counters.as_chunks::<CHUNK>();
    let (maps, rest_of_map) = seen.as_chunks_mut::<CHUNK>();
    for (counters, seen) in chunks.iter().zip(maps) {
        if holds_new(counters, seen) {
            result = more(result, trace_abi::compare(counters, seen));
        }
    }
    more(result, trace_abi::compare(rest, rest_of_map))
}

#[target_feature(enable = "ssse3")]
#[inline]
fn holds_new(counters: &[u8; CHUNK], seen: &[u8; CHUNK]) -> bool {
    let zero = simd::_mm_setzero_si128();
    let is_zero = |v| simd::_mm_movemask_epi8(simd::_mm_cmpeq_epi8(v, zero)) == 0xffff;
    let counts: [_; 4] = core::array::from_fn(|k| load(counters, k));
    let or = |a, b| simd::_mm_or_si128(a, b);
    if is_zero(or(or(counts[0], counts[1]), or(counts[2], counts[3]))) {
        return false;
    }
    let (small, large) = (load(&SMALL, 0), load(&LARGE, 0));
    let mut fresh = zero;
    for (k, counts) in counts.into_iter().enumerate() {
        // From 16 on the index's highest bit is set, for which a shuffle gives 0.
        let low = simd::_mm_adds_epu8(counts, simd::_mm_set1_epi8(0x70));
        let high = simd::_mm_and_si128(simd::_mm_srli_epi16::<4>(counts), simd::_mm_set1_epi8(0x0f));
        let ranges = or(simd::_mm_shuffle_epi8(small, low), simd::_mm_shuffle_epi8(large, high));
        fresh = or(fresh, simd::_mm_andnot_si128(load(seen, k), ranges));
    }
    !is_zero(fresh)
}

/// Sixteen bytes from the `k`-th sixteen on.
#[target_feature(enable = "ssse3")]
#[inline]
fn load(bytes: &[u8], k: usize) -> simd::__m128i {
    let bytes = &bytes[16 * k..][..16];
    // SAFETY: sixteen bytes, at any address.
    unsafe { simd::_mm_loadu_si128(bytes.as_ptr().cast()) }
}

fn more(a: BatchResult, b: BatchResult) -> BatchResult {
    if a as u32 >= b as u32 { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_the_plain_way_does() {
        let mut n = 1u64;
        let mut draw = |below: u64| {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (n >> 33) % below
        };
        for len in [8, 56, 64, 72, 128, 1000] {
            let (mut seen, mut expected) = (vec![0; len], vec![0; len]);
            for _ in 0..400 {
                let one = |draw: &mut dyn FnMut(u64) -> u64| if draw(4) == 0 { draw(256) as u8 } else { 0 };
                let mut counters: Vec<u8> = (0..len).map(|_| one(&mut draw)).collect();
                if draw(2) == 0 {
                    let keep = draw(len as u64) as usize;
                    counters.iter_mut().enumerate().filter(|(k, _)| *k != keep).for_each(|(_, c)| *c = 0);
                }
                let result = trace_abi::compare(&counters, &mut expected);
                assert_eq!(compare(&counters, &mut seen), result, "{len}");
                assert_eq!(seen, expected);
            }
        }
    }

    #[test]
    fn every_count_of_every_place_is_seen() {
        for count in 1..=255 {
            for at in 0..CHUNK {
                let (mut counters, mut seen) = ([0; CHUNK], [0; CHUNK]);
                counters[at] = count;
                assert_eq!(compare(&counters, &mut seen), BatchResult::NewPlace);
                assert_eq!(seen[at], bucket(count));
                assert_eq!(compare(&counters, &mut seen), BatchResult::Known);
            }
        }
    }
}
