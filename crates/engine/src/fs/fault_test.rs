use super::*;
use crate::fs::mem::{MemFs, tests::check_contract};

fn faulty() -> (FaultFs, MemFs) {
    let mem = MemFs::new();
    mem.create_dir_if_missing(Path::new("/d")).unwrap();
    (FaultFs::new(Arc::new(mem.clone())), mem)
}

fn writer(fs: &FaultFs, path: &str) -> Box<dyn WritableFile> {
    fs.new_writable(Path::new(path), WritableOptions::default()).unwrap()
}

#[test]
fn without_faults_the_contract_holds() {
    check_contract(&faulty().0, Path::new("/e"));
}

#[test]
fn only_the_named_operation_fails() {
    let (fs, mem) = faulty();
    let path = Path::new("/d/000001.log");
    fs.inject(Fault::nth(Op::Append, ".log", 1, FaultKind::NoSpace));
    let mut other = writer(&fs, "/d/000002.sst");
    other.append(b"x").unwrap();
    other.append(b"y").unwrap();
    let mut f = writer(&fs, "/d/000001.log");
    f.append(b"a").unwrap();
    let e = f.append_record(b"header.", b"b").unwrap_err();
    assert!(e.is_no_space(), "{e}");
    f.append(b"c").unwrap();
    assert_eq!(mem.read_file(path).unwrap(), b"ac");
    assert_eq!(fs.count(Op::Append), 5);

    fs.inject(Fault::always(Op::Append, "", FaultKind::Short(3)));
    assert!(f.append_record(b"headers", b"ader").is_err());
    assert_eq!(mem.read_file(path).unwrap(), b"achea");
    fs.clear();
    fs.inject(Fault::always(Op::Sync, "", FaultKind::AfterDone));
    let e = f.syncer().sync().unwrap_err();
    assert!(e.to_string().contains("Input/output error"), "{e}");
    mem.sync_dir(Path::new("/d")).unwrap();
    assert_eq!(mem.crash_clone().read_file(path).unwrap(), b"achea");
    fs.inject(Fault::always(Op::Read, "", FaultKind::Short(2)));
    let r = fs.open_random_access(path, false).unwrap();
    assert_eq!(r.read_at(0, &mut [0; 5]).unwrap(), 2);
    assert_eq!(fs.read_file(path).unwrap(), b"ac");
}

#[test]
fn writes_can_stop_for_good() {
    let (fs, mem) = faulty();
    let before = fs.write_count();
    fs.inject(Fault::writes_stop(2, FaultKind::Io));
    let mut f = writer(&fs, "/d/x");
    f.append(b"1").unwrap();
    assert!(f.append(b"2").is_err());
    assert!(f.sync().is_err());
    assert!(fs.rename(Path::new("/d/x"), Path::new("/d/y")).is_err());
    assert_eq!(fs.read_file(Path::new("/d/x")).unwrap(), b"1");
    assert_eq!(fs.write_count() - before, 5);
    fs.clear();
    f.append(b"3").unwrap();
    assert_eq!(mem.read_file(Path::new("/d/x")).unwrap(), b"13");
}
