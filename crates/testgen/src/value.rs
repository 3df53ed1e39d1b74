//! Values as the text that C programs read, and back.

use trace::{Object, ValueType};

/// Name of the C type of a value, and the value as text; `None` for raw bytes and for sizes without a C type.
pub fn text(value: &Object) -> Option<(&'static str, String)> {
    let data = &value.data;
    let unsigned = || little_endian(data);
    let signed = || {
        let unused = 128 - 8 * data.len() as u32;
        ((little_endian(data) << unused) as i128) >> unused
    };
    Some(match (value.value_type, data.len()) {
        (ValueType::Bool, 1) => ("_Bool", (data[0] & 1).to_string()),
        (ValueType::Signed, 1) => ("char", signed().to_string()),
        (ValueType::Signed, 2) => ("short", signed().to_string()),
        (ValueType::Signed, 4) => ("int", signed().to_string()),
        (ValueType::Signed, 8) => ("long", signed().to_string()),
        (ValueType::Signed, 16) => ("__int128", signed().to_string()),
        (ValueType::Unsigned, 1) => ("unsigned char", unsigned().to_string()),
        (ValueType::Unsigned, 2) => ("unsigned short", unsigned().to_string()),
        (ValueType::Unsigned, 4) => ("unsigned int", unsigned().to_string()),
        (ValueType::Unsigned, 8) => ("unsigned long", unsigned().to_string()),
        (ValueType::Unsigned, 16) => ("unsigned __int128", unsigned().to_string()),
        (ValueType::Float, 4) => ("float", float(f32::from_bits(unsigned() as u32).into(), true)),
        (ValueType::Float, 8) => ("double", float(f64::from_bits(unsigned() as u64), false)),
        _ => return None,
    })
}

/// The shortest decimal that reads back as the same number.
fn float(number: f64, single: bool) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_nan() {
        return format!("{sign}nan");
    }
    if number.is_infinite() {
        return format!("{sign}inf");
    }
    if single { format!("{:e}", number as f32) } else { format!("{number:e}") }
}

/// The bytes of a value written as text: a number in decimal or hexadecimal (with C's suffixes), a character in
/// quotes, a floating-point number. Without a `type` integers get 16 bytes, of which a program takes the low ones.
pub fn parse(text: &str, ty: Option<&str>) -> Option<(ValueType, Vec<u8>)> {
    let text = text.trim();
    if let Some(size) = ty.and_then(float_size) {
        let number = parse_float(text)?;
        let bytes =
            if size == 4 { (number as f32).to_le_bytes().to_vec() } else { number.to_le_bytes().to_vec() };
        return Some((ValueType::Float, bytes));
    }
    let size = ty.and_then(integer_size).unwrap_or(16);
    if let Some(number) = parse_integer(text) {
        return Some((ValueType::Signed, number.to_le_bytes()[..size].to_vec()));
    }
    parse_float(text).map(|number| (ValueType::Float, number.to_le_bytes().to_vec()))
}

fn float_size(ty: &str) -> Option<usize> {
    match ty.trim() {
        "float" => Some(4),
        "double" => Some(8),
        _ => None,
    }
}

fn integer_size(ty: &str) -> Option<usize> {
    let words: Vec<&str> = ty.split_whitespace().filter(|w| !matches!(*w, "unsigned" | "signed")).collect();
    Some(match words[..] {
        ["char" | "uchar" | "schar" | "_Bool" | "bool" | "u8"] => 1,
        ["short" | "ushort" | "u16"] | ["short", "int"] => 2,
        [] | ["int" | "uint" | "u32"] => 4,
        ["long" | "ulong" | "longlong" | "ulonglong" | "size_t"] | ["long", ..] => 8,
        ["__int128"] => 16,
        _ => return None,
    })
}

fn parse_integer(text: &str) -> Option<i128> {
    if let Some(character) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        let mut characters = character.chars();
        return match (characters.next()?, characters.next()) {
            (c, None) => Some(c as i128),
            ('\\', Some(c)) => Some(escape(c)?),
            _ => None,
        };
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let digits = hexadecimal.unwrap_or(digits).trim_end_matches(['u', 'U', 'l', 'L']);
    let size = u128::from_str_radix(digits, if hexadecimal.is_some() { 16 } else { 10 }).ok()?;
    Some(if negative { (size as i128).wrapping_neg() } else { size as i128 })
}

fn escape(c: char) -> Option<i128> {
    Some(match c {
        'n' => 10,
        't' => 9,
        'r' => 13,
        '0' => 0,
        '\\' | '\'' | '"' => c as i128,
        _ => return None,
    })
}

fn parse_float(text: &str) -> Option<f64> {
    text.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok().or_else(|| text.parse().ok())
}

fn little_endian(data: &[u8]) -> u128 {
    data.iter().rev().fold(0, |n, &b| n << 8 | u128::from(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trace::ObjectKind;

    fn object(value_type: ValueType, data: &[u8]) -> Object {
        Object { kind: ObjectKind::Value, name: "v".into(), value_type, data: data.to_vec() }
    }

    proptest! {
        #[test]
        fn texts_read_back(bits: u128, kind in 0..4usize, log in 0..5u32) {
            let kind = [ValueType::Signed, ValueType::Unsigned, ValueType::Float, ValueType::Bool][kind];
            let mut data = bits.to_le_bytes()[..1 << log].to_vec();
            if kind == ValueType::Bool {
                data[0] &= 1;
            }
            let value = object(kind, &data);
            if let Some((ty, text)) = text(&value) {
                prop_assume!(!text.contains("nan"));
                let (_, back) = parse(&text, Some(ty)).expect("readable");
                prop_assert_eq!(back, data, "{} {}", ty, text);
            }
        }
    }

    #[test]
    fn what_other_tools_write() {
        let bytes = |text, ty| parse(text, ty).expect("readable").1;
        assert_eq!(bytes("'a'", Some("char")), [b'a']);
        assert_eq!(bytes("0xff000f9a", Some("unsigned int")), [0x9a, 0x0f, 0, 0xff]);
        assert_eq!(bytes("-1", None), [0xff; 16]);
        assert_eq!(bytes("7UL", Some("unsigned long")), [7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes("1.5f", Some("float")), 1.5f32.to_le_bytes());
        assert_eq!(bytes("2.5", None), 2.5f64.to_le_bytes());
        assert_eq!(parse("eight", None), None);
        assert_eq!(text(&object(ValueType::Bytes, b"ab")), None);
    }
}
