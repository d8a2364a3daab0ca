//! Changes of the role: REPLICAOF, the state at the start, and what clients may do at a replica.

use super::position::{Position, Saved, Target, put_loading, put_promoted, put_waiting, saved};
use super::state::Mode;
use super::{READ_ONLY, Upstream};
use crate::error::{Error, Result};
use crate::redis::args::Args;
use crate::redis::command::{Command, LOADING};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::server::Server;
use crate::redis::session::Session;
use crate::resp::Reply;
use crate::rows::redis::META;
use crate::store::Range;

/// What blocked clients are told when the server becomes a replica.
const UNBLOCKED: &str = "UNBLOCKED force unblock from blocking operation, instance state changed \
                         (master -> replica?)";
/// What clients are told while data is copied.
const IS_LOADING: &str = "LOADING Redis is loading the dataset in memory";

impl Server {
    /// Takes up the role that the store and the settings say. Call it before the first client connects.
    ///
    /// # Errors
    ///
    /// The store failed, or the setting would replace data that no replica wrote.
    pub fn open_role(&self) -> Result<()> {
        let wanted = match self.settings.replica_of.as_str() {
            "" => None,
            text => Some(Target::parse(text)?),
        };
        let (mode, target, position) = match (saved(&*self.store)?, wanted) {
            (Saved::Never | Saved::Promoted(_), None) => return Ok(()),
            (Saved::Waiting(target), None) => (Mode::Replica, target, None),
            (Saved::Loading(target), None) => (Mode::Loading, target, None),
            (Saved::At(position), None) => (Mode::Replica, position.target.clone(), Some(position)),
            (Saved::At(position), Some(wanted)) if wanted == position.target => {
                (Mode::Replica, wanted, Some(position))
            }
            // A copy of another server is as replaceable as an incomplete one.
            (Saved::Loading(_), Some(wanted)) => (Mode::Loading, wanted, None),
            (Saved::Waiting(_) | Saved::At(_), Some(wanted)) => (Mode::Replica, wanted, None),
            (Saved::Promoted(old), Some(_)) => {
                return Err(Error::Setting(format!(
                    "--replica-of: REPLICAOF NO ONE made this server a master after it had copied \
                     {old}, and another copy would remove what was written since; remove the flag, \
                     or send REPLICAOF to the running server"
                )));
            }
            (Saved::Never, Some(wanted)) => {
                if self.has_keys()? {
                    return Err(Error::Setting(format!(
                        "--replica-of: the directory has keys, which a copy of {wanted} would \
                         remove; choose an empty directory, or send REPLICAOF to the running server"
                    )));
                }
                (Mode::Replica, wanted, None)
            }
        };
        self.replication.set_role(mode, Some(target), position);
        Ok(())
    }

    /// Checks whether a directory whose server is stopped may be read, or also be written.
    ///
    /// # Errors
    ///
    /// Its data is incomplete, or that of a replica and is to be written.
    pub fn check_role(&self, writes: bool) -> Result<()> {
        match saved(&*self.store)? {
            Saved::Loading(target) => Err(Error::Setting(format!(
                "the directory has an incomplete copy of {target}: start its server until the \
                 copy is complete"
            ))),
            Saved::Waiting(target) | Saved::At(Position { target, .. }) if writes => {
                Err(Error::Setting(format!(
                    "the directory is that of a replica of {target}, which alone may write: \
                     start its server and send REPLICAOF NO ONE first"
                )))
            }
            _ => Ok(()),
        }
    }

    fn has_keys(&self) -> Result<bool> {
        for database in (0..self.databases.count()).filter_map(|at| self.databases.existing(at)) {
            for partition in database.partitions() {
                let mut cursor = self.store.cursor(*partition, &Range::prefix(&[META]), None)?;
                cursor.seek_to_end(false);
                if cursor.item().is_some() {
                    return Ok(true);
                }
                cursor.status()?;
            }
        }
        Ok(false)
    }

    /// Checks whether a client may use a command while the server is a replica.
    #[cold]
    pub(in crate::redis) fn admit_at_replica(&self, session: &Session, command: &Command) -> Done {
        // REPLICAOF ends a copy that cannot be completed.
        let ends_copy = matches!(command.name, "replicaof" | "slaveof");
        if self.replication.mode() == Mode::Loading && !command.flags.has(LOADING) && !ends_copy {
            return Err(IS_LOADING.into());
        }
        let queued = session.multi.as_ref().filter(|_| command.name == "exec");
        let writes = command.is_write()
            || queued.is_some_and(|multi| multi.commands.iter().any(|it| it.command.is_write()));
        if writes { Err(READ_ONLY.into()) } else { Ok(()) }
    }

    /// Returns the error of a write by a script at a replica.
    pub(in crate::redis) fn check_script_write(
        &self,
        session: &Session,
    ) -> std::result::Result<(), &'static str> {
        match self.replication.mode() == Mode::Master || session.upstream.is_some() {
            true => Ok(()),
            false => Err(READ_ONLY),
        }
    }
}

/// REPLICAOF and SLAVEOF. All latches are held.
pub(in crate::redis) fn replica_of(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let server = context.server;
    if server.is_cluster() {
        return Err("ERR REPLICAOF not allowed in cluster mode.".into());
    }
    let (present_mode, present) = role_behind(context);
    if args.is(1, "no") && args.is(2, "one") {
        if let Some(target) = present {
            become_master(context, (present_mode, &target))?;
        }
        context.out.ok();
        return Ok(());
    }
    let text = |at| std::str::from_utf8(args.at(at)).unwrap_or_default();
    let Some(target) = Target::new(text(1), text(2)) else {
        return Err("ERR Invalid master port".into());
    };
    if present.as_ref() == Some(&target) {
        context.out.simple("OK Already connected to specified master");
        return Ok(());
    }
    // An incomplete copy stays one until the next is complete.
    let mode = match present_mode {
        Mode::Loading => {
            put_loading(context.txn, &target)?;
            Mode::Loading
        }
        Mode::Master | Mode::Replica => {
            put_waiting(context.txn, &target)?;
            Mode::Replica
        }
    };
    context.effects.role = Some(Box::new((mode, Some(target))));
    context.out.ok();
    Ok(())
}

/// Returns the role that the server has behind the commands of the transaction so far.
fn role_behind(context: &Context<'_>) -> (Mode, Option<Target>) {
    match &context.effects.role {
        Some(role) => (**role).clone(),
        None => {
            let replication = &context.server.replication;
            (replication.mode(), replication.status().target)
        }
    }
}

/// Ends the replication. What an incomplete copy has so far is removed, as Redis does.
fn become_master(context: &mut Context<'_>, (mode, target): (Mode, &Target)) -> Done {
    if mode == Mode::Loading {
        crate::redis::families::keyspace::empty_all(context)?;
    }
    put_promoted(context.txn, target)?;
    context.effects.role = Some(Box::new((Mode::Master, None)));
    Ok(())
}

impl Server {
    /// Takes up the role of a REPLICAOF whose row is committed. All latches are held.
    #[cold]
    pub(in crate::redis) fn take_role(&self, (mode, target): (Mode, Option<Target>)) {
        let is_replica = target.is_some();
        self.replication.set_role(mode, target, None);
        if is_replica {
            unblock_all(self);
        }
    }
}

fn unblock_all(server: &Server) {
    for client in server.clients.list() {
        if let Some(waiter) = server.waiters.of_client(client.id) {
            let mut out = Reply::new(waiter.protocol);
            out.error(UNBLOCKED);
            waiter.answer(out.take());
        }
    }
}

impl Upstream {
    /// Returns whether the rows are not those of clients.
    pub fn is_some(&self) -> bool {
        !matches!(self, Upstream::None)
    }
}
