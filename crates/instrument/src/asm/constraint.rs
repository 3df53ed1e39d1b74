//! Constraint strings of inline assembly (LLVM Language Reference, "Inline Asm Constraint String").

/// What a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The template writes it.
    Output,
    /// The template reads it.
    Input,
    /// The template destroys it.
    Clobber,
    /// A destination of `asm goto`.
    Label,
}

/// Where the operand lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A general register, memory or an immediate of the compiler's choice.
    Any,
    /// The named register (or what is clobbered).
    Named(String),
    /// Where output `k` lives.
    Tied(usize),
    /// A condition flag.
    Flag(String),
    /// Something else: vector registers, constants with an address.
    Other,
}

/// One constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// What it is about.
    pub kind: Kind,
    /// In memory: the operand is an address.
    pub indirect: bool,
    /// Where it lives.
    pub place: Place,
}

/// Letters for general registers, memory and immediates on x86.
const GENERAL: &str = "rqQRlgimnIJKLMNeZsoVX";

/// Parses a constraint string; `None` if it is not of the usual form.
pub fn parse(text: &str) -> Option<Vec<Constraint>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(one).collect()
}

fn one(text: &str) -> Option<Constraint> {
    let (kind, rest) = match text.as_bytes().first()? {
        b'=' => (Kind::Output, &text[1..]),
        b'~' => (Kind::Clobber, &text[1..]),
        b'!' => (Kind::Label, &text[1..]),
        b'+' => return None,
        _ => (Kind::Input, text),
    };
    let rest = rest.trim_start_matches(['&', '%']);
    let indirect = rest.starts_with('*');
    let rest = rest.trim_start_matches(['*', '&', '%']);
    Some(Constraint { kind, indirect, place: place(rest) })
}

fn place(text: &str) -> Place {
    if let Some(name) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        return match name.strip_prefix("@cc") {
            Some(condition) => Place::Flag(condition.to_owned()),
            None => Place::Named(name.to_owned()),
        };
    }
    if let Ok(k) = text.parse() {
        return Place::Tied(k);
    }
    if text.chars().any(|c| GENERAL.contains(c)) { Place::Any } else { Place::Other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_clang_writes() {
        let all = parse("=r,=&{ax},=*m,={@ccl},0,*m,{cx},rm,^Yz,~{memory},!i").expect("usual");
        let kinds: Vec<Kind> = all.iter().map(|c| c.kind).collect();
        use Kind::*;
        assert_eq!(kinds[..4], [Output; 4]);
        assert_eq!(kinds[4..], [Input, Input, Input, Input, Input, Clobber, Label]);
        assert_eq!(all[1].place, Place::Named("ax".into()));
        assert!(all[2].indirect && all[5].indirect && !all[7].indirect);
        assert_eq!(all[3].place, Place::Flag("l".into()));
        assert_eq!(all[4].place, Place::Tied(0));
        assert_eq!(all[8].place, Place::Other);
        assert_eq!(parse("+r"), None);
    }
}
