use super::*;

const MOUNTS: &str = "\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 21 0:25 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw
31 21 0:26 / /my\\040disk rw - xfs /dev/vdb rw
broken
";

#[test]
fn the_filesystem_is_the_one_of_the_longest_mount_point() {
    let of = |path: &str| mount(MOUNTS, Path::new(path));
    let pair = |device: &str, kind: &str| Some((device.to_owned(), kind.to_owned()));
    assert_eq!(of("/dev/shm/db"), pair("tmpfs", "tmpfs"));
    assert_eq!(of("/dev/shmem"), pair("/dev/vda", "ext4"));
    assert_eq!(of("/my disk/db"), pair("/dev/vdb", "xfs"));
    assert_eq!(mount("", Path::new("/")), None);
}

#[test]
fn words_in_brackets_are_the_chosen_ones() {
    assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
    assert_eq!(chosen("madvise"), None);
}

#[test]
fn the_file_says_what_was_run_and_whether_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let about = About {
        suite: "ycsb",
        command: "ferrolith-bench ycsb load",
        engines: vec![("ferrolith".to_owned(), Choice::parse("ferrolith").unwrap().1)],
        engine_flags: &["--cache_size=1".to_owned()],
        place: &dir.path().join("not/there"),
    };
    let mut environment = Environment::begin(dir.path(), &about).unwrap();
    let read = || -> Value {
        let text = std::fs::read_to_string(dir.path().join("environment.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!((&read()["schema"], &read()["complete"]), (&json!(2), &json!(false)));
    environment.set_version(0, "version 1").unwrap();
    environment.set_version(0, "version 2").unwrap();
    environment.set_version(7, "version 3").unwrap();
    environment.end(true).unwrap();
    let object = read();
    assert_eq!(
        object["engines"],
        json!([{"name": "ferrolith", "version": "version 1", "library": null}])
    );
    assert_eq!((&object["complete"], &object["command"]), (&json!(true), &json!(about.command)));
    assert!(object["filesystem"]["free_bytes"].as_u64() > Some(0), "{object}");
    assert!(object["host"]["memory_bytes"].as_u64() > Some(0), "{object}");
    assert_eq!(object["load_average"].as_array().map(Vec::len), Some(3));
}
