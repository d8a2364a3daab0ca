//! `ferrolith-bench connections`: opens connections to a server, lets each read one record, and reports how much memory
//! the server needs for each while they are idle.

use super::arguments::{self, chosen};
use super::{Server, Style};
use crate::process::Memory;
use crate::report::say;
use crate::rng::Random64;
use crate::shared::screen::{append_line, json_argument};
use crate::target::Result;
use crate::ycsb::client::Client;
use crate::ycsb::properties::Properties;
use crate::ycsb::workload::Workload;
use clap::{Arg, ArgMatches, Command, value_parser};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Files that this program needs besides connections.
const OTHER_FILES: u64 = 64;
/// The key of the record.
const KEY: &[u8] = b"ferrolith-bench-connections";

/// Runs what the command line says. False if a connection takes more memory than `--at-most`.
pub fn dispatch(args: &ArgMatches) -> Result<bool> {
    let number = |name: &str| args.get_one::<u64>(name).copied();
    let connections = number("connections").unwrap_or(10_000);
    let (_, Some(choice)) = chosen(args, &[])? else {
        return Err("--engine: expected redis://HOST:PORT or pegasus://HOST:PORT/TABLE".to_owned());
    };
    raise_files(connections + OTHER_FILES)?;
    let server = Server::open(&choice, Style::Whole, true)?;
    let pid = server.pid().ok_or("the server's process is not known; name it with --server-pid")?;
    let bytes = number("value-bytes").unwrap_or(1024);
    let mut properties = Properties::default();
    for (name, value) in [("fieldcount", 1), ("recordcount", 1), ("fieldlength", bytes)] {
        properties.assign(&format!("{name}={value}"))?;
    }
    let shape = Workload::new(&properties)?.shape;
    let mut first = server.client()?;
    first.insert(&shape, KEY, &mut Random64::new(1))?;
    first.read(&shape, KEY, None)?;
    let before = Memory::of(pid).anonymous;
    let mut open: Vec<Box<dyn Client>> = Vec::new();
    for i in 0..connections {
        let fail = |error| format!("connection {i} of {connections}: {error}");
        let mut client = server.client().map_err(fail)?;
        client.read(&shape, KEY, None).map_err(fail)?;
        open.push(client);
    }
    std::thread::sleep(Duration::from_secs(number("seconds").unwrap_or(5)));
    let after = Memory::of(pid).anonymous;
    // They are idle, but not closed.
    for client in open.iter_mut().step_by(1000) {
        client.read(&shape, KEY, None)?;
    }
    let each = after.saturating_sub(before) as f64 / connections as f64;
    say(&format!(
        "{connections} idle connections: {:.1} MB before, {:.1} MB with them, {each:.0} bytes each",
        before as f64 / 1e6,
        after as f64 / 1e6
    ));
    if let Some(path) = args.get_one::<PathBuf>("json") {
        let line = json!({
            "suite": "connections", "engine": choice.address.to_string(), "connections": connections,
            "value_bytes": bytes, "resident_before": before, "resident_after": after,
            "bytes_per_connection": each,
        });
        append_line(path, &line.to_string())?;
    }
    Ok(number("at-most").is_none_or(|most| each <= most as f64))
}

/// Raises the limit of open files as far as it is needed and allowed.
fn raise_files(needed: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let raised = Rlimit { current: Some(needed), maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).map_err(|_| {
        let most = limit.maximum.unwrap_or(u64::MAX);
        format!("{needed} open files are needed and {most} allowed; use fewer --connections or raise ulimit -Hn")
    })
}

/// The subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let number = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64)).help(help)
    };
    Command::new("connections")
        .about("The memory that a server needs for idle connections")
        .args(arguments::of_server())
        .arg(number("connections", "Connections [default: 10000]"))
        .arg(number("value-bytes", "Bytes of the record that each reads once [default: 1024]"))
        .arg(number("seconds", "Seconds that they are idle [default: 5]"))
        .arg(number("at-most", "Fail if a connection needs more bytes than this"))
        .arg(json_argument())
}
