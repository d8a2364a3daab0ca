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

/// The names of the flags that set TLS of a client, for messages.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FlagNames {
    /// The flag of [`ClientTlsSettings::ca`].
    pub ca: &'static str,
    /// The flag of [`ClientTlsSettings::cert`].
    pub cert: &'static str,
    /// The flag of [`ClientTlsSettings::key`].
    pub key: &'static str,
    /// The flag of [`ClientTlsSettings::server_name`].
    pub server_name: &'static str,
}

impl FlagNames {
    /// The flags of a program that connects to servers.
    pub const PROGRAM: FlagNames = FlagNames {
        ca: "--tls-ca",
        cert: "--tls-cert",
        key: "--tls-key",
        server_name: "--tls-server-name",
    };
    /// The flags of a server that follows another one.
    pub const REPLICA: FlagNames = FlagNames {
        ca: "--replica-tls-ca",
        cert: "--replica-tls-cert",
        key: "--replica-tls-key",
        server_name: "--replica-tls-server-name",
    };
}

impl Default for FlagNames {
    /// Returns those of a program.
    fn default() -> FlagNames {
        FlagNames::PROGRAM
    }
}

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
    /// The flags that set these.
    pub flags: FlagNames,
}

impl ClientTlsSettings {
    /// Returns the flag of a setting that is not empty, if there is one.
    pub fn given(&self) -> Option<&'static str> {
        let ClientTlsSettings { ca, cert, key, server_name, flags } = self;
        let all = [
            (ca, flags.ca),
            (cert, flags.cert),
            (key, flags.key),
            (server_name, flags.server_name),
        ];
        all.iter().find(|(value, _)| !value.is_empty()).map(|(_, flag)| *flag)
    }
}

/// TLS of a client.
#[derive(Clone, Debug)]
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
        let ClientTlsSettings { ca, cert, key, flags, .. } = &settings;
        if cert.is_empty() != key.is_empty() {
            return Err(Error::Setting(format!(
                "{} and {} belong together: expected both or neither",
                flags.cert, flags.key
            )));
        }
        let builder = versions()?.with_root_certificates(roots(flags.ca, ca)?);
        let config = match cert.is_empty() {
            true => builder.with_no_client_auth(),
            false => {
                let chain = certificates(flags.cert, cert)?;
                builder.with_client_auth_cert(chain, private_key(flags.key, key)?).map_err(
                    |error| {
                        let what = key_problem(&error);
                        Error::Setting(format!(
                            "{} {cert} and {} {key}: {what}",
                            flags.cert, flags.key
                        ))
                    },
                )?
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

    /// Returns the flags that set this.
    pub(super) fn flags(&self) -> FlagNames {
        self.settings.flags
    }

    /// Returns the error of a handshake with a server of this name, with what to do.
    fn explained(&self, error: io::Error, name: &str) -> io::Error {
        if let Some(error) = tls_error(&error) {
            return match error {
                rustls::Error::InvalidCertificate(error) => failure(self.distrust(error, name)),
                rustls::Error::InvalidMessage(_) => failure(
                    "the server answers without TLS at this address: check the port".to_owned(),
                ),
                rustls::Error::AlertReceived(alert) => failure(alert_text(*alert, self.flags())),
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
        let flags = self.flags();
        match error {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                match &self.settings.ca[..] {
                    "" => format!(
                        "no authority that the system trusts signed the server's certificate: {} \
                         names another one",
                        flags.ca
                    ),
                    ca => {
                        format!("no certificate of {} {ca} signed that of the server", flags.ca)
                    }
                }
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired: replace it, or correct this clock".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate is not valid yet: correct the clocks".to_owned()
            }
            CertificateError::NotValidForName => not_for(name, &[], flags),
            CertificateError::NotValidForNameContext { presented, .. } => {
                not_for(name, presented, flags)
            }
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

fn not_for(name: &str, presented: &[String], flags: FlagNames) -> String {
    let is_for = match presented {
        [] => String::new(),
        names => format!(", but for {}", names.join(", ")),
    };
    format!(
        "the server's certificate is not for {name}{is_for}: connect by a name of it, or give one as {}",
        flags.server_name
    )
}

/// Returns what an alert of a server means.
fn alert_text(alert: AlertDescription, FlagNames { cert, key, .. }: FlagNames) -> String {
    match alert {
        AlertDescription::CertificateRequired => {
            format!("the server asks for a certificate: {cert} and {key} name one")
        }
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA => {
            format!("the server refuses the certificate of {cert} ({alert:?})")
        }
        other => format!("the server refuses the connection with the TLS alert {other:?}"),
    }
}

/// Returns an error of reading with what to do: with TLS 1.3, a refused certificate shows after the handshake.
pub(super) fn explained_later(error: io::Error, flags: FlagNames) -> io::Error {
    match tls_error(&error) {
        Some(rustls::Error::AlertReceived(alert)) => failure(alert_text(*alert, flags)),
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
