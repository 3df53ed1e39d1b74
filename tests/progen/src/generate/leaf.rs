//! Expressions without operands: variables, input, constants.

use super::convert::convert;
use super::{Gen, INPUT_BYTES};
use crate::feature::Feature;
use crate::tree::Expr;
use crate::types::{Ty, U8, VECTORS};

impl Gen {
    /// An expression of this type without operands.
    pub(super) fn leaf(&mut self, ty: Ty) -> Expr {
        let kind = self.rng.below(100);
        if let Ty::Vector(k) = ty {
            return self.vector_leaf(ty, k);
        }
        if kind < 60
            && let Some(e) = self.variable(ty)
        {
            return e;
        }
        if kind < 85 && self.scope.input {
            return self.input(ty);
        }
        self.constant(ty)
    }

    /// A variable, converted.
    fn variable(&mut self, ty: Ty) -> Option<Expr> {
        let fits = |v: &&super::Value| (ty.is_int() && v.ty.is_int()) || (ty.is_float() && v.ty.is_float());
        let names: Vec<(String, Ty)> =
            self.scope.values.iter().filter(fits).map(|v| (v.name.clone(), v.ty)).collect();
        if names.is_empty() {
            return None;
        }
        let (name, own) = names[self.rng.below(names.len())].clone();
        if own.is_float() && own != ty {
            self.used.insert(Feature::FloatToFloat);
        }
        // A bit-field is promoted by its width, not by its type.
        let text = if name.contains('.') { format!("(({})({name}))", own.name()) } else { name };
        Some(convert(Expr::text(own, text), ty))
    }

    fn vector_leaf(&mut self, ty: Ty, k: usize) -> Expr {
        let names: Vec<String> =
            self.scope.values.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        if !names.is_empty() && self.rng.chance(75) {
            let name = names[self.rng.below(names.len())].clone();
            return Expr::text(ty, name);
        }
        let (lanes, element) = VECTORS[k];
        let subs: Vec<Expr> = (0..lanes).map(|_| self.leaf(element)).collect();
        let list = vec!["$"; lanes].join(", ");
        Expr::new(ty, &format!("(({}){{{list}}})", ty.name()), subs)
    }

    /// Bytes of input as a value of this type.
    pub(super) fn input(&mut self, ty: Ty) -> Expr {
        if let Ty::Float(bits) = ty {
            return self.float_input(bits);
        }
        let bits = [8, 16, 32, 64, 128].into_iter().find(|&b| b >= ty.bits()).unwrap_or(128);
        let at = self.rng.below(INPUT_BYTES - bits as usize / 8 + 1);
        let text = if bits == 8 { format!("in[{at}]") } else { format!("ld{bits}(in + {at})") };
        convert(Expr::text(Ty::int(bits, false), text), ty)
    }

    fn float_input(&mut self, bits: u16) -> Expr {
        let ty = Ty::Float(bits);
        let at = self.rng.below(INPUT_BYTES - 7);
        if self.rng.chance(50) {
            self.used.insert(Feature::IntToFloat);
            let scale = self.rng.pick(&["", " / 4", " * 0.0625f", " * 3"]);
            let text = format!("({})((i16)ld16(in + {at}){scale})", ty.name());
            return Expr::text(ty, format!("({text})"));
        }
        self.used.insert(Feature::FloatBits);
        let own = bits.min(64);
        let text = format!("from_f{own}(ld{own}(in + {at}))");
        if bits == 80 {
            self.used.insert(Feature::FloatToFloat);
        }
        convert(Expr::text(Ty::Float(own), text), ty)
    }

    /// A constant.
    pub(super) fn constant(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Float(bits) => self.float_constant(bits),
            Ty::Bool => Expr::text(ty, self.rng.pick(&["0", "1"])),
            _ => self.int_constant(ty),
        }
    }

    fn word(&mut self) -> u64 {
        let bit = self.rng.below(64);
        match self.rng.below(8) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << bit,
            4 => (1 << bit) - 1,
            5 => self.rng.next() >> bit,
            6 => self.rng.below(256) as u64,
            _ => self.rng.next(),
        }
    }

    fn int_constant(&mut self, ty: Ty) -> Expr {
        let (low, name) = (self.word(), ty.name());
        if ty == U8 {
            return Expr::text(ty, format!("{}u", low & 255));
        }
        if ty.bits() <= 64 {
            return Expr::text(ty, format!("(({name}){low:#x}ull)"));
        }
        let high = self.word();
        Expr::text(ty, format!("(({name})((u128){high:#x}ull << 64 | {low:#x}ull))"))
    }

    fn float_constant(&mut self, bits: u16) -> Expr {
        let values = [
            "0.0",
            "-0.0",
            "1.0",
            "-1.0",
            "0.1",
            "2.5",
            "1e-3",
            "-7.25",
            "100.0",
            "3.14159265358979",
            "1e4",
            "0x1p-14",
            "65504.0",
            "0x1p-24",
            "__builtin_inf()",
        ];
        let wide = ["1e10", "-1e30", "0x1p-149", "0x1.fffffep127", "0x1p-126", "4294967296.0", "9.2e18"];
        let double = ["1e300", "0x1p-1074", "0x1p-1022", "-1e-310", "0x1.fffffffffffffp1023", "1e17"];
        let pools: &[&[&str]] = match bits {
            16 => &[&values],
            32 => &[&values, &wide],
            _ => &[&values, &wide, &double],
        };
        let pool = self.rng.pick(pools);
        let text = self.rng.pick(pool);
        Expr::text(Ty::Float(bits), format!("((f{bits}){text})"))
    }
}
