use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_are_created_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    replace(&path, b"one").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"one".to_vec(), 0o600));
    fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let link = dir.path().join("link");
    symlink(&path, &link).unwrap();
    replace(&link, b"two").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"two".to_vec(), 0o640));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_missing_directory_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(replace(&dir.path().join("no/file"), b"").is_err());
}
