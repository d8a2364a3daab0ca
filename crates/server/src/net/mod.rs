//! Listeners and workers, and the loops that serve connections.

mod resp;
mod thft;
pub mod workers;
