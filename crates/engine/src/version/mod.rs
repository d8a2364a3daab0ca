//! `version/`: not written yet.
