//! The listener, workers, limits and output buffers.
