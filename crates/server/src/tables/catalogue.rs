//! The catalogue of tables: creating, dropping, recalling, renaming and listing them, and their environments.
//!
//! ```text
//! partition 0   T.next        CounterRow
//!               T.<id:4>      TableRow
//! ```
//!
//! * **TC1** A table's row is written as CREATING before its partitions exist, and as AVAILABLE after. Opening finishes
//!   what a crash interrupted.
//! * **TC2** A dropped table keeps its partitions until its time is over. Its partitions are dropped before its row, so
//!   that a crash leaves no partition without a row.

use super::row::{CounterRow, TableRow, state};
use crate::error::{Error, Result};
use crate::rows::redis::RowKey;
use crate::store::local::SYSTEM;
use crate::store::{Batch, Format, Partition, Range, Store, Txn};
use crate::thrift::meta::AppInfo;
use crate::thrift::{Reader, Value};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum length of a table's name.
const NAME_MAX: usize = 256;
/// The maximum number of partitions of all tables that are not purged.
const PARTITIONS_MAX: usize = 4096;

const COUNTER_KEY: &[u8] = b"T.next";
const TABLE_PREFIX: &[u8] = b"T.";

/// Why a change of the catalogue was refused.
#[derive(Debug)]
pub enum Refusal {
    /// A table of that name exists.
    Exists(Arc<Table>),
    /// There is no such table.
    Missing,
    /// An argument is not valid: its name, what was found, and what is allowed.
    Invalid(String),
    /// The store failed.
    Store(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Store(error)
    }
}

/// The result of a change of the catalogue.
pub type Change<T> = std::result::Result<T, Refusal>;

/// A table. A change makes a new one.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    info: AppInfo,
    format: Format,
    partitions: Vec<Partition>,
}

impl Table {
    /// Returns the description that clients see.
    pub fn info(&self) -> &AppInfo {
        &self.info
    }

    /// Returns the format of the table's rows.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the table's partitions, whose number is a power of two.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// Returns whether the table is in use.
    pub fn is_available(&self) -> bool {
        self.info.status == state::AVAILABLE
    }

    fn from_row(row: TableRow) -> Result<Table> {
        let format = match row.info.app_type.as_str() {
            "redis" => Format::Redis,
            "pegasus" => Format::Pegasus,
            other => {
                return Err(Error::corrupt(format!(
                    "table {}: expected type redis or pegasus, found {other:?}",
                    row.info.app_id
                )));
            }
        };
        let partitions = row.partitions.iter().map(|at| u32::try_from(*at).map(Partition));
        let partitions: std::result::Result<Vec<_>, _> = partitions.collect();
        let partitions = partitions.ok().filter(|all| all.len().is_power_of_two());
        let partitions = partitions.ok_or_else(|| {
            Error::corrupt(format!("table {}: its partitions are not valid", row.info.app_id))
        })?;
        Ok(Table { info: row.info, format, partitions })
    }

    fn to_row(&self) -> TableRow {
        let partitions = self.partitions.iter().map(|at| at.0 as i32).collect();
        TableRow { info: self.info.clone(), partitions }
    }
}

/// What a new table shall be like.
#[derive(Debug, Clone)]
pub struct NewTable {
    /// Its name.
    pub name: String,
    /// The format of its rows.
    pub format: Format,
    /// The number of its partitions, a power of two from 2 upwards.
    pub partitions: i32,
    /// The number of replicas that clients expect.
    pub replicas: i32,
    /// Its environments.
    pub envs: BTreeMap<String, String>,
}

/// All tables by id.
type Tables = BTreeMap<i32, Arc<Table>>;

/// The catalogue of a store.
pub struct Catalogue {
    store: Arc<dyn Store>,
    tables: ArcSwap<Tables>,
    /// The next numbers. Held during every change.
    next: Mutex<CounterRow>,
}

impl Catalogue {
    /// Reads the catalogue, and finishes what a crash interrupted.
    ///
    /// # Errors
    ///
    /// Fails if rows are damaged or cannot be read.
    pub fn open(store: Arc<dyn Store>) -> Result<Catalogue> {
        let (mut tables, mut next) = (Tables::new(), CounterRow { app_id: 1, partition: 1 });
        let mut cursor = store.cursor(SYSTEM, &Range::prefix(TABLE_PREFIX), None)?;
        cursor.seek_to_end(false);
        while let Some((key, value)) = cursor.item() {
            let read = |e| Error::corrupt(format!("the row {}: {e}", key.escape_ascii()));
            if key == COUNTER_KEY {
                next = CounterRow::read(&mut Reader::new(value)).map_err(read)?;
            } else {
                let table =
                    Table::from_row(TableRow::read(&mut Reader::new(value)).map_err(read)?)?;
                tables.insert(table.info.app_id, Arc::new(table));
            }
            cursor.step(false);
        }
        cursor.status()?;
        drop(cursor);
        let catalogue =
            Catalogue { store, tables: ArcSwap::from_pointee(tables), next: Mutex::new(next) };
        for table in catalogue.list() {
            if table.info.status == state::CREATING {
                catalogue.finish_creation(&table)?;
            }
        }
        Ok(catalogue)
    }

    /// Returns a table by its id, whatever its state.
    pub fn by_id(&self, app_id: i32) -> Option<Arc<Table>> {
        self.tables.load().get(&app_id).cloned()
    }

    /// Returns the table of a name that is in use.
    pub fn by_name(&self, name: &str) -> Option<Arc<Table>> {
        let tables = self.tables.load();
        tables.values().find(|table| table.info.app_name == name && table.is_available()).cloned()
    }

    /// Returns all tables, dropped ones included, in the order of their ids.
    pub fn list(&self) -> Vec<Arc<Table>> {
        self.tables.load().values().cloned().collect()
    }

    /// Creates a table.
    ///
    /// # Errors
    ///
    /// The name exists or is not valid, or the number of partitions is not valid.
    pub fn create(&self, new: NewTable, unix_seconds: u64) -> Change<Arc<Table>> {
        let mut next = self.next.lock();
        if let Some(table) = self.by_name(&new.name) {
            return Err(Refusal::Exists(table));
        }
        check_name(&new.name)?;
        let used: usize = self.tables.load().values().map(|table| table.partitions.len()).sum();
        let count = u32::try_from(new.partitions).unwrap_or(0);
        if count < 2 || !count.is_power_of_two() || used + count as usize > PARTITIONS_MAX {
            return Err(Refusal::Invalid(format!(
                "partition_count: expected a power of two from 2, with at most {PARTITIONS_MAX} \
                 partitions of all tables, found {} in addition to {used}",
                new.partitions
            )));
        }
        let app_type = match new.format {
            Format::Redis => "redis",
            Format::Pegasus => "pegasus",
        };
        let info = AppInfo {
            status: state::CREATING,
            app_type: app_type.to_owned(),
            app_name: new.name,
            app_id: next.app_id,
            partition_count: new.partitions,
            envs: new.envs,
            is_stateful: true,
            max_replica_count: new.replicas,
            create_second: seconds(unix_seconds),
            init_partition_count: -1,
            ..AppInfo::default()
        };
        let first = next.partition as u32;
        let partitions = (first..first + count).map(Partition).collect();
        let table = Table { info, format: new.format, partitions };
        next.app_id += 1;
        next.partition += new.partitions;
        self.write(&table, Some(&next))?;
        Ok(self.finish_creation(&table)?)
    }

    /// Drops a table, which can be recalled for some time.
    ///
    /// # Errors
    ///
    /// There is no table of that name in use.
    pub fn drop_table(&self, name: &str, unix_seconds: u64, reserve_seconds: u64) -> Change<()> {
        let _change = self.next.lock();
        let mut table = Table::clone(&*self.by_name(name).ok_or(Refusal::Missing)?);
        table.info.status = state::DROPPED;
        table.info.drop_second = seconds(unix_seconds);
        table.info.expire_second = seconds(unix_seconds.saturating_add(reserve_seconds));
        Ok(self.write(&table, None)?)
    }

    /// Brings a dropped table back, under its old name if `name` is empty.
    ///
    /// # Errors
    ///
    /// There is no dropped table with that id, its time is over, or the name is used or not valid.
    pub fn recall(&self, app_id: i32, name: &str, unix_seconds: u64) -> Change<Arc<Table>> {
        let _change = self.next.lock();
        let table = self.by_id(app_id).filter(|table| {
            let is_over = table.info.expire_second <= seconds(unix_seconds);
            table.info.status == state::DROPPED && !is_over
        });
        let mut table = Table::clone(&*table.ok_or(Refusal::Missing)?);
        if !name.is_empty() {
            check_name(name)?;
            table.info.app_name = name.to_owned();
        }
        if let Some(other) = self.by_name(&table.info.app_name) {
            return Err(Refusal::Exists(other));
        }
        table.info.status = state::AVAILABLE;
        (table.info.drop_second, table.info.expire_second) = (0, 0);
        self.write(&table, None)?;
        Ok(Arc::new(table))
    }

    /// Renames a table.
    ///
    /// # Errors
    ///
    /// There is no table of the old name in use, or the new name is used or not valid.
    pub fn rename(&self, old: &str, new: &str) -> Change<()> {
        let _change = self.next.lock();
        let mut table = Table::clone(&*self.by_name(old).ok_or(Refusal::Missing)?);
        if let Some(other) = self.by_name(new) {
            return Err(Refusal::Exists(other));
        }
        check_name(new)?;
        table.info.app_name = new.to_owned();
        Ok(self.write(&table, None)?)
    }

    /// Exchanges the names of two tables each, one pair after the other, in the commit of a transaction.
    ///
    /// # Errors
    ///
    /// One of them is not in use, or the store failed. Nothing is committed then.
    pub fn exchange(&self, pairs: &[[String; 2]], txn: &mut Txn) -> Change<()> {
        let _change = self.next.lock();
        let mut tables: BTreeMap<String, Table> = BTreeMap::new();
        for name in pairs.as_flattened() {
            let table = self.by_name(name).ok_or(Refusal::Missing)?;
            tables.insert(name.clone(), Table::clone(&table));
        }
        for [one, other] in pairs.iter().filter(|[one, other]| one != other) {
            if let (Some(first), Some(second)) = (tables.remove(one), tables.remove(other)) {
                tables.extend([(one.clone(), second), (other.clone(), first)]);
            }
        }
        let mut bytes = Vec::new();
        for (name, table) in &mut tables {
            table.info.app_name.clone_from(name);
            table.to_row().write(&mut bytes);
            txn.put(SYSTEM, &table_key(table.info.app_id), &bytes)?;
            bytes.clear();
        }
        txn.commit()?;
        self.put(tables.values());
        Ok(())
    }

    /// Replaces a table's environments by what `change` makes of them.
    ///
    /// # Errors
    ///
    /// There is no table of that name in use, or `change` refuses.
    pub fn change_envs(
        &self,
        name: &str,
        change: impl FnOnce(&mut BTreeMap<String, String>) -> std::result::Result<(), String>,
    ) -> Change<Arc<Table>> {
        let _change = self.next.lock();
        let mut table = Table::clone(&*self.by_name(name).ok_or(Refusal::Missing)?);
        change(&mut table.info.envs).map_err(Refusal::Invalid)?;
        self.write(&table, None)?;
        Ok(Arc::new(table))
    }

    /// Removes dropped tables whose time is over, and their rows.
    ///
    /// # Errors
    ///
    /// The store failed. The next call goes on.
    pub fn purge(&self, unix_seconds: u64) -> Result<()> {
        let _change = self.next.lock();
        let is_over = |table: &Arc<Table>| {
            table.info.status == state::DROPPED && table.info.expire_second <= seconds(unix_seconds)
        };
        for table in self.list().into_iter().filter(is_over) {
            table.partitions.iter().try_for_each(|at| self.store.drop_partition(*at))?;
            let mut batch = Batch::default();
            self.store.delete(&mut batch, SYSTEM, &table_key(table.info.app_id))?;
            self.store.commit(&mut batch)?;
            self.update(|tables| {
                tables.remove(&table.info.app_id);
            });
        }
        Ok(())
    }

    /// Creates the partitions of a table, and makes it available.
    fn finish_creation(&self, table: &Table) -> Result<Arc<Table>> {
        let mut partitions = table.partitions.iter();
        partitions.try_for_each(|at| self.store.create_partition(*at, table.format))?;
        let mut table = table.clone();
        table.info.status = state::AVAILABLE;
        self.write(&table, None)?;
        Ok(Arc::new(table))
    }

    /// Writes a table's row, and the counters if they changed.
    fn write(&self, table: &Table, next: Option<&CounterRow>) -> Result<()> {
        let (mut batch, mut bytes) = (Batch::default(), Vec::new());
        if let Some(next) = next {
            next.write(&mut bytes);
            self.store.put(&mut batch, SYSTEM, COUNTER_KEY, &bytes)?;
            bytes.clear();
        }
        table.to_row().write(&mut bytes);
        self.store.put(&mut batch, SYSTEM, &table_key(table.info.app_id), &bytes)?;
        self.store.commit(&mut batch)?;
        self.put([table]);
        Ok(())
    }

    /// Shows tables whose rows are committed.
    fn put<'t>(&self, changed: impl IntoIterator<Item = &'t Table>) {
        let changed = changed.into_iter();
        self.update(|tables| {
            tables.extend(changed.map(|table| (table.info.app_id, Arc::new(table.clone()))));
        });
    }

    fn update(&self, change: impl FnOnce(&mut Tables)) {
        let mut tables = Tables::clone(&self.tables.load());
        change(&mut tables);
        self.tables.store(Arc::new(tables));
    }
}

fn table_key(app_id: i32) -> RowKey {
    let mut key = RowKey::from_slice(TABLE_PREFIX);
    key.extend_from_slice(&app_id.to_be_bytes());
    key
}

fn seconds(unix_seconds: u64) -> i64 {
    i64::try_from(unix_seconds).unwrap_or(i64::MAX)
}

/// Checks a table's name: letters, digits, and what Pegasus allows besides.
fn check_name(name: &str) -> Change<()> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_allowed) {
        return Err(Refusal::Invalid(format!(
            "app_name: expected 1 to {NAME_MAX} letters, digits, or one of _.:-, found {name:?}"
        )));
    }
    Ok(())
}
