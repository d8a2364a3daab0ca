//! Command tips: what Redis 7.2 tells clients about replies that vary, and how a client of a cluster spreads a command
//! over its nodes and joins the replies. COMMAND INFO shows them; this server does not use them.

const VARIES: &str = "nondeterministic_output";
const ORDER_VARIES: &str = "nondeterministic_output_order";
const TO_NODES: &str = "request_policy:all_nodes";
const TO_SHARDS: &str = "request_policy:all_shards";
const TO_SHARDS_OF_KEYS: &str = "request_policy:multi_shard";
const ALL_SUCCEED: &str = "response_policy:all_succeeded";
const ONE_SUCCEEDS: &str = "response_policy:one_succeeded";
const SUM: &str = "response_policy:agg_sum";
const LEAST: &str = "response_policy:agg_min";
const AND: &str = "response_policy:agg_logical_and";
const JOINED_SPECIALLY: &str = "response_policy:special";

/// Returns the tips of a command by its full name.
pub(super) fn of(full_name: &str) -> &'static [&'static str] {
    match full_name {
        "client|info"
        | "client|list"
        | "cluster|bumpepoch"
        | "cluster|count-failure-reports"
        | "cluster|getkeysinslot"
        | "cluster|info"
        | "cluster|links"
        | "cluster|myshardid"
        | "cluster|nodes"
        | "cluster|replicas"
        | "cluster|shards"
        | "cluster|slaves"
        | "cluster|slots"
        | "dump"
        | "hrandfield"
        | "hscan"
        | "lastsave"
        | "object|encoding"
        | "object|freq"
        | "object|idletime"
        | "object|refcount"
        | "pttl"
        | "spop"
        | "srandmember"
        | "sscan"
        | "time"
        | "ttl"
        | "xadd"
        | "xautoclaim"
        | "xclaim"
        | "xinfo|consumers"
        | "xpending"
        | "xtrim"
        | "zrandmember"
        | "zscan" => &[VARIES],
        "command" | "command|docs" | "command|info" | "command|list" | "function|list"
        | "hgetall" | "hkeys" | "hvals" | "module|list" | "sdiff" | "sinter" | "smembers"
        | "sunion" => &[ORDER_VARIES],
        "acl|deluser" | "acl|save" | "acl|setuser" | "client|setinfo" | "client|setname"
        | "config|resetstat" | "config|rewrite" | "config|set" | "script|flush" | "script|load"
        | "slowlog|reset" => &[TO_NODES, ALL_SUCCEED],
        "flushall" | "flushdb" | "function|delete" | "function|flush" | "function|load"
        | "function|restore" | "memory|purge" | "ping" => &[TO_SHARDS, ALL_SUCCEED],
        "function|stats" | "info" | "memory|doctor" | "memory|malloc-stats" | "memory|stats" => {
            &[VARIES, TO_SHARDS, JOINED_SPECIALLY]
        }
        "latency|doctor" | "latency|graph" | "latency|histogram" | "latency|history"
        | "latency|latest" => &[VARIES, TO_NODES, JOINED_SPECIALLY],
        "del" | "exists" | "touch" | "unlink" => &[TO_SHARDS_OF_KEYS, SUM],
        "mget" => &[TO_SHARDS_OF_KEYS],
        "mset" => &[TO_SHARDS_OF_KEYS, ALL_SUCCEED],
        "function|kill" | "script|kill" => &[TO_SHARDS, ONE_SUCCEEDS],
        "wait" | "waitaof" => &[TO_SHARDS, LEAST],
        "dbsize" => &[TO_SHARDS, SUM],
        "keys" => &[TO_SHARDS, ORDER_VARIES],
        "latency|reset" => &[TO_NODES, SUM],
        "randomkey" => &[TO_SHARDS, JOINED_SPECIALLY, VARIES],
        "scan" => &[VARIES, "request_policy:special", JOINED_SPECIALLY],
        "script|exists" => &[TO_SHARDS, AND],
        "slowlog|get" => &[TO_NODES, VARIES],
        "slowlog|len" => &[TO_NODES, SUM, VARIES],
        _ => &[],
    }
}
