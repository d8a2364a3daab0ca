//! The listener, workers, limits and output buffers.

pub mod pegasus;
pub mod thft;
