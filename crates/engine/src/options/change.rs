//! Changes of options while a database is open. Either all changes of a call apply, or none. The row of each option
//! specifies whether it is changeable.

use super::registry::OptionSet;
use super::{ColumnFamilyOptions, DbOptions, TableFactory};
use super::{sanitize_cf, sanitize_db, validate_cf, validate_db};
use crate::error::{Code, Error, Result};
use std::sync::Arc;

/// The options after a change, and a sentence for each value that was adjusted.
pub type Changed<T> = (T, Vec<String>);

/// Returns the options of an open column family with changes, which are pairs of name and value.
pub fn change_cf(
    options: &ColumnFamilyOptions,
    changes: &[(&str, &str)],
) -> Result<Changed<ColumnFamilyOptions>> {
    if changes.is_empty() {
        return Err(Error::invalid_argument("empty input"));
    }
    let mut changed = options.clone();
    for (name, value) in changes {
        change_one(&mut changed, name, value)?;
    }
    keep_block_cache(options, &changed)?;
    validate_cf(&changed)?;
    let moved = sanitize_cf(&mut changed);
    Ok((changed, moved))
}

/// Returns the options of an open database with changes.
pub fn change_db(options: &DbOptions, changes: &[(&str, &str)]) -> Result<Changed<DbOptions>> {
    if changes.is_empty() {
        return Err(Error::invalid_argument("empty input"));
    }
    let mut changed = options.clone();
    for (name, value) in changes {
        match DbOptions::row(name) {
            Some(row) if row.changeable => {
                row.set(&mut changed, value).map_err(|e| unreadable(name, &e))?;
            }
            _ => return Err(Error::new(Code::NotFound, format!("Unrecognized option: {name}"))),
        }
    }
    if changed.bytes_per_sync == 0 {
        changed.bytes_per_sync = 1 << 20;
    }
    if (options.max_open_files == -1) != (changed.max_open_files == -1) {
        return Err(Error::not_supported(
            "option max_open_files: a change from or to -1 while the database is open",
        ));
    }
    validate_db(&changed)?;
    let moved = sanitize_db(&mut changed);
    Ok((changed, moved))
}

/// Applies one change. The name may refer to a nested option: `compression_opts.level`.
fn change_one(options: &mut ColumnFamilyOptions, name: &str, value: &str) -> Result<()> {
    let (outer, nested) = match name.split_once('.') {
        Some((outer, inner)) => (outer, Some(format!("{inner}={value}"))),
        None => (name, None),
    };
    let outer = match (outer, &options.table_factory) {
        ("table_factory", TableFactory::BlockBased(_)) => "block_based_table_factory",
        ("table_factory", TableFactory::Plain(_)) => "plain_table_factory",
        _ => outer,
    };
    let other_format = match &options.table_factory {
        TableFactory::BlockBased(_) => outer == "plain_table_factory",
        TableFactory::Plain(_) => outer == "block_based_table_factory",
        TableFactory::Cuckoo(_) => outer.ends_with("_table_factory"),
    };
    let row = ColumnFamilyOptions::row(outer)
        .ok_or_else(|| Error::invalid_argument(format!("Extra option not recognized: {name}")))?;
    if other_format && matches!(outer, "plain_table_factory" | "block_based_table_factory") {
        let have = options.table_factory.name();
        return Err(Error::invalid_argument(format!("Cannot modify {have} as {name}")));
    }
    if !row.changeable || other_format {
        return Err(Error::invalid_argument(format!("Option not changeable: {name}")));
    }
    row.set(options, nested.as_deref().unwrap_or(value)).map_err(|e| unreadable(name, &e))
}

fn unreadable(name: &str, e: &Error) -> Error {
    match e.code() {
        Code::NotSupported => e.clone(),
        _ if e.message().starts_with("option ") => {
            Error::invalid_argument(format!("Error parsing {name}:{}", e.message()))
        }
        _ => e.clone(),
    }
}

/// Refuses a change of the block cache: open tables continue to use the cache with which they were opened.
fn keep_block_cache(old: &ColumnFamilyOptions, new: &ColumnFamilyOptions) -> Result<()> {
    let (TableFactory::BlockBased(old), TableFactory::BlockBased(new)) =
        (&old.table_factory, &new.table_factory)
    else {
        return Ok(());
    };
    let same = match (&old.block_cache, &new.block_cache) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        (None, None) => true,
        _ => false,
    };
    if same && old.no_block_cache == new.no_block_cache {
        return Ok(());
    }
    Err(Error::not_supported("changing the block cache while the database is open"))
}

#[cfg(test)]
#[path = "change_test.rs"]
mod tests;
