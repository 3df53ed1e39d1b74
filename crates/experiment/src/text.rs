//! How numbers and names look.

/// Digits in groups of three.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with three or so significant digits: 0.042, 1.5, 38.2, 1,234.
pub fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if a < 0.1 => format!("{x:.3}"),
        a if a < 10.0 => format!("{x:.2}"),
        a if a < 100.0 => format!("{x:.1}"),
        _ => grouped(x.round() as u64),
    }
}

/// A count with three or so digits: 412, 5,230, 36 k, 1.2 M.
pub fn rough(x: f64) -> String {
    match x {
        x if x < 9_999.5 => grouped(x.round() as u64),
        x if x < 99_950.0 => format!("{:.1} k", x / 1e3),
        x if x < 999_500.0 => format!("{:.0} k", x / 1e3),
        x if x < 99.95e6 => format!("{:.1} M", x / 1e6),
        x => format!("{} M", grouped((x / 1e6).round() as u64)),
    }
}

/// A value of a share (per cent, one decimal) or of a count.
pub fn value(x: f64, share: bool) -> String {
    match share {
        true => format!("{x:.1}"),
        false if x.fract() == 0.0 => grouped(x as u64),
        false => format!("{x:.1}"),
    }
}

/// A probability.
pub fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".into() } else { format!("{p:.4}") }
}

/// What of a name can stand in the name of a folder.
pub fn folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._+".contains(c) { c } else { '-' };
    let text: String = name.chars().map(plain).collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-").trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_people_read() {
        let all: Vec<String> = [0.0, 0.0423, 1.234, 38.21, 1234.4].into_iter().map(short).collect();
        assert_eq!(all, ["0", "0.042", "1.23", "38.2", "1,234"]);
        let all: Vec<String> =
            [12.4, 5_230.0, 35_960.0, 930_311.0, 1_234_567.0, 2e9].into_iter().map(rough).collect();
        assert_eq!(all, ["12", "5,230", "36.0 k", "930 k", "1.2 M", "2,000 M"]);
        assert_eq!((grouped(1_234_567), grouped(12)), ("1,234,567".into(), "12".into()));
        assert_eq!(
            (value(67.55, true), value(4.0, false), value(4.5, false)),
            ("67.5".into(), "4".into(), "4.5".into())
        );
        assert_eq!((probability(0.0), probability(0.111_11)), ("< 0.0001".into(), "0.1111".into()));
    }

    #[test]
    fn names_of_folders_are_tame() {
        assert_eq!(folder_name("4,000 runs / ../x"), "4-000-runs-..-x");
        assert_eq!(folder_name(".."), "");
        assert_eq!(folder_name("θ2"), "2");
    }
}
