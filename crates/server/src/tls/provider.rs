//! The algorithms of TLS: those of the crate Graviola, on the processors that it supports.

use crate::error::{Error, Result};
use rustls::crypto::CryptoProvider;
use rustls::server::ProducesTickets;
use std::sync::Arc;

/// Returns the algorithms of TLS.
///
/// # Errors
///
/// The processor lacks instructions, or there are no algorithms for its architecture.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn provider() -> Result<CryptoProvider> {
    // Without this check, the first handshake would panic.
    if !graviola::util::is_cpu_supported() {
        let needed = match cfg!(target_arch = "x86_64") {
            true => "AES, PCLMULQDQ, AVX2, ADX and BMI2",
            false => "AES, PMULL, SHA-2 and Neon",
        };
        return Err(Error::NotSupported(format!("TLS on a processor without {needed}")));
    }
    Ok(rustls_graviola::default_provider())
}

/// Returns a source of tickets, with which clients resume sessions; their keys change every few hours.
///
/// # Errors
///
/// The system has no random numbers.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn tickets() -> Result<Arc<dyn ProducesTickets>> {
    rustls_graviola::Ticketer::new().map_err(|error| Error::Setting(format!("TLS: {error}")))
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn provider() -> Result<CryptoProvider> {
    Err(none())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn tickets() -> Result<Arc<dyn ProducesTickets>> {
    Err(none())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn none() -> Error {
    Error::NotSupported("TLS on processors other than x86-64 and AArch64".to_owned())
}
