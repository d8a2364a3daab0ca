//! The catalogue of tables.
