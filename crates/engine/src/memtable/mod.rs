//! `memtable/`: not written yet.
