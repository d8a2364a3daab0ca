//! `write/`: not written yet.
