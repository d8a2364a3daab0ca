//! `stats/`: not written yet.
