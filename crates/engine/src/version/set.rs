//! The version set: the versions of all column families, their shared counters, and the MANIFEST that stores both.
//!
//! One thread at a time changes a [`VersionSet`]: the engine guards it with a separate lock, since installing an edit
//! waits for the device. All threads may use [`Counters`] without that lock.
//!
//! Invariants:
//! * **VS1** A change is on the device before [`VersionSet::install`] makes it visible.
//! * **VS2** Last sequence numbers in a MANIFEST never descend, and no file has a larger one.
//! * **VS3** After a write error nothing is appended to that MANIFEST. The next install writes a new one with the state
//!   before the failed edit. Until then it is unknown whether the failed edit is on the device, so its new files are
//!   quarantined: they must not be deleted. Once a MANIFEST without that edit is current, the files are obsolete.
//! * **VS4** Every file has an epoch number, larger for newer files of level 0.

use super::manifest::{Manifest, read_current_manifest};
use super::recover::{ColumnFamilySpec, build_version, check_all_known};
use super::replay::ManifestState;
use super::{
    DataPaths, FileMeta, ObsoleteFiles, ObsoleteTable, Version, VersionBuilder, VersionEdit,
};
use crate::base::{KeyOrder, SeqNo};
use crate::env::sync::std_atomic::{AtomicU64, Ordering};
use crate::error::{Code, Error, Result};
use crate::fs::FileSystem;
use crate::fs::filename::manifest_file_name;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The two counters that all threads share.
#[derive(Debug, Default)]
pub struct Counters {
    next_file_number: AtomicU64,
    last_sequence: AtomicU64,
}

impl Counters {
    /// Assigns a number to a file of any kind.
    pub fn new_file_number(&self) -> u64 {
        self.next_file_number.fetch_add(1, Ordering::Relaxed)
    }

    /// The next number to be assigned.
    pub fn next_file_number(&self) -> u64 {
        self.next_file_number.load(Ordering::Relaxed)
    }

    /// Excludes the number of an existing file from being assigned.
    pub fn mark_file_number_used(&self, number: u64) {
        self.next_file_number.fetch_max(number.saturating_add(1), Ordering::Relaxed);
    }

    /// The sequence number of the newest write that readers may see.
    #[inline]
    pub fn last_sequence(&self) -> SeqNo {
        self.last_sequence.load(Ordering::Acquire)
    }

    /// Makes writes up to `seq` visible. The store is Release: a thread that loads it sees the
    /// memtable entries that were inserted before.
    #[inline]
    pub fn set_last_sequence(&self, seq: SeqNo) {
        self.last_sequence.store(seq, Ordering::Release);
    }
}

/// The location and settings of a [`VersionSet`]'s MANIFEST.
#[derive(Clone)]
pub struct VersionSetOptions {
    /// The file system.
    pub fs: Arc<dyn FileSystem>,
    /// The database directory.
    pub dir: PathBuf,
    /// A MANIFEST of at least this size is replaced.
    pub max_manifest_file_size: u64,
    /// Whether the identity of the database is written to the MANIFEST.
    pub write_dbid_to_manifest: bool,
}

/// A column family: its stored state and its current version.
pub struct ColumnFamilyVersions {
    name: String,
    order: KeyOrder,
    log_number: u64,
    next_epoch: u64,
    paths: DataPaths,
    current: Arc<Version>,
}

impl ColumnFamilyVersions {
    fn new(
        spec: &ColumnFamilySpec,
        log_number: u64,
        paths: DataPaths,
        current: Version,
    ) -> ColumnFamilyVersions {
        let newest = current.all_files().map(|(_, f)| f.epoch_number).max();
        ColumnFamilyVersions {
            name: spec.name.clone(),
            order: spec.order.clone(),
            log_number,
            next_epoch: newest.unwrap_or_default().saturating_add(1),
            paths,
            current: Arc::new(current),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All data in WALs below this number has been flushed by this column family.
    pub fn log_number(&self) -> u64 {
        self.log_number
    }

    /// Its current version.
    pub fn current(&self) -> &Arc<Version> {
        &self.current
    }
}

/// The current version of every column family.
pub struct VersionSet {
    opts: VersionSetOptions,
    counters: Arc<Counters>,
    obsolete_files: ObsoleteFiles,
    column_families: BTreeMap<u32, ColumnFamilyVersions>,
    db_id: Option<String>,
    min_log_number_to_keep: u64,
    max_column_family: u32,
    /// The last sequence number recorded in the MANIFEST (VS2).
    written_sequence: SeqNo,
    /// `None` until the first install, and after an error (VS3).
    manifest: Option<Manifest>,
    /// The size of the MANIFEST that was read at recovery.
    read_size: u64,
    /// Whether that MANIFEST ended with its last edit.
    read_clean: bool,
    /// MANIFESTs that `CURRENT` may name: one, or several after a failed switch.
    possible_manifests: BTreeSet<u64>,
    obsolete_manifests: Vec<u64>,
    /// New files of failed edits and their directories.
    quarantine: BTreeMap<u64, Arc<Path>>,
}

impl VersionSet {
    /// Creates a new, empty database: `MANIFEST-000001`, and `CURRENT`, which names it.
    pub fn create_db(opts: &VersionSetOptions, db_id: &str, order: &KeyOrder) -> Result<()> {
        let edit = VersionEdit {
            db_id: opts.write_dbid_to_manifest.then(|| db_id.to_owned()),
            comparator: Some(order.name().to_owned()),
            log_number: Some(0),
            next_file_number: Some(2),
            last_sequence: Some(0),
            ..VersionEdit::default()
        };
        let manifest = Manifest::create(&*opts.fs, &opts.dir, 1, &[edit])?;
        manifest.make_current(&*opts.fs, &opts.dir)
    }

    /// The names of a database's column families, in order of id.
    pub fn list_column_families(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<String>> {
        let (_, state) = read_current_manifest(fs, dir)?;
        Ok(state.column_families.into_values().map(|cf| cf.name).collect())
    }

    /// Reads the MANIFEST that `CURRENT` names and makes all checks. Writes nothing: the first
    /// [`VersionSet::install`] starts a new MANIFEST. The second part of the result names the specs
    /// that the database does not contain.
    pub fn recover(
        opts: VersionSetOptions,
        specs: &[ColumnFamilySpec],
    ) -> Result<(VersionSet, Vec<String>)> {
        let (number, state) = read_current_manifest(&*opts.fs, &opts.dir)?;
        check_all_known(&state, specs)?;
        VersionSet::of_state(opts, number, state, specs)
    }

    /// [`VersionSet::recover`] for read-only use: the database may have other column families.
    pub fn recover_some(
        opts: VersionSetOptions,
        specs: &[ColumnFamilySpec],
    ) -> Result<(VersionSet, Vec<String>)> {
        let (number, state) = read_current_manifest(&*opts.fs, &opts.dir)?;
        VersionSet::of_state(opts, number, state, specs)
    }

    fn of_state(
        opts: VersionSetOptions,
        number: u64,
        state: ManifestState,
        specs: &[ColumnFamilySpec],
    ) -> Result<(VersionSet, Vec<String>)> {
        let mut column_families = BTreeMap::new();
        for (&id, cf) in &state.column_families {
            let Some(spec) = specs.iter().find(|spec| spec.name == cf.name) else { continue };
            let paths = DataPaths::new(&*opts.fs, &opts.dir, &spec.paths);
            let version = build_version(&*opts.fs, &paths, cf, spec)?;
            let versions = ColumnFamilyVersions::new(spec, cf.log_number, paths, version);
            column_families.insert(id, versions);
        }
        let has = |name: &str| state.column_families.values().any(|cf| cf.name == name);
        let missing =
            specs.iter().map(|spec| spec.name.clone()).filter(|name| !has(name)).collect();
        let read_size = opts.fs.file_size(&manifest_file_name(&opts.dir, number))?;
        let counters = Counters::default();
        counters.mark_file_number_used(number);
        counters.mark_file_number_used(state.next_file_number.saturating_sub(1));
        counters.set_last_sequence(state.last_sequence);
        let set = VersionSet {
            opts,
            counters: Arc::new(counters),
            obsolete_files: ObsoleteFiles::new(),
            column_families,
            db_id: state.db_id,
            min_log_number_to_keep: state.min_log_number_to_keep,
            max_column_family: state.max_column_family,
            written_sequence: state.last_sequence,
            manifest: None,
            read_size,
            read_clean: state.ends_clean,
            possible_manifests: BTreeSet::from([number]),
            obsolete_manifests: Vec::new(),
            quarantine: BTreeMap::new(),
        };
        Ok((set, missing))
    }

    /// The shared counters.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// The list of obsolete files.
    pub fn obsolete_files(&self) -> &ObsoleteFiles {
        &self.obsolete_files
    }

    /// The column families with their ids.
    pub fn column_families(&self) -> impl Iterator<Item = (u32, &ColumnFamilyVersions)> {
        self.column_families.iter().map(|(id, cf)| (*id, cf))
    }

    /// The column family with this id, if it exists.
    pub fn column_family(&self, id: u32) -> Option<&ColumnFamilyVersions> {
        self.column_families.get(&id)
    }

    /// The identity of the database, if the MANIFEST contained it or it was set.
    pub fn db_id(&self) -> Option<&str> {
        self.db_id.as_deref()
    }

    /// Sets the identity, which the next MANIFEST will contain.
    pub fn set_db_id(&mut self, id: String) {
        self.db_id = Some(id);
    }

    /// No column family needs a WAL below this number.
    pub fn min_log_number_to_keep(&self) -> u64 {
        self.min_log_number_to_keep
    }

    /// The largest id that a column family ever had.
    pub fn max_column_family(&self) -> u32 {
        self.max_column_family
    }

    /// The number of the MANIFEST that `CURRENT` names, as far as known.
    pub fn manifest_number(&self) -> u64 {
        self.possible_manifests.last().copied().unwrap_or_default()
    }

    /// The size in bytes of the MANIFEST that is being written; before the first install, of the
    /// one that was read.
    pub fn manifest_size(&self) -> u64 {
        self.manifest.as_ref().map_or(self.read_size, Manifest::size)
    }

    /// Whether the MANIFEST that was read ended with its last edit. If not, edits may be missing, and tables unknown to
    /// the MANIFEST may contain data.
    pub fn read_clean(&self) -> bool {
        self.read_clean
    }

    /// Whether a MANIFEST must be kept: `CURRENT` names it, or may name it after an error.
    pub fn needs_manifest(&self, number: u64) -> bool {
        self.possible_manifests.contains(&number)
    }

    /// The numbers of replaced MANIFESTs, which may be deleted. Each is returned once.
    pub fn take_obsolete_manifests(&mut self) -> Vec<u64> {
        debug_assert!(
            self.obsolete_manifests.iter().all(|number| !self.needs_manifest(*number)),
            "expected MANIFESTs besides {:?} to be obsolete, found {:?}",
            self.possible_manifests,
            self.obsolete_manifests
        );
        std::mem::take(&mut self.obsolete_manifests)
    }

    /// Whether a table must be kept: it is live, or a failed edit may have made it live (VS3).
    pub fn needs_table(&self, number: u64) -> bool {
        self.quarantine.contains_key(&number)
            || self.column_families.values().any(|cf| cf.current.find(number).is_some())
    }

    /// Whether the next install must start a new MANIFEST: before the first install, and after a
    /// failed write. After a failure the state on the device is unknown until an install succeeds.
    pub fn needs_new_manifest(&self) -> bool {
        self.manifest.is_none()
    }

    /// Writes edits to the MANIFEST and makes the resulting versions current.
    ///
    /// Several edits take effect together or not at all. Missing fields are filled in: next file
    /// number, last sequence number, epochs of new files. New files of one edit on level 0 must be
    /// ordered oldest first. The result contains the new version of each column family whose files
    /// changed. After an error nothing has changed in memory, but the MANIFEST on the device may
    /// have (VS3).
    pub fn install(&mut self, mut edits: Vec<VersionEdit>) -> Result<Vec<(u32, Arc<Version>)>> {
        for edit in &edits {
            self.check_edit(edit)?;
        }
        let mut epochs = BTreeMap::new();
        for edit in &mut edits {
            self.fill_epochs(edit, &mut epochs);
        }
        let mut builders = BTreeMap::new();
        for edit in edits.iter().filter(|e| !e.new_files.is_empty() || !e.deleted_files.is_empty())
        {
            let Some(cf) = self.column_families.get(&edit.column_family) else { continue };
            let builder = builders
                .entry(edit.column_family)
                .or_insert_with(|| VersionBuilder::new(Arc::clone(&cf.current)));
            builder.apply(edit)?;
        }
        let mut built = Vec::with_capacity(builders.len());
        for (id, builder) in builders {
            built.push((id, builder.build()?));
        }
        self.check_numbers(&edits, &epochs);
        self.write(&mut edits)?;

        for edit in &edits {
            self.apply_counters(edit);
        }
        let mut versions = Vec::with_capacity(built.len());
        for (id, built) in built {
            let Some(cf) = self.column_families.get_mut(&id) else { continue };
            for file in &built.removed {
                file.mark_obsolete(&self.obsolete_files, cf.paths.dir(file.path_id));
            }
            cf.next_epoch = epochs.get(&id).copied().unwrap_or(cf.next_epoch);
            cf.current = Arc::new(built.version);
            versions.push((id, Arc::clone(&cf.current)));
        }
        self.check_installed(&edits);
        Ok(versions)
    }

    /// Creates a column family and records it in the MANIFEST. Its id was never used before.
    pub fn create_column_family(
        &mut self,
        spec: &ColumnFamilySpec,
        log_number: u64,
    ) -> Result<u32> {
        if self.column_families.values().any(|cf| cf.name == spec.name) {
            let text = "Column family already exists";
            let named = format!("{text}: {}", spec.name);
            return Err(Error::invalid_argument(text).explained(named));
        }
        let Some(id) = self.max_column_family.checked_add(1) else {
            return Err(Error::invalid_argument("no column family ids are left"));
        };
        let edit = VersionEdit {
            column_family: id,
            column_family_add: Some(spec.name.clone()),
            comparator: Some(spec.order.name().to_owned()),
            log_number: Some(log_number),
            ..VersionEdit::default()
        };
        self.write(&mut [edit])?;
        self.max_column_family = id;
        let empty = Version::empty(spec.order.clone(), spec.num_levels);
        let paths = DataPaths::new(&*self.opts.fs, &self.opts.dir, &spec.paths);
        let versions = ColumnFamilyVersions::new(spec, log_number, paths, empty);
        self.column_families.insert(id, versions);
        Ok(id)
    }

    /// Drops a column family and records that in the MANIFEST. Its files become obsolete when their
    /// readers are gone.
    pub fn drop_column_family(&mut self, id: u32) -> Result<()> {
        if id == 0 {
            return Err(Error::invalid_argument("Can't drop default column family"));
        }
        if !self.column_families.contains_key(&id) {
            return Err(dropped(id));
        }
        let edit = VersionEdit {
            column_family: id,
            column_family_drop: true,
            max_column_family: Some(self.max_column_family),
            ..VersionEdit::default()
        };
        self.write(&mut [edit])?;
        if let Some(cf) = self.column_families.remove(&id) {
            for (_, file) in cf.current.all_files() {
                file.mark_obsolete(&self.obsolete_files, cf.paths.dir(file.path_id));
            }
        }
        Ok(())
    }

    /// Asserts that new files have allocated numbers that no other family uses, and that epochs do not descend.
    fn check_numbers(&self, edits: &[VersionEdit], epochs: &BTreeMap<u32, u64>) {
        if !cfg!(debug_assertions) {
            return;
        }
        let next = self.counters.next_file_number();
        for edit in edits {
            for number in edit.new_files.iter().map(|(_, file)| file.number) {
                assert!(number < next, "expected a file number below {next}, found {number}");
                for (id, cf) in &self.column_families {
                    assert!(
                        *id == edit.column_family || cf.current.find(number).is_none(),
                        "expected file #{number} in family {}, found it in {id}, too",
                        edit.column_family
                    );
                }
            }
        }
        for (id, next) in epochs {
            let before = self.column_families.get(id).map_or(0, |cf| cf.next_epoch);
            assert!(*next >= before, "VS4: expected epochs from {before} on, found {next}");
        }
    }

    /// Asserts that the versions are what the edits say, and in order.
    fn check_installed(&self, edits: &[VersionEdit]) {
        #[cfg(debug_assertions)]
        for edit in edits {
            let Some(cf) = self.column_families.get(&edit.column_family) else { continue };
            let level_of = |number| cf.current.find(number).map(|(level, _)| level);
            for (level, number) in &edit.deleted_files {
                let left = level_of(*number);
                assert_ne!(left, Some(*level), "file #{number}: expected to leave level {level}");
            }
            for (level, file) in &edit.new_files {
                let found = level_of(file.number);
                assert_eq!(found, Some(*level), "the level of file #{}", file.number);
                assert!(
                    file.largest_seqno <= self.written_sequence,
                    "VS2: expected numbers up to {} in the MANIFEST, found {file:?}",
                    self.written_sequence
                );
            }
            if let Err(error) = cf.current.check_structure() {
                panic!("expected a version in order: {error}");
            }
        }
        #[cfg(not(debug_assertions))]
        let _ = edits;
    }

    fn check_edit(&self, edit: &VersionEdit) -> Result<()> {
        if edit.is_column_family_manipulation() {
            return Err(Error::invalid_argument(
                "an edit that adds or drops a column family is not installed with others",
            ));
        }
        match self.column_families.get(&edit.column_family) {
            Some(_) => Ok(()),
            None => Err(dropped(edit.column_family)),
        }
    }

    /// VS4: a file made from others gets the age of the oldest of them; any other file is the
    /// newest.
    fn fill_epochs(&self, edit: &mut VersionEdit, next: &mut BTreeMap<u32, u64>) {
        let Some(cf) = self.column_families.get(&edit.column_family) else { return };
        let next = next.entry(edit.column_family).or_insert(cf.next_epoch);
        let inputs = edit.deleted_files.iter();
        let inputs = inputs.filter_map(|&(_, number)| cf.current.find(number));
        let oldest_input = inputs.map(|(_, f)| f.epoch_number).min();
        for (_, file) in &mut edit.new_files {
            if file.epoch_number == 0 {
                let epoch = oldest_input.unwrap_or(*next);
                *file = with_epoch(file, epoch);
            }
            *next = file.epoch_number.saturating_add(1).max(*next);
        }
    }

    fn write(&mut self, edits: &mut [VersionEdit]) -> Result<()> {
        let result = self.try_write(edits);
        if result.is_err() {
            self.manifest = None;
            for edit in edits.iter() {
                let Some(cf) = self.column_families.get(&edit.column_family) else { continue };
                let place = |file: &FileMeta| (file.number, Arc::clone(cf.paths.dir(file.path_id)));
                self.quarantine.extend(edit.new_files.iter().map(|(_, file)| place(file)));
            }
        }
        result
    }

    fn try_write(&mut self, edits: &mut [VersionEdit]) -> Result<()> {
        let full = |m: &Manifest| {
            // Keeps a large snapshot from being rewritten for every edit.
            m.size() >= self.opts.max_manifest_file_size && m.size() >= 2 * m.snapshot_size()
        };
        let number = match &self.manifest {
            Some(manifest) if !full(manifest) => None,
            _ => Some(self.counters.new_file_number()),
        };
        let sequence = self.complete(edits);
        match (number, &mut self.manifest) {
            (None, Some(manifest)) => manifest.append(edits)?,
            (number, _) => self.switch_manifest(number.unwrap_or_default(), edits, sequence)?,
        }
        self.written_sequence = sequence;
        Ok(())
    }

    /// Fills in the counters (VS2) and joins several edits into an atomic group. Returns the last
    /// sequence number.
    fn complete(&self, edits: &mut [VersionEdit]) -> SeqNo {
        let files = edits.iter().flat_map(|edit| &edit.new_files);
        let newest = files.map(|(_, file)| file.largest_seqno).max().unwrap_or_default();
        let sequence = self.counters.last_sequence().max(newest).max(self.written_sequence);
        let count = edits.len();
        for (i, edit) in edits.iter_mut().enumerate() {
            edit.next_file_number = Some(self.counters.next_file_number());
            edit.last_sequence = Some(sequence);
            if !edit.is_column_family_manipulation() {
                edit.prev_log_number = Some(0);
                edit.in_atomic_group = (count > 1).then(|| (count - 1 - i) as u32);
            }
        }
        sequence
    }

    /// Starts a MANIFEST with the state before `edits`, appends the edits, and makes it current.
    fn switch_manifest(
        &mut self,
        number: u64,
        edits: &[VersionEdit],
        sequence: SeqNo,
    ) -> Result<()> {
        let (fs, dir) = (&*self.opts.fs, &*self.opts.dir);
        self.manifest = None;
        let snapshot = self.snapshot(sequence);
        let written = Manifest::create(fs, dir, number, &snapshot)
            .and_then(|mut manifest| manifest.append(edits).map(|()| manifest));
        let manifest = match written {
            Ok(manifest) => manifest,
            Err(e) => {
                // CURRENT does not name the new MANIFEST. Best effort: the next open removes it,
                // too.
                let _ = fs.remove_file(&crate::fs::filename::manifest_file_name(dir, number));
                return Err(e);
            }
        };
        let switched = manifest.make_current(fs, dir);
        if switched.is_ok() {
            self.obsolete_manifests.extend(std::mem::take(&mut self.possible_manifests));
            self.bury_quarantined(edits);
            self.manifest = Some(manifest);
        }
        self.possible_manifests.insert(number);
        switched
    }

    /// Ends the quarantine. The MANIFEST that is now current contains none of the failed edits, so their new files are
    /// obsolete unless they are live or part of `edits`.
    fn bury_quarantined(&mut self, edits: &[VersionEdit]) {
        for (number, dir) in std::mem::take(&mut self.quarantine) {
            let mut coming = edits.iter().flat_map(|edit| &edit.new_files);
            debug_assert!(
                number < self.counters.next_file_number(),
                "expected an allocated file number, found {number} in quarantine"
            );
            if !self.needs_table(number) && !coming.any(|(_, file)| file.number == number) {
                self.obsolete_files.add(ObsoleteTable { number, dir });
            }
        }
    }

    /// The edits that produce the current state from an empty one.
    fn snapshot(&self, sequence: SeqNo) -> Vec<VersionEdit> {
        let mut edits = Vec::with_capacity(2 + 2 * self.column_families.len());
        if self.opts.write_dbid_to_manifest && self.db_id.is_some() {
            edits.push(VersionEdit { db_id: self.db_id.clone(), ..VersionEdit::default() });
        }
        for (&id, cf) in &self.column_families {
            edits.push(VersionEdit {
                comparator: Some(cf.order.name().to_owned()),
                column_family_add: (id != 0).then(|| cf.name.clone()),
                ..VersionEdit::for_column_family(id)
            });
            let keep = self.min_log_number_to_keep;
            let files = cf.current.all_files();
            edits.push(VersionEdit {
                new_files: files.map(|(level, f)| (level, Arc::clone(f))).collect(),
                log_number: Some(cf.log_number),
                min_log_number_to_keep: (id == 0 && keep > 0).then_some(keep),
                last_sequence: Some(sequence),
                ..VersionEdit::for_column_family(id)
            });
        }
        edits.push(VersionEdit {
            prev_log_number: Some(0),
            next_file_number: Some(self.counters.next_file_number()),
            max_column_family: (self.max_column_family > 0).then_some(self.max_column_family),
            last_sequence: Some(sequence),
            ..VersionEdit::default()
        });
        edits
    }

    fn apply_counters(&mut self, edit: &VersionEdit) {
        if let Some(number) = edit.min_log_number_to_keep {
            self.min_log_number_to_keep = self.min_log_number_to_keep.max(number);
        }
        if let (Some(number), Some(cf)) =
            (edit.log_number, self.column_families.get_mut(&edit.column_family))
        {
            cf.log_number = cf.log_number.max(number);
        }
    }
}

fn with_epoch(file: &Arc<FileMeta>, epoch: u64) -> Arc<FileMeta> {
    Arc::new(file.with_epoch(epoch))
}

fn dropped(id: u32) -> Error {
    Error::new(Code::ColumnFamilyDropped, format!("column family {id} does not exist"))
}

#[cfg(test)]
#[path = "set_test.rs"]
mod tests;
