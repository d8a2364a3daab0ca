//! The server's error type.
