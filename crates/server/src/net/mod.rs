//! Listeners and workers, and the loops that serve connections.

mod handshake;
pub mod http;
mod metrics;
mod output;
pub mod proxy;
mod quiet;
mod reading;
mod resp;
mod round;
mod stream;
pub mod thft;
pub mod workers;
