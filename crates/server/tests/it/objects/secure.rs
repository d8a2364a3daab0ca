//! TLS to an object store: which certificates are trusted, and what the errors say.

use super::Site;
use super::faults::errors;
use super::s3::S3;
use crate::backup::{back_up, dumps, fill};
use crate::redis::Client;
use crate::tls::{file, settings};
use ferrolith_server::tls::{ClientCertificates, Tls};

/// Returns a store with the certificate of this name.
fn store(certificate: &str) -> S3 {
    let tls = Tls::open(settings(certificate, ClientCertificates::No)).unwrap();
    S3::start_with(Some(tls.config()))
}

/// Returns the settings of the endpoint with TLS, and of the authority that is trusted.
fn endpoint(site: &Site, authority: &str) -> String {
    let (address, authority) = (site.store.address, file(authority));
    format!("aws_endpoint = \"https://{address}\"\nca_file = \"{authority}\"\n")
}

#[test]
fn a_store_with_a_certificate_of_its_own_authority_is_used() {
    let site = Site::of(store("server"), "bucket");
    site.write_credentials("KEY", &endpoint(&site, "ca.pem"));
    let program = site.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..300);
    back_up(&mut client, "FERROLITH BACKUP daily");
    back_up(&mut client, "FERROLITH BACKUP-VERIFY daily");
    assert_eq!(dumps(&site.restored("restored")), dumps(&program));
    // Without TLS, nothing of the store is understood.
    site.write_credentials("KEY", &site.plain_endpoint().replace("true", "false"));
    for text in errors(&mut client) {
        assert!(text.contains("allow_http = true"), "{text}");
    }
}

#[test]
fn stores_that_are_not_trusted_are_refused_at_once() {
    let site = Site::of(store("server"), "bucket");
    site.write_credentials("KEY", &endpoint(&site, "other-ca.pem"));
    let program = site.start();
    let mut client = Client::connect(program.redis);
    for text in errors(&mut client) {
        assert!(text.contains("UnknownIssuer") && text.contains("ca_file"), "{text}");
    }
    site.write_credentials("KEY", &endpoint(&site, "none.pem"));
    for text in errors(&mut client) {
        assert!(text.contains("ca_file") && text.contains("none.pem"), "{text}");
    }
    // Nothing was asked.
    assert!(site.store.state().requests.is_empty());
    site.write_credentials("KEY", &endpoint(&site, "ca.pem"));
    back_up(&mut client, "FERROLITH BACKUP daily");
}

#[test]
fn certificates_that_expired_and_stores_without_tls_are_named() {
    for (store, part) in [(store("expired"), "expired"), (S3::start(), "does not use TLS")] {
        let site = Site::of(store, "bucket");
        site.write_credentials("KEY", &endpoint(&site, "ca.pem"));
        let program = site.start();
        for text in errors(&mut Client::connect(program.redis)) {
            assert!(text.contains(part), "{text}");
        }
    }
}
