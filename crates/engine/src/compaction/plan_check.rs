//! What debug builds assert of plans, when they are picked, and of what was made of them.

use super::plan::CompactionPlan;
use crate::base::KeyOrder;
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// Asserts CP1 to CP3 of a plan that was just picked from `version`.
pub(super) fn check_plan(plan: &CompactionPlan, version: &Version) {
    if !cfg!(debug_assertions) {
        return;
    }
    assert!(plan.num_input_files() > 0, "expected inputs, found none: {plan}");
    assert!(
        plan.output_level < version.num_levels(),
        "expected an output level below {}, found {plan}",
        version.num_levels()
    );
    let levels = plan.inputs.iter().map(|input| input.level);
    assert!(levels.is_sorted_by(|a, b| a < b), "CP1: expected inputs by level, found {plan}");
    for input in &plan.inputs {
        let files = version.files(input.level);
        let place_of = |file: &Arc<FileMeta>| {
            let place = files.iter().position(|other| Arc::ptr_eq(other, file));
            place.unwrap_or_else(|| panic!("expected inputs of the version, found {file:?}"))
        };
        let places: Vec<usize> = input.files.iter().map(place_of).collect();
        assert!(
            places.is_sorted_by(|a, b| a < b),
            "CP1: expected files in the order of level {}, found {plan}",
            input.level
        );
        match input.level {
            // What leaves as a whole need not take others along.
            _ if plan.deletion => {}
            0 => check_ages(plan, version.order(), files, &places),
            _ => check_user_keys(plan, version.order(), files, &places),
        }
    }
}

/// CP2: files side by side that share a user key are inputs together.
fn check_user_keys(
    plan: &CompactionPlan,
    order: &KeyOrder,
    files: &[Arc<FileMeta>],
    places: &[usize],
) {
    for (i, pair) in files.windows(2).enumerate() {
        let is_input = |place| places.binary_search(&place).is_ok();
        if is_input(i) != is_input(i + 1) {
            assert!(
                pair[0].ends_before(order, pair[1].smallest_user_key()),
                "CP2: expected all files of a user key, found {plan} without one of {pair:?}"
            );
        }
    }
}

/// CP3: no older file of level 0 that overlaps an input stays above the output.
fn check_ages(plan: &CompactionPlan, order: &KeyOrder, files: &[Arc<FileMeta>], places: &[usize]) {
    if plan.output_level == 0 {
        assert!(
            places.windows(2).all(|pair| pair[0] + 1 == pair[1]),
            "CP3: expected neighbours in age, found {plan} of {files:?}"
        );
        return;
    }
    for (place, older) in files.iter().enumerate() {
        let overlapped = |newer: &&usize| {
            let newer = &files[**newer];
            !newer.ends_before(order, older.smallest_user_key())
                && !older.ends_before(order, newer.smallest_user_key())
        };
        let newer = places.iter().filter(|newer| **newer < place).find(overlapped);
        assert!(
            newer.is_none() || places.binary_search(&place).is_ok(),
            "CP3: expected {older:?}, which is older than an input, in {plan}"
        );
    }
}

/// Asserts that new tables lie in the range of the inputs and hold nothing newer.
pub(super) fn check_outputs(plan: &CompactionPlan, order: &KeyOrder, files: &[FileMeta]) {
    if !cfg!(debug_assertions) {
        return;
    }
    let (smallest, largest) = plan.key_range(order);
    let newest = plan.input_files().map(|(_, file)| file.largest_seqno).max().unwrap_or(0);
    for file in files {
        assert!(
            order.compare_user(file.smallest_user_key(), &smallest).is_ge()
                && order.compare_user(file.largest_user_key(), &largest).is_le(),
            "expected keys from '{}' to '{}', found {file:?}",
            smallest.escape_ascii(),
            largest.escape_ascii()
        );
        assert!(
            file.largest_seqno <= newest,
            "expected numbers up to {newest} of the inputs, found {file:?}"
        );
    }
    for pair in files.windows(2) {
        assert!(
            order.compare(&pair[0].largest, &pair[1].smallest).is_lt(),
            "expected outputs in order that do not overlap, found {pair:?}"
        );
    }
}

#[cfg(all(test, debug_assertions))]
#[path = "plan_check_test.rs"]
mod tests;
