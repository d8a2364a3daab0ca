//! Flags of the Redis protocol.

use crate::error::{Error, Result};
use crate::redis::encryption;
use crate::redis::parameters::Id;
use crate::redis::server::Settings;
use std::net::SocketAddr;

/// Flags of the Redis protocol.
#[derive(Debug, clap::Args)]
pub struct RedisFlags {
    /// Addresses at which Redis clients are served, separated by commas; an empty list serves none
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',', default_value = "127.0.0.1:6379", num_args = 0..)]
    pub listen: Vec<SocketAddr>,
    /// The number of databases that Redis clients can select
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub databases: u16,
    /// The partitions of database 0 when it is created: a power of two
    #[arg(long = "redis-partitions", value_name = "N", default_value_t = 4)]
    pub partitions: u16,
    /// The password that Redis clients must give; none by default
    #[arg(
        long = "requirepass",
        value_name = "PASSWORD",
        default_value = "",
        hide_default_value = true
    )]
    pub password: String,
    /// Describe this server to Redis clients as a cluster of one node
    #[arg(long = "cluster-enabled")]
    pub is_cluster: bool,
    /// Who may use DEBUG, which can stop a worker for a minute
    #[arg(long = "enable-debug-command", value_name = "WHO", default_value = "no", value_parser = ["no", "local", "yes"])]
    pub debug: String,
    /// The file of users of ACL LOAD and SAVE, relative to --dir. It must exist; an empty file defines no users
    #[arg(
        id = "aclfile",
        long = "aclfile",
        value_name = "FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub users_file: String,
    /// A running Redis whose replica this server is, until REPLICAOF NO ONE; the directory must be empty or its copy
    #[arg(
        long = "replica-of",
        value_name = "HOST:PORT",
        default_value = "",
        hide_default_value = true
    )]
    pub replica_of: String,
    /// A parameter that CONFIG SET may change, and its value at the start; may be repeated. In the file, `parameter` is
    /// a table of names and values
    #[arg(id = "parameter", long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub parameters: Vec<(Id, String)>,
    /// A user, as a name and the rules of ACL SETUSER; may be repeated. Not together with --aclfile
    #[arg(id = "user", long = "user", value_name = "NAME RULES")]
    pub users: Vec<String>,
}

impl RedisFlags {
    /// Returns the settings of a server that listens at `bound` and, with TLS, at `encrypted`, the addresses with their
    /// final ports.
    ///
    /// # Errors
    ///
    /// The number of partitions is not valid.
    pub fn settings(&self, bound: &[SocketAddr], encrypted: &[SocketAddr]) -> Result<Settings> {
        if !(2..=1024).contains(&self.partitions) || !self.partitions.is_power_of_two() {
            return Err(Error::Setting(format!(
                "--redis-partitions: expected a power of two from 2 to 1024, found {}",
                self.partitions
            )));
        }
        if bound.is_empty() && encrypted.is_empty() && !self.replica_of.is_empty() {
            return Err(Error::Setting(
                "--replica-of: expected addresses for Redis clients in --listen or --tls-listen"
                    .to_owned(),
            ));
        }
        Ok(Settings {
            databases: self.databases.into(),
            partitions: self.partitions.into(),
            port: bound.first().map_or(0, SocketAddr::port),
            password: self.password.clone(),
            is_cluster: self.is_cluster,
            debug: self.debug.clone(),
            users_file: self.users_file.clone(),
            users: self.users.clone(),
            replica_of: self.replica_of.clone(),
            parameters: self.parameters.clone(),
            ..Settings::default()
        })
    }
}

/// Flags of their own set these parameters.
const FLAGS: [(&str, &str); 4] = [
    ("requirepass", "--requirepass"),
    ("maxclients", "--max-connections"),
    ("loglevel", "--log-level"),
    ("tls-replication", "--replica-tls"),
];

fn parse_parameter(text: &str) -> std::result::Result<(Id, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let id = Id::find(name.as_bytes()).ok_or_else(|| format!("there is no parameter {name:?}"))?;
    let parameter = id.parameter();
    if let Some((_, flag)) = FLAGS.iter().find(|(name, _)| *name == parameter.name) {
        return Err(format!("{name} is set by {flag}"));
    }
    if let Some((_, flag)) = encryption::FLAGS.iter().find(|(it, _)| *it == id) {
        return Err(format!("{name} is set by --{flag}"));
    }
    if !parameter.is_changeable() {
        return Err(format!("{name} cannot be set: the server has its own flags (--help)"));
    }
    match parameter.kind.parse(value, parameter.default) {
        Ok(value) => Ok((id, value.text)),
        Err(refusal) => Err(format!("{name}: {refusal}")),
    }
}
