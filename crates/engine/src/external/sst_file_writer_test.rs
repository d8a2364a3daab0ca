use super::*;
use crate::base::InternalIterator;
use crate::fs::mem::MemFs;
use crate::options::{BlockBasedTableOptions, PlainTableOptions};
use crate::sst::properties::{EXTERNAL_GLOBAL_SEQNO, EXTERNAL_VERSION};
use crate::sst::{Table, TableIterOptions, TableReadContext};

fn options() -> Options {
    let fs = MemFs::new();
    fs.create_dir_if_missing(Path::new("/d")).unwrap();
    let mut options = Options::default();
    options.db.components.file_system = Some(Arc::new(fs));
    options
}

fn open(options: &Options, path: &str) -> Arc<Table> {
    let fs = options.db.components.file_system.as_ref().unwrap();
    let context = TableReadContext {
        order: KeyOrder::new(Arc::clone(&options.cf.comparator)),
        factory: options.cf.table_factory.clone(),
        prefix_extractor: None,
        cache: None,
        mmap: false,
        file_number: 1,
        global_seqno: None,
        statistics: None,
        memory: None,
        random_reads: false,
        at_last_level: false,
    };
    Table::open(fs.open_random_access(Path::new(path), false).unwrap(), &context).unwrap()
}

#[test]
fn a_file_holds_what_was_added_and_says_that_it_is_for_ingestion() {
    for factory in [
        TableFactory::BlockBased(BlockBasedTableOptions::default()),
        TableFactory::Plain(PlainTableOptions::default()),
    ] {
        let mut options = options();
        options.cf.table_factory = factory;
        let mut writer = SstFileWriter::new(&options);
        writer.open("/d/a.sst").unwrap();
        writer.put(b"a", b"1").unwrap();
        writer.merge(b"b", b"2").unwrap();
        writer.delete(b"c").unwrap();
        let info = writer.finish().unwrap();
        assert_eq!(
            (info.smallest_key.as_slice(), info.largest_key.as_slice()),
            (&b"a"[..], &b"c"[..])
        );
        assert_eq!((info.num_entries, info.version), (3, 2));
        assert_eq!(info.file_size, writer.file_size());

        let table = open(&options, "/d/a.sst");
        let p = table.properties();
        assert_eq!((p.num_entries, p.num_deletions, p.num_merge_operands), (3, 1, 1));
        assert_eq!(p.user_fixed32(EXTERNAL_VERSION), Some(2));
        assert_eq!(p.user_fixed64(EXTERNAL_GLOBAL_SEQNO), Some(0));
        assert_eq!(p.column_family_id, UNKNOWN_COLUMN_FAMILY);
        assert_eq!((p.db_id.as_str(), p.orig_file_number), ("SST Writer", 1));
        let mut iter = table.iter(&TableIterOptions { total_order: true, ..Default::default() });
        iter.seek_to_first();
        let mut found = Vec::new();
        while iter.valid() {
            found.push(iter.key().to_vec());
            iter.next();
        }
        let expected =
            [("a", ValueType::Value), ("b", ValueType::Merge), ("c", ValueType::Deletion)].map(
                |(key, kind)| {
                    let mut internal = Vec::new();
                    append_internal_key(&mut internal, key.as_bytes(), pack_trailer(0, kind));
                    internal
                },
            );
        assert_eq!(found, expected);
    }
}

#[test]
fn mistakes_have_rocksdbs_words() {
    let options = options();
    let mut writer = SstFileWriter::new(&options);
    let text = |result: Result<()>| crate::error::rocksdb_text(&result.unwrap_err());
    assert_eq!(text(writer.put(b"a", b"1")), "Invalid argument: File is not opened");
    assert_eq!(text(writer.finish().map(drop)), "Invalid argument: File is not opened");
    writer.open("/d/a.sst").unwrap();
    let empty = "Invalid argument: Cannot create sst file with no entries";
    assert_eq!(text(writer.finish().map(drop)), empty);
    writer.put(b"b", b"1").unwrap();
    let order = "Invalid argument: Keys must be added in strict ascending order.";
    assert_eq!(text(writer.put(b"b", b"2")), order);
    assert_eq!(text(writer.delete(b"a")), order);
    let ends = "Invalid argument: end key comes before start key";
    assert_eq!(text(writer.delete_range(b"d", b"c")), ends);
    writer.delete_range(b"d", b"d").unwrap();
    assert_eq!(writer.finish().unwrap().num_entries, 1);
    assert_eq!(text(writer.put(b"c", b"1")), "Invalid argument: File is not opened");
    assert_eq!(text(writer.delete_range(b"a", b"b")), "Invalid argument: File is not opened");
}

#[test]
fn each_file_has_a_number_and_a_second_opening_gives_the_first_up() {
    let options = options();
    let mut writer = SstFileWriter::new(&options).for_column_family(7, "seven");
    writer.open("/d/given-up.sst").unwrap();
    writer.put(b"z", b"1").unwrap();
    for number in 2..4 {
        let path = format!("/d/{number}.sst");
        writer.open(&path).unwrap();
        writer.put(b"a", b"1").unwrap();
        writer.finish().unwrap();
        let table = open(&options, &path);
        assert_eq!(table.properties().orig_file_number, number);
        assert_eq!(table.properties().column_family_id, 7);
        assert_eq!(table.properties().column_family_name, "seven");
    }
}

#[test]
fn range_tombstones_come_in_any_order_and_need_no_keys() {
    let options = options();
    let mut writer = SstFileWriter::new(&options);
    writer.open("/d/a.sst").unwrap();
    writer.delete_range(b"m", b"p").unwrap();
    writer.delete_range(b"c", b"z").unwrap();
    writer.delete_range(b"a", b"b").unwrap();
    let info = writer.finish().unwrap();
    assert_eq!((info.num_entries, info.num_range_del_entries), (0, 3));
    assert_eq!(info.smallest_range_del_key, b"a");
    assert_eq!(info.largest_range_del_key, b"z");
    let table = open(&options, "/d/a.sst");
    assert_eq!(table.properties().num_range_deletions, 3);
    assert_eq!(table.range_tombstones().unwrap().num_tombstones(), 3);
}
