//! The reports of a population and of a measured part: as text for people, as JSON lines for programs. The fields are
//! described in docs/forestdb.md.

use super::config::Config;
use super::load::Loaded;
use super::run::{Counted, Outcome};
use super::worker::Role;
use crate::process::Usage;
use crate::report::timestamp;
use crate::shared::latency::{heading, resident, row};
use crate::shared::recorder::{Record, UserBytes};
use crate::shared::tree::Debt;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The number of the schema: another one when a field goes or changes its meaning.
const SCHEMA: u32 = 1;

/// The inputs of a report besides the outcome.
pub struct Context<'a> {
    /// The name of the step.
    pub step: &'a str,
    /// The engine, its version and its build.
    pub engine: &'a str,
    /// The settings.
    pub config: &'a Config,
    /// The guarantee of a returned write.
    pub guarantee: &'a str,
    /// Compaction debt before and after.
    pub debt: (Debt, Debt),
    /// The costs.
    pub record: &'a Record,
    /// The command line that repeats the step.
    pub command: &'a str,
}

impl Context<'_> {
    fn json(&self, phase: &str) -> Map<String, Value> {
        let object = json!({
            "schema": SCHEMA,
            "suite": "forestdb",
            "step": self.step,
            "phase": phase,
            "time": timestamp(),
            "engine": self.engine,
            "command": self.command,
            "label": null,
            "seed": self.config.seed,
            "write_guarantee": self.guarantee,
            "debt_before": self.debt.0.json(),
            "debt_after": self.debt.1.json(),
            "bytes_on_disk": self.debt.1.bytes_on_disk,
            "resident_bytes": resident(),
            "cost": self.record.cost(),
        });
        match object {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    /// Bytes that went to a device per byte of keys and bodies.
    fn write_amplification(&self, documents: u64) -> Option<f64> {
        let user = documents as f64 * self.config.shape.average_bytes();
        (documents > 0).then(|| self.record.usage.device_written as f64 / user)
    }

    /// The three amplifications, after this many documents were written and read.
    fn amplification(&self, (written, read): (u64, u64)) -> Value {
        let bytes = |documents: u64| documents as f64 * self.config.shape.average_bytes();
        let live = bytes(self.config.shape.documents);
        let user = UserBytes { written: bytes(written), read: bytes(read), live };
        self.record.amplification(user, self.debt.1.bytes_on_disk)
    }
}

fn costs(usage: &Usage) -> Value {
    json!({
        "cpu_user_s": usage.cpu_user,
        "cpu_system_s": usage.cpu_system,
        "bytes_written": usage.write_calls_bytes,
        "bytes_read": usage.read_calls_bytes,
        "device_bytes_written": usage.device_written,
        "device_bytes_read": usage.device_read,
    })
}

fn merged(mut object: Map<String, Value>, more: [Value; 2]) -> Value {
    for part in more {
        if let Value::Object(part) = part {
            object.extend(part);
        }
    }
    Value::Object(object)
}

impl Loaded {
    /// Documents per second, without the flush at the end.
    pub fn rate(&self) -> f64 {
        self.documents as f64 / self.seconds.max(1e-9)
    }

    /// The report of a population.
    pub fn text(&self, context: &Context<'_>) -> String {
        let mut out = format!(
            "{}: {} documents in {:.3} s, {:.0} documents/s, flush {:.3} s{}{}\n",
            context.step,
            self.documents,
            self.seconds,
            self.rate(),
            self.flush_seconds,
            self.compaction_seconds.map_or_else(String::new, |s| format!(", compaction {s:.3} s")),
            if self.interrupted { ", NOT COMPLETE" } else { "" }
        );
        let _ = writeln!(out, "{}\n{}", heading(), row("LOAD BATCH", &self.batches.service));
        let _ = writeln!(out, "writes: {}\ndebt: {}", context.guarantee, context.debt.1.line());
        out
    }

    /// The object of a population.
    pub fn json(&self, context: &Context<'_>, threads: usize) -> Value {
        let own = json!({
            "complete": !self.interrupted && self.error.is_none(),
            "error": self.error,
            "documents": self.documents,
            "seconds": self.seconds,
            "documents_per_sec": self.rate(),
            "threads": threads,
            "ops_per_sec": self.rate(),
            "warm_up": { "seconds": 0.0, "detected": false },
            "amplification": context.amplification((self.documents, 0)),
            "flush_seconds": self.flush_seconds,
            "compaction_seconds": self.compaction_seconds,
            "latencies_us": { "LOAD_BATCH": self.batches.json() },
            "write_amplification": context.write_amplification(self.documents),
        });
        merged(context.json("load"), [own, costs(&context.record.usage)])
    }
}

impl Outcome {
    /// Documents of all roles.
    pub fn documents(&self) -> u64 {
        self.roles.values().map(|counted| counted.documents).sum()
    }

    /// Documents per second of all roles.
    pub fn rate(&self) -> f64 {
        self.documents() as f64 / self.elapsed.max(1e-9)
    }

    fn written(&self) -> u64 {
        self.roles.get(&Role::Write).map_or(0, |counted| counted.documents)
    }

    fn read(&self) -> u64 {
        self.documents() - self.written()
    }

    /// The report of a measured part.
    pub fn text(&self, context: &Context<'_>) -> String {
        let mut out = format!(
            "{}: {} documents in {:.3} s after {:.0} s of warm-up{}\n",
            context.step,
            self.documents(),
            self.elapsed,
            context.record.warm_up_seconds,
            if self.interrupted { ", NOT COMPLETE" } else { "" }
        );
        let per_second = |number: u64| number as f64 / self.elapsed.max(1e-9);
        for (role, counted) in &self.roles {
            let _ = writeln!(
                out,
                "  {:<6} {:>12} documents {:>12.0} documents/s {:>12.0} batches/s",
                role.name(),
                counted.documents,
                per_second(counted.documents),
                per_second(counted.batches)
            );
        }
        let _ = writeln!(out, "{}", heading());
        for (role, counted) in &self.roles {
            let latencies = &counted.latencies;
            let _ = writeln!(out, "{}", row(role.name(), &latencies.service));
            if role.rate(context.config) > 0 {
                let _ = writeln!(out, "{}", row("  from schedule", &latencies.intended));
            }
            if latencies.not_found > 0 {
                let _ = writeln!(out, "  not found: {}", latencies.not_found);
            }
        }
        if self.written() > 0 {
            let _ = writeln!(out, "writes: {}", context.guarantee);
        }
        let _ = writeln!(
            out,
            "CPU {:.2} s user, {:.2} s system; {:.1} MB to the device; {:.1} MB resident\ndebt: {}",
            context.record.usage.cpu_user,
            context.record.usage.cpu_system,
            context.record.usage.device_written as f64 / 1e6,
            resident() as f64 / 1e6,
            context.debt.1.line()
        );
        out
    }

    /// The object of a measured part.
    pub fn json(&self, context: &Context<'_>) -> Value {
        let config = context.config;
        let threads = &config.threads;
        let role = |(role, counted): (&Role, &Counted)| {
            let object = json!({
                "documents": counted.documents,
                "batches": counted.batches,
                "documents_per_sec": counted.documents as f64 / self.elapsed.max(1e-9),
                "latencies_us": counted.latencies.json(),
            });
            (role.name().to_owned(), object)
        };
        let latencies =
            |(role, counted): (&Role, &Counted)| (role.name().to_owned(), counted.latencies.json());
        let own = json!({
            "readers": threads.readers,
            "iterators": threads.iterators,
            "writers": threads.writers,
            "threads": threads.readers + threads.iterators + threads.writers,
            "reader_ops": config.threads.rates.0,
            "writer_ops": config.threads.rates.1,
            "warm_up_seconds": context.record.warm_up_seconds.round() as u64,
            "warm_up": context.record.warm_up(),
            "complete": !self.interrupted && self.error.is_none(),
            "error": self.error,
            "documents": self.documents(),
            "seconds": self.elapsed,
            "documents_per_sec": self.rate(),
            "ops_per_sec": self.rate(),
            "operations": self.roles.iter().map(role).collect::<Map<_, _>>(),
            "latencies_us": self.roles.iter().map(latencies).collect::<Map<_, _>>(),
            "write_amplification": context.write_amplification(self.written()),
            "amplification": context.amplification((self.written(), self.read())),
        });
        merged(context.json("run"), [own, costs(&context.record.usage)])
    }
}
