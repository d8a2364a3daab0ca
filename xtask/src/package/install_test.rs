use super::*;

fn layout(name: &str) -> Layout {
    let root =
        std::env::temp_dir().join(format!("ferrolith-install-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    Layout { root, prefix: "/opt/x".into(), libdir: "lib".into() }
}

#[test]
fn uninstall_removes_listed_files_and_empty_directories_only() {
    let layout = layout("removes");
    for file in
        ["lib/librocksdb.a", "lib/pkgconfig/rocksdb.pc", "include/rocksdb/c.h", "include/other.h"]
    {
        let path = layout.root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let list = layout.root.join("lib").join(LIST);
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    fs::write(&list, "lib/librocksdb.a\nlib/pkgconfig/rocksdb.pc\nlib/gone\ninclude/rocksdb/c.h\n")
        .unwrap();
    uninstall(&layout).unwrap();
    assert!(!layout.root.join("lib").exists(), "lib was empty and should be gone");
    assert!(!layout.root.join("include/rocksdb").exists());
    assert!(layout.root.join("include/other.h").exists(), "not ours");
    assert!(uninstall(&layout).unwrap_err().contains("nothing is installed there"));
    fs::remove_dir_all(&layout.root).unwrap();
}

#[test]
fn a_damaged_list_leads_nowhere_else() {
    let layout = layout("damaged");
    let list = layout.root.join("lib").join(LIST);
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    for line in ["../outside", "/etc/passwd", "lib/../../x", ""] {
        fs::write(&list, format!("{line}\n")).unwrap();
        assert!(
            uninstall(&layout).unwrap_err().contains("not a path below the prefix"),
            "{line:?}"
        );
        assert!(list.exists());
    }
    fs::remove_dir_all(&layout.root).unwrap();
}

#[test]
fn foreign_files_are_not_overwritten() {
    let layout = layout("foreign");
    let theirs = layout.root.join("include/rocksdb/c.h");
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    fs::write(&theirs, "another RocksDB's").unwrap();
    let place = Place::find().unwrap();
    // Refused before anything is built.
    let refused = install(&place, &layout, "no-such-profile", false).unwrap_err();
    assert!(refused.contains("include/rocksdb/c.h"), "{refused}");
    assert!(!layout.root.join("lib").exists(), "nothing is written");
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "another RocksDB's");
    fs::remove_dir_all(&layout.root).unwrap();
}
