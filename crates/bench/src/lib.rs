//! db_bench.
