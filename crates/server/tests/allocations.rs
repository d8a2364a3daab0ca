//! Requests on the common path allocate nothing, or little. One test in a process of its own, since it counts the
//! allocations of all threads: those of the server, of its clock, and of the client, which makes none.

use ferrolith_server::program;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Keys that the requests go round.
const KEYS: usize = 1000;
/// Requests that are counted.
const REQUESTS: usize = 48_000;

/// Starts a server with one worker on a free port and waits until it listens. It ends with the process.
fn start(dir: &std::path::Path) -> SocketAddr {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let args = ["ferrolith-server", "--workers", "1", "--memory-mb", "64", "--durability", "os"];
    let mut args: Vec<_> = args.iter().map(Into::into).collect();
    args.extend(["--dir".into(), dir.into(), "--listen".into(), address.to_string().into()]);
    std::thread::spawn(move || program::main(args));
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    address
}

fn bulk(out: &mut Vec<u8>, words: &[&[u8]]) {
    out.extend(format!("*{}\r\n", words.len()).bytes());
    for word in words {
        out.extend(format!("${}\r\n", word.len()).bytes());
        out.extend(*word);
        out.extend(b"\r\n");
    }
}

/// Sends requests in pipelines of `depth`, each of which has a reply of the same size, and returns the allocations per
/// request, after a round that is not counted.
fn allocations(
    stream: &mut TcpStream,
    depth: usize,
    reply: usize,
    request: impl Fn(usize, &mut Vec<u8>),
) -> f64 {
    let pipelines: Vec<Vec<u8>> = (0..KEYS / depth)
        .map(|at| {
            let mut bytes = Vec::new();
            (0..depth).for_each(|i| request(at * depth + i, &mut bytes));
            bytes
        })
        .collect();
    let mut replies = vec![0; reply * depth];
    let mut round = |count: usize| {
        for at in 0..count / depth {
            stream.write_all(&pipelines[at % pipelines.len()]).unwrap();
            stream.read_exact(&mut replies).unwrap();
        }
    };
    round(2 * KEYS);
    let before = HEAP.stats();
    round(REQUESTS);
    let after = HEAP.stats();
    let calls = |stats: &stats_alloc::Stats| stats.allocations + stats.reallocations;
    (calls(&after) - calls(&before)) as f64 / REQUESTS as f64
}

/// The figures are about a quarter above what was measured. A GET of a cached row copies the value to the reply.
#[test]
fn requests_on_the_common_path_allocate_little() {
    let dir = tempfile::tempdir().unwrap();
    let mut stream = TcpStream::connect(start(dir.path())).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let key = |i: usize| format!("key:{:012}", i % KEYS);
    let value = [b'x'; 128];
    let set = |i: usize, out: &mut Vec<u8>| bulk(out, &[b"SET", key(i).as_bytes(), &value]);
    let get = |i: usize, out: &mut Vec<u8>| bulk(out, &[b"GET", key(i).as_bytes()]);
    let ping = |_: usize, out: &mut Vec<u8>| bulk(out, &[b"PING"]);
    let mut problems = Vec::new();
    let mut check = |name, found: f64, most: f64| {
        println!("{name}: {found:.3} allocations per request, at most {most}");
        if found > most {
            problems.push(format!(
                "{name}: {found:.3} allocations per request, expected at most {most}"
            ));
        }
    };
    check("SET", allocations(&mut stream, 1, 5, set), 2.5);
    check("SET, pipelines of 16", allocations(&mut stream, 16, 5, set), 0.5);
    check("GET", allocations(&mut stream, 1, 128 + 8, get), 0.05);
    check("GET, pipelines of 16", allocations(&mut stream, 16, 128 + 8, get), 0.05);
    check("PING", allocations(&mut stream, 1, 7, ping), 0.05);
    assert!(problems.is_empty(), "{problems:#?}");
}
