//! The integration program.
