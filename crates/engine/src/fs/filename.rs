//! Names of the files in a database directory.
