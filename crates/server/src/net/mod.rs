//! Listeners and workers, and the loops that serve connections.

pub mod http;
mod metrics;
mod resp;
mod thft;
pub mod workers;
