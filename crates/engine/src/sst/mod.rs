//! `sst/`: not written yet.
