//! Flags and the configuration file; starting and stopping.

mod pegasus;

pub use pegasus::PegasusFlags;
