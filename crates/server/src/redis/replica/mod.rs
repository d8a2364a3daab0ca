//! This server as a replica of a running Redis, to take over its data.
//!
//! Files in reading order: `position` (what survives a restart), `state` (what commands see), `apply` (commands of the
//! stream), `load` (the copy of all data), `link` (the connection), `receive` (the copy on its way), `role` (what makes
//! the server a replica or a master).
//!
//! One thread owns the connection. It copies all keys of the other server (a full synchronisation), then applies that
//! server's stream of commands.
//!
//! * **RR1** Each commit of the stream has its position in the stream in the same batch. So after a crash the stream
//!   continues exactly behind the last commit: no command is lost or applied twice.
//! * **RR2** While data is incomplete, a row says so, from before the first old key is removed until all are there.
//!   Commands that read or write data are answered with LOADING meanwhile, after a restart too.
//! * **RR3** Nobody but the stream commits rows of Redis databases while the server is a replica: `Server::commit`
//!   checks this under the latches. REPLICAOF holds all latches, so no commit of a former stream follows its reply.
//! * **RR4** For commands of the stream no key has expired: the other server decides, and sends DEL.

mod apply;
mod link;
mod load;
mod position;
mod receive;
mod role;
mod state;

pub use link::run;
pub use position::{Position, Target};
pub(super) use role::replica_of;
pub use state::{LinkState, Mode, Replication, Status};

use super::execute::Worker;
use super::failure::{Done, Failure};
use super::server::Server;

/// Whose rows a thread commits.
#[derive(Clone, Debug, Default)]
pub enum Upstream {
    /// Those of clients.
    #[default]
    None,
    /// Those of the copy of another server's data. The number is that of the role: see [`Replication::generation`].
    Copy(u64, Target),
    /// Those of the stream, up to a position.
    Stream(u64, Position),
}

/// What clients are told whose writes come too late.
const READ_ONLY: &str = "READONLY You can't write against a read only replica.";

impl Server {
    /// Adds the position of the stream to a commit, and refuses commits that do not fit the server's role (RR1, RR3).
    #[inline]
    pub(super) fn admit_commit(&self, worker: &mut Worker) -> Done {
        match &worker.upstream {
            Upstream::None if self.replication.mode() == Mode::Master => Ok(()),
            _ => self.admit_special_commit(worker),
        }
    }

    #[cold]
    fn admit_special_commit(&self, worker: &mut Worker) -> Done {
        let generation = match &worker.upstream {
            Upstream::None if worker.effects.role.is_some() => return Ok(()),
            Upstream::None => return Err(READ_ONLY.into()),
            Upstream::Copy(generation, target) => {
                position::put_loading(&mut worker.txn, target)?;
                *generation
            }
            Upstream::Stream(generation, position) => {
                position::put_position(&mut worker.txn, position)?;
                *generation
            }
        };
        match generation == self.replication.generation() {
            true => Ok(()),
            false => Err(Failure::Ended("ERR the server follows another one now")),
        }
    }
}
