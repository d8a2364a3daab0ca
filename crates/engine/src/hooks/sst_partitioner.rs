//! Partitioners: user code that decides between which keys a compaction must start another table.

/// Decides where the tables of one compaction end.
pub trait SstPartitioner: Send {
    /// Returns the name.
    fn name(&self) -> &str;

    /// Returns whether another table must begin with `current_user_key`. The table that contains `prev_user_key` has
    /// about `output_file_size` bytes.
    fn should_partition(
        &mut self,
        prev_user_key: &[u8],
        current_user_key: &[u8],
        output_file_size: u64,
    ) -> bool;

    /// Returns whether a table with these first and last keys may be moved to another level unchanged.
    fn can_do_trivial_move(&mut self, smallest_user_key: &[u8], largest_user_key: &[u8]) -> bool;
}

/// What a factory learns about the compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SstPartitionerContext<'a> {
    /// Whether the compaction reads all tables.
    pub is_full_compaction: bool,
    /// Whether a user requested it.
    pub is_manual_compaction: bool,
    /// The level of its tables; level 0 is never partitioned.
    pub output_level: usize,
    /// The first key of its input.
    pub smallest_user_key: &'a [u8],
    /// The last key of its input.
    pub largest_user_key: &'a [u8],
}

/// Creates a partitioner for each sub-compaction.
pub trait SstPartitionerFactory: Send + Sync + 'static {
    /// Returns the name in OPTIONS.
    fn name(&self) -> &str;

    /// Creates a partitioner, or returns `None`.
    fn create(&self, context: &SstPartitionerContext<'_>) -> Option<Box<dyn SstPartitioner>>;

    /// Returns the text for an OPTIONS file: the name, or `{id=name;setting=value;}`.
    fn options_text(&self) -> String {
        self.name().to_string()
    }
}

/// RocksDB's built-in factory: all keys in one table have the same first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPrefixPartitionerFactory {
    length: usize,
}

impl FixedPrefixPartitionerFactory {
    /// RocksDB's name.
    pub const NAME: &'static str = "SstPartitionerFixedPrefixFactory";

    /// Creates a factory whose partitioners cut where the first `length` bytes change.
    pub fn new(length: usize) -> FixedPrefixPartitionerFactory {
        FixedPrefixPartitionerFactory { length }
    }
}

impl SstPartitionerFactory for FixedPrefixPartitionerFactory {
    fn name(&self) -> &str {
        FixedPrefixPartitionerFactory::NAME
    }

    fn create(&self, _: &SstPartitionerContext<'_>) -> Option<Box<dyn SstPartitioner>> {
        Some(Box::new(FixedPrefixPartitioner { length: self.length }))
    }

    fn options_text(&self) -> String {
        format!("{{id={};length={};}}", self.name(), self.length)
    }
}

struct FixedPrefixPartitioner {
    length: usize,
}

impl SstPartitioner for FixedPrefixPartitioner {
    fn name(&self) -> &str {
        "SstPartitionerFixedPrefix"
    }

    fn should_partition(&mut self, prev: &[u8], current: &[u8], _size: u64) -> bool {
        let end = |key: &[u8]| key.len().min(self.length);
        prev[..end(prev)] != current[..end(current)]
    }

    fn can_do_trivial_move(&mut self, smallest: &[u8], largest: &[u8]) -> bool {
        !self.should_partition(smallest, largest, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_end_where_the_prefix_changes() {
        let mut partitioner = FixedPrefixPartitioner { length: 2 };
        let mut cuts = |a: &[u8], b: &[u8]| partitioner.should_partition(a, b, 1 << 20);
        assert!(!cuts(b"aa1", b"aa2"));
        assert!(cuts(b"aa1", b"ab"));
        assert!(cuts(b"a", b"aa"));
        assert!(!cuts(b"a", b"a"));
        assert!(partitioner.can_do_trivial_move(b"aa", b"aaa"));
        assert!(!partitioner.can_do_trivial_move(b"aa", b"b"));
        let factory = FixedPrefixPartitionerFactory::new(4);
        assert_eq!(factory.options_text(), "{id=SstPartitionerFixedPrefixFactory;length=4;}");
    }
}
