//! Options of databases and column families, set with chained methods.

mod database;
mod family;
mod table;
pub(super) mod text;

use crate::error::{Error, Result};
use crate::open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
use crate::options;
use std::fmt;
use std::time::Duration;

pub use crate::compress::CompressionType;
pub use crate::options::{
    CompactionPri, CompactionStyle, DbPath, InfoLogLevel, MemtableFactory, PlainTableOptions,
    WalRecoveryMode,
};
pub use table::BlockBasedOptions;

/// Options of a database, of its default column family and of its other families.
///
/// Setters take and return the options, so that they can be chained. They have RocksDB's names. Times are [`Duration`]s
/// and sizes are in bytes. Options of column families that are set here apply to the default family and to families
/// without options of their own.
///
/// Every option of RocksDB 10.10 can be set. Options without a method can be set by name with [`Options::set`] and
/// [`Options::set_from_str`], or from an OPTIONS file with [`Options::from_options_file`]. Nothing is ignored silently:
/// an option that the engine cannot honour is an error at opening, and [`Options::without_effect`] lists settings that
/// have no effect here.
///
/// ```
/// use ferrolith::{CompressionType, Db, Options};
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let options = Options::new()
///     .create_if_missing(true)
///     .compression(CompressionType::Zstd)
///     .write_buffer_size(128 << 20)
///     .set("max_background_jobs", "4")?;
/// let db = Db::open_with(options, path)?;
/// # Ok::<(), ferrolith::Error>(())
/// ```
///
#[doc = include_str!("without_effect.md")]
#[derive(Clone, Default)]
pub struct Options {
    inner: options::Options,
    families: Vec<(String, ColumnFamilyOptions)>,
    ttl: Option<Duration>,
    /// Whether [`Options::create_missing_column_families`] was set to false.
    refuse_missing: bool,
}

/// Options of one column family.
///
/// ```
/// use ferrolith::{ColumnFamilyOptions, CompressionType, Db, Options};
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let archive = ColumnFamilyOptions::new().compression(CompressionType::Zstd);
/// let options = Options::new().create_if_missing(true).column_family("archive", archive);
/// let db = Db::open_with(options, path)?;
/// db.cf("archive")?.put("key", "value")?;
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct ColumnFamilyOptions {
    inner: options::ColumnFamilyOptions,
    ttl: Option<Duration>,
}

impl Options {
    /// Returns RocksDB's defaults, except for the version of new tables: they have `format_version` 5, which RocksDB
    /// 7.8 can also read.
    pub fn new() -> Options {
        Options::default()
    }

    /// Returns the engine's options.
    pub(crate) fn inner(&self) -> &options::Options {
        &self.inner
    }

    fn family(&mut self) -> &mut options::ColumnFamilyOptions {
        &mut self.inner.cf
    }

    /// Sets the options of one column family. [`Db::open_with`](crate::Db::open_with) creates the family if it does not
    /// exist. The name `default` means the default family.
    #[must_use]
    pub fn column_family(
        mut self,
        name: impl Into<String>,
        options: impl Into<ColumnFamilyOptions>,
    ) -> Options {
        let (name, options) = (name.into(), options.into());
        if name == DEFAULT_COLUMN_FAMILY {
            self.inner.cf = options.inner;
            self.ttl = options.ttl.or(self.ttl);
            return self;
        }
        self.families.retain(|(other, _)| *other != name);
        self.families.push((name, options));
        self
    }

    pub(crate) fn has_family(&self, name: &str) -> bool {
        name == DEFAULT_COLUMN_FAMILY || self.families.iter().any(|(other, _)| other == name)
    }

    /// Returns the default family and the named families.
    pub(crate) fn descriptors(&self) -> Vec<ColumnFamilyDescriptor> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, self.inner.cf.clone());
        let named = self.families.iter().map(|(name, options)| {
            ColumnFamilyDescriptor::new(name.clone(), options.inner.clone())
        });
        std::iter::once(default).chain(named).collect()
    }

    /// Returns the engine's database options for opening.
    pub(crate) fn to_open(&self) -> options::DbOptions {
        let mut db = self.inner.db.clone();
        db.create_missing_column_families = !self.refuse_missing;
        db
    }

    /// Fails if a time to live is set: databases with transactions do not support expiring entries.
    pub(crate) fn refuse_ttl(&self) -> Result<()> {
        let of_families = self.families.iter().any(|(_, options)| options.ttl.is_some());
        match self.ttl.is_some() || of_families {
            true => Err(Error::not_supported(
                "time_to_live with transactions: leave it out, or open with Db::open_with_ttl",
            )),
            false => Ok(()),
        }
    }

    /// Returns a family's time to live in seconds; 0 means no limit.
    pub(crate) fn ttl_seconds(&self, name: &str) -> i32 {
        let own = self.families.iter().find(|(other, _)| other == name);
        let ttl = own.and_then(|(_, options)| options.ttl).or(self.ttl).unwrap_or_default();
        i32::try_from(ttl.as_secs()).unwrap_or(i32::MAX)
    }
}

impl ColumnFamilyOptions {
    /// Returns RocksDB's defaults; see [`Options::new`].
    pub fn new() -> ColumnFamilyOptions {
        ColumnFamilyOptions::default()
    }

    /// Returns the engine's options.
    pub(crate) fn inner(&self) -> &options::ColumnFamilyOptions {
        &self.inner
    }

    fn family(&mut self) -> &mut options::ColumnFamilyOptions {
        &mut self.inner
    }
}

/// Returns the options of the default column family.
impl From<&Options> for ColumnFamilyOptions {
    fn from(options: &Options) -> ColumnFamilyOptions {
        ColumnFamilyOptions { inner: options.inner.cf.clone(), ttl: options.ttl }
    }
}

/// Returns the options of the default column family.
impl From<Options> for ColumnFamilyOptions {
    fn from(options: Options) -> ColumnFamilyOptions {
        ColumnFamilyOptions::from(&options)
    }
}

impl From<&ColumnFamilyOptions> for ColumnFamilyOptions {
    fn from(options: &ColumnFamilyOptions) -> ColumnFamilyOptions {
        options.clone()
    }
}

/// Shows the options that differ from the defaults.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Options");
        text::debug_changes(&self.inner.db, &mut out);
        text::debug_changes(&self.inner.cf, &mut out);
        for (name, options) in &self.families {
            out.field(name, options);
        }
        out.finish_non_exhaustive()
    }
}

/// Shows the options that differ from the defaults.
impl fmt::Debug for ColumnFamilyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("ColumnFamilyOptions");
        text::debug_changes(&self.inner, &mut out);
        out.finish_non_exhaustive()
    }
}
