//! The public modules (`transaction`, `backup`, …) through the public door alone, and every example.

mod bulk;
mod changes;
mod copies;
mod examples;
mod transactions;

#[cfg(feature = "tokio")]
mod asynchronous;
