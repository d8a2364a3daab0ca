//! The report of a phase: as text for people, as a JSON line for programs.

use super::properties::Properties;
use super::run::{Outcome, Phase, Terms};
use crate::remote::costs;
use crate::report::{cpu_fields, timestamp};
use crate::shared::latency::{heading, resident, row};
use crate::shared::recorder::{Record, UserBytes};
use crate::shared::tree::Debt;
use serde_json::{Value, json};
use std::fmt::Write;

/// The number of the schema: another one when a field goes or changes its meaning.
const SCHEMA: u32 = 1;

/// The inputs of a report besides the outcome.
pub struct Context<'a> {
    /// The engine and its version.
    pub engine: &'a str,
    /// The command line.
    pub command: &'a str,
    /// The names of the property files without their directories, joined with `+`.
    pub workload: &'a str,
    /// The properties.
    pub properties: &'a Properties,
    /// Threads.
    pub threads: usize,
    /// Operations per second that were asked for; 0: as many as possible.
    pub target: u64,
    /// The costs of the phase.
    pub record: &'a Record,
    /// Compaction debt before and after.
    pub debt: (Debt, Debt),
    /// Bytes of keys and values that the database holds afterwards.
    pub live_bytes: f64,
    /// How the phase ran.
    pub terms: Terms,
}

impl Phase {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Load => "load",
            Phase::Run => "run",
        }
    }
}

impl Outcome {
    /// Returns all operations.
    pub fn count(&self) -> u64 {
        self.operations.values().map(|latencies| latencies.service.count()).sum()
    }

    /// Operations per second.
    pub fn rate(&self) -> f64 {
        self.count() as f64 / self.elapsed.max(1e-9)
    }

    /// Returns the report, in microseconds.
    pub fn text(&self, phase: Phase, context: &Context<'_>) -> String {
        let mut out = String::new();
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "{}: {} operations in {:.3} s, {:.0} ops/s, {} threads{}",
            phase.name(),
            self.count(),
            self.elapsed,
            self.rate(),
            context.threads,
            if self.interrupted { ", NOT COMPLETE" } else { "" }
        );
        let _ = writeln!(out, "{}", heading());
        for (operation, latencies) in &self.operations {
            let name = operation.name();
            let _ = writeln!(out, "{}", row(name, &latencies.service));
            if context.target > 0 {
                let _ = writeln!(out, "{}", row("  from schedule", &latencies.intended));
            }
            if latencies.not_found > 0 {
                let _ = writeln!(out, "  not found: {}", latencies.not_found);
            }
        }
        if self.scanned > 0 {
            let _ = writeln!(out, "records scanned: {}", self.scanned);
        }
        if let (failed @ 1.., Some(error)) = &self.failed_inserts {
            let _ = writeln!(out, "inserts that failed: {failed}, the first with: {error}");
        }
        let usage = &context.record.usage;
        let _ = writeln!(
            out,
            "CPU {:.2} s user, {:.2} s system; {:.1} MB on disk; {:.1} MB resident",
            usage.cpu_user,
            usage.cpu_system,
            context.debt.1.bytes_on_disk as f64 / 1e6,
            resident() as f64 / 1e6
        );
        if let Some((_, usage)) = &context.record.server {
            let (user, system) = (usage.cpu_user, usage.cpu_system);
            let each = (user + system) * 1e6 / self.count().max(1) as f64;
            let _ = writeln!(
                out,
                "server: CPU {user:.2} s user, {system:.2} s system, {each:.1} us per operation"
            );
        }
        out
    }

    /// Returns the object of the phase.
    pub fn json(&self, phase: Phase, context: &Context<'_>) -> Value {
        let operations: serde_json::Map<String, Value> = self
            .operations
            .iter()
            .map(|(operation, latencies)| (operation.name().to_owned(), latencies.json()))
            .collect();
        let properties: serde_json::Map<String, Value> = context
            .properties
            .given()
            .map(|(key, value)| (key.to_owned(), Value::from(value)))
            .collect();
        let usage = &context.record.usage;
        let (written, read) = self.user_bytes;
        let user =
            UserBytes { written: written as f64, read: read as f64, live: context.live_bytes };
        let bytes_on_disk = context.debt.1.bytes_on_disk;
        json!({
            "schema": SCHEMA,
            "suite": "ycsb",
            "workload": context.workload,
            "phase": phase.name(),
            "time": timestamp(),
            "engine": context.engine,
            "command": context.command,
            "seed": context.terms.seed,
            "slowdown_percent": context.terms.slowdown,
            "properties": properties,
            "threads": context.threads,
            "in_flight": context.terms.in_flight,
            "target": context.target,
            "complete": !self.interrupted && self.error.is_none(),
            "error": self.error,
            "operations": self.count(),
            "seconds": self.elapsed,
            "ops_per_sec": self.rate(),
            "latencies_us": operations,
            "records_scanned": self.scanned,
            "failed_inserts": self.failed_inserts.0,
            "cpu_user_s": usage.cpu_user,
            "cpu_system_s": usage.cpu_system,
            "bytes_written": usage.write_calls_bytes,
            "device_bytes_written": usage.device_written,
            "bytes_on_disk": bytes_on_disk,
            "label": null,
            "warm_up": context.record.warm_up(),
            "cost": context.record.cost(),
            "server": context.record.server.map(|(pid, usage)| costs(pid, &usage, self.count())),
            "amplification": context.record.amplification(user, bytes_on_disk),
            "debt_before": context.debt.0.json(),
            "debt_after": context.debt.1.json(),
            "resident_bytes": resident(),
            "cpu": cpu_fields("model name").first(),
            "kernel": std::fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|k| k.trim().to_owned()),
        })
    }
}
