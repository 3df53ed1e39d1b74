//! Debian's control format: paragraphs of `Field: value` lines, as in `Sources` and `Packages`.

use std::collections::BTreeMap;

/// One paragraph; continuation lines are joined with line breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stanza(BTreeMap<String, String>);

impl Stanza {
    /// The value of a field, empty where it is missing.
    pub fn get(&self, field: &str) -> &str {
        self.0.get(field).map_or("", String::as_str)
    }
}

/// All paragraphs of a text.
pub fn parse(text: &str) -> Vec<Stanza> {
    text.split("\n\n").map(paragraph).filter(|s| !s.0.is_empty()).collect()
}

fn paragraph(text: &str) -> Stanza {
    let mut fields = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(value) = last.as_ref().and_then(|name| fields.get_mut(name)) {
                let value: &mut String = value;
                value.push('\n');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.insert(name.to_string(), value.trim().to_string());
            last = Some(name.to_string());
        }
    }
    Stanza(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_continuations() {
        let all = parse("Package: a\nFiles:\n 1 2 x\n 3 4 y\n\n\nPackage: b\nSection: utils\n");
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].get("Files"), "\n1 2 x\n3 4 y");
        assert_eq!(all[1].get("Section"), "utils");
        assert_eq!(all[1].get("Files"), "");
    }
}
