//! The block cache.

/// A block cache, shared by tables, column families and databases.
#[derive(Debug)]
pub struct Cache {}
