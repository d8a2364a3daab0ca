//! The object, field by field, and its description.

use super::*;
use crate::flags::{Parsed, parse};
use crate::report::tests::phase;

fn flags(args: &[&str]) -> Box<Flags> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    match parse(&args) {
        Ok(Parsed::Run(flags, _)) => flags,
        _ => panic!("{args:?}"),
    }
}

fn context() -> Context {
    let flags = flags(&["--num=1000", "--db=/x", "--sync", "--compression_ratio=0.25"]);
    Context {
        time: "2026-11-23T10:00:00Z".to_owned(),
        host: json!({"name": "desk", "kernel": "6.1", "arch": "x86_64", "cpu": "A", "cpus": 2}),
        ..Context::new(&flags, "version 0.1.0".to_owned())
    }
}

/// Run with UPDATE_DOCS=1 after an intended change.
#[test]
fn the_object_is_the_golden_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/phase.json");
    let text = serde_json::to_string_pretty(&context().object(&phase())).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(path).unwrap());
}

#[test]
fn every_field_is_described() {
    let page = include_str!("../../../docs/db_bench.md");
    let object = context().object(&phase());
    for field in object.as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{field}`")), "docs/db_bench.md does not describe {field}");
    }
}

#[test]
fn nothing_is_negative_and_nothing_is_not_a_number() {
    let mut empty = phase();
    empty.total = crate::stats::Total::default();
    for object in [context().object(&phase()), context().object(&empty)] {
        for (field, value) in object.as_object().unwrap() {
            assert!(value.as_f64().is_none_or(|number| number >= 0.0), "{field}: {value}");
        }
        assert!(object["micros_per_op"].is_number(), "{object}");
    }
}

#[test]
fn the_context_has_this_machine() {
    let context = Context::new(&flags(&[]), String::new());
    assert_eq!(context.time.len(), "2026-11-23T10:00:00Z".len());
    assert!(context.host["cpus"].as_u64().unwrap() > 0, "{}", context.host);
    assert_eq!(context.flags, json!({}));
}
