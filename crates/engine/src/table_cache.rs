//! File number to open reader.
