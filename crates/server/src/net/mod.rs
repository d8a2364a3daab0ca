//! Listeners and workers, and the loops that serve connections.

mod handshake;
pub mod http;
mod metrics;
mod output;
mod quiet;
mod reading;
mod resp;
mod stream;
pub mod thft;
pub mod workers;
