//! The arguments of the operations on rows. Times of expiry are seconds since 2016; 0 means never.

use super::value::{Blob, messages};

messages! {
    /// PUT. The protocol's fields 4 to 7 are for traffic between servers.
    Put<'a> {
        /// The raw key: length of the hash key, hash key, sort key.
        1 key: Blob<'a>,
        2 value: Blob<'a>,
        3 expire_ts_seconds: i32,
    }

    /// A row of MULTI_PUT, or of an answer.
    KeyValue<'a> {
        /// The sort key; in answers to scans the raw key.
        1 key: Blob<'a>,
        2 value: Blob<'a>,
        3 expire_ts_seconds: Option<i32>,
    }

    /// MULTI_PUT.
    MultiPut<'a> {
        1 hash_key: Blob<'a>,
        2 kvs: Vec<KeyValue<'a>>,
        3 expire_ts_seconds: i32,
    }

    /// MULTI_REMOVE.
    MultiRemove<'a> {
        1 hash_key: Blob<'a>,
        2 sort_keys: Vec<Blob<'a>>,
        /// Not used by any server.
        3 max_count: i64,
    }

    /// MULTI_GET: of the given sort keys, or of a range if there are none.
    MultiGet<'a> {
        1 hash_key: Blob<'a>,
        2 sort_keys: Vec<Blob<'a>>,
        /// The maximum number of rows; no limit if it is not positive.
        3 max_kv_count: i32,
        /// The maximum number of bytes of keys and values; no limit if it is not positive.
        4 max_kv_size: i32,
        5 no_value: bool,
        6 start_sortkey: Blob<'a>,
        7 stop_sortkey: Blob<'a>,
        8 start_inclusive: bool,
        9 stop_inclusive: bool,
        10 sort_key_filter_type: i32,
        11 sort_key_filter_pattern: Blob<'a>,
        12 reverse: bool,
    }

    /// A key of BATCH_GET.
    FullKey<'a> {
        1 hash_key: Blob<'a>,
        2 sort_key: Blob<'a>,
    }

    /// BATCH_GET.
    BatchGet<'a> {
        1 keys: Vec<FullKey<'a>>,
    }

    /// INCR.
    Incr<'a> {
        /// The raw key.
        1 key: Blob<'a>,
        2 increment: i64,
        /// 0 keeps the row's expiry, a negative number clears it.
        3 expire_ts_seconds: i32,
    }

    /// CHECK_AND_SET.
    CheckAndSet<'a> {
        1 hash_key: Blob<'a>,
        2 check_sort_key: Blob<'a>,
        3 check_type: i32,
        4 check_operand: Blob<'a>,
        5 set_diff_sort_key: bool,
        6 set_sort_key: Blob<'a>,
        7 set_value: Blob<'a>,
        8 set_expire_ts_seconds: i32,
        9 return_check_value: bool,
    }

    /// A change of CHECK_AND_MUTATE.
    Mutate<'a> {
        /// 0 puts, 1 deletes.
        1 operation: i32,
        2 sort_key: Blob<'a>,
        3 value: Blob<'a>,
        4 set_expire_ts_seconds: i32,
    }

    /// CHECK_AND_MUTATE.
    CheckAndMutate<'a> {
        1 hash_key: Blob<'a>,
        2 check_sort_key: Blob<'a>,
        3 check_type: i32,
        4 check_operand: Blob<'a>,
        5 mutate_list: Vec<Mutate<'a>>,
        6 return_check_value: bool,
    }

    /// GET_SCANNER.
    GetScanner<'a> {
        /// The raw key of the first row.
        1 start_key: Blob<'a>,
        /// The raw key of the last row.
        2 stop_key: Blob<'a>,
        3 start_inclusive: bool,
        4 stop_inclusive: bool,
        5 batch_size: i32,
        6 no_value: bool,
        7 hash_key_filter_type: i32,
        8 hash_key_filter_pattern: Blob<'a>,
        9 sort_key_filter_type: i32,
        10 sort_key_filter_pattern: Blob<'a>,
        /// True if absent.
        11 validate_partition_hash: Option<bool>,
        12 return_expire_ts: Option<bool>,
        13 full_scan: Option<bool>,
        14 only_return_count: Option<bool>,
    }

    /// SCAN.
    Scan {
        1 context_id: i64,
    }
}
