//! All flags of `ferrolith-server`. They are also the schema of its configuration file.

use super::environment::Variables;
use super::file::{Gathered, gather, print};
use super::{LogFlags, PegasusFlags, RedisFlags, ReplicaTlsFlags, TlsFlags};
use crate::error::Result;
use crate::store::Durability;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serves Redis and Pegasus clients from a directory.
#[derive(Debug, Parser)]
#[command(
    name = "ferrolith-server",
    version,
    after_help = "Each flag is also a key of the configuration file, and a variable of the environment: \
        FERROLITH_SERVER_MEMORY_MB stands for --memory-mb.\n\
        The subcommands `import` and `export` move data from and to files of Redis: see their --help."
)]
pub struct Flags {
    /// A file of settings in TOML: the names of flags and their values. Flags override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print all settings in force, as a configuration file, and exit
    #[arg(long = "print-config")]
    pub print_config: bool,
    /// The directory of the data
    #[arg(long, default_value = "ferrolith-data")]
    pub dir: PathBuf,
    /// Directories and addresses of object stores (s3://BUCKET/PREFIX, gs:, az:) in which clients may create backups,
    /// separated by commas; none by default. Directories are created if they do not exist
    #[arg(long = "backup-dir", value_name = "DIRS", value_delimiter = ',')]
    pub backup_dirs: Vec<PathBuf>,
    /// A file in TOML with credentials and settings of the object stores in --backup-dir, such as aws_access_key_id;
    /// without, the variables of the environment are used
    #[arg(long = "backup-credentials", value_name = "FILE")]
    pub backup_credentials: Option<PathBuf>,
    /// Directories from which clients may load files into Pegasus tables, separated by commas; none by default. They
    /// must exist
    #[arg(long = "load-dir", value_name = "DIRS", value_delimiter = ',')]
    pub load_dirs: Vec<PathBuf>,
    /// The file of the audit log, which gets a line of JSON for each administrative call; none by default. SIGHUP opens
    /// it anew
    #[arg(long = "audit-log", value_name = "FILE")]
    pub audit_log: Option<PathBuf>,
    /// The flags of the log.
    #[command(flatten)]
    pub logs: LogFlags,
    /// When writes reach the device: always (before the reply), every:MS, or os
    #[arg(long, default_value = "every:1000")]
    pub durability: Durability,
    /// Megabytes for cached rows (a quarter), cached blocks and memtables together
    #[arg(long = "memory-mb", default_value_t = Flags::MEMORY_MB)]
    pub memory_mb: usize,
    /// Threads that serve connections
    #[arg(long, default_value_t = 2)]
    pub workers: usize,
    /// The maximum number of connections; further ones are closed
    #[arg(long = "max-connections", default_value_t = Flags::CONNECTIONS_MAX)]
    pub connections_max: usize,
    /// Addresses at which the web page, its API, /metrics and /health are served over HTTP, separated by commas; none
    /// by default
    #[arg(long = "http-listen", value_name = "ADDRESSES", value_delimiter = ',')]
    pub http_listen: Vec<SocketAddr>,
    /// A name of this host that browsers may use for the web page, besides localhost and addresses; may be repeated
    #[arg(id = "http-host", long = "http-host", value_name = "NAME")]
    pub http_hosts: Vec<String>,
    /// The flags of the Redis protocol.
    #[command(flatten)]
    pub redis: RedisFlags,
    /// The flags of the Pegasus protocol.
    #[command(flatten)]
    pub pegasus: PegasusFlags,
    /// The flags of TLS.
    #[command(flatten)]
    pub tls: TlsFlags,
    /// The flags of TLS to a server that this one follows.
    #[command(flatten)]
    pub replica_tls: ReplicaTlsFlags,
}

impl Flags {
    /// The default of `--memory-mb`.
    pub const MEMORY_MB: usize = 512;
    /// The default of `--max-connections`.
    pub const CONNECTIONS_MAX: usize = 10_000;
    /// The flushes and compactions that run at once.
    pub const BACKGROUND_JOBS: i32 = 2;

    /// Returns the flags of a program's arguments, the first of which is its name, of the variables of its environment,
    /// and of the configuration file that these name. Wrong arguments and `--help` end the process.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or there is no such setting.
    pub fn load(args: Vec<OsString>) -> Result<Flags> {
        Flags::load_with(args, &Variables::of_process()).map(|(flags, _)| flags)
    }

    /// As [`load`](Flags::load) with these variables. Returns the arguments, too.
    ///
    /// # Errors
    ///
    /// As [`load`](Flags::load).
    pub fn load_with(args: Vec<OsString>, variables: &Variables) -> Result<(Flags, Gathered)> {
        let gathered = gather(&Flags::command(), args, variables)?;
        Ok((Flags::parse_from(&gathered.args), gathered))
    }

    /// Returns whether Pegasus clients, or Redis clients of a Pegasus table, are served.
    pub fn pegasus_is_on(&self) -> bool {
        let pegasus = &self.pegasus;
        let counts = [pegasus.listen.len(), self.tls.pegasus_listen.len(), pegasus.proxies.len()];
        counts.iter().any(|count| *count > 0)
    }

    /// Returns the settings that the same arguments and their file set, as a configuration file.
    ///
    /// # Errors
    ///
    /// As [`load`](Flags::load).
    pub fn print(args: Vec<OsString>) -> Result<String> {
        let command = Flags::command();
        let args = gather(&command, args, &Variables::of_process())?.args;
        Ok(print(&command, args))
    }
}

#[cfg(test)]
#[path = "flags_test.rs"]
mod tests;
