use super::*;
use crate::compaction::picker::{CompactionPicker, ManualCompaction, ManualStep, PickContext};
use crate::options::{ColumnFamilyOptions, CompactRangeOptions};
use crate::version::testing::shared;
use crate::version::{VersionBuilder, VersionEdit};

/// Two files of level 0 that overlap, and two of level 1 that share the user key `m`.
fn version() -> Version {
    let mut edit = VersionEdit::default();
    for (level, number, keys, seqs) in [
        (0, 4, ("a", "k"), (31, 32)),
        (0, 3, ("b", "c"), (21, 22)),
        (1, 2, ("a", "m"), (11, 12)),
        (1, 1, ("m", "z"), (1, 2)),
    ] {
        edit.add_file(level, shared(number, keys, seqs));
    }
    let mut builder = VersionBuilder::new(Arc::new(Version::empty(KeyOrder::bytewise(), 4)));
    builder.apply(&edit).unwrap();
    builder.build().unwrap().version
}

/// A plan of everything on levels 0 and 1.
fn plan(version: &Version) -> CompactionPlan {
    let mut manual = ManualCompaction::new(None, None, &CompactRangeOptions::default(), 9);
    let options = ColumnFamilyOptions {
        level_compaction_dynamic_level_bytes: false,
        num_levels: 4,
        ..ColumnFamilyOptions::default()
    };
    let mut picker = CompactionPicker::new(0);
    match manual.step(&mut picker, version, &options, &PickContext::default()) {
        ManualStep::Run(plan) => *plan,
        _ => panic!("expected a plan"),
    }
}

#[test]
fn a_plan_that_was_picked_passes() {
    let version = version();
    let plan = plan(&version);
    assert_eq!(plan.num_input_files(), 4);
    check_plan(&plan, &version);
    check_outputs(&plan, version.order(), &[]);
}

#[test]
#[should_panic(expected = "CP1: expected files in the order of level 0")]
fn inputs_in_another_order_are_found() {
    let version = version();
    let mut plan = plan(&version);
    plan.inputs[0].files.reverse();
    check_plan(&plan, &version);
}

#[test]
#[should_panic(expected = "CP2: expected all files of a user key")]
fn a_user_key_that_is_split_is_found() {
    let version = version();
    let mut plan = plan(&version);
    plan.inputs[1].files.pop();
    check_plan(&plan, &version);
}

#[test]
#[should_panic(expected = "CP3: expected #3")]
fn an_older_file_that_stays_above_is_found() {
    let version = version();
    let mut plan = plan(&version);
    plan.inputs[0].files.pop();
    check_plan(&plan, &version);
}

#[test]
#[should_panic(expected = "expected keys from 'a' to 'z'")]
fn outputs_beyond_the_inputs_are_found() {
    let version = version();
    let plan = plan(&version);
    let file = crate::version::testing::file(9, ("a", "zz"), (1, 2));
    check_outputs(&plan, version.order(), &[file]);
}

#[test]
#[should_panic(expected = "expected numbers up to 32 of the inputs")]
fn outputs_that_are_newer_than_the_inputs_are_found() {
    let version = version();
    let plan = plan(&version);
    let file = crate::version::testing::file(9, ("a", "z"), (1, 33));
    check_outputs(&plan, version.order(), &[file]);
}
