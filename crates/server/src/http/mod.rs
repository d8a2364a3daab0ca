//! The HTTP door for operators: the web page, its API under `/api/v1`, `/metrics` and `/health`.
//!
//! Files in reading order: `refusal` (errors), `query` (parameters), `bytes` (foreign bytes as text), `sessions` and
//! `auth` (who asks, and what that user may see), `history` and `heat` (samples in memory), `pool` and `commands`
//! (reads through Redis's commands), `views` (one file per reply of the API), `routes` (all of them, as one table),
//! `openapi`, `metrics`, `page`, `answer` (one request), `serve` (connections).
//!
//! Nothing here is called by a read or a write of a client. Once per second a task sums the counters that workers keep
//! anyway, and every five seconds it asks the engine for the figures of each partition; requests read the rest.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod answer;
mod auth;
mod bytes;
mod commands;
mod heat;
mod history;
pub mod metrics;
mod openapi;
mod page;
mod pool;
mod query;
mod refusal;
mod routes;
mod serve;
mod sessions;
mod views;

pub use serve::{sample, serve};
pub use views::settings::{HIDDEN, Setting, Source};

use crate::pegasus::Service;
use crate::redis::{Server, Worker};
use crate::store::Inspect;
use crate::tables::Catalogue;
use heat::Heat;
use history::History;
use parking_lot::Mutex;
use pool::Pool;
use sessions::Sessions;
use std::sync::Arc;

/// What the HTTP door shows.
pub struct Parts {
    /// The Redis side of the server, with its users.
    pub server: Arc<Server>,
    /// The same rows as those of `server`.
    pub store: Arc<dyn Inspect>,
    /// The tables.
    pub catalogue: Arc<Catalogue>,
    /// The Pegasus side of the server, if there is one.
    pub pegasus: Option<Arc<Service>>,
    /// The settings that the server started with.
    pub settings: Vec<Setting>,
    /// Names of this host that browsers may use, besides `localhost` and addresses.
    pub hosts: Vec<String>,
}

/// The state that all requests share.
pub struct App {
    parts: Parts,
    /// The values of Redis's parameters when the server started, by name.
    started: Vec<(&'static str, String)>,
    history: History,
    heat: Heat,
    sessions: Sessions,
    /// Runs commands for the browser of keys. They may wait for latches and for the device.
    pool: Pool,
    /// Runs AUTH, which waits for nothing.
    logins: Mutex<Worker>,
}

impl App {
    /// Returns the state of a server that is about to serve.
    pub fn new(parts: Parts) -> App {
        let (pool, logins) = (Pool::new(&parts.server), Mutex::new(parts.server.worker()));
        let started = views::settings::parameters(&parts.server);
        App {
            parts,
            started,
            history: History::default(),
            heat: Heat::default(),
            sessions: Sessions::default(),
            pool,
            logins,
        }
    }
}
