//! A server that answers, and its process.

#[cfg(feature = "pegasus")]
use super::pegasus::{Pegasus, Table};
use super::redis::Redis;
use super::{Address, Protocol, Style};
use crate::process::{Memory, Usage};
use crate::target::Result;
use crate::ycsb::client::{Client, Remote};
use serde_json::{Value, json};
use std::net::ToSocketAddrs;

/// A server that a command line names.
#[derive(Clone, Debug)]
pub struct ServerChoice {
    /// Where it is.
    pub address: Address,
    /// Its process, if the command line says it.
    pub pid: Option<u32>,
    /// Operations that each connection has in flight at a time.
    pub in_flight: usize,
}

/// A server that has answered.
pub struct Server {
    address: Address,
    style: Style,
    kind: Kind,
    version: String,
    pid: Option<u32>,
}

/// What a client has to know about the server.
enum Kind {
    Redis,
    #[cfg(feature = "pegasus")]
    Pegasus(Table),
}

impl Server {
    /// Asks a server about itself. A Redis server on this machine says its process itself. With `creates`, a table that
    /// does not exist is created.
    pub fn open(choice: &ServerChoice, style: Style, creates: bool) -> Result<Server> {
        let (address, given) = (&choice.address, choice.pid);
        if let Some(pid) = given.filter(|pid| Usage::of(*pid).is_none()) {
            return Err(format!("--server-pid {pid}: this machine has no such process"));
        }
        let (kind, version, said) = match address.protocol {
            Protocol::Redis => {
                let (_, info) = Redis::connect(address, style)?;
                let field = |name: &str| {
                    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                };
                let version = field("redis_version").unwrap_or("of an unknown version");
                let version = format!("a server of Redis's protocol {}", version.trim());
                let said = field("process_id").and_then(|pid| pid.trim().parse().ok());
                let said = said.filter(|pid| is_local(address) && Usage::of(*pid).is_some());
                (Kind::Redis, version, said)
            }
            Protocol::Pegasus => pegasus(address, creates)?,
        };
        Ok(Server { address: address.clone(), style, kind, version, pid: given.or(said) })
    }

    /// Returns what the server says about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the server's process, if it is known.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Returns a new connection.
    pub fn client(&self) -> Result<Box<dyn Client>> {
        match &self.kind {
            Kind::Redis => {
                let (redis, _) = Redis::connect(&self.address, self.style)?;
                Ok(Box::new(Remote(redis)))
            }
            #[cfg(feature = "pegasus")]
            Kind::Pegasus(table) => {
                Ok(Box::new(Remote(Pegasus::connect(&self.address, table, self.style)?)))
            }
        }
    }
}

/// What opening a server gives: how clients reach it, its version, and its process if it said so.
type Opened = (Kind, String, Option<u32>);

#[cfg(feature = "pegasus")]
fn pegasus(address: &Address, creates: bool) -> Result<Opened> {
    let table = Table::find(address, creates)?;
    Ok((Kind::Pegasus(table), "a server of Pegasus's protocol".to_owned(), None))
}

#[cfg(not(feature = "pegasus"))]
fn pegasus(address: &Address, _creates: bool) -> Result<Opened> {
    Err(format!(
        "{address}: this program was built without clients of Pegasus; use cargo build -p ferrolith-bench \
         --features pegasus"
    ))
}

/// Returns whether the server is on this machine.
fn is_local(address: &Address) -> bool {
    let mut addresses = address.host.to_socket_addrs().into_iter().flatten();
    addresses.any(|address| address.ip().is_loopback())
}

/// Returns the object `server` of a line of results.
pub fn costs(pid: u32, usage: &Usage, operations: u64) -> Value {
    let cpu = usage.cpu_user + usage.cpu_system;
    let memory = Memory::of(pid);
    json!({
        "pid": pid,
        "cpu_user_s": usage.cpu_user,
        "cpu_system_s": usage.cpu_system,
        "cpu_us_per_op": (operations > 0).then(|| cpu * 1e6 / operations as f64),
        "resident_bytes": memory.anonymous + memory.mapped,
    })
}
