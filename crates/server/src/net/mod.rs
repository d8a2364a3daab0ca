//! Listeners and workers, and the loops that serve connections.

pub(crate) mod handshake;
mod output;
pub mod proxy;
mod quiet;
mod reading;
mod resp;
pub(crate) mod stream;
pub mod thft;
pub mod workers;
