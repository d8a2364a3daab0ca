//! The hashes and signatures of requests to object stores, without a C library.

use crate::tls;
use hmac::{Hmac, KeyInit, Mac};
use object_store::client::{
    CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
};
use object_store::{Error, Result};
use rustls::SignatureScheme;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::SigningKey;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// SHA-256 and HMAC of the crates `sha2` and `hmac`, RSA of this server's TLS.
#[derive(Debug)]
pub(super) struct Crypto;

impl CryptoProvider for Crypto {
    fn digest(&self, algorithm: DigestAlgorithm) -> Result<Box<dyn DigestContext>> {
        match algorithm {
            DigestAlgorithm::Sha256 => Ok(Box::new(Hash { state: Sha256::new(), out: Vec::new() })),
            other => Err(unsupported(format!("{other:?}"))),
        }
    }

    fn hmac(&self, algorithm: DigestAlgorithm, secret: &[u8]) -> Result<Box<dyn HmacContext>> {
        match algorithm {
            DigestAlgorithm::Sha256 => {
                let state = Hmac::<Sha256>::new_from_slice(secret);
                let state = state.map_err(|error| unsupported(error.to_string()))?;
                Ok(Box::new(Keyed { state, out: Vec::new() }))
            }
            other => Err(unsupported(format!("{other:?}"))),
        }
    }

    fn sign(&self, algorithm: SigningAlgorithm, pem: &[u8]) -> Result<Box<dyn Signer>> {
        match algorithm {
            SigningAlgorithm::RS256 => Ok(Box::new(Rsa(rsa_key(pem)?))),
            other => Err(unsupported(format!("{other:?}"))),
        }
    }
}

/// Reads the key of a service account.
fn rsa_key(pem: &[u8]) -> Result<Arc<dyn SigningKey>> {
    let key = PrivateKeyDer::from_pem_slice(pem)
        .map_err(|_| unsupported("a private key that is not in PEM".to_owned()))?;
    let provider = tls::provider().map_err(|error| unsupported(error.to_string()))?;
    provider.key_provider.load_private_key(key).map_err(|error| unsupported(error.to_string()))
}

fn unsupported(what: String) -> Error {
    Error::NotSupported { source: what.into() }
}

struct Hash {
    state: Sha256,
    out: Vec<u8>,
}

impl DigestContext for Hash {
    fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    fn finish(&mut self) -> Result<&[u8]> {
        self.out = self.state.clone().finalize().to_vec();
        Ok(&self.out)
    }
}

struct Keyed {
    state: Hmac<Sha256>,
    out: Vec<u8>,
}

impl HmacContext for Keyed {
    fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    fn finish(&mut self) -> Result<&[u8]> {
        self.out = self.state.clone().finalize().into_bytes().to_vec();
        Ok(&self.out)
    }
}

struct Rsa(Arc<dyn SigningKey>);

impl Signer for Rsa {
    fn sign(&self, text: &[u8]) -> Result<Vec<u8>> {
        let signer = self.0.choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256]);
        let signer =
            signer.ok_or_else(|| unsupported("a private key other than RSA".to_owned()))?;
        signer.sign(text).map_err(|error| unsupported(error.to_string()))
    }
}
