//! CLIENT: the connection itself, and others.

use super::client_list::{kill, list, own_line};
use super::client_tracking::{caching, get_redirection, tracking, tracking_info};
use crate::redis::args::{Args, is};
use crate::redis::clients::Client;
use crate::redis::command::{ADMIN, Command, Flags, Group, LOADING, NOSCRIPT, STALE};
use crate::redis::context::{Context, write_timeout};
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::help::help;
use crate::redis::pause::Paused;
use crate::redis::session::ReplyMode;
use crate::resp::Reply;

const FLAGS: Flags = NOSCRIPT.and(LOADING).and(STALE);
const ADMIN_FLAGS: Flags = FLAGS.and(ADMIN);

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::container("client", Group::Connection, SUBCOMMANDS)
        .with_docs("2.4.0", "Contains the commands about connections.")];

const SUBCOMMANDS: &[Command] = &[
    Command::new("caching", 3, FLAGS, Group::Connection, caching)
        .with_full_name("client|caching")
        .with_docs("6.0.0", "Chooses whether the keys of the next command are tracked."),
    Command::new("getname", 2, FLAGS, Group::Connection, get_name)
        .with_full_name("client|getname")
        .with_docs("2.6.9", "Returns the name of the connection."),
    Command::new("getredir", 2, FLAGS, Group::Connection, get_redirection)
        .with_full_name("client|getredir")
        .with_docs("6.0.0", "Returns which client gets this one's invalidations; -1 means none."),
    Command::new("help", 2, LOADING.and(STALE), Group::Connection, help)
        .with_full_name("client|help")
        .with_docs("5.0.0", "Describes the subcommands."),
    Command::new("id", 2, FLAGS, Group::Connection, id)
        .with_full_name("client|id")
        .with_docs("5.0.0", "Returns the unique number of the connection."),
    Command::new("info", 2, FLAGS, Group::Connection, info)
        .with_full_name("client|info")
        .with_docs("6.2.0", "Describes the connection."),
    Command::new("kill", -3, ADMIN_FLAGS, Group::Connection, kill)
        .with_full_name("client|kill")
        .with_docs("2.4.0", "Closes connections."),
    Command::new("list", -2, ADMIN_FLAGS, Group::Connection, list)
        .with_full_name("client|list")
        .with_docs("2.4.0", "Describes connections."),
    Command::new("no-evict", 3, ADMIN_FLAGS, Group::Connection, no_evict)
        .with_full_name("client|no-evict")
        .with_docs("7.0.0", "Marks the connection as one that is not closed to save memory."),
    Command::new("no-touch", 3, FLAGS, Group::Connection, no_touch)
        .with_full_name("client|no-touch")
        .with_docs("7.2.0", "Marks the connection as one that does not count as a user of keys."),
    Command::new("pause", -3, ADMIN_FLAGS, Group::Connection, pause)
        .with_full_name("client|pause")
        .with_docs("2.9.50", "Delays the commands of all clients for some time."),
    Command::new("reply", 3, FLAGS, Group::Connection, reply)
        .with_full_name("client|reply")
        .with_docs("3.2.0", "Chooses which replies the connection gets."),
    Command::new("setinfo", 4, FLAGS, Group::Connection, set_info)
        .with_full_name("client|setinfo")
        .with_docs("7.2.0", "Sets the name or version of the client's library."),
    Command::new("setname", 3, FLAGS, Group::Connection, set_name)
        .with_full_name("client|setname")
        .with_docs("2.6.9", "Sets the name of the connection."),
    Command::new("tracking", -3, FLAGS, Group::Connection, tracking)
        .with_full_name("client|tracking")
        .with_docs(
            "6.0.0",
            "Switches messages about changes of keys that the client caches on or off.",
        ),
    Command::new("trackinginfo", 2, FLAGS, Group::Connection, tracking_info)
        .with_full_name("client|trackinginfo")
        .with_docs("6.2.0", "Describes the tracking of keys."),
    Command::new("unblock", -3, ADMIN_FLAGS, Group::Connection, unblock)
        .with_full_name("client|unblock")
        .with_docs("5.0.0", "Ends the wait of another client."),
    Command::new("unpause", 2, ADMIN_FLAGS, Group::Connection, unpause)
        .with_full_name("client|unpause")
        .with_docs("6.2.0", "Ends the effect of CLIENT PAUSE."),
];

fn id(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.out.integer(context.session.client.id as i64);
    Ok(())
}

fn info(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let line = own_line(context, args);
    context.out.verbatim(line.as_bytes());
    Ok(())
}

fn get_name(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let name = context.session.client.details.lock().name.clone();
    context.out.bulk_or_null((!name.is_empty()).then_some(&name));
    Ok(())
}

/// Returns whether bytes can be shown in a line of CLIENT LIST.
fn is_plain(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_graphic)
}

fn set_name(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.session.client.set_name(args.at(2))?;
    context.out.ok();
    Ok(())
}

fn set_info(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (attribute, value) = (args.at(2), args.at(3));
    let is_name = is(attribute, "lib-name");
    let shown = String::from_utf8_lossy(attribute);
    if !is_name && !is(attribute, "lib-ver") {
        return Err(format!("ERR Unrecognized option '{shown}'").into());
    }
    if !is_plain(value) {
        return Err(
            format!("ERR {shown} cannot contain spaces, newlines or special characters.").into()
        );
    }
    let mut details = context.session.client.details.lock();
    match is_name {
        true => details.library = value.to_vec(),
        false => details.library_version = value.to_vec(),
    }
    drop(details);
    context.out.ok();
    Ok(())
}

impl Client {
    /// Sets the name.
    ///
    /// # Errors
    ///
    /// It has spaces or other characters that do not fit in a line of CLIENT LIST.
    pub(in crate::redis) fn set_name(&self, name: &[u8]) -> Done {
        if !is_plain(name) {
            return Err(
                "ERR Client names cannot contain spaces, newlines or special characters.".into()
            );
        }
        self.details.lock().name = name.to_vec();
        Ok(())
    }
}

/// Returns whether an argument is `on` and not `off`.
pub(super) fn is_on(argument: &[u8]) -> Done<bool> {
    match () {
        () if is(argument, "on") => Ok(true),
        () if is(argument, "off") => Ok(false),
        () => Err(SYNTAX.into()),
    }
}

fn no_evict(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.session.client.details.lock().no_evict = is_on(args.at(2))?;
    context.out.ok();
    Ok(())
}

fn no_touch(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.session.client.details.lock().no_touch = is_on(args.at(2))?;
    context.out.ok();
    Ok(())
}

fn reply(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.is(2, "on") {
        context.session.reply_mode = ReplyMode::On;
        context.out.ok();
    } else if args.is(2, "off") {
        context.session.reply_mode = ReplyMode::Off;
    } else if args.is(2, "skip") {
        if context.session.reply_mode != ReplyMode::Off {
            context.session.reply_mode = ReplyMode::SkipNext;
        }
    } else {
        return Err(SYNTAX.into());
    }
    Ok(())
}

fn pause(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 4 {
        return Err(super::syntax_of("client", args));
    }
    let which = match args.get(3) {
        None => Paused::All,
        Some(mode) if is(mode, "all") => Paused::All,
        Some(mode) if is(mode, "write") => Paused::Writes,
        Some(_) => return Err("ERR CLIENT PAUSE mode must be WRITE or ALL".into()),
    };
    let ms = args.integer(2).map_err(|_| "ERR timeout is not an integer or out of range")?;
    let ms = u64::try_from(ms).map_err(|_| "ERR timeout is negative")?;
    let now_ms = context.server.clock.monotonic_us() / 1000;
    let until_ms = now_ms.checked_add(ms).filter(|until| *until < i64::MAX as u64);
    let until_ms = until_ms.ok_or("ERR timeout is out of range")?;
    context.server.pause.begin(which, until_ms);
    context.out.ok();
    Ok(())
}

fn unpause(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.server.pause.end();
    context.out.ok();
    Ok(())
}

fn unblock(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let is_error = match args.get(3) {
        None => false,
        Some(reason) if is(reason, "timeout") => false,
        Some(reason) if is(reason, "error") => true,
        Some(_) => return Err("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR".into()),
    };
    if args.len() > 4 {
        return Err(super::syntax_of("client", args));
    }
    let id = args.integer(2)?;
    let waiter = u64::try_from(id).ok().and_then(|id| context.server.waiters.of_client(id));
    let error = is_error.then_some("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    let is_unblocked = waiter.is_some_and(|waiter| {
        let mut out = Reply::new(waiter.protocol);
        match error {
            Some(text) => out.error(text),
            None => write_timeout(&mut out, waiter.timeout),
        }
        let is_answered = waiter.answer(out.take());
        if is_answered {
            context.server.waiter_unblocked(context.stats, waiter.command, error);
        }
        is_answered
    });
    context.out.integer(is_unblocked.into());
    Ok(())
}
