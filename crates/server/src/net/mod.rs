//! Listeners and workers, and the loops that serve connections.

pub mod http;
mod metrics;
mod output;
pub mod proxy;
mod quiet;
mod resp;
pub mod thft;
pub mod workers;
