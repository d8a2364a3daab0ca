//! Reads at a view, batches, latches, versions, expiry and garbage.
