//! Listeners and workers, and the loops that serve connections.

pub mod http;
mod metrics;
mod output;
mod quiet;
mod reading;
mod resp;
pub mod thft;
pub mod workers;
