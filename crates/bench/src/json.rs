//! `--json`: one object per line, per benchmark and repetition, the same for one engine and for pairs. The fields are
//! described in docs/db_bench.md.
//!
//! No figure is negative; what is not known is null.

use crate::flags::{Flags, Value as FlagValue};
use crate::histogram::Histogram;
use crate::report::{MB, Phase, cpu_fields, timestamp};
use crate::shared::latency::of;
use crate::stats::Op;
use serde_json::{Map, Value, json};
use std::io::Write;

/// The number of the schema. It changes when a field is removed or changes its meaning.
const SCHEMA: u32 = 2;

/// The fields that are the same in all objects of a run.
pub struct Context {
    /// The time at which the run began.
    pub time: String,
    /// The machine.
    pub host: Value,
    /// The engine's version.
    pub engine_version: String,
    /// The flags that are given, with their values.
    pub flags: Value,
}

impl Context {
    /// Creates the context of this run on this machine.
    pub fn new(flags: &Flags, engine_version: String) -> Context {
        Context { time: timestamp(), host: host(), engine_version, flags: given(flags) }
    }

    /// The object of one benchmark.
    pub fn object(&self, phase: &Phase) -> Value {
        let (total, usage) = (&phase.total, &phase.usage);
        let latency = total.all_latencies().map(|h| {
            json!({
                "count": h.count(), "mean": h.mean(), "min": h.min(), "max": h.max(),
                "p50": h.percentile(50.0), "p75": h.percentile(75.0), "p95": h.percentile(95.0),
                "p99": h.percentile(99.0), "p99.9": h.percentile(99.9), "p99.99": h.percentile(99.99),
            })
        });
        let kind = |(op, histogram): (&Op, &Histogram)| {
            (op.name().to_owned(), json!({"service": of(histogram)}))
        };
        let latencies: Map<String, Value> = total.latencies.iter().map(kind).collect();
        let elapsed = total.elapsed.max(1e-9);
        let mut object = json!({
            "schema": SCHEMA,
            "time": self.time,
            "host": self.host,
            "db_bench_version": env!("CARGO_PKG_VERSION"),
            "engine": phase.engine,
            "engine_version": self.engine_version,
            "flags": self.flags,
            "run": 1,
            "benchmark": phase.name,
            "repeat": phase.repeat,
            "threads": phase.threads,
            "operations": total.done,
            "seconds": total.elapsed,
            "micros_per_op": total.thread_seconds * 1e6 / total.done.max(1) as f64,
            "ops_per_sec": phase.rate(),
            "mb_per_sec": total.bytes as f64 / MB / elapsed,
            "found": total.found.map(|(found, _)| found),
            "looked_for": total.found.map(|(_, read)| read),
            "latency_micros": latency,
            "latencies_us": latencies,
            "complete": phase.complete,
            "warm_up": {"seconds": phase.warm_up.seconds, "detected": phase.warm_up.detected},
        });
        let costs = json!({
            "user_bytes_written": total.user_written,
            "user_bytes_read": total.user_read,
            "bytes_written": phase.written,
            "bytes_read": usage.read_calls_bytes,
            "read_calls": usage.read_calls,
            "device_bytes_written": usage.device_written,
            "device_bytes_read": usage.device_read,
            "engine_bytes_written": phase.engine_written,
            "engine_write_amplification": phase.engine_write_amplification(),
            "write_amplification": phase.write_amplification(),
            "read_amplification": phase.read_amplification(),
            "space_amplification": phase.space_amplification(),
            "bytes_on_disk": phase.disk,
            "live_bytes": phase.live,
            "peak_rss_bytes": phase.memory.peak,
            "private_rss_bytes": phase.memory.anonymous,
            "mapped_rss_bytes": phase.memory.mapped,
            "cpu_user_seconds": usage.cpu_user,
            "cpu_system_seconds": usage.cpu_system,
            "cpu_seconds": usage.cpu_user + usage.cpu_system,
            "cpu_micros_per_op": (usage.cpu_user + usage.cpu_system) * 1e6 / total.done.max(1) as f64,
            "fsyncs": phase.state.counters.fsyncs,
            "stall_seconds": phase.state.counters.stall_seconds,
            "stalls_by_cause": phase.state.counters.stalls,
            "debt_before": phase.state.debt.0.json(),
            "debt_after": phase.state.debt.1.json(),
            "background_operations": total.background.map(|(ops, _)| ops),
            "background_ops_per_sec": total.background.map(|(ops, s)| ops as f64 / s.max(1e-9)),
        });
        if let (Value::Object(object), Value::Object(costs)) = (&mut object, costs) {
            object.extend(costs);
        }
        object
    }
}

/// Returns the machine's name, kernel and processors.
pub fn host() -> Value {
    let file = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    json!({
        "name": file("/proc/sys/kernel/hostname"),
        "kernel": file("/proc/sys/kernel/osrelease"),
        "arch": std::env::consts::ARCH,
        "cpu": cpu_fields("model name").first(),
        "cpus": std::thread::available_parallelism().ok().map(usize::from),
    })
}

/// The flags of the command line, numbers as numbers.
fn given(flags: &Flags) -> Value {
    let value = |name: &str| match flags.value(name) {
        FlagValue::Bool(v) => json!(v),
        FlagValue::Int(v) => json!(v),
        FlagValue::Uint(v) => json!(v),
        FlagValue::Double(v) => json!(v),
        FlagValue::Text(v) => json!(v),
    };
    let given = flags.given().iter().map(|name| ((*name).to_owned(), value(name)));
    Value::Object(given.collect::<Map<_, _>>())
}

/// The destination of `--json`.
pub enum Sink {
    /// Nowhere.
    Nowhere,
    /// Standard output.
    Out,
    /// A file of this name.
    File(std::fs::File, String),
}

impl Sink {
    /// As the flag says; `-` is standard output.
    pub fn open(path: &str) -> Result<Sink, String> {
        Ok(match path {
            "" => Sink::Nowhere,
            "-" => Sink::Out,
            path => {
                let file =
                    std::fs::File::create(path).map_err(|e| format!("--json={path}: {e}"))?;
                Sink::File(file, path.to_owned())
            }
        })
    }

    /// Writes one object as a line.
    pub fn write(&mut self, object: &Value) -> Result<(), String> {
        match self {
            Sink::Nowhere => Ok(()),
            Sink::Out => {
                crate::report::say(&object.to_string());
                Ok(())
            }
            Sink::File(file, path) => {
                writeln!(file, "{object}").map_err(|e| format!("--json={path}: {e}"))
            }
        }
    }
}

#[cfg(test)]
#[path = "json_test.rs"]
mod tests;
