//! Clients of MONITOR, which see all commands.

use super::clients::Client;
use parking_lot::RwLock;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The clients that sent MONITOR.
#[derive(Debug, Default)]
pub struct Monitors {
    clients: RwLock<Vec<Arc<Client>>>,
    count: AtomicUsize,
}

impl Monitors {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Adds a client, unless it is there.
    pub fn add(&self, client: &Arc<Client>) {
        let mut clients = self.clients.write();
        if !clients.iter().any(|other| other.id == client.id) {
            clients.push(client.clone());
        }
        self.count.store(clients.len(), Ordering::Relaxed);
    }

    /// Removes a client.
    pub fn remove(&self, client: u64) {
        if !self.is_empty() {
            let mut clients = self.clients.write();
            clients.retain(|other| other.id != client);
            self.count.store(clients.len(), Ordering::Relaxed);
        }
    }

    /// Sends a command to all. `source` is the address of its client, or `lua`.
    pub fn feed(&self, wall_us: u64, database: u32, source: &str, args: &[&[u8]]) {
        let line = line(wall_us, database, source, args);
        self.clients.read().iter().for_each(|client| client.outbox.send(line.as_bytes()));
    }
}

fn line(wall_us: u64, database: u32, source: &str, args: &[&[u8]]) -> String {
    let (seconds, us) = (wall_us / 1_000_000, wall_us % 1_000_000);
    let mut line = format!("+{seconds}.{us:06} [{database} {source}]");
    for arg in args {
        line.push(' ');
        quote(arg, &mut line);
    }
    line.push_str("\r\n");
    line
}

/// Appends bytes in quotes, with escapes for those that cannot be printed.
pub fn quote(bytes: &[u8], out: &mut String) {
    out.push('"');
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            7 => out.push_str("\\a"),
            8 => out.push_str("\\b"),
            b' '..=b'~' => out.push(char::from(*byte)),
            // Writing to a string does not fail.
            byte => _ = write!(out, "\\x{byte:02x}"),
        }
    }
    out.push('"');
}

#[cfg(test)]
#[path = "monitors_test.rs"]
mod tests;
