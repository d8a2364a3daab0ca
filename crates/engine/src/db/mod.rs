//! `db/`: not written yet.
