//! Memory by owner, as far as it is known.

use super::super::App;
use super::super::refusal::Refusal;
use crate::redis::shared::ProcessMemory;
use schemars::JsonSchema;
use serde::Serialize;

/// The memory of the process.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Memory {
    /// Bytes that the process has resident, with mapped files.
    resident_bytes: u64,
    /// Bytes that the process has resident without mapped files: what the owners share.
    used_bytes: u64,
    /// The most bytes that were in use when somebody asked.
    peak_bytes: u64,
    /// The limit of the block cache, which memtables are charged to.
    cache_limit_bytes: u64,
    /// The bytes from which on memtables are flushed.
    memtable_budget_bytes: u64,
    /// The owners, the largest first.
    owners: Vec<Owner>,
    /// Bytes in use of no known owner: stacks, tables of the allocator, and what nobody counts. It is negative if
    /// owners reserved more than they use.
    other_bytes: i64,
}

/// Who uses memory.
#[derive(Debug, Serialize, JsonSchema)]
struct Owner {
    /// Who.
    owner: &'static str,
    /// Bytes.
    bytes: u64,
    /// What bounds it.
    limit: &'static str,
}

/// Returns the memory of the process.
pub(in crate::http) fn get(app: &App) -> Result<Memory, Refusal> {
    let server = &app.parts.server;
    let process = ProcessMemory::now(server);
    let store = app.parts.store.memory();
    let clients = server.clients.list();
    let requests: usize = clients.iter().map(|client| client.input()).map(|(a, b)| a + b).sum();
    let messages: usize = clients.iter().map(|client| client.outbox.len()).sum();
    let queued: usize = clients.iter().map(|client| client.queued().1).sum();
    let (_, ranks) = server.ranks.sizes();
    let mut owners = vec![
        Owner { owner: "memtables", bytes: store.memtables, limit: "a quarter of --memory-mb" },
        Owner {
            owner: "block cache",
            bytes: store.cache.saturating_sub(store.cache_charged),
            limit: "three quarters of --memory-mb, with the memtables",
        },
        Owner { owner: "cached rows", bytes: store.rows, limit: "a quarter of --memory-mb" },
        Owner {
            owner: "indexes and filters of open table files",
            bytes: store.table_readers,
            limit: "none",
        },
        Owner {
            owner: "requests that arrive",
            bytes: requests as u64,
            limit: "client-query-buffer-limit per client",
        },
        Owner {
            owner: "messages to clients",
            bytes: messages as u64,
            limit: "client-output-buffer-limit per client",
        },
        Owner {
            owner: "queued commands of transactions",
            bytes: queued as u64,
            limit: "client-query-buffer-limit per client",
        },
        Owner { owner: "scripts", bytes: server.scripts.memory() as u64, limit: "none" },
        Owner {
            owner: "numbers of rows of large sorted sets",
            bytes: ranks as u64,
            limit: "64 MiB",
        },
    ];
    owners.sort_by_key(|owner| std::cmp::Reverse(owner.bytes));
    let known: u64 = owners.iter().map(|owner| owner.bytes).sum();
    Ok(Memory {
        resident_bytes: process.resident,
        used_bytes: process.used,
        peak_bytes: process.peak,
        cache_limit_bytes: store.cache_max,
        memtable_budget_bytes: store.memtables_max,
        owners,
        other_bytes: process.used.cast_signed().wrapping_sub(known.cast_signed()),
    })
}
