//! One file of bytes per input, named as AFL++ names its queue.

use crate::{Error, File, Test, is_stream, kind_name};

/// The folder's files.
///
/// # Errors
/// When an input is more than one stream of bytes.
pub fn folder(tests: &[Test<'_>]) -> Result<Vec<File>, Error> {
    let write = |(k, test): (usize, &Test<'_>)| {
        let objects = &test.input.objects;
        match &objects[..] {
            [only] if is_stream(only.kind) => {
                Ok(File { name: format!("id:{k:06},{}", test.name), content: only.data.clone() })
            }
            _ => Err(Error::Unfit {
                format: "a fuzzer's folder",
                what: match objects.iter().find(|o| !is_stream(o.kind)) {
                    Some(object) => kind_name(object.kind).into(),
                    None => format!("{} objects", objects.len()),
                },
                test: test.name.clone(),
                advice: "it holds one stream of bytes per input; export as `c` or `ktest`",
            }),
        }
    };
    tests.iter().enumerate().map(write).collect()
}
