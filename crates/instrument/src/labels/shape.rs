//! Which labels a value carries: one per scalar in it, in order.

use crate::llvm::{Kind, Module, Type};

/// Values with more scalars than this are not followed.
pub const MAX_SLOTS: usize = 1024;

/// One scalar of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Width in bits.
    pub width: u32,
    /// Bytes it occupies in memory.
    pub bytes: u32,
    /// Byte offset in memory; for packed shapes the *bit* offset.
    pub offset: u64,
}

/// All scalars of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The scalars.
    pub slots: Vec<Slot>,
    /// Bytes in memory.
    pub bytes: u64,
    /// Lanes narrower than a byte, packed bit by bit in memory (`<8 x i1>`); offsets are in bits.
    pub packed: bool,
}

impl Shape {
    /// Shape of a type; `None` if values of it are not followed (no data, too large, unknown layout).
    pub fn of(module: &Module, ty: Type) -> Option<Shape> {
        if matches!(ty.kind(), Kind::Void | Kind::Other) || !ty.is_sized() {
            return None;
        }
        let mut slots = Vec::new();
        let packed = match ty.kind() {
            Kind::Vector(element, _) => element.scalar_width()? % 8 != 0,
            _ => false,
        };
        add(module, ty, 0, packed, &mut slots)?;
        (!slots.is_empty()).then(|| Shape { slots, bytes: module.store_size(ty), packed })
    }
}

fn add(module: &Module, ty: Type, at: u64, packed: bool, slots: &mut Vec<Slot>) -> Option<()> {
    if slots.len() > MAX_SLOTS {
        return None;
    }
    match ty.kind() {
        Kind::Int(width) | Kind::Float(width) | Kind::OtherFloat(width) => {
            if width > u32::from(trace_abi::MAX_WIDTH) {
                return None;
            }
            slots.push(Slot { width, bytes: width.div_ceil(8), offset: at });
        }
        Kind::Pointer => slots.push(Slot { width: 64, bytes: 8, offset: at }),
        Kind::Vector(element, n) => {
            let width = u64::from(element.scalar_width()?);
            // A vector of bits inside an aggregate would need bit offsets within bytes: not followed.
            if slots.len() + n as usize > MAX_SLOTS || (width % 8 != 0 && !packed) {
                return None;
            }
            for k in 0..u64::from(n) {
                let offset = if packed { k * width } else { at + k * width / 8 };
                slots.push(Slot { width: width as u32, bytes: (width as u32).div_ceil(8), offset });
            }
        }
        Kind::Array(element, n) => {
            if n as usize > MAX_SLOTS {
                return None;
            }
            let step = module.alloc_size(element);
            for k in 0..n {
                add(module, element, at + k * step, false, slots)?;
            }
        }
        Kind::Struct => {
            for (k, field) in ty.fields().into_iter().enumerate() {
                add(module, field, at + module.field_offset(ty, k as u32), false, slots)?;
            }
        }
        Kind::Void | Kind::Other => return None,
    }
    (slots.len() <= MAX_SLOTS).then_some(())
}

/// Number of scalars of a type, as far as they are counted for an index path.
pub fn count(ty: Type) -> usize {
    match ty.kind() {
        Kind::Vector(_, n) => n as usize,
        Kind::Array(element, n) => (n as usize).saturating_mul(count(element)),
        Kind::Struct => ty.fields().into_iter().map(count).sum(),
        _ => 1,
    }
}

/// Index of the first scalar, and their number, of the part of `ty` at `indices`.
pub fn part(ty: Type, indices: &[u32]) -> (usize, usize) {
    let (mut at, mut ty) = (0, ty);
    for &k in indices {
        match ty.kind() {
            Kind::Array(element, _) => {
                at += k as usize * count(element);
                ty = element;
            }
            _ => {
                let fields = ty.fields();
                at += fields[..k as usize].iter().map(|&f| count(f)).sum::<usize>();
                ty = fields[k as usize];
            }
        }
    }
    (at, count(ty))
}
