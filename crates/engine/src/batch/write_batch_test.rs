use super::*;

#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    fn add(&mut self, what: &str, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy;
        self.0.push(format!("{what} {cf} {} {}", text(key), text(value)));
        Ok(())
    }
}

impl BatchHandler for Log {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add("put", cf, key, value)
    }
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add("delete", cf, key, b"")
    }
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add("single_delete", cf, key, b"")
    }
    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add("merge", cf, key, operand)
    }
    fn log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.add("log", 0, blob, b"")
    }
}

fn log(batch: &WriteBatch) -> Vec<String> {
    let mut log = Log::default();
    iterate(batch.data(), &mut log).unwrap();
    log.0
}

#[test]
fn records_come_back_in_order() {
    let mut batch = WriteBatch::new();
    assert!(batch.is_empty());
    batch.put(b"a", b"1").unwrap();
    batch.put_cf(300, b"b", &[b'x'; 200]).unwrap();
    batch.delete(b"c").unwrap();
    batch.delete_cf(1, b"d").unwrap();
    batch.single_delete(b"e").unwrap();
    batch.single_delete_cf(2, b"").unwrap();
    batch.merge(b"f", b"2").unwrap();
    batch.merge_cf(3, b"g", b"").unwrap();
    assert!(!batch.has_log_data());
    batch.put_log_data(b"note").unwrap();
    batch.set_sequence(77);
    assert_eq!((batch.count(), batch.sequence()), (8, 77));
    assert!(batch.has_put() && batch.has_delete() && batch.has_single_delete());
    assert!(batch.has_merge() && batch.has_log_data() && !batch.has_unsupported());
    let long = format!("put 300 b {}", "x".repeat(200));
    let expected = [
        "put 0 a 1",
        &long,
        "delete 0 c ",
        "delete 1 d ",
        "single_delete 0 e ",
        "single_delete 2  ",
        "merge 0 f 2",
        "merge 3 g ",
        "log 0 note ",
    ];
    assert_eq!(log(&batch), expected);
    let again = WriteBatch::from_data(batch.data().to_vec()).unwrap();
    assert_eq!(again.content, batch.content);
    assert_eq!(log(&again), expected);
}

#[test]
fn the_wire_form_is_rocksdbs() {
    let mut batch = WriteBatch::new();
    batch.put(b"a", b"b").unwrap();
    batch.set_sequence(1);
    // The first record of `wal_tiny`.
    let real = [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, b'a', 1, b'b'];
    assert_eq!(batch.data(), real);
}

#[test]
fn save_points_nest() {
    let mut batch = WriteBatch::new();
    assert_eq!(batch.rollback_to_save_point().unwrap_err().code(), crate::Code::NotFound);
    batch.put(b"a", b"1").unwrap();
    batch.set_save_point();
    batch.delete(b"b").unwrap();
    batch.set_save_point();
    batch.merge(b"c", b"3").unwrap();
    batch.rollback_to_save_point().unwrap();
    assert_eq!(log(&batch), ["put 0 a 1", "delete 0 b "]);
    assert!(!batch.has_merge() && batch.has_delete());
    batch.set_save_point();
    batch.put(b"d", b"4").unwrap();
    batch.pop_save_point().unwrap();
    batch.rollback_to_save_point().unwrap();
    assert_eq!((log(&batch), batch.count()), (vec!["put 0 a 1".to_string()], 1));
    assert_eq!(batch.pop_save_point().unwrap_err().code(), crate::Code::NotFound);
    batch.set_save_point();
    batch.clear();
    assert!(batch.is_empty() && batch.pop_save_point().is_err());
}

#[test]
fn appending_joins_records_and_counts() {
    let mut a = WriteBatch::new();
    a.put(b"a", b"1").unwrap();
    let mut b = WriteBatch::with_capacity(100);
    b.put_log_data(b"x").unwrap();
    b.delete(b"b").unwrap();
    a.append(&b).unwrap();
    assert_eq!(log(&a), ["put 0 a 1", "log 0 x ", "delete 0 b "]);
    assert_eq!(a.count(), 2);
    assert!(a.has_delete() && a.has_log_data());
    a.set_count(u32::MAX);
    assert!(a.append(&b).is_err() && a.delete(b"c").is_err());
    assert!(a.data().ends_with(b"\x00\x01b"), "a refused addition leaves no bytes");
}

/// The slices here are far too long to exist; only their lengths are used. Zeroed pages that are never accessed cost
/// nothing.
#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
fn oversized_keys_and_values_are_refused() {
    let zeroes = vec![0u8; (1 << 32) + 1];
    let mut batch = WriteBatch::new();
    for bad in [zeroes.len(), 1 << 32, (1 << 32) - 8] {
        assert!(batch.put(&zeroes[..bad], b"").is_err_and(|e| e.message().contains("key")));
        assert!(batch.delete(&zeroes[..bad]).is_err());
        assert!(batch.single_delete(&zeroes[..bad]).is_err());
    }
    let too_long = &zeroes[..1 << 32];
    assert!(batch.put(b"k", too_long).is_err_and(|e| e.message().contains("value")));
    assert!(batch.merge(b"k", too_long).is_err());
    assert!(batch.put_log_data(too_long).is_err());
    assert!(batch.is_empty());
    assert!(check_key(&zeroes[..(1 << 32) - 9]).is_ok());
    assert!(check_value(&zeroes[..(1 << 32) - 1]).is_ok());
}
