//! Reading through an indexed batch against a model: what the database would hold after the write.

use ferrolith::internal::batch::IndexedBatch;
use ferrolith::internal::db::{BatchIterator, Db};
use ferrolith::internal::hooks::StringAppendOperator;
use ferrolith::internal::options::{Options, ReadOptions, WriteOptions};
use std::collections::BTreeMap;
use std::sync::Arc;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn merge(model: &mut Model, key: &[u8], operand: &[u8]) {
    let value = model.entry(key.to_vec()).or_default();
    if !value.is_empty() {
        value.push(b',');
    }
    value.extend_from_slice(operand);
}

fn key(rng: &mut fastrand::Rng) -> Vec<u8> {
    format!("k{:02}", rng.u32(0..40)).into_bytes()
}

#[test]
fn an_iterator_over_batch_and_database_shows_what_the_write_will_leave() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.cf.merge_operator = Some(Arc::new(StringAppendOperator::default()));
    let db = Db::open(&options, dir.path()).unwrap();
    let (wo, ro) = (WriteOptions::default(), ReadOptions::default());
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..60 {
        let mut model = Model::new();
        let mut all = db.iter(&ro).unwrap();
        all.seek_to_first();
        while all.valid() {
            model.insert(all.key().to_vec(), all.value().to_vec());
            all.next();
        }
        let mut batch = IndexedBatch::default();
        for i in 0..rng.u32(0..40) {
            let (key, value) = (key(&mut rng), format!("{round}.{i}").into_bytes());
            match rng.u32(0..4) {
                0 => {
                    batch.delete_cf(0, &key).unwrap();
                    model.remove(&key);
                }
                1 => {
                    batch.merge_cf(0, &key, &value).unwrap();
                    merge(&mut model, &key, &value);
                }
                _ => {
                    batch.put_cf(0, &key, &value).unwrap();
                    model.insert(key, value);
                }
            }
        }
        let cf = db.default_cf();
        for i in 0..40 {
            let key = format!("k{i:02}").into_bytes();
            let found = db.get_with_batch(&batch, &ro, &cf, &key).unwrap();
            assert_eq!(found.as_deref(), model.get(&key).map(Vec::as_slice), "round {round}");
        }
        let mut iter = BatchIterator::new(db.iter(&ro).unwrap(), &batch, &cf, &ro);
        walk_both_ways(&mut iter, &model, &mut rng);
        drop(iter);
        if rng.bool() {
            db.write(&wo, batch.batch_mut()).unwrap();
        }
    }
}

/// Seeks and steps at random; every position must be the model's.
fn walk_both_ways<B: std::ops::Deref<Target = IndexedBatch>>(
    iter: &mut BatchIterator<B>,
    model: &Model,
    rng: &mut fastrand::Rng,
) {
    let mut at: Option<Vec<u8>> = None;
    for _ in 0..60 {
        let target = key(rng);
        at = match (rng.u32(0..6), at) {
            (0, _) => {
                iter.seek(&target);
                model.range(target..).next().map(|(k, _)| k.clone())
            }
            (1, _) => {
                iter.seek_for_prev(&target);
                model.range(..=target).next_back().map(|(k, _)| k.clone())
            }
            (2, None) => {
                iter.seek_to_last();
                model.keys().next_back().cloned()
            }
            (_, None) => {
                iter.seek_to_first();
                model.keys().next().cloned()
            }
            (2 | 3, Some(at)) => {
                iter.prev();
                model.range(..at).next_back().map(|(k, _)| k.clone())
            }
            (_, Some(at)) => {
                iter.next();
                let after = (std::ops::Bound::Excluded(at), std::ops::Bound::Unbounded);
                model.range(after).next().map(|(k, _)| k.clone())
            }
        };
        iter.status().unwrap();
        assert_eq!(iter.valid().then(|| iter.key().to_vec()), at);
        if let Some(at) = &at {
            assert_eq!(iter.value(), model[at]);
        }
    }
}
