//! WAIT and WAITAOF: how far writes got.

use crate::redis::args::Args;
use crate::redis::command::{BLOCKING, Command, Group, NOSCRIPT};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::waiters::Timeout;
use crate::text::integer;

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("wait", 3, NOSCRIPT.and(BLOCKING), Group::Generic, wait)
        .with_docs("3.0.0", "Waits for replicas: there are none, so it waits for its whole time."),
    Command::new("waitaof", 4, NOSCRIPT.and(BLOCKING), Group::Generic, wait_aof)
        .with_docs("7.2.0", "Waits until the writes of the connection are on the device."),
];

/// Parses a time in milliseconds; `None` is without end.
fn timeout_ms(text: &[u8]) -> Done<Option<u64>> {
    let time = integer::parse(text).ok_or("ERR timeout is not an integer or out of range")?;
    match u64::try_from(time) {
        Ok(0) => Ok(None),
        Ok(time) => Ok(Some(time)),
        Err(_) => Err("ERR timeout is negative".into()),
    }
}

fn wait(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (replicas, timeout) = (args.integer(1)?, timeout_ms(args.at(2))?);
    if replicas <= 0 {
        context.out.integer(0);
        return Ok(());
    }
    // There are no replicas, so only the end of the time ends this. Waiters are listed by key; a write of the empty
    // key evaluates the command again, to no effect.
    context.block(&[b""], timeout, Timeout::Integer(0));
    Ok(())
}

fn wait_aof(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let local = integer::parse(args.at(1)).filter(|count| (0..=1).contains(count));
    let local = local.ok_or("ERR value is out of range, value must between 0 and 1")?;
    let replicas = args.integer(2)?;
    if replicas < 0 {
        return Err(crate::redis::failure::NOT_POSITIVE.into());
    }
    let timeout = timeout_ms(args.at(3))?;
    if local > 0 {
        context.server.store.sync_now()?;
    }
    if replicas == 0 {
        crate::redis::write_timeout(context.out, Timeout::Pair(local, 0));
        return Ok(());
    }
    context.block(&[b""], timeout, Timeout::Pair(local, 0));
    Ok(())
}
