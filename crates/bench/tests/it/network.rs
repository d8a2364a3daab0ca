//! The suites over a network: servers in this process, and servers that are absent, foreign, or stop in the middle.

use super::suites::{bench, text};
use super::ycsb::{WORKLOADS, workload};
use ferrolith_server::clock::SystemClock;
use ferrolith_server::net::workers::{Door, Workers, bind};
use ferrolith_server::pegasus::{Admin, AdminOptions, Service};
use ferrolith_server::redis;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Latches, Store};
use ferrolith_server::tables::Catalogue;
use serde_json::Value;
use std::net::{SocketAddr, SocketAddrV4, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A server in this process. It stops when it is dropped.
struct Server {
    redis: SocketAddr,
    pegasus: SocketAddr,
    workers: Option<Workers>,
    store: Arc<LocalStore>,
    _dir: tempfile::TempDir,
}

impl Server {
    fn start() -> Server {
        let dir = tempfile::tempdir().unwrap();
        let options = StoreOptions::new(Durability::Os, 32 << 20, 1);
        let store = LocalStore::open(dir.path(), options).unwrap();
        let catalogue = Arc::new(Catalogue::open(store.clone()).unwrap());
        let rows = store.clone() as Arc<dyn Store>;
        let (latches, clock) = (Arc::new(Latches::default()), Arc::new(SystemClock::new()));
        let settings = Settings { partitions: 4, ..Settings::default() };
        let any: SocketAddrV4 = "127.0.0.1:0".parse().unwrap();
        let ((redis_sockets, redis), (pegasus_sockets, pegasus)) =
            (bind(&[any]).unwrap(), bind(&[any]).unwrap());
        let SocketAddr::V4(node) = pegasus[0] else { unreachable!("an IPv4 listener") };
        let options =
            AdminOptions { addresses: vec![node], host_names: false, cluster: "test".into() };
        let admin = Admin::new(store.clone(), clock.clone(), catalogue.clone(), options).unwrap();
        admin.ensure_table("ycsb", 4).unwrap();
        let service = Service::new(rows.clone(), latches.clone(), clock.clone(), admin);
        let server = redis::Server::new(rows.clone(), latches, clock, catalogue, settings);
        let doors = [Door::Redis(Arc::new(server)), Door::Pegasus(Arc::new(service))];
        let sockets = redis_sockets.into_iter().chain(pegasus_sockets);
        let workers = Some(Workers::start(2, sockets.zip(doors).collect(), &rows, 1000).unwrap());
        Server { redis: redis[0], pegasus: pegasus[0], workers, store, _dir: dir }
    }

    fn engines(&self) -> Vec<String> {
        vec![format!("redis://{}", self.redis), format!("pegasus://{}/ycsb", self.pegasus)]
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.workers.take().unwrap().stop();
        let _ = self.store.close();
    }
}

/// Runs a phase that succeeds; returns its line.
fn phase(name: &str, engine: &str, file: &Path, more: &[&str]) -> Value {
    let json = file.with_extension("jsonl");
    let base = ["ycsb", name, "-P", file.to_str().unwrap(), "--engine", engine, "--json"];
    let output = bench(&[&base[..], &[json.to_str().unwrap(), "--quiet"], more].concat());
    assert!(output.status.success(), "{engine}: {}", text(&output));
    last_line(&json)
}

fn last_line(path: &Path) -> Value {
    let lines = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(lines.lines().last().unwrap()).unwrap()
}

#[test]
fn the_core_workloads_run_over_each_protocol() {
    for in_flight in ["1", "7"] {
        for (name, mix) in WORKLOADS {
            let server = Server::start();
            for engine in server.engines() {
                let dir = tempfile::tempdir().unwrap();
                let file = workload(dir.path(), mix);
                let checked = ["-p", "dataintegrity=true", "-p", "threadcount=3"];
                let small = ["-p", "recordcount=300", "-p", "operationcount=600"];
                let flying = ["--in-flight", in_flight];
                let more = [&checked[..], &small, &flying].concat();
                let load = phase("load", &engine, &file, &more);
                assert_eq!(load["latencies_us"]["INSERT"]["service"]["count"], 300, "{engine}");
                let run = phase("run", &engine, &file, &more);
                assert_eq!((&run["operations"], &run["complete"]), (&600.into(), &true.into()));
                assert_eq!(run["in_flight"].to_string(), in_flight);
                for (kind, latencies) in run["latencies_us"].as_object().unwrap() {
                    // With several in flight, a read may overtake the insert of its record only on other connections,
                    // and `latest` chooses finished inserts only.
                    assert_eq!(latencies["not_found"], 0, "{engine} {name} {kind}");
                }
                assert_eq!(run["records_scanned"].as_u64() > Some(0), *name == "e", "{engine}");
                if engine.starts_with("redis") {
                    let server = &run["server"];
                    assert_eq!(server["pid"], std::process::id(), "{run}");
                    assert!(server["cpu_us_per_op"].is_f64(), "{run}");
                }
            }
        }
    }
}

#[test]
fn records_of_redis_are_strings_if_asked() {
    let server = Server::start();
    let [engine, pegasus] = &server.engines()[..] else { unreachable!("two doors") };
    let dir = tempfile::tempdir().unwrap();
    let file = workload(dir.path(), "readproportion=0.5\nupdateproportion=0.5");
    let strings =
        ["-p", "redis.datatype=string", "-p", "writeallfields=true", "-p", "dataintegrity=true"];
    phase("load", engine, &file, &strings);
    let run = phase("run", engine, &file, &strings);
    assert_eq!(run["latencies_us"]["READ"]["not_found"], 0, "{run}");
    for (engine, properties, expected) in [
        // The records are strings, and a load of hashes writes to the same keys.
        (engine, &["redis.datatype=hash"][..], "WRONGTYPE"),
        (engine, &["redis.datatype=list"], "expected hash or string"),
        (engine, &["redis.datatype=string"], "say writeallfields=true"),
        (engine, &["redis.datatype=string", "scanproportion=0.1"], "scanproportion must be 0"),
        (engine, &["redis.datatype=string", "readallfields=false"], "readallfields must be true"),
        (pegasus, &["redis.datatype=string"], "only for --engine redis://HOST:PORT"),
    ] {
        let properties = properties.iter().flat_map(|property| ["-p", property]);
        let base = ["ycsb", "run", "-P", file.to_str().unwrap(), "--quiet", "--engine", engine];
        let output = bench(&base.into_iter().chain(properties).collect::<Vec<_>>());
        assert!(!output.status.success() && text(&output).contains(expected), "{}", text(&output));
    }
}

#[test]
fn the_mixes_of_pegasus_run_over_each_protocol() {
    let server = Server::start();
    for engine in server.engines() {
        let dir = tempfile::tempdir().unwrap();
        let results = dir.path().join("results");
        let base = ["pegasus", "--engine", &engine, "--results", results.to_str().unwrap()];
        let sizes = ["--values", "320", "--mixes", "write,read,1:1,multi", "--scale", "0.00001"];
        let pid = std::process::id().to_string();
        let terms = ["--operations", "500", "--threads", "2", "--in-flight", "64", "--quiet"];
        let output = bench(&[&base[..], &sizes, &terms, &["--server-pid", &pid]].concat());
        assert!(output.status.success(), "{}", text(&output));
        let lines = std::fs::read_to_string(results.join("results.jsonl")).unwrap();
        let lines: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 6, "{engine}: two loads and four mixes");
        for line in &lines {
            assert_eq!((&line["complete"], &line["in_flight"]), (&true.into(), &64.into()));
            assert_eq!(line["server"]["pid"].to_string(), pid, "{line}");
            for (kind, latencies) in line["latencies_us"].as_object().unwrap() {
                assert_eq!(latencies["not_found"], 0, "{engine} {kind}: {line}");
            }
        }
    }
}

#[test]
fn idle_connections_are_counted_and_judged() {
    let server = Server::start();
    let pid = std::process::id().to_string();
    for engine in server.engines() {
        let base = ["connections", "--engine", &engine, "--server-pid", &pid];
        let few = ["--connections", "20", "--seconds", "1", "--at-most"];
        let output = bench(&[&base[..], &few, &["100000000"]].concat());
        assert!(output.status.success(), "{}", text(&output));
        assert!(text(&output).contains("20 idle connections: "), "{}", text(&output));
    }
    let output = bench(&["connections", "--engine", "ferrolith"]);
    assert!(!output.status.success() && text(&output).contains("expected redis://HOST:PORT"));
}

/// Runs a load that fails before anything is loaded; returns what it printed.
fn refused(engine: &str, more: &[&str]) -> String {
    let base = ["ycsb", "load", "-p", "recordcount=10", "--engine", engine];
    let output = bench(&[&base[..], more].concat());
    assert!(!output.status.success(), "{engine} {more:?}");
    text(&output)
}

#[test]
fn servers_that_are_absent_or_foreign_are_errors() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for engine in [format!("redis://{closed}"), format!("pegasus://{closed}/t")] {
        let error = refused(&engine, &[]);
        assert!(error.contains(&format!("{engine}: cannot connect")), "{error}");
    }
    let error = refused("redis://no-such-host.invalid:6379", &[]);
    assert!(error.contains("the host cannot be resolved"), "{error}");
    // A server of another protocol: it answers something else.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let foreign = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 64]);
        stream.write_all(b"\0\0\0\x40 HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let _ = stream.read(&mut [0; 64]);
    });
    let error = refused(&format!("redis://{foreign}"), &[]);
    assert!(error.contains("does not speak Redis's protocol"), "{error}");
    thread.join().unwrap();
    // Each protocol at the door of the other one.
    let server = Server::start();
    let error = refused(&format!("redis://{}", server.pegasus), &[]);
    assert!(error.contains("does it speak Redis's protocol?"), "{error}");
    let error = refused(&format!("pegasus://{}/t", server.redis), &[]);
    assert!(error.contains("Pegasus's protocol"), "{error}");
    let run = ["ycsb", "run", "-p", "recordcount=10", "-p", "operationcount=1", "--engine"];
    let output = bench(&[&run[..], &[&format!("pegasus://{}/absent", server.pegasus)]].concat());
    assert!(!output.status.success());
    assert!(text(&output).contains("the server does not serve this table"), "{}", text(&output));
}

#[test]
fn what_does_not_apply_to_servers_is_refused() {
    let server = Server::start();
    let engine = server.engines().remove(0);
    for (more, expected) in [
        (&["--sync"][..], "--sync configures an engine in this process"),
        (&["--db", "/none/db"], "--db configures an engine in this process"),
        (&["--", "--cache_size=1"], "-- FLAG configures an engine in this process"),
        (&["--in-flight", "2", "-p", "target=5"], "not supported together with target"),
        (&["--in-flight", "0"], "invalid value '0' for '--in-flight <N>'"),
        (&["--server-pid", "4194305"], "no such process"),
    ] {
        let error = refused(&engine, more);
        assert!(error.contains(expected), "{more:?}: {error}");
    }
    let error = refused("ferrolith", &["--in-flight", "2", "--db", "/none/db"]);
    assert!(error.contains("--in-flight needs a server"), "{error}");
    assert!(refused("ferrolith", &[]).contains("--db is missing"));
}

#[test]
fn a_server_that_stops_in_the_middle_leaves_a_partial_result() {
    for (in_flight, protocol) in [("1", 0), ("16", 0), ("16", 1)] {
        let server = Server::start();
        let engine = server.engines().remove(protocol);
        let dir = tempfile::tempdir().unwrap();
        let file = workload(dir.path(), WORKLOADS[0].1);
        phase("load", &engine, &file, &["-p", "recordcount=100"]);
        let stopped = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(2));
            drop(server);
        });
        let json = dir.path().join("partial.jsonl");
        let base = ["ycsb", "run", "-P", file.to_str().unwrap(), "--engine", &engine, "--quiet"];
        let long = ["-p", "recordcount=100", "-p", "operationcount=1000000000"];
        let out = ["--json", json.to_str().unwrap(), "--in-flight", in_flight];
        let output = bench(&[&base[..], &long, &out].concat());
        stopped.join().unwrap();
        let shown = text(&output);
        assert!(!output.status.success() && shown.contains("NOT COMPLETE"), "{shown}");
        let line = last_line(&json);
        assert_eq!(line["complete"], false, "{line}");
        let error = line["error"].as_str().unwrap();
        assert!(error.contains(&engine) && error.contains("connection"), "{error}");
        assert!(line["operations"].as_u64() > Some(0), "{line}");
    }
}
