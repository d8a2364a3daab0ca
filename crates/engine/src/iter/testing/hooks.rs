//! Merge operators, filters and snapshots of transcripts.

use crate::base::testing::Command;
use crate::base::{MAX_SEQUENCE_NUMBER, SeqNo};
use crate::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    MergeOperator, StringAppendOperator, TableFileCreationReason,
};
use crate::read::JobSnapshots;
use std::sync::Arc;

/// Concatenates like `stringappend`, but does not support partial merges.
#[derive(Default)]
pub(crate) struct FullOnly(StringAppendOperator);

impl MergeOperator for FullOnly {
    fn name(&self) -> &str {
        "FullOnly"
    }
    fn full_merge(&self, key: &[u8], base: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.0.full_merge(key, base, operands)
    }
}

/// A filter controlled by the values: `drop`, `change`, `skip:KEY`; it keeps all others. Jobs get it from its factory,
/// which also applies to flushes.
#[derive(Clone, Copy)]
pub(crate) struct Obedient {
    /// The level that the filter must receive.
    pub(crate) level: usize,
}

impl CompactionFilter for Obedient {
    fn name(&self) -> &str {
        "Obedient"
    }
    fn filter(&self, level: usize, _key: &[u8], value: &[u8]) -> FilterDecision {
        assert_eq!(level, self.level);
        match value {
            b"drop" => FilterDecision::Remove,
            b"change" => FilterDecision::ChangeValue(b"changed".to_vec()),
            _ => value.strip_prefix(b"skip:").map_or(FilterDecision::Keep, |key| {
                FilterDecision::RemoveAndSkipUntil(key.to_vec())
            }),
        }
    }
    fn filter_merge_operand(&self, level: usize, key: &[u8], operand: &[u8]) -> FilterDecision {
        self.filter(level, key, operand)
    }
}

/// The factory of [`Obedient`].
pub(crate) struct Obedience;

impl CompactionFilterFactory for Obedience {
    fn name(&self) -> &str {
        "Obedience"
    }
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let level = context.input_start_level.unwrap_or(0);
        Some(Box::new(Obedient { level }))
    }
    fn should_filter_table_file_creation(&self, _: TableFileCreationReason) -> bool {
        true
    }
}

/// The merge operator for the argument `merge`: without the argument, one that concatenates operands; with `full-only`,
/// one that cannot combine operands; with `none`, no operator.
pub(crate) fn merge_operator(command: &Command<'_>) -> Option<Arc<dyn MergeOperator>> {
    match command.value("merge") {
        None => Some(Arc::new(StringAppendOperator::default())),
        Some("full-only") => Some(Arc::new(FullOnly::default())),
        Some("none") => None,
        Some(other) => panic!("unknown operator {other}"),
    }
}

/// The arguments `snapshots`, ascending, and `check-from`.
pub(crate) fn snapshots(command: &Command<'_>) -> JobSnapshots {
    let list = command.value("snapshots").unwrap_or("").split_terminator(',');
    let mut sequences: Vec<SeqNo> = list.map(|seq| seq.parse().unwrap()).collect();
    sequences.sort_unstable();
    let check_from = command.number("check-from").unwrap_or(MAX_SEQUENCE_NUMBER);
    JobSnapshots { sequences, check_from }
}
