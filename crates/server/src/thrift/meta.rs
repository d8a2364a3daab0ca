//! The messages of a meta server: where partitions are, tables, nodes, environments, and the negotiation of
//! authentication.

use super::name::ErrorName;
use super::value::{Address, Blob, Gpid, HostPort, messages};
use std::collections::BTreeMap;

messages! {
    /// RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX.
    QueryConfig {
        1 app_name: String,
        /// Empty for all.
        2 partition_indices: Vec<i32>,
    }

    /// Where a partition is.
    PartitionConfig {
        1 pid: Gpid,
        /// At least 1 for a usable partition.
        2 ballot: i64,
        3 max_replica_count: i32,
        4 primary: Address,
        5 secondaries: Vec<Address>,
        6 last_drops: Vec<Address>,
        7 last_committed_decree: i64,
        8 partition_flags: i32,
        /// Fields 9 to 11 break clients that are older than these fields.
        9 hp_primary: Option<HostPort>,
        10 hp_secondaries: Option<Vec<HostPort>>,
        11 hp_last_drops: Option<Vec<HostPort>>,
    }

    /// The answer to QueryConfig.
    QueryConfigReply {
        1 err: ErrorName,
        2 app_id: i32,
        3 partition_count: i32,
        4 is_stateful: bool,
        5 partitions: Vec<PartitionConfig>,
    }

    /// Options of a new table.
    CreateOptions {
        1 partition_count: i32,
        2 replica_count: i32,
        3 success_if_exist: bool,
        4 app_type: String,
        5 is_stateful: bool,
        6 envs: BTreeMap<String, String>,
        7 atomic_idempotent: Option<bool>,
    }

    /// RPC_CM_CREATE_APP.
    CreateApp {
        1 app_name: String,
        2 options: CreateOptions,
    }

    /// The answer to CreateApp.
    CreateAppReply {
        1 err: ErrorName,
        2 app_id: i32,
    }

    /// Options of dropping a table.
    DropOptions {
        1 success_if_not_exist: bool,
        /// How long the table can be recalled.
        2 reserve_seconds: Option<i64>,
    }

    /// RPC_CM_DROP_APP.
    DropApp {
        1 app_name: String,
        2 options: DropOptions,
    }

    /// An answer with nothing but an error.
    ErrorReply {
        1 err: ErrorName,
    }

    /// RPC_CM_RECALL_APP.
    RecallApp {
        1 app_id: i32,
        2 new_app_name: String,
    }

    /// A table.
    AppInfo {
        /// 1 available, 6 dropped.
        1 status: i32,
        2 app_type: String,
        3 app_name: String,
        4 app_id: i32,
        5 partition_count: i32,
        6 envs: BTreeMap<String, String>,
        7 is_stateful: bool,
        8 max_replica_count: i32,
        /// Unix seconds from which a dropped table cannot be recalled.
        9 expire_second: i64,
        10 create_second: i64,
        11 drop_second: i64,
        12 duplicating: Option<bool>,
        13 init_partition_count: i32,
        14 is_bulk_loading: Option<bool>,
        15 atomic_idempotent: Option<bool>,
    }

    /// The answer to RecallApp.
    RecallAppReply {
        1 err: ErrorName,
        2 info: AppInfo,
    }

    /// RPC_CM_RENAME_APP.
    RenameApp {
        1 old_app_name: String,
        2 new_app_name: String,
    }

    /// An answer with an error and an explanation.
    HintReply {
        1 err: ErrorName,
        2 hint: String,
    }

    /// RPC_CM_LIST_APPS.
    ListApps {
        /// 0 for all, dropped tables included.
        1 status: i32,
        2 app_name_pattern: Option<String>,
        3 match_type: Option<i32>,
    }

    /// The answer to ListApps.
    ListAppsReply {
        1 err: ErrorName,
        2 infos: Vec<AppInfo>,
        3 hint: Option<String>,
    }

    /// RPC_CM_LIST_NODES.
    ListNodes {
        /// 0 for all, 1 alive, 2 not alive.
        1 status: i32,
    }

    /// A node.
    NodeInfo {
        1 status: i32,
        2 node: Address,
        /// Breaks older clients, as the host names of partitions do.
        3 hp_node: Option<HostPort>,
    }

    /// The answer to ListNodes.
    ListNodesReply {
        1 err: ErrorName,
        2 infos: Vec<NodeInfo>,
    }

    /// RPC_CM_CLUSTER_INFO.
    ClusterInfo {}

    /// The answer to ClusterInfo: keys and their values in the same order.
    ClusterInfoReply {
        1 err: ErrorName,
        2 keys: Vec<String>,
        3 values: Vec<String>,
    }

    /// RPC_CM_UPDATE_APP_ENV.
    UpdateAppEnv {
        1 app_name: String,
        /// 1 sets, 2 deletes, 3 clears.
        2 op: i32,
        3 keys: Option<Vec<String>>,
        4 values: Option<Vec<String>>,
        /// What CLEAR removes: everything if it is empty.
        5 clear_prefix: Option<String>,
    }

    /// RPC_CM_CONTROL_META.
    ControlMeta {
        1 level: i32,
    }

    /// The answer to ControlMeta.
    ControlMetaReply {
        1 err: ErrorName,
        2 old_level: i32,
    }

    /// RPC_NEGOTIATION, in both directions.
    Negotiation<'a> {
        1 status: i32,
        2 msg: Blob<'a>,
    }
}
