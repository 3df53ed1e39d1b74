//! Biased random input: how likely the bytes of each stream, argument or file are, where the user or a harness said so
//! (Majumdar & Sen, "Hybrid Concolic Testing", ICSE 2007, whose random inputs come from distributions that a user gives).
//!
//! Values that a run asks for are drawn by the program's runtime, with the same distributions. What is solved, searched, mutated or said again
//! is not bound by them.

use trace::{Distribution, Object, ObjectKind};

/// Stands for all that has no distribution of its own.
const ANY: &str = "*";

/// Distributions by name; the first of a name counts.
#[derive(Clone, Debug, Default)]
pub struct Bias(Vec<(String, Distribution)>);

impl Bias {
    /// These.
    pub fn new(named: Vec<(String, Distribution)>) -> Bias {
        Bias(named)
    }

    fn named(&self, name: &str) -> Option<&Distribution> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, distribution)| distribution)
    }

    /// That of an object: by its name, by its kind, or that of all.
    pub fn of(&self, object: &Object) -> Option<&Distribution> {
        let kind = match object.kind {
            ObjectKind::Stdin => "stdin",
            ObjectKind::File => "file",
            ObjectKind::Arg => "argument",
            ObjectKind::Env => "variable",
            ObjectKind::Connection => "connection",
            ObjectKind::Fuzz => "data",
            ObjectKind::Value | ObjectKind::End => ANY,
        };
        self.named(&object.name).or_else(|| self.named(kind)).or_else(|| self.named(ANY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_counts() {
        let of = |text: &str| Distribution::parse(text).expect("a distribution");
        let named = [("1", "1"), ("argument", "2"), ("connection", "3"), ("*", "4"), ("1", "5")];
        let bias = Bias::new(named.iter().map(|(name, text)| (name.to_string(), of(text))).collect());
        let found = |kind, name: &str| bias.of(&Object::new(kind, name, [])).copied();
        assert_eq!(found(ObjectKind::Arg, "1"), Some(of("1")));
        assert_eq!(found(ObjectKind::Arg, "2"), Some(of("2")));
        assert_eq!(found(ObjectKind::Connection, "0:line"), Some(of("3")));
        assert_eq!(found(ObjectKind::Stdin, "stdin"), Some(of("4")));
        assert_eq!(Bias::default().of(&Object::new(ObjectKind::Stdin, "stdin", [])), None);
    }
}
