//! EVAL, EVALSHA and SCRIPT.

use super::host::ScriptHost;
use crate::redis::args::Args;
use crate::redis::command::READONLY;
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::scripts::with_engine;
use crate::resp::Reply;
use crate::script::{Engine, Flags, Script, sha1_hex};
use std::sync::Arc;

const NO_SCRIPT: &str = "NOSCRIPT No matching script. Please use EVAL.";

/// EVAL and EVAL_RO.
pub(super) fn eval(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.show_to_monitors(args);
    let keys = check_key_count(args, args.integer(2)?)?;
    let source = args.at(1);
    let script = match context.server.scripts.cache.get(sha1_hex(source).as_bytes()) {
        Some(script) => script,
        None => add(context, source)?,
    };
    run(context, args, &script, keys)
}

/// EVALSHA and EVALSHA_RO.
pub(super) fn evalsha(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.show_to_monitors(args);
    let Some(script) = context.server.scripts.cache.get(args.at(1)) else {
        return Err(NO_SCRIPT.into());
    };
    let keys = check_key_count(args, args.integer(2)?)?;
    run(context, args, &script, keys)
}

/// Returns how many keys follow the third argument.
pub(super) fn check_key_count(args: Args<'_>, count: i64) -> Done<usize> {
    let left = args.len().saturating_sub(3);
    match usize::try_from(count) {
        Ok(count) if count > left => {
            Err("ERR Number of keys can't be greater than number of args".into())
        }
        Ok(count) => Ok(count),
        Err(_) => Err("ERR Number of keys can't be negative".into()),
    }
}

/// Compiles a script and adds it to the cache.
fn add(context: &Context<'_>, source: &[u8]) -> Done<Arc<Script>> {
    let error = |text: String| Failure::from(format!("ERR {text}"));
    let script = Arc::new(Script::new(source).map_err(error)?);
    with_engine(context.server, |engine| engine.compile(&script))?.map_err(error)?;
    context.server.scripts.cache.add(script.clone());
    Ok(script)
}

fn run(context: &mut Context<'_>, args: Args<'_>, script: &Script, keys: usize) -> Done {
    let is_read_only = check_flags(context, script.flags())?;
    run_with(context, args, (script.sha(), true), is_read_only, |engine, host, reply| {
        engine.eval(script, args.range(3, 3 + keys), args.from(3 + keys), host, reply);
    })
}

/// Returns whether a script with these flags may only read. Fails if it may not run.
pub(super) fn check_flags(context: &Context<'_>, flags: Flags) -> Done<bool> {
    let is_reading = context.command.flags.has(READONLY);
    if flags.contains(Flags::COMPATIBLE) {
        return Ok(is_reading);
    }
    if context.server.settings.is_cluster && flags.contains(Flags::NO_CLUSTER) {
        return Err("ERR Can not run script on cluster, 'no-cluster' flag is set.".into());
    }
    if is_reading && !flags.contains(Flags::NO_WRITES) {
        return Err("ERR Can not execute a script with write flag using *_ro command.".into());
    }
    if !flags.contains(Flags::NO_WRITES)
        && context.server.check_script_write(context.session).is_err()
    {
        return Err("READONLY Can not run script with write flag on readonly replica.".into());
    }
    Ok(is_reading || flags.contains(Flags::NO_WRITES))
}

/// Runs a script or function and appends its reply. The database that the client selected stays selected.
pub(super) fn run_with(
    context: &mut Context<'_>,
    args: Args<'_>,
    name: (&str, bool),
    is_read_only: bool,
    work: impl FnOnce(&mut Engine, &mut ScriptHost<'_, '_>, &mut Reply),
) -> Done {
    let (server, database) = (context.server, context.session.database);
    let mut reply = std::mem::take(context.out);
    let start = reply.position();
    let mut host = ScriptHost::new(context, args, name, is_read_only);
    let ran = with_engine(server, |engine| {
        work(engine, &mut host, &mut reply);
        engine.is_error_of_command()
    });
    let failure = host.finish();
    let text = error_text(reply.bytes().get(start..).unwrap_or_default());
    *context.out = reply;
    if context.session.database != database {
        context.select(database)?;
    }
    let is_counted = ran?;
    match (failure, text) {
        (Some(failure), _) => Err(failure),
        (None, Some(text)) => Err(Failure::Kept { text, is_counted }),
        (None, None) => Ok(()),
    }
}

/// Returns the text of a reply that is an error.
fn error_text(reply: &[u8]) -> Option<String> {
    let line = reply.strip_prefix(b"-")?.trim_ascii_end();
    Some(String::from_utf8_lossy(line).into_owned())
}

/// SCRIPT LOAD.
pub(super) fn load(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let script = add(context, args.at(2))?;
    context.out.bulk(script.sha().as_bytes());
    Ok(())
}

/// SCRIPT EXISTS.
pub(super) fn exists(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let shas = args.from(2);
    context.out.array(shas.len());
    for sha in shas {
        let is_lower = !sha.iter().any(u8::is_ascii_uppercase);
        let found = is_lower && context.server.scripts.cache.get(sha).is_some();
        context.out.integer(found.into());
    }
    Ok(())
}

/// SCRIPT FLUSH.
pub(super) fn flush(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let is_known = args.len() == 2 || (args.len() == 3 && is_mode(args));
    if !is_known {
        return Err("ERR SCRIPT FLUSH only support SYNC|ASYNC option".into());
    }
    context.server.scripts.cache.flush();
    context.out.ok();
    Ok(())
}

/// Returns whether the third argument says when memory is freed. It is always freed by each worker at its next run.
pub(super) fn is_mode(args: Args<'_>) -> bool {
    args.is(2, "sync") || args.is(2, "async")
}

/// SCRIPT KILL and FUNCTION KILL.
pub(super) fn kill(context: &mut Context<'_>, is_eval: bool) -> Done {
    context.server.scripts.running.kill(is_eval)?;
    context.out.ok();
    Ok(())
}

/// SCRIPT DEBUG.
pub(super) fn debug(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.is(2, "no") {
        context.out.ok();
        return Ok(());
    }
    if args.is(2, "yes") || args.is(2, "sync") {
        return Err("ERR SCRIPT DEBUG YES and SYNC are not supported: there is no debugger".into());
    }
    Err("ERR Use SCRIPT DEBUG YES/SYNC/NO".into())
}
