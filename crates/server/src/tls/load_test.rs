use super::*;

fn file(name: &str) -> String {
    format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn settings() -> TlsSettings {
    TlsSettings {
        cert: file("server.pem"),
        key: file("server.key"),
        ca: file("ca.pem"),
        ..TlsSettings::default()
    }
}

fn refusal(settings: TlsSettings) -> String {
    server_config(&settings).unwrap_err().to_string()
}

#[test]
fn files_make_a_configuration() {
    let config = server_config(&settings()).unwrap();
    assert_eq!(config.send_tls13_tickets, 0, "sessions with certificates are not resumed");
    let (cert, key) = (file("rsa.pem"), file("rsa.key"));
    let no =
        TlsSettings { cert, key, ca: String::new(), clients: ClientCertificates::No, ..settings() };
    assert!(server_config(&no).unwrap().ticketer.enabled());
}

#[test]
fn wrong_files_are_named() {
    let wrong = |change: &dyn Fn(&mut TlsSettings)| {
        let mut settings = settings();
        change(&mut settings);
        refusal(settings)
    };
    let text = wrong(&|it| it.cert = String::new());
    assert_eq!(text, "TLS needs --tls-cert, a file in PEM");
    let text = wrong(&|it| it.cert = "/no/such/file".to_owned());
    assert!(text.starts_with("--tls-cert: reading /no/such/file: No such file"), "{text}");
    let text = wrong(&|it| it.cert = file(""));
    assert!(text.contains("expected a file of at most 1048576 bytes"), "{text}");
    let text = wrong(&|it| it.cert = file("server.key"));
    assert!(text.contains("server.key: expected certificates in PEM"), "{text}");
    let text = wrong(&|it| it.key = file("server.pem"));
    assert!(text.contains("server.pem: expected a private key in PEM"), "{text}");
    let text = wrong(&|it| it.key = file("encrypted.key"));
    assert!(text.contains("a key with a password is not supported"), "{text}");
    let text = wrong(&|it| it.key = file("second.key"));
    assert!(text.ends_with("the key is not that of the certificate"), "{text}");
    let text = wrong(&|it| it.ca = file("make.sh"));
    assert!(text.contains("--tls-ca ") && text.contains("expected certificates"), "{text}");
    let text = wrong(&|it| it.ca = String::new());
    assert!(text.starts_with("--tls-auth-clients yes needs --tls-ca"), "{text}");
}

#[test]
fn damaged_keys_are_not_quoted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    let key = std::fs::read_to_string(file("server.key")).unwrap();
    let secret = key.lines().nth(1).unwrap();
    for text in [
        key.replace("-----END", "----END"),
        key.replace(secret, &format!("{secret}!")),
        key.replace(secret, &secret[4..]),
        format!("-----BEGIN {secret}\n"),
        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n".to_owned(),
    ] {
        std::fs::write(&path, &text).unwrap();
        let refusal = refusal(TlsSettings { key: path.display().to_string(), ..settings() });
        assert!(refusal.contains("--tls-key"), "{refusal}");
        assert!(!refusal.contains(&secret[8..20]), "{refusal}");
    }
}

#[test]
fn versions_are_checked() {
    let named = |list: &str| versions(list).map(|list| list.len()).map_err(|it| it.to_string());
    assert_eq!(named(""), Ok(2));
    assert_eq!(named("TLSv1.3"), Ok(1));
    assert_eq!(named("tlsv1.2  TLSv1.3"), Ok(2));
    assert!(named("TLSv1.1").unwrap_err().starts_with("TLSv1.1, which is not safe"));
    assert!(named("SSLv3").unwrap_err().contains("found \"SSLv3\""));
}
