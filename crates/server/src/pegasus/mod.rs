//! The operations and administrative calls of Pegasus.
