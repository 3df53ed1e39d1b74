//! Numbers of variable length: seven bits a byte, the low ones first, the high bit set in all but the last (LEB128).

/// Appends a number.
pub(crate) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number at `at` and moves there; `None` if it does not end, or is longer than 64 bits.
pub(crate) fn read(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_what_is_none_is_refused() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 63, u64::MAX];
        numbers.iter().for_each(|&n| write(&mut bytes, n));
        let mut at = 0;
        for n in numbers {
            assert_eq!(read(&bytes, &mut at), Some(n));
        }
        assert_eq!((at, read(&bytes, &mut at)), (bytes.len(), None));
        assert_eq!(read(&[0x80, 0x80], &mut 0), None);
        assert_eq!(read(&[0xff; 11], &mut 0), None);
        let too_long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03];
        assert_eq!(read(&too_long, &mut 0), None);
    }
}
