//! Flags of TLS: those of the listeners, which all protocols share, and those of the connection to a server that this
//! one follows.

use crate::error::{Error, Result};
use crate::tls::{ClientCertificates, ClientTls, ClientTlsSettings, FlagNames, Tls, TlsSettings};
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::Arc;

/// The flags of the listeners. Without an address, TLS is off.
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

/// The flags of the connection that `--replica-of` and REPLICAOF make.
#[derive(Debug, clap::Args)]
pub struct ReplicaTlsFlags {
    /// Whether the connection to the server of --replica-of or REPLICAOF uses TLS [default: no]
    #[arg(id = "replica-tls", long = "replica-tls", value_name = "WHETHER", value_parser = ["no", "yes"])]
    pub is_on: Option<String>,
    /// The certificates that sign that server's, in PEM; without, those that the system trusts
    #[arg(
        id = "replica-tls-ca",
        long = "replica-tls-ca",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub ca: String,
    /// The certificate that this server shows that one, in PEM
    #[arg(
        id = "replica-tls-cert",
        long = "replica-tls-cert",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub cert: String,
    /// The private key of that certificate, in PEM, without a password
    #[arg(
        id = "replica-tls-key",
        long = "replica-tls-key",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub key: String,
    /// The name that the other server's certificate must have; without, the host of the address
    #[arg(
        id = "replica-tls-server-name",
        long = "replica-tls-server-name",
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub server_name: String,
}

impl ReplicaTlsFlags {
    /// Returns whether the connection uses TLS, and its settings. Their files can be read.
    ///
    /// # Errors
    ///
    /// A file is wrong or missing, or is given although nobody said whether TLS is used.
    pub fn open(&self) -> Result<(bool, ClientTlsSettings)> {
        let settings = ClientTlsSettings {
            ca: self.ca.clone(),
            cert: self.cert.clone(),
            key: self.key.clone(),
            server_name: self.server_name.clone(),
            flags: FlagNames::REPLICA,
        };
        let (is_on, given) = (self.is_on.as_deref() == Some("yes"), settings.given());
        // A forgotten switch must not send passwords and data unencrypted.
        if let Some(flag) = given.filter(|_| self.is_on.is_none()) {
            return Err(Error::Setting(format!(
                "{flag} needs --replica-tls yes; --replica-tls no connects without encryption"
            )));
        }
        // CONFIG SET can switch TLS on later.
        if is_on || given.is_some() {
            ClientTls::open(settings.clone())?;
        }
        Ok((is_on, settings))
    }
}
