//! Listeners and workers, and the loops that serve connections.

pub(crate) mod handshake;
mod output;
pub mod proxy;
mod quiet;
mod reading;
mod resp;
mod round;
pub(crate) mod stream;
pub mod thft;
pub mod workers;
