//! Commands that operate the server: TIME, SAVE, SHUTDOWN, MONITOR and RESET.

use crate::redis::args::{Args, is};
use crate::redis::command::{
    ADMIN, ALLOW_BUSY, Command, FAST, Flags, Group, IN_SUBSCRIPTION, LOADING, NO_AUTH, NO_MULTI,
    NOSCRIPT, READONLY, STALE,
};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::connection::REDIS_VERSION;
use crate::redis::session::ReplyMode;
use crate::resp::Protocol;
use std::sync::atomic::Ordering;

const ADMIN_FLAGS: Flags = ADMIN.and(NOSCRIPT);
const ANYTIME: Flags = LOADING.and(STALE);
const RESET_FLAGS: Flags =
    NOSCRIPT.and(ANYTIME).and(FAST).and(NO_AUTH).and(ALLOW_BUSY).and(IN_SUBSCRIPTION);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("time", 1, ANYTIME.and(FAST), Group::Server, time)
        .with_docs("2.6.0", "Returns the server's time: seconds since 1970, and microseconds."),
    Command::new("lolwut", -1, READONLY.and(FAST), Group::Server, lolwut)
        .with_docs("5.0.0", "Draws a layer of rock, and returns the version."),
    Command::new("lastsave", 1, ANYTIME.and(FAST), Group::Server, last_save)
        .with_docs("1.0.0", "Returns when SAVE or its like ran last."),
    Command::new("save", 1, ADMIN_FLAGS.and(NO_MULTI), Group::Server, save)
        .with_docs("1.0.0", "Syncs the log, so that all writes survive a crash of the machine."),
    Command::new("bgsave", -1, ADMIN_FLAGS, Group::Server, background_save)
        .with_docs("1.0.0", "Syncs the log, as SAVE does."),
    Command::new("bgrewriteaof", 1, ADMIN_FLAGS, Group::Server, rewrite_log)
        .with_docs("1.0.0", "Syncs the log, as SAVE does: flushes and compactions keep it short."),
    Command::new(
        "shutdown",
        -1,
        ADMIN_FLAGS.and(ANYTIME).and(NO_MULTI).and(ALLOW_BUSY),
        Group::Server,
        shutdown,
    )
    .with_docs("1.0.0", "Stops the server."),
    Command::new("monitor", 1, ADMIN_FLAGS.and(ANYTIME), Group::Server, monitor)
        .with_docs("1.0.0", "Shows the client all commands that the server runs."),
    Command::new("reset", 1, RESET_FLAGS, Group::Connection, reset)
        .with_docs("6.2.0", "Resets the connection to its state at the beginning."),
];

fn time(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let now_us = context.server.clock.wall_us();
    context.out.array(2);
    context.out.bulk_integer((now_us / 1_000_000) as i64);
    context.out.bulk_integer((now_us % 1_000_000) as i64);
    Ok(())
}

fn lolwut(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 2 && args.is(1, "version") {
        args.integer(2)?;
    }
    let strata: [&str; 4] = [
        "▁▁▂▂▃▃▄▄▅▅▆▆▇▇██████",
        "░░▒▒▓▓██▓▓▒▒░░▒▒▓▓██",
        "████████▓▓▓▓▒▒▒▒░░░░",
        "▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔",
    ];
    let text =
        format!("{}\nFerrolith: iron in layers.\nRedis ver. {REDIS_VERSION}\n", strata.join("\n"));
    context.out.verbatim(text.as_bytes());
    Ok(())
}

fn last_save(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.out.integer(context.server.saved_s.load(Ordering::Relaxed) as i64);
    Ok(())
}

/// Syncs the log, and notes the time.
pub(super) fn sync(context: &Context<'_>) -> Done {
    context.server.saved_changes.store(context.server.stats.totals().changes, Ordering::Relaxed);
    context.server.store.sync_now()?;
    context.server.saved_s.store(context.server.clock.wall_ms() / 1000, Ordering::Relaxed);
    Ok(())
}

fn save(context: &mut Context<'_>, _: Args<'_>) -> Done {
    sync(context)?;
    context.out.ok();
    Ok(())
}

fn background_save(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 2 || args.len() == 2 && !args.is(1, "schedule") {
        return Err(SYNTAX.into());
    }
    sync(context)?;
    context.out.simple("Background saving started");
    Ok(())
}

fn rewrite_log(context: &mut Context<'_>, _: Args<'_>) -> Done {
    sync(context)?;
    context.out.simple("Background append only file rewriting started");
    Ok(())
}

fn shutdown(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut saves, mut is_abort) = ((false, false), false);
    for option in args.from(1) {
        match () {
            () if is(option, "save") => saves.0 = true,
            () if is(option, "nosave") => saves.1 = true,
            () if is(option, "now") || is(option, "force") => {}
            () if is(option, "abort") => is_abort = true,
            () => return Err(SYNTAX.into()),
        }
    }
    if saves == (true, true) || is_abort && args.len() > 2 {
        return Err(SYNTAX.into());
    }
    if is_abort {
        return Err("ERR No shutdown in progress.".into());
    }
    if let Some(text) = context.server.scripts.running.busy_text().filter(|_| !saves.1) {
        return Err(text.into());
    }
    context.server.shutdown.notify_one();
    context.session.is_closing = true;
    Ok(())
}

fn monitor(context: &mut Context<'_>, _: Args<'_>) -> Done {
    if context.cause() != Cause::Client {
        return Err("ERR MONITOR isn't allowed for DENY BLOCKING client".into());
    }
    context.session.client.details.lock().is_monitor = true;
    context.server.monitors.add(&context.session.client);
    context.out.ok();
    Ok(())
}

fn reset(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let (server, session) = (context.server, &mut *context.session);
    session.multi = None;
    session.unwatch(server);
    session.unsubscribe_all(server);
    session.end_tracking(server);
    server.monitors.remove(session.client.id);
    session.reply_mode = ReplyMode::On;
    session.protocol = Protocol::Resp2;
    session.client.outbox.set_protocol(Protocol::Resp2);
    server.log_out(session);
    let mut details = session.client.details.lock();
    details.name.clear();
    (details.is_monitor, details.no_evict, details.no_touch) = (false, false, false);
    drop(details);
    context.select(0)?;
    context.out.protocol = Protocol::Resp2;
    context.out.simple("RESET");
    Ok(())
}
