//! Everything that a database answers, checked against itself, as a file for the parent.
//!
//! ```text
//! file   := family*
//! family := entries:u64 entry*
//! entry  := key_length:u32 value_length:u32 key value       (little-endian)
//! ```

use crate::store::{Result, Scan, Setup, Store};
use crate::workload::Family;
use std::collections::BTreeSet;
use std::path::Path;

/// The prefix length of every option string with an extractor.
const PREFIX: usize = 8;

/// Reads all families every way there is; fails where two ways differ.
pub fn read_all(store: &dyn Store, setup: &Setup) -> Result<Vec<Family>> {
    (0..setup.shape.families)
        .map(|family| {
            read_family(store, setup, family).map_err(|e| format!("family {family}: {e}"))
        })
        .collect()
}

fn read_family(store: &dyn Store, setup: &Setup, family: usize) -> Result<Family> {
    let forward = scan(store, family, Scan::Forward)?;
    if let Some(pair) = forward.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        return Err(format!(
            "the scan returns {:?} before {:?}",
            show(&pair[0].0),
            show(&pair[1].0)
        ));
    }
    if !setup.is_mapped() {
        let mut backward = scan(store, family, Scan::Backward)?;
        backward.reverse();
        same("the scan backward", &backward, &forward)?;
    }
    let content: Family = forward.iter().cloned().collect();
    for (key, value) in &content {
        if store.get(family, key)?.as_ref() != Some(value) {
            return Err(format!("get of {} differs from the scan", show(key)));
        }
    }
    absent(store, setup, family, &content)?;
    if setup.has_prefixes() {
        prefixes(store, family, &content)?;
    }
    Ok(content)
}

/// Keys that are not there are not found.
fn absent(store: &dyn Store, setup: &Setup, family: usize, content: &Family) -> Result<()> {
    for key in content.keys().step_by(3).filter(|key| !key.is_empty()) {
        let mut other = key.clone();
        if setup.shape.fixed {
            if let Some(last) = other.last_mut() {
                *last ^= 0x80;
            }
        } else {
            other.push(0);
        }
        if !content.contains_key(&other) && store.get(family, &other)?.is_some() {
            return Err(format!("get finds {}, the scan does not", show(&other)));
        }
    }
    Ok(())
}

/// A scan of each prefix gives what the whole scan gave.
fn prefixes(store: &dyn Store, family: usize, content: &Family) -> Result<()> {
    let all: BTreeSet<&[u8]> = content.keys().filter_map(|key| key.get(..PREFIX)).collect();
    for prefix in all {
        let found = scan(store, family, Scan::Prefix(prefix))?;
        let expected: Vec<_> = content
            .range(prefix.to_vec()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        same(&format!("the scan of prefix {}", show(prefix)), &found, &expected)?;
    }
    Ok(())
}

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

fn scan(store: &dyn Store, family: usize, scan: Scan<'_>) -> Result<Entries> {
    let mut entries = Vec::new();
    store.scan(family, scan, &mut |key, value| entries.push((key.to_vec(), value.to_vec())))?;
    Ok(entries)
}

fn same(what: &str, found: &Entries, expected: &Entries) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
    let key = |entries: &Entries| entries.get(at).map_or("the end".into(), |(key, _)| show(key));
    Err(format!(
        "{what} has {} entries, the whole scan {}; at entry {at} it has {}, expected {}",
        found.len(),
        expected.len(),
        key(found),
        key(expected)
    ))
}

/// Bytes for people.
pub fn show(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().take(40).map(|b| format!("{b:02x}")).collect();
    format!("0x{hex}[{}]", bytes.len())
}

/// How two contents differ, if they do.
pub fn difference(found: &Family, expected: &Family) -> Option<String> {
    if found == expected {
        return None;
    }
    let lost: Vec<_> = expected.keys().filter(|key| !found.contains_key(*key)).collect();
    let extra: Vec<_> = found.keys().filter(|key| !expected.contains_key(*key)).collect();
    let other: Vec<_> =
        expected.iter().filter(|(k, v)| found.get(*k).is_some_and(|f| f != *v)).collect();
    let first = lost.first().or(extra.first()).copied().or(other.first().map(|(key, _)| *key));
    Some(format!(
        "{} of {} keys are missing, {} are unexpected, {} have another value; first: {}",
        lost.len(),
        expected.len(),
        extra.len(),
        other.len(),
        first.map_or(String::new(), |key| show(key)),
    ))
}

/// Writes a dump.
pub fn write(path: &Path, families: &[Family]) -> Result<()> {
    let mut out = Vec::new();
    for family in families {
        out.extend((family.len() as u64).to_le_bytes());
        for (key, value) in family {
            out.extend((key.len() as u32).to_le_bytes());
            out.extend((value.len() as u32).to_le_bytes());
            out.extend(key);
            out.extend(value);
        }
    }
    std::fs::write(path, out).map_err(|e| format!("{}: {e}", path.display()))
}

/// Reads a dump.
pub fn read(path: &Path) -> Result<Vec<Family>> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut rest = &bytes[..];
    let mut families = Vec::new();
    while !rest.is_empty() {
        families.push(read_one(&mut rest).ok_or("the dump is truncated")?);
    }
    Ok(families)
}

fn read_one(rest: &mut &[u8]) -> Option<Family> {
    let entries = u64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?);
    let mut family = Family::new();
    for _ in 0..entries {
        let key = u32::from_le_bytes(*rest.split_off(..4)?.first_chunk()?) as usize;
        let value = u32::from_le_bytes(*rest.split_off(..4)?.first_chunk()?) as usize;
        family.insert(rest.split_off(..key)?.to_vec(), rest.split_off(..value)?.to_vec());
    }
    Some(family)
}
