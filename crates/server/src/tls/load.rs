//! From files to the configuration of connections.
//!
//! Messages name files, and never quote them: they may be keys.

use super::provider::{provider, tickets};
use super::{ClientCertificates, TlsSettings};
use crate::error::{Error, Result};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// The maximum length of a file.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Reads the files of settings.
pub(super) fn server_config(settings: &TlsSettings) -> Result<Arc<ServerConfig>> {
    let provider = Arc::new(provider()?);
    let certificates = certificates("--tls-cert", &settings.cert)?;
    let key = private_key("--tls-key", &settings.key)?;
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions(&settings.protocols)?)
        .map_err(|error| Error::Setting(format!("--tls-protocols: {error}")))?;
    let builder = match settings.clients {
        ClientCertificates::No => builder.with_no_client_auth(),
        _ => builder.with_client_cert_verifier(verifier(settings, provider)?),
    };
    let mut config = builder.with_single_cert(certificates, key).map_err(|error| {
        let (cert, key) = (&settings.cert, &settings.key);
        let what = key_problem(&error);
        Error::Setting(format!("--tls-cert {cert} and --tls-key {key}: {what}"))
    })?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    match settings.clients {
        ClientCertificates::No => config.ticketer = tickets()?,
        // A resumed session does not show its certificate again, which may have expired since.
        _ => config.send_tls13_tickets = 0,
    }
    Ok(Arc::new(config))
}

/// Returns why a certificate and a key are not accepted.
pub(super) fn key_problem(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InconsistentKeys(_) => "the key is not that of the certificate",
        rustls::Error::InvalidCertificate(_) => "the first certificate is not valid",
        _ => "the key is not RSA of 2048 to 8192 bits, ECDSA on P-256 or P-384, or Ed25519",
    }
}

/// Returns what checks the certificates of clients.
fn verifier(
    settings: &TlsSettings,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>> {
    if settings.ca.is_empty() {
        return Err(Error::Setting(format!(
            "--tls-auth-clients {} needs --tls-ca, the certificates that sign those of clients; \
             --tls-auth-clients no asks for none",
            settings.clients.name()
        )));
    }
    let wrong =
        |what: &dyn std::fmt::Display| Error::Setting(format!("--tls-ca {}: {what}", settings.ca));
    let mut roots = RootCertStore::empty();
    for certificate in certificates("--tls-ca", &settings.ca)? {
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = match settings.clients {
        ClientCertificates::Optional => builder.allow_unauthenticated(),
        _ => builder,
    };
    builder.build().map_err(|error| wrong(&error))
}

/// Returns the versions that a list names.
fn versions(list: &str) -> Result<Vec<&'static SupportedProtocolVersion>> {
    let mut versions: Vec<&'static SupportedProtocolVersion> = Vec::new();
    for name in list.split_ascii_whitespace() {
        let version = match name.to_ascii_lowercase().as_str() {
            "tlsv1.2" => &TLS12,
            "tlsv1.3" => &TLS13,
            "tlsv1" | "tlsv1.1" => {
                let text = format!("{name}, which is not safe (--tls-protocols)");
                return Err(Error::NotSupported(text));
            }
            _ => {
                let text = format!("--tls-protocols: expected TLSv1.2 and TLSv1.3, found {name:?}");
                return Err(Error::Setting(text));
            }
        };
        versions.push(version);
    }
    Ok(if versions.is_empty() { vec![&TLS13, &TLS12] } else { versions })
}

/// Reads all certificates of a file.
pub(super) fn certificates(flag: &str, path: &str) -> Result<Vec<CertificateDer<'static>>> {
    let text = read(flag, path)?;
    let list: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match list {
        Ok(list) if !list.is_empty() => Ok(list),
        _ => Err(Error::Setting(format!(
            "{flag} {path}: expected certificates in PEM (BEGIN CERTIFICATE), found none"
        ))),
    }
}

/// Reads the first private key of a file.
pub(super) fn private_key(flag: &str, path: &str) -> Result<PrivateKeyDer<'static>> {
    let text = read(flag, path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| {
        let label = b"BEGIN ENCRYPTED PRIVATE KEY";
        let what = match text.windows(label.len()).any(|part| part == label) {
            true => "a key with a password is not supported; `openssl pkey` removes it",
            false => "expected a private key in PEM (BEGIN PRIVATE KEY), found none",
        };
        Error::Setting(format!("{flag} {path}: {what}"))
    })
}

fn read(flag: &str, path: &str) -> Result<Vec<u8>> {
    if path.is_empty() {
        return Err(Error::Setting(format!("TLS needs {flag}, a file in PEM")));
    }
    let failed = |error| Error::Io(format!("{flag}: reading {path}"), error);
    // Before it is opened: opening a pipe waits for its writer.
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(Error::Setting(format!(
            "{flag} {path}: expected a file of at most {FILE_BYTES_MAX} bytes"
        )));
    }
    let file = File::open(path).map_err(failed)?;
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut text).map_err(failed)?;
    Ok(text)
}

#[cfg(test)]
#[path = "load_test.rs"]
mod tests;
