//! RocksDB's own tool accepts the builder's files: block checksums, every entry, properties. Run
//! with `cargo test -p ferrolith --lib sst_dump -- --ignored` where `sst_dump` is installed.

use super::test_util::*;
use crate::base::ValueType;
use crate::compress::CompressionType;
use crate::fs::{WritableOptions, posix};
use crate::hooks::FixedPrefixTransform;
use crate::options::{BlockBasedTableOptions, ChecksumType, DataBlockIndexType};
use crate::sst::{TableBuilder, TableBuilderContext};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn rows() -> Vec<Row> {
    (0..2000u64)
        .map(|i| {
            let key = format!("key{i:07}").into_bytes();
            match i % 50 {
                49 => (key, i + 1, ValueType::Deletion, Vec::new()),
                48 => (key, i + 1, ValueType::Merge, b"operand".to_vec()),
                47 => (key, i + 1, ValueType::SingleDeletion, Vec::new()),
                _ => (key, i + 1, ValueType::Value, format!("value{}", i % 5).repeat(9).into()),
            }
        })
        .collect()
}

fn sst_dump(path: &Path, arguments: &[&str]) -> String {
    let output = Command::new("sst_dump")
        .arg(format!("--file={}", path.display()))
        .args(arguments)
        .output()
        .expect("sst_dump must be installed");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}");
    text.into_owned()
}

fn check(dir: &Path, name: &str, ctx: TableBuilderContext) {
    let path = dir.join(format!("{name}.sst"));
    let file = posix().new_writable(&path, WritableOptions::default()).unwrap();
    let mut builder = TableBuilder::new(file, ctx).unwrap();
    let rows = rows();
    for (key, seq, kind, value) in &rows {
        builder.add(&internal(key, *seq, *kind), value).unwrap();
    }
    let finished = builder.finish().unwrap();

    let verified = sst_dump(&path, &["--command=verify"]);
    assert!(verified.contains("The file is ok"), "{name}: {verified}");
    let scanned = sst_dump(&path, &["--command=scan"]);
    let lines: Vec<&str> = scanned.lines().filter(|l| l.contains("type:")).collect();
    assert_eq!(lines.len(), rows.len(), "{name}: {scanned}");
    for (line, (key, seq, kind, value)) in lines.iter().zip(&rows) {
        let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
        let expected = format!("'{key}' seq:{seq}, type:{} => {value}", *kind as u8);
        assert_eq!(line.trim_end(), expected.trim_end(), "{name}");
    }
    let shown = sst_dump(&path, &["--show_properties"]);
    let p = &finished.properties;
    for expected in [
        format!("# data blocks: {}", p.num_data_blocks),
        format!("# entries: {}", p.num_entries),
        format!("# deletions: {}", p.num_deletions),
        format!("# merge operands: {}", p.num_merge_operands),
        format!("raw key size: {}", p.raw_key_size),
        format!("raw value size: {}", p.raw_value_size),
        format!("filter block size: {}", p.filter_size),
        format!("SST file compression algo: {}", p.compression_name),
        "comparator name: leveldb.BytewiseComparator".to_owned(),
    ] {
        assert!(shown.contains(&expected), "{name}: no {expected} in {shown}");
    }
}

#[test]
#[ignore = "needs RocksDB's sst_dump"]
fn sst_dump_accepts_every_combination_of_options() {
    let dir = tempfile::tempdir().unwrap();
    let codecs = [
        CompressionType::None,
        CompressionType::Snappy,
        CompressionType::Zlib,
        CompressionType::Bzip2,
        CompressionType::Lz4,
        CompressionType::Lz4hc,
        CompressionType::Zstd,
    ];
    let checksums = [
        ChecksumType::NoChecksum,
        ChecksumType::Crc32c,
        ChecksumType::XxHash,
        ChecksumType::XxHash64,
        ChecksumType::Xxh3,
    ];
    let mut n = 0;
    for format_version in 2..=5 {
        for codec in codecs {
            for interval in [1, 16] {
                n += 1;
                let opts = BlockBasedTableOptions {
                    format_version,
                    block_restart_interval: interval,
                    index_block_restart_interval: 1 + n % 3,
                    checksum: checksums[n % 5],
                    data_block_index_type: [
                        DataBlockIndexType::BinarySearch,
                        DataBlockIndexType::BinaryAndHash,
                    ][n % 2],
                    ..if n % 4 < 2 { with_filter() } else { BlockBasedTableOptions::default() }
                };
                let mut ctx = builder_context(opts, codec);
                if n % 3 == 0 {
                    ctx.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(6)));
                }
                check(dir.path(), &format!("{n:06}"), ctx);
            }
        }
    }
}

#[test]
#[ignore = "needs RocksDB's sst_dump"]
fn sst_dump_accepts_dictionaries() {
    let dir = tempfile::tempdir().unwrap();
    let kinds = [
        (CompressionType::Zlib, 0),
        (CompressionType::Lz4, 0),
        (CompressionType::Lz4hc, 0),
        (CompressionType::Zstd, 0),
        (CompressionType::Zstd, 32 << 10),
    ];
    for (n, (codec, train)) in (1..).zip(kinds) {
        for trainer in [true, false] {
            let opts = BlockBasedTableOptions { block_size: 1024, ..with_filter() };
            let mut ctx = builder_context(opts, codec);
            ctx.compression_opts.max_dict_bytes = 2048;
            ctx.compression_opts.zstd_max_train_bytes = train;
            ctx.compression_opts.use_zstd_dict_trainer = trainer;
            check(dir.path(), &format!("{n:05}{}", u8::from(trainer)), ctx);
        }
    }
}
