//! `read/`: not written yet.
