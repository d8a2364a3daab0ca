//! The meta server's part: where partitions are, tables and their environments, nodes, and the negotiation of
//! authentication.
//!
//! One process is the meta server and the only node. It may have several addresses, which clients take for several
//! nodes: each answers every request.

use super::auditing::Caller;
use super::envs::{Envs, Scenario, Settings};
use super::method::Method;
use super::service::{Answer, Outcome};
use super::table::Table;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::store::{Format, Store};
use crate::tables::{self, Catalogue, NewTable, Refusal};
use crate::thrift::meta::*;
use crate::thrift::{Address, ErrorName, Gpid, HostPort};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::Arc;
use tracing::error;

/// How long a dropped table can be recalled, if the client does not say.
const RESERVE_SECONDS: u64 = 7 * 24 * 3600;
/// The numbers of replicas that clients may ask for.
const REPLICAS: std::ops::RangeInclusive<i32> = 1..=5;
/// The status AUTH_DISABLE of a negotiation.
const AUTH_DISABLE: i32 = 9;
/// The level of the meta server that is reported, "steady", and the number that asks for it.
const LEVEL_STEADY: i32 = 400;
const LEVEL_QUERY: i32 = 10_000;
/// The status of a node that lives.
const ALIVE: i32 = 1;

/// Settings of the meta server's part.
#[derive(Debug, Clone)]
pub struct AdminOptions {
    /// The addresses of this process that clients are told. At least one.
    pub addresses: Vec<SocketAddrV4>,
    /// Whether host names are sent besides addresses. Clients from before 2024 fail on them.
    pub host_names: bool,
    /// The name of the cluster.
    pub cluster: String,
}

/// The tables of Pegasus clients, and what they are told about the cluster.
pub struct Admin {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    catalogue: Arc<Catalogue>,
    options: AdminOptions,
    /// The tables in use by id.
    tables: ArcSwap<FxHashMap<i32, Arc<Table>>>,
    /// Held while `tables` changes.
    change: Mutex<()>,
    audit: Option<Arc<Audit>>,
}

impl Admin {
    /// Takes the tables of a catalogue into use.
    ///
    /// # Errors
    ///
    /// A table's environments are not valid, or the engine refuses them.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        catalogue: Arc<Catalogue>,
        options: AdminOptions,
    ) -> Result<Admin> {
        let admin = Admin {
            store,
            clock,
            catalogue,
            options,
            tables: ArcSwap::default(),
            change: Mutex::new(()),
            audit: None,
        };
        for entry in admin.catalogue.list() {
            if entry.is_available() && entry.format() == Format::Pegasus {
                admin.take_over(entry)?;
            }
        }
        Ok(admin)
    }

    /// Writes changes to an audit log, if there is one.
    pub fn with_audit(self, audit: Option<Arc<Audit>>) -> Admin {
        Admin { audit, ..self }
    }

    /// Returns a table in use.
    pub fn table(&self, app_id: i32) -> Option<Arc<Table>> {
        self.tables.load().get(&app_id).cloned()
    }

    /// Returns the table of a name in use.
    pub(super) fn table_named(&self, name: &str) -> Option<Arc<Table>> {
        self.table(self.entry(name)?.info().app_id)
    }

    /// Creates a table unless a table of that name exists.
    ///
    /// # Errors
    ///
    /// The name or the number of partitions is not valid, or the store failed.
    pub fn ensure_table(&self, name: &str, partitions: i32) -> Result<()> {
        let _change = self.change.lock();
        if self.entry(name).is_some() {
            return Ok(());
        }
        let new = NewTable {
            name: name.to_owned(),
            format: Format::Pegasus,
            partitions,
            replicas: *REPLICAS.end(),
            envs: Envs::new(),
        };
        match self.catalogue.create(new, self.unix_seconds()) {
            Ok(entry) => self.take_over(entry),
            Err(Refusal::Store(error)) => Err(error),
            Err(refusal) => Err(Error::Setting(format!("table {name}: {}", explain(&refusal)))),
        }
    }

    /// Removes dropped tables whose time is over. The server calls this every few seconds.
    ///
    /// # Errors
    ///
    /// The store failed. The next call goes on.
    pub fn tick(&self) -> Result<()> {
        self.catalogue.purge(self.unix_seconds())
    }

    /// Returns the address that answers name.
    pub(super) fn server(&self) -> String {
        self.options.addresses.first().map(ToString::to_string).unwrap_or_default()
    }

    /// Answers a request of a client to the meta server.
    pub(super) fn handle(
        &self,
        method: Method,
        client: Option<SocketAddr>,
        answer: &mut Answer<'_, '_>,
    ) -> Outcome {
        let caller = &Caller { audit: self.audit.as_ref(), client, method };
        match method {
            Method::QueryConfig => decoded(answer, |request| self.query_config(&request)),
            Method::CreateApp => self.change(caller, answer, |request| self.create(request)),
            Method::DropApp => self.change(caller, answer, |request| self.drop_app(&request)),
            Method::RecallApp => self.change(caller, answer, |request| self.recall(&request)),
            Method::RenameApp => self.change(caller, answer, |request| self.rename(&request)),
            Method::ListApps => decoded(answer, |request| self.list_apps(&request)),
            Method::ListNodes => decoded(answer, |request| self.list_nodes(&request)),
            Method::ClusterInfo => decoded(answer, |_: ClusterInfo| self.cluster_info()),
            Method::UpdateAppEnv => {
                self.change(caller, answer, |request| self.update_env(&request))
            }
            Method::ControlMeta => self.change(caller, answer, |request| control(&request)),
            Method::Negotiation => {
                answer.ok(&Negotiation { status: AUTH_DISABLE, ..Negotiation::default() })
            }
            _ => answer.error(ErrorName::HandlerNotFound),
        }
    }

    fn query_config(&self, request: &QueryConfig) -> QueryConfigReply {
        let Some(entry) = self.entry(&request.app_name) else {
            return QueryConfigReply { err: ErrorName::ObjectNotFound, ..Default::default() };
        };
        let info = entry.info();
        let wanted = |at: &i32| {
            request.partition_indices.is_empty() || request.partition_indices.contains(at)
        };
        let places = (0..info.partition_count).filter(wanted);
        QueryConfigReply {
            err: ErrorName::Ok,
            app_id: info.app_id,
            partition_count: info.partition_count,
            is_stateful: true,
            partitions: places.map(|at| self.place(info, at)).collect(),
        }
    }

    /// Returns where a partition is. With several addresses, partitions begin at each in turn.
    fn place(&self, info: &AppInfo, partition: i32) -> PartitionConfig {
        let addresses = &self.options.addresses;
        let first = partition as usize % addresses.len().max(1);
        let mut nodes = addresses.iter().cycle().skip(first).take(replicas(info, addresses.len()));
        let primary = nodes.next();
        let secondaries: Vec<_> = nodes.copied().collect();
        let names = self.options.host_names;
        PartitionConfig {
            pid: Gpid { app_id: info.app_id, partition },
            ballot: 1,
            max_replica_count: replicas(info, addresses.len()) as i32,
            primary: Address(primary.copied()),
            secondaries: secondaries.iter().map(|node| Address(Some(*node))).collect(),
            hp_primary: primary.filter(|_| names).map(host_port),
            hp_secondaries: names.then(|| secondaries.iter().map(host_port).collect()),
            hp_last_drops: names.then(Vec::new),
            ..PartitionConfig::default()
        }
    }

    fn create(&self, request: CreateApp) -> CreateAppReply {
        let options = request.options;
        let refused = |err| CreateAppReply { err, app_id: 0 };
        let is_valid = matches!(options.app_type.as_str(), "" | "pegasus")
            && options.is_stateful
            && REPLICAS.contains(&options.replica_count)
            && !options.atomic_idempotent.unwrap_or(false);
        if !is_valid || Settings::new(&options.envs).is_err() {
            return refused(ErrorName::InvalidParameters);
        }
        let new = NewTable {
            name: request.app_name,
            format: Format::Pegasus,
            partitions: options.partition_count,
            replicas: options.replica_count,
            envs: options.envs,
        };
        let _change = self.change.lock();
        match self.catalogue.create(new, self.unix_seconds()) {
            Ok(entry) => {
                let app_id = entry.info().app_id;
                match self.take_over(entry) {
                    Ok(()) => CreateAppReply { err: ErrorName::Ok, app_id },
                    Err(error) => refused(report(&Refusal::Store(error))),
                }
            }
            Err(Refusal::Exists(entry))
                if options.success_if_exist
                    && entry.info().partition_count == options.partition_count =>
            {
                CreateAppReply { err: ErrorName::Ok, app_id: entry.info().app_id }
            }
            Err(refusal) => refused(report(&refusal)),
        }
    }

    fn drop_app(&self, request: &DropApp) -> ErrorReply {
        let reserve = request.options.reserve_seconds.and_then(|s| u64::try_from(s).ok());
        let reserve = reserve.filter(|seconds| *seconds > 0).unwrap_or(RESERVE_SECONDS);
        let _change = self.change.lock();
        let Some(entry) = self.entry(&request.app_name) else {
            let is_fine = request.options.success_if_not_exist;
            return ErrorReply {
                err: if is_fine { ErrorName::Ok } else { ErrorName::AppNotExist },
            };
        };
        match self.catalogue.drop_table(&request.app_name, self.unix_seconds(), reserve) {
            Ok(()) => {
                self.update(|tables| _ = tables.remove(&entry.info().app_id));
                ErrorReply::default()
            }
            Err(refusal) => ErrorReply { err: report(&refusal) },
        }
    }

    fn recall(&self, request: &RecallApp) -> RecallAppReply {
        let _change = self.change.lock();
        let is_ours = |entry: Arc<tables::Table>| entry.format() == Format::Pegasus;
        let recalled = match self.catalogue.by_id(request.app_id).is_some_and(is_ours) {
            true => {
                self.catalogue.recall(request.app_id, &request.new_app_name, self.unix_seconds())
            }
            false => Err(Refusal::Missing),
        };
        let taken = recalled.and_then(|entry| {
            self.take_over(entry.clone())?;
            Ok(entry)
        });
        match taken {
            Ok(entry) => RecallAppReply { err: ErrorName::Ok, info: self.visible(entry.info()) },
            Err(refusal) => RecallAppReply { err: report(&refusal), ..Default::default() },
        }
    }

    fn rename(&self, request: &RenameApp) -> HintReply {
        let _change = self.change.lock();
        let (old, new) = (&request.old_app_name, &request.new_app_name);
        let renamed = self.entry(old).ok_or(Refusal::Missing).and_then(|entry| {
            self.catalogue.rename(old, new)?;
            Ok(self.take_over(self.catalogue.by_id(entry.info().app_id).unwrap_or(entry))?)
        });
        hint(renamed)
    }

    fn list_apps(&self, request: &ListApps) -> ListAppsReply {
        let pattern = request.app_name_pattern.as_deref().unwrap_or("");
        let matches = |name: &str| match request.match_type.unwrap_or(1) {
            0 | 1 => Some(true),
            2 => Some(name == pattern),
            3 => Some(name.contains(pattern)),
            4 => Some(name.starts_with(pattern)),
            5 => Some(name.ends_with(pattern)),
            _ => None,
        };
        let mut infos = Vec::new();
        for entry in self.catalogue.list() {
            let info = entry.info();
            let Some(is_match) = matches(&info.app_name) else {
                let hint = "this kind of pattern is not supported".to_owned();
                let err = ErrorName::InvalidParameters;
                return ListAppsReply { err, hint: Some(hint), ..Default::default() };
            };
            if is_match && (request.status == 0 || request.status == info.status) {
                infos.push(self.visible(info));
            }
        }
        ListAppsReply { infos, ..Default::default() }
    }

    fn list_nodes(&self, request: &ListNodes) -> ListNodesReply {
        let asks_alive = request.status == 0 || request.status == ALIVE;
        let nodes = self.options.addresses.iter().filter(|_| asks_alive);
        let infos = nodes.map(|node| NodeInfo {
            status: ALIVE,
            node: Address(Some(*node)),
            hp_node: self.options.host_names.then(|| host_port(node)),
        });
        ListNodesReply { infos: infos.collect(), ..Default::default() }
    }

    fn cluster_info(&self) -> ClusterInfoReply {
        let rows = [
            ("meta_servers", self.server()),
            ("primary_meta_server", self.server()),
            ("meta_function_level", "steady".to_owned()),
            ("cluster_name", self.options.cluster.clone()),
        ];
        let (keys, values) = rows.map(|(key, value)| (key.to_owned(), value)).into_iter().unzip();
        ClusterInfoReply { err: ErrorName::Ok, keys, values }
    }

    fn update_env(&self, request: &UpdateAppEnv) -> HintReply {
        let _change = self.change.lock();
        if self.entry(&request.app_name).is_none() {
            return hint::<()>(Err(Refusal::Missing));
        }
        let changed = self.catalogue.change_envs(&request.app_name, |envs| {
            change_envs(envs, request)?;
            Settings::new(envs).map(drop)
        });
        hint(changed.and_then(|entry| Ok(self.take_over(entry)?)))
    }

    /// Takes a new or changed entry of the catalogue into use.
    fn take_over(&self, entry: Arc<tables::Table>) -> Result<()> {
        let info = entry.info();
        let settings = Settings::new(&info.envs)
            .map_err(|why| Error::corrupt(format!("table {}: {why}", info.app_name)))?;
        let old = self.table(info.app_id);
        let tuning = |settings: &Settings| (settings.scenario, settings.write_buffer_bytes);
        let is_tuned = old.as_ref().map(|old| tuning(old.settings())).unwrap_or_default();
        if tuning(&settings) != is_tuned {
            self.tune(&entry, &settings)?;
        }
        let app_id = info.app_id;
        let table = Arc::new(Table::new(entry, settings, old.as_deref()));
        self.update(|tables| _ = tables.insert(app_id, table));
        Ok(())
    }

    /// Passes the usage scenario and the size of memtables to the engine.
    fn tune(&self, entry: &tables::Table, settings: &Settings) -> Result<()> {
        let mut options = match settings.scenario {
            Scenario::Normal => vec![
                ("disable_auto_compactions", "false".to_owned()),
                ("level0_file_num_compaction_trigger", "4".to_owned()),
                ("level0_slowdown_writes_trigger", "20".to_owned()),
                ("level0_stop_writes_trigger", "36".to_owned()),
            ],
            Scenario::PreferWrite => vec![
                ("disable_auto_compactions", "false".to_owned()),
                ("level0_file_num_compaction_trigger", "10".to_owned()),
                ("level0_slowdown_writes_trigger", "30".to_owned()),
                ("level0_stop_writes_trigger", "60".to_owned()),
            ],
            Scenario::BulkLoad => vec![
                ("disable_auto_compactions", "true".to_owned()),
                ("level0_slowdown_writes_trigger", "1000000".to_owned()),
                ("level0_stop_writes_trigger", "1000000".to_owned()),
            ],
        };
        if let Some(bytes) = settings.write_buffer_bytes {
            options.push(("write_buffer_size", bytes.to_string()));
        }
        let options: Vec<_> = options.iter().map(|(name, text)| (*name, text.as_str())).collect();
        entry.partitions().iter().try_for_each(|at| self.store.set_options(*at, &options))
    }

    /// Returns a table of Pegasus rows that is in use.
    fn entry(&self, name: &str) -> Option<Arc<tables::Table>> {
        self.catalogue.by_name(name).filter(|entry| entry.format() == Format::Pegasus)
    }

    /// Returns a description with the number of replicas that exist.
    fn visible(&self, info: &AppInfo) -> AppInfo {
        let max_replica_count = replicas(info, self.options.addresses.len()) as i32;
        AppInfo { max_replica_count, ..info.clone() }
    }

    fn update(&self, change: impl FnOnce(&mut FxHashMap<i32, Arc<Table>>)) {
        let mut tables = FxHashMap::clone(&self.tables.load());
        change(&mut tables);
        self.tables.store(Arc::new(tables));
    }

    /// Returns the time in milliseconds since 1970.
    pub(super) fn unix_ms(&self) -> u64 {
        self.clock.wall_ms()
    }

    fn unix_seconds(&self) -> u64 {
        self.clock.wall_us() / 1_000_000
    }
}

/// Decodes the argument of a request and answers with what `run` returns.
fn decoded<T, R>(answer: &mut Answer<'_, '_>, run: impl FnOnce(T) -> R) -> Outcome
where
    T: for<'a> crate::thrift::Value<'a> + Default,
    R: for<'a> crate::thrift::Value<'a>,
{
    match answer.request.argument::<T>() {
        Ok(request) => answer.ok(&run(request)),
        Err(_) => answer.error(ErrorName::InvalidData),
    }
}

/// Returns the number of addresses that a partition of this table is said to have.
fn replicas(info: &AppInfo, addresses: usize) -> usize {
    usize::try_from(info.max_replica_count).unwrap_or(1).min(addresses).max(1)
}

fn host_port(node: &SocketAddrV4) -> HostPort {
    HostPort { host: node.ip().to_string(), port: node.port() }
}

/// Returns the name of a refusal, and reports what clients are not told.
fn report(refusal: &Refusal) -> ErrorName {
    match refusal {
        Refusal::Exists(_) => ErrorName::AppExist,
        Refusal::Missing => ErrorName::AppNotExist,
        Refusal::Invalid(_) => ErrorName::InvalidParameters,
        Refusal::Store(error) => {
            error!(target: "ferrolith::pegasus", %error, "a change of the tables failed");
            ErrorName::LocalAppFailure
        }
    }
}

/// Returns a sentence about a refusal.
fn explain(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Invalid(why) => why.clone(),
        Refusal::Exists(table) => format!("a table named {} exists", table.info().app_name),
        Refusal::Missing => "there is no such table".to_owned(),
        Refusal::Store(error) => error.to_string(),
    }
}

fn hint<T>(result: tables::Change<T>) -> HintReply {
    match result {
        Ok(_) => HintReply::default(),
        Err(refusal) => HintReply { err: report(&refusal), hint: explain(&refusal) },
    }
}

fn control(request: &ControlMeta) -> ControlMetaReply {
    let err = match request.level {
        LEVEL_QUERY => ErrorName::Ok,
        _ => ErrorName::OperationDisabled,
    };
    ControlMetaReply { err, old_level: LEVEL_STEADY }
}

/// Sets, deletes or clears environments as a request says.
fn change_envs(envs: &mut Envs, request: &UpdateAppEnv) -> std::result::Result<(), String> {
    let keys = request.keys.as_deref().unwrap_or_default();
    let values = request.values.as_deref().unwrap_or_default();
    match request.op {
        1 if keys.len() != values.len() || keys.is_empty() => Err(format!(
            "expected as many values as keys, found {} and {}",
            values.len(),
            keys.len()
        )),
        1 => {
            envs.extend(keys.iter().cloned().zip(values.iter().cloned()));
            Ok(())
        }
        2 if keys.is_empty() => Err("expected the keys to delete".to_owned()),
        2 => {
            envs.retain(|name, _| !keys.contains(name));
            Ok(())
        }
        3 => {
            let prefix = request.clear_prefix.as_deref().unwrap_or("");
            envs.retain(|name, _| !is_below(name, prefix));
            Ok(())
        }
        op => Err(format!("expected operation 1 (set), 2 (delete) or 3 (clear), found {op}")),
    }
}

/// Returns whether a name begins with a prefix and a dot. An empty prefix covers all names.
fn is_below(name: &str, prefix: &str) -> bool {
    prefix.is_empty() || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
#[path = "admin_test.rs"]
mod tests;
