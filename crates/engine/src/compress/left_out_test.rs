//! Tests of codecs that are left out of the build, Snappy and LZ4 among them:
//! `cargo test -p ferrolith --no-default-features --lib left_out`.

use super::*;
use crate::error::Code;

#[test]
fn a_codec_that_is_left_out_is_named() {
    for kind in CompressionType::ALL.into_iter().filter(|kind| !kind.is_supported()) {
        let codec = Codec {
            kind,
            level: DEFAULT_LEVEL,
            window_bits: -14,
            checksum: false,
            format_version: 5,
        };
        let written = codec.compress(b"raw", None, &mut Vec::new()).map(|_| Vec::new());
        for e in [written, decompress(kind, 5, b"block", None, 100)].map(Result::unwrap_err) {
            assert_eq!(e.code(), Code::NotSupported);
            assert!(e.message().starts_with(kind.name()), "{e}");
        }
    }
    let mut options = crate::options::Options::default();
    assert_eq!(options.cf.compression, CompressionType::None);
    options.db.create_if_missing = true;
    options.cf.compression = CompressionType::Lz4;
    let dir = tempfile::tempdir().unwrap();
    let e = crate::db::Db::open(&options, dir.path()).unwrap_err();
    assert!(e.to_string().contains("LZ4"), "{e}");
}
