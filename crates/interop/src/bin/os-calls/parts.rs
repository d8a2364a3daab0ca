//! The walk through the engine, in parts that each take a fraction of a second.
//!
//! `prepare` makes what a part needs, with every call going well; calls that `act` leads to are looked at and fail.

use crate::scene::{Scene, broken, bytes, key};
use ferrolith::Error;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::budget::SstFileManager;
use ferrolith::internal::cache::Cache;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::db::backup::{BackupEngine, BackupEngineOptions, RestoreOptions};
use ferrolith::internal::db::{Checkpoint, Db};
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::hooks::FixedPrefixTransform;
use ferrolith::internal::options::{
    BlockBasedTableOptions, CuckooTableOptions, DbPath, FilterPolicy, FlushOptions,
    ImportColumnFamilyOptions, IngestExternalFileOptions, MemtableFactory, Options,
    PlainTableOptions, ReadOptions, TableFactory, WriteOptions,
};
use ferrolith::internal::txn::TransactionOptions;
use std::path::Path;
use std::sync::Arc;

/// A part of the walk.
pub struct Part {
    /// Its name in the list of sites.
    pub name: &'static str,
    /// Makes what it needs.
    pub prepare: fn(&mut Scene),
    /// What is looked at.
    pub act: fn(&mut Scene),
}

/// All parts. A site is tried in the first one that comes to it.
pub const ALL: &[Part] = &[
    Part { name: "create", prepare: two_families, act: Scene::open },
    Part { name: "write", prepare: opened, act: write },
    Part { name: "write unmapped", prepare: opened_unmapped, act: write },
    Part { name: "write buffered", prepare: opened_buffered, act: write_buffered },
    Part { name: "flush", prepare: opened_families, act: flush },
    Part { name: "memtables fill up", prepare: opened_small, act: fill_up },
    Part { name: "atomic flush", prepare: opened_atomic, act: flush_all },
    Part { name: "compaction", prepare: overlapping_files, act: compact },
    Part { name: "automatic compaction", prepare: opened_automatic, act: fill_levels },
    Part { name: "compaction with fsync", prepare: overlapping_files_fsync, act: compact },
    Part { name: "trash", prepare: overlapping_files_trash, act: compact },
    Part { name: "read", prepare: closed_tables, act: read },
    Part { name: "read few files", prepare: closed_tables_few_files, act: read },
    Part { name: "read mapped", prepare: closed_tables_mapped, act: read },
    Part { name: "plain tables", prepare: plain, act: write_and_read },
    Part { name: "cuckoo tables", prepare: cuckoo, act: write_and_read },
    Part { name: "filters and cache", prepare: filters, act: write_and_read },
    Part { name: "table writer", prepare: opened, act: |s| table(s, "made.sst", 0, 40) },
    Part { name: "ingest", prepare: table_to_ingest, act: |s| ingest(s, false) },
    Part { name: "ingest by moving", prepare: table_to_ingest, act: |s| ingest(s, true) },
    Part { name: "export and import", prepare: two_tables, act: export_import },
    Part { name: "checkpoint", prepare: tables_and_wal, act: |s| checkpoint(s, u64::MAX) },
    Part { name: "checkpoint with a flush", prepare: tables_and_wal, act: |s| checkpoint(s, 0) },
    Part { name: "backup", prepare: tables_and_wal, act: backup },
    Part { name: "restore", prepare: backed_up, act: restore },
    Part { name: "read only", prepare: closed_tables_and_wal, act: read_only },
    Part { name: "recovery", prepare: closed_wals, act: Scene::open },
    Part { name: "recovery without flush", prepare: closed_wals_kept, act: Scene::open },
    Part { name: "settings", prepare: opened_families, act: settings },
    Part { name: "LOG rolls", prepare: opened_rolling, act: flush_all },
    Part { name: "repair", prepare: lost_manifest, act: repair },
    Part { name: "updates", prepare: opened_archive, act: updates },
    Part { name: "two-phase commit", prepare: opened_two_phase, act: two_phases },
    Part { name: "prepared recovery", prepare: closed_prepared, act: recover_prepared },
    Part { name: "data paths", prepare: opened_paths, act: compact_paths },
    Part { name: "MANIFEST rolls", prepare: opened_manifest, act: flush_often },
    Part { name: "close", prepare: unflushed, act: close_and_open },
    Part { name: "destroy", prepare: closed_tables_and_wal, act: destroy },
];

fn wo() -> WriteOptions {
    WriteOptions::default()
}

fn check(what: &str, holds: bool) {
    if !holds {
        broken(what);
    }
}

// ---- opening and writing ----------------------------------------------------------------------

fn two_families(s: &mut Scene) {
    s.families = vec!["default", "family1"];
}

fn opened(s: &mut Scene) {
    s.open();
    s.fill("default", 0, 20, 100);
}

fn opened_unmapped(s: &mut Scene) {
    s.options.db.allow_fallocate = false;
    s.options.db.wal_bytes_per_sync = 64 << 10;
    opened(s);
}

fn opened_buffered(s: &mut Scene) {
    s.options.db.manual_wal_flush = true;
    opened(s);
}

fn opened_families(s: &mut Scene) {
    two_families(s);
    opened(s);
    s.fill("family1", 0, 20, 100);
}

/// Small records, large ones, synced ones, batches, and enough for several windows of a mapped log.
fn write(s: &mut Scene) {
    s.options.cf.write_buffer_size = 8 << 20;
    s.call("set_options", |s| s.db().set_options(&[("write_buffer_size", "8388608")]));
    s.put("default", &key(1), b"small", false);
    s.put("default", &key(2), b"synced", true);
    s.put("default", &key(3), &bytes(3, 50 << 10), false);
    s.put("default", &key(4), &bytes(4, 1 << 20), true);
    for i in 10..40 {
        s.put("default", &key(i), &bytes(i, 20 << 10), i % 8 == 0);
    }
    s.call("write", |s| {
        let mut batch = WriteBatch::new();
        batch.put(&key(5), b"in a batch")?;
        batch.delete(&key(6))?;
        s.db().write(&WriteOptions { sync: true, ..wo() }, &mut batch)
    });
    s.acknowledged("default", &key(5), b"in a batch");
    s.forget("default", &key(6), &key(7));
    s.call("sync_wal", |s| s.db().sync_wal());
}

fn write_buffered(s: &mut Scene) {
    s.fill("default", 0, 10, 100);
    s.call("flush_wal", |s| s.db().flush_wal(false));
    s.fill("default", 10, 20, 10 << 10);
    s.call("flush_wal", |s| s.db().flush_wal(true));
    s.put("default", &key(20), b"synced", true);
}

// ---- flushes and compactions ------------------------------------------------------------------

fn flush(s: &mut Scene) {
    s.flush("family1");
    s.fill("default", 20, 40, 100);
    s.flush("default");
}

fn opened_small(s: &mut Scene) {
    s.options.cf.write_buffer_size = 64 << 10;
    s.options.db.max_total_wal_size = 100 << 10;
    s.options.db.bytes_per_sync = 16 << 10;
    opened_families(s);
}

fn fill_up(s: &mut Scene) {
    s.fill("default", 0, 60, 4 << 10);
    s.wait();
}

fn opened_atomic(s: &mut Scene) {
    s.options.db.atomic_flush = true;
    opened_families(s);
}

fn flush_all(s: &mut Scene) {
    for round in 0..3 {
        s.fill("default", round * 10, round * 10 + 10, 200);
        s.flush("default");
    }
}

fn opened_rolling(s: &mut Scene) {
    s.options.db.max_log_file_size = 2 << 10;
    s.options.db.keep_log_file_num = 3;
    opened(s);
}

fn overlapping_files(s: &mut Scene) {
    s.options.cf.level0_file_num_compaction_trigger = 100;
    s.open();
    for round in 0..4 {
        s.fill("default", round * 10, round * 10 + 30, 1000);
        s.flush("default");
    }
    s.call("delete_range", |s| s.db().delete_range(&wo(), &key(12), &key(15)));
    s.forget("default", &key(12), &key(15));
    s.flush("default");
}

fn overlapping_files_fsync(s: &mut Scene) {
    s.options.db.use_fsync = true;
    s.options.db.bytes_per_sync = 16 << 10;
    s.options.cf.paranoid_file_checks = true;
    overlapping_files(s);
}

fn overlapping_files_trash(s: &mut Scene) {
    let manager = SstFileManager::new();
    manager.set_delete_rate_bytes_per_second(10 << 20);
    manager.set_max_trash_db_ratio(100.0);
    s.options.db.components.sst_file_manager = Some(manager);
    overlapping_files(s);
}

fn compact(s: &mut Scene) {
    s.compact("default");
    s.wait();
    s.call("delete_files_in_range", |s| {
        s.db().delete_files_in_range(&s.cf("default"), Some(b"key90000"), Some(b"key90001"))
    });
}

fn opened_automatic(s: &mut Scene) {
    s.options.cf.disable_auto_compactions = false;
    s.options.cf.level0_file_num_compaction_trigger = 2;
    s.options.cf.max_bytes_for_level_base = 32 << 10;
    opened(s);
}

fn fill_levels(s: &mut Scene) {
    for round in 0..5 {
        s.fill("default", round * 7, round * 7 + 30, 1000);
        s.flush("default");
    }
    s.wait();
}

// ---- reading ----------------------------------------------------------------------------------

fn closed_tables(s: &mut Scene) {
    s.options.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
        block_cache: Some(Cache::new_lru(8 << 20)),
        ..BlockBasedTableOptions::default()
    });
    s.options.cf.level0_file_num_compaction_trigger = 100;
    s.open();
    for round in 0..5 {
        s.fill("default", round * 20, round * 20 + 20, 2000);
        s.flush("default");
    }
    s.close();
}

fn closed_tables_few_files(s: &mut Scene) {
    s.options.db.max_open_files = 12;
    closed_tables(s);
}

fn closed_tables_mapped(s: &mut Scene) {
    s.options.db.allow_mmap_reads = true;
    closed_tables(s);
}

fn read(s: &mut Scene) {
    s.open();
    for i in [0, 25, 45, 65, 85, 99] {
        let found = s.call("get", |s| s.db().get(&ReadOptions::default(), &key(i)));
        check("a key is lost", found.is_some());
    }
    let keys: Vec<_> = (0..100).step_by(3).map(key).collect();
    s.call("multi_get", |s| {
        let found = s.db().multi_get(&ReadOptions::default(), &keys);
        found.into_iter().collect::<Result<Vec<_>, Error>>()
    });
    s.call("iterate", |s| scan(s.db(), 100));
    let uncached =
        ReadOptions { fill_cache: false, readahead_size: 64 << 10, ..ReadOptions::default() };
    s.call("iterate backwards", |s| {
        let mut iter = s.db().iter(&uncached)?;
        iter.seek_to_last();
        while iter.valid() {
            iter.prev();
        }
        iter.status()
    });
}

/// Reads all entries; as many as expected, unless it says why not.
fn scan(db: &Db, expected: usize) -> Result<(), Error> {
    let mut iter = db.iter(&ReadOptions { total_order_seek: true, ..ReadOptions::default() })?;
    iter.seek_to_first();
    let mut found = 0;
    while iter.valid() {
        found += 1;
        iter.next();
    }
    iter.status()?;
    check("an iterator ended early without an error", found == expected);
    Ok(())
}

fn plain(s: &mut Scene) {
    s.options.cf.memtable_factory = MemtableFactory::hash_skip_list();
    s.options.cf.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(4)));
    s.options.cf.table_factory = TableFactory::Plain(PlainTableOptions::default());
    s.options.cf.compression = CompressionType::None;
    s.options.db.allow_mmap_reads = true;
    s.options.db.allow_concurrent_memtable_write = false;
    s.open();
}

fn cuckoo(s: &mut Scene) {
    s.options.cf.table_factory = TableFactory::Cuckoo(CuckooTableOptions::default());
    s.options.cf.compression = CompressionType::None;
    s.options.db.allow_mmap_reads = true;
    s.open();
}

fn filters(s: &mut Scene) {
    s.options.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions {
        block_cache: Some(Cache::new_lru(64 << 20)),
        cache_index_and_filter_blocks: true,
        partition_filters: true,
        index_type: ferrolith::internal::options::IndexType::TwoLevelIndexSearch,
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        metadata_block_size: 256,
        block_size: 200 << 10,
        ..BlockBasedTableOptions::default()
    });
    s.options.cf.write_buffer_size = 4 << 20;
    s.open();
}

/// Values of one size, as cuckoo tables want them.
fn write_and_read(s: &mut Scene) {
    for round in 0..2 {
        s.fill("default", round * 30, round * 30 + 60, 2000);
        s.flush("default");
    }
    s.compact("default");
    for i in (0..90).step_by(7) {
        let found = s.call("get", |s| s.db().get(&ReadOptions::default(), &key(i)));
        check("a key is lost", found.is_some());
    }
    s.call("iterate", |s| scan(s.db(), 90));
}

// ---- files from and for outside ---------------------------------------------------------------

fn table(s: &mut Scene, name: &str, from: u32, to: u32) {
    let path = s.root.join(name);
    s.call("table writer", |s| {
        let mut writer =
            SstFileWriter::new(&Options { cf: s.options.cf.clone(), ..Options::default() });
        writer.open(&path)?;
        for i in from..to {
            writer.put(&key(i), &bytes(i, 5000))?;
        }
        writer.finish()
    });
}

fn table_to_ingest(s: &mut Scene) {
    opened(s);
    table(s, "made.sst", 100, 140);
    table(s, "overlapping.sst", 0, 10);
}

fn ingest(s: &mut Scene, move_files: bool) {
    let how = IngestExternalFileOptions {
        move_files,
        verify_checksums_before_ingest: true,
        ..IngestExternalFileOptions::default()
    };
    for (name, range) in [("made.sst", 100..140), ("overlapping.sst", 0..10)] {
        let path = s.root.join(name);
        s.call("ingest", |s| s.db().ingest_external_file(&[&path], &how));
        range.for_each(|i| s.acknowledged("default", &key(i), &bytes(i, 5000)));
    }
}

fn two_tables(s: &mut Scene) {
    opened_families(s);
    s.flush("family1");
    s.fill("family1", 20, 40, 500);
}

fn export_import(s: &mut Scene) {
    let dir = s.root.join("exported");
    let files =
        s.call("export", |s| Checkpoint::new(s.db()).export_column_family(&s.cf("family1"), &dir));
    s.call("import", |s| {
        // What a full disk has not let it drop; it is empty.
        if let Some(left) = s.db().cf("family2") {
            s.db().drop_cf(&left)?;
        }
        let how = ImportColumnFamilyOptions::default();
        s.db().create_cf_with_import("family2", &s.options.cf, &how, &[&files]).map(drop)
    });
    (0..20).for_each(|i| s.acknowledged("family2", &key(i), &bytes(i, 100)));
    (20..40).for_each(|i| s.acknowledged("family2", &key(i), &bytes(i ^ 20, 500)));
    s.families.push("family2");
}

fn tables_and_wal(s: &mut Scene) {
    opened(s);
    s.flush("default");
    s.fill("default", 20, 60, 1000);
    s.flush("default");
    s.fill("default", 60, 80, 100);
}

/// Opens a copy of the database and counts its entries.
fn copy_has_all(s: &Scene, dir: &Path) {
    match Db::open(&s.options, dir) {
        Ok(db) => {
            if let Err(error) = scan(&db, 80) {
                broken(format_args!("{}: {error}", dir.display()));
            }
        }
        Err(error) => broken(format_args!("a copy cannot be opened: {error}")),
    }
}

fn checkpoint(s: &mut Scene, log_size: u64) {
    let dir = s.root.join("copy");
    s.call("checkpoint", |s| Checkpoint::new(s.db()).create(&dir, log_size));
    crate::plan::outside(|| copy_has_all(s, &dir));
}

fn backups(s: &Scene) -> Result<BackupEngine, Error> {
    BackupEngine::open(BackupEngineOptions {
        max_background_operations: 2,
        ..BackupEngineOptions::new(s.root.join("backups"))
    })
}

fn backup(s: &mut Scene) {
    s.call("backup", |s| backups(s)?.create_new_backup(s.db()));
    s.fill("default", 0, 5, 100);
    s.call("backup", |s| backups(s)?.create_new_backup(s.db()));
    s.call("purge backups", |s| backups(s)?.purge_old_backups(1));
    s.call("garbage collect", |s| backups(s)?.garbage_collect());
    s.call("verify backup", |s| {
        let engine = backups(s)?;
        let last = engine.backup_info().last().map(|b| b.backup_id);
        engine.verify_backup(last.unwrap_or_default(), true)
    });
}

fn backed_up(s: &mut Scene) {
    tables_and_wal(s);
    s.call("backup", |s| backups(s)?.create_new_backup(s.db()));
}

fn restore(s: &mut Scene) {
    let dir = s.root.join("restored");
    s.call("restore", |s| backups(s)?.restore_from_latest(&dir, &dir, &RestoreOptions::default()));
    crate::plan::outside(|| copy_has_all(s, &dir));
    s.call("delete backup", |s| {
        backups(s)?
            .delete_backup(1)
            .or_else(|e| if e.is_path_not_found() { Ok(()) } else { Err(e) })
    });
}

// ---- opening in other ways --------------------------------------------------------------------

fn closed_tables_and_wal(s: &mut Scene) {
    tables_and_wal(s);
    s.options.db.avoid_flush_during_shutdown = true;
    s.close();
}

fn read_only(s: &mut Scene) {
    s.call("open_for_read_only", |s| {
        let db = Db::open_for_read_only(&s.options, s.dir(), false)?;
        scan(&db, 80)
    });
    s.call("list_column_families", |s| Db::list_column_families(&s.options.db, s.dir()));
}

fn closed_wals(s: &mut Scene) {
    two_families(s);
    s.options.db.avoid_flush_during_shutdown = true;
    s.options.cf.write_buffer_size = 1 << 20;
    s.open();
    s.fill("family1", 0, 20, 4 << 10);
    // A second WAL, while the first is still needed by the other family.
    s.fill("default", 0, 30, 1000);
    s.flush("default");
    s.fill("default", 30, 60, 4 << 10);
    s.drop_db();
    s.options.cf.write_buffer_size = 64 << 10;
}

fn closed_wals_kept(s: &mut Scene) {
    closed_wals(s);
    s.options.cf.write_buffer_size = 1 << 20;
    s.options.db.avoid_flush_during_recovery = true;
}

fn settings(s: &mut Scene) {
    s.call("set_options", |s| s.db().set_options(&[("level0_file_num_compaction_trigger", "5")]));
    s.call("set_db_options", |s| s.db().set_db_options(&[("max_background_jobs", "6")]));
    s.call("create_cf", |s| s.db().create_cf("family2", &s.options.cf).map(drop));
    s.families.push("family2");
    s.fill("family2", 0, 5, 100);
    s.call("create_cf", |s| s.db().create_cf("family3", &s.options.cf).map(drop));
    s.call("drop_cf", |s| match s.db().cf("family3") {
        Some(cf) => s.db().drop_cf(&cf),
        None => Ok(()),
    });
    s.call("disable_file_deletions", |s| s.db().disable_file_deletions());
    s.flush("family2");
    s.call("enable_file_deletions", |s| s.db().enable_file_deletions());
    s.call("live_files", |s| s.db().live_files(true).map(drop));
    s.call("sorted_wal_files", |s| s.db().sorted_wal_files().map(drop));
    s.call("pause_background_work", |s| s.db().pause_background_work());
    s.call("continue_background_work", |s| s.db().continue_background_work());
}

fn lost_manifest(s: &mut Scene) {
    closed_tables_and_wal(s);
    for entry in std::fs::read_dir(s.dir()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == "CURRENT" || name.to_string_lossy().starts_with("MANIFEST") {
            std::fs::remove_file(entry.path()).unwrap_or_else(|e| broken(e));
        }
    }
}

fn repair(s: &mut Scene) {
    s.call("repair", |s| Db::repair(&s.options, s.dir()));
    s.open();
}

fn opened_archive(s: &mut Scene) {
    s.options.db.wal_ttl_seconds = 3600;
    s.options.db.wal_size_limit_mb = 1;
    opened(s);
}

fn updates(s: &mut Scene) {
    s.flush("default");
    s.fill("default", 20, 30, 100);
    s.flush("default");
    s.call("get_updates_since", |s| {
        let mut updates = s.db().get_updates_since(0)?;
        let mut found = 0;
        while updates.valid() {
            found += 1;
            updates.next();
        }
        updates.status()?;
        check("updates are missing", found >= 30);
        Ok(())
    });
    s.call("sorted_wal_files", |s| s.db().sorted_wal_files().map(drop));
}

// ---- transactions -----------------------------------------------------------------------------

fn opened_two_phase(s: &mut Scene) {
    s.two_phase = true;
    opened(s);
}

fn two_phases(s: &mut Scene) {
    for i in 0..4 {
        let name = format!("txn{i}").into_bytes();
        s.call("prepare and commit", |s| {
            // Of an attempt that failed only what the engine says is prepared is left.
            if let Some(mut txn) = s.transactions().get_transaction_by_name(&name) {
                return txn.commit();
            }
            let mut txn = s
                .transactions()
                .begin(&WriteOptions { sync: i % 2 == 0, ..wo() }, &TransactionOptions::default());
            txn.put(&s.cf("default"), &key(i), &bytes(i, 3000))?;
            txn.set_name(&name)?;
            txn.prepare()?;
            txn.commit()
        });
        s.acknowledged("default", &key(i), &bytes(i, 3000));
    }
    s.flush("default");
}

fn closed_prepared(s: &mut Scene) {
    opened_two_phase(s);
    s.call("prepare", |s| {
        let mut txn = s.transactions().begin(&wo(), &TransactionOptions::default());
        txn.put(&s.cf("default"), &key(50), b"prepared")?;
        txn.set_name(b"left")?;
        txn.prepare()?;
        txn.abandon();
        Ok(())
    });
    s.flush("default");
    s.close();
}

fn recover_prepared(s: &mut Scene) {
    s.open();
    s.call("commit", |s| match s.transactions().get_transaction_by_name(b"left") {
        Some(mut txn) => txn.commit(),
        None => Ok(()),
    });
    s.acknowledged("default", &key(50), b"prepared");
}

// ---- the rest ---------------------------------------------------------------------------------

fn opened_paths(s: &mut Scene) {
    let path = |name: &str, target_size| DbPath { path: s.root.join(name), target_size };
    s.options.db.db_paths = vec![path("fast", 20 << 10), path("slow", 1 << 30)];
    s.options.db.wal_dir = s.root.join("wals");
    s.options.db.db_log_dir = s.root.join("logs");
    for name in ["fast", "slow", "wals", "logs"] {
        std::fs::create_dir_all(s.root.join(name)).unwrap_or_else(|e| broken(e));
    }
    overlapping_files(s);
}

fn compact_paths(s: &mut Scene) {
    compact(s);
    s.close();
    s.open();
}

fn opened_manifest(s: &mut Scene) {
    s.options.db.max_manifest_file_size = 1;
    opened_families(s);
}

fn flush_often(s: &mut Scene) {
    for round in 0..3 {
        s.fill("family1", round * 5, round * 5 + 5, 100);
        s.flush("family1");
    }
    s.call("create_cf", |s| match s.db().cf("family2") {
        None => s.db().create_cf("family2", &s.options.cf).map(drop),
        Some(_) => Ok(()),
    });
    s.families.push("family2");
}

fn unflushed(s: &mut Scene) {
    opened_families(s);
    s.flush("default");
    s.fill("family1", 20, 40, 1000);
}

fn close_and_open(s: &mut Scene) {
    s.call("flush", |s| {
        s.db().flush_cfs(&FlushOptions::default(), &[&s.cf("family1"), &s.cf("default")])
    });
    s.fill("family1", 40, 50, 1000);
    s.close();
    s.open();
}

fn destroy(s: &mut Scene) {
    s.call("destroy", |s| Db::destroy(&s.options.db, s.dir()));
    s.forget("default", b"", b"z");
    check("a destroyed database still exists", !s.dir().join("CURRENT").exists());
}
