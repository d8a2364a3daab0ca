//! The rows of the catalogue, in the messages' own encoding: a later version may add optional fields.

use crate::thrift::messages;
use crate::thrift::meta::AppInfo;

messages! {
    /// A table.
    TableRow {
        /// The description that clients see.
        1 info: AppInfo,
        /// The numbers of the table's partitions in the store, in order.
        2 partitions: Vec<i32>,
    }

    /// The numbers of the next table and the next partition. They are never used twice.
    CounterRow {
        1 app_id: i32,
        2 partition: i32,
    }
}

/// States of a table, as clients see them.
pub mod state {
    /// In use.
    pub const AVAILABLE: i32 = 1;
    /// Its partitions are being created.
    pub const CREATING: i32 = 2;
    /// Dropped, and can be recalled.
    pub const DROPPED: i32 = 6;
}
