//! Flags and options that become settings of a database.

use super::*;
use crate::flags::{Parsed, parse};

fn settings(args: &[&str]) -> Result<Settings> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    match parse(&args)? {
        Parsed::Run(flags, _) => Settings::new(&flags),
        Parsed::Print(text) => panic!("{text}"),
    }
}

#[test]
fn flags_that_are_not_given_leave_forestdbs_defaults() {
    let plain = settings(&["--cache_size=77"]).unwrap();
    let expected =
        Settings { cache_size: 77, block_size: None, compression: false, options: Vec::new() };
    assert_eq!(plain, expected);
    let given = settings(&[
        "--block_size=8192",
        "--compression_type=snappy",
        "--forestdb_options= wal_threshold=9; compaction_threshold = 0 ;;",
    ]);
    let given = given.unwrap();
    assert_eq!((given.block_size, given.compression), (Some(8192), true));
    assert_eq!(given.options, [("wal_threshold", 9), ("compaction_threshold", 0)]);
}

#[test]
fn the_cache_and_the_threads_are_shared_by_all_databases() {
    let shared = |args: &[&str]| settings(args).unwrap().shared();
    let options = "--forestdb_options=wal_threshold=9;num_compactor_threads=2";
    assert_eq!(shared(&[options]).options, [("num_compactor_threads", 2)]);
    assert_eq!(shared(&["--compression_type=snappy"]), shared(&[]));
    assert_ne!(shared(&["--cache_size=1"]), shared(&["--cache_size=2"]));
}

#[test]
fn unknown_options_and_values_are_refused_with_the_known_ones() {
    let refused = |arg: &str, expected: &str| {
        let error = settings(&[arg]).unwrap_err();
        assert!(error.contains(expected), "{arg}: {error}");
    };
    refused("--block_size=512", "ForestDB takes 1024 to 131072 bytes");
    refused("--compression_type=zstd", "zstd: ForestDB has none and snappy");
    refused("--forestdb_options=wal=1", "unknown option wal=1; known: wal_threshold, ");
    refused("--forestdb_options=wal_threshold", "wal_threshold: expected a whole number from 1 to");
    refused("--forestdb_options=compaction_threshold=101", "expected a whole number from 0 to 100");
}
