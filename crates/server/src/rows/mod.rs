//! The bytes of rows of Redis and Pegasus tables.
