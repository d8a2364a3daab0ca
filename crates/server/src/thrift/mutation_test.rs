//! Foreign bytes never panic: mutated and random requests, with fixed seeds. `FERROLITH_MUTATIONS=N` runs N rounds.

use super::frame::{Frame, Head, parse, write_request};
use super::meta::*;
use super::request::*;
use super::*;

/// A small generator with a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Decodes the argument as every message in turn; what a method expects is up to the sender.
fn decode_as_everything(request: &frame::Request<'_>) -> usize {
    let results = [
        request.argument::<Blob<'_>>().is_ok(),
        request.argument::<i64>().is_ok(),
        request.argument::<Put<'_>>().is_ok(),
        request.argument::<MultiPut<'_>>().is_ok(),
        request.argument::<MultiRemove<'_>>().is_ok(),
        request.argument::<MultiGet<'_>>().is_ok(),
        request.argument::<BatchGet<'_>>().is_ok(),
        request.argument::<CheckAndMutate<'_>>().is_ok(),
        request.argument::<GetScanner<'_>>().is_ok(),
        request.argument::<CreateApp>().is_ok(),
        request.argument::<UpdateAppEnv>().is_ok(),
        request.argument::<QueryConfigReply>().is_ok(),
    ];
    results.into_iter().filter(|ok| *ok).count()
}

fn seeds() -> Vec<Vec<u8>> {
    let head = Head { app_id: 2, partition: 1, timeout_ms: 9, ..Head::default() };
    let mut seeds = vec![Vec::new(); 7];
    let key = || Blob::from(b"\0\x02h1s1");
    write_request(&head, "RPC_RRDB_RRDB_GET", 1, &key(), &mut seeds[0]);
    let row = KeyValue { key: key(), value: key(), expire_ts_seconds: Some(1) };
    let put = MultiPut { hash_key: key(), kvs: vec![row; 3], expire_ts_seconds: 1 };
    write_request(&head, "RPC_RRDB_RRDB_MULTI_PUT", 2, &put, &mut seeds[1]);
    let get = MultiGet { hash_key: key(), sort_keys: vec![key(); 4], ..MultiGet::default() };
    write_request(&head, "RPC_RRDB_RRDB_MULTI_GET", 3, &get, &mut seeds[2]);
    let scan = GetScanner { start_key: key(), full_scan: Some(true), ..GetScanner::default() };
    write_request(&head, "RPC_RRDB_RRDB_GET_SCANNER", 4, &scan, &mut seeds[3]);
    let envs = [("default_ttl".to_owned(), "3".to_owned())].into();
    let options = CreateOptions { partition_count: 4, envs, ..CreateOptions::default() };
    let create = CreateApp { app_name: "t".into(), options };
    write_request(&head, "RPC_CM_CREATE_APP", 5, &create, &mut seeds[4]);
    for (number, has_checksums) in [(5, false), (6, true)] {
        native::write_request(
            &head,
            "RPC_RRDB_RRDB_MULTI_PUT",
            6,
            &put,
            has_checksums,
            &mut seeds[number],
        );
    }
    seeds
}

#[test]
fn mutated_and_random_requests_never_panic() {
    let rounds = std::env::var("FERROLITH_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let (seeds, mut random) = (seeds(), Random(0x9e37_79b9_7f4a_7c15));
    let (mut whole, mut refused, mut decoded) = (0, 0, 0);
    for round in 0..rounds.unwrap_or(20_000_u64) {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        if round % 8 == 0 {
            bytes.iter_mut().skip(16).for_each(|byte| *byte = random.next() as u8);
        }
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, 12, 15][random.below(7)],
                2 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, random.next() as u8),
            }
        }
        match parse(&bytes, 1 << 20) {
            Ok(Frame::Whole(request, len)) => {
                assert!(len <= bytes.len());
                whole += 1;
                decoded += decode_as_everything(&request);
            }
            Ok(Frame::Partial(needed)) => assert!(needed > bytes.len()),
            Err(_) => refused += 1,
        }
    }
    assert!(whole > 100 && refused > 100 && decoded > 100, "{whole} {refused} {decoded}");
}
