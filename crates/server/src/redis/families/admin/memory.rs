//! MEMORY and MODULE.

use super::info::human;
use super::process::Memory;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::command::{ADMIN, Command, Group, LOADING, NONE, NOSCRIPT, READONLY, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::help::help;
use crate::redis::keyspec::{RO_META, one};
use crate::redis::values::Coll;
use crate::rows::redis::{Collection, DATA, GROUP, SCORE};

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::container("memory", Group::Server, MEMORY)
        .with_docs("4.0.0", "Contains the commands about memory."),
    Command::container("module", Group::Server, MODULE)
        .with_docs("4.0.0", "Contains the commands about modules, of which there are none."),
];

const MEMORY: &[Command] = &[
    Command::new("doctor", 2, NONE, Group::Server, doctor)
        .with_full_name("memory|doctor")
        .with_docs("4.0.0", "Describes the use of memory."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("memory|help")
        .with_docs("4.0.0", "Describes the subcommands."),
    Command::new("malloc-stats", 2, NONE, Group::Server, |context, _| {
        context.out.bulk(b"Stats not supported for the current allocator");
        Ok(())
    })
    .with_full_name("memory|malloc-stats")
    .with_docs("4.0.0", "Says that the allocator has no statistics."),
    Command::new("purge", 2, NONE, Group::Server, |context, _| {
        context.out.ok();
        Ok(())
    })
    .with_full_name("memory|purge")
    .with_docs("4.0.0", "Does nothing: the allocator returns memory by itself."),
    Command::new("stats", 2, NONE, Group::Server, stats)
        .with_full_name("memory|stats")
        .with_docs("4.0.0", "Returns numbers about the use of memory."),
    Command::new("usage", -3, READONLY, Group::Server, usage)
        .with_full_name("memory|usage")
        .with_keys(&[one(2, RO_META)])
        .with_docs("4.0.0", "Estimates the bytes of a key's rows."),
];

const MODULE: &[Command] = &[
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("module|help")
        .with_docs("5.0.0", "Describes the subcommands."),
    Command::new("list", 2, ADMIN.and(NOSCRIPT), Group::Server, |context, _| {
        context.out.array(0);
        Ok(())
    })
    .with_full_name("module|list")
    .with_docs("4.0.0", "Returns no modules."),
    Command::new("load", -3, ADMIN.and(NOSCRIPT), Group::Server, refuse_module)
        .with_full_name("module|load")
        .with_docs("4.0.0", "Fails: there are no modules."),
    Command::new("loadex", -3, ADMIN.and(NOSCRIPT), Group::Server, refuse_module)
        .with_full_name("module|loadex")
        .with_docs("7.0.0", "Fails: there are no modules."),
    Command::new("unload", 3, ADMIN.and(NOSCRIPT), Group::Server, refuse_module)
        .with_full_name("module|unload")
        .with_docs("4.0.0", "Fails: there are no modules."),
];

/// The elements that MEMORY USAGE measures by default.
const SAMPLES: usize = 5;

fn refuse_module(_: &mut Context<'_>, _: Args<'_>) -> Done {
    Err("ERR modules are not supported: they are libraries in C".into())
}

fn usage(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut samples = SAMPLES;
    let mut options = args.options(3);
    while let Some(word) = options.next() {
        if !is(word, "samples") {
            return Err(SYNTAX.into());
        }
        let count = parse_integer(options.value()?)?;
        samples = usize::try_from(count).map_err(|_| SYNTAX)?;
    }
    // All of them.
    samples = if samples == 0 { usize::MAX } else { samples };
    let place = context.place(args.at(2));
    let found = context.meta(&place, |head, body| {
        (body.len(), Collection::parse(head, body).filter(|_| body.len() >= 8))
    })?;
    let Some((body, collection)) = found else {
        context.out.null();
        return Ok(());
    };
    let mut bytes = place.meta().len() + body;
    if let Some(row) = collection {
        let collection = Coll { place, row, is_stored: true };
        for kind in [DATA, SCORE, GROUP] {
            bytes += sample(context, &collection, kind, samples)?;
        }
    }
    context.out.count(bytes);
    Ok(())
}

/// Estimates the bytes of a collection's rows of a kind from some of them.
fn sample(context: &Context<'_>, collection: &Coll<'_>, kind: u8, samples: usize) -> Done<usize> {
    let mut rows = context.sub_rows(collection, kind)?;
    let (mut bytes, mut count) = (0, 0);
    let mut item = rows.first()?;
    while let Some((row, value)) = item {
        if count == samples {
            let all = usize::try_from(collection.row.count).unwrap_or(usize::MAX);
            return Ok((bytes / count.max(1)).saturating_mul(all.max(count)));
        }
        (bytes, count) = (bytes + row.len() + value.len(), count + 1);
        item = rows.next()?;
    }
    Ok(bytes)
}

fn stats(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let memory = Memory::now(context.server);
    let mut keys = 0;
    for database in context.existing_databases() {
        keys += super::keyspace::count(context, &database)?.keys;
    }
    let numbers = [
        ("peak.allocated", memory.peak),
        ("total.allocated", memory.used),
        ("startup.allocated", 0),
        ("replication.backlog", 0),
        ("clients.slaves", 0),
        ("clients.normal", 0),
        ("cluster.links", 0),
        ("aof.buffer", 0),
        ("lua.caches", 0),
        ("functions.caches", 0),
        ("overhead.total", memory.used - memory.dataset()),
        ("keys.count", keys),
        ("keys.bytes-per-key", memory.dataset() / keys.max(1)),
        ("dataset.bytes", memory.dataset()),
        ("memtable.bytes", memory.memtables),
        ("block.cache.bytes", memory.cache),
        ("row.cache.bytes", memory.rows),
        ("allocator.allocated", memory.used),
        ("allocator.active", memory.resident),
        ("allocator.resident", memory.resident),
    ];
    let ratios = [
        ("dataset.percentage", memory.dataset() as f64 * 100.0 / memory.used.max(1) as f64),
        ("peak.percentage", memory.used as f64 * 100.0 / memory.peak.max(1) as f64),
        ("fragmentation", memory.resident as f64 / memory.used.max(1) as f64),
    ];
    context.out.map(numbers.len() + ratios.len());
    for (name, number) in numbers {
        context.out.bulk(name.as_bytes());
        context.out.integer(number as i64);
    }
    for (name, ratio) in ratios {
        context.out.bulk(name.as_bytes());
        context.out.double(&ratio.to_string());
    }
    Ok(())
}

fn doctor(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let memory = Memory::now(context.server);
    let text = format!(
        "The process uses {} of memory: {} for rows that wait to be flushed, {} for cached blocks, \
         {} for cached rows. The flag --memory-mb bounds these three.\n",
        human(memory.used),
        human(memory.memtables),
        human(memory.cache),
        human(memory.rows),
    );
    context.out.verbatim(text.as_bytes());
    Ok(())
}
