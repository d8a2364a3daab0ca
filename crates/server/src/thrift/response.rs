//! The answers of the operations on rows. `error` is a storage status: 0, or a number of [`status`].

use super::request::KeyValue;
use super::value::{Blob, messages};
use std::borrow::Cow;

/// Storage statuses, which are RocksDB's codes.
pub mod status {
    /// Success.
    pub const OK: i32 = 0;
    /// The row is absent or expired, or the scan context is unknown.
    pub const NOT_FOUND: i32 = 1;
    /// The stored bytes are damaged.
    pub const CORRUPTION: i32 = 2;
    /// The operation is not supported.
    pub const NOT_SUPPORTED: i32 = 3;
    /// The arguments are not valid.
    pub const INVALID_ARGUMENT: i32 = 4;
    /// The engine failed to read or write.
    pub const IO_ERROR: i32 = 5;
    /// A limit stopped the read; there is more.
    pub const INCOMPLETE: i32 = 7;
    /// A check failed.
    pub const TRY_AGAIN: i32 = 13;
}

messages! {
    /// Of PUT, MULTI_PUT and REMOVE.
    Update<'a> {
        1 error: i32,
        2 app_id: i32,
        3 partition_index: i32,
        4 decree: i64,
        5 server: Cow<'a, str>,
    }

    /// Of GET.
    Read<'a> {
        1 error: i32,
        2 value: Blob<'a>,
        3 app_id: i32,
        4 partition_index: i32,
        6 server: Cow<'a, str>,
    }

    /// Of TTL.
    Ttl<'a> {
        1 error: i32,
        /// Seconds; -1 if the row does not expire.
        2 ttl_seconds: i32,
        3 app_id: i32,
        4 partition_index: i32,
        6 server: Cow<'a, str>,
    }

    /// Of SORTKEY_COUNT.
    Count<'a> {
        1 error: i32,
        /// -1 if the time limit stopped the count.
        2 count: i64,
        3 app_id: i32,
        4 partition_index: i32,
        6 server: Cow<'a, str>,
    }

    /// Of MULTI_GET.
    MultiGetReply<'a> {
        1 error: i32,
        2 kvs: Vec<KeyValue<'a>>,
        3 app_id: i32,
        4 partition_index: i32,
        6 server: Cow<'a, str>,
    }

    /// A row of BATCH_GET.
    FullData<'a> {
        1 hash_key: Blob<'a>,
        2 sort_key: Blob<'a>,
        3 value: Blob<'a>,
    }

    /// Of BATCH_GET.
    BatchGetReply<'a> {
        1 error: i32,
        2 data: Vec<FullData<'a>>,
        3 app_id: i32,
        4 partition_index: i32,
        6 server: Cow<'a, str>,
    }

    /// Of MULTI_REMOVE.
    MultiRemoveReply<'a> {
        1 error: i32,
        /// The number of keys in the request.
        2 count: i64,
        3 app_id: i32,
        4 partition_index: i32,
        5 decree: i64,
        6 server: Cow<'a, str>,
    }

    /// Of INCR.
    IncrReply<'a> {
        1 error: i32,
        2 new_value: i64,
        3 app_id: i32,
        4 partition_index: i32,
        5 decree: i64,
        6 server: Cow<'a, str>,
    }

    /// Of CHECK_AND_SET and CHECK_AND_MUTATE.
    CheckReply<'a> {
        1 error: i32,
        2 check_value_returned: bool,
        3 check_value_exist: bool,
        4 check_value: Blob<'a>,
        5 app_id: i32,
        6 partition_index: i32,
        7 decree: i64,
        8 server: Cow<'a, str>,
    }

    /// Of GET_SCANNER and SCAN.
    ScanReply<'a> {
        1 error: i32,
        2 kvs: Vec<KeyValue<'a>>,
        /// The context of the next SCAN; -1 at the end.
        3 context_id: i64,
        4 app_id: i32,
        5 partition_index: i32,
        6 server: Cow<'a, str>,
        /// The number of rows, if only that was asked for.
        7 kv_count: Option<i32>,
    }
}
