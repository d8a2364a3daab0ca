use super::*;
use crate::fs::mem::MemFs;

fn fs() -> MemFs {
    let fs = MemFs::new();
    fs.create_dir_if_missing(Path::new("/d")).unwrap();
    write_file(&fs, Path::new("/d/a"), b"0123456789").unwrap();
    fs
}

#[test]
fn a_directory_appears_as_a_whole_or_not_at_all() {
    let fs = fs();
    let target = Path::new("/d/new");
    let mut staging = Staging::new(&fs, target, false).unwrap();
    staging.link_or_copy(Path::new("/d/a"), "linked").unwrap();
    staging.copy(Path::new("/d/a"), "part", 4).unwrap();
    staging.create("made", b"x").unwrap();
    assert!(!fs.exists(target).unwrap());
    staging.finish().unwrap();
    let after = fs.crash_clone();
    for (name, content) in [("linked", &b"0123456789"[..]), ("part", b"0123"), ("made", b"x")] {
        assert_eq!(after.read_file(&target.join(name)).unwrap(), content, "{name}");
    }
    assert!(!fs.exists(Path::new("/d/new.tmp")).unwrap());
}

#[test]
fn a_directory_that_was_not_finished_leaves_nothing_and_the_next_try_cleans_up() {
    let fs = fs();
    let target = Path::new("/d/new");
    drop(Staging::new(&fs, target, false).map(|staging| staging.create("made", b"x")).unwrap());
    assert!(!fs.exists(Path::new("/d/new.tmp")).unwrap());
    fs.create_dir_if_missing(Path::new("/d/new.tmp")).unwrap();
    write_file(&fs, Path::new("/d/new.tmp/old"), b"x").unwrap();
    let staging = Staging::new(&fs, target, false).unwrap();
    assert!(fs.list_dir(Path::new("/d/new.tmp")).unwrap().is_empty());
    staging.finish().unwrap();
    let error = Staging::new(&fs, Path::new("/no/such"), false).err().unwrap();
    let text = crate::error::rocksdb_text(&error);
    assert!(text.contains("While mkdir: /no/such.tmp"), "{error}");
}

#[test]
fn a_copy_of_more_than_there_is_fails() {
    let fs = fs();
    let error = copy_file(&fs, Path::new("/d/a"), Path::new("/d/b"), Some(11), false).unwrap_err();
    assert!(error.is_corruption(), "{error}");
}
