//! `inspect/`: not written yet.
