//! Property files, records, and phases on a client in memory.

use super::chooser::LengthChooser;
use super::client::Client;
use super::distribution::Zipfian;
use super::inserted::Inserted;
use super::properties::Properties;
use super::record::{Fields, Shape};
use super::run::{self, Outcome, Phase, Terms};
use super::workload::{Operation, Workload};
use crate::rng::Random64;
use crate::shared::meters::Meters;
use crate::shared::recorder::{self, Recorder};
use crate::shared::view::{Screen, Size};
use crate::shared::warm_up::WarmUp;
use crate::target::Result as TargetResult;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn properties(text: &str) -> Result<Properties, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("workload");
    std::fs::write(&path, text).unwrap();
    let mut properties = Properties::default();
    properties.read(&path)?;
    Ok(properties)
}

#[test]
fn a_grown_zipfian_is_like_a_new_one() {
    let mut grown = Zipfian::new(10);
    grown.grow(500);
    let new = Zipfian::new(500);
    for i in 0..1000 {
        let u = f64::from(i) / 1000.0;
        assert_eq!(grown.pick(u), new.pick(u), "{u}");
    }
    grown.grow(3);
    assert_eq!(grown.pick(0.999), new.pick(0.999), "it never shrinks");
}

#[test]
fn records_under_way_are_not_read() {
    let inserted = Inserted::new(10);
    let (a, b) = (inserted.begin(), inserted.begin());
    assert_eq!((a, b), (10, 11));
    inserted.end(b);
    assert_eq!(inserted.limit(), 10);
    inserted.end(a);
    assert_eq!(inserted.limit(), 12);
}

#[test]
fn property_files_are_read_as_java_reads_them() {
    let text = "# c\n! c\n\n  recordcount = 5\r\noperationcount:7\nfieldcount 3\ntable=a\\\n   b\\u0021\n\
                insertstart=1\ninsertstart=2\n";
    let p = properties(text).unwrap();
    assert_eq!(p.int("recordcount"), Ok(5));
    assert_eq!(p.int("operationcount"), Ok(7));
    assert_eq!(p.int("fieldcount"), Ok(3));
    assert_eq!(p.text("table"), Some("ab!"));
    assert_eq!(p.int("insertstart"), Ok(2), "the last one wins");
    assert_eq!(p.text("insertorder"), Some("hashed"), "the default");
}

#[test]
fn wrong_properties_are_named() {
    let error = |text: &str| match properties(text) {
        Err(e) => e,
        Ok(p) => Workload::new(&p).err().unwrap(),
    };
    assert!(
        error("\nreadproportoin=1\n")
            .contains("line 2: unknown property readproportoin; did you mean readproportion?")
    );
    assert!(error("nonsense=1").contains("unknown property nonsense"));
    assert_eq!(error("operationcount=1"), "the property recordcount is missing");
    let refused = error("rocksdb.dir=/x");
    assert!(refused.ends_with("the property rocksdb.dir is not supported: use --db"), "{refused}");
    let with = |line: &str| error(&format!("recordcount=10\n{line}\n"));
    assert!(with("zeropadding=1001").contains("zeropadding=1001: expected at most 1000"));
    assert!(with("readproportion=2").contains("readproportion=2: expected a number from 0 to 1"));
    assert!(with("requestdistribution=gauss").contains("expected uniform, sequential"));
    assert!(with("insertstart=8\ninsertcount=3").contains("insertstart=8, insertcount=3"));
    assert!(with("scanlengthdistribution=constant").contains("scanlengthdistribution"));
    assert!(with("minscanlength=9\nmaxscanlength=3").contains("from 9 to 3"));
    assert!(with("workload=x.TimeSeriesWorkload").contains("only the core workload"));
    assert!(with("dataintegrity=true\nfieldlengthdistribution=uniform").contains("constant"));
    assert!(with("readproportion=0\nupdateproportion=0\ninsertproportion=0").contains("all are 0"));
    assert!(with("threadcount=0").contains("threadcount=0"));
    assert!(
        with("fieldlengthdistribution=histogram\nfieldlengthhistogram=/none").contains("/none")
    );
}

fn shape(checked: bool) -> Shape {
    let fields = vec!["field0".to_owned(), "field1".to_owned()];
    Shape { fields, length: LengthChooser::Constant(40), zero_padding: 12, hashed: false, checked }
}

#[test]
fn records_look_as_ycsb_stores_them() {
    let (mut key, mut value, mut random) = (Vec::new(), Vec::new(), Random64::new(1));
    shape(true).key(42, &mut key);
    assert_eq!(key, b"user000000000042");
    let hashed = Shape { hashed: true, zero_padding: 1, ..shape(true) };
    // YCSB's key of record 0.
    hashed.key(0, &mut key);
    assert_eq!(key, b"user6284781860667377211");
    shape(true).value(&key, &mut random, &mut value);
    assert_eq!(value[..14], *b"\0\0\0\x06field0\0\0\0\x28");
    assert!(shape(true).is_whole(&key, &value).unwrap());
    assert!(!shape(true).is_whole(b"other", &value).unwrap());
    let fields: Vec<_> = Fields(&value).map(Result::unwrap).collect();
    assert_eq!(fields.len(), 2);
    assert!(fields[1].1.starts_with(b"user6284781860667377211:field1:"), "{:?}", fields[1]);
}

#[test]
fn an_update_replaces_one_field() {
    let (shape, mut random) = (shape(false), Random64::new(3));
    let (mut old, mut new) = (Vec::new(), Vec::new());
    shape.value(b"k", &mut random, &mut old);
    shape.with_field(&old, (b"k", 1), &mut random, &mut new).unwrap();
    let fields = |value: &[u8]| -> Vec<Vec<u8>> {
        Fields(value).map(|field| field.unwrap().1.to_vec()).collect()
    };
    assert_eq!(fields(&old)[0], fields(&new)[0]);
    assert_ne!(fields(&old)[1], fields(&new)[1]);
    let error = shape.with_field(b"\0\0\0\x09x", (b"k", 1), &mut random, &mut new).unwrap_err();
    assert!(error.contains("5 bytes are no field"), "{error}");
}

/// A client without a database, of which every third insert fails.
struct Failing<'a>(&'a AtomicU64);

impl Client for Failing<'_> {
    fn read(&mut self, _: &Shape, _: &[u8], _: Option<usize>) -> TargetResult<bool> {
        Ok(true)
    }

    fn insert(&mut self, _: &Shape, _: &[u8], _: &mut Random64) -> TargetResult<()> {
        match self.0.fetch_add(1, Ordering::Relaxed) % 3 {
            2 => Err("planted".to_owned()),
            _ => Ok(()),
        }
    }

    fn update(
        &mut self,
        _: &Shape,
        _: &[u8],
        _: Option<usize>,
        _: &mut Random64,
    ) -> TargetResult<bool> {
        Ok(true)
    }

    fn scan(&mut self, _: &Shape, _: &[u8], n: u64, _: Option<usize>) -> TargetResult<u64> {
        Ok(n)
    }

    fn delete(&mut self, _: &Shape, _: &[u8]) -> TargetResult<()> {
        Ok(())
    }

    fn multi_get(&mut self, _: &Shape, keys: &[Vec<u8>]) -> TargetResult<u64> {
        Ok(keys.len() as u64)
    }

    fn batch_set(&mut self, _: &Shape, _: &[Vec<u8>], _: &mut Random64) -> TargetResult<()> {
        Ok(())
    }

    fn user_bytes(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Runs a phase of 900 inserts; returns its outcome and how many inserts were tried.
fn failing(phase: Phase, more: &str) -> (Outcome, u64) {
    let text = format!(
        "recordcount=900\noperationcount=900\nreadproportion=0\nupdateproportion=0\ninsertproportion=1\n\
         threadcount=2\ncore_workload_insertion_retry_interval=0\n{more}"
    );
    let workload = Workload::new(&properties(&text).unwrap()).unwrap();
    let meters = Arc::new(Meters::new(&Operation::ALL.map(Operation::name), 2));
    let mut recorder = Recorder::start(recorder::Phase {
        name: "test".to_owned(),
        fields: serde_json::Map::new(),
        meters: Arc::clone(&meters),
        targets: Vec::new(),
        dirs: Vec::new(),
        timeline: None,
        screen: Screen::Off,
        size: Size::default(),
        warm_up: false,
        server: None,
    });
    let (tried, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let client = || -> TargetResult<Box<dyn Client + '_>> { Ok(Box::new(Failing(&tried))) };
    let terms = Terms { phase, seed: 1, slowdown: 0.0, warm_up: WarmUp::None, in_flight: 1 };
    let outcome = run::run(&workload, terms, client, &meters, &stop, &mut recorder);
    recorder.finish().unwrap();
    (outcome, tried.load(Ordering::Relaxed))
}

#[test]
fn failed_inserts_end_a_phase_unless_it_keeps_going_or_retries() {
    for phase in [Phase::Load, Phase::Run] {
        let (ended, _) = failing(phase, "");
        assert_eq!(ended.error.as_deref(), Some("planted"));
        assert!(ended.count() < 10 && ended.failed_inserts.0 == 0, "{}", ended.count());
        let (kept, tried) = failing(phase, "core_workload_insertion_keep_going_on_error=true");
        assert_eq!((kept.error, tried), (None, 900));
        assert_eq!(kept.failed_inserts, (300, Some("planted".to_owned())));
        assert_eq!(kept.operations[&Operation::Insert].service.count(), 600);
        // Every third call fails, so that a second one may fail but hardly a tenth.
        let (retried, tried) = failing(phase, "core_workload_insertion_retry_limit=9");
        assert_eq!((retried.error, retried.failed_inserts.0), (None, 0));
        assert_eq!((retried.operations[&Operation::Insert].service.count(), tried), (900, 1349));
    }
}
