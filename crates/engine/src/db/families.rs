//! Creating and dropping column families of an open database.

use crate::base::KeyOrder;
use crate::commit;
use crate::env::epoch;
use crate::error::{Error, Result};
use crate::files::FileKeeper;
use crate::open::{self, Core, keep_family, log_family};
use crate::options::{self, ColumnFamilyOptions};
use crate::session::{ColumnFamilyData, PurgesTables};
use crate::version::{ColumnFamilySpec, Version};
use std::sync::{Arc, Weak};

impl Core {
    /// Creates a family and records it in the MANIFEST.
    pub(crate) fn create_family(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
    ) -> Result<Arc<ColumnFamilyData>> {
        self.session.health.check_writable()?;
        options::validate_cf(options)?;
        open::check_family(options, &self.session.options)?;
        let mut options = options.clone();
        let inherited = options::inherit_from_db(&self.session.options, &mut options);
        for change in inherited.into_iter().chain(options::sanitize_cf(&mut options)) {
            self.session.info_log.info(format_args!("[{name}] {change}"));
        }
        open::give_block_cache(&mut options, self.session.memory());
        open::make_data_paths(&*self.session.fs, &options.cf_paths)?;
        let spec = ColumnFamilySpec {
            name: name.to_owned(),
            order: KeyOrder::new(Arc::clone(&options.comparator)),
            num_levels: options.num_levels.max(1) as usize,
            paths: options.cf_paths.clone(),
        };
        let mut versions = self.catalog.versions();
        self.session.health.check_open()?;
        let log_number = self.commit.live_wal();
        let id = versions.create_column_family(&spec, log_number)?;
        let current = Version::empty(spec.order, spec.num_levels);
        let current =
            versions.column_family(id).map_or(Arc::new(current), |cf| Arc::clone(cf.current()));
        let data = self.session.family(id, name, options);
        commit::add_family(&self.commit, Arc::clone(&data), current);
        // Log the family before another thread can drop it.
        let log = &self.session.info_log;
        log.together(|| log_family(log, name, &data.options()));
        keep_family(log, &data);
        drop(versions);
        self.write_options_file();
        self.session.info_log.info(format_args!("Created column family [{name}] (ID {id})"));
        Ok(data)
    }

    /// Drops a family and records the drop in the MANIFEST.
    pub(crate) fn drop_family(&self, family: &Arc<ColumnFamilyData>) -> Result<()> {
        self.session.health.check_writable()?;
        if family.id == 0 {
            return Err(Error::invalid_argument("Can't drop default column family"));
        }
        if family.is_dropped() {
            return Err(Error::invalid_argument("Column family already dropped!"));
        }
        let mut versions = self.catalog.versions();
        self.session.health.check_open()?;
        versions.drop_column_family(family.id)?;
        let mut state = self.catalog.state();
        let files: Weak<dyn PurgesTables> = Arc::<FileKeeper>::downgrade(&self.files);
        family.drop_from(files);
        let gone = self.catalog.remove_family(&mut state, family.id);
        drop(state);
        self.session.info_log.drop_sections(Some(&family.name));
        drop(versions);
        drop(gone);
        self.reporter.deliver();
        self.write_options_file();
        self.session.info_log.info(format_args!("Dropped column family with id {}", family.id));
        // If no handle is left, for example because the family was dropped by name, nobody can read its files.
        epoch::synchronize();
        self.files.purge_tables();
        Ok(())
    }
}
