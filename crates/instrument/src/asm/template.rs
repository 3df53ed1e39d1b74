//! Templates of inline assembly, in AT&T and Intel syntax: straight-line code on registers, memory and constants.
//!
//! LLVM's form: `$N` and `${N:modifier}` for operands, `$$` for a dollar sign, `$(`, `$|`, `$)` around alternatives for
//! the two syntaxes. The result has the destination first, as Intel writes it.

/// An operand as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `$N`, with its modifier.
    Operand(usize, Option<char>),
    /// A register by name.
    Register(String),
    /// A constant.
    Immediate(i64),
    /// Memory at `displacement + base + index * scale`; bytes if the syntax says so.
    Memory {
        /// Constant part.
        displacement: i64,
        /// Register or operand added.
        base: Option<Box<Arg>>,
        /// Register or operand multiplied.
        index: Option<Box<Arg>>,
        /// Its factor.
        scale: i64,
        /// From `dword ptr` and the like.
        bytes: Option<u32>,
    },
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// With the `lock` prefix.
    pub lock: bool,
    /// Mnemonic in lower case, suffix and all.
    pub mnemonic: String,
    /// Operands, the destination first.
    pub args: Vec<Arg>,
    /// In AT&T syntax: the mnemonic may have a suffix for the size.
    pub suffixed: bool,
}

/// Stands for `$` before an operand's number in the text after substitution; no assembler uses it.
const OPERAND: char = '\u{1}';

/// Parses a template; `None` where anything in it is not of the simple form.
pub fn parse(text: &str, intel: bool) -> Option<Vec<Line>> {
    let text = substitute(text, intel)?;
    let mut lines = Vec::new();
    let mut lock = false;
    for statement in text.split(['\n', ';']) {
        let statement = statement.split('#').next().unwrap_or_default().trim();
        let mut words = statement.splitn(2, char::is_whitespace);
        let mut mnemonic = words.next().unwrap_or_default().to_ascii_lowercase();
        let mut rest = words.next().unwrap_or_default().trim().to_owned();
        if mnemonic == "lock" {
            lock = true;
            let mut words = rest.splitn(2, char::is_whitespace);
            mnemonic = words.next().unwrap_or_default().to_ascii_lowercase();
            rest = words.next().map(|r| r.trim().to_owned()).unwrap_or_default();
        }
        if mnemonic.is_empty() {
            continue;
        }
        let mut args = split_args(&rest).into_iter().map(|a| arg(a, intel)).collect::<Option<Vec<_>>>()?;
        if !intel {
            args.reverse();
        }
        lines.push(Line { lock: std::mem::take(&mut lock), mnemonic, args, suffixed: !intel });
    }
    (!lock).then_some(lines)
}

/// Chooses among alternatives and marks operands.
fn substitute(text: &str, intel: bool) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    // Which alternative is being read, if any.
    let mut alternative: Option<bool> = None;
    while let Some(c) = chars.next() {
        let keep = alternative.is_none_or(|second| second == intel);
        if c != '$' {
            if keep {
                out.push(c);
            }
            continue;
        }
        match chars.next()? {
            '(' => alternative = Some(false),
            '|' => alternative = Some(true),
            ')' => alternative = None,
            '$' if keep => out.push('$'),
            '$' => {}
            '{' => {
                let inside: String = chars.by_ref().take_while(|&c| c != '}').collect();
                inside.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
                if keep {
                    out.push(OPERAND);
                    out.push_str(&inside);
                    out.push(OPERAND);
                }
            }
            digit if digit.is_ascii_digit() => {
                let mut number = digit.to_string();
                while let Some(next) = chars.next_if(char::is_ascii_digit) {
                    number.push(next);
                }
                if keep {
                    out.push(OPERAND);
                    out.push_str(&number);
                    out.push(OPERAND);
                }
            }
            _ => return None,
        }
    }
    Some(out)
}

/// Operands, split at commas outside brackets.
fn split_args(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() || !all.is_empty() {
        all.push(last);
    }
    all
}

fn arg(text: &str, intel: bool) -> Option<Arg> {
    if let Some(found) = simple(text) {
        return Some(found);
    }
    if intel { intel_arg(text) } else { att_arg(text) }
}

/// An operand of the call by itself.
fn simple(text: &str) -> Option<Arg> {
    let inside = text.strip_prefix(OPERAND)?.strip_suffix(OPERAND)?;
    if inside.contains(OPERAND) {
        return None;
    }
    let (number, modifier) = match inside.split_once(':') {
        Some((number, modifier)) => (number, Some(modifier)),
        None => (inside, None),
    };
    let modifier = match modifier {
        None => None,
        Some(m) if m.len() == 1 => m.chars().next(),
        Some(_) => return None,
    };
    Some(Arg::Operand(number.parse().ok()?, modifier))
}

fn att_arg(text: &str) -> Option<Arg> {
    if let Some(number) = text.strip_prefix('$') {
        return Some(Arg::Immediate(integer(number)?));
    }
    if let Some(name) = text.strip_prefix('%') {
        return name.chars().all(|c| c.is_ascii_alphanumeric()).then(|| Arg::Register(name.to_owned()));
    }
    let (displacement, rest) = text.split_once('(')?;
    let parts: Vec<&str> = rest.strip_suffix(')')?.split(',').map(str::trim).collect();
    let part = |k: usize| match parts.get(k) {
        None | Some(&"") => Some(None),
        Some(text) => arg(text, false).map(|a| Some(Box::new(a))),
    };
    Some(Arg::Memory {
        displacement: if displacement.trim().is_empty() { 0 } else { integer(displacement.trim())? },
        base: part(0)?,
        index: part(1)?,
        scale: parts.get(2).map_or(Some(1), |s| integer(s))?,
        bytes: None,
    })
}

fn intel_arg(text: &str) -> Option<Arg> {
    if let Some(number) = integer(text) {
        return Some(Arg::Immediate(number));
    }
    let lower = text.to_ascii_lowercase();
    let mut bytes = None;
    let mut rest = lower.as_str();
    for (name, n) in [("byte ptr", 1), ("qword ptr", 8), ("dword ptr", 4), ("word ptr", 2)] {
        if let Some(r) = rest.strip_prefix(name) {
            (bytes, rest) = (Some(n), r.trim());
        }
    }
    if let Some(inside) = rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
        return intel_memory(inside, bytes);
    }
    rest.chars().all(|c| c.is_ascii_alphanumeric()).then(|| Arg::Register(rest.to_owned()))
}

/// `base + index*scale + displacement`, in any order.
fn intel_memory(text: &str, bytes: Option<u32>) -> Option<Arg> {
    let (mut displacement, mut base, mut index, mut scale) = (0i64, None, None, 1);
    let signed = text.replace('-', "+-");
    for term in signed.split('+').map(str::trim).filter(|t| !t.is_empty()) {
        if let Some(number) = integer(term) {
            displacement = displacement.checked_add(number)?;
        } else if let Some((register, factor)) = term.split_once('*') {
            (index, scale) = (Some(Box::new(arg(register.trim(), true)?)), integer(factor.trim())?);
        } else if base.is_none() {
            base = Some(Box::new(arg(term, true)?));
        } else if index.is_none() {
            index = Some(Box::new(arg(term, true)?));
        } else {
            return None;
        }
    }
    Some(Arg::Memory { displacement, base, index, scale, bytes })
}

fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None if digits.starts_with('0') && digits.len() > 1 => u64::from_str_radix(digits, 8).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { (value as i64).wrapping_neg() } else { value as i64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_syntaxes_give_the_same() {
        let att = parse("lock; xaddl ${0:k}, 8($1,%rax,4) # add\n\taddq $$0x10, $2", false).expect("simple");
        let intel = parse("lock xadd dword ptr [$1 + rax*4 + 8], ${0:k}\nadd $2, 16", true).expect("simple");
        let operand = |k| Arg::Operand(k, None);
        let memory = |bytes| Arg::Memory {
            displacement: 8,
            base: Some(Box::new(operand(1))),
            index: Some(Box::new(Arg::Register("rax".into()))),
            scale: 4,
            bytes,
        };
        assert_eq!(att[0].args, [memory(None), Arg::Operand(0, Some('k'))]);
        assert_eq!(intel[0].args, [memory(Some(4)), Arg::Operand(0, Some('k'))]);
        assert!(att[0].lock && intel[0].lock && !att[1].lock);
        assert_eq!(att[1].args, intel[1].args);
    }

    #[test]
    fn alternatives_and_strange_things() {
        let text = "$(bswapl $0$|bswap $0$)";
        assert_eq!(parse(text, false).expect("simple")[0].mnemonic, "bswapl");
        assert_eq!(parse(text, true).expect("simple")[0].mnemonic, "bswap");
        assert_eq!(parse(" \n\t# nothing\n", false), Some(vec![]));
        for strange in ["1: jmp 1b", "mov %fs:0, $0", "call foo", "add 4+$0, $1", "${:uid}", "lock"] {
            assert_eq!(parse(strange, false), None, "{strange}");
        }
    }
}
