//! `flush/`: not written yet.
