//! Tests of the rows of set members.

use super::*;

/// Stored sets depend on these hashes.
#[test]
fn hashes_are_fixed() {
    for (member, hash) in [("", 0x2d06_8005), ("a", 0xe6c6_32b6), ("hello", 0x9555_e855)] {
        let key = member_key(member.as_bytes());
        assert_eq!(hash_of(&key), hash, "{member}");
        assert_eq!(member_of(&key), member.as_bytes());
    }
    assert_eq!(member_of(b"abc"), b"");
}
