//! Flags of TLS, which all protocols share.

use crate::error::{Error, Result};
use crate::tls::{ClientCertificates, Tls, TlsSettings};
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::Arc;

/// The flags. Without an address, TLS is off.
#[derive(Debug, clap::Args)]
pub struct TlsFlags {
    /// Addresses at which Redis clients are served over TLS, separated by commas
    #[arg(id = "tls-listen", long = "tls-listen", value_name = "ADDRESSES", value_delimiter = ',')]
    pub listen: Vec<SocketAddr>,
    /// Addresses at which Pegasus clients are served over TLS, separated by commas. Clients need a proxy that encrypts
    #[arg(
        id = "pegasus-tls-listen",
        long = "pegasus-tls-listen",
        value_name = "ADDRESSES",
        value_delimiter = ','
    )]
    pub pegasus_listen: Vec<SocketAddrV4>,
    /// Addresses at which the web page, its API, /metrics and /health are served over HTTPS, separated by commas
    #[arg(
        id = "http-tls-listen",
        long = "http-tls-listen",
        value_name = "ADDRESSES",
        value_delimiter = ','
    )]
    pub http_listen: Vec<SocketAddr>,
    /// The server's certificate and those that sign it, in PEM. SIGHUP makes the server read all files of TLS again
    #[arg(
        id = "tls-cert",
        long = "tls-cert",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub cert: String,
    /// The private key of the certificate, in PEM, without a password
    #[arg(
        id = "tls-key",
        long = "tls-key",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub key: String,
    /// The certificates that sign those of clients, in PEM
    #[arg(
        id = "tls-ca",
        long = "tls-ca",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub ca: String,
    /// Whether clients of all protocols must have a certificate that --tls-ca signed
    #[arg(id = "tls-auth-clients", long = "tls-auth-clients", value_name = "WHETHER", default_value = "yes", value_parser = ClientCertificates::NAMES)]
    pub clients: String,
    /// The versions of TLS, separated by spaces [default: TLSv1.2 TLSv1.3]
    #[arg(
        id = "tls-protocols",
        long = "tls-protocols",
        value_name = "VERSIONS",
        default_value = "",
        hide_default_value = true
    )]
    pub protocols: String,
}

impl TlsFlags {
    /// Returns whether there are listeners with TLS.
    pub fn is_on(&self) -> bool {
        !self.listen.is_empty() || !self.pegasus_listen.is_empty() || !self.http_listen.is_empty()
    }

    /// Reads the files; `None` if no listener needs them.
    ///
    /// # Errors
    ///
    /// A file is wrong or missing, or is given although no listener needs it.
    pub fn open(&self) -> Result<Option<Arc<Tls>>> {
        let clients = ClientCertificates::named(&self.clients);
        if self.is_on() {
            let (cert, key, ca) = (self.cert.clone(), self.key.clone(), self.ca.clone());
            let settings =
                TlsSettings { cert, key, ca, clients, protocols: self.protocols.clone() };
            return Ok(Some(Arc::new(Tls::open(settings)?)));
        }
        let given = [
            (!self.cert.is_empty(), "--tls-cert"),
            (!self.key.is_empty(), "--tls-key"),
            (!self.ca.is_empty(), "--tls-ca"),
            (clients != ClientCertificates::default(), "--tls-auth-clients"),
            (!self.protocols.is_empty(), "--tls-protocols"),
        ];
        match given.iter().find(|(is_given, _)| *is_given) {
            None => Ok(None),
            Some((_, flag)) => Err(Error::Setting(format!(
                "{flag} needs --tls-listen, --pegasus-tls-listen or --http-tls-listen: without \
                 them TLS is off"
            ))),
        }
    }
}
