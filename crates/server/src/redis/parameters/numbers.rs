//! The parameters that are numbers. Names, bounds and defaults are those of Redis 7.0, and two of 7.2.

use super::kind::{memory, memory_or_percent, octal, signed, signed_memory, unsigned};
use super::parameter::Parameter;

const INT_MAX: i128 = i32::MAX as i128;
const INT_MIN: i128 = i32::MIN as i128;
const UINT_MAX: i128 = u32::MAX as i128;
const LONG_MAX: i128 = i64::MAX as i128;
const ULONG_MAX: i128 = u64::MAX as i128;

/// Parameters that are plain numbers.
pub(super) const COUNTS: &[Parameter] = &[
    signed("databases", 1, INT_MAX, "16").fixed(),
    signed("port", 0, 65535, "6379").needs_restart(),
    signed("tls-port", 0, 65535, "0").needs_restart(),
    signed("io-threads", 1, 128, "1").fixed(),
    signed("auto-aof-rewrite-percentage", 0, INT_MAX, "100"),
    signed("cluster-replica-validity-factor", 0, INT_MAX, "10")
        .alias("cluster-slave-validity-factor"),
    signed("list-max-listpack-size", INT_MIN, INT_MAX, "-2").alias("list-max-ziplist-size"),
    signed("tcp-keepalive", 0, INT_MAX, "300"),
    signed("cluster-migration-barrier", 0, INT_MAX, "1"),
    signed("active-defrag-cycle-min", 1, 99, "1"),
    signed("active-defrag-cycle-max", 1, 99, "25"),
    signed("active-defrag-threshold-lower", 0, 1000, "10"),
    signed("active-defrag-threshold-upper", 0, 1000, "100"),
    signed("lfu-log-factor", 0, INT_MAX, "10"),
    signed("lfu-decay-time", 0, INT_MAX, "1"),
    signed("replica-priority", 0, INT_MAX, "100").alias("slave-priority"),
    signed("repl-diskless-sync-delay", 0, INT_MAX, "5"),
    signed("maxmemory-samples", 1, INT_MAX, "5"),
    signed("maxmemory-eviction-tenacity", 0, 100, "10"),
    signed("timeout", 0, INT_MAX, "0"),
    signed("replica-announce-port", 0, 65535, "0").alias("slave-announce-port"),
    signed("tcp-backlog", 0, INT_MAX, "511").fixed(),
    signed("cluster-port", 0, 65535, "0").fixed(),
    signed("cluster-announce-bus-port", 0, 65535, "0"),
    signed("cluster-announce-port", 0, 65535, "0"),
    signed("cluster-announce-tls-port", 0, 65535, "0"),
    signed("repl-timeout", 1, INT_MAX, "60"),
    signed("repl-ping-replica-period", 1, INT_MAX, "10").alias("repl-ping-slave-period"),
    signed("list-compress-depth", 0, INT_MAX, "0"),
    signed("rdb-key-save-delay", INT_MIN, INT_MAX, "0").hidden(),
    signed("key-load-delay", INT_MIN, INT_MAX, "0").hidden(),
    signed("active-expire-effort", 1, 10, "1"),
    signed("hz", 0, INT_MAX, "10"),
    signed("min-replicas-to-write", 0, INT_MAX, "0").alias("min-slaves-to-write"),
    signed("min-replicas-max-lag", 0, INT_MAX, "10").alias("min-slaves-max-lag"),
    signed("watchdog-period", 0, INT_MAX, "0").hidden(),
    signed("shutdown-timeout", 0, INT_MAX, "10"),
    signed("repl-diskless-sync-max-replicas", 0, INT_MAX, "0"),
    unsigned("maxclients", 1, UINT_MAX, "10000"),
    octal("unixsocketperm", 0, 0o777, "0").fixed(),
    unsigned("socket-mark-id", 0, UINT_MAX, "0").fixed(),
    signed("active-defrag-max-scan-fields", 1, LONG_MAX, "1000"),
    signed("slowlog-max-len", 0, LONG_MAX, "128"),
    signed("acllog-max-len", 0, LONG_MAX, "128"),
    signed("busy-reply-threshold", 0, LONG_MAX, "5000").alias("lua-time-limit"),
    signed("cluster-node-timeout", 0, LONG_MAX, "15000"),
    signed("slowlog-log-slower-than", -1, LONG_MAX, "10000"),
    signed("latency-monitor-threshold", 0, LONG_MAX, "0"),
    signed("stream-node-max-entries", 0, LONG_MAX, "100"),
    unsigned("hash-max-listpack-entries", 0, LONG_MAX, "512").alias("hash-max-ziplist-entries"),
    unsigned("set-max-intset-entries", 0, LONG_MAX, "512"),
    unsigned("set-max-listpack-entries", 0, LONG_MAX, "128"),
    unsigned("zset-max-listpack-entries", 0, LONG_MAX, "128").alias("zset-max-ziplist-entries"),
    unsigned("tracking-table-max-keys", 0, LONG_MAX, "1000000"),
    signed("repl-backlog-ttl", 0, LONG_MAX, "3600"),
    signed("loading-process-events-interval-bytes", 1024, INT_MAX, "2097152").hidden(),
];

/// Parameters that are numbers of bytes.
pub(super) const SIZES: &[Parameter] = &[
    signed_memory("proto-max-bulk-len", 1 << 20, LONG_MAX, "536870912"),
    signed_memory("repl-backlog-size", 1, LONG_MAX, "1048576"),
    memory("maxmemory", 0, ULONG_MAX, "0"),
    memory("cluster-link-sendbuf-limit", 0, ULONG_MAX, "0"),
    memory("active-defrag-ignore-bytes", 1, LONG_MAX, "104857600"),
    memory("hash-max-listpack-value", 0, LONG_MAX, "64").alias("hash-max-ziplist-value"),
    memory("stream-node-max-bytes", 0, LONG_MAX, "4096"),
    memory("zset-max-listpack-value", 0, LONG_MAX, "64").alias("zset-max-ziplist-value"),
    memory("hll-sparse-max-bytes", 0, LONG_MAX, "3000"),
    memory("client-query-buffer-limit", 1 << 20, LONG_MAX, "1073741824"),
    memory_or_percent("maxmemory-clients", -100, LONG_MAX, "0"),
    signed_memory("auto-aof-rewrite-min-size", 0, LONG_MAX, "67108864"),
    memory("set-max-listpack-value", 0, LONG_MAX, "64"),
];
