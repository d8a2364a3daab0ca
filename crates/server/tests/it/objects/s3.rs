//! A server that speaks as much of S3's protocol as backups use, and fails on request.

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
    /// The request is carried out, but its connection is cut before the reply.
    CutReply,
    /// The connection is cut in the middle of the reply's body.
    CutBody,
    /// A bit of the reply's body is wrong.
    Corrupt,
    /// 403.
    Forbidden,
}

/// The next `count` requests of this method with this part in their target fail.
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", &hex(&Sha256::digest(bytes))[..32])
}

impl S3 {
    pub fn start() -> S3 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let state = shared.clone();
                // A connection that ends is no error of the server.
                std::thread::spawn(move || while serve(&socket, &state).is_some() {});
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

    /// Returns the keys of the objects with this part.
    pub fn keys(&self, part: &str) -> Vec<String> {
        self.state().objects.keys().filter(|key| key.contains(part)).cloned().collect()
    }
}

/// Serves a request. Returns nothing if the connection is to end.
fn serve(socket: &TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(socket);
    let request = read(&mut reader)?;
    let mut state = state.lock().unwrap();
    let target = format!("{} {} {:?}", request.method, request.path, request.query);
    state.requests.push(target.clone());
    let fault = state
        .planned
        .iter_mut()
        .find(|it| it.count > 0 && it.method == request.method && target.contains(it.part));
    let fault = fault.map(|it| {
        it.count -= 1;
        it.fault
    });
    let mut reply = match fault {
        Some(Fault::Unavailable) => status(503),
        Some(Fault::Forbidden) => status(403),
        _ => answer(&mut state, &request),
    };
    drop(state);
    match fault {
        Some(Fault::CutReply) => return None,
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
    let mut socket = socket;
    socket.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    if fault == Some(Fault::CutBody) {
        socket.write_all(&reply.body[..reply.body.len() / 2]).ok()?;
        return None;
    }
    socket.write_all(&reply.body).ok()
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
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
    let signed = request.headers.get("authorization");
    if !signed.is_some_and(|it| it.starts_with("AWS4-HMAC-SHA256 Credential=KEY/")) {
        return status(403);
    }
    let hash = &request.headers["x-amz-content-sha256"];
    if *hash != hex(&Sha256::digest(&request.body)) {
        return status(400);
    }
    let rest = request.path.strip_prefix("/bucket").unwrap_or_default();
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
    if request.headers.contains_key("if-none-match") && found.is_some() {
        return status(412);
    }
    if let Some(expected) = request.headers.get("if-match") {
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
