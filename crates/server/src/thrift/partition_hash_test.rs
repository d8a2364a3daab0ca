use super::*;

#[test]
fn known_hashes() {
    let rows: [(&[u8], u64, [u32; 3]); 10] = [
        (b"", 0, [0, 0, 0]),
        (b"a", 0x8c2f_8445_b4cb_fc3c, [0, 4, 60]),
        (b"h1", 0xaae1_fd17_e635_e4da, [2, 2, 26]),
        (b"hash", 0x5fec_6e44_8a0b_067c, [0, 4, 60]),
        (b"user1", 0x6ec4_f709_4502_9038, [0, 0, 56]),
        (b"pegasus", 0xce87_09cf_bd39_73c4, [0, 4, 4]),
        (b"usertable", 0xe4b2_2f8d_6c17_69d3, [3, 3, 19]),
        (b"123456789", 0xae8b_1486_0a79_9888, [0, 0, 8]),
        (b"\0", 0xd5da_5047_efec_8728, [0, 0, 40]),
        (&[0xff; 8], u64::MAX, [3, 7, 63]),
    ];
    for (key, hash, partitions) in rows {
        assert_eq!(
            partition_hash(key, b"sort"),
            if key.is_empty() { CRC.checksum(b"sort") } else { hash }
        );
        assert_eq!(partition_hash(b"", key), hash, "{key:?}");
        assert_eq!([4, 8, 64].map(|count| partition_of(hash, count)), partitions, "{key:?}");
    }
    assert_eq!(partition_of(partition_hash(b"a", b""), 16), 12);
}
