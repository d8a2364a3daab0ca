//! Connections with TLS: commands on keys and tables, and the messages of failed connections.

use crate::program::{Ended, Server, done, ferrolith, run, with_input};
use std::net::TcpListener;
use std::path::Path;

/// Returns the path of a file of the server's tests.
fn file(name: &str) -> String {
    format!("{}/../server/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Starts a server with the certificate of this name.
fn start(dir: &Path, certificate: &str) -> Server {
    let (cert, key) = (file(&format!("{certificate}.pem")), file(&format!("{certificate}.key")));
    let listen = ["--tls-listen", "127.0.0.1:0", "--pegasus-tls-listen", "127.0.0.1:0"];
    let files = ["--tls-cert", &cert, "--tls-key", &key, "--tls-ca", &file("ca.pem")];
    Server::start(dir, &[&listen[..], &files].concat())
}

/// Runs a command with an address, the certificates that sign the server's, and its own certificate.
fn secure(args: &[&str], address: &str, ca: &str, certificate: &str) -> Ended {
    let (ca, cert) = (file(ca), file(&format!("{certificate}.pem")));
    let (key, server) = (file(&format!("{certificate}.key")), ["--server", address]);
    let own = ["--tls-cert", &cert, "--tls-key", &key];
    let own = if certificate.is_empty() { &[] } else { &own[..] };
    run(&[args, &server, &["--tls", "--tls-ca", &ca], own].concat())
}

#[test]
fn keys_and_tables_are_used_over_tls() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("db"), "server");
    let [redis, pegasus] = &server.secure[..] else { panic!("two addresses") };
    let good = |args: &[&str]| {
        let ended = secure(args, redis, "ca.pem", "client");
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.error);
        ended.out
    };
    good(&["set", "a", "1"]);
    assert_eq!(server.done(&["get", "a"]), "1\n", "without TLS it is the same server");
    assert_eq!(good(&["get", "a"]), "1\n");
    assert!(good(&["top", "--once"]).contains("commands"));
    // More than a record and than the buffers of sockets.
    let value = vec![b'x'; 3 << 20];
    let (ca, cert, key) = (file("ca.pem"), file("client.pem"), file("client.key"));
    let flags = ["--tls", "--tls-ca", &ca, "--tls-cert", &cert, "--tls-key", &key];
    let set = ["set", "large", "-", "--server", redis];
    assert_eq!(with_input(&[&set[..], &flags].concat(), &value).code, 0);
    assert_eq!(good(&["get", "large", "--raw"]).len(), value.len());
    // The other server: with TLS, with the same files, and without.
    assert!(good(&["diff", "--to", redis, "--to-tls"]).starts_with("2 keys compared, 0 diff"));
    assert!(good(&["diff", "--to", &server.redis]).starts_with("2 keys compared, 0 diff"));
    let from_plain = [&["diff", "--to", redis, "--to-tls"], &flags[1..]].concat();
    assert_eq!(server.run(&from_plain).code, 0);
    let table = |args: &[&str]| secure(&[&["table"], args].concat(), pegasus, "ca.pem", "client");
    assert_eq!(table(&["create", "temp"]).code, 0);
    assert!(table(&["list"]).out.contains("temp"));
}

#[test]
fn variables_of_the_environment_are_settings() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("db"), "server");
    let get = |address: &str, is_on: &str| {
        let mut command = ferrolith(&["count", "--server", address]);
        command.env("FERROLITH_TLS", is_on).env("FERROLITH_TLS_CA", file("ca.pem"));
        command.env("FERROLITH_TLS_CERT", file("client.pem"));
        command.env("FERROLITH_TLS_KEY", file("client.key"));
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(get(&server.secure[0], "yes"), (0, String::new()));
    assert_eq!(get(&server.redis, "no"), (0, String::new()), "files are for when it is on");
    let (code, error) = get(&server.redis, "perhaps");
    assert!(code == 2 && error.contains("perhaps"), "{error}");
}

#[test]
fn failed_handshakes_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("db"), "server");
    let (address, plain) = (&server.secure[0][..], &server.redis[..]);
    let count = |address: &str, ca: &str, certificate: &str, expected: &str| {
        let ended = secure(&["count", "--timeout", "5"], address, ca, certificate);
        assert_eq!(ended.code, 1, "{expected}: {}", ended.out);
        assert!(ended.error.contains(expected), "{expected}? {}", ended.error);
        assert!(ended.error.contains(address), "the server is named: {}", ended.error);
    };
    count(address, "other-ca.pem", "client", "other-ca.pem signed that of the server");
    count(address, "ca.pem", "", "the server asks for a certificate: --tls-cert");
    count(address, "ca.pem", "stranger", "the server refuses the certificate of --tls-cert");
    count(address, "ca.pem", "expired", "(CertificateExpired)");
    count(plain, "ca.pem", "client", "TLS at this address");
    let expired = start(&dir.path().join("expired"), "expired");
    count(&expired.secure[0], "ca.pem", "client", "the server's certificate has expired");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = silent.local_addr().unwrap().to_string();
    let ended = secure(&["count", "--timeout", "1"], &silent, "ca.pem", "");
    assert!(ended.error.contains("does not answer TLS in time"), "{}", ended.error);
    let ended = run(&["count", "--timeout", "1", "--server", &silent]);
    assert!(ended.error.contains("no reply in time (--timeout)"), "{}", ended.error);
    let name =
        secure(&["count", "--tls-server-name", "elsewhere.example"], address, "ca.pem", "client");
    let expected = "is not for elsewhere.example, but for";
    assert!(name.code == 1 && name.error.contains(expected), "{}", name.error);
    let named = secure(&["count", "--tls-server-name", "localhost"], address, "ca.pem", "client");
    assert_eq!(named.code, 0, "{}", named.error);
    let without = run(&["count", "--server", address]);
    assert!(without.error.contains("the server expects TLS"), "{}", without.error);
    let useless = server.run(&["count", "--tls-ca", "ca.pem"]);
    assert!(useless.error.contains("--tls-ca needs --tls"), "{}", useless.error);
}

/// An RDB file goes to a server over TLS, with the flags or the variables of the other commands.
#[test]
fn a_file_is_imported_over_tls() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (from, rdb) = (path("from"), path("dump.rdb"));
    let source = Server::start(Path::new(&from), &[]);
    for number in 0..100 {
        source.done(&["set", &format!("key:{number}"), &"x".repeat(number * 100)]);
    }
    drop(source);
    done(&["server", "export", "--dir", &from, "--rdb", &rdb]);
    let server = start(&dir.path().join("to"), "server");
    let address = &server.secure[0][..];
    let import = |more: &[&str]| {
        let to = ["server", "import", "--rdb", &rdb, "--to", address, "--existing", "replace"];
        run(&[&to[..], more].concat())
    };
    let (ca, other_ca, cert) = (file("ca.pem"), file("other-ca.pem"), file("client.pem"));
    let key = file("client.key");
    let own = ["--tls-cert", &cert[..], "--tls-key", &key];
    let refused = [
        (import(&[]), "the server expects TLS"),
        (import(&["--tls-ca", &ca]), "--tls-ca needs --tls"),
        (import(&["--tls", "--tls-ca", &ca]), "the server asks for a certificate: --tls-cert"),
        (
            import(&[&["--tls", "--tls-ca", &other_ca][..], &own].concat()),
            "other-ca.pem signed that of the server",
        ),
        (
            run(&["server", "import", "--rdb", &rdb, "--dir", &path("new"), "--tls"]),
            "--tls needs --to",
        ),
    ];
    for (ended, expected) in refused {
        assert_eq!(ended.code, 1, "{expected}: {}", ended.error);
        assert!(ended.error.contains(expected), "{expected}? {}", ended.error);
    }
    assert_eq!(server.done(&["count", "--exact"]), "0\n");
    let ended = import(&[&["--tls", "--tls-ca", &ca][..], &own].concat());
    assert!(ended.code == 0 && ended.error.contains("imported 100 keys"), "{}", ended.error);
    assert_eq!(server.done(&["count", "--exact"]), "100\n");
    // Variables say how to connect, and an import without a connection does not mind them.
    let secured = |args: &[&str]| {
        let mut command = ferrolith(args);
        command.env("FERROLITH_TLS", "yes").env("FERROLITH_TLS_CA", &ca);
        command.env("FERROLITH_TLS_CERT", &cert).env("FERROLITH_TLS_KEY", &key);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    secured(&["server", "import", "--rdb", &rdb, "--to", address, "--existing", "keep"]);
    secured(&["server", "import", "--rdb", &rdb, "--dir", &path("new")]);
}
