//! `batch/`: not written yet.
