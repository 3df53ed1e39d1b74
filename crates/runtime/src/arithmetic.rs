//! Address arithmetic whose label instrumented code leaves to the runtime.
//!
//! Most accesses through an index go to objects that are too large for a choice among their bytes: what is recorded of them is
//! the value of the index. The nodes of their addresses (extension, product, sum) would be a third of a trace, and nothing would
//! refer to them. So `a[i]` arrives here in parts, and a label is made where one is needed.

use crate::node::{self, mask};
use crate::simplify::{Operand, bin, sign_extend, sign_extended, zero_extend};
use trace_abi::Op;

/// `base + index · scale + constant`, of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Label of the base, or 0.
    pub base: u32,
    /// Label of the index, or 0.
    pub index: u32,
    /// The index's value.
    pub value: u64,
    /// Bits of the index.
    pub bits: u16,
    /// Whether it is extended with its sign.
    pub signed: bool,
    /// What it is multiplied with, not 0.
    pub scale: u64,
    /// What is added.
    pub constant: u64,
}

impl Arithmetic {
    /// From the number that instrumented code passes: see `trace_abi::index_form`.
    pub fn new(base: u32, index: u32, value: u64, form: u64, constant: u64) -> Arithmetic {
        let bits = (form >> 32) as u16 & 0xff;
        let signed = form >> 40 & 1 == 1;
        Arithmetic {
            base,
            index,
            value: value & mask(bits),
            bits,
            signed,
            scale: form & 0xffff_ffff,
            constant,
        }
    }

    /// The index times the scale.
    fn term(&self) -> Operand {
        let value = if self.signed { sign_extended(self.value, self.bits) } else { self.value };
        let wide = if self.signed { sign_extend(self.index, 64) } else { zero_extend(self.index, 64) };
        let product = value.wrapping_mul(self.scale);
        let label = bin(Op::Mul, 64, Operand::new(wide, value), Operand::constant(self.scale));
        Operand::new(label, product)
    }

    /// The label of the sum, which is `address`; 0 if it is constant.
    pub fn label(&self, address: u64) -> u32 {
        let term = self.term();
        if self.base == 0 {
            return bin(Op::Add, 64, term, Operand::constant(address.wrapping_sub(term.value)));
        }
        match bin(Op::Add, 64, Operand::new(self.base, 0), term) {
            0 => 0,
            sum => bin(Op::Add, 64, Operand::new(sum, 0), Operand::constant(self.constant)),
        }
    }

    /// Whether [`crate::pointers::split`] finds nothing in the sum: an index of an array, not a pointer that is chosen.
    pub fn is_plain_index(&self) -> bool {
        let may_choose = || matches!(node::get(self.index).op(), Some(Op::Const | Op::Ite | Op::Read));
        self.base == 0 && self.index != 0 && (self.scale > 1 || (self.bits < 64 && !may_choose()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pointers::split;
    use crate::testing::Lab;
    use trace_abi::index_form;

    #[test]
    fn the_label_has_the_value_of_the_address() {
        let input = [0x85, 3];
        let lab = Lab::new(&input);
        let (index, other) = (node::input(0, 0), node::input(0, 1));
        let base = zero_extend(other, 64);
        let mut made = Vec::new();
        for (signed, scale) in [(false, 1), (true, 1), (false, 8), (true, 24)] {
            let wide = if signed { 0xffff_ffff_ffff_ff85_u64 } else { 0x85 };
            let form = index_form(scale, 8, signed);
            for (base, start) in [(0, 0x7000_0000u64), (base, 3)] {
                for index in [0, index] {
                    let address = start.wrapping_add(wide.wrapping_mul(scale.into())).wrapping_add(0x40);
                    let label = Arithmetic::new(base, index, 0x85, form, 0x40).label(address);
                    assert_eq!(label == 0, base | index == 0);
                    made.extend((label != 0).then_some((label, address)));
                }
            }
        }
        let lifted = lab.lift();
        for (label, address) in made {
            assert_eq!(lifted.eval(label, &input).low(), address);
        }
    }

    #[test]
    fn what_is_called_a_plain_index_is_no_chosen_pointer() {
        let _lab = Lab::new(&[1, 2]);
        let x = node::input(0, 0);
        let condition = Operand::new(bin(Op::Eq, 8, Operand::new(x, 0), Operand::constant(1)), 0);
        let choice = |w| {
            let (yes, no) = (Operand::constant(0x10), Operand::constant(0x20));
            crate::simplify::tri(Op::Ite, w, condition, yes, no)
        };
        let sum = bin(Op::Add, 64, Operand::new(choice(64), 0), Operand::constant(8));
        for (index, bits) in [(x, 8), (choice(32), 32), (choice(64), 64), (sum, 64)] {
            for scale in [1, 4, 24] {
                let form = index_form(scale, bits, false);
                let a = Arithmetic::new(0, index, 0x10, form, 0);
                let found = split(a.label(0x10 * u64::from(scale) + 0x5000), |_| true).is_some();
                assert!(!(found && a.is_plain_index()), "{a:?}");
                assert!(found || a.is_plain_index() || bits == 64, "{a:?}");
            }
        }
    }
}
