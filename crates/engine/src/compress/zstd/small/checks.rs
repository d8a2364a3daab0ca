//! What holds for every block and every stream. Unit tests, the soak and the fuzzer call these functions, which panic
//! if it does not hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)] // These are checks.

use super::codes::MAX_BLOCK;
use super::decode::{content_size, decompress};
use super::encode::{LEVEL_MAX, compress};
use std::cell::Cell;
use structured_zstd::decoding::{ContentChecksum, FrameDecoder};

thread_local! {
    static PEER: Cell<Option<FrameDecoder>> = const { Cell::new(None) };
}

/// Decompresses with `structured-zstd`. Returns `None` if it refuses the stream.
fn peer(stream: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut decoder = PEER.take().unwrap_or_else(|| {
        let mut decoder = FrameDecoder::new();
        decoder.set_content_checksum(ContentChecksum::Verify);
        // Its default is less, although a small content needs no window.
        decoder.set_max_window_size(1 << 31).unwrap();
        decoder
    });
    let mut raw = vec![0; room];
    let n = decoder.decode_all(stream, &mut raw).ok()?;
    PEER.set(Some(decoder));
    raw.truncate(n);
    Some(raw)
}

/// Decompresses a small frame, and checks that nothing is written behind its content.
fn ours(stream: &[u8], room: usize, filling: u8) -> Option<Vec<u8>> {
    let mut raw = vec![filling; room];
    let n = decompress(stream, &mut raw).ok()??;
    assert!(raw[n..].iter().all(|&byte| byte == filling), "bytes behind the content are unchanged");
    raw.truncate(n);
    Some(raw)
}

/// Checks that this decoder, `structured-zstd` and, if it is in the build, libzstd read a frame as `raw`.
#[track_caller]
pub fn frame(frame: &[u8], raw: &[u8]) {
    let check = |reader: &str, found: Option<Vec<u8>>| {
        if found.as_deref() != Some(raw) {
            let at = found.map(|found| found.iter().zip(raw).position(|(a, b)| a != b));
            let (size, fault) = (raw.len(), decompress(frame, &mut vec![0; raw.len()]));
            let frame = frame.escape_ascii();
            panic!(
                "{reader}: {size} bytes, the first difference at {at:?}; {fault:?}: b\"{frame}\""
            );
        }
    };
    check("this decoder", ours(frame, raw.len(), 0xAA));
    check("this decoder, with more room", ours(frame, raw.len() + 100, 0x55));
    check("structured-zstd", peer(frame, raw.len()));
    #[cfg(feature = "zstd-c")]
    {
        let mut got = vec![0; raw.len()];
        let n = zstd_safe::decompress(got.as_mut_slice(), frame);
        check("libzstd", (n == Ok(raw.len())).then_some(got));
    }
}

/// Encodes a block, checks that all decoders read the frame, and returns it; `None` if the level or the size is not one
/// for this encoder.
#[track_caller]
pub fn block(level: i32, checksum: bool, raw: &[u8]) -> Option<Vec<u8>> {
    let mut out = b"before".to_vec();
    let is_encoded = compress(level, checksum, raw, &mut out);
    assert_eq!(&out[..6], b"before");
    assert_eq!(is_encoded, level <= LEVEL_MAX && raw.len() <= MAX_BLOCK, "level {level}");
    let written = out.split_off(6);
    if !is_encoded {
        assert!(written.is_empty());
        return None;
    }
    // A header of a frame, one of a block, and the checksum.
    assert!(written.len() <= raw.len() + 9 + 3 + 4, "no longer than a stored block");
    assert_eq!(content_size(&written), Some(raw.len()));
    frame(&written, raw);
    Some(written)
}

/// Who accepts a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// This decoder and `structured-zstd`, with the same content.
    Both,
    /// This decoder only.
    Ours,
    /// `structured-zstd` only.
    Theirs,
    /// Neither. Streams that are not small frames count here.
    Neither,
}

/// Decodes any bytes. What this decoder accepts does not depend on its memory, and is what `structured-zstd`, and
/// libzstd if it is in the build, accept.
#[track_caller]
pub fn stream(stream: &[u8]) -> Accepted {
    // Streams that are not small frames are left to the crate.
    let Some(size) = content_size(stream) else {
        assert_eq!(decompress(stream, &mut [0; 100]), Ok(None));
        return Accepted::Neither;
    };
    let found = ours(stream, size, 0xAA);
    assert!(found == ours(stream, size + 100, 0x55), "the same, whatever was in the memory");
    if size > 0 {
        assert!(decompress(stream, &mut vec![0; size - 1]).is_err(), "the content needs its room");
    }
    let expected = peer(stream, size);
    match (found, expected) {
        (Some(found), Some(expected)) => {
            assert!(found == expected, "structured-zstd reads other content");
            #[cfg(feature = "zstd-c")]
            {
                let mut other = vec![0; size];
                if let Ok(n) = zstd_safe::decompress(other.as_mut_slice(), stream) {
                    assert!(found == other[..n], "libzstd reads other content");
                }
            }
            Accepted::Both
        }
        (Some(_), None) => Accepted::Ours,
        (None, Some(_)) => Accepted::Theirs,
        (None, None) => Accepted::Neither,
    }
}
