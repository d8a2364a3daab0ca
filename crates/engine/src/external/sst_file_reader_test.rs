use super::*;
use crate::base::Comparator;
use crate::external::SstFileWriter;
use crate::fs::FileSystem;
use crate::fs::mem::MemFs;
use std::cmp::Ordering;

const FILE: &str = "/d/a.sst";

fn world() -> (MemFs, Options) {
    let fs = MemFs::new();
    fs.create_dir_if_missing(Path::new("/d")).unwrap();
    let mut options = Options::default();
    options.db.components.file_system = Some(Arc::new(fs.clone()));
    (fs, options)
}

/// The kind, the key and the value of an entry.
type Found = (SstEntryKind, Vec<u8>, Vec<u8>);

fn read(options: &Options) -> Result<Vec<Found>> {
    let reader = SstFileReader::open(options, Path::new(FILE))?;
    reader.verify_checksums()?;
    let (mut entries, mut found) = (reader.entries(), Vec::new());
    while let Some(entry) = entries.next_entry()? {
        found.push((entry.kind, entry.key.to_vec(), entry.value.to_vec()));
    }
    assert!(entries.next_entry()?.is_none());
    Ok(found)
}

#[test]
fn entries_of_all_kinds_are_read_in_order() {
    let (_, options) = world();
    let mut writer = SstFileWriter::new(&options);
    writer.open(FILE).unwrap();
    writer.put(b"a", b"1").unwrap();
    writer.merge(b"b", b"2").unwrap();
    writer.delete(b"c").unwrap();
    writer.delete_range(b"d", b"e").unwrap();
    writer.finish().unwrap();
    let expected = [
        (SstEntryKind::Value, b"a".to_vec(), b"1".to_vec()),
        (SstEntryKind::Merge, b"b".to_vec(), b"2".to_vec()),
        (SstEntryKind::Deletion, b"c".to_vec(), Vec::new()),
    ];
    assert_eq!(read(&options).unwrap(), expected);
    let reader = SstFileReader::open(&options, Path::new(FILE)).unwrap();
    assert_eq!((reader.num_range_deletions(), reader.path()), (1, Path::new(FILE)));
}

#[test]
fn a_damaged_or_cut_file_is_an_error() {
    let (fs, options) = world();
    let mut writer = SstFileWriter::new(&options);
    writer.open(FILE).unwrap();
    for number in 0..5000_u32 {
        writer.put(&number.to_be_bytes(), &[7; 50]).unwrap();
    }
    writer.finish().unwrap();
    let whole = fs.read_file(Path::new(FILE)).unwrap();
    for length in [0, 10, whole.len() / 2, whole.len() - 1] {
        crate::external::copy::write_file(&fs, Path::new(FILE), &whole[..length]).unwrap();
        assert!(read(&options).is_err(), "{length} bytes");
    }
    for at in [100, whole.len() / 2] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        crate::external::copy::write_file(&fs, Path::new(FILE), &bytes).unwrap();
        assert!(read(&options).unwrap_err().is_corruption(), "byte {at}");
    }
}

/// Two orders with one name.
struct Order {
    is_descending: bool,
}

impl Comparator for Order {
    fn name(&self) -> &str {
        "test.Order"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.is_descending { b.cmp(a) } else { a.cmp(b) }
    }
}

#[test]
fn a_file_without_order_is_an_error() {
    let (_, mut options) = world();
    let plain = options.clone();
    options.cf.comparator = Arc::new(Order { is_descending: true });
    let mut writer = SstFileWriter::new(&options);
    writer.open(FILE).unwrap();
    writer.put(b"b", b"").unwrap();
    writer.put(b"a", b"").unwrap();
    writer.finish().unwrap();
    assert_eq!(read(&options).unwrap().len(), 2);
    options.cf.comparator = Arc::new(Order { is_descending: false });
    let error = read(&options).unwrap_err().to_string();
    assert!(error.contains("not in ascending order: \"a\" came after \"b\""), "{error}");
    let error = read(&plain).unwrap_err().to_string();
    assert!(error.contains("does not match existing comparator"), "{error}");
}
