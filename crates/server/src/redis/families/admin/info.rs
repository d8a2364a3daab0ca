//! INFO.

use super::process;
use crate::redis::args::{Args, is};
use crate::redis::command::{Command, Group, LOADING, STALE};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::families::connection::REDIS_VERSION;
use crate::redis::parameters::Id;
use crate::redis::stats::{CommandTotals, Totals};
use crate::redis::table;
use std::fmt::{Display, Write};
use std::sync::atomic::Ordering;

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::new("info", -1, LOADING.and(STALE), Group::Server, info)
        .with_docs("1.0.0", "Returns the state and the statistics of the server.")];

type Section = fn(&Context<'_>, &Totals, &mut Text) -> Done;

/// Which requests show a section besides its own name.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum In {
    Default,
    All,
}

const SECTIONS: &[(&str, &str, In, Section)] = &[
    ("server", "Server", In::Default, server),
    ("clients", "Clients", In::Default, clients),
    ("memory", "Memory", In::Default, memory),
    ("persistence", "Persistence", In::Default, persistence),
    ("backup", "Backup", In::Default, super::backup::describe),
    ("load", "Load", In::Default, super::load::describe),
    ("stats", "Stats", In::Default, stats),
    ("replication", "Replication", In::Default, super::replication::describe),
    ("cpu", "CPU", In::Default, cpu),
    ("modules", "Modules", In::Default, |_, _, _| Ok(())),
    ("commandstats", "Commandstats", In::All, command_statistics),
    ("errorstats", "Errorstats", In::Default, error_statistics),
    ("latencystats", "Latencystats", In::All, latency_statistics),
    ("cluster", "Cluster", In::Default, cluster),
    ("keyspace", "Keyspace", In::Default, keyspace),
];

/// The text of the reply.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    fn begin(&mut self, title: &str) {
        let gap = if self.0.is_empty() { "" } else { "\r\n" };
        // Writing to a string does not fail.
        _ = write!(self.0, "{gap}# {title}\r\n");
    }

    pub(super) fn line(&mut self, name: &str, value: impl Display) {
        _ = write!(self.0, "{name}:{value}\r\n");
    }

    /// Writes a number of bytes, and again with a unit.
    fn bytes(&mut self, name: &str, bytes: u64) {
        self.line(name, bytes);
        _ = write!(self.0, "{name}_human:{}\r\n", human(bytes));
    }

    /// Writes lines of what this server does not have.
    pub(super) fn zeros(&mut self, names: &[&str]) {
        names.iter().for_each(|name| self.line(name, 0));
    }
}

/// Returns a number of bytes with a unit.
pub(super) fn human(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let (mut value, mut units) = (bytes as f64 / 1024.0, "KMGTPE".chars());
    let mut unit = units.next();
    while value >= 1024.0 {
        value /= 1024.0;
        unit = units.next();
    }
    format!("{value:.2}{}", unit.unwrap_or('E'))
}

fn info(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let wanted = |name: &str, shown: In| {
        args.len() == 1 && shown == In::Default
            || args.from(1).iter().any(|arg| {
                is(arg, name)
                    || is(arg, "default") && shown == In::Default
                    || is(arg, "all")
                    || is(arg, "everything")
            })
    };
    let (mut text, totals) = (Text::default(), context.server.stats.totals());
    for (name, title, shown, section) in SECTIONS {
        if wanted(name, *shown) {
            text.begin(title);
            section(context, &totals, &mut text)?;
        }
    }
    context.out.verbatim(text.0.as_bytes());
    Ok(())
}

fn server(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    let server = context.server;
    let uptime_s = server.clock.monotonic_us().saturating_sub(server.started_us) / 1_000_000;
    text.line("redis_version", REDIS_VERSION);
    text.line("redis_git_sha1", "00000000");
    text.line("redis_git_dirty", 0);
    text.line("redis_build_id", "0");
    text.line("redis_mode", if server.is_cluster() { "cluster" } else { "standalone" });
    text.line("ferrolith_version", env!("CARGO_PKG_VERSION"));
    let format = server.store.format();
    text.line("ferrolith_format", format.current().number);
    text.line("ferrolith_format_newest", format.newest().number);
    text.line("os", process::system());
    text.line("arch_bits", usize::BITS);
    text.line("monotonic_clock", "POSIX clock_gettime");
    text.line("multiplexing_api", "epoll");
    text.line("process_id", std::process::id());
    text.line("process_supervised", "no");
    text.line("run_id", &server.run_id);
    let port = match server.settings.port {
        0 => server.settings.tls_port,
        port => port,
    };
    text.line("tcp_port", port);
    text.line("server_time_usec", server.clock.wall_us());
    text.line("uptime_in_seconds", uptime_s);
    text.line("uptime_in_days", uptime_s / 86400);
    const HZ: Id = Id::of("hz");
    text.line("hz", server.parameters.number(HZ));
    text.line("configured_hz", server.parameters.number(HZ));
    text.line("lru_clock", (server.clock.wall_ms() / 1000) & 0xff_ffff);
    text.line("executable", process::executable());
    text.line("config_file", "");
    text.line("io_threads_active", 0);
    Ok(())
}

fn clients(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    const MAX: Id = Id::of("maxclients");
    let server = context.server;
    let clients = server.clients.list();
    let alive = clients.iter().filter(|client| !client.is_killed());
    text.line("connected_clients", alive.count());
    text.line("cluster_connections", 0);
    text.line("maxclients", server.parameters.number(MAX));
    let inputs = clients.iter().map(|client| client.input()).map(|(length, free)| length + free);
    text.line("client_recent_max_input_buffer", inputs.max().unwrap_or(0));
    let outboxes = clients.iter().map(|client| client.outbox.len());
    text.line("client_recent_max_output_buffer", outboxes.max().unwrap_or(0));
    text.line("blocked_clients", server.waiters.len() + server.pause.waiting());
    text.line("tracking_clients", server.tracking.sizes().clients);
    text.zeros(&["clients_in_timeout_table"]);
    Ok(())
}

fn memory(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    let server = context.server;
    let memory = process::Memory::now(server);
    text.bytes("used_memory", memory.used);
    text.bytes("used_memory_rss", memory.resident);
    text.bytes("used_memory_peak", memory.peak);
    let percent = memory.used as f64 * 100.0 / memory.peak.max(1) as f64;
    text.line("used_memory_peak_perc", format_args!("{percent:.2}%"));
    text.line("used_memory_overhead", memory.used - memory.dataset());
    text.line("used_memory_startup", 0);
    text.line("used_memory_dataset", memory.dataset());
    let percent = memory.dataset() as f64 * 100.0 / memory.used.max(1) as f64;
    text.line("used_memory_dataset_perc", format_args!("{percent:.2}%"));
    text.line("memtable_bytes", memory.memtables);
    text.line("block_cache_bytes", memory.cache);
    text.line("row_cache_bytes", memory.rows);
    text.line("allocator_allocated", memory.used);
    text.line("allocator_active", memory.resident);
    text.line("allocator_resident", memory.resident);
    text.bytes("total_system_memory", process::system_memory());
    let lua = server.scripts.memory() as u64;
    text.bytes("used_memory_lua", lua);
    text.line("used_memory_vm_eval", lua);
    text.zeros(&["used_memory_scripts_eval", "used_memory_vm_functions"]);
    text.bytes("used_memory_vm_total", lua);
    text.zeros(&["used_memory_functions"]);
    let (scripts, source_bytes) = server.scripts.cache.size();
    text.bytes("used_memory_scripts", source_bytes as u64);
    text.line("number_of_cached_scripts", scripts);
    let libraries = server.scripts.libraries();
    text.line("number_of_functions", libraries.function_count());
    text.line("number_of_libraries", libraries.iter().len());
    // CONFIG SET maxmemory limits nothing, and tools compare used memory with this.
    const POLICY: Id = Id::of("maxmemory-policy");
    text.bytes("maxmemory", 0);
    text.line("maxmemory_policy", server.parameters.text(POLICY));
    let ratio = memory.resident as f64 / memory.used.max(1) as f64;
    text.line("mem_fragmentation_ratio", format_args!("{ratio:.2}"));
    text.line("mem_fragmentation_bytes", memory.resident as i64 - memory.used as i64);
    text.zeros(&[
        "mem_not_counted_for_evict",
        "mem_replication_backlog",
        "mem_total_replication_buffers",
        "mem_clients_slaves",
        "mem_clients_normal",
        "mem_cluster_links",
        "mem_aof_buffer",
    ]);
    text.line("mem_allocator", process::ALLOCATOR);
    text.zeros(&["active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects"]);
    Ok(())
}

fn persistence(context: &Context<'_>, totals: &Totals, text: &mut Text) -> Done {
    text.zeros(&["loading", "async_loading"]);
    let saved = context.server.saved_changes.load(Ordering::Relaxed);
    text.line("rdb_changes_since_last_save", totals.changes.saturating_sub(saved));
    text.zeros(&["rdb_bgsave_in_progress"]);
    text.line("rdb_last_save_time", context.server.saved_s.load(Ordering::Relaxed));
    text.line("rdb_last_bgsave_status", "ok");
    text.line("rdb_last_bgsave_time_sec", 0);
    text.line("rdb_current_bgsave_time_sec", -1);
    text.zeros(&["rdb_saves", "rdb_last_cow_size"]);
    const APPEND_ONLY: Id = Id::of("appendonly");
    text.line("aof_enabled", context.server.parameters.number(APPEND_ONLY));
    text.zeros(&["aof_rewrite_in_progress", "aof_rewrite_scheduled"]);
    text.line("aof_last_rewrite_time_sec", -1);
    text.line("aof_current_rewrite_time_sec", -1);
    text.line("aof_last_bgrewrite_status", "ok");
    text.line("aof_last_write_status", "ok");
    text.zeros(&["module_fork_in_progress"]);
    text.line("durability", context.server.store.sync().durability());
    Ok(())
}

fn stats(context: &Context<'_>, totals: &Totals, text: &mut Text) -> Done {
    let server = context.server;
    let rates = server.stats.rates();
    text.line("total_connections_received", totals.connections);
    text.line("total_commands_processed", totals.calls());
    text.line("instantaneous_ops_per_sec", rates.calls);
    text.line("total_net_input_bytes", totals.bytes_in);
    text.line("total_net_output_bytes", totals.bytes_out);
    text.zeros(&["total_net_repl_input_bytes", "total_net_repl_output_bytes"]);
    text.line("instantaneous_input_kbps", format_args!("{:.2}", rates.bytes_in / 1024.0));
    text.line("instantaneous_output_kbps", format_args!("{:.2}", rates.bytes_out / 1024.0));
    text.line("rejected_connections", totals.refused);
    text.zeros(&["sync_full", "sync_partial_ok", "sync_partial_err"]);
    text.line("expired_keys", totals.expired);
    text.line("expired_stale_perc", "0.00");
    text.zeros(&["expired_time_cap_reached_count", "evicted_keys", "evicted_clients"]);
    text.line("keyspace_hits", totals.hits);
    text.line("keyspace_misses", totals.misses);
    let figure = |name| server.store.figure(name).unwrap_or(0);
    text.line("row_cache_hits", figure("ferrolith.row-cache-hits"));
    text.line("row_cache_misses", figure("ferrolith.row-cache-misses"));
    let [channels, patterns, shards] = server.subscription_counts();
    text.line("pubsub_channels", channels);
    text.line("pubsub_patterns", patterns);
    text.line("pubsubshard_channels", shards);
    text.zeros(&["latest_fork_usec", "total_forks", "migrate_cached_sockets"]);
    text.zeros(&["slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses"]);
    let tracking = server.tracking.sizes();
    text.line("tracking_total_keys", tracking.keys);
    text.line("tracking_total_items", tracking.readers);
    text.line("tracking_total_prefixes", tracking.prefixes);
    text.line("unexpected_error_replies", 0);
    text.line("total_error_replies", totals.errors.values().sum::<u64>());
    text.line("dump_payload_sanitizations", 0);
    text.line("total_reads_processed", totals.reads);
    text.line("total_writes_processed", totals.writes);
    text.zeros(&["io_threaded_reads_processed", "io_threaded_writes_processed"]);
    Ok(())
}

fn cpu(_: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    let times = process::CpuTimes::now();
    text.line("used_cpu_sys", format_args!("{:.6}", times.system));
    text.line("used_cpu_user", format_args!("{:.6}", times.user));
    text.line("used_cpu_sys_children", format_args!("{:.6}", times.children_system));
    text.line("used_cpu_user_children", format_args!("{:.6}", times.children_user));
    Ok(())
}

/// Returns the commands that have been called or refused, in the order of their names.
fn used(totals: &Totals) -> Vec<(&'static str, &CommandTotals)> {
    let all = table::every().zip(&totals.commands);
    let is_used = |total: &CommandTotals| total.calls + total.rejected + total.failed > 0;
    let mut used: Vec<_> = all
        .filter(|(_, total)| is_used(total))
        .map(|(command, total)| (command.full_name, total))
        .collect();
    used.sort_unstable_by_key(|(name, _)| *name);
    used
}

fn command_statistics(_: &Context<'_>, totals: &Totals, text: &mut Text) -> Done {
    for (name, total) in used(totals) {
        let mean = total.us as f64 / total.calls.max(1) as f64;
        text.line(
            &format!("cmdstat_{name}"),
            format_args!(
                "calls={},usec={},usec_per_call={mean:.2},rejected_calls={},failed_calls={}",
                total.calls, total.us, total.rejected, total.failed
            ),
        );
    }
    Ok(())
}

fn error_statistics(_: &Context<'_>, totals: &Totals, text: &mut Text) -> Done {
    for (code, count) in &totals.errors {
        let safe = code.replace(['=', ':', '#', '\r', '\n'], "_");
        text.line(&format!("errorstat_{safe}"), format_args!("count={count}"));
    }
    Ok(())
}

fn latency_statistics(context: &Context<'_>, totals: &Totals, text: &mut Text) -> Done {
    const TRACKING: Id = Id::of("latency-tracking");
    const PERCENTILES: Id = Id::of("latency-tracking-info-percentiles");
    if !context.server.parameters.is_on(TRACKING) {
        return Ok(());
    }
    let percentiles = context.server.parameters.text(PERCENTILES);
    for (name, total) in used(totals).into_iter().filter(|(_, total)| total.times.count() > 0) {
        let shown = percentiles.split(' ').filter_map(|percentile| {
            let us = total.times.percentile(percentile.parse().ok()?);
            Some(format!("p{percentile}={us}.000"))
        });
        let shown: Vec<_> = shown.collect();
        text.line(&format!("latency_percentiles_usec_{name}"), shown.join(","));
    }
    Ok(())
}

fn cluster(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    text.line("cluster_enabled", u8::from(context.server.is_cluster()));
    Ok(())
}

fn keyspace(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    for database in context.existing_databases() {
        let keys = super::keyspace::count(context, &database)?;
        if keys.keys > 0 {
            text.line(
                &format!("db{}", database.index()),
                format_args!(
                    "keys={},expires={},avg_ttl={}",
                    keys.keys, keys.expiring, keys.mean_ttl_ms
                ),
            );
        }
    }
    Ok(())
}
