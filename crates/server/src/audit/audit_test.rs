use super::*;
use serde_json::Value;

fn entry(call: &[&'static str]) -> Entry<'static> {
    Entry {
        at_ms: 1,
        door: "redis",
        user: Some("u".into()),
        client: Some("127.0.0.1:9".parse().unwrap()),
        call: call.iter().map(|word| (*word).into()).collect(),
        result: "ok".into(),
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn entries_are_lines_that_survive_rotation() {
    let dir = tempfile::tempdir().unwrap();
    let (path, old) = (dir.path().join("audit"), dir.path().join("audit.1"));
    let audit = Audit::open(&path).unwrap();
    audit.write(&entry(&["CONFIG", "SET", "a\n\"b"]));
    std::fs::rename(&path, &old).unwrap();
    audit.write(&entry(&["SECOND"]));
    audit.reopen().unwrap();
    audit.write(&entry(&["THIRD"]));
    assert_eq!(lines(&old)[0]["call"][2], "a\n\"b");
    assert_eq!(lines(&old)[1]["call"][0], "SECOND");
    assert_eq!(lines(&path).len(), 1);
    assert_eq!(lines(&path)[0]["client"], "127.0.0.1:9");
    // A further process, or start, appends.
    Audit::open(&path).unwrap().write(&entry(&["FOURTH"]));
    assert_eq!(lines(&path).len(), 2);
    let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn files_that_cannot_be_written_lose_entries_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none/audit");
    let error = Audit::open(&missing).unwrap_err().to_string();
    assert!(error.starts_with(&format!("audit-log {}: ", missing.display())), "{error}");
    let path = dir.path().join("gone/audit");
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    let audit = Audit::open(&path).unwrap();
    std::fs::rename(path.parent().unwrap(), dir.path().join("renamed")).unwrap();
    assert!(audit.reopen().is_err());
    audit.write(&entry(&["KEPT"]));
    assert_eq!((lines(&dir.path().join("renamed/audit")).len(), audit.lost()), (1, 0));
    let full = Path::new("/dev/full");
    if full.exists() {
        let audit = Audit::open(full).unwrap();
        audit.write(&entry(&["LOST"]));
        audit.write(&entry(&["LOST"]));
        assert_eq!(audit.lost(), 2);
    }
}

#[test]
fn long_calls_are_shortened() {
    let long = vec![b'x'; 300];
    assert_eq!(text(&long), format!("{}... (44 more bytes)", "x".repeat(256)));
    let many = vec![&b"w"[..]; 70];
    let shown = words(many.into_iter());
    assert_eq!((shown.len(), &*shown[64]), (65, "... (6 more)"));
    assert_eq!(text(b"\xff"), "\u{fffd}");
}
