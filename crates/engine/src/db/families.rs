//! Making, dropping and finding column families of an open database.

use super::column_family::ColumnFamilyState;
use super::log_lines::{keep_family, log_family};
use super::state::{DbInner, State};
use crate::base::{KeyOrder, SeqNo};
use crate::compaction::picker::CompactionPicker;
use crate::env::epoch;
use crate::error::{Error, Result};
use crate::hooks::{FlushReason, WriteStallCondition};
use crate::memtable::MemTable;
use crate::options::{self, ColumnFamilyOptions};
use crate::session::{ColumnFamilyData, ColumnFamilyMap, PurgesTables};
use crate::version::{ColumnFamilySpec, Version};
use std::sync::Arc;

impl ColumnFamilyState {
    /// A family with an empty memtable over `current`.
    pub(crate) fn new(
        data: Arc<ColumnFamilyData>,
        current: Arc<Version>,
        wal_number: u64,
        earliest: SeqNo,
    ) -> ColumnFamilyState {
        let mem = MemTable::new(1, data.order.clone(), &data.options(), earliest);
        let picker = CompactionPicker::new(data.id);
        ColumnFamilyState {
            data,
            mem,
            mem_wal_number: wal_number,
            immutables: Vec::new(),
            current,
            flushing: false,
            flush_requested: false,
            switch_wanted: false,
            memtables_made: 1,
            manual_waits: 0,
            picker,
            flush_reason: FlushReason::Others,
            stall_condition: WriteStallCondition::Normal,
            jobs: Default::default(),
            pending_compaction_bytes: 0,
        }
    }
}

/// Makes the list of families that writers use the one that `state` has.
pub(crate) fn publish_families(inner: &DbInner, state: &State) {
    let map: ColumnFamilyMap =
        state.families.iter().map(|(id, cf)| (*id, Arc::clone(&cf.data))).collect();
    inner.families.replace(Some(Arc::new(map)));
    inner.snapshots.set_show_moments(state.families.values().all(|cf| !cf.mem.updates_in_place()));
}

impl DbInner {
    /// The open family with this name.
    pub(crate) fn family_by_name(&self, name: &str) -> Option<Arc<ColumnFamilyData>> {
        let guard = epoch::pin();
        self.families.load(&guard)?.values().find(|family| family.name == name).cloned()
    }

    pub(crate) fn family_by_id(&self, id: u32) -> Option<Arc<ColumnFamilyData>> {
        let guard = epoch::pin();
        self.families.load(&guard)?.get(&id).cloned()
    }

    /// Makes a new family and records it in the MANIFEST.
    pub(crate) fn create_family(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
    ) -> Result<Arc<ColumnFamilyData>> {
        self.check_writable()?;
        options::validate_cf(options)?;
        super::open::check_family(options, &self.options)?;
        let mut options = options.clone();
        let inherited = options::inherit_from_db(&self.options, &mut options);
        for change in inherited.into_iter().chain(options::sanitize_cf(&mut options)) {
            self.info_log.info(format_args!("[{name}] {change}"));
        }
        super::open::give_block_cache(&mut options);
        super::open::make_data_paths(&*self.fs, &options.cf_paths)?;
        let spec = ColumnFamilySpec {
            name: name.to_owned(),
            order: KeyOrder::new(Arc::clone(&options.comparator)),
            num_levels: options.num_levels.max(1) as usize,
            paths: options.cf_paths.clone(),
        };
        let mut versions = self.versions.lock();
        self.check_open()?;
        let log_number = self.write.lock().wal.log_number();
        let id = versions.create_column_family(&spec, log_number)?;
        let current = Version::empty(spec.order, spec.num_levels);
        let current =
            versions.column_family(id).map_or(Arc::new(current), |cf| Arc::clone(cf.current()));
        let data = self.session.family(id, name, options);
        let write = self.write.lock();
        let mut state = self.state.lock();
        let wal_number = write.wal.log_number();
        let family = ColumnFamilyState::new(
            Arc::clone(&data),
            current,
            wal_number,
            write.line.last_allocated(),
        );
        family.install_super_version();
        state.families.insert(id, family);
        publish_families(self, &state);
        drop(state);
        drop(write);
        // Before somebody can drop it.
        let log = &self.info_log;
        log.together(|| log_family(log, name, &data.options()));
        keep_family(log, &data);
        drop(versions);
        self.write_options_file();
        self.info_log.info(format_args!("Created column family [{name}] (ID {id})"));
        Ok(data)
    }

    /// Drops a family and records that in the MANIFEST.
    pub(crate) fn drop_family(&self, family: &Arc<ColumnFamilyData>) -> Result<()> {
        self.check_writable()?;
        if family.id == 0 {
            return Err(Error::invalid_argument("Can't drop default column family"));
        }
        if family.is_dropped() {
            return Err(Error::invalid_argument("Column family already dropped!"));
        }
        let mut versions = self.versions.lock();
        self.check_open()?;
        versions.drop_column_family(family.id)?;
        let mut state = self.state.lock();
        family.drop_from(self.weak());
        let gone = state.families.remove(&family.id);
        publish_families(self, &state);
        self.renew_stalls(&mut state);
        drop(state);
        self.info_log.drop_sections(Some(&family.name));
        drop(versions);
        drop(gone);
        self.deliver_events();
        self.write_options_file();
        self.info_log.info(format_args!("Dropped column family with id {}", family.id));
        // Where no handle is left, as where only its name was known, nobody can read its files.
        epoch::synchronize();
        self.purge_tables();
        Ok(())
    }
}

impl PurgesTables for DbInner {
    fn purge_dropped(&self) {
        if !self.is_closing() {
            epoch::synchronize();
            self.purge_tables();
        }
    }
}
