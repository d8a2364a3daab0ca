//! What a phase runs on: an engine in this process, or a server.

use super::client::{Client, Embedded};
use crate::remote::Server;
use crate::target::{ReadMode, Result, Target, WriteMode};
use std::slice::from_ref;
use std::sync::Arc;

/// An open database or a server that has answered.
pub enum Store {
    /// An engine in this process.
    Engine {
        /// Its database.
        target: Arc<dyn Target>,
        /// How threads write.
        write: WriteMode,
        /// Updates do not read.
        blind: bool,
    },
    /// A server.
    Server(Server),
}

impl Store {
    /// Returns a thread's client.
    pub fn client(&self) -> Result<Box<dyn Client + '_>> {
        match self {
            Store::Server(server) => server.client(),
            Store::Engine { target, write, blind } => {
                let session = target.session(ReadMode::default(), *write)?;
                Ok(Box::new(match blind {
                    true => Embedded::blind(session),
                    false => Embedded::new(session),
                }))
            }
        }
    }

    /// Returns the databases in this process.
    pub fn targets(&self) -> &[Arc<dyn Target>] {
        match self {
            Store::Engine { target, .. } => from_ref(target),
            Store::Server(_) => &[],
        }
    }

    /// Returns the server's process, if it is known.
    pub fn pid(&self) -> Option<u32> {
        match self {
            Store::Engine { .. } => None,
            Store::Server(server) => server.pid(),
        }
    }
}
