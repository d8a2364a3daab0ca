//! `wal/`: not written yet.
