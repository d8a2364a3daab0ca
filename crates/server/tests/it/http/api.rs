//! What the API says, against Redis's commands and the engine.

use super::Http;
use super::schema::faults;
use crate::redis::{Client, Ours, Value as Reply, words};
use ferrolith_server::store::Inspect;
use serde_json::Value;
use std::time::{Duration, Instant};

fn ask(client: &mut Client, text: &str) -> Reply {
    client.call(&words(text))
}

/// Starts a server with some keys of all types, one of which is hostile.
fn start() -> (Ours, Client, Http) {
    let ours = Ours::start();
    let mut client = ours.connect();
    let http = Http(ours.serve_http(ours.http_parts(), None));
    for text in [
        "SET string hello",
        "RPUSH list a b c",
        "SADD set x y",
        "ZADD zset 1.5 one 2 two",
        "HSET hash f1 v1 f2 v2",
        "XADD stream 1-1 field value",
        "SET user:1 a EX 1000",
        "SET user:2 b",
        "GET string",
        "GET missing",
        "LPUSH string x",
    ] {
        ask(&mut client, text);
    }
    client.call(&[b"SET".to_vec(), b"<script>\xff\n".to_vec(), b"<b>\x00\xfe</b>".to_vec()]);
    (ours, client, http)
}

#[test]
fn metrics_and_health_are_served() {
    let (_ours, _client, http) = start();
    // Scrapers may call the server anything.
    let metrics = http.send("GET", "/metrics", "Host: x\r\n", "");
    assert_eq!(
        (metrics.status, metrics.header("content-type")),
        (200, "text/plain; version=0.0.4; charset=utf-8")
    );
    for line in [
        "ferrolith_commands_total{command=\"set\"} 4\n",
        "# TYPE ferrolith_memtable_bytes gauge\n# UNIT ferrolith_memtable_bytes bytes\nferrolith_memtable_bytes ",
        "ferrolith_errors_total{code=\"WRONGTYPE\"} 1\n",
        "ferrolith_command_latency_seconds_bucket{class=\"read\",le=\"+Inf\"} 2\n",
        "ferrolith_command_latency_seconds_count{class=\"read\"} 2\n",
        "ferrolith_key_hits_total 1\nferrolith",
    ] {
        let line = line.trim_end_matches("ferrolith");
        assert!(metrics.body.contains(&format!("\n{line}")), "{line}: {}", metrics.body);
    }
    assert_eq!(http.send("GET", "/health", "Host: x\r\n", "").body, "ok\n");
    assert_eq!(http.send("POST", "/health", "", "").status, 405);
    assert_eq!(http.raw(b"nonsense\r\n\r\n").status, 400);
    assert_eq!(http.get("/x").status, 404);
    let page = http.get("/");
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy")
            .starts_with("default-src 'none'; script-src 'sha256-")
    );
}

/// Gets a path until a condition holds.
#[track_caller]
fn wait(http: Http, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let value = http.json(path);
        if holds(&value) {
            return value;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{path}: {value}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn replies_are_what_the_document_says() {
    let (ours, mut client, http) = start();
    ask(&mut client, "CONFIG SET slowlog-log-slower-than 0 latency-monitor-threshold 1");
    ask(&mut client, "DEBUG SLEEP 0.01");
    ask(&mut client, "EVAL return(1) 0");
    ours.flush_all();
    let document = http.json("/openapi.json");
    wait(http, "/history", |it| it["at_ms"].as_array().unwrap().len() >= 2);
    wait(http, "/heat", |it| !it["partitions"].as_array().unwrap().is_empty());
    let paths = document["paths"].as_object().unwrap();
    let mut checked = 0;
    for (path, methods) in paths {
        let Some(get) = methods.get("get") else { continue };
        let schema = &get["responses"]["200"]["content"]["application/json"]["schema"];
        let path = path.strip_prefix("/api/v1").unwrap();
        let queries: &[&str] = match path {
            "/value" => {
                &["?key=string", "?key=list", "?key=set", "?key=zset", "?key=hash", "?key=stream"]
            }
            _ => &[""],
        };
        for query in queries {
            let reply = http.json(&format!("{path}{query}"));
            let found = faults(&document, schema, &reply, path);
            assert_eq!(found, Vec::<String>::new(), "{reply}");
            checked += 1;
        }
    }
    assert!(checked >= 18, "{checked}");
    let refused = http.get("/api/v1/value?key=none");
    assert_eq!((refused.status, refused.json()["error"].as_str()), (404, Some("not-found")));
    let schema =
        &document["components"]["responses"]["Refusal"]["content"]["application/json"]["schema"];
    assert_eq!(faults(&document, schema, &refused.json(), "refusal"), Vec::<String>::new());
}

#[test]
fn counts_are_those_of_info_and_of_the_engine() {
    let (ours, mut client, http) = start();
    let info = |client: &mut Client| match ask(client, "INFO everything") {
        Reply::Bulk(text) => String::from_utf8(text).unwrap(),
        other => panic!("{other:?}"),
    };
    let overview = http.json("/overview");
    let text = info(&mut client);
    let number = |name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
        line.unwrap_or_else(|| panic!("{name}: {text}")).parse().unwrap()
    };
    let totals = &overview["totals"];
    for (field, name) in [
        ("commands", "total_commands_processed"),
        ("key_hits", "keyspace_hits"),
        ("key_misses", "keyspace_misses"),
        ("connections", "total_connections_received"),
    ] {
        assert_eq!(totals[field].as_u64(), Some(number(name)), "{field}: {text}");
    }
    assert_eq!(overview["clients"], 1);
    let set =
        overview["commands"].as_array().unwrap().iter().find(|it| it["command"] == "set").unwrap();
    let line = text.lines().find(|line| line.starts_with("cmdstat_set:")).unwrap();
    assert!(
        line.contains(&format!("calls={},usec={},", set["calls"], set["total_us"])),
        "{line}, {set}"
    );
    let tables = http.json("/tables");
    assert_eq!(tables["tables"][0]["name"], "redis.0");
    let partitions = tables["tables"][0]["partitions"].as_array().unwrap();
    let sum = |field: &str| partitions.iter().map(|it| it[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(partitions.len(), 4);
    assert!(sum("rows") > 10 && sum("memtable_bytes") > 0);
    // One cache, however many partitions use it.
    let memory = http.json("/memory");
    let cached = ours.store().db().property_int("rocksdb.block-cache-capacity").unwrap();
    assert_eq!(memory["cache_limit_bytes"].as_u64(), Some(cached));
    // A quarter of 32 MB is for cached rows.
    assert_eq!(memory["cache_limit_bytes"], 24 << 20);
    assert_eq!(memory["memtable_budget_bytes"], 8 << 20);
    assert_eq!(
        number("block_cache_bytes"),
        ours.store().db().property_int("rocksdb.block-cache-usage").unwrap()
    );
}

#[test]
fn flushes_and_levels_are_those_of_the_engine() {
    let (ours, mut client, http) = start();
    for at in 0..500 {
        ask(&mut client, &format!("SET key{at} {at}"));
    }
    ours.flush_all();
    let jobs = wait(http, "/jobs", |it| it["finished"].as_array().unwrap().len() >= 4);
    let flush =
        jobs["finished"].as_array().unwrap().iter().find(|it| it["table"] == "redis.0").unwrap();
    assert_eq!((&flush["kind"], &flush["reason"]), (&"flush".into(), &"Manual Flush".into()));
    assert!(flush["written_bytes"].as_u64() > Some(0) && flush["error"] == "", "{flush}");
    assert!(flush["ended_ms"].as_u64() >= flush["started_ms"].as_u64());
    let levels = http.json("/levels?table=redis.0");
    let partitions = levels["partitions"].as_array().unwrap();
    assert_eq!(partitions.len(), 4);
    for partition in partitions {
        let number =
            ferrolith_server::store::Partition(partition["partition"].as_u64().unwrap() as u32);
        let of_engine = ours.store().levels(number);
        for (level, expected) in partition["levels"].as_array().unwrap().iter().zip(&of_engine) {
            assert_eq!(level["files"], expected.files, "{partition}");
            assert_eq!(level["bytes"], expected.bytes);
            assert_eq!(level["entries"], expected.entries);
        }
        assert_eq!(partition["levels"][0]["files"], 1, "{partition}");
        // One of the four files from which on level 0 is compacted.
        assert_eq!(partition["levels"][0]["score"], 0.25, "{partition}");
    }
    assert_eq!(http.get("/api/v1/levels?table=none").status, 404);
}

#[test]
fn rates_and_heat_follow_the_writes() {
    let (_ours, mut client, http) = start();
    wait(http, "/history", |it| !it["at_ms"].as_array().unwrap().is_empty());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(7) {
        ask(&mut client, "SET {hot}key value");
    }
    let sum = |list: &Value| list.as_array().unwrap().iter().filter_map(Value::as_f64).sum::<f64>();
    let history = http.json("/history");
    assert!(sum(&history["rates"]["commands"]) > 100.0, "{history}");
    let writes = &history["latencies"][1];
    assert_eq!(writes["class"], "write");
    let calls = writes["calls"].as_array().unwrap();
    let busy = calls.iter().position(|it| it.as_u64() > Some(10)).unwrap();
    let p = |name: &str| writes[name][busy].as_u64().unwrap();
    assert!(p("p50_us") > 0 && p("p50_us") <= p("p99_us") && p("p99_us") <= p("p999_us"));
    let heat = wait(http, "/heat", |it| it["at_ms"].as_array().unwrap().len() >= 2);
    let mut totals: Vec<f64> =
        heat["partitions"].as_array().unwrap().iter().map(|it| sum(&it["written_rows"])).collect();
    totals.sort_by(f64::total_cmp);
    // All writes of this time went to one partition.
    assert!(totals[3] > 10.0 && totals[2] < totals[3] / 10.0, "{heat}");
}

#[test]
fn keys_and_values_are_shown_by_type() {
    let (_ours, mut client, http) = start();
    let keys = http.json("/keys?prefix=user%3A");
    let mut names: Vec<_> =
        keys["keys"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!((names, &keys["cursor"]), (vec!["user:1", "user:2"], &"0".into()));
    let value = |key: &str| http.json(&format!("/value?key={key}"));
    assert_eq!(value("string")["string"], "hello");
    assert_eq!(
        value("list")["elements"][1],
        serde_json::json!({ "name": "1", "values": ["b"], "is_whole": true })
    );
    assert_eq!(value("zset")["elements"][0]["values"][0], "1.5");
    assert_eq!(value("hash")["length"], 2);
    assert_eq!(
        value("stream")["elements"][0],
        serde_json::json!({ "name": "1-1", "values": ["field", "value"], "is_whole": true })
    );
    assert!(value("user%3A1")["ttl_ms"].as_u64() > Some(900_000));
    // Hostile bytes survive the way to the page and back.
    let hostile = http.json("/keys?prefix=%3C");
    assert_eq!(hostile["keys"][0]["text"], "<script>\\xff\\n");
    let key = hostile["keys"][0]["key"].as_str().unwrap();
    assert_eq!(value(key)["string"], "<b>\\u{0}\\xfe</b>");
    // Patterns are no patterns here.
    assert_eq!(http.json("/keys?prefix=%2A")["keys"], serde_json::json!([]));
    for at in 0..250 {
        ask(&mut client, &format!("RPUSH long v{at}"));
    }
    let first = value("long");
    assert_eq!(
        (first["elements"].as_array().unwrap().len(), &first["cursor"]),
        (100, &"100".into())
    );
    let last = http.json("/value?key=long&cursor=200");
    assert_eq!(
        (last["elements"][49]["values"][0].as_str(), &last["cursor"]),
        (Some("v249"), &"".into())
    );
    // All keys, some at a time.
    for at in 0..300 {
        ask(&mut client, &format!("SET many{at} x"));
    }
    let (mut cursor, mut found) = ("0".to_owned(), std::collections::BTreeSet::new());
    loop {
        let page = http.json(&format!("/keys?count=50&cursor={cursor}"));
        found.extend(
            page["keys"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["text"].as_str().unwrap().to_owned()),
        );
        cursor = page["cursor"].as_str().unwrap().to_owned();
        if cursor == "0" {
            break;
        }
    }
    assert_eq!(found.len(), 310, "{found:?}");
    // Looking at a database does not create it.
    assert_eq!(http.json("/keys?database=5")["keys"], serde_json::json!([]));
    assert_eq!(http.json("/keys")["databases"], serde_json::json!([0]));
    assert_eq!(http.get("/api/v1/keys?database=99").status, 404);
}

/// Pages deep in a large sorted set are found, and a key that is held by a slow command holds up no other one.
#[test]
fn deep_pages_and_keys_that_are_held() {
    let (ours, mut client, http) = start();
    for from in (0..40_000).step_by(1000) {
        let members: String = (from..from + 1000).map(|at| format!(" {at} m{at:05}")).collect();
        ask(&mut client, &format!("ZADD large{members}"));
    }
    let page = http.json("/value?key=large&cursor=20000");
    assert_eq!(page["elements"][0]["name"], "m20000");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let mut holder = ours.connect();
    holder.send(&crate::redis::words(&format!("MIGRATE 127.0.0.1 {port} list 0 4000")));
    let _accepted = silent.accept().unwrap();
    let waiting = std::thread::spawn(move || http.get("/api/v1/value?key=list").status);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let start = std::time::Instant::now();
    assert_eq!(http.json("/value?key=string")["string"], "hello");
    // Nor does a wrong password: health is asked on the thread that notes it.
    let nobody = "Authorization: Basic bm9ib2R5Ong=\r\n";
    assert_eq!(http.send("GET", "/api/v1/overview", nobody, "").status, 401);
    assert_eq!(http.get("/health").status, 200);
    assert!(start.elapsed() < std::time::Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!(waiting.join().unwrap(), 200);
}

/// Pages of large elements have few of them, and what is larger than a page may be is refused by name.
#[test]
fn pages_of_large_elements_are_small() {
    let (_ours, mut client, http) = start();
    let mut push = |key: &str, bytes: usize| {
        client.call(&[b"RPUSH".to_vec(), key.as_bytes().to_vec(), vec![b'x'; bytes]])
    };
    (0..8).for_each(|_| drop(push("blobs", 2 << 20)));
    let page = http.json("/value?key=blobs&cursor=2");
    let elements = page["elements"].as_array().unwrap();
    assert!((1..=2).contains(&elements.len()), "{}", elements.len());
    assert_eq!(page["cursor"], (2 + elements.len()).to_string());
    push("giant", 17 << 20);
    let refused = http.get("/api/v1/value?key=giant");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("LRANGE"), "{}", refused.body);
}

#[test]
fn settings_say_who_set_them_and_hide_secrets() {
    let (ours, mut client, http) = start();
    ask(&mut client, "CONFIG SET slowlog-max-len 77 masterauth topsecret");
    let settings = http.json("/settings");
    let parameter = |name: &str| {
        let all = settings["parameters"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!(
        (&parameter("slowlog-max-len")["value"], &parameter("slowlog-max-len")["source"]),
        (&"77".into(), &"CONFIG SET".into())
    );
    assert_eq!(parameter("timeout")["source"], "default");
    assert_eq!(parameter("masterauth")["value"], "(hidden)");
    assert!(!settings.to_string().contains("topsecret"));
    ask(&mut client, "CONFIG SET slowlog-log-slower-than 0");
    ask(&mut client, "AUTH default alsosecret");
    let slow = http.json("/slow");
    assert!(slow["entries"].as_array().unwrap().iter().any(|it| it["args"][0] == "AUTH"), "{slow}");
    assert!(!slow.to_string().contains("alsosecret"));
    drop(ours);
}

#[test]
fn wrong_parameters_are_refused() {
    let (_ours, _client, http) = start();
    for path in [
        "/keys?count=0",
        "/keys?count=x",
        "/keys?cursor=-1",
        "/keys?nonsense=1",
        "/keys?count=1&count=2",
        "/history?resolution=hour",
        "/value",
        "/value?key=list&cursor=x",
        "/value?key=list&cursor=9223372036854775807",
        "/overview?x",
    ] {
        let response = http.get(&format!("/api/v1{path}"));
        assert_eq!(
            (response.status, response.json()["error"].as_str()),
            (400, Some("bad-request")),
            "{path}"
        );
    }
    assert_eq!(http.send("POST", "/api/v1/keys", "", "").status, 405);
    assert_eq!(http.get("/api/v1/nonsense").status, 404);
}
