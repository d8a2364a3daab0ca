//! Builds a database from its directory: MANIFEST, identity, families, tables, WALs.
//!
//! Files that an older session left are deleted only after recovery has succeeded.

use super::assemble::{assemble, make_durable};
use super::checks::check_direct_io;
use super::core::Core;
use super::descriptor::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY, not_found};
use super::log_header::{LogHeader, keep_family, log_recovery_finished};
use super::opening::Opening;
use super::recover::{Recovered, WhenFull, recover_wals};
use crate::base::KeyOrder;
use crate::budget::{EvictsTables, MemoryOwner, MemtableShare, WriteBufferManager};
use crate::env::live::Live;
use crate::error::{Error, Result};
use crate::files::Leftovers;
use crate::fs::identity::{host_name, new_db_id, new_session_id};
use crate::fs::info_log::InfoLog;
use crate::fs::{FileLock, FileSystem, filename};
use crate::options::DbOptions;
use crate::session::{ColumnFamilyData, Health, Identity, Session, next_serial};
use crate::version::{ColumnFamilySpec, OpenTables, VersionSet, VersionSetOptions};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// The parts of a database before they are assembled.
#[derive(Clone)]
pub(super) struct Builder {
    pub(super) fs: Arc<dyn FileSystem>,
    pub(super) dir: PathBuf,
    pub(super) wal_dir: PathBuf,
    pub(super) options: DbOptions,
    pub(super) descriptors: Vec<ColumnFamilyDescriptor>,
    pub(super) info_log: Arc<InfoLog>,
    /// The option values that were changed, for LOG.
    pub(super) changes: Vec<String>,
}

impl Builder {
    /// Recovers or creates the database. Its background threads are not started.
    pub(super) fn build(self, exists: bool, lock: Box<dyn FileLock>) -> Result<Arc<Core>> {
        self.start_keeper()?;
        let mut versions = self.recover_versions(exists)?;
        check_direct_io(&*self.fs, &self.dir, &self.options, &self.descriptors, true)?;
        let identity = self.identity(&mut versions)?;
        self.write_identity(&identity)?;
        self.info_log.together(|| {
            self.header().log(&identity);
            if !exists {
                self.info_log.info(format_args!("Creating manifest 1 "));
            }
            self.header().log_versions(&versions);
        });
        let descriptors = self.descriptors.clone();
        let mut opening = self.opening(&versions, identity, false);
        opening.open_all_tables(&versions)?;
        let info_log = Arc::clone(&opening.session.info_log);
        let (mut recovered, mut no_room) = recover_with_room(&opening, &versions)
            .inspect_err(|e| log_recovery_finished::<()>(&info_log, &Err(e.clone())))?;
        let replayed = !recovered.summary.wals.is_empty();
        versions.counters().set_last_sequence(recovered.summary.last_sequence);
        create_missing(&mut versions, &mut opening, &descriptors)?;
        let mut wals = None;
        if no_room.is_none() {
            match make_durable(&opening, &mut versions, &mut recovered) {
                Ok(made) => wals = Some(made),
                Err(e) if e.is_no_space() => {
                    recovered = recover_wals(&opening, &versions, WhenFull::Keep)?;
                    no_room = Some(e);
                }
                Err(e) => {
                    log_recovery_finished::<()>(&info_log, &Err(e.clone()));
                    return Err(e);
                }
            }
        }
        // Prepared sections are in the old WALs, and it is not known which of these may be deleted.
        if let Some(e) = no_room.take_if(|_| !recovered.summary.sections.is_empty()) {
            return Err(e);
        }
        let assembled = assemble(opening, versions, recovered, wals, lock);
        if replayed {
            log_recovery_finished(&info_log, &assembled);
        }
        let core = assembled?;
        core.catalog.all_families().iter().for_each(|family| keep_family(&info_log, family));
        match no_room {
            None => core.catalog.purge_leftovers(Leftovers::All)?,
            Some(e) => core.commit.begin_without_room(&e),
        }
        core.write_options_file();
        core.jobs.list_late_tables();
        Ok(core)
    }

    /// Starts the thread that keeps the memory limit, if there is one.
    pub(super) fn start_keeper(&self) -> Result<()> {
        let account = self.options.components.memory_account.as_ref();
        let started = account.map_or(Ok(()), |account| account.start_keeper());
        started.map_err(|e| Error::io("While starting the thread that keeps memory_limit", e))
    }

    fn header(&self) -> LogHeader<'_> {
        LogHeader {
            fs: &*self.fs,
            dir: &self.dir,
            wal_dir: &self.wal_dir,
            options: &self.options,
            descriptors: &self.descriptors,
            changes: &self.changes,
            info_log: &self.info_log,
        }
    }

    fn version_set_options(&self) -> VersionSetOptions {
        VersionSetOptions {
            fs: Arc::clone(&self.fs),
            dir: self.dir.clone(),
            max_manifest_file_size: self.options.max_manifest_file_size,
            write_dbid_to_manifest: self.options.write_dbid_to_manifest,
        }
    }

    /// Returns the column families to open the database with, the default family first.
    fn specs(&self) -> Result<Vec<ColumnFamilySpec>> {
        let mut specs: Vec<ColumnFamilySpec> = self.descriptors.iter().map(spec).collect();
        match specs.iter().position(|spec| spec.name == DEFAULT_COLUMN_FAMILY) {
            Some(default) => specs.swap(0, default),
            None => return Err(Error::invalid_argument("Default column family not specified")),
        }
        Ok(specs)
    }

    /// Recovers the versions of the described families only, which must all exist.
    pub(super) fn recover_some_versions(&self) -> Result<VersionSet> {
        let (versions, missing) =
            VersionSet::recover_some(self.version_set_options(), &self.specs()?)?;
        missing.first().map_or(Ok(versions), |name| Err(not_found(name)))
    }

    fn recover_versions(&self, exists: bool) -> Result<VersionSet> {
        let specs = self.specs()?;
        let opts = self.version_set_options();
        if !exists {
            let db_id = new_db_id();
            VersionSet::create_db(&opts, &db_id, &specs[0].order)?;
            filename::set_identity_file(&*self.fs, &self.dir, &db_id)?;
        }
        let (versions, missing) = VersionSet::recover(opts, &specs)?;
        match missing.first() {
            Some(name) if !self.options.create_missing_column_families => Err(not_found(name)),
            _ => Ok(versions),
        }
    }

    /// Returns the database's identity: the id in the MANIFEST, otherwise the one in IDENTITY, otherwise a new one.
    pub(super) fn identity(&self, versions: &mut VersionSet) -> Result<Identity> {
        let db_id = match (versions.db_id(), self.stored_id()?) {
            (Some(id), _) => id.to_owned(),
            (None, stored) if !stored.is_empty() => stored,
            (None, _) => new_db_id(),
        };
        versions.set_db_id(db_id.clone());
        Ok(Identity { db_id, session_id: new_session_id(), host: host_name() })
    }

    fn stored_id(&self) -> Result<String> {
        match self.fs.read_file(&filename::identity_file_name(&self.dir)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(e) if e.is_path_not_found() => Ok(String::new()),
            Err(e) => Err(e),
        }
    }

    fn write_identity(&self, identity: &Identity) -> Result<()> {
        if self.stored_id()? == identity.db_id {
            return Ok(());
        }
        filename::set_identity_file(&*self.fs, &self.dir, &identity.db_id)
    }

    /// Returns the state on which recovery works. `versions` were read from the MANIFEST.
    pub(super) fn opening(
        self,
        versions: &VersionSet,
        identity: Identity,
        read_only: bool,
    ) -> Opening {
        let open_tables = open_tables(&self.options);
        let account = self.options.components.memory_account.clone();
        let session = Session {
            serial: next_serial(),
            fs: self.fs,
            dir: self.dir,
            wal_dir: self.wal_dir,
            identity,
            info_log: self.info_log,
            counters: Arc::clone(versions.counters()),
            statistics: self.options.statistics.clone(),
            memtable_shares: memtable_shares(&self.options),
            _log_memory: account.filter(|_| !read_only).map(|account| {
                account.charge(MemoryOwner::WriteAheadLogs, account.shares().logs())
            }),
            spare_chunks: Arc::default(),
            allocator: Arc::default(),
            open_tables,
            read_only,
            health: Health::default(),
            changed_options: Live::new(self.options.clone()),
            options: self.options,
        };
        let families = open_families(&session, versions, &self.descriptors);
        Opening { session, families }
    }
}

/// Replays the WALs. If there is no room for tables, keeps all data in memtables and returns the error with it.
fn recover_with_room(
    opening: &Opening,
    versions: &VersionSet,
) -> Result<(Recovered, Option<Error>)> {
    match recover_wals(opening, versions, WhenFull::Flush) {
        Err(e) if e.is_no_space() => {
            Ok((recover_wals(opening, versions, WhenFull::Keep)?, Some(e)))
        }
        recovered => Ok((recovered?, None)),
    }
}

/// Opens the families that are both stored and described.
fn open_families(
    session: &Session,
    versions: &VersionSet,
    descriptors: &[ColumnFamilyDescriptor],
) -> BTreeMap<u32, Arc<ColumnFamilyData>> {
    let mut families = BTreeMap::new();
    for (id, stored) in versions.column_families() {
        if let Some(d) = descriptors.iter().find(|d| d.name == stored.name()) {
            families.insert(id, session.family(id, &d.name, d.options.clone()));
        }
    }
    families
}

/// Creates the families that the descriptors name and the database does not have.
fn create_missing(
    versions: &mut VersionSet,
    opening: &mut Opening,
    descriptors: &[ColumnFamilyDescriptor],
) -> Result<()> {
    for d in descriptors {
        if versions.column_families().all(|(_, stored)| stored.name() != d.name) {
            let log_number = versions.counters().next_file_number();
            let id = versions.create_column_family(&spec(d), log_number)?;
            let family = opening.session.family(id, &d.name, d.options.clone());
            opening.families.insert(id, family);
        }
    }
    Ok(())
}

fn spec(descriptor: &ColumnFamilyDescriptor) -> ColumnFamilySpec {
    ColumnFamilySpec {
        name: descriptor.name.clone(),
        order: KeyOrder::new(Arc::clone(&descriptor.options.comparator)),
        num_levels: descriptor.options.num_levels.max(1) as usize,
        paths: descriptor.options.cf_paths.clone(),
    }
}

/// Returns the database's shares of memtable budgets: of the budget in the options or one of its own, and of the memory
/// account's.
fn memtable_shares(options: &DbOptions) -> Vec<MemtableShare> {
    let own = || WriteBufferManager::new(options.db_write_buffer_size, false);
    let limited = options.db_write_buffer_size > 0;
    let manager = options.components.write_buffer_manager.clone().or_else(|| limited.then(own));
    let account = options.components.memory_account.as_ref();
    let of_account = account.map(|account| Arc::clone(account.memtables()));
    manager.into_iter().chain(of_account).map(MemtableShare::new).collect()
}

/// Returns the list of open tables, if their number or their memory is limited.
fn open_tables(options: &DbOptions) -> Option<Arc<OpenTables>> {
    let account = options.components.memory_account.as_ref();
    let unlimited = account.map(|_| usize::MAX);
    let limit = usize::try_from(options.max_open_files).ok().map(|limit| limit.max(1));
    let open_tables = Arc::new(OpenTables::new(limit.or(unlimited)?));
    if let Some(account) = account {
        let weak: Weak<OpenTables> = Arc::downgrade(&open_tables);
        account.add_readers(weak as Weak<dyn EvictsTables>);
    }
    Some(open_tables)
}
