//! Bytes that are believed when they come back: deflated, behind a hash of them and of who wrote them.

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use std::io::{Read, Write};

/// `content`, to be read by the same `owner` only.
pub(crate) fn sealed(owner: &str, content: &[u8]) -> Vec<u8> {
    let mut deflated = DeflateEncoder::new(seal(owner, content).as_bytes().to_vec(), Compression::fast());
    let written = deflated.write_all(content).and_then(|()| deflated.finish());
    written.expect("written to memory")
}

/// What `owner` sealed; `None` if it was another or the bytes are not what was written.
pub(crate) fn unsealed(owner: &str, packed: &[u8]) -> Option<Vec<u8>> {
    let (hash, deflated) = packed.split_first_chunk::<{ blake3::OUT_LEN }>()?;
    let mut content = Vec::new();
    DeflateDecoder::new(deflated).read_to_end(&mut content).ok()?;
    (seal(owner, &content) == *hash).then_some(content)
}

fn seal(owner: &str, content: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(owner.len() as u64).to_le_bytes()).update(owner.as_bytes()).update(content);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_same_owner_wrote_comes_back() {
        let packed = sealed("a", b"answers");
        assert_eq!(unsealed("a", &packed).as_deref(), Some(&b"answers"[..]));
        assert_eq!(unsealed("b", &packed), None);
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            let read = unsealed("a", &damaged);
            assert!(read.is_none() || read.as_deref() == Some(b"answers"), "{at}: {read:?}");
            assert_eq!(unsealed("a", &packed[..at]), None, "{at}");
        }
        assert_eq!(unsealed("a", &sealed("a", b"")).as_deref(), Some(&b""[..]));
    }
}
