//! RocksDB's hash functions.
