//! Choices of documents and batches against the definitions of their distributions.

use super::choose::{BatchSize, Centre, Place, Scatter};
use super::document::normal;
use super::zipf::Zipf;
use crate::fit::{Sample, equal, in_proportion};
use crate::rng::Random64;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::stats_tests::NaNPolicy;
use statrs::stats_tests::ks_test::{
    KSOneSampleAlternativeMethod::TwoSidedAsymptotic, ks_onesample,
};
use std::sync::Arc;

const DRAWS: usize = 400_000;

fn gauss(mean: f64, deviation: f64) -> Normal {
    Normal::new(mean, deviation).unwrap()
}

#[test]
fn normal_numbers_are_normal() {
    let mut random = Random64::new(7);
    let numbers: Vec<f64> = (0..DRAWS).map(|_| normal(&mut random)).collect();
    let p = |mean: f64, deviation: f64| {
        let gauss = gauss(mean, deviation);
        ks_onesample(numbers.clone(), &gauss, TwoSidedAsymptotic, NaNPolicy::Error).unwrap().1
    };
    let p = [p(0.0, 1.0), p(0.03, 1.0), p(0.0, 1.05)];
    assert!(p[0] > 1e-3 && p[1] < 1e-9 && p[2] < 1e-9, "{p:?}");
}

#[test]
fn zipf_groups_have_their_probabilities() {
    const GROUPS: usize = 100;
    let law = |s: f64, zipf: &Zipf| {
        let ranks = in_proportion((1..=GROUPS).map(|rank| (rank as f64).powf(-s)));
        let mut groups = vec![0.0; GROUPS];
        ranks
            .iter()
            .enumerate()
            .for_each(|(rank, p)| groups[zipf.group(rank as u64) as usize] = *p);
        groups
    };
    for s in [0.0, 0.5, 1.0, 1.7] {
        let zipf = Zipf::new(GROUPS as u64, s);
        let sample = Sample::new(GROUPS, DRAWS, |random| zipf.pick(random));
        let mut swapped = law(s, &zipf);
        swapped.swap(zipf.group(0) as usize, zipf.group(9) as usize);
        let planted = [("another exponent", law(s + 0.04, &zipf)), ("a swapped rank", swapped)];
        let planted = if s == 0.0 { &planted[..1] } else { &planted };
        sample.check(&format!("exponent {s}"), &law(s, &zipf), planted);
    }
}

#[test]
fn batch_sizes_have_their_distributions() {
    let sample = |size: BatchSize| Sample::new(200, DRAWS, move |random| size.pick(random));
    let from = |first, end| equal(first, end);
    let planted =
        [("one less", from(5, 15)), ("one more", from(5, 17)), ("from 4 on", from(4, 16))];
    sample(BatchSize::Uniform(5, 15)).check("uniform", &from(5, 16), &planted);
    // Rounded to the nearest; everything below 1 is 1.
    let rounded = |mean: f64, deviation: f64| {
        let below = |size: usize| gauss(mean, deviation).cdf(size as f64 - 0.5);
        let of = |size: usize| match size {
            0 => 0.0,
            1 => below(2),
            size => below(size + 1) - below(size),
        };
        in_proportion((0..200).map(of))
    };
    let planted = [
        ("mean", rounded(100.2, 10.0)),
        ("rounded down", rounded(100.5, 10.0)),
        ("deviation", rounded(100.0, 10.3)),
    ];
    sample(BatchSize::Normal(100, 10)).check("normal", &rounded(100.0, 10.0), &planted);
    let planted = [("half", rounded(2.5, 3.0))];
    sample(BatchSize::Normal(2, 3)).check("cut", &rounded(2.0, 3.0), &planted);
    assert_eq!(BatchSize::Normal(0, 0).pick(&mut Random64::new(1)), 1);
}

#[test]
fn documents_are_scattered_around_the_centre() {
    const DOCUMENTS: u64 = 2000;
    // One group with one document is always the centre.
    let centre = Centre::Zipf(Arc::new(Zipf::new(1, 1.0)), 1);
    let sample = |scatter| {
        let place = Place { documents: DOCUMENTS, centre: &centre, scatter, distinct: false };
        let mut batch = Vec::new();
        Sample::new(DOCUMENTS as usize, DRAWS, move |random| {
            place.batch(random, 1, |_| true, &mut batch);
            // The centre becomes the middle of the cells.
            (batch[0] + DOCUMENTS / 2) % DOCUMENTS
        })
    };
    let uniform = |first: usize, last: usize| equal(1000 - first, 1000 + last + 1);
    let planted =
        [("one less", uniform(50, 48)), ("one more", uniform(50, 50)), ("moved", uniform(49, 50))];
    sample(Scatter::Uniform(50)).check("uniform", &uniform(50, 49), &planted);
    // Distances are rounded towards the centre.
    let normal = |deviation: f64| {
        let below = |distance: f64| gauss(0.0, deviation).cdf(distance);
        let of = |cell: i32| match f64::from(cell - 1000) {
            0.0 => below(1.0) - below(-1.0),
            ahead if ahead > 0.0 => below(ahead + 1.0) - below(ahead),
            behind => below(behind) - below(behind - 1.0),
        };
        in_proportion((0..2000).map(of))
    };
    let planted = [("the range as deviation", normal(100.0)), ("deviation", normal(51.5))];
    sample(Scatter::Normal(100)).check("normal", &normal(50.0), &planted);
}
