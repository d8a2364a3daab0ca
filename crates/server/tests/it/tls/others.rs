//! Clients that others wrote: OpenSSL's, and Redis's programs. A test does nothing, with a message, without them.

use super::*;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs a program with this input; `None` if it is not installed.
fn run(program: &str, args: &[&str], input: &str) -> Option<Output> {
    let pipes = |command: &mut Command| {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    let Ok(mut child) = pipes(Command::new(program).args(args)) else {
        eprintln!("{program} is not installed: this part of the test is left out");
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

fn text(output: &Output) -> String {
    let (out, error) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(&[&out[..], b"\n", &error[..]].concat()).into_owned()
}

#[test]
fn openssl_connects() {
    for certificate in ["server", "rsa"] {
        let ours = start(settings(certificate, ClientCertificates::Required));
        let address = secure_address(&ours).to_string();
        let (ca, cert, key) = (file("ca.pem"), file("client.pem"), file("client.key"));
        for version in ["-tls1_2", "-tls1_3"] {
            let mut args = vec!["s_client", "-connect", &address, "-CAfile", &ca, version];
            args.extend(["-verify_return_error", "-quiet", "-ign_eof"]);
            let request = "PING\r\nQUIT\r\n";
            let Some(output) = run("openssl", &args, request) else { return };
            let text_without = text(&output);
            assert!(!output.status.success() && text_without.contains("alert"), "{text_without}");
            args.extend(["-cert", &cert, "-key", &key]);
            let Some(output) = run("openssl", &args, request) else { return };
            assert!(text(&output).contains("+PONG\r\n+OK"), "{version}: {}", text(&output));
        }
        let old = ["s_client", "-connect", &address, "-tls1_1", "-cipher", "ALL@SECLEVEL=0"];
        let Some(output) = run("openssl", &old, "") else { return };
        assert!(!output.status.success(), "{}", text(&output));
    }
}

#[test]
fn programs_of_redis_connect() {
    let ours = start(settings("server", ClientCertificates::Required));
    let port = secure_address(&ours).port().to_string();
    let (ca, cert, key) = (file("ca.pem"), file("client.pem"), file("client.key"));
    let args = ["--tls", "--cacert", &ca, "--cert", &cert, "--key", &key, "-p", &port];
    let Some(output) = run("redis-cli", &[&args[..], &["SET", "a", "1"]].concat(), "") else {
        return;
    };
    if text(&output).contains("Unrecognized option") {
        eprintln!("redis-cli was built without TLS: this part of the test is left out");
        return;
    }
    assert_eq!(String::from_utf8_lossy(&output.stdout), "OK\n", "{}", text(&output));
    let script = "GET a\nINCR a\nSET b x\nGET b\n";
    let output = run("redis-cli", &args, script).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n2\nOK\nx\n", "{}", text(&output));
    let load =
        ["-n", "5000", "-c", "20", "-P", "8", "-d", "1000", "-t", "set,get,lrange_100", "--csv"];
    let Some(output) = run("redis-benchmark", &[&args[..], &load].concat(), "") else { return };
    let lines = text(&output);
    assert!(output.status.success() && lines.contains("\"GET\",\""), "{lines}");
    let plain = run("redis-cli", &["-p", &port, "PING"], "").unwrap();
    assert!(!plain.status.success(), "{}", text(&plain));
}
