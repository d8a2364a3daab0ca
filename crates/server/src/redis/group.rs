//! Commands of a pipeline that run as one group: their latches are taken at once, their keys are looked up at once, and
//! what they write is one batch.
//!
//! 1. A group has commands on keys that neither block nor change the connection, nor begin anew on a thread. Its
//!    replies are those of the commands one after the other.
//! 2. A group is more than a pipeline promises: no other client sees a part of it.
//! 3. If its commit fails, all its commands fail.
//! 4. Commands on keys for which clients wait are no members: those clients are served after each command.

use super::acl;
use super::args::Args;
use super::command::{ALL_KEYS, APART, BLOCKING, Command, ONE_ROW, PUBSUB, Run, UNDECLARED};
use super::context::{Cause, Context, Frame, Held};
use super::execute::{Next, Worker, reply_failure};
use super::failure::Done;
use super::keyspec::Positions;
use super::observe::Source;
use super::replica::Mode as Role;
use super::server::Server;
use super::session::{ReplyMode, Session};
use super::table;
use crate::resp::Reply;
use crate::rows::redis::write_meta_key;
use crate::store::{Guards, Mode};
use crate::text::slot;
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

/// The maximum number of commands of a group.
const COMMANDS_MAX: usize = 128;
/// The maximum number of keys of a command of a group.
const KEYS_MAX: usize = 16;

/// A command of a group.
struct Member<'a> {
    command: &'static Command,
    args: Args<'a>,
    keys: Positions,
    /// The first key and its slot.
    first: (&'a [u8], u16),
}

impl Server {
    /// Runs commands that a client sent, until one makes it wait, or the connection is to be closed, or the replies
    /// have `out_max` bytes. Returns how many were run.
    pub fn execute_many(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        requests: &[Args<'_>],
        out: &mut Reply,
        out_max: usize,
    ) -> usize {
        let mut at = 0;
        while let Some(first) = requests.get(at) {
            if self.is_paused(session, *first) {
                break;
            }
            let group = self.group(session, requests.get(at..).unwrap_or_default());
            if group.len() > 1 {
                at += group.len();
                self.run_group(worker, session, &group, out);
            } else {
                at += 1;
                if self.execute(worker, session, *first, out) == Next::Blocked {
                    break;
                }
            }
            if session.is_closing || out.position() >= out_max {
                break;
            }
        }
        at
    }

    /// Returns the first requests, as far as they can be a group.
    fn group<'a>(&self, session: &Session, requests: &[Args<'a>]) -> SmallVec<[Member<'a>; 16]> {
        let mut group = SmallVec::new();
        if requests.len() < 2
            || session.multi.is_some()
            || session.reply_mode != ReplyMode::On
            || !session.is_authenticated
            || session.is_subscriber()
            || session.tracking.is_some()
            || self.replication.mode() != Role::Master
            || self.pause.is_possible()
            || self.is_busy()
        {
            return group;
        }
        for args in requests.iter().take(COMMANDS_MAX) {
            match member(*args) {
                Some(member)
                    if !self.is_awaited(session, &member) && self.is_allowed(session, &member) =>
                {
                    group.push(member);
                }
                _ => break,
            }
        }
        group
    }

    /// Returns whether the client's user may run a command. What it may not is refused, and logged, as a command alone.
    fn is_allowed(&self, session: &Session, member: &Member<'_>) -> bool {
        session.account.is_unlimited()
            || acl::check(&session.account.user(), member.command, member.args).is_ok()
    }

    /// Returns whether clients wait for a key of a command.
    fn is_awaited(&self, session: &Session, member: &Member<'_>) -> bool {
        !self.waiters.is_empty()
            && member.keys.iter().any(|at| {
                let key = (session.database, Box::from(member.args.at(*at)));
                self.waiters.after(&key, 0).is_some()
            })
    }

    fn run_group(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        group: &[Member<'_>],
        out: &mut Reply,
    ) {
        out.protocol = session.protocol;
        session.client.active_us.store(worker.now_us, Ordering::Relaxed);
        let start = out.position();
        let result = self.try_group(worker, session, group, out);
        if let Err(failure) = result {
            worker.discard();
            out.truncate(start);
            group.iter().for_each(|_| out.error(&failure.text()));
        }
        if let Some(last) = group.last() {
            self.show_session(session, last.command);
        }
    }

    fn try_group(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        group: &[Member<'_>],
        out: &mut Reply,
    ) -> Done {
        let guards = self.lock_group(session.database, group)?;
        // Under the latches, since SWAPDB holds all of them.
        let mut db = worker.databases.get(&self.databases, session.database)?;
        // Writes that nobody of the group reads need no overlay.
        worker.txn.reset(!group.iter().all(Member::is_blind));
        worker.effects.clear();
        worker.effects.writer = session.client.id;
        worker.txn.begin_prefetch();
        for member in group.iter().filter(|member| !member.is_blind()) {
            let (key, slot) = member.first;
            let partition = db.partition_of(slot);
            worker.txn.add_prefetch(partition, |out| write_meta_key(slot, key, out));
        }
        worker.txn.prefetch_each_alone()?;
        let now_ms = self.now_ms();
        for Member { command, args, first, .. } in group {
            let Run::Handler(handler) = command.run else { continue };
            let (start, start_us) = (out.position(), worker.now_us);
            let (cause, slot) = (Cause::Multi, Some(*first));
            let frame = Frame { db, now_ms, cause, held: Held::All, slot };
            let mut context = Context::new((self, command), worker, session, out, frame);
            let result = handler(&mut context, *args);
            // Members do not select databases.
            db = context.db;
            self.ended(worker, session, (command, *args), (Source::Client, start_us), &result);
            reply_failure(result, start, out)?;
        }
        self.commit(worker)?;
        drop(guards);
        self.follow(worker);
        Ok(())
    }

    /// Takes the latches of all keys of a group.
    fn lock_group(&self, database: u32, group: &[Member<'_>]) -> Done<Guards<'_>> {
        if group.iter().all(|member| member.command.flags.has(ONE_ROW)) {
            return Ok(Guards::default());
        }
        let writes = group.iter().any(|member| member.command.is_write());
        let mode = if writes { Mode::Exclusive } else { Mode::Shared };
        let keys = group
            .iter()
            .flat_map(|member| member.keys.iter().map(|at| (database, member.args.at(*at))));
        self.latch(keys, mode)
    }
}

impl Member<'_> {
    /// Returns whether the command reads nothing.
    fn is_blind(&self) -> bool {
        self.args.len() == 3 && self.command.name == "set"
    }
}

/// Returns a request as a member of a group, if it can be one.
fn member(args: Args<'_>) -> Option<Member<'_>> {
    let command = table::find(args).ok()?;
    let is_plain = matches!(command.run, Run::Handler(_))
        && !command.flags.has(BLOCKING)
        && !command.flags.has(ALL_KEYS)
        && !command.flags.has(UNDECLARED)
        && !command.flags.has(PUBSUB)
        && !command.flags.has(APART)
        && command.group != super::command::Group::Scripting
        && command.subcommands.is_empty()
        && command.allows(args.len());
    if !is_plain || command.keys.is_empty() {
        return None;
    }
    let keys = command.key_positions(args);
    if keys.len() > KEYS_MAX {
        return None;
    }
    let key = args.at(*keys.first()?);
    Some(Member { command, args, keys, first: (key, slot::of_key(key)) })
}
