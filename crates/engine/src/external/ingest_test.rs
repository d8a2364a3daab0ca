use super::*;
use crate::base::BytewiseComparator;
use crate::external::SstFileWriter;
use crate::fs::ReadMode;
use crate::fs::mem::MemFs;
use crate::options::Options;
use crate::version::{DataPaths, VersionBuilder, VersionEdit};

const LEVELS: usize = 4;

/// A directory with tables, some of which are in a tree.
struct World {
    fs: MemFs,
    options: Options,
    order: KeyOrder,
    tables: TableCache,
    version: Arc<Version>,
    next: u64,
}

impl World {
    fn new() -> World {
        let fs = MemFs::new();
        fs.create_dir_if_missing(Path::new("/d")).unwrap();
        let mut options = Options::default();
        options.db.components.file_system = Some(Arc::new(fs.clone()));
        let order = KeyOrder::new(Arc::new(BytewiseComparator));
        let dir = PathBuf::from("/d");
        let paths = DataPaths::new(&fs, &dir, &[]);
        let tables = TableCache::new(
            Arc::new(fs.clone()),
            paths,
            &options.cf,
            None,
            ReadMode::Buffered,
            None,
        );
        let version = Arc::new(Version::empty(order.clone(), LEVELS));
        World { fs, options, order, tables, version, next: 1 }
    }

    /// A file with these keys.
    fn file(&mut self, keys: &[&str]) -> ExternalFile {
        let number = self.next;
        self.next += 1;
        let path = crate::fs::filename::table_file_name(Path::new("/d"), number);
        let mut writer = SstFileWriter::new(&self.options);
        writer.open(&path).unwrap();
        keys.iter().for_each(|key| writer.put(key.as_bytes(), b"v").unwrap());
        writer.finish().unwrap();
        self.examine(&path, number, &IngestExternalFileOptions::default()).unwrap()
    }

    fn examine(
        &self,
        path: &Path,
        number: u64,
        options: &IngestExternalFileOptions,
    ) -> Result<ExternalFile> {
        let to = Destination {
            id: 0,
            options: Arc::new(self.options.cf.clone()),
            order: &self.order,
            read_mode: ReadMode::Buffered,
        };
        ExternalFile::examine(&self.fs, path, number, &to, options)
    }

    /// Adds a file with these keys to the tree.
    fn there(&mut self, level: usize, keys: &[&str], seqno: SeqNo) {
        let file = self.file(keys);
        let mut meta = file.file_meta(seqno);
        meta.epoch_number = self.next;
        let mut edit = VersionEdit::for_column_family(0);
        edit.add_file(level, Arc::new(meta));
        let mut builder = VersionBuilder::new(Arc::clone(&self.version));
        builder.apply(&edit).unwrap();
        self.version = Arc::new(builder.build().unwrap().version);
    }

    fn assign<'a>(
        &'a self,
        files: &[ExternalFile],
        change: impl FnOnce(&mut TargetTree<'a>),
        options: &IngestExternalFileOptions,
    ) -> Result<Vec<(usize, SeqNo)>> {
        let mut place = TargetTree {
            version: &self.version,
            tables: &self.tables,
            base_level: 1,
            running_outputs: &[],
            last_seqno: 100,
            hide_from_snapshots: false,
            only_level0: false,
        };
        change(&mut place);
        let placed = place.assign(files, options)?;
        Ok(placed.iter().map(|(level, file)| (*level, file.largest_seqno)).collect())
    }

    fn placed(&self, files: &[ExternalFile]) -> Vec<(usize, SeqNo)> {
        self.assign(files, |_| {}, &IngestExternalFileOptions::default()).unwrap()
    }
}

#[test]
fn a_file_sinks_until_it_meets_keys_of_its_range() {
    let mut world = World::new();
    let file = [world.file(&["d", "f"])];
    assert_eq!(world.placed(&file), [(3, 0)]);
    world.there(3, &["a", "z"], 5);
    assert_eq!(world.placed(&file), [(2, 0)], "it lies between keys, but a file spans it");
    world.there(2, &["e"], 6);
    assert_eq!(world.placed(&file), [(1, 101)]);
    world.there(1, &["a", "c"], 7);
    assert_eq!(world.placed(&file), [(1, 101)]);
    world.there(0, &["f", "g"], 9);
    assert_eq!(world.placed(&file), [(0, 101)]);
}

#[test]
fn a_file_with_a_sequence_number_has_it_in_its_boundaries() {
    let mut world = World::new();
    let meta = world.file(&["d", "f"]).file_meta(77);
    assert_eq!((sequence(&meta.smallest), sequence(&meta.largest)), (77, 77));
    assert_eq!((meta.smallest_seqno, meta.largest_seqno), (77, 77));
    assert_eq!((meta.smallest_user_key(), meta.largest_user_key()), (&b"d"[..], &b"f"[..]));
    assert_eq!(meta.stats().num_entries, 2);
    assert!(meta.unique_id.is_some());
}

#[test]
fn levels_above_the_base_level_stay_empty() {
    let mut world = World::new();
    world.there(3, &["e"], 5);
    let file = [world.file(&["d", "f"])];
    let options = IngestExternalFileOptions::default();
    let placed = |base| world.assign(&file, |place| place.base_level = base, &options).unwrap();
    assert_eq!(placed(1), [(2, 101)]);
    assert_eq!(placed(3), [(0, 101)]);
}

#[test]
fn what_a_running_compaction_writes_counts_as_there() {
    let mut world = World::new();
    let file = [world.file(&["d", "f"])];
    let options = IngestExternalFileOptions::default();
    for (outputs, expected) in [
        (vec![(2, b"f".to_vec(), b"h".to_vec())], (1, 101)),
        (vec![(2, b"g".to_vec(), b"h".to_vec())], (3, 0)),
        (vec![(0, b"a".to_vec(), b"d".to_vec())], (0, 101)),
    ] {
        let placed = world.assign(&file, |place| place.running_outputs = &outputs, &options);
        assert_eq!(placed.unwrap(), [expected], "{outputs:?}");
    }
}

#[test]
fn of_files_that_overlap_the_later_one_lies_above() {
    let mut world = World::new();
    let files = [&["a", "d"], &["e", "h"], &["c", "f"], &["f", "g"]].map(|keys| world.file(keys));
    assert_eq!(world.placed(&files), [(3, 101), (3, 102), (2, 103), (1, 104)]);
    world.there(2, &["b"], 9);
    assert_eq!(world.placed(&files), [(1, 101), (3, 102), (0, 103), (0, 104)]);
    let apart = [world.file(&["x"]), world.file(&["y"])];
    assert_eq!(world.placed(&apart), [(3, 0), (3, 0)]);
    let options = IngestExternalFileOptions::default();
    let hidden = world.assign(&apart, |place| place.hide_from_snapshots = true, &options).unwrap();
    assert_eq!(hidden, [(3, 101), (3, 102)]);
}

#[test]
fn options_refuse_what_would_be_needed() {
    let mut world = World::new();
    world.there(3, &["e"], 5);
    let files = [world.file(&["d", "f"])];
    let default = IngestExternalFileOptions::default();
    let refused = |options| world.assign(&files, |_| {}, &options).unwrap_err().to_string();
    assert_eq!(
        refused(IngestExternalFileOptions { allow_global_seqno: false, ..default }),
        "Invalid argument: Global seqno is required, but disabled"
    );
    let bottom = IngestExternalFileOptions { fail_if_not_bottommost_level: true, ..default };
    assert!(refused(bottom).starts_with("Operation failed. Try again.: Files cannot be ingested"));
    let behind = IngestExternalFileOptions { ingest_behind: true, ..default };
    assert!(refused(behind).ends_with("doesn't fit at the last level!"));
    let generated = IngestExternalFileOptions { allow_db_generated_files: true, ..default };
    assert!(refused(generated).contains("'allow_db_generated_files'"));
    let two = [world.file(&["a", "c"]), world.file(&["b"])];
    let strict = IngestExternalFileOptions { allow_global_seqno: false, ..default };
    let error = check_together(&two, &world.order, &strict).unwrap_err();
    assert!(error.message().ends_with("(because external files key range overlaps)."), "{error}");
    let behind = check_together(&two, &world.order, &behind).unwrap_err();
    assert!(behind.message().starts_with("Files with overlapping ranges"), "{behind}");
}

#[test]
fn with_fifo_everything_goes_to_level_0_by_age() {
    let mut world = World::new();
    let files = [world.file(&["a"]), world.file(&["b"])];
    let options = IngestExternalFileOptions::default();
    let placed = world.assign(&files, |place| place.only_level0 = true, &options).unwrap();
    assert_eq!(placed, [(0, 101), (0, 102)]);
}

#[test]
fn behind_everything_is_the_last_level_without_a_number() {
    let mut world = World::new();
    world.there(1, &["e"], 5);
    let file = [world.file(&["d", "f"])];
    let behind = IngestExternalFileOptions { ingest_behind: true, ..Default::default() };
    assert_eq!(world.assign(&file, |_| {}, &behind).unwrap(), [(3, 0)]);
    world.there(2, &["x"], 0);
    let error = world.assign(&file, |_| {}, &behind).unwrap_err();
    assert!(error.message().contains("there are files with 0 seqno"), "{error}");
}

#[test]
fn files_that_are_no_external_ones_are_refused() {
    let mut world = World::new();
    let (path, default) = (Path::new("/d/x.sst"), IngestExternalFileOptions::default());
    let text = |world: &World, options| world.examine(path, 9, &options).unwrap_err().to_string();
    assert!(text(&world, default).contains("while stat a file for size: /d/x.sst"));
    crate::external::copy::write_file(&world.fs, path, b"text").unwrap();
    assert!(text(&world, default).starts_with("Corruption: "));
    world.fs.remove_file(path).unwrap();

    let mut writer = SstFileWriter::new(&world.options).for_column_family(8, "eight");
    writer.open(path).unwrap();
    writer.put(b"a", b"1").unwrap();
    writer.finish().unwrap();
    let other = "Invalid argument: External file column family id don't match";
    assert_eq!(text(&world, default), other);

    world.options.cf.merge_operator = Some(Arc::new(crate::hooks::UInt64AddOperator));
    let mut writer = SstFileWriter::new(&world.options);
    writer.open(path).unwrap();
    writer.merge(b"a", &[0; 8]).unwrap();
    writer.finish().unwrap();
    world.examine(path, 9, &default).unwrap();
    // Its operands can be read once the operator is present again.
    world.options.cf.merge_operator = None;
    world.examine(path, 9, &default).unwrap();

    let reverse: Arc<dyn crate::base::Comparator> =
        Arc::new(crate::base::ReverseBytewiseComparator);
    world.options.cf.comparator = Arc::clone(&reverse);
    world.order = KeyOrder::new(reverse);
    assert!(text(&world, default).contains("does not match existing comparator"));
}
