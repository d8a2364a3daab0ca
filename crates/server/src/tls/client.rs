//! The side of a client: which servers it trusts, and what it shows them.

use super::load::{certificates, key_problem, private_key};
use super::provider::provider;
use crate::error::{Error, Result};
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, ConfigBuilder,
    RootCertStore, StreamOwned, WantsVerifier,
};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

/// An encrypted connection to a server.
pub type SecureStream = StreamOwned<ClientConnection, TcpStream>;

/// The settings of TLS of a client. Files are in PEM; an empty name means none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ClientTlsSettings {
    /// The file of the certificates that sign those of servers; without it, the system's are trusted.
    pub ca: String,
    /// The file of the client's certificate, followed by those that sign it.
    pub cert: String,
    /// The file of the certificate's private key.
    pub key: String,
    /// The name that the server's certificate must have; without it, the host of the address.
    pub server_name: String,
}

/// TLS of a client.
#[derive(Debug)]
pub struct ClientTls {
    settings: ClientTlsSettings,
    config: Arc<ClientConfig>,
}

impl ClientTls {
    /// Reads the files of these settings.
    ///
    /// # Errors
    ///
    /// A file cannot be read or is not of the expected kind, a certificate has no key or the wrong one, or the
    /// processor lacks instructions.
    pub fn open(settings: ClientTlsSettings) -> Result<ClientTls> {
        if settings.cert.is_empty() != settings.key.is_empty() {
            let text = "--tls-cert and --tls-key belong together: expected both or neither";
            return Err(Error::Setting(text.to_owned()));
        }
        let builder = versions()?.with_root_certificates(roots("--tls-ca", &settings.ca)?);
        let config = match &settings.cert[..] {
            "" => builder.with_no_client_auth(),
            cert => {
                let (chain, key) = (certificates("--tls-cert", cert)?, private_key(&settings.key)?);
                builder.with_client_auth_cert(chain, key).map_err(|error| {
                    let (key, what) = (&settings.key, key_problem(&error));
                    Error::Setting(format!("--tls-cert {cert} and --tls-key {key}: {what}"))
                })?
            }
        };
        Ok(ClientTls { settings, config: Arc::new(config) })
    }

    /// Shakes hands over a connection to `HOST:PORT`. The timeouts of the socket hold.
    ///
    /// # Errors
    ///
    /// The server does not use TLS, its certificate is not trusted, or it refused the client's.
    pub fn connect(&self, address: &str, mut socket: TcpStream) -> io::Result<SecureStream> {
        let name = match &self.settings.server_name[..] {
            "" => host_of(address),
            name => name,
        };
        let server = ServerName::try_from(name.to_owned())
            .map_err(|_| failure(format!("{name:?} is neither a name nor an address of a host")))?;
        let new = ClientConnection::new(self.config.clone(), server);
        let mut connection = new.map_err(|error| failure(format!("TLS: {error}")))?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| self.explained(error, name))?;
        }
        Ok(StreamOwned::new(connection, socket))
    }

    /// Returns the error of a handshake with a server of this name, with what to do.
    fn explained(&self, error: io::Error, name: &str) -> io::Error {
        if let Some(error) = tls_error(&error) {
            return match error {
                rustls::Error::InvalidCertificate(error) => failure(self.distrust(error, name)),
                rustls::Error::InvalidMessage(_) => failure(
                    "the server answers without TLS at this address: check the port".to_owned(),
                ),
                rustls::Error::AlertReceived(alert) => failure(alert_text(*alert)),
                other => failure(format!("TLS: {other}")),
            };
        }
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let text = "the server does not answer TLS in time: check that it uses TLS at this address";
                io::Error::new(io::ErrorKind::TimedOut, text)
            }
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
                let text = "the server ended the handshake: check that it uses TLS at this address";
                io::Error::new(error.kind(), text)
            }
            _ => error,
        }
    }

    /// Returns why a server's certificate is not trusted.
    fn distrust(&self, error: &CertificateError, name: &str) -> String {
        match error {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                match &self.settings.ca[..] {
                    "" => "no authority that the system trusts signed the server's certificate: \
                           --tls-ca names another one"
                        .to_owned(),
                    ca => {
                        format!("no certificate of --tls-ca {ca} signed that of the server")
                    }
                }
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired: replace it, or correct this clock".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate is not valid yet: correct the clocks".to_owned()
            }
            CertificateError::NotValidForName => not_for(name, &[]),
            CertificateError::NotValidForNameContext { presented, .. } => not_for(name, presented),
            other => format!("the server's certificate is not valid: {other}"),
        }
    }
}

/// Returns TLS of a client without a certificate, which trusts the authorities of a file in PEM, or those of the system
/// if the name is empty. `setting` names the file in errors.
///
/// # Errors
///
/// The file cannot be read, the system has no certificates, or the processor lacks instructions.
#[cfg(feature = "object-store")]
pub(crate) fn trusting(setting: &str, ca: &str) -> Result<ClientConfig> {
    Ok(versions()?.with_root_certificates(roots(setting, ca)?).with_no_client_auth())
}

fn versions() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>> {
    ClientConfig::builder_with_provider(Arc::new(provider()?))
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(|error| Error::Setting(format!("TLS: {error}")))
}

/// Returns the certificates of authorities in a file, or those that the system trusts.
fn roots(setting: &str, ca: &str) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    if ca.is_empty() {
        let found = rustls_native_certs::load_native_certs();
        if roots.add_parsable_certificates(found.certs).0 == 0 {
            return Err(Error::Setting(format!(
                "the system has no certificates of authorities: {setting} names a file"
            )));
        }
        return Ok(roots);
    }
    for certificate in certificates(setting, ca)? {
        let wrong = |error| Error::Setting(format!("{setting} {ca}: {error}"));
        roots.add(certificate).map_err(wrong)?;
    }
    Ok(roots)
}

/// Returns the host of `HOST:PORT`.
fn host_of(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

fn not_for(name: &str, presented: &[String]) -> String {
    let is_for = match presented {
        [] => String::new(),
        names => format!(", but for {}", names.join(", ")),
    };
    format!(
        "the server's certificate is not for {name}{is_for}: connect by a name of it, or give one as \
         --tls-server-name"
    )
}

/// Returns what an alert of a server means.
fn alert_text(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::CertificateRequired => {
            "the server asks for a certificate: --tls-cert and --tls-key name one".to_owned()
        }
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA => {
            format!("the server refuses the certificate of --tls-cert ({alert:?})")
        }
        other => format!("the server refuses the connection with the TLS alert {other:?}"),
    }
}

/// Returns an error of reading with what to do: with TLS 1.3, a refused certificate shows after the handshake.
pub(super) fn explained_later(error: io::Error) -> io::Error {
    match tls_error(&error) {
        Some(rustls::Error::AlertReceived(alert)) => failure(alert_text(*alert)),
        _ => error,
    }
}

fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

fn failure(text: String) -> io::Error {
    io::Error::other(text)
}

#[cfg(test)]
#[path = "client_test.rs"]
mod tests;
