//! `top`: figures of a running server, again and again.

use crate::Answer;
use crate::connection::{Info, Server};
use crate::output::{Output, bytes};
use clap::Args;
use ferrolith_server::error::Result;
use serde_json::{Value, json};
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

/// The commands that are shown.
const COMMANDS: usize = 12;

/// Arguments of `top`.
#[derive(Debug, Args)]
pub(crate) struct Top {
    /// The seconds between two views
    #[arg(long, short = 'i', value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    interval: u64,
    /// Show one view and end
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    server: Server,
}

/// The figures of a moment.
struct Sample {
    at: Instant,
    info: Info,
}

impl Top {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let mut connection = self.server.connect()?;
        let mut sample =
            || connection.info("everything").map(|info| Sample { at: Instant::now(), info });
        let mut before = sample()?;
        // Rates need two moments.
        let mut pause = Duration::from_secs(1);
        loop {
            std::thread::sleep(pause);
            let now = sample()?;
            let (text, value) = view(&self.server.address, &before, &now);
            // Clears the screen.
            let clear = if stdout().is_terminal() && !self.once { "\x1b[H\x1b[2J" } else { "" };
            out.print(format!("{clear}{text}"), &value);
            if self.once {
                return Ok(Answer::Yes);
            }
            before = now;
            pause = Duration::from_secs(self.interval);
        }
    }
}

fn view(address: &str, before: &Sample, now: &Sample) -> (String, Value) {
    let seconds = now.at.duration_since(before.at).as_secs_f64().max(0.001);
    let number = |name: &str| now.info.number(name);
    // A restart of the server sets counters back.
    let rate = |name: &str| (number(name) - before.info.number(name)).max(0.0) / seconds;
    let cpu = rate("used_cpu_user") + rate("used_cpu_sys");
    let (hits, misses) = (rate("keyspace_hits"), rate("keyspace_misses"));
    let hit_share = if hits + misses > 0.0 { hits * 100.0 / (hits + misses) } else { 0.0 };
    let calls = rate("total_commands_processed");
    let (bytes_in, bytes_out) = (rate("total_net_input_bytes"), rate("total_net_output_bytes"));
    let clients = number("connected_clients");
    let (memory, cache, memtables) =
        (number("used_memory"), number("block_cache_bytes"), number("memtable_bytes"));
    let commands = commands(before, now, seconds);
    let mut text = format!(
        "{address}  up {} s  role {}\n\
         commands {calls:.0}/s  hits {hit_share:.1} %  processors {cpu:.2}  clients {clients}  blocked {}\n\
         in {}/s  out {}/s  errors {:.0}/s\n\
         memory {}  cache {}  memtables {}  backup {}\n\n",
        number("uptime_in_seconds"),
        now.info.get("role").unwrap_or("unknown"),
        number("blocked_clients"),
        bytes(bytes_in as u64),
        bytes(bytes_out as u64),
        rate("total_error_replies"),
        bytes(memory as u64),
        bytes(cache as u64),
        bytes(memtables as u64),
        now.info.get("backup_job").unwrap_or("unknown"),
    );
    text += &format!("{:24} {:>12} {:>12}\n", "command", "calls/s", "us per call");
    for (name, calls, us) in &commands {
        text += &format!("{name:24} {calls:>12.0} {us:>12.1}\n");
    }
    let commands: Vec<_> = commands
        .iter()
        .map(|(name, calls, us)| json!({ "name": name, "calls_per_s": calls, "us_per_call": us }))
        .collect();
    let value = json!({
        "server": address,
        "commands_per_s": calls,
        "hit_percent": hit_share,
        "processors": cpu,
        "clients": clients,
        "bytes_in_per_s": bytes_in,
        "bytes_out_per_s": bytes_out,
        "memory_bytes": memory,
        "cache_bytes": cache,
        "memtable_bytes": memtables,
        "commands": commands,
    });
    (text, value)
}

/// Returns the commands that took most time since: their names, calls per second, and microseconds per call.
fn commands<'n>(before: &Sample, now: &'n Sample, seconds: f64) -> Vec<(&'n str, f64, f64)> {
    let mut found: Vec<_> = now
        .info
        .iter()
        .filter_map(|(name, value)| {
            let (calls, us) = calls_and_time(value);
            let (calls_before, us_before) =
                before.info.get(name).map_or((0.0, 0.0), calls_and_time);
            let (calls, us) = (calls - calls_before, us - us_before);
            let command = name.strip_prefix("cmdstat_")?;
            (calls > 0.0).then(|| (command, calls / seconds, us.max(0.0) / calls))
        })
        .collect();
    found.sort_by(|one, other| (other.1 * other.2).total_cmp(&(one.1 * one.2)));
    found.truncate(COMMANDS);
    found
}

/// Returns the calls and the microseconds of `calls=1,usec=2,…`.
fn calls_and_time(text: &str) -> (f64, f64) {
    let find = |name: &str| {
        let value = text.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.parse().ok()).unwrap_or(0.0)
    };
    (find("calls"), find("usec"))
}
