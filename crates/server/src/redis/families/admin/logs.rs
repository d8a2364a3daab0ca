//! SLOWLOG and LATENCY.

use super::spark;
use crate::redis::args::Args;
use crate::redis::command::{ADMIN, Command, Flags, Group, LOADING, NOSCRIPT, STALE};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::families::help::help;
use crate::redis::latency::Series;
use crate::redis::parameters::Id;
use crate::redis::stats::{Times, Totals};
use crate::redis::table;
use crate::resp::Reply;

const SLOWLOG_FLAGS: Flags = ADMIN.and(LOADING).and(STALE);
const LATENCY_FLAGS: Flags = SLOWLOG_FLAGS.and(NOSCRIPT);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::container("slowlog", Group::Server, SLOWLOG)
        .with_docs("2.2.12", "Contains the commands about slow commands."),
    Command::container("latency", Group::Server, LATENCY)
        .with_docs("2.8.13", "Contains the commands about times of commands and events."),
];

const SLOWLOG: &[Command] = &[
    Command::new("get", -2, SLOWLOG_FLAGS, Group::Server, get)
        .with_full_name("slowlog|get")
        .with_docs("2.2.12", "Returns the newest slow commands: 10, a number, or with -1 all."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("slowlog|help")
        .with_docs("6.2.0", "Describes the subcommands."),
    Command::new("len", 2, SLOWLOG_FLAGS, Group::Server, len)
        .with_full_name("slowlog|len")
        .with_docs("2.2.12", "Returns the number of slow commands that are kept."),
    Command::new("reset", 2, SLOWLOG_FLAGS, Group::Server, reset)
        .with_full_name("slowlog|reset")
        .with_docs("2.2.12", "Forgets all slow commands."),
];

const LATENCY: &[Command] = &[
    Command::new("doctor", 2, LATENCY_FLAGS, Group::Server, doctor)
        .with_full_name("latency|doctor")
        .with_docs("2.8.13", "Describes the events that took long."),
    Command::new("graph", 3, LATENCY_FLAGS, Group::Server, graph)
        .with_full_name("latency|graph")
        .with_docs("2.8.13", "Draws the times of an event."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("latency|help")
        .with_docs("2.8.13", "Describes the subcommands."),
    Command::new("histogram", -2, LATENCY_FLAGS, Group::Server, histogram)
        .with_full_name("latency|histogram")
        .with_docs("7.0.0", "Returns the distribution of the times of commands."),
    Command::new("history", 3, LATENCY_FLAGS, Group::Server, history)
        .with_full_name("latency|history")
        .with_docs("2.8.13", "Returns the times of an event."),
    Command::new("latest", 2, LATENCY_FLAGS, Group::Server, latest)
        .with_full_name("latency|latest")
        .with_docs("2.8.13", "Returns the latest time of each event."),
    Command::new("reset", -2, LATENCY_FLAGS, Group::Server, reset_events)
        .with_full_name("latency|reset")
        .with_docs("2.8.13", "Forgets the times of some events, or of all."),
];

fn get(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(super::syntax_of("slowlog", args));
    }
    let count = match args.get(2) {
        None => 10,
        Some(_) => {
            let count = args.integer(2).ok().filter(|count| *count >= -1);
            let count = count.ok_or("ERR count should be greater than or equal to -1")?;
            usize::try_from(count).unwrap_or(usize::MAX)
        }
    };
    let entries = context.server.slowlog.newest(count);
    let out = &mut *context.out;
    out.array(entries.len());
    for entry in entries {
        out.array(6);
        out.integer(entry.id as i64);
        out.integer(entry.at_s as i64);
        out.integer(entry.us as i64);
        out.array(entry.args.len());
        entry.args.iter().for_each(|arg| out.bulk(arg));
        out.bulk(entry.address.as_bytes());
        out.bulk(&entry.name);
    }
    Ok(())
}

fn len(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.out.count(context.server.slowlog.len());
    Ok(())
}

fn reset(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.server.slowlog.truncate(0);
    context.out.ok();
    Ok(())
}

fn history(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let series = context.server.latency.series(args.at(2)).unwrap_or_default();
    context.out.array(series.samples.len());
    for sample in series.samples {
        context.out.array(2);
        context.out.integer(sample.at_s as i64);
        context.out.integer(sample.ms as i64);
    }
    Ok(())
}

fn latest(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let events = context.server.latency.all();
    let out = &mut *context.out;
    out.array(events.len());
    for (event, series) in events {
        out.array(4);
        out.bulk(event.as_bytes());
        let last = series.samples.back();
        out.integer(last.map_or(0, |sample| sample.at_s as i64));
        out.integer(last.map_or(0, |sample| sample.ms as i64));
        out.integer(series.max_ms as i64);
    }
    Ok(())
}

fn reset_events(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let latency = &context.server.latency;
    let count = match args.len() {
        2 => latency.clear(),
        _ => args.from(2).iter().filter(|event| latency.remove(event)).count(),
    };
    context.out.count(count);
    Ok(())
}

fn graph(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let event = String::from_utf8_lossy(args.at(2)).into_owned();
    let Some(Series { samples, max_ms }) = context.server.latency.series(args.at(2)) else {
        return Err(format!("ERR No samples available for event '{event}'").into());
    };
    let now_s = context.server.clock.wall_ms() / 1000;
    let times: Vec<u64> = samples.iter().map(|sample| sample.ms).collect();
    let labels = samples.iter().map(|sample| age(now_s.saturating_sub(sample.at_s)));
    let (high, low) = (times.iter().max().unwrap_or(&0), times.iter().min().unwrap_or(&0));
    let title = format!("{event} - high {high} ms, low {low} ms (all time high {max_ms} ms)");
    let line = "-".repeat(spark::COLUMNS);
    let drawing = spark::draw(&times, &labels.collect::<Vec<_>>());
    context.out.verbatim(format!("{title}\n{line}\n{drawing}").as_bytes());
    Ok(())
}

/// Returns how long ago something was, in its largest unit.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

fn doctor(context: &mut Context<'_>, _: Args<'_>) -> Done {
    const THRESHOLD: Id = Id::of("latency-monitor-threshold");
    let (server, events) = (context.server, context.server.latency.all());
    let mut text = String::new();
    if server.parameters.number(THRESHOLD) == 0 {
        text += "The latency monitor is off. CONFIG SET latency-monitor-threshold 100 notes \
                 commands that take 100 milliseconds or more.\n";
    } else if events.is_empty() {
        text += "No event was slow since the start or the last LATENCY RESET.\n";
    }
    for (event, series) in events {
        let count = series.samples.len();
        let sum: u64 = series.samples.iter().map(|sample| sample.ms).sum();
        let mean = sum / count.max(1) as u64;
        let max_ms = series.max_ms;
        text += &format!("{event}: {count} slow seconds, mean {mean} ms, longest {max_ms} ms.\n");
    }
    if !server.slowlog.is_empty() {
        text += "SLOWLOG GET names the slow commands.\n";
    }
    context.out.verbatim(text.as_bytes());
    Ok(())
}

fn histogram(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let totals = context.server.stats.totals();
    let commands: Vec<_> = match args.len() {
        2 => table::every().collect(),
        _ => {
            let found = args.from(2).iter().filter_map(|name| table::by_full_name(name));
            found.flat_map(|it| std::iter::once(it).chain(it.subcommands)).collect()
        }
    };
    let (start, mut count) = (context.out.position(), 0);
    for command in commands {
        let Some(times) = times_of(&totals, command.id) else { continue };
        context.out.bulk(command.full_name.as_bytes());
        write_times(context.out, times);
        count += 1;
    }
    context.out.map_later(start, count);
    Ok(())
}

fn times_of(totals: &Totals, id: u16) -> Option<&Times> {
    let times = &totals.commands.get(usize::from(id))?.times;
    (times.count() > 0).then_some(times)
}

/// Writes how many calls took up to 1, 2, 4 and so on times 1,024 nanoseconds, where the numbers change.
fn write_times(out: &mut Reply, times: &Times) {
    out.map(2);
    out.bulk(b"calls");
    out.integer(times.count() as i64);
    out.bulk(b"histogram_usec");
    let (start, mut before, mut pairs) = (out.position(), 0, 0);
    for power in 10..40 {
        // The upper edge that a histogram with two digits has there.
        let edge_ns = (1_u64 << power) + (1 << (power - 7)) - 1;
        let count = times.count_up_to(edge_ns);
        if count > before {
            out.integer((edge_ns / 1000) as i64);
            out.integer(count as i64);
            pairs += 1;
        }
        before = count;
    }
    out.map_later(start, pairs);
}
