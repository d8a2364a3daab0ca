//! Parses the text as a scraper would, and refuses anything that the format does not allow.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

type Labels = BTreeMap<String, String>;

/// A metric family: its type, its help, and its samples in the order of the text.
#[derive(Debug, Default)]
struct Family {
    kind: String,
    help: String,
    samples: Vec<(String, Labels, f64)>,
}

fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == ':';
    name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit())
}

/// `{a="b",c="d"}` at the start of `text`; also what follows.
fn labels(text: &str) -> (Labels, &str) {
    let mut labels = Labels::new();
    let Some(mut rest) = text.strip_prefix('{') else { return (labels, text) };
    loop {
        let (name, after) = rest.split_once("=\"").expect("a label's name");
        assert!(is_name(name) && !name.contains(':'), "{name}");
        let (mut value, mut chars) = (String::new(), after.char_indices());
        let end = loop {
            match chars.next().expect("a closing quote") {
                (_, '\\') => value.push(match chars.next().expect("an escaped character").1 {
                    'n' => '\n',
                    c @ ('\\' | '"') => c,
                    c => panic!("unknown escape {c}"),
                }),
                (at, '"') => break at + 1,
                (_, c) => value.push(c),
            }
        };
        assert!(labels.insert(name.to_owned(), value).is_none(), "{name} twice");
        rest = &after[end..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix('}').expect("a closing brace")),
        }
    }
}

/// The families by name. The samples of a family are adjacent, after its HELP and TYPE.
fn parse(text: &str) -> BTreeMap<String, Family> {
    assert!(text.ends_with('\n'), "the last line must end");
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a help text");
            assert!(is_name(name), "{name}");
            let family = Family { help: help.to_owned(), ..Family::default() };
            assert!(families.insert(name.to_owned(), family).is_none(), "{name} twice");
            current = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            assert_eq!(name, current, "TYPE follows HELP");
            assert!(["counter", "summary"].contains(&kind), "{kind}");
            let family = families.get_mut(name).unwrap();
            assert!(family.kind.is_empty() && family.samples.is_empty(), "{line}");
            family.kind = kind.to_owned();
        } else {
            let (name, _) = line.split_once(['{', ' ']).expect("a sample");
            let (labels, value) = labels(&line[name.len()..]);
            let value = value.strip_prefix(' ').expect("a space");
            assert!(!value.contains(' '), "{line}");
            let value: f64 = value.parse().expect("a number");
            let family = families.get_mut(&current).expect("a description before the sample");
            let suffix = name.strip_prefix(current.as_str()).expect("the family's name");
            match family.kind.as_str() {
                "counter" => assert_eq!(suffix, "", "{line}"),
                _ => assert!(["", "_sum", "_count"].contains(&suffix), "{line}"),
            }
            assert_eq!(
                labels.contains_key("quantile"),
                family.kind == "summary" && suffix.is_empty()
            );
            assert!(seen.insert((name.to_owned(), labels.clone())), "{line} twice");
            family.samples.push((name.to_owned(), labels, value));
        }
    }
    families
}

fn value(family: &Family, name: &str, wanted: &[(&str, &str)]) -> f64 {
    let wanted = wanted.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect::<Labels>();
    let of = |(n, labels, _): &&(String, Labels, f64)| n == name && *labels == wanted;
    family.samples.iter().find(of).expect("the sample").2
}

#[test]
fn every_ticker_and_histogram_can_be_read_back() {
    let stats = Statistics::new();
    for (i, ticker) in Ticker::ALL.iter().enumerate() {
        stats.add(*ticker, i as u64 + 1);
    }
    for histogram in HistogramType::ALL {
        (1..=100).for_each(|v| stats.record(*histogram, v));
    }
    let families = parse(&stats.to_prometheus());
    assert_eq!(families.len(), Ticker::COUNT + HistogramType::COUNT);
    for (i, ticker) in Ticker::ALL.iter().enumerate() {
        let name = format!("{}_total", ticker.name().replace('.', "_"));
        let family = &families[&name];
        assert_eq!((family.kind.as_str(), family.samples.len()), ("counter", 1), "{name}");
        assert_eq!(value(family, &name, &[]), i as f64 + 1.0);
        assert_eq!(family.help.contains("Always 0"), !ticker.is_counted(), "{name}");
    }
    for histogram in HistogramType::ALL {
        let name = histogram.name().replace('.', "_");
        let family = &families[&name];
        assert_eq!((family.kind.as_str(), family.samples.len()), ("summary", 6), "{name}");
        assert_eq!(value(family, &format!("{name}_sum"), &[]), 5050.0);
        assert_eq!(value(family, &format!("{name}_count"), &[]), 100.0);
        let at = |q| value(family, &name, &[("quantile", q)]);
        assert!((at("0.5") - 50.0).abs() < 3.0 && (at("0.99") - 99.0).abs() < 3.0, "{name}");
        assert!(at("0.5") <= at("0.95") && at("0.95") <= at("0.99") && at("1") == 100.0);
    }
}

#[test]
fn an_empty_summary_has_no_quantiles() {
    let families = parse(&Statistics::new().to_prometheus());
    let family = &families["rocksdb_db_get_micros"];
    assert!(value(family, "rocksdb_db_get_micros", &[("quantile", "0.5")]).is_nan());
    assert_eq!(value(family, "rocksdb_db_get_micros_count", &[]), 0.0);
}

#[test]
fn databases_are_told_apart_by_a_label() {
    let (one, two) = (Statistics::new(), Statistics::new());
    one.add(Ticker::BlockCacheHit, 7);
    two.add(Ticker::BlockCacheHit, 9);
    let odd = "a \"b\\c\"\n";
    let families = parse(&prometheus_text(&[("one", &one), (odd, &two)]));
    let name = "rocksdb_block_cache_hit_total";
    assert_eq!(value(&families[name], name, &[("db", "one")]), 7.0);
    assert_eq!(value(&families[name], name, &[("db", odd)]), 9.0);
}
