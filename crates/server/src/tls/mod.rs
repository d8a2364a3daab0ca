//! TLS of all listeners: what it is made of, and the configuration that new connections get. Also the side of a client.
//!
//! Files in reading order: `provider` (the algorithms), `load` (files to a configuration), `client` (trust in servers),
//! `flags` (flags of programs that connect), `stream` (connections that this program opens).
//!
//! 1. A change is built whole before it is used: one that fails leaves the configuration as it was.
//! 2. A connection keeps the configuration that it began with.

mod client;
mod flags;
mod load;
mod provider;
mod stream;

#[cfg(feature = "object-store")]
pub(crate) use client::trusting;
pub use client::{ClientTls, ClientTlsSettings, FlagNames, SecureStream};
pub use flags::ClientTlsFlags;
#[cfg(feature = "object-store")]
pub(crate) use provider::provider;
pub use stream::Stream;

use crate::error::Result;
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustls::ServerConfig;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which certificates clients must have.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ClientCertificates {
    /// The server asks for no certificate.
    No,
    /// Each client must have one.
    #[default]
    Required,
    /// A client may have none, but not a wrong one.
    Optional,
}

impl ClientCertificates {
    /// The names of all, in the order of their numbers.
    pub const NAMES: [&'static str; 3] = ["no", "yes", "optional"];

    /// Returns the one with this name; the safest if there is none.
    pub fn named(name: &str) -> ClientCertificates {
        match name {
            "no" => ClientCertificates::No,
            "optional" => ClientCertificates::Optional,
            _ => ClientCertificates::Required,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            ClientCertificates::No => "no",
            ClientCertificates::Required => "yes",
            ClientCertificates::Optional => "optional",
        }
    }
}

/// The settings of TLS. Files are in PEM.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TlsSettings {
    /// The file of the server's certificate, followed by those that sign it.
    pub cert: String,
    /// The file of the certificate's private key.
    pub key: String,
    /// The file of the certificates that sign those of clients; empty if clients need none.
    pub ca: String,
    /// Which certificates clients must have.
    pub clients: ClientCertificates,
    /// The versions of the protocol, separated by spaces; empty for all that are safe.
    pub protocols: String,
}

/// TLS of a server. Its files can be read again while it runs.
pub struct Tls {
    current: ArcSwap<Current>,
    /// Held while the configuration changes.
    change: Mutex<()>,
    handshakes: AtomicU64,
    failures: AtomicU64,
}

struct Current {
    settings: TlsSettings,
    config: Arc<ServerConfig>,
}

impl Current {
    fn load(settings: TlsSettings) -> Result<Arc<Current>> {
        let config = load::server_config(&settings)?;
        Ok(Arc::new(Current { settings, config }))
    }
}

impl Tls {
    /// Reads the files of these settings.
    ///
    /// # Errors
    ///
    /// A file cannot be read or is not of the expected kind, the key is not the certificate's, or the processor lacks
    /// instructions.
    pub fn open(settings: TlsSettings) -> Result<Tls> {
        let current = ArcSwap::new(Current::load(settings)?);
        let (handshakes, failures) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Tls { current, change: Mutex::new(()), handshakes, failures })
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> TlsSettings {
        self.current.load().settings.clone()
    }

    /// Returns the configuration of a new connection.
    pub fn config(&self) -> Arc<ServerConfig> {
        self.current.load().config.clone()
    }

    /// Changes the settings and reads their files, which may be the same as before with other contents.
    ///
    /// # Errors
    ///
    /// As [`open`](Tls::open). The settings stay as they were.
    pub fn change(&self, with: impl FnOnce(&mut TlsSettings)) -> Result<()> {
        let _change = self.change.lock();
        let mut settings = self.settings();
        with(&mut settings);
        self.current.store(Current::load(settings)?);
        Ok(())
    }

    /// Counts a connection that is encrypted from now on, or one that failed to get so far.
    pub fn count(&self, is_open: bool) {
        let counter = if is_open { &self.handshakes } else { &self.failures };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many handshakes succeeded, and how many failed.
    pub fn handshakes(&self) -> (u64, u64) {
        (self.handshakes.load(Ordering::Relaxed), self.failures.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Tls {
    /// Writes the settings; keys are not among them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("settings", &self.current.load().settings).finish()
    }
}
