//! FCALL and FUNCTION.

use super::eval::{check_flags, check_key_count, is_mode, run_with};
use super::host::ScriptHost;
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::scripts::{library_row, with_engine};
use crate::script::{Libraries, Library, library_name};
use crate::text::glob::{self, Case};
use std::sync::Arc;

/// FCALL and FCALL_RO.
pub(super) fn fcall(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.show_to_monitors(args);
    let name = args.at(1);
    let libraries = context.libraries();
    let library = libraries.of_function(name).map(Arc::clone);
    let Some(library) = library else { return Err("ERR Function not found".into()) };
    let Some(function) = library.function(name) else {
        return Err("ERR Function not found".into());
    };
    let count = args.integer(2).map_err(|_| "ERR Bad number of keys provided")?;
    let keys = check_key_count(args, count)?;
    let is_read_only = check_flags(context, function.flags)?;
    let shown = String::from_utf8_lossy(&function.name);
    run_with(context, args, (&shown, false), is_read_only, |engine, host, reply| {
        let arguments = args.from(3 + keys);
        engine.call(&library, &function.name, args.range(3, 3 + keys), arguments, host, reply);
    })
}

/// FUNCTION LOAD.
pub(super) fn load(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = args.range(2, args.len() - 1);
    if let Some(other) = options.iter().find(|option| !option.eq_ignore_ascii_case(b"replace")) {
        let other = String::from_utf8_lossy(other);
        return Err(format!("ERR Unknown option given: {other}").into());
    }
    let (code, replaces) = (args.at(args.len() - 1), !options.is_empty());
    let name = library_name(code).map_err(error)?;
    let mut libraries = Libraries::clone(&context.libraries());
    if !replaces && libraries.get(&name).is_some() {
        let name = String::from_utf8_lossy(&name);
        return Err(format!("ERR Library '{name}' already exists").into());
    }
    let library = load_library(context, args, code)?;
    libraries.add(library, replaces).map_err(error)?;
    let (partition, key) = library_row(&name);
    context.txn.put(partition, &key, code)?;
    context.replace_libraries(libraries);
    context.out.bulk(&name);
    Ok(())
}

/// Runs the code of a library.
pub(super) fn load_library(
    context: &mut Context<'_>,
    args: Args<'_>,
    code: &[u8],
) -> Done<Library> {
    let server = context.server;
    let mut host = ScriptHost::for_loading(context, args);
    let loaded = with_engine(server, |engine| engine.load(code, &mut host));
    host.finish();
    loaded?.map_err(error)
}

/// Returns a failure whose text has no code yet.
pub(super) fn error(text: String) -> Failure {
    Failure::from(format!("ERR {text}"))
}

/// FUNCTION DELETE.
pub(super) fn delete(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut libraries = Libraries::clone(&context.libraries());
    if !libraries.remove(args.at(2)) {
        return Err("ERR Library not found".into());
    }
    let (partition, key) = library_row(args.at(2));
    context.txn.delete(partition, &key)?;
    context.replace_libraries(libraries);
    context.out.ok();
    Ok(())
}

/// FUNCTION FLUSH.
pub(super) fn flush(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(too_many(args));
    }
    if args.len() == 3 && !is_mode(args) {
        return Err("ERR FUNCTION FLUSH only supports SYNC|ASYNC option".into());
    }
    for library in context.libraries().iter() {
        let (partition, key) = library_row(library.name());
        context.txn.delete(partition, &key)?;
    }
    context.replace_libraries(Libraries::default());
    context.out.ok();
    Ok(())
}

/// Returns the error of too many arguments.
pub(super) fn too_many(args: Args<'_>) -> Failure {
    let name = String::from_utf8_lossy(args.at(1));
    let text = "unknown subcommand or wrong number of arguments for";
    format!("ERR {text} '{name}'. Try FUNCTION HELP.").into()
}

/// FUNCTION LIST.
pub(super) fn list(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut with_code, mut pattern) = (false, None);
    let mut options = args.options(2);
    while let Some(option) = options.next() {
        if !with_code && option.eq_ignore_ascii_case(b"withcode") {
            with_code = true;
        } else if pattern.is_none() && option.eq_ignore_ascii_case(b"libraryname") {
            let given = options.next();
            pattern = Some(given.ok_or("ERR library name argument was not given")?);
        } else {
            let option = String::from_utf8_lossy(option);
            return Err(format!("ERR Unknown argument {option}").into());
        }
    }
    let libraries = context.libraries();
    let is_wanted = |library: &&Arc<Library>| {
        pattern.is_none_or(|pattern| glob::matches(pattern, library.name(), Case::Ignored))
    };
    let wanted: Vec<&Arc<Library>> = libraries.iter().filter(is_wanted).collect();
    context.out.array(wanted.len());
    wanted.into_iter().for_each(|library| reply_library(context, library, with_code));
    Ok(())
}

fn reply_library(context: &mut Context<'_>, library: &Library, with_code: bool) {
    let out = &mut *context.out;
    out.map(if with_code { 4 } else { 3 });
    out.bulk(b"library_name");
    out.bulk(library.name());
    out.bulk(b"engine");
    out.bulk(b"LUA");
    out.bulk(b"functions");
    out.array(library.functions().len());
    for function in library.functions() {
        out.map(3);
        out.bulk(b"name");
        out.bulk(&function.name);
        out.bulk(b"description");
        out.bulk_or_null(function.description.as_deref());
        out.bulk(b"flags");
        out.set(function.flags.names().count());
        function.flags.names().for_each(|name| out.simple(name));
    }
    if with_code {
        out.bulk(b"library_code");
        out.bulk(library.code());
    }
}

/// FUNCTION STATS.
pub(super) fn stats(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let libraries = context.libraries();
    let (server, out) = (context.server, &mut *context.out);
    out.map(2);
    out.bulk(b"running_script");
    match server.scripts.running.longest() {
        None => out.null(),
        Some(running) => {
            out.map(3);
            out.bulk(b"name");
            out.bulk(running.name.as_bytes());
            out.bulk(b"command");
            out.array(running.args.len());
            running.args.iter().for_each(|arg| out.bulk(arg));
            out.bulk(b"duration_ms");
            let us = server.clock.monotonic_us().saturating_sub(running.started_us);
            out.integer((us / 1000) as i64);
        }
    }
    out.bulk(b"engines");
    out.map(1);
    out.bulk(b"LUA");
    out.map(2);
    out.bulk(b"libraries_count");
    out.count(libraries.iter().len());
    out.bulk(b"functions_count");
    out.count(libraries.function_count());
    Ok(())
}

#[cfg(test)]
#[path = "functions_test.rs"]
mod tests;
