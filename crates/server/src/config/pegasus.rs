//! Flags of the Pegasus protocol.

use crate::pegasus::AdminOptions;
use std::net::{SocketAddr, SocketAddrV4};

/// The flags. The protocol is off without `--pegasus-listen`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PegasusFlags {
    /// Addresses that Pegasus clients connect to, as IP:PORT, separated by commas. Each is a meta server and a node
    #[arg(
        id = "pegasus-listen",
        long = "pegasus-listen",
        value_name = "ADDRESSES",
        value_delimiter = ','
    )]
    pub listen: Vec<SocketAddrV4>,
    /// Addresses that clients are told as nodes, separated by commas [default: the first of --pegasus-listen]. Several
    /// look like replicas to clients, but are one process
    #[arg(
        id = "pegasus-advertise",
        long = "pegasus-advertise",
        value_name = "ADDRESSES",
        value_delimiter = ','
    )]
    pub advertise: Vec<SocketAddrV4>,
    /// Tell clients host names besides addresses. Clients from before version 2.6 of Pegasus fail on them
    #[arg(id = "pegasus-host-names", long = "pegasus-host-names")]
    pub host_names: bool,
    /// A table to create at the start unless it exists, as NAME:PARTITIONS; may be repeated
    #[arg(id = "pegasus-table", long = "pegasus-table", value_name = "NAME:PARTITIONS", value_parser = parse_table)]
    pub tables: Vec<(String, i32)>,
    /// An address at which Redis clients use a Pegasus table, as TABLE=IP:PORT; may be repeated
    #[arg(id = "pegasus-redis-listen", long = "pegasus-redis-listen", value_name = "TABLE=ADDRESS", value_parser = parse_proxy)]
    pub proxies: Vec<(String, SocketAddr)>,
    /// The name of the cluster that clients are told
    #[arg(
        id = "pegasus-cluster",
        long = "pegasus-cluster",
        value_name = "NAME",
        default_value = "ferrolith"
    )]
    pub cluster: String,
}

impl PegasusFlags {
    /// Returns what clients are told, when the server listens at `bound`, the addresses with their final ports.
    pub fn admin(&self, bound: &[SocketAddr]) -> AdminOptions {
        let first = bound.iter().take(1).filter_map(|address| match address {
            SocketAddr::V4(address) => Some(*address),
            SocketAddr::V6(_) => None,
        });
        let addresses = match self.advertise.is_empty() {
            true => first.collect(),
            false => self.advertise.clone(),
        };
        AdminOptions { addresses, host_names: self.host_names, cluster: self.cluster.clone() }
    }
}

fn parse_proxy(text: &str) -> Result<(String, SocketAddr), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let proxy = parts.and_then(|(name, address)| Some((name.to_owned(), address.parse().ok()?)));
    proxy.ok_or_else(|| format!("expected TABLE=IP:PORT, found {text:?}"))
}

fn parse_table(text: &str) -> Result<(String, i32), String> {
    let parts = text.rsplit_once(':');
    let table = parts.and_then(|(name, count)| Some((name.to_owned(), count.parse().ok()?)));
    table.ok_or_else(|| format!("expected NAME:PARTITIONS, found {text:?}"))
}
