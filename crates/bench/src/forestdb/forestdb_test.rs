//! Documents and choices against their definitions, ini files, and the steps of `rall.sh`.

use super::choose::{Centre, Place, Scatter};
use super::config::Config;
use super::document::{Buffer, Filler, HEAD, Shape};
use super::engine::Kind;
use super::ini::Ini;
use super::presets::{self, PRESETS};
use super::rall::{Arguments, STEPS};
use super::rows::{Effect, ROWS};
use crate::rng::Random64;
use std::collections::HashSet;

const DOCUMENTS: u64 = 200_000;

/// The settings of a step of the example of 2015.
fn step(name: &str) -> Config {
    let words = "56000000 log /disk 102400 64 10 600 3600 1000 1 ferrolith 20 no 1";
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let arguments = Arguments::new(words.try_into().unwrap()).unwrap();
    let step = STEPS.iter().find(|step| step.name == name).unwrap();
    Config::new(&arguments.ini(step, "ferrolith", presets::TREE).unwrap()).unwrap()
}

fn config(text: &str) -> Config {
    Config::new(&Ini::parse("test", text).unwrap()).unwrap()
}

fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    (mean, (values.map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt())
}

fn keys(shape: &Shape, documents: u64) -> Vec<Vec<u8>> {
    let key = |number| {
        let mut key = Vec::new();
        shape.key(number, &mut key);
        key
    };
    (0..documents).map(key).collect()
}

/// The part of a normal distribution below a number of standard deviations, by Simpson's rule.
fn normal_below(deviations: f64) -> f64 {
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let (from, steps) = (-8.0, 2000);
    let width = (deviations - from) / f64::from(steps);
    let sum: f64 = (0..=steps)
        .map(|i| {
            let factor = if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            factor * density(from + width * f64::from(i))
        })
        .sum();
    sum * width / 3.0
}

/// Compares counts per length with a normal distribution that is rounded down to a multiple of `unit`.
fn check_lengths(lengths: &[usize], (mean, deviation): (f64, f64), unit: usize) {
    let below = |length: usize| normal_below((length as f64 - mean) / deviation);
    let mut checked = 0.0;
    for length in (0..2 * mean as usize).step_by(unit) {
        let share = (below(length + unit) - below(length)).max(0.0);
        let expected = share * lengths.len() as f64;
        let found = lengths.iter().filter(|found| **found == length).count() as f64;
        assert!(
            (found - expected).abs() < 5.0 * expected.sqrt() + 3.0,
            "{length}: {found}, {expected}"
        );
        checked += found;
    }
    assert_eq!(checked as usize, lengths.len(), "lengths that are no multiple of {unit}");
}

#[test]
fn keys_are_unique_and_unordered_and_their_lengths_are_normal() {
    let shape = step("load").shape;
    let keys = keys(&shape, DOCUMENTS);
    let lengths: Vec<usize> = keys.iter().map(Vec::len).collect();
    check_lengths(&lengths, (32.0, 2.0), 1);
    // The original's mean is 31.50, for lengths are rounded down.
    let (mean, deviation) = mean_and_deviation(lengths.iter().map(|length| *length as f64));
    assert!((mean - 31.5).abs() < 0.03 && (deviation - 2.02).abs() < 0.03, "{mean} {deviation}");
    assert_eq!(keys.iter().collect::<HashSet<_>>().len() as u64, DOCUMENTS);
    let ascending = keys.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64;
    assert!((ascending / DOCUMENTS as f64 - 0.5).abs() < 0.01, "{ascending}");
    assert!(keys.iter().flatten().all(|c| c.is_ascii_alphanumeric() || *c == b'_'));
    let mut symbols = [0u32; 256];
    keys.iter().flatten().for_each(|symbol| symbols[usize::from(*symbol)] += 1);
    let used: Vec<u32> = symbols.into_iter().filter(|count| *count > 0).collect();
    let average = used.iter().sum::<u32>() / 63;
    assert_eq!(used.len(), 63);
    assert!(used.iter().all(|count| count.abs_diff(average) < average / 20), "{used:?}");
}

#[test]
fn lengths_of_bodies_are_normal_and_belong_to_the_document() {
    let shape = step("load").shape;
    let lengths: Vec<usize> = (0..DOCUMENTS).map(|number| shape.body_length(number)).collect();
    check_lengths(&lengths, (512.0, 32.0), 8);
    assert_eq!(lengths[77], shape.body_length(77));
    let tiny = config("[body_length]\nmedian = 1\nstandard_deviation = 0").shape;
    assert_eq!(tiny.body_length(3), 8);
    let uniform = config("[body_length]\ndistribution = uniform").shape;
    let lengths: Vec<usize> = (0..10_000).map(|number| uniform.body_length(number)).collect();
    let range = (lengths.iter().min(), lengths.iter().max());
    assert_eq!(range, (Some(&448), Some(&576)), "448 to 576");
}

#[test]
fn prefixes_have_their_number_of_values() {
    let shape = config("[prefix]\nlevel = 2\nnprefixes = 5\n[key_length]\nmedian = 64").shape;
    let keys = keys(&shape, 2000);
    let text: Vec<&str> = keys.iter().map(|key| std::str::from_utf8(key).unwrap()).collect();
    for level in 0..2 {
        let segment = |key: &&str| key.split('/').nth(level).unwrap().to_owned();
        let values: HashSet<String> = text.iter().map(segment).collect();
        assert_eq!(values.len(), 5);
        assert!(values.iter().all(|value| (4..=12).contains(&value.len())), "{values:?}");
    }
    assert!(text.iter().all(|key| key.split('/').count() == 3));
}

fn value(shape: &Shape, buffer: &mut Buffer, number: u64, write: u64) -> Vec<u8> {
    let (mut key, mut value) = (Vec::new(), Vec::new());
    shape.key(number, &mut key);
    buffer.value(shape, (number, &key), write, &mut value);
    shape.check(number, &key, &value).unwrap();
    assert!(shape.check(number + 1, &key, &value).is_err());
    value
}

#[test]
fn a_body_has_its_parts_where_they_belong() {
    let shape = step("load").shape;
    let value = value(&shape, &mut Buffer::new(1), 42, 0);
    let mut key = Vec::new();
    shape.key(42, &mut key);
    let body = &value[HEAD..];
    assert_eq!(body.len(), shape.body_length(42));
    assert_eq!(value[..2], 25u16.to_be_bytes());
    let key = String::from_utf8(key).unwrap();
    let text = format!("idx# 42, body of {key}, key len {}, body len {} ", key.len(), body.len());
    assert!(body.starts_with(text.as_bytes()));
    assert!(body.ends_with(b"<end>"));
    // Half of the average body may be random; the header hides the first part.
    assert!(body[text.len()..256].iter().all(u8::is_ascii_lowercase));
    let distinct: HashSet<u8> = body[text.len()..256].iter().copied().collect();
    assert!(distinct.len() > 20, "{distinct:?}");
    assert!(body[256..body.len() - 5].iter().all(|byte| *byte == b'x'));
}

#[test]
fn compressibility_bounds_the_random_part() {
    for (percent, random) in [(0, usize::MAX), (25, 384), (100, 0)] {
        let text = format!("[body_length]\ncompressibility = {percent}\nstandard_deviation = 0");
        let shape = config(&text).shape;
        let value = value(&shape, &mut Buffer::new(1), 7, 0);
        let rest = &value[HEAD + random.clamp(150, 507)..value.len() - 5];
        assert!(rest.iter().all(|byte| *byte == b'x'), "{percent}");
        let letters = value[HEAD + 150..HEAD + random.clamp(150, 507)].iter();
        let runs = letters.clone().filter(|byte| **byte == b'x').count();
        assert!(runs * 5 <= letters.count(), "{percent}: {runs}");
    }
}

#[test]
fn the_filler_is_of_the_document_or_of_the_buffer() {
    let mut shape = step("load").shape;
    // Behind the longest header, before the end of the random part.
    let filler = |value: &[u8]| value[HEAD + 120..HEAD + 250].to_vec();
    let mut buffer = Buffer::new(1);
    let values: Vec<Vec<u8>> = (0..50).map(|n| filler(&value(&shape, &mut buffer, n, n))).collect();
    assert_eq!(values.iter().collect::<HashSet<_>>().len(), 50, "each document has its own bytes");
    let again = filler(&value(&shape, &mut buffer, 3, 1000));
    assert_ne!(again, values[3], "an update has other bytes");
    assert_eq!(filler(&value(&shape, &mut Buffer::new(1), 3, 3)), values[3], "a seed decides");
    assert_ne!(filler(&value(&shape, &mut Buffer::new(2), 3, 3)), values[3]);
    shape.filler = Filler::Buffer;
    let mut buffer = Buffer::new(1);
    let values: Vec<Vec<u8>> = (0..50).map(|n| filler(&value(&shape, &mut buffer, n, n))).collect();
    assert_eq!(values.iter().collect::<HashSet<_>>().len(), 1, "one run of bytes per buffer");
}

#[test]
fn a_batch_lies_around_its_centre() {
    let centre = Centre::Uniform;
    let mut random = Random64::new(5);
    let mut batch = Vec::new();
    for (scatter, most) in [(Scatter::Uniform(50), 100), (Scatter::Normal(100), 500)] {
        let place = Place { documents: 100_000, centre: &centre, scatter, distinct: true };
        for _ in 0..200 {
            place.batch(&mut random, 20, |_| true, &mut batch);
            assert_eq!(batch.iter().collect::<HashSet<_>>().len(), 20);
            let ring = |a: u64, b: u64| a.abs_diff(b).min(100_000 - a.abs_diff(b));
            assert!(batch.iter().all(|document| ring(*document, batch[0]) < most), "{batch:?}");
        }
    }
    let place =
        Place { documents: 10, centre: &centre, scatter: Scatter::Uniform(1), distinct: false };
    let mut seen = [0u32; 10];
    for _ in 0..10_000 {
        place.batch(&mut random, 1, |document| document % 2 == 1, &mut batch);
        seen[batch[0] as usize] += 1;
    }
    let expected = |(document, count): (usize, &u32)| match document % 2 {
        0 => *count == 0,
        _ => count.abs_diff(2000) < 250,
    };
    assert!(seen.iter().enumerate().all(expected), "{seen:?}");
}

#[test]
fn the_steps_have_the_threads_and_writes_of_the_script() {
    // Readers, iterators, writers, rate of each writer, sync, warm-up and measured seconds.
    let expected = [
        ("load", (1, 0, 0), 0, false, (5, 5)),
        ("ows.1", (0, 0, 1), 0, true, (600, 3600)),
        ("ows.n", (0, 0, 10), 0, true, (600, 3600)),
        ("pqw.1", (1, 0, 1), 1000, false, (600, 3600)),
        ("pqw.n", (10, 0, 1), 1000, false, (600, 3600)),
        ("rqw.1", (0, 1, 1), 1000, false, (600, 3600)),
        ("rqw.n", (0, 10, 1), 1000, false, (600, 3600)),
        ("pq.1", (1, 0, 0), 0, false, (600, 3600)),
        ("pq.n", (10, 0, 0), 0, false, (600, 3600)),
        ("rq.1", (0, 1, 0), 0, false, (600, 3600)),
        ("rq.n", (0, 10, 0), 0, false, (600, 3600)),
        ("owa.1", (0, 0, 1), 0, false, (600, 3600)),
        ("owa.n", (0, 0, 10), 0, false, (600, 3600)),
    ];
    assert_eq!(expected.map(|row| row.0), STEPS.map(|step| step.name));
    for (name, (readers, iterators, writers), rate, sync, seconds) in expected {
        let config = step(name);
        let threads = &config.threads;
        assert_eq!(
            (threads.readers, threads.iterators, threads.writers),
            (readers, iterators, writers)
        );
        assert_eq!((threads.rates, config.operation.sync), ((0, rate), sync), "{name}");
        assert_eq!((config.warm_up.most_seconds(), config.limits.seconds), seconds, "{name}");
        assert_eq!(config.population.is_some(), name == "load");
        assert_eq!(config.shape.documents, 56_000_000);
        assert_eq!(config.operation.write_percent, None);
        let sizes =
            config.operation.sizes.map(|size| (size.pick(&mut Random64::new(1)), size.average()));
        assert_eq!(sizes, [(1, 1), (20, 20), (1, 1)]);
    }
    let load = step("load");
    let population = load.population.unwrap();
    assert_eq!((population.threads, population.batch, population.wal), (1, 4096, false));
    assert_eq!(load.files.prefix, "/disk/db.ferrolith");
    assert_eq!(load.log.as_deref(), Some("log/log.ferrolith"));
    assert_eq!((load.tree.cache_mb, load.tree.write_buffer_mb), (102_400, (64, 64)));
}

#[test]
fn presets_scale_data_and_keep_threads_and_seconds() {
    for preset in PRESETS {
        let (words, tree) = presets::arguments(preset.name, 1.0).unwrap();
        assert_eq!(tree, presets::TREE);
        let arguments = Arguments::new(words.clone()).unwrap();
        Config::new(&arguments.ini(&STEPS[0], "ferrolith", tree).unwrap()).unwrap();
        let (scaled, tree) = presets::arguments(preset.name, 0.25).unwrap();
        assert_eq!((scaled[0].as_str(), scaled[4].as_str(), tree), ("14000000", "16", (128, 8192)));
        assert_eq!(words[5..], scaled[5..]);
    }
    let (tiny, tree) = presets::arguments("cached-n10", 0.000_1).unwrap();
    assert_eq!(
        (&tiny[0], &tiny[3], &tiny[4], tree),
        (&"5600".into(), &"10".into(), &"1".into(), (8, 512))
    );
    assert!(presets::arguments("cached", 1.0).unwrap_err().contains("known: cached-n10, "));
    assert!(presets::arguments("cached-n10", 0.0).is_err());
}

#[test]
fn every_key_has_a_valid_default_and_is_honoured_or_explained() {
    let given: String = ROWS
        .iter()
        .map(|row| format!("[{}]\n{} = {}\n", row.section, row.key, row.default))
        .collect();
    let ini = Ini::parse("defaults", &given).unwrap();
    assert_eq!(Config::new(&ini).unwrap().limits.seconds, 60);
    assert_eq!(Ini::parse("again", &ini.to_text()).unwrap().to_text(), ini.to_text());
    let sources = ["config.rs", "command.rs"].map(|file| {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/forestdb");
        std::fs::read_to_string(std::path::Path::new(dir).join(file)).unwrap()
    });
    for row in ROWS {
        // Keys of batch sizes are put together from parts.
        let part = row.key.split("_batchsize_").last().unwrap_or_default();
        let is_read = sources.iter().any(|text| text.contains(&format!("\"{part}\"")));
        assert_eq!(
            is_read,
            !matches!(row.effect, Effect::Never(_)),
            "[{}] {}",
            row.section,
            row.key
        );
    }
    let never = ROWS.iter().filter(|row| matches!(row.effect, Effect::Never(_))).count();
    let lsm = ROWS.iter().filter(|row| row.effect == Effect::Lsm).count();
    let forest = ROWS.iter().filter(|row| row.effect == Effect::ForestDb).count();
    let notices = |engine: &str| ini.notices(&Kind::parse(engine).unwrap()).len();
    assert_eq!(notices("forestdb:/lib.so"), never + lsm - 2, "it has a cache and compression");
    let never = never + forest;
    assert_eq!(notices("ferrolith"), never);
    assert_eq!(notices("lmdb"), never + lsm);
    // redb has a cache, and fjall four more options.
    assert_eq!((notices("redb"), notices("fjall")), (never + lsm - 1, never + lsm - 5));
}

#[test]
fn ini_files_have_comments_quotes_and_any_case() {
    let text = "# first\n[Document] ; documents\n  NDOCS = 77 # count\n\n[db_file]\nfilename = \"/a;b/c\"\n\
                [document]\nndocs=78\n[population]\nload = no\n[log]\nfilename = 'x' # y\n";
    let config = config(text);
    assert_eq!(config.shape.documents, 78, "the last value wins");
    assert_eq!(config.files.prefix, "/a;b/c");
    assert_eq!(config.log.as_deref(), Some("x"));
    assert!(config.population.is_none());
}

#[test]
fn mistakes_are_refused_by_line_key_and_value() {
    let refused = |text: &str, expected: &str| {
        let error = Ini::parse("f.ini", text).and_then(|ini| Config::new(&ini)).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    };
    refused(
        "[document]\n\nndoc = 5",
        "f.ini, line 3: unknown key ndoc in [document]; did you mean ndocs",
    );
    refused(
        "[document]\nreaders = 5",
        "line 2: unknown key readers in [document]; it belongs to [threads]",
    );
    refused("[operation]\nnops = 5", "duration = 0: expected at least 1, since nops and nbatches");
    refused("[document]\nsomething_else = 5", "ferrolith-bench forestdb keys lists all keys");
    refused("ndocs = 5", "line 1: unknown key ndocs in []");
    refused("[documents]", "line 1: unknown section [documents]; known: document, log");
    refused("[document", "line 1: [document: expected [section]");
    refused("[document]\nndocs", "line 2: ndocs: expected key = value");
    refused(
        "[document]\nndocs = many",
        "f.ini, line 2: [document] ndocs = many: expected a number",
    );
    refused("[document]\nndocs = 0", "ndocs = 0: expected at least 1");
    refused("[document]\nkey_file = /none", "key_file = /none: No such file");
    refused("[key_length]\ndistribution = flat", "distribution = flat: expected normal or uniform");
    refused("[key_length]\ndistribution=uniform\nlower_bound=9\nupper_bound=8", "upper_bound = 8");
    refused("[body_length]\ncompressibility = 101", "expected 0 to 100");
    refused("[body_length]\nmedian = nan", "median = nan: expected a number from 0");
    refused("[db_config]\ncompaction_style = none", "expected level, universal or fifo");
    refused(
        "[db_file]\nnfiles = 10001",
        "nfiles = 10001: expected at most the number of documents",
    );
    refused("[threads]\nwriters = 2\ndisjoint_write = 1", "expected no more writers than nfiles");
    refused("[population]\nload = maybe", "load = maybe: expected 1, 0, yes, no, true or false");
    refused("[operation]\nbatch_distribution = zipf", "expected uniform or zipfian");
    refused("[ferrolith_bench]\nfiller = none", "expected document or buffer");
}
