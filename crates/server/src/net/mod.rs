//! Listeners and workers, and the loops that serve connections.

pub mod http;
mod metrics;
mod quiet;
mod resp;
mod thft;
pub mod workers;
