//! Commands for administrators, and those that describe the server.

pub(in crate::redis) mod acl;
mod acl_users;
pub(in crate::redis) mod backup;
pub(in crate::redis) mod client;
pub(in crate::redis) mod client_list;
mod client_tracking;
pub(in crate::redis) mod cluster;
pub(in crate::redis) mod config;
pub(in crate::redis) mod debug;
pub(in crate::redis) mod describe;
pub(in crate::redis) mod info;
mod keyspace;
mod load;
pub(in crate::redis) mod logs;
pub(in crate::redis) mod memory;
pub(in crate::redis) mod operations;
pub(crate) mod process;
pub(in crate::redis) mod replication;
mod spark;
mod tips;

use crate::redis::args::Args;
use crate::redis::failure::Failure;

/// Returns the error of a subcommand whose arguments it does not take.
fn syntax_of(container: &str, args: Args<'_>) -> Failure {
    let shown = String::from_utf8_lossy(args.at(1));
    format!(
        "ERR unknown subcommand or wrong number of arguments for '{shown}'. Try {} HELP.",
        container.to_uppercase()
    )
    .into()
}
