use super::*;

fn file(name: &str) -> String {
    format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn hosts_are_found_in_addresses() {
    assert_eq!(host_of("localhost:6379"), "localhost");
    assert_eq!(host_of("127.0.0.1:1"), "127.0.0.1");
    assert_eq!(host_of("[::1]:6379"), "::1");
    assert_eq!(host_of("alone"), "alone");
}

#[test]
fn wrong_files_are_named() {
    let refusal = |ca: &str, cert: &str, key: &str| {
        let path = |name: &str| if name.is_empty() { String::new() } else { file(name) };
        let (ca, cert, key) = (path(ca), path(cert), path(key));
        let settings = ClientTlsSettings { ca, cert, key, ..ClientTlsSettings::default() };
        ClientTls::open(settings).err().map(|error| error.to_string())
    };
    assert_eq!(refusal("ca.pem", "", ""), None);
    assert_eq!(refusal("ca.pem", "client.pem", "client.key"), None);
    let is = |found: Option<String>, text: &str| {
        let found = found.expect("a refusal");
        assert!(found.contains(text), "{found}");
    };
    is(refusal("no-such-file", "", ""), "--tls-ca: reading");
    is(refusal("client.key", "", ""), "expected certificates in PEM");
    is(refusal("ca.pem", "client.pem", ""), "--tls-cert and --tls-key belong together");
    is(refusal("ca.pem", "client.pem", "server.key"), "the key is not that of the certificate");
}

/// Programs and servers name their own flags.
#[test]
fn messages_name_the_flags_that_set_the_files() {
    let settings = ClientTlsSettings { flags: FlagNames::REPLICA, ..ClientTlsSettings::default() };
    let refusal = |settings: ClientTlsSettings| ClientTls::open(settings).unwrap_err().to_string();
    let cert = ClientTlsSettings { cert: file("client.pem"), ..settings.clone() };
    assert_eq!(cert.given(), Some("--replica-tls-cert"));
    let text = refusal(cert);
    assert!(text.starts_with("--replica-tls-cert and --replica-tls-key belong"), "{text}");
    let text = refusal(ClientTlsSettings { ca: "none".to_owned(), ..settings.clone() });
    assert!(text.starts_with("--replica-tls-ca: reading none"), "{text}");
    assert_eq!(settings.given(), None);
    let required = alert_text(AlertDescription::CertificateRequired, FlagNames::REPLICA);
    assert!(required.contains("--replica-tls-cert and --replica-tls-key name one"), "{required}");
}
