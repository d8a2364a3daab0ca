//! `compaction/`: not written yet.
