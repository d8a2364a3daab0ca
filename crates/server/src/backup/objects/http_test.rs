//! Stores that do not answer, or not to the end.

use super::*;
use object_store::client::HttpResponseBody;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::time::Instant;

/// Starts a server that sends these bytes to each connection after its first bytes, and then nothing.
fn silent_after(bytes: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            // It ends when the client does.
            std::thread::spawn(move || {
                _ = socket.read(&mut [0; 4096]);
                _ = socket.write_all(bytes.as_bytes());
                while socket.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {}
            });
        }
    });
    address
}

fn ask(address: SocketAddr, allows_http: bool) -> std::result::Result<HttpResponse, HttpError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = hyper::Request::get(format!("http://{address}/bucket"));
    let request = request.body(HttpRequestBody::empty()).unwrap();
    let sender = Sender::Plain(Client::builder(TokioExecutor::new()).build(Sockets::new()));
    let requests = Requests { sender, allows_http, silence: Duration::from_millis(200) };
    runtime.block_on(requests.call(request))
}

#[test]
fn silence_ends_a_request() {
    for sent in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"] {
        let begun = Instant::now();
        let error = ask(silent_after(sent), true).map(drop).unwrap_err();
        assert_eq!(error.kind(), HttpErrorKind::Timeout, "{sent:?}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{sent:?}");
    }
}

#[test]
fn whole_replies_are_returned() {
    let reply = ask(silent_after("HTTP/1.1 503 X\r\nContent-Length: 4\r\n\r\nbusy"), true).unwrap();
    assert_eq!(reply.status(), StatusCode::SERVICE_UNAVAILABLE);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let body: HttpResponseBody = reply.into_body();
    assert_eq!(runtime.block_on(body.bytes()).unwrap(), "busy");
}

#[test]
fn an_endpoint_without_tls_is_refused_at_once() {
    let error = ask("127.0.0.1:1".parse().unwrap(), false).map(drop).unwrap_err();
    assert_eq!(error.kind(), HttpErrorKind::Unknown);
    assert!(error.to_string().contains("allow_http = true"), "{error}");
    let error = object_store::Error::Generic { store: "S3", source: Box::new(error) };
    assert!(is_final(&error));
    let late = object_store::Error::Generic { store: "S3", source: Box::new(late(SILENCE)) };
    assert!(!is_final(&late));
}
