use super::*;
use crate::pegasus::testing::{START, Server, place};
use crate::thrift::request::Put;
use crate::thrift::response::Update;

fn query(server: &Server, name: &str) -> QueryConfigReply {
    let request = QueryConfig { app_name: name.into(), partition_indices: Vec::new() };
    server.meta("RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX", &request).unwrap()
}

fn drop_app(server: &Server, name: &str, reserve_seconds: Option<i64>) -> ErrorName {
    let options = DropOptions { success_if_not_exist: false, reserve_seconds };
    let request = DropApp { app_name: name.into(), options };
    server.meta::<ErrorReply>("RPC_CM_DROP_APP", &request).unwrap().err
}

/// Returns the tables as `id name status`.
fn list(server: &Server, status: i32) -> Vec<String> {
    let request = ListApps { status, ..ListApps::default() };
    let reply: ListAppsReply = server.meta("RPC_CM_LIST_APPS", &request).unwrap();
    let line = |app: &AppInfo| format!("{} {} {}", app.app_id, app.app_name, app.status);
    reply.infos.iter().map(line).collect()
}

#[test]
fn clients_are_told_where_partitions_are() {
    let server = Server::with_table();
    let reply = query(&server, "t");
    assert_eq!((reply.err, reply.app_id, reply.partition_count), (ErrorName::Ok, 1, 4));
    assert!(reply.is_stateful);
    for (at, partition) in reply.partitions.iter().enumerate() {
        assert_eq!(partition.pid, Gpid { app_id: 1, partition: at as i32 });
        assert_eq!((partition.ballot, partition.max_replica_count), (1, 1));
        assert_eq!(partition.primary.0.unwrap().to_string(), "127.0.0.1:34801");
        assert!(partition.secondaries.is_empty() && partition.hp_primary.is_none());
    }
    assert_eq!(query(&server, "none").err, ErrorName::ObjectNotFound);
}

#[test]
fn several_addresses_stand_for_nodes() {
    let addresses: Vec<SocketAddrV4> =
        (34801..34804).map(|port| format!("127.0.0.1:{port}").parse().unwrap()).collect();
    let mut server = Server::with_table();
    server.service.admin_mut().options.addresses = addresses;
    server.service.admin_mut().options.host_names = true;
    let reply = query(&server, "t");
    let ports = |partition: &PartitionConfig| {
        let secondaries = partition.secondaries.iter();
        let all = std::iter::once(&partition.primary).chain(secondaries);
        all.map(|address| address.0.unwrap().port()).collect::<Vec<_>>()
    };
    assert_eq!(ports(&reply.partitions[0]), [34801, 34802, 34803]);
    assert_eq!(ports(&reply.partitions[2]), [34803, 34801, 34802]);
    assert_eq!(reply.partitions[2].hp_primary.as_ref().unwrap().port, 34803);
    assert_eq!(reply.partitions[2].hp_secondaries.as_ref().unwrap().len(), 2);
    let nodes: ListNodesReply = server.meta("RPC_CM_LIST_NODES", &ListNodes { status: 1 }).unwrap();
    assert_eq!(nodes.infos.len(), 3);
    let nodes: ListNodesReply = server.meta("RPC_CM_LIST_NODES", &ListNodes { status: 2 }).unwrap();
    assert!(nodes.infos.is_empty());
}

#[test]
fn tables_are_created_once() {
    let server = Server::with_table();
    for (name, count) in [("", 4), ("a b", 4), ("x", 3), ("x", 1), ("x", 0), ("x", -4), ("x", 8192)]
    {
        assert_eq!(server.create(name, count), Err(ErrorName::InvalidParameters), "{name} {count}");
    }
    assert_eq!(server.create("t", 4), Err(ErrorName::AppExist));
    let options = CreateOptions {
        partition_count: 4,
        replica_count: 1,
        success_if_exist: true,
        is_stateful: true,
        ..CreateOptions::default()
    };
    let create = |options: CreateOptions| {
        let request = CreateApp { app_name: "t".into(), options };
        server.meta::<CreateAppReply>("RPC_CM_CREATE_APP", &request).unwrap()
    };
    assert_eq!(create(options.clone()), CreateAppReply { err: ErrorName::Ok, app_id: 1 });
    let other = create(CreateOptions { partition_count: 8, ..options.clone() });
    assert_eq!(other.err, ErrorName::AppExist, "another number of partitions");
    let refused = create(CreateOptions { app_type: "other".into(), ..options.clone() });
    assert_eq!(refused.err, ErrorName::InvalidParameters);
    let envs = [("no.such".to_owned(), String::new())].into();
    assert_eq!(create(CreateOptions { envs, ..options }).err, ErrorName::InvalidParameters);
    assert_eq!(server.create("u", 2), Ok(2));
    assert_eq!(list(&server.reopen(), 0), ["1 t 1", "2 u 1"]);
}

#[test]
fn tables_of_the_command_line_are_created_once() {
    let server = Server::with_table();
    let admin = server.service.admin();
    admin.ensure_table("t", 8).unwrap();
    assert_eq!(query(&server, "t").partition_count, 4);
    admin.ensure_table("u", 8).unwrap();
    assert_eq!(query(&server, "u").partition_count, 8);
    let error = admin.ensure_table("v", 3).unwrap_err().to_string();
    assert!(error.starts_with("table v: partition_count: expected a power of two"), "{error}");
}

#[test]
fn dropped_tables_can_be_recalled_for_some_time() {
    let server = Server::with_table();
    let put = Put { key: crate::rows::pegasus::key(b"h", b"").into(), ..Put::default() };
    let try_put = || server.call("PUT", b"h", &put).get::<Update<'_>>().map(|update| update.error);
    assert_eq!(try_put(), Ok(0));
    assert_eq!(drop_app(&server, "t", Some(100)), ErrorName::Ok);
    assert_eq!(drop_app(&server, "t", None), ErrorName::AppNotExist);
    assert_eq!(query(&server, "t").err, ErrorName::ObjectNotFound);
    assert_eq!(try_put(), Err(ErrorName::ObjectNotFound));
    assert_eq!((list(&server, 0), list(&server, 1)), (vec!["1 t 6".into()], vec![]));
    assert_eq!(server.create("t", 2), Ok(2), "the name is free");

    let recall = |app_id, name: &str| {
        let request = RecallApp { app_id, new_app_name: name.into() };
        server.meta::<RecallAppReply>("RPC_CM_RECALL_APP", &request).unwrap()
    };
    assert_eq!(recall(1, "").err, ErrorName::AppExist);
    let recalled = recall(1, "old");
    assert_eq!((recalled.err, recalled.info.app_name.as_str()), (ErrorName::Ok, "old"));
    assert_eq!(try_put(), Ok(0));
    assert_eq!(drop_app(&server, "old", Some(100)), ErrorName::Ok);
    server.clock.advance_ms(100_000);
    assert_eq!(recall(1, "").err, ErrorName::AppNotExist);
    server.service.admin().tick().unwrap();
    assert_eq!(list(&server, 0), ["2 t 1"]);
    assert!(server.store.db().cf("p1").is_err(), "its rows are gone");
    let server = server.reopen();
    assert_eq!(server.create("u", 2), Ok(3), "ids are not used twice");
    assert_eq!(place(b"h").app_id, 1);
}

#[test]
fn default_reserve_is_a_week() {
    let server = Server::with_table();
    assert_eq!(drop_app(&server, "t", None), ErrorName::Ok);
    let request = ListApps { status: 6, ..ListApps::default() };
    let reply: ListAppsReply = server.meta("RPC_CM_LIST_APPS", &request).unwrap();
    let start = START as i64;
    let times = (reply.infos[0].create_second, reply.infos[0].drop_second);
    assert_eq!(times, (start, start));
    assert_eq!(reply.infos[0].expire_second, start + 7 * 24 * 3600);
}

#[test]
fn tables_are_renamed_and_found_by_patterns() {
    let server = Server::with_table();
    let rename = |old: &str, new: &str| {
        let request = RenameApp { old_app_name: old.into(), new_app_name: new.into() };
        server.meta::<HintReply>("RPC_CM_RENAME_APP", &request).unwrap()
    };
    assert_eq!(rename("t", "bad name").err, ErrorName::InvalidParameters);
    assert_eq!(rename("t", "t").err, ErrorName::AppExist);
    assert_eq!(rename("none", "t2").hint, "there is no such table");
    assert_eq!(rename("t", "t2"), HintReply::default());
    assert_eq!(
        (query(&server, "t").err, query(&server, "t2").app_id),
        (ErrorName::ObjectNotFound, 1)
    );
    let find = |pattern: &str, kind| {
        let request =
            ListApps { app_name_pattern: Some(pattern.into()), match_type: Some(kind), status: 0 };
        let reply: ListAppsReply = server.meta("RPC_CM_LIST_APPS", &request).unwrap();
        (reply.err, reply.infos.len())
    };
    for (pattern, kind, found) in
        [("x", 1, 1), ("t2", 2, 1), ("t", 2, 0), ("2", 3, 1), ("t", 4, 1), ("t", 5, 0)]
    {
        assert_eq!(find(pattern, kind), (ErrorName::Ok, found), "{pattern} {kind}");
    }
    assert_eq!(find("t.*", 6).0, ErrorName::InvalidParameters);
}

#[test]
fn environments_are_set_deleted_and_cleared() {
    let server = Server::with_table();
    let update = |op, keys: &[&str], values: &[&str], prefix: Option<&str>| {
        let texts = |texts: &[&str]| {
            (!texts.is_empty()).then(|| texts.iter().map(|text| (*text).to_owned()).collect())
        };
        let request = UpdateAppEnv {
            app_name: "t".into(),
            op,
            keys: texts(keys),
            values: texts(values),
            clear_prefix: prefix.map(str::to_owned),
        };
        server.meta::<HintReply>("RPC_CM_UPDATE_APP_ENV", &request).unwrap()
    };
    let envs = || {
        let reply: ListAppsReply = server.meta("RPC_CM_LIST_APPS", &ListApps::default()).unwrap();
        reply.infos[0].envs.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    let both = ["default_ttl", "rocksdb.usage_scenario"];
    assert_eq!(update(1, &both, &["5", "bulk_load"], None), HintReply::default());
    assert_eq!(envs(), "default_ttl rocksdb.usage_scenario");
    let refused = update(1, &["business.info", "default_ttl"], &["x", "y"], None);
    assert_eq!(refused.err, ErrorName::InvalidParameters);
    assert!(refused.hint.contains("default_ttl=y"), "{}", refused.hint);
    assert_eq!(envs(), "default_ttl rocksdb.usage_scenario", "all or nothing");
    assert!(update(1, &["default_ttl"], &[], None).hint.contains("as many values as keys"));
    assert!(update(4, &[], &[], None).hint.contains("found 4"));
    assert_eq!(update(3, &[], &[], Some("rocksdb")), HintReply::default());
    assert_eq!(envs(), "default_ttl");
    assert_eq!(update(2, &["default_ttl"], &[], None), HintReply::default());
    assert_eq!(envs(), "");
    assert_eq!(
        update(1, &["rocksdb.write_buffer_size"], &["16777216"], None),
        HintReply::default()
    );
    let server = server.reopen();
    let table = server.service.admin().table(1).unwrap();
    assert_eq!(table.settings().write_buffer_bytes, Some(16 << 20));
}

#[test]
fn the_rest_of_the_meta_server() {
    let server = Server::new();
    let info: ClusterInfoReply =
        server.meta("RPC_CM_CLUSTER_INFO", &ClusterInfo::default()).unwrap();
    assert_eq!(info.keys.len(), info.values.len());
    assert_eq!(info.values[0], "127.0.0.1:34801");
    let control = |level| {
        server.meta::<ControlMetaReply>("RPC_CM_CONTROL_META", &ControlMeta { level }).unwrap()
    };
    assert_eq!(control(10_000), ControlMetaReply { err: ErrorName::Ok, old_level: 400 });
    assert_eq!(control(500).err, ErrorName::OperationDisabled);
    let mut out = Vec::new();
    let begin = Negotiation { status: 1, ..Negotiation::default() };
    server.send(Default::default(), "RPC_NEGOTIATION", &begin, &mut out);
    let reply = crate::thrift::reply::read::<Negotiation<'_>>(&out).unwrap().unwrap().0;
    assert_eq!(reply.response.unwrap().status, AUTH_DISABLE);
    let unknown = server.meta::<ErrorReply>("RPC_CM_START_BALANCE", &ClusterInfo::default());
    assert_eq!(unknown, Err(ErrorName::HandlerNotFound));
}
