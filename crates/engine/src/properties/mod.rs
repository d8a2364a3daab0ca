//! Properties by RocksDB's names, and the statistics that LOG gets periodically.

mod db_figures;
mod db_stats;
mod level_table;
#[allow(clippy::module_inception)]
mod properties;
mod table_totals;
mod tree_texts;

pub(crate) use properties::Properties;
