//! A server that speaks as much of S3's protocol as backups use, and fails on request.

use crate::redis::Duplex;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// The objects of one reply to a listing.
const PAGE: usize = 3;

/// How a request fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// 503, nothing is done.
    Unavailable,
    /// 500 with a body, nothing is done.
    Internal,
    /// The request is carried out, but not answered.
    Silent,
    /// The request is carried out, but its connection is cut before the reply.
    CutReply,
    /// The connection is cut in the middle of the reply's body.
    CutBody,
    /// A bit of the reply's body is wrong.
    Corrupt,
    /// 403.
    Forbidden,
}

/// The next `count` requests of this method, or of any if it is empty, with this part in their target fail.
struct Planned {
    method: &'static str,
    part: &'static str,
    count: usize,
    fault: Fault,
}

#[derive(Default)]
pub struct State {
    pub objects: BTreeMap<String, Vec<u8>>,
    /// Uploads in parts, by number: the key and the parts.
    pub uploads: BTreeMap<String, (String, BTreeMap<usize, Vec<u8>>)>,
    /// The method and the target of each request.
    pub requests: Vec<String>,
    /// Whether conditions of writes are ignored, as by some stores.
    pub is_unconditional: bool,
    planned: Vec<Planned>,
    next_upload: u64,
}

/// The server, which serves until the process ends.
pub struct S3 {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn status(status: u16) -> Reply {
    Reply { status, headers: Vec::new(), body: Vec::new() }
}

fn xml(body: String) -> Reply {
    Reply { status: 200, headers: Vec::new(), body: body.into_bytes() }
}

/// Returns an error as stores send it. `more` may repeat what the client sent.
fn failure(status: u16, code: &str, more: &str) -> Reply {
    let body = format!(
        "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>Refused.</Message>{more}</Error>"
    );
    Reply { status, headers: Vec::new(), body: body.into_bytes() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", &hex(&Sha256::digest(bytes))[..32])
}

impl S3 {
    pub fn start() -> S3 {
        S3::start_with(None)
    }

    /// Starts a server, with TLS if there is a configuration.
    pub fn start_with(tls: Option<Arc<ServerConfig>>) -> S3 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (state, tls) = (shared.clone(), tls.clone());
                // A connection that ends is no error of the server.
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(opened(socket, tls));
                    while serve(&mut stream, &state).is_some() {}
                });
            }
        });
        S3 { address, state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn fail(&self, method: &'static str, part: &'static str, count: usize, fault: Fault) {
        self.state().planned.push(Planned { method, part, count, fault });
    }

    /// Ends all planned failures.
    pub fn heal(&self) {
        self.state().planned.clear();
    }

    /// Returns the keys of the objects with this part.
    pub fn keys(&self, part: &str) -> Vec<String> {
        self.state().objects.keys().filter(|key| key.contains(part)).cloned().collect()
    }
}

type Stream = BufReader<Box<dyn Duplex>>;

fn opened(socket: TcpStream, tls: Option<Arc<ServerConfig>>) -> Box<dyn Duplex> {
    match tls {
        None => Box::new(socket),
        Some(tls) => Box::new(StreamOwned::new(ServerConnection::new(tls).unwrap(), socket)),
    }
}

/// Serves a request. Returns nothing if the connection is to end.
fn serve(stream: &mut Stream, state: &Mutex<State>) -> Option<()> {
    let Some(request) = read(stream) else {
        // The client may have left, or speaks another protocol.
        _ = stream.get_mut().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        return None;
    };
    let mut state = state.lock().unwrap();
    let target = format!("{} {} {:?}", request.method, request.path, request.query);
    state.requests.push(target.clone());
    let is_for = |it: &&mut Planned| {
        let has_method = it.method.is_empty() || it.method == request.method;
        it.count > 0 && has_method && target.contains(it.part)
    };
    let fault = state.planned.iter_mut().find(is_for);
    let fault = fault.map(|it| {
        it.count -= 1;
        it.fault
    });
    let mut reply = match fault {
        Some(Fault::Unavailable) => status(503),
        Some(Fault::Internal) => failure(500, "InternalError", ""),
        Some(Fault::Forbidden) => status(403),
        _ => answer(&mut state, &request),
    };
    drop(state);
    match fault {
        Some(Fault::CutReply) => return None,
        Some(Fault::Silent) => {
            // Until the client leaves.
            while stream.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {}
            return None;
        }
        Some(Fault::Corrupt) => {
            let middle = reply.body.len() / 2;
            reply.body.get_mut(middle).into_iter().for_each(|byte| *byte ^= 1);
        }
        _ => {}
    }
    let mut head = format!("HTTP/1.1 {} X\r\n", reply.status);
    let has_length = reply.headers.iter().any(|(name, _)| *name == "Content-Length");
    if !has_length {
        reply.headers.push(("Content-Length", reply.body.len().to_string()));
    }
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let socket = stream.get_mut();
    socket.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    let is_cut = fault == Some(Fault::CutBody);
    let length = if is_cut { reply.body.len() / 2 } else { reply.body.len() };
    socket.write_all(&reply.body[..length]).ok()?;
    socket.flush().ok()?;
    (!is_cut).then_some(())
}

fn read(reader: &mut Stream) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.replace("%2F", "/"))
    });
    Some(Request { method, path: path.to_owned(), query: pairs.collect(), headers, body })
}

fn answer(state: &mut State, request: &Request) -> Reply {
    let signed = request.headers.get("authorization").map_or("", String::as_str);
    if !signed.starts_with("AWS4-HMAC-SHA256 Credential=KEY/") {
        let token = request.headers.get("x-amz-security-token").map_or("", String::as_str);
        let more = format!("<CanonicalRequest>{signed} {token}</CanonicalRequest>");
        return failure(403, "InvalidAccessKeyId", &more);
    }
    let hash = &request.headers["x-amz-content-sha256"];
    if *hash != hex(&Sha256::digest(&request.body)) {
        return status(400);
    }
    let Some(rest) = request.path.strip_prefix("/bucket") else {
        return failure(404, "NoSuchBucket", "");
    };
    let key = rest.trim_start_matches('/').to_owned();
    let upload = request.query.get("uploadId");
    match (&request.method[..], upload) {
        ("GET", _) if key.is_empty() => list(state, request),
        ("GET" | "HEAD", _) => get(state, request, &key),
        ("PUT", None) => put(state, request, key),
        ("DELETE", None) => {
            state.objects.remove(&key);
            status(204)
        }
        ("POST", None) if request.query.contains_key("uploads") => {
            state.next_upload += 1;
            let id = format!("U{}", state.next_upload);
            state.uploads.insert(id.clone(), (key.clone(), BTreeMap::new()));
            xml(format!(
                "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>{key}</Key>\
                 <UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
            ))
        }
        ("PUT", Some(id)) => {
            let Some((_, parts)) = state.uploads.get_mut(id) else { return status(404) };
            parts.insert(request.query["partNumber"].parse().unwrap(), request.body.clone());
            let headers = vec![("ETag", tag(&request.body))];
            Reply { status: 200, headers, body: Vec::new() }
        }
        ("POST", Some(id)) => {
            let Some((key, parts)) = state.uploads.remove(id) else { return status(404) };
            let bytes: Vec<u8> = parts.into_values().flatten().collect();
            let tag = tag(&bytes);
            state.objects.insert(key.clone(), bytes);
            xml(format!(
                "<CompleteMultipartUploadResult><Bucket>bucket</Bucket><Key>{key}</Key>\
                 <ETag>{tag}</ETag></CompleteMultipartUploadResult>"
            ))
        }
        ("DELETE", Some(id)) => status(if state.uploads.remove(id).is_some() { 204 } else { 404 }),
        _ => status(405),
    }
}

fn list(state: &State, request: &Request) -> Reply {
    let prefix = request.query.get("prefix").map_or("", String::as_str);
    let after = request.query.get("continuation-token").map_or("", String::as_str);
    let found = state.objects.iter().filter(|(key, _)| key.starts_with(prefix) && &key[..] > after);
    let found: Vec<_> = found.take(PAGE + 1).collect();
    let mut text = String::from("<ListBucketResult>");
    for (key, bytes) in found.iter().take(PAGE) {
        text += &format!(
            "<Contents><Key>{key}</Key><LastModified>2026-11-28T12:00:00.000Z</LastModified>\
             <ETag>{}</ETag><Size>{}</Size></Contents>",
            tag(bytes),
            bytes.len()
        );
    }
    let is_cut = found.len() > PAGE;
    if is_cut {
        text += &format!("<NextContinuationToken>{}</NextContinuationToken>", found[PAGE - 1].0);
    }
    xml(format!("{text}<IsTruncated>{is_cut}</IsTruncated></ListBucketResult>"))
}

fn get(state: &State, request: &Request, key: &str) -> Reply {
    let Some(bytes) = state.objects.get(key) else { return status(404) };
    let mut headers =
        vec![("ETag", tag(bytes)), ("Last-Modified", "Sat, 28 Nov 2026 12:00:00 GMT".to_owned())];
    if request.method == "HEAD" {
        headers.push(("Content-Length", bytes.len().to_string()));
        return Reply { status: 200, headers, body: Vec::new() };
    }
    let range = request.headers.get("range").and_then(|it| it.strip_prefix("bytes="));
    let Some((from, to)) = range.and_then(|it| it.split_once('-')) else {
        return Reply { status: 200, headers, body: bytes.clone() };
    };
    let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
    if from >= bytes.len() {
        return status(416);
    }
    let to = to.min(bytes.len() - 1);
    headers.push(("Content-Range", format!("bytes {from}-{to}/{}", bytes.len())));
    Reply { status: 206, headers, body: bytes[from..=to].to_vec() }
}

fn put(state: &mut State, request: &Request, key: String) -> Reply {
    let found = state.objects.get(&key).map(|bytes| tag(bytes));
    let holds = !state.is_unconditional;
    if holds && request.headers.contains_key("if-none-match") && found.is_some() {
        return status(412);
    }
    if holds && let Some(expected) = request.headers.get("if-match") {
        match found {
            None => return status(404),
            Some(found) if found != *expected => return status(412),
            Some(_) => {}
        }
    }
    let headers = vec![("ETag", tag(&request.body))];
    state.objects.insert(key, request.body.clone());
    Reply { status: 200, headers, body: Vec::new() }
}
