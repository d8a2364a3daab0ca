use super::*;
use serde_json::Value;

fn entries(file: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn work_is_recorded_with_its_beginning_and_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("audit");
    let flags = WorkFlags { audit_log: Some(file.clone()), ..WorkFlags::default() };
    let call = ["import", "--dir", "data"].map(str::to_owned);
    let seen = flags.run(&call, || Ok(entries(&file).len()));
    assert_eq!(seen.unwrap(), 1, "the beginning is there before the work");
    let failed = flags.run::<()>(&call, || Err(Error::Setting("wrong".to_owned())));
    assert_eq!(failed.unwrap_err().to_string(), "wrong");
    let entries = entries(&file);
    let results: Vec<_> = entries.iter().map(|it| it["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["started", "ok", "started", "wrong"]);
    for entry in &entries {
        assert_eq!(entry["call"], serde_json::json!(["import", "--dir", "data"]));
        assert_eq!((&entry["door"], &entry["client"]), (&"program".into(), &Value::Null));
        assert!(entry["user"].as_str().unwrap().starts_with("uid "), "{entry}");
    }
}

#[test]
fn without_its_files_the_work_does_not_begin() {
    let missing = Some(PathBuf::from("/nonexistent/audit"));
    let flags = WorkFlags { audit_log: missing, ..WorkFlags::default() };
    let error = flags.run(&[], || -> Result<()> { unreachable!("it does not begin") });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("audit-log /nonexistent/audit: "), "{error}");
    // A device without space loses entries, and nothing else.
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        let flags = WorkFlags { audit_log: Some(full.to_owned()), ..WorkFlags::default() };
        assert_eq!(flags.run(&[], || Ok(7)).unwrap(), 7);
    }
}
