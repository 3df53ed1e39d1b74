//! KLEE's `.ktest`: a magic word, a version, the command line, and named objects; all numbers big-endian.

use crate::{Error, File, Test, is_stream, with_stream};
use trace::{Input, Object, ObjectKind, ValueType};

const MAGIC: &[u8] = b"KTEST";
/// Magic of the format's first name.
const OLD_MAGIC: &[u8] = b"BOUT\n";
/// With the fields of symbolic arguments.
const VERSION: u32 = 3;

/// Whether these are the first bytes of such a file.
pub fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(OLD_MAGIC)
}

/// One `.ktest` per test; `program` is its first argument.
pub fn folder(tests: &[Test<'_>], program: &str) -> Vec<File> {
    let write = |(k, test): (usize, &Test<'_>)| File {
        name: format!("test{:06}.ktest", k + 1),
        content: content(test.input, program),
    };
    tests.iter().enumerate().map(write).collect()
}

/// Objects by the names that KLEE's run-time model gives them.
fn content(input: &Input, program: &str) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let number = |out: &mut Vec<u8>, n: usize| out.extend(u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes());
    let block = |out: &mut Vec<u8>, bytes: &[u8]| {
        number(out, bytes.len());
        out.extend(bytes);
    };
    number(&mut out, VERSION as usize);
    number(&mut out, 1);
    block(&mut out, program.as_bytes());
    number(&mut out, 0);
    number(&mut out, 0);
    number(&mut out, input.objects.len());
    let mut arguments = 0;
    for object in input.objects.iter().filter(|o| o.kind != ObjectKind::End) {
        let name = match object.kind {
            ObjectKind::Stdin => "stdin".to_owned(),
            ObjectKind::File => "A-data".to_owned(),
            ObjectKind::Fuzz => "data".to_owned(),
            ObjectKind::Arg => {
                arguments += 1;
                format!("arg{:02}", arguments - 1)
            }
            ObjectKind::Connection => format!("connection{}", object.name),
            ObjectKind::Env | ObjectKind::Value | ObjectKind::End => object.name.clone(),
        };
        block(&mut out, name.as_bytes());
        block(&mut out, &object.data);
    }
    out
}

/// Reads a `.ktest`. What KLEE calls `stdin`, `A-data` and `argNN` goes to the object of that kind in `shape`; other
/// objects are values, in order, or the byte stream of a program that takes nothing else.
///
/// # Errors
/// When the file is cut off or not of a known version.
pub fn read(bytes: &[u8], shape: &Input) -> Result<Input, Error> {
    let mut reader = Reader { rest: bytes.get(MAGIC.len()..).unwrap_or_default() };
    let version = reader.number()?;
    if version == 0 || version > VERSION {
        return Err(damaged(format!("version {version}, known are 1 to {VERSION}")));
    }
    for _ in 0..reader.number()? {
        reader.block()?;
    }
    if version >= 2 {
        reader.number()?;
        reader.number()?;
    }
    let mut objects = Vec::new();
    for _ in 0..reader.number()? {
        let name = String::from_utf8_lossy(reader.block()?).into_owned();
        objects.push((name, reader.block()?));
    }
    Ok(place(&objects, shape))
}

fn place(objects: &[(String, &[u8])], shape: &Input) -> Input {
    let mut input = shape.clone();
    let is_only_stream = shape.objects.len() == 1 && is_stream(shape.objects[0].kind);
    if let ([(_, data)], true) = (objects, is_only_stream) {
        return with_stream(shape, data);
    }
    for (name, data) in objects {
        let is_model = name == "model_version" || name == "n_args" || name.ends_with("-stat");
        let kind = match name.as_str() {
            "stdin" => ObjectKind::Stdin,
            "A-data" => ObjectKind::File,
            _ if name.starts_with("connection") => ObjectKind::Connection,
            _ if name.strip_prefix("arg").is_some_and(|n| n.parse::<u32>().is_ok()) => ObjectKind::Arg,
            _ => ObjectKind::Value,
        };
        let digits = name.trim_start_matches("arg").trim_start_matches("connection");
        let number = digits.split(':').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        let there =
            input.objects.iter_mut().filter(|o| o.kind == kind && kind != ObjectKind::Value).nth(number);
        match there {
            Some(object) => object.data = data.to_vec(),
            None if is_model || kind != ObjectKind::Value => {}
            None => input.objects.push(Object {
                kind,
                name: name.clone(),
                value_type: ValueType::Bytes,
                data: data.to_vec(),
            }),
        }
    }
    input
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        let (head, rest) = self.rest.split_at_checked(n).ok_or_else(|| damaged("it is cut off".into()))?;
        self.rest = rest;
        Ok(head)
    }

    fn number(&mut self) -> Result<u32, Error> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().fold(0, |n, &b| n << 8 | u32::from(b)))
    }

    fn block(&mut self) -> Result<&'a [u8], Error> {
        let n = self.number()?;
        self.take(n as usize)
    }
}

fn damaged(why: String) -> Error {
    Error::Damaged { format: ".ktest", why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::Outcome;

    fn value(name: &str, data: &[u8]) -> Object {
        Object::new(ObjectKind::Value, name, data)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let inputs = [
            Input::stdin(*b"hello"),
            Input { objects: vec![value("x", &[1, 2, 3, 4]), value("y", &[]), value("x", &[5])] },
            Input {
                objects: vec![
                    Object::new(ObjectKind::Stdin, "stdin", *b"in"),
                    Object::new(ObjectKind::Arg, "1", *b"-v"),
                    Object::new(ObjectKind::Arg, "2", *b"w"),
                ],
            },
        ];
        for input in inputs {
            let test = Test { name: "t".into(), input: &input, outcome: Outcome::Exit(0) };
            let [file] = &folder(&[test], "prog")[..] else { panic!("one file") };
            let mut shape = input.clone();
            shape.objects.retain(|o| o.kind != ObjectKind::Value);
            shape.objects.iter_mut().for_each(|o| o.data.clear());
            assert_eq!(read(&file.content, &shape).expect("valid"), input);
        }
    }

    #[test]
    fn a_file_as_klee_writes_it() {
        // klee --posix-runtime --sym-stdin: version 3, two arguments, objects stdin, stdin-stat, model_version.
        let mut bytes =
            b"KTEST\0\0\0\x03\0\0\0\x02\0\0\0\x01p\0\0\0\x02-x\0\0\0\0\0\0\0\0\0\0\0\x03".to_vec();
        for (name, data) in [("stdin", &b"ab"[..]), ("stdin-stat", &[0; 8]), ("model_version", &[1, 0, 0, 0])]
        {
            for block in [name.as_bytes(), data] {
                bytes.extend((block.len() as u32).to_be_bytes());
                bytes.extend(block);
            }
        }
        assert_eq!(read(&bytes, &Input::stdin([])).expect("valid"), Input::stdin(*b"ab"));
    }

    #[test]
    fn damaged_files_are_refused() {
        let test = Input::stdin(*b"hello");
        let whole = content(&test, "prog");
        for n in MAGIC.len()..whole.len() {
            assert!(read(&whole[..n], &test).is_err(), "cut off at {n}");
        }
        let mut newer = whole.clone();
        newer[8] = 9;
        assert!(read(&newer, &test).expect_err("version").to_string().contains("version 9"));
        // A length beyond all bounds must not be believed.
        assert!(read(b"KTEST\0\0\0\x03\xff\xff\xff\xff\xff\xff\xff\xff", &test).is_err());
    }
}
