//! Files and parameters of TLS that change while the server runs.

use super::*;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the server's certificate that a new client sees.
fn shown(address: SocketAddr) -> Vec<u8> {
    let stream = connect(address, Some("client")).unwrap();
    stream.conn.peer_certificates().unwrap()[0].to_vec()
}

fn certificate(name: &str) -> Vec<u8> {
    CertificateDer::from_pem_file(file(&format!("{name}.pem"))).unwrap().to_vec()
}

/// Copies a certificate and its key to where the server reads them.
fn install(dir: &Path, name: &str) {
    std::fs::copy(file(&format!("{name}.pem")), dir.join("cert")).unwrap();
    std::fs::copy(file(&format!("{name}.key")), dir.join("key")).unwrap();
}

fn in_dir(dir: &Path) -> TlsSettings {
    TlsSettings {
        cert: dir.join("cert").display().to_string(),
        key: dir.join("key").display().to_string(),
        ..settings("server", ClientCertificates::Required)
    }
}

#[test]
fn certificates_change_with_config_set() {
    let ours = start(settings("server", ClientCertificates::Required));
    let address = secure_address(&ours);
    assert_eq!(shown(address), certificate("server"));
    let mut client = redis(&ours, Some("client"));
    let (cert, key) = (file("second.pem"), file("second.key"));
    assert_eq!(client.call(&["CONFIG", "SET", "tls-cert-file", &cert, "tls-key-file", &key]), ok());
    assert_eq!(shown(address), certificate("second"));
    assert_eq!(client.say("PING"), pong(), "the old connection goes on");
    let shown_key = Value::Map(vec![(Value::bulk("tls-key-file"), Value::bulk(&key))]);
    client.say("HELLO 3");
    assert_eq!(client.say("CONFIG GET tls-key-file"), shown_key, "the name, not the key");
    assert_eq!(client.say("CONFIG SET tls-auth-clients no"), ok());
    assert_eq!(redis(&ours, None).say("PING"), pong());
    assert_eq!(client.say("CONFIG SET tls-auth-clients yes tls-protocols TLSv1.2"), ok());
    assert!(connect_with(address, client_config(Some("client"), &[&TLS13])).is_err());
    assert_eq!(client.say("PING"), pong(), "the connection with TLS 1.3 goes on");
}

#[test]
fn a_change_that_fails_changes_nothing() {
    let ours = start(settings("server", ClientCertificates::Required));
    let mut client = redis(&ours, Some("client"));
    let refused = |name: &str| {
        Value::Error(format!(
            "ERR CONFIG SET failed (possibly related to argument '{name}') - Unable to update TLS \
             configuration. Check server logs."
        ))
    };
    // The key of another certificate.
    let cert = file("second.pem");
    let set = ["CONFIG", "SET", "timeout", "77", "tls-cert-file", &cert];
    assert_eq!(client.call(&set), refused("tls-cert-file"));
    assert_eq!(client.say("CONFIG SET tls-key-file /no/such/file"), refused("tls-key-file"));
    assert_eq!(client.say("CONFIG SET tls-ca-cert-file /etc/passwd"), refused("tls-ca-cert-file"));
    assert_eq!(client.say("CONFIG SET tls-protocols TLSv1.1"), refused("tls-protocols"));
    let enumeration = client.say("CONFIG SET tls-auth-clients maybe");
    let Value::Error(text) = enumeration else { panic!() };
    assert!(
        text.ends_with("argument(s) must be one of the following: no, yes, optional"),
        "{text}"
    );
    let timeout = Value::Array(["timeout", "0"].map(Value::bulk).to_vec());
    assert_eq!(client.say("CONFIG GET timeout"), timeout, "all or none");
    let cert = Value::Array(vec![Value::bulk("tls-cert-file"), Value::bulk(&file("server.pem"))]);
    assert_eq!(client.say("CONFIG GET tls-cert-file"), cert);
    assert_eq!(shown(secure_address(&ours)), certificate("server"));
}

#[test]
fn the_same_name_reads_the_file_again() {
    let dir = tempfile::tempdir().unwrap();
    install(dir.path(), "server");
    let ours = start(in_dir(dir.path()));
    install(dir.path(), "second");
    assert_eq!(shown(secure_address(&ours)), certificate("server"));
    let set = format!("CONFIG SET tls-cert-file {}", in_dir(dir.path()).cert);
    assert_eq!(ours.connect().say(&set), ok());
    assert_eq!(shown(secure_address(&ours)), certificate("second"));
}

#[test]
fn without_tls_its_parameters_are_refused() {
    let ours = Ours::start();
    let mut client = ours.connect();
    let Value::Error(text) = client.say("CONFIG SET tls-cert-file x") else { panic!() };
    assert!(text.ends_with("TLS is off: restart the server with --tls-listen"), "{text}");
    assert_eq!(client.call(&["CONFIG", "SET", "tls-cert-file", ""]), ok(), "as it was");
    let Value::Error(text) = client.say("CONFIG SET tls-port 6380") else { panic!() };
    assert!(text.contains("--tls-listen"), "{text}");
}

#[test]
fn a_signal_reads_the_files_again() {
    let dir = tempfile::tempdir().unwrap();
    install(dir.path(), "server");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
        .arg("--dir")
        .arg(dir.path().join("data"))
        .args(["--listen", "--tls-listen=127.0.0.1:0", "--memory-mb=64"])
        .args(["--tls-cert", &in_dir(dir.path()).cert, "--tls-key", &in_dir(dir.path()).key])
        .args(["--tls-ca", &file("ca.pem")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let address = line.strip_prefix("Redis clients over TLS: ").expect(&line).parse().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut hang_up = || {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
        errors.find_map(|line| Some(line.unwrap()).filter(|line| line.contains("SIGHUP"))).unwrap()
    };
    let mut client = Client::over(connect(address, Some("client")).unwrap());
    install(dir.path(), "second");
    let text = hang_up();
    assert!(text.contains("SIGHUP: read the files of TLS again"), "{text}");
    assert_eq!(shown(address), certificate("second"));
    std::fs::write(dir.path().join("key"), "nonsense").unwrap();
    let text = hang_up();
    assert!(text.contains("SIGHUP: TLS stays as it was error=--tls-key "), "{text}");
    assert_eq!(shown(address), certificate("second"));
    assert_eq!(client.say("PING"), pong());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// SIGHUP while the server starts: it reads the files again as soon as it serves.
#[test]
fn a_signal_may_come_early() {
    let dir = tempfile::tempdir().unwrap();
    install(dir.path(), "server");
    // The start waits for a writer of this pipe.
    let users = dir.path().join("users");
    assert!(Command::new("mkfifo").arg(&users).status().unwrap().success());
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
        .arg("--dir")
        .arg(dir.path().join("data"))
        .args(["--listen", "--tls-listen=127.0.0.1:0", "--memory-mb=64"])
        .args(["--tls-cert", &in_dir(dir.path()).cert, "--tls-key", &in_dir(dir.path()).key])
        .args(["--tls-ca", &file("ca.pem")])
        .arg("--aclfile")
        .arg(&users)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let begun = std::time::Instant::now();
    loop {
        let status = std::fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        // SIGHUP is the first signal.
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 1 == 1 {
            break;
        }
        assert!(child.try_wait().unwrap().is_none(), "the server ended");
        assert!(begun.elapsed().as_secs() < 60, "SIGHUP has no handler while the server starts");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    std::fs::write(&users, "").unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().expect("an address").unwrap();
    let address = line.strip_prefix("Redis clients over TLS: ").expect(&line).parse().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(errors.any(|line| line.unwrap().contains("SIGHUP: read the files of TLS again")));
    assert_eq!(Client::over(connect(address, Some("client")).unwrap()).say("PING"), pong());
    // The other signals end it in order.
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
}
