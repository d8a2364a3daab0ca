//! Opening: lock, CURRENT, MANIFEST, WALs, and then the background.
//!
//! Everything that can be wrong is looked for before anything is changed. Files that an older
//! session left over are deleted only after recovery has succeeded.

use super::column_family::{ColumnFamilyData, ColumnFamilyState};
use super::families::publish_families;
use super::handles::{ColumnFamily, Db, Shared};
use super::recover::{self, ReplaySummary, Replayed};
use super::state::{DbInner, Identity, LiveWal, State, Totals, WriteState};
use crate::base::KeyOrder;
use crate::env::epoch::EpochCell;
use crate::env::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::env::sync::{Condvar, Mutex};
use crate::error::{Error, Result};
use crate::flush::OutputContext;
use crate::fs::filename::{self, FileKind};
use crate::fs::identity::{host_name, new_db_id, new_session_id};
use crate::fs::info_log::{InfoLog, InfoLogOptions};
use crate::fs::{FileLock, FileSystem, WritableOptions};
use crate::memtable::MemTable;
use crate::options::{self, ColumnFamilyOptions, DbOptions, Options, TableFactory};
use crate::read::SnapshotList;
use crate::sst::Table;
use crate::stats::Statistics;
use crate::version::{ColumnFamilySpec, Counters, VersionSet, VersionSetOptions};
use crate::version::{OpenTables, TableCache};
use crate::wal::LogWriter;
use crate::write::{CommitOrder, SyncGroup, WriteController};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The name of the column family that every database has.
pub const DEFAULT_COLUMN_FAMILY: &str = "default";

/// A column family to open, and how.
#[derive(Clone)]
pub struct ColumnFamilyDescriptor {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: ColumnFamilyOptions,
}

impl ColumnFamilyDescriptor {
    /// A column family with these options.
    pub fn new(name: impl Into<String>, options: ColumnFamilyOptions) -> ColumnFamilyDescriptor {
        ColumnFamilyDescriptor { name: name.into(), options }
    }
}

/// A database that is being opened.
pub(super) struct Opening<'a> {
    pub(super) fs: Arc<dyn FileSystem>,
    pub(super) dir: PathBuf,
    pub(super) wal_dir: PathBuf,
    pub(super) options: &'a DbOptions,
    pub(super) identity: Identity,
    pub(super) info_log: Arc<InfoLog>,
    pub(super) families: BTreeMap<u32, Arc<ColumnFamilyData>>,
    pub(super) counters: Arc<Counters>,
    pub(super) cancelled: Arc<AtomicBool>,
}

impl Opening<'_> {
    pub(super) fn family(&self, id: u32) -> Result<Arc<ColumnFamilyData>> {
        let missing = || Error::corruption(format!("column family {id} is not open"));
        self.families.get(&id).cloned().ok_or_else(missing)
    }

    pub(super) fn output_context<'b>(&'b self, family: &'b ColumnFamilyData) -> OutputContext<'b> {
        OutputContext {
            fs: &self.fs,
            dir: &self.dir,
            db_options: self.options,
            options: &family.options,
            order: &family.order,
            column_family_id: family.id,
            column_family_name: &family.name,
            db_id: &self.identity.db_id,
            session_id: &self.identity.session_id,
            host: &self.identity.host,
            level: 0,
            compression: crate::compaction::picker::compression_for_flush(&family.options),
            bottommost: false,
            oldest_ancestor_time: 0,
            counters: &self.counters,
            cancelled: &self.cancelled,
        }
    }
}

impl Db {
    /// Opens a database that has only the default column family.
    pub fn open(options: &Options, path: impl AsRef<Path>) -> Result<Db> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        Ok(Db::open_cf(&options.db, path, vec![default])?.0)
    }

    /// Opens a database with these column families, which must be all that it has; the handles
    /// are in the order of the descriptors.
    pub fn open_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
    ) -> Result<(Db, Vec<ColumnFamily>)> {
        let names: Vec<String> = families.iter().map(|family| family.name.clone()).collect();
        let inner = open(options.clone(), path.as_ref(), families)?;
        let handles = names
            .iter()
            .map(|name| {
                let data = inner.family_by_name(name);
                data.map(|data| ColumnFamily { data }).ok_or_else(|| not_found(name))
            })
            .collect::<Result<_>>()?;
        Ok((Db { shared: Arc::new(Shared { inner }) }, handles))
    }

    /// The names of the column families in a database, which is not opened.
    pub fn list_column_families(
        options: &DbOptions,
        path: impl AsRef<Path>,
    ) -> Result<Vec<String>> {
        let fs = file_system(options);
        let dir = fs.absolute(path.as_ref());
        VersionSet::list_column_families(&*fs, &dir)
    }

    /// Deletes a database: every file that belongs to one, and the directory if nothing else is
    /// in it. A database that is open somewhere is an error.
    pub fn destroy(options: &DbOptions, path: impl AsRef<Path>) -> Result<()> {
        let fs = file_system(options);
        let dir = fs.absolute(path.as_ref());
        if !fs.exists(&dir) {
            return Ok(());
        }
        let lock = fs.lock_file(&filename::lock_file_name(&dir))?;
        let wal_dir = wal_directory(&*fs, options, &dir);
        for d in [&filename::archive_dir(&wal_dir), &wal_dir, &dir] {
            remove_database_files(&*fs, d)?;
        }
        drop(lock);
        fs.remove_file(&filename::lock_file_name(&dir))?;
        // Both fail where something else is in them, which then stays.
        let _ = fs.remove_dir(&wal_dir);
        let _ = fs.remove_dir(&dir);
        Ok(())
    }
}

fn remove_database_files(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    if !fs.is_dir(dir) {
        return Ok(());
    }
    for name in fs.list_dir(dir)? {
        match filename::parse_file_name(&name) {
            None | Some(FileKind::Lock) => {}
            Some(_) => fs.remove_file(&dir.join(name))?,
        }
    }
    let _ = fs.remove_dir(&filename::archive_dir(dir));
    Ok(())
}

fn not_found(name: &str) -> Error {
    Error::invalid_argument(format!("Column family not found: {name}"))
}

fn file_system(options: &DbOptions) -> Arc<dyn FileSystem> {
    options.file_system.clone().unwrap_or_else(crate::fs::posix)
}

fn wal_directory(fs: &dyn FileSystem, options: &DbOptions, dir: &Path) -> PathBuf {
    if options.wal_dir.as_os_str().is_empty() {
        dir.to_owned()
    } else {
        fs.absolute(&options.wal_dir)
    }
}

/// What only a pair of database and family options can be wrong about.
pub(super) fn check_family(options: &ColumnFamilyOptions, db: &DbOptions) -> Result<()> {
    if matches!(options.table_factory, TableFactory::Plain(_)) && !db.allow_mmap_reads {
        return Err(Error::invalid_argument("PlainTable requires allow_mmap_reads = true"));
    }
    Ok(())
}

/// Gives a family without a block cache of its own the default one.
pub(super) fn give_block_cache(options: &mut ColumnFamilyOptions) {
    if let TableFactory::BlockBased(table) = &mut options.table_factory
        && table.block_cache.is_none()
        && !table.no_block_cache
    {
        table.block_cache = Some(crate::cache::Cache::new_lru(DEFAULT_CACHE_BYTES));
    }
}

/// RocksDB's default block cache.
const DEFAULT_CACHE_BYTES: usize = 32 << 20;

fn open(
    mut options: DbOptions,
    path: &Path,
    mut descriptors: Vec<ColumnFamilyDescriptor>,
) -> Result<Arc<DbInner>> {
    options::validate_db(&options)?;
    for family in &descriptors {
        options::validate_cf(&family.options)?;
        check_family(&family.options, &options)?;
    }
    let fs = file_system(&options);
    let dir = fs.absolute(path);
    let wal_dir = wal_directory(&*fs, &options, &dir);
    let exists = check_directory(&*fs, &dir, &wal_dir, &options)?;
    fs.create_dir_all(&dir)?;
    fs.create_dir_all(&wal_dir)?;
    let lock = fs.lock_file(&filename::lock_file_name(&dir))?;
    let info_log = Arc::new(open_info_log(&fs, &dir, &options)?);
    let families: Vec<_> = descriptors.iter().map(|d| &d.options).collect();
    let mut changes = options::settings_without_effect(&options, &families);
    changes.extend(options::sanitize_db(&mut options));
    for family in &mut descriptors {
        changes.extend(options::sanitize_cf(&mut family.options));
        give_block_cache(&mut family.options);
    }
    changes.iter().for_each(|change| info_log.info(format_args!("{change}")));
    Builder { fs, dir, wal_dir, options, descriptors, info_log }.build(exists, lock)
}

/// Whether there is a database, after everything that forbids opening or making one.
fn check_directory(
    fs: &dyn FileSystem,
    dir: &Path,
    wal_dir: &Path,
    options: &DbOptions,
) -> Result<bool> {
    for d in [dir, wal_dir] {
        if fs.exists(d) && !fs.is_dir(d) {
            return Err(Error::invalid_argument(format!(
                "{}: expected a directory, found a file",
                d.display()
            )));
        }
    }
    let current = filename::current_file_name(dir);
    if fs.exists(&current) {
        if options.error_if_exists {
            let message = format!("{}: exists (error_if_exists is true)", dir.display());
            return Err(Error::invalid_argument(message));
        }
        return Ok(true);
    }
    if !options.create_if_missing {
        return Err(Error::invalid_argument(format!(
            "{}: does not exist (create_if_missing is false)",
            current.display()
        )));
    }
    for d in [dir, wal_dir] {
        refuse_remains(fs, d)?;
    }
    Ok(false)
}

/// A directory without CURRENT that holds parts of a database has lost it: making a new database
/// over them would delete them. The first MANIFEST alone is no loss: a process was killed while it
/// made the database.
fn refuse_remains(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    if !fs.exists(dir) {
        return Ok(());
    }
    for name in fs.list_dir(dir)? {
        let kind = filename::parse_file_name(&name);
        if let Some(FileKind::Table(_) | FileKind::Wal(_) | FileKind::Manifest(2..)) = kind {
            return Err(Error::corruption(format!(
                "{}: CURRENT is missing, but {name} is there: not creating a database over it",
                dir.display()
            )));
        }
    }
    Ok(())
}

fn open_info_log(fs: &Arc<dyn FileSystem>, dir: &Path, options: &DbOptions) -> Result<InfoLog> {
    let log_dir = if options.db_log_dir.as_os_str().is_empty() {
        dir.to_owned()
    } else {
        fs.absolute(&options.db_log_dir)
    };
    fs.create_dir_all(&log_dir)?;
    let opts =
        InfoLogOptions { keep_log_file_num: options.keep_log_file_num, ..Default::default() };
    InfoLog::open(Arc::clone(fs), &log_dir, opts)
}

/// What the tables of all families share.
pub(crate) struct CommonToTables {
    /// Bounds the open tables; `None` keeps all open.
    pub(crate) open_tables: Option<Arc<OpenTables>>,
    /// Counts what is done to them.
    pub(crate) statistics: Option<Arc<Statistics>>,
}

/// The parts of a database before they are put together.
struct Builder {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    wal_dir: PathBuf,
    options: DbOptions,
    descriptors: Vec<ColumnFamilyDescriptor>,
    info_log: Arc<InfoLog>,
}

impl Builder {
    fn build(mut self, exists: bool, lock: Box<dyn FileLock>) -> Result<Arc<DbInner>> {
        let mut versions = self.recover_versions(exists)?;
        let counters = Arc::clone(versions.counters());
        let identity = self.identity(&mut versions)?;
        self.log_header(&identity);
        let tables = CommonToTables {
            open_tables: usize::try_from(self.options.max_open_files)
                .ok()
                .map(|limit| Arc::new(OpenTables::new(limit.max(1)))),
            statistics: self.options.statistics.then(Statistics::new),
        };
        let families = self.families(&versions, &tables);
        let mut opening = Opening {
            fs: Arc::clone(&self.fs),
            dir: self.dir.clone(),
            wal_dir: self.wal_dir.clone(),
            options: &self.options,
            identity: identity.clone(),
            info_log: Arc::clone(&self.info_log),
            families,
            counters: Arc::clone(&counters),
            cancelled: Arc::new(AtomicBool::new(false)),
        };
        open_all_tables(&opening, &versions)?;
        let recovered = recover_wals(&opening, &versions)?;
        counters.set_last_sequence(recovered.summary.last_sequence);
        self.create_missing(&mut versions, &mut opening, &tables)?;
        let inner = assemble(opening, versions, recovered, tables, lock)?;
        inner.purge_leftovers()?;
        inner.write_options_file();
        inner.start_background()?;
        Ok(inner)
    }

    fn version_set_options(&self) -> VersionSetOptions {
        VersionSetOptions {
            fs: Arc::clone(&self.fs),
            dir: self.dir.clone(),
            max_manifest_file_size: self.options.max_manifest_file_size,
            write_dbid_to_manifest: self.options.write_dbid_to_manifest,
        }
    }

    fn recover_versions(&self, exists: bool) -> Result<VersionSet> {
        let specs: Vec<ColumnFamilySpec> = self.descriptors.iter().map(spec).collect();
        let Some(default) = specs.iter().find(|spec| spec.name == DEFAULT_COLUMN_FAMILY) else {
            return Err(Error::invalid_argument("Default column family not specified"));
        };
        let opts = self.version_set_options();
        if !exists {
            let db_id = new_db_id();
            VersionSet::create_db(&opts, &db_id, &default.order)?;
            filename::set_identity_file(&*self.fs, &self.dir, &db_id)?;
        }
        let (versions, missing) = VersionSet::recover(opts, &specs)?;
        match missing.first() {
            Some(name) if !self.options.create_missing_column_families => Err(not_found(name)),
            _ => Ok(versions),
        }
    }

    /// The id in the MANIFEST counts, then that in IDENTITY; where there is neither, a new one.
    fn identity(&self, versions: &mut VersionSet) -> Result<Identity> {
        let path = filename::identity_file_name(&self.dir);
        let stored = match self.fs.read_file(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
            Err(e) if e.is_path_not_found() => String::new(),
            Err(e) => return Err(e),
        };
        let db_id = match versions.db_id() {
            Some(id) => id.to_owned(),
            None if !stored.is_empty() => stored.clone(),
            None => new_db_id(),
        };
        if stored != db_id {
            filename::set_identity_file(&*self.fs, &self.dir, &db_id)?;
        }
        versions.set_db_id(db_id.clone());
        Ok(Identity { db_id, session_id: new_session_id(), host: host_name() })
    }

    fn log_header(&self, identity: &Identity) {
        let log = &self.info_log;
        log.header(format_args!("Ferrolith version: {}", env!("CARGO_PKG_VERSION")));
        log.header(format_args!("RocksDB version: {}", crate::options::ROCKSDB_VERSION));
        log.header(format_args!("DB SUMMARY"));
        log.header(format_args!("Host name: {}", identity.host));
        log.header(format_args!("DB Session ID: {}", identity.session_id));
        let families: Vec<_> =
            self.descriptors.iter().map(|d| (d.name.as_str(), &d.options)).collect();
        for line in crate::options::options_file_text(&self.options, &families).lines() {
            log.header(format_args!("{line}"));
        }
    }

    fn families(
        &mut self,
        versions: &VersionSet,
        tables: &CommonToTables,
    ) -> BTreeMap<u32, Arc<ColumnFamilyData>> {
        let mut families = BTreeMap::new();
        for (id, stored) in versions.column_families() {
            if let Some(d) = self.descriptors.iter().find(|d| d.name == stored.name()) {
                families.insert(id, self.family(id, d, tables));
            }
        }
        families
    }

    fn family(
        &self,
        id: u32,
        descriptor: &ColumnFamilyDescriptor,
        tables: &CommonToTables,
    ) -> Arc<ColumnFamilyData> {
        let options = descriptor.options.clone();
        let tables = table_cache(&self.fs, &self.dir, &self.options, &options, tables);
        Arc::new(ColumnFamilyData::new(id, &descriptor.name, options, tables))
    }

    /// Makes the families that the descriptors name and the database does not have.
    fn create_missing(
        &self,
        versions: &mut VersionSet,
        opening: &mut Opening<'_>,
        tables: &CommonToTables,
    ) -> Result<()> {
        let has = |name: &str, versions: &VersionSet| {
            versions.column_families().any(|(_, stored)| stored.name() == name)
        };
        for descriptor in &self.descriptors {
            if !has(&descriptor.name, versions) {
                let log_number = versions.counters().next_file_number();
                let id = versions.create_column_family(&spec(descriptor), log_number)?;
                let family = self.family(id, descriptor, tables);
                opening.families.insert(id, family);
            }
        }
        Ok(())
    }
}

fn spec(descriptor: &ColumnFamilyDescriptor) -> ColumnFamilySpec {
    ColumnFamilySpec {
        name: descriptor.name.clone(),
        order: KeyOrder::new(Arc::clone(&descriptor.options.comparator)),
        num_levels: descriptor.options.num_levels.max(1) as usize,
    }
}

/// What opens the tables of a family.
pub(super) fn table_cache(
    fs: &Arc<dyn FileSystem>,
    dir: &Path,
    db: &DbOptions,
    options: &ColumnFamilyOptions,
    common: &CommonToTables,
) -> Arc<TableCache> {
    let block_cache = match &options.table_factory {
        TableFactory::BlockBased(table) if table.no_block_cache => None,
        TableFactory::BlockBased(table) => table.block_cache.clone(),
        TableFactory::Plain(_) => None,
    };
    let (fs, dir) = (Arc::clone(fs), dir.to_owned());
    let mmap = db.allow_mmap_reads;
    let open_tables = common.open_tables.clone();
    let cache = TableCache::new(fs, dir, options, block_cache, mmap, open_tables);
    Arc::new(cache.with_statistics(common.statistics.clone()))
}

/// With `max_open_files` -1 every table is opened now, by several threads: lookups then need no
/// lock, and a damaged table is found here.
fn open_all_tables(opening: &Opening<'_>, versions: &VersionSet) -> Result<()> {
    let mut files = Vec::new();
    for (id, stored) in versions.column_families() {
        let family = opening.family(id)?;
        let version = stored.current();
        files.extend(version.all_files().map(|(_, f)| (Arc::clone(&family), Arc::clone(f))));
    }
    if opening.options.max_open_files != -1 {
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let open_some = || -> Result<()> {
        while let Some((family, file)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let table = family.tables.find(file)?;
            check_merge_operator(family, &opening.dir, file.number, &table)?;
        }
        Ok(())
    };
    let threads = opening.options.max_file_opening_threads.clamp(1, 16) as usize;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(cores).min(files.len());
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(open_some)).collect();
        let results = running.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(Error::corruption("opening a table panicked")))
        });
        results.fold(Ok(()), Result::and)
    })
}

/// Operands can be folded only by the operator that they were written for.
fn check_merge_operator(
    family: &ColumnFamilyData,
    dir: &Path,
    number: u64,
    table: &Table,
) -> Result<()> {
    let properties = table.properties();
    let stored = properties.merge_operator_name.as_str();
    let configured = family.options.merge_operator.as_ref().map(|m| m.name());
    if properties.num_merge_operands == 0
        || matches!(stored, "" | "nullptr")
        || configured == Some(stored)
    {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "{}: holds operands of merge operator {stored}, the column family {} has {}",
        filename::table_file_name(dir, number).display(),
        family.name,
        configured.unwrap_or("none"),
    )))
}

/// What the WALs gave.
struct Recovered {
    families: BTreeMap<u32, Replayed>,
    summary: ReplaySummary,
}

fn recover_wals(opening: &Opening<'_>, versions: &VersionSet) -> Result<Recovered> {
    let mut families = BTreeMap::new();
    let last_sequence = versions.counters().last_sequence();
    for (id, stored) in versions.column_families() {
        let data = opening.family(id)?;
        let mem = MemTable::new(1, data.order.clone(), &data.options, last_sequence);
        let has_tables = stored.current().all_files().next().is_some();
        families.insert(id, Replayed::new(mem, id, stored.log_number(), has_tables));
    }
    for number in recover::list_wals(opening)? {
        versions.counters().mark_file_number_used(number);
    }
    let log_numbers = versions.column_families().map(|(_, stored)| stored.log_number());
    let oldest = versions.min_log_number_to_keep().max(log_numbers.min().unwrap_or(0));
    let summary = recover::replay(opening, &mut families, oldest, last_sequence)?;
    opening.info_log.info(format_args!(
        "Recovered {} records from WALs {:?}, last sequence {}",
        summary.records, summary.wals, summary.last_sequence
    ));
    Ok(Recovered { families, summary })
}

/// Flushes what was recovered (unless told not to), starts a WAL, writes the new MANIFEST, and puts
/// the database together.
fn assemble(
    opening: Opening<'_>,
    mut versions: VersionSet,
    mut recovered: Recovered,
    tables: CommonToTables,
    lock: Box<dyn FileLock>,
) -> Result<Arc<DbInner>> {
    // WALs are kept only if replaying them again gives the same again. Behind a tear only a WAL that
    // follows without a gap would count, and a record that is in a table already would count twice.
    let made_tables = |recovered: &Recovered| {
        recovered.families.values().any(|family| !family.edit.new_files.is_empty())
    };
    let keep_wals = opening.options.avoid_flush_during_recovery
        && !recovered.summary.damaged
        && !made_tables(&recovered);
    if !keep_wals {
        for (id, family) in &mut recovered.families {
            recover::flush_one(&opening, *id, family)?;
        }
    }
    let wal = create_wal(&opening)?;
    let wal_number = wal.log_number();
    let kept: Vec<u64> = if keep_wals { recovered.summary.wals.clone() } else { Vec::new() };
    let oldest_kept = kept.first().copied().unwrap_or(wal_number);
    if made_tables(&recovered) {
        opening.fs.sync_dir(&opening.dir)?;
    }
    let edits = opening.families.keys().map(|id| {
        let replayed = recovered.families.get_mut(id).map(|f| std::mem::take(&mut f.edit));
        let mut edit = replayed.unwrap_or_default();
        edit.column_family = *id;
        if !keep_wals {
            edit.log_number = Some(wal_number);
        }
        edit.min_log_number_to_keep = (*id == 0).then_some(oldest_kept);
        edit
    });
    versions.install(edits.collect())?;
    let last_sequence = versions.counters().last_sequence();
    let mut states = BTreeMap::new();
    for (id, data) in &opening.families {
        let current = versions.column_family(*id).map(|stored| Arc::clone(stored.current()));
        let current = current.ok_or_else(|| Error::corruption("a column family vanished"))?;
        let mut state =
            ColumnFamilyState::new(Arc::clone(data), current, wal_number, last_sequence + 1);
        if keep_wals && let Some(replayed) = recovered.families.remove(id) {
            state.mem = replayed.mem;
            state.mem_wal_number = oldest_kept;
        }
        state.install_super_version();
        states.insert(*id, state);
    }
    let size =
        |number: u64| opening.fs.file_size(&filename::wal_file_name(&opening.wal_dir, number));
    let mut wals: VecDeque<LiveWal> =
        kept.iter().map(|&number| LiveWal { number, size: size(number).unwrap_or(0) }).collect();
    wals.push_back(LiveWal { number: wal_number, size: 0 });
    let default_family = opening.family(0)?;
    let delayed_write_rate = match opening.options.delayed_write_rate {
        0 => DELAYED_WRITE_RATE,
        rate => rate,
    };
    let inner = Arc::new(DbInner {
        dir: opening.dir,
        wal_dir: opening.wal_dir,
        fs: opening.fs,
        options: opening.options.clone(),
        identity: opening.identity,
        info_log: opening.info_log,
        statistics: tables.statistics.clone(),
        tables,
        graveyard: versions.graveyard().clone(),
        counters: Arc::clone(versions.counters()),
        versions: Mutex::new(versions),
        write: Mutex::new(WriteState {
            wal,
            last_allocated: last_sequence,
            user_bytes: 0,
            next_limit_check: 0,
            ticket: 0,
            unsynced: Vec::new(),
            synced_ticket: 0,
            named_wal: 0,
        }),
        state: Mutex::new(State {
            families: states,
            wals,
            wals_to_close: Vec::new(),
            running_flushes: 0,
            running_compactions: 0,
            manual_compactions: 0,
            error: None,
            stats_dumped: Instant::now(),
            threads: Vec::new(),
        }),
        work: Condvar::new(),
        progress: Condvar::new(),
        order: CommitOrder::new(last_sequence),
        sync_group: SyncGroup::default(),
        controller: WriteController::new(delayed_write_rate),
        snapshots: SnapshotList::default(),
        families: EpochCell::new(None),
        default_family,
        failed: AtomicBool::new(false),
        refuses_writes: AtomicBool::new(false),
        closing: opening.cancelled,
        unlogged_data: AtomicBool::new(false),
        lock: Mutex::new(Some(lock)),
        totals: Totals::default(),
    });
    let mut state = inner.state.lock();
    publish_families(&inner, &state);
    inner.renew_stalls(&mut state);
    drop(state);
    Ok(inner)
}

/// RocksDB's default of `delayed_write_rate` without a rate limiter.
const DELAYED_WRITE_RATE: u64 = 16 << 20;

fn create_wal(opening: &Opening<'_>) -> Result<LogWriter> {
    let number = opening.counters.new_file_number();
    let largest = opening.family(0)?.options.write_buffer_size as u64;
    new_wal(&opening.fs, &opening.wal_dir, opening.options, number, largest)
}

/// A new, empty WAL for memtables of up to `write_buffer_size` bytes.
pub(super) fn new_wal(
    fs: &Arc<dyn FileSystem>,
    wal_dir: &Path,
    options: &DbOptions,
    number: u64,
    write_buffer_size: u64,
) -> Result<LogWriter> {
    let opts = WritableOptions {
        preallocate: write_buffer_size + write_buffer_size / 10,
        log: !options.manual_wal_flush,
        bytes_per_sync: options.wal_bytes_per_sync,
        use_fsync: options.use_fsync,
        no_allocation: !options.allow_fallocate,
    };
    let file = fs.new_writable(&filename::wal_file_name(wal_dir, number), opts)?;
    Ok(LogWriter::new(file, number))
}

impl DbInner {
    /// Records the options in force. A database works without the file, so a failure is only told.
    pub(super) fn write_options_file(&self) {
        let state = self.state.lock();
        let data: Vec<_> = state.families.values().map(|cf| Arc::clone(&cf.data)).collect();
        drop(state);
        let families: Vec<_> = data.iter().map(|d| (d.name.as_str(), &d.options)).collect();
        let number = self.counters.new_file_number();
        let written =
            options::write_options_file(&*self.fs, &self.dir, number, &self.options, &families);
        if let Err(e) = written {
            self.info_log.warn(format_args!("Unable to persist options: {e}"));
        }
    }
}
