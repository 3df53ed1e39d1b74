//! The records of one bitstream block: just enough of the container to read what describes a unit.
//!
//! LLVM, "LLVM Bitcode File Format", section "Bitstream Format".

/// A reader of bits, lowest first.
#[derive(Clone)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    /// Position in bits.
    at: usize,
}

/// A record: a code and its operands.
pub struct Record {
    /// What it is, depending on the block.
    pub code: u64,
    /// Its operands.
    pub operands: Vec<u64>,
}

/// How an operand of an abbreviation is written.
#[derive(Clone, Debug)]
enum Operand {
    Literal(u64),
    Fixed(u32),
    Vbr(u32),
    Array,
    Char6,
    Blob,
}

const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;
const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
/// No record that matters here is longer.
const MAX_OPERANDS: u64 = 1 << 16;

impl<'a> Bits<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0 }
    }

    fn fixed(&mut self, width: u32) -> Option<u64> {
        let mut value = 0;
        for bit in 0..width.min(64) {
            let byte = self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(value)
    }

    fn vbr(&mut self, width: u32) -> Option<u64> {
        let more = 1u64.checked_shl(width.checked_sub(1)?)?;
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let piece = self.fixed(width)?;
            value |= (piece & (more - 1)).checked_shl(shift).unwrap_or(0);
            if piece & more == 0 {
                return Some(value);
            }
            shift += width - 1;
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }
}

/// Calls `visit` for the records of a block, without those of blocks inside it; stops quietly at the end or
/// at anything it cannot read.
pub fn for_each_record(mut bits: Bits<'_>, abbreviation_width: u32, visit: &mut dyn FnMut(&Record)) {
    let mut abbreviations: Vec<Vec<Operand>> = Vec::new();
    while read_entry(&mut bits, abbreviation_width, &mut abbreviations, visit).is_some() {}
}

fn read_entry(
    bits: &mut Bits<'_>,
    width: u32,
    abbreviations: &mut Vec<Vec<Operand>>,
    visit: &mut dyn FnMut(&Record),
) -> Option<()> {
    match bits.fixed(width)? {
        END_BLOCK => None,
        ENTER_SUBBLOCK => {
            bits.vbr(8)?;
            bits.vbr(4)?;
            bits.align();
            let words = bits.fixed(32)? as usize;
            bits.at = bits.at.checked_add(words.checked_mul(32)?)?;
            Some(())
        }
        DEFINE_ABBREV => {
            abbreviations.push(read_abbreviation(bits)?);
            Some(())
        }
        UNABBREV_RECORD => {
            let code = bits.vbr(6)?;
            let count = bits.vbr(6).filter(|&n| n <= MAX_OPERANDS)?;
            let operands: Option<Vec<u64>> = (0..count).map(|_| bits.vbr(6)).collect();
            visit(&Record { code, operands: operands? });
            Some(())
        }
        id => {
            let abbreviation = abbreviations.get(usize::try_from(id).ok()?.checked_sub(4)?)?.clone();
            let mut values = read_abbreviated(bits, &abbreviation)?.into_iter();
            visit(&Record { code: values.next()?, operands: values.collect() });
            Some(())
        }
    }
}

fn read_abbreviation(bits: &mut Bits<'_>) -> Option<Vec<Operand>> {
    let count = bits.vbr(5)?;
    (0..count)
        .map(|_| {
            if bits.fixed(1)? == 1 {
                return bits.vbr(8).map(Operand::Literal);
            }
            Some(match bits.fixed(3)? {
                1 => Operand::Fixed(u32::try_from(bits.vbr(5)?).ok()?),
                2 => Operand::Vbr(u32::try_from(bits.vbr(5)?).ok()?),
                3 => Operand::Array,
                4 => Operand::Char6,
                5 => Operand::Blob,
                _ => return None,
            })
        })
        .collect()
}

fn read_abbreviated(bits: &mut Bits<'_>, abbreviation: &[Operand]) -> Option<Vec<u64>> {
    let mut values = Vec::new();
    let mut operands = abbreviation.iter();
    while let Some(operand) = operands.next() {
        match operand {
            Operand::Array => {
                let element = operands.next()?;
                let count = bits.vbr(6).filter(|&n| n <= MAX_OPERANDS)?;
                for _ in 0..count {
                    values.push(read_scalar(bits, element)?);
                }
            }
            Operand::Blob => {
                let length = bits.vbr(6)? as usize;
                bits.align();
                bits.at = bits.at.checked_add(length.checked_mul(8)?)?;
                bits.align();
            }
            scalar => values.push(read_scalar(bits, scalar)?),
        }
    }
    Some(values)
}

fn read_scalar(bits: &mut Bits<'_>, operand: &Operand) -> Option<u64> {
    match operand {
        Operand::Literal(value) => Some(*value),
        Operand::Fixed(width) => bits.fixed(*width),
        Operand::Vbr(0) => Some(0),
        Operand::Vbr(width) => bits.vbr(*width),
        Operand::Char6 => Some(u64::from(CHAR6[bits.fixed(6)? as usize])),
        Operand::Array | Operand::Blob => None,
    }
}
