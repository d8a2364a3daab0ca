//! MULTI, EXEC, DISCARD, WATCH and UNWATCH.
//!
//! EXEC takes the latches of all keys of all commands, and of the watched keys, at once; the writes of all commands are
//! one batch. A command that fails has written nothing, since handlers check before they write, so the others' writes
//! are committed, as in Redis. A transaction with a script that runs long begins anew on a thread of its own, still
//! with its watched keys.

use super::acl::Place;
use super::args::Args;
use super::command::{
    ALL_KEYS, ALLOW_BUSY, APART, Command, FAST, Group, LOADING, MAY_REPLICATE, NO_MULTI, NOSCRIPT,
    Run, SKIP_SLOWLOG, STALE, UNDECLARED,
};
use super::context::{Cause, Context, Frame, Held};
use super::execute::{Worker, reply_failure};
use super::failure::{Done, Failure};
use super::keyspec::{RO_META, range};
use super::observe::Source;
use super::rights::late_refusal;
use super::server::Server;
use super::session::{Multi, Queued, Session, Watched};
use super::tracking::is_tracked;
use crate::resp::Reply;
use crate::store::{Guards, Mode};

const FLAGS: super::command::Flags = NOSCRIPT.and(LOADING).and(STALE).and(FAST).and(ALLOW_BUSY);

/// Its commands are in the slow log instead.
const EXEC_FLAGS: super::command::Flags = NOSCRIPT.and(LOADING).and(STALE).and(SKIP_SLOWLOG);

/// The commands of transactions.
pub(super) const COMMANDS: &[Command] = &[
    Command::control("multi", 1, FLAGS, Group::Transactions, multi)
        .with_docs("1.2.0", "Starts a transaction."),
    Command::control("exec", 1, EXEC_FLAGS, Group::Transactions, exec)
        .with_docs("1.2.0", "Executes all commands in a transaction."),
    Command::control("discard", 1, FLAGS, Group::Transactions, discard)
        .with_docs("2.0.0", "Discards a transaction."),
    Command::control("watch", -2, FLAGS, Group::Transactions, watch)
        .with_keys(&[range(1, -1, 1, RO_META)])
        .with_docs(
            "2.2.0",
            "Monitors changes to keys to determine the execution of a transaction.",
        ),
    Command::control("unwatch", 1, FLAGS, Group::Transactions, unwatch)
        .with_docs("2.2.0", "Forgets about watched keys of a transaction."),
];

/// Returns whether a command is run at once between MULTI and EXEC.
pub(super) fn is_control(command: &Command) -> bool {
    matches!(command.name, "multi" | "exec" | "discard" | "watch" | "quit" | "reset")
}

fn multi(
    _: &Server,
    _: &mut Worker,
    session: &mut Session,
    _: &'static Command,
    _: Args<'_>,
    out: &mut Reply,
) -> Done {
    if session.multi.is_some() {
        return Err("ERR MULTI calls can not be nested".into());
    }
    session.multi = Some(Box::new(Multi::default()));
    out.ok();
    Ok(())
}

fn discard(
    server: &Server,
    _: &mut Worker,
    session: &mut Session,
    _: &'static Command,
    _: Args<'_>,
    out: &mut Reply,
) -> Done {
    if session.multi.take().is_none() {
        return Err("ERR DISCARD without MULTI".into());
    }
    session.unwatch(server);
    out.ok();
    Ok(())
}

fn unwatch(
    server: &Server,
    _: &mut Worker,
    session: &mut Session,
    _: &'static Command,
    _: Args<'_>,
    out: &mut Reply,
) -> Done {
    session.unwatch(server);
    out.ok();
    Ok(())
}

fn watch(
    server: &Server,
    worker: &mut Worker,
    session: &mut Session,
    command: &'static Command,
    args: Args<'_>,
    out: &mut Reply,
) -> Done {
    if session.multi.is_some() {
        return Err("ERR WATCH inside MULTI is not allowed".into());
    }
    let database = session.database;
    let keys = args.from(1).iter().map(|key| (database, *key));
    let latches = server.latch(keys, Mode::Shared)?;
    let now_ms = server.now_ms();
    for key in args.from(1) {
        let key = (database, Box::from(*key));
        if session.watched.iter().any(|watched| watched.key == key) {
            continue;
        }
        let was_alive = is_alive(server, worker, session, command, (&key.1, now_ms))?;
        server.watches.add(database, &key.1, &session.mark);
        session.watched.push(Watched { key, was_alive });
    }
    drop(latches);
    out.ok();
    Ok(())
}

/// Returns whether a key of the selected database is there at this time.
fn is_alive(
    server: &Server,
    worker: &mut Worker,
    session: &mut Session,
    command: &'static Command,
    (key, now_ms): (&[u8], u64),
) -> Done<bool> {
    let mut out = Reply::default();
    worker.txn.reset(true);
    let context = context(server, worker, session, command, (&mut out, now_ms))?;
    Ok(context.head(&context.place(key))?.is_some())
}

fn context<'a>(
    server: &'a Server,
    worker: &'a mut Worker,
    session: &'a mut Session,
    command: &'static Command,
    (out, now_ms): (&'a mut Reply, u64),
) -> Done<Context<'a>> {
    let swaps = &worker.effects.swaps;
    let db = match swaps.is_empty() {
        true => worker.databases.get(&server.databases, session.database)?,
        false => server.databases.get_behind(swaps, session.database)?,
    };
    let frame = Frame { db, now_ms, cause: Cause::Multi, held: Held::All, slot: None };
    Ok(Context::new((server, command), worker, session, out, frame))
}

fn exec(
    server: &Server,
    worker: &mut Worker,
    session: &mut Session,
    command: &'static Command,
    _: Args<'_>,
    out: &mut Reply,
) -> Done {
    let Some(multi) = session.multi.take() else { return Err("ERR EXEC without MULTI".into()) };
    if multi.is_dirty {
        session.unwatch(server);
        return Err("EXECABORT Transaction discarded because of previous errors.".into());
    }
    if !worker.is_detached && needs_thread(&multi.commands) {
        session.multi = Some(multi);
        return Err(Failure::NeedsThread);
    }
    let guards = lock(server, session, &multi.commands).map_err(|failure| {
        session.unwatch(server);
        format!("EXECABORT Transaction discarded because of: {}", failure.text())
    })?;
    let now_ms = server.expiry_ms(session);
    let is_stale = session.mark.is_set() || has_expired(server, worker, session, command, now_ms)?;
    if is_stale {
        session.unwatch(server);
        out.null_array();
        return Ok(());
    }
    worker.discard();
    worker.effects.writer = session.client.id;
    let (start, selected) = (out.position(), session.database);
    // The commands of the transaction cannot change what is watched: it may begin anew.
    let watched = (std::mem::take(&mut session.watched), std::mem::take(&mut session.mark));
    let result = run_all(server, worker, session, &multi.commands, (out, now_ms))
        .and_then(|()| server.commit(worker));
    drop(guards);
    (session.watched, session.mark) = watched;
    if let Err(failure) = result {
        out.truncate(start);
        worker.discard();
        session.database = selected;
        match failure {
            Failure::TooLong { .. } => session.multi = Some(multi),
            _ => session.unwatch(server),
        }
        return Err(failure);
    }
    session.unwatch(server);
    server.follow(worker);
    Ok(())
}

/// Commands without keys that can be run twice, because they change only rows, or what the commit changes with them.
/// The database of SELECT is restored.
const REPEATABLE: [&str; 17] = [
    "ping",
    "echo",
    "time",
    "select",
    "dbsize",
    "keys",
    "scan",
    "randomkey",
    "flushdb",
    "flushall",
    "swapdb",
    "lastsave",
    "function|load",
    "function|delete",
    "function|flush",
    "function|restore",
    "function|list",
];

/// Returns whether a transaction begins on a thread of its own: it has a script or another command that may run long,
/// and a command that cannot be run twice, because it changes more than rows.
fn needs_thread(commands: &[Queued]) -> bool {
    let is_script =
        |command: &Command| command.group == Group::Scripting && command.flags.has(UNDECLARED);
    let is_repeatable = |command: &Command| {
        // Messages of PUBLISH are sent after the commit.
        is_script(command)
            || !command.keys.is_empty()
            || command.flags.has(MAY_REPLICATE)
            || REPEATABLE.contains(&command.full_name)
    };
    let may_be_long = |command: &Command| is_script(command) || command.flags.has(APART);
    commands.iter().any(|queued| may_be_long(queued.command))
        && !commands.iter().all(|queued| is_repeatable(queued.command))
}

/// Takes the latches of all keys that commands name or the session watches.
fn lock<'s>(server: &'s Server, session: &Session, commands: &[Queued]) -> Done<Guards<'s>> {
    let mut database = session.database;
    let (mut keys, mut mode, mut needs_all) = (Vec::new(), Mode::Shared, false);
    for queued in commands {
        let args: Vec<&[u8]> = queued.args.iter().map(|arg| &arg[..]).collect();
        let args = Args::new(&args);
        for at in queued.command.key_positions(args) {
            keys.extend(queued.args.get(at).map(|key| (database, &key[..])));
        }
        // Scripts may use keys that they do not declare; EXEC cannot begin anew for them.
        needs_all |= queued.command.flags.has(ALL_KEYS)
            || queued.command.flags.has(UNDECLARED)
            || (queued.command.group == Group::Scripting && queued.command.is_write());
        if queued.command.is_write() {
            mode = Mode::Exclusive;
        }
        if queued.command.name == "select" {
            let index = args.integer(1).ok().and_then(|index| u32::try_from(index).ok());
            database = index.filter(|at| *at < server.databases.count()).unwrap_or(database);
        }
    }
    if needs_all {
        return server.latch_all();
    }
    keys.extend(session.watched.iter().map(|watched| (watched.key.0, &watched.key.1[..])));
    server.latch(keys, mode)
}

/// Returns whether a watched key expired since the client began to watch it.
fn has_expired(
    server: &Server,
    worker: &mut Worker,
    session: &mut Session,
    command: &'static Command,
    now_ms: u64,
) -> Done<bool> {
    let selected = session.database;
    let watched = std::mem::take(&mut session.watched);
    let mut result = Ok(false);
    for watched in watched.iter().filter(|watched| watched.was_alive) {
        session.database = watched.key.0;
        match is_alive(server, worker, session, command, (&watched.key.1, now_ms)) {
            Ok(true) => {}
            other => {
                result = other.map(|_| true);
                break;
            }
        }
    }
    (session.database, session.watched) = (selected, watched);
    result
}

/// Evaluates the commands of a transaction in one batch, all at the same time.
fn run_all(
    server: &Server,
    worker: &mut Worker,
    session: &mut Session,
    commands: &[Queued],
    (out, now_ms): (&mut Reply, u64),
) -> Done {
    out.array(commands.len());
    for queued in commands {
        let args: Vec<&[u8]> = queued.args.iter().map(|arg| &arg[..]).collect();
        let (start, start_us) = (out.position(), worker.now_us);
        let allowed = server.check_rights(session, queued.command, Args::new(&args), Place::Multi);
        let result = match (allowed, queued.command.run) {
            (Err(denied), _) => Err(late_refusal(denied)),
            (Ok(()), Run::Handler(handler)) => {
                let mut context =
                    context(server, worker, session, queued.command, (&mut *out, now_ms))?;
                handler(&mut context, Args::new(&args))
            }
            // The handlers of UNWATCH and its like neither read nor write rows.
            (Ok(()), Run::Control(control)) if !queued.command.flags.has(NO_MULTI) => {
                control(server, worker, session, queued.command, Args::new(&args), out)
            }
            _ => Err("ERR Command not allowed inside a transaction".into()),
        };
        let (args, command) = (Args::new(&args), queued.command);
        let script_reads = std::mem::take(&mut worker.effects.script_reads);
        if session.tracking.is_some() && (script_reads || is_tracked(command)) {
            server.note_reads(session, args, &command.key_positions(args));
        }
        out.protocol = session.protocol;
        server.ended(worker, session, (command, args), (Source::Client, start_us), &result);
        reply_failure(result, start, out)?;
    }
    Ok(())
}
