//! The HTTP door: metrics, the API and who may use it.

mod access;
mod api;
mod client;
mod schema;

pub use client::{Http, Response};
