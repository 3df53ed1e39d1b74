//! Labels of x86 vector instructions (`trace_abi::Vector`), composed lane by lane.
//!
//! The meaning of each is that of Intel's manual (Software Developer's Manual, volume 2), for every 128 bits on their own. A
//! lane's value is computed beside its expression and compared with what the instruction gave.

mod checksums;
mod lanes;

use crate::models::value::Value;
use crate::{event, node};
use trace_abi::{Lanes, MAX_LANES_OPERANDS, Reason, Vector};

/// Most lanes of an operand or a result: bytes of a 512-bit vector.
const MOST: usize = 64;

/// The lanes of an operand.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    lanes: [Value; MOST],
    count: usize,
    width: u16,
}

impl Operand {
    const NONE: Operand = Operand { lanes: [Value::constant(1, 0); MOST], count: 0, width: 0 };

    /// Lane `k`; zero beyond the last.
    fn at(&self, k: usize) -> Value {
        if k < self.count { self.lanes[k] } else { Value::constant(self.width, 0) }
    }

    /// Lanes in 128 bits.
    fn per_block(&self) -> usize {
        128 / usize::from(self.width.max(1))
    }
}

/// Writes the labels of the result's lanes.
///
/// # Safety
/// Values and labels of operands and result are valid for as many lanes as they say.
pub unsafe fn label(family: Option<Vector>, operands: &[Lanes], result: &Lanes) {
    let mut read = [Operand::NONE; MAX_LANES_OPERANDS];
    for (to, from) in read.iter_mut().zip(operands) {
        // SAFETY: as the caller promises.
        *to = unsafe { operand(from) };
    }
    // SAFETY: as the caller promises.
    let real = unsafe { operand(result) };
    for k in 0..real.count {
        let made = family.and_then(|f| lane(f, &read, &real, k));
        let label = match made {
            Some(v) if v.width == real.width => v.checked(real.at(k).now),
            _ => {
                event::lose(Reason::Unsupported, 0, k as u64);
                0
            }
        };
        // SAFETY: as the caller promises.
        unsafe { *result.labels.add(k) = label };
    }
}

/// # Safety
/// As [`label`].
unsafe fn operand(from: &Lanes) -> Operand {
    let (count, bytes) = ((from.count as usize).min(MOST), (from.width as usize / 8).clamp(1, 8));
    let width = from.width as u16;
    let mut read = Operand { count, width, ..Operand::NONE };
    for (k, lane) in read.lanes.iter_mut().take(count).enumerate() {
        let mut value = [0; 8];
        // SAFETY: as the caller promises; a lane has at most 8 bytes.
        let label = unsafe {
            core::ptr::copy_nonoverlapping(from.values.add(k * bytes), value.as_mut_ptr(), bytes);
            *from.labels.add(k)
        };
        *lane = Value::new(if node::is_known(label) { label } else { 0 }, width, u64::from_le_bytes(value));
    }
    read
}

/// Lane `k` of the result.
fn lane(family: Vector, operands: &[Operand; MAX_LANES_OPERANDS], real: &Operand, k: usize) -> Option<Value> {
    let [a, b, c] = operands;
    Some(match family {
        Vector::SumOfDifferences => lanes::sum_of_differences(a, b, k),
        Vector::PackSigned => lanes::pack(a, b, k, true),
        Vector::PackUnsigned => lanes::pack(a, b, k, false),
        Vector::ShuffleBytes => lanes::shuffle_bytes(a, b.at(k), k),
        Vector::MultiplyHighSigned => lanes::product(a.at(k), b.at(k), true).part(16, 16),
        Vector::MultiplyHighUnsigned => lanes::product(a.at(k), b.at(k), false).part(16, 16),
        Vector::MultiplyHighRounded => lanes::multiply_high_rounded(a.at(k), b.at(k)),
        Vector::MultiplyAdd => {
            lanes::product(a.at(2 * k), b.at(2 * k), true)
                + lanes::product(a.at(2 * k + 1), b.at(2 * k + 1), true)
        }
        Vector::MultiplyAddBytes => lanes::multiply_add_bytes(a, b, k),
        Vector::Average => lanes::average(a.at(k), b.at(k)),
        Vector::ShiftLeft => a.at(k).shift_left(lanes::one_count(b, a.width)),
        Vector::ShiftRight => a.at(k).shift_right(lanes::one_count(b, a.width)),
        Vector::ShiftRightSigned => a.at(k).shift_right_signed(lanes::one_count(b, a.width)),
        Vector::AddNeighbours => {
            let (x, y) = lanes::neighbours(a, b, k);
            x + y
        }
        Vector::SubtractNeighbours => {
            let (x, y) = lanes::neighbours(a, b, k);
            x - y
        }
        Vector::Sign => lanes::sign(a.at(k), b.at(k)),
        Vector::Crc32 => checksums::crc32c(a.at(0), b.at(0)),
        Vector::CarryLess => checksums::carry_less(a, b, c.at(0).now, k),
        Vector::ShiftEachLeft => a.at(k).shift_left(b.at(k)),
        Vector::ShiftEachRight => a.at(k).shift_right(b.at(k)),
        Vector::ShiftEachRightSigned => a.at(k).shift_right_signed(b.at(k)),
        Vector::NoneInCommon => lanes::all_zero(a, |j| a.at(j).and(b.at(j))).zext(real.width),
        Vector::Contained => {
            let ones = Value::constant(64, u64::MAX);
            lanes::all_zero(a, |j| a.at(j).xor(ones).and(b.at(j))).zext(real.width)
        }
    })
}
