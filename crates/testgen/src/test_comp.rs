//! Test-Comp's exchange format for test suites: `metadata.xml`, and an XML file per test with the values in the order
//! in which `__VERIFIER_nondet_*` is called.

use crate::{Error, File, Test, kind_name, value};
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};
use trace::{Input, Object, ObjectKind};

const FORMAT: &str = "Test-Comp's format";
const CASE_DOCTYPE: &str = "testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \"https://sosy-lab.org/test-format/testcase-1.1.dtd\"";
const META_DOCTYPE: &str = "test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\"";

/// What `metadata.xml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Name and version of the tool.
    pub producer: String,
    /// The coverage goal, in the competition's language.
    pub specification: String,
    /// File name of the program.
    pub program_file: String,
    /// SHA-256 of that file, in hexadecimal.
    pub program_hash: String,
    /// Function where the program begins.
    pub entry_function: String,
    /// `32bit` or `64bit`.
    pub architecture: String,
    /// When the suite was made, as in `2026-11-21T07:30:00Z`.
    pub creation_time: String,
}

/// The goal of covering all branches.
pub const COVER_BRANCHES: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";

/// The suite's files: `metadata.xml` and `test-N.xml`.
///
/// # Errors
/// When an input holds anything but numbers: the format has no place for it.
pub fn suite(tests: &[Test<'_>], metadata: &Metadata) -> Result<Vec<File>, Error> {
    let mut files = vec![File { name: "metadata.xml".into(), content: meta(metadata) }];
    for (k, test) in tests.iter().enumerate() {
        files.push(File { name: format!("test-{}.xml", k + 1), content: case(test)? });
    }
    Ok(files)
}

fn meta(metadata: &Metadata) -> Vec<u8> {
    let fields = [
        ("sourcecodelang", "C"),
        ("producer", &metadata.producer),
        ("specification", &metadata.specification),
        ("programfile", &metadata.program_file),
        ("programhash", &metadata.program_hash),
        ("entryfunction", &metadata.entry_function),
        ("architecture", &metadata.architecture),
        ("creationtime", &metadata.creation_time),
    ];
    document(META_DOCTYPE, "test-metadata", |events| {
        for (name, text) in fields {
            events.push(Event::Start(BytesStart::new(name)));
            events.push(Event::Text(BytesText::new(text)));
            events.push(Event::End(BytesEnd::new(name)));
        }
    })
}

fn case(test: &Test<'_>) -> Result<Vec<u8>, Error> {
    let unfit = |what: String| Error::Unfit {
        format: FORMAT,
        what,
        test: test.name.clone(),
        advice: "it holds the numbers that __VERIFIER_nondet_* and the like return; export as `c`, `ktest` or `raw`",
    };
    let mut inputs = Vec::new();
    for object in test.input.objects.iter().filter(|o| o.kind == ObjectKind::Value || !o.data.is_empty()) {
        if object.kind != ObjectKind::Value {
            return Err(unfit(kind_name(object.kind).into()));
        }
        let (ty, text) = value::text(object)
            .ok_or_else(|| unfit(format!("the {} raw bytes of `{}`", object.data.len(), object.name)))?;
        inputs.push((object.name.as_str(), ty, text));
    }
    Ok(document(CASE_DOCTYPE, "testcase", |events| {
        for (name, ty, text) in &inputs {
            let start = BytesStart::new("input").with_attributes([("variable", *name), ("type", *ty)]);
            events.push(Event::Start(start));
            events.push(Event::Text(BytesText::new(text)));
            events.push(Event::End(BytesEnd::new("input")));
        }
    }))
}

/// A document with one element, a line each.
fn document<'e>(doctype: &'e str, root: &'e str, fill: impl FnOnce(&mut Vec<Event<'e>>)) -> Vec<u8> {
    let mut inside = Vec::new();
    fill(&mut inside);
    let mut events = vec![
        Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), Some("no"))),
        Event::DocType(BytesText::from_escaped(doctype)),
        Event::Start(BytesStart::new(root)),
    ];
    events.extend(inside);
    events.push(Event::End(BytesEnd::new(root)));
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    for event in events {
        writer.write_event(event).expect("writing to memory cannot fail");
    }
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    bytes
}

/// Whether this is a test of that format.
pub fn is_one(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).into_owned();
    head.trim_start().starts_with("<?xml") && head.contains("<!DOCTYPE testcase")
}

/// Whether this is a suite's description, which is no test.
pub fn is_metadata(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).into_owned();
    head.trim_start().starts_with("<?xml") && head.contains("<!DOCTYPE test-metadata")
}

/// Reads a test: its values, in order.
///
/// # Errors
/// When the XML is damaged or a value cannot be understood.
pub fn read(bytes: &[u8]) -> Result<Input, Error> {
    let damaged = |why: String| Error::Damaged { format: "Test-Comp test", why };
    let text = std::str::from_utf8(bytes).map_err(|e| damaged(e.to_string()))?;
    let mut reader = Reader::from_str(text);
    let mut objects: Vec<Object> = Vec::new();
    let mut open: Option<(Option<String>, Option<String>, String)> = None;
    loop {
        let at = reader.buffer_position();
        let here = |e: &dyn std::fmt::Display| damaged(format!("{e}, at byte {at}"));
        match reader.read_event().map_err(|e| here(&e))? {
            Event::Start(start) if start.name().as_ref() == b"input" => {
                let attribute = |name: &str| -> Option<String> {
                    let found = start.try_get_attribute(name).ok().flatten()?;
                    Some(found.unescape_value().ok()?.into_owned())
                };
                open = Some((attribute("variable"), attribute("type"), String::new()));
            }
            Event::Text(part) => {
                if let Some((.., text)) = &mut open {
                    text.push_str(&part.decode().map_err(|e| here(&e))?);
                }
            }
            Event::GeneralRef(reference) => {
                if let (Some((.., text)), Ok(Some(c))) = (&mut open, reference.resolve_char_ref()) {
                    text.push(c);
                } else if let (Some((.., text)), b"apos") = (&mut open, reference.as_ref()) {
                    text.push('\'');
                }
            }
            Event::End(end) if end.name().as_ref() == b"input" => {
                if let Some((name, ty, text)) = open.take() {
                    let (value_type, data) = value::parse(&text, ty.as_deref())
                        .ok_or_else(|| here(&format!("`{text}` is no number")))?;
                    let name = name.unwrap_or_else(|| format!("input{}", objects.len()));
                    objects.push(Object { kind: ObjectKind::Value, name, value_type, data });
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(Input { objects })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{Outcome, ValueType};

    fn value(name: &str, value_type: ValueType, data: &[u8]) -> Object {
        Object { kind: ObjectKind::Value, name: name.into(), value_type, data: data.to_vec() }
    }

    #[test]
    fn a_test_is_written_and_read_back() {
        let input = Input {
            objects: vec![
                value("int", ValueType::Signed, &(-7i32).to_le_bytes()),
                value("a<b", ValueType::Signed, b"x"),
                value("double", ValueType::Float, &0.1f64.to_le_bytes()),
            ],
        };
        let test = Test { name: "t".into(), input: &input, outcome: Outcome::Exit(0) };
        let metadata = Metadata { specification: COVER_BRANCHES.into(), ..Metadata::default() };
        let files = suite(&[test], &metadata).expect("fits");
        assert_eq!(files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["metadata.xml", "test-1.xml"]);
        let text = String::from_utf8_lossy(&files[1].content).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("<?xml ") && lines[1].starts_with("<!DOCTYPE testcase "), "{text}");
        assert!(lines[3].contains("<input variable=\"int\" type=\"int\">-7</input>"), "{text}");
        assert!(is_one(&files[1].content) && !is_one(&files[0].content));
        assert!(is_metadata(&files[0].content) && !is_metadata(&files[1].content));
        assert_eq!(read(&files[1].content).expect("valid"), input);
    }

    #[test]
    fn a_test_as_other_tools_write_it() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE testcase SYSTEM \"x\">\n<testcase coversError=\"true\">\n\
                    <input>5</input><input type=\"char\">'a'</input><input type=\"char\">&apos;b&apos;</input></testcase>";
        let input = read(text.as_bytes()).expect("valid");
        let data: Vec<&[u8]> = input.objects.iter().map(|o| &o.data[..1]).collect();
        assert_eq!(data, [b"\x05", b"a", b"b"]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let input = Input::stdin(*b"bytes");
        let test = Test { name: "t".into(), input: &input, outcome: Outcome::Exit(0) };
        let error = suite(&[test], &Metadata::default()).expect_err("no place for it").to_string();
        assert!(error.contains("standard input") && error.contains("export as"), "{error}");
        assert!(read(b"<?xml?><testcase><input>many</input></testcase>").is_err());
        assert!(read(b"<testcase><input>").is_ok_and(|i| i.objects.is_empty()));
    }
}
