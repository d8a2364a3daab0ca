//! What is refused as ForestDB's library.

use super::*;
use std::mem::offset_of;

#[test]
fn a_file_without_forestdbs_functions_is_refused_by_the_first_that_is_missing() {
    let refused = |path: &str| Library::load(Path::new(path)).err().unwrap();
    let error = refused("libc.so.6");
    assert_eq!(error, "--engine_lib=libc.so.6: it does not export fdb_get_default_config");
    let error = refused("/nowhere/libforestdb.so");
    assert!(error.contains("/nowhere/libforestdb.so: no such file; docs/engines.md"), "{error}");
    let rocksdb = crate::target::default_library();
    if rocksdb.exists() {
        let error = refused(&rocksdb.display().to_string());
        assert!(error.ends_with("it does not export fdb_get_default_config"), "{error}");
    }
    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "text").unwrap();
    let error = refused(&text.path().display().to_string());
    assert!(error.contains("cannot be loaded as a shared library"), "{error}");
}

/// The defaults of `cb-master`, as far as they are checked.
fn defaults() -> Config {
    // SAFETY: all fields are numbers.
    let mut config: Config = unsafe { MaybeUninit::zeroed().assume_init() };
    (config.chunksize, config.blocksize, config.buffercache_size) = (8, 4096, 128 << 20);
    (config.wal_flush_before_commit, config.flags, config.multi_kv_instances) = (1, 1, 1);
    (config.compaction_threshold, config.compaction_minimum_filesize) = (30, 1 << 20);
    (config.compactor_sleep_duration, config.max_writer_lock_prob) = (28_800, 100);
    config.num_compactor_threads = 4;
    config
}

#[test]
fn another_layout_is_refused_by_the_first_field_that_differs() {
    assert_eq!(check_defaults(&defaults(), Some(65)), Ok(()));
    assert_eq!(check_defaults(&defaults(), None), Ok(()), "a library without block reuse");
    let refused = |change: fn(&mut Config)| {
        let mut config = defaults();
        change(&mut config);
        check_defaults(&config, Some(65)).unwrap_err()
    };
    let error = refused(|config| config.chunksize = 9);
    assert!(error.contains("returns 9 as chunksize, expected 8: this tool does not"), "{error}");
    let error = refused(|config| config.num_compactor_threads = 1 << 40);
    assert!(error.contains("as num_compactor_threads, expected 4"), "{error}");
    let error = check_defaults(&defaults(), Some(0)).unwrap_err();
    assert!(error.contains("returns 0 as block_reusing_threshold, expected 65"), "{error}");
}

#[test]
#[cfg(target_pointer_width = "64")]
fn fields_are_where_the_header_has_them() {
    assert_eq!(offset_of!(Config, buffercache_size), 8);
    assert_eq!(offset_of!(Config, auto_commit), 25);
    assert_eq!(offset_of!(Config, durability_opt), 33);
    assert_eq!(offset_of!(Config, compaction_threshold), 47);
    assert_eq!(offset_of!(Config, multi_kv_instances), 64);
    assert_eq!(offset_of!(Config, num_bcache_partitions), 82);
    assert_eq!(offset_of!(Config, num_compactor_threads), 120);
    assert_eq!(offset_of!(Config, encryption_algorithm), 136);
    assert_eq!(offset_of!(Config, block_reusing_threshold), 176);
    // `master` has the longest struct, of 224 bytes.
    assert!(size_of::<Config>() >= 2 * 224);
}
