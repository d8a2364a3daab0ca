//! How iterators over tables read ahead.

use crate::env::sync::Mutex;
use std::sync::Arc;

/// The readahead of an iterator over tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadaheadOptions {
    /// The number of bytes to read ahead from the first read on; 0 leaves it to the table's options, and then
    /// readahead begins after some sequential reads and doubles.
    pub size: usize,
    /// Whether a scan that reaches the next table of a level continues with the readahead that it had.
    pub adaptive: bool,
    /// Whether the next piece is read while the current one is in use.
    pub asynchronous: bool,
    /// Whether nothing is read ahead beyond `scan_end`.
    pub trims: bool,
    /// The end of the scan. It does not distinguish options from others.
    pub scan_end: ScanEnd,
}

impl ReadaheadOptions {
    /// Readahead as the table's options say, without a known end.
    pub const AUTOMATIC: ReadaheadOptions = ReadaheadOptions {
        size: 0,
        adaptive: false,
        asynchronous: false,
        trims: false,
        scan_end: ScanEnd(None),
    };

    /// Readahead of a fixed size in bytes.
    pub fn fixed(size: usize) -> ReadaheadOptions {
        ReadaheadOptions { size, ..ReadaheadOptions::AUTOMATIC }
    }
}

/// The upper bound of a user's iterator. The iterators over tables look it up when they read ahead, so that a new bound
/// costs nothing for each table.
#[derive(Clone, Debug, Default)]
pub struct ScanEnd(Option<Arc<Mutex<Vec<u8>>>>);

impl ScanEnd {
    /// An end that can be set.
    pub fn new() -> ScanEnd {
        ScanEnd(Some(Arc::default()))
    }

    /// Sets the user key before which the scan ends; an empty key means that there is no end.
    pub fn set(&self, upper: Option<&[u8]>) {
        let Some(end) = &self.0 else { return };
        let mut end = end.lock();
        end.clear();
        end.extend_from_slice(upper.unwrap_or_default());
    }

    /// Returns the result of `f` for the end, if there is one.
    pub fn with<T>(&self, f: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let end = self.0.as_ref()?.lock();
        (!end.is_empty()).then(|| f(&end))
    }
}

/// Iterators with different ends are interchangeable, since each user of an iterator sets its end.
impl PartialEq for ScanEnd {
    fn eq(&self, _: &ScanEnd) -> bool {
        true
    }
}

impl Eq for ScanEnd {}
