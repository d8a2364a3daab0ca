//! Operations whose replies have not all arrived, by their tickets.

use crate::target::Result;

/// An operation that was begun.
#[derive(Default)]
pub(super) struct Flight {
    /// Replies that have not arrived.
    pub(super) waiting: usize,
    /// Records found so far.
    pub(super) records: u64,
    /// Whether what the operation is about exists.
    pub(super) is_found: bool,
    /// Records that must exist for it to be found; 0 if other rules apply.
    pub(super) wanted: u64,
    /// The key of the last record that a scan found.
    pub(super) last: Vec<u8>,
    /// The first error of a reply.
    error: Option<String>,
    /// The key, for errors and checks.
    pub(super) key: Vec<u8>,
}

/// All operations of a connection.
#[derive(Default)]
pub(super) struct Flights(Vec<Flight>);

impl Flights {
    /// Begins an operation on a key.
    pub(super) fn begin(&mut self, ticket: usize, key: &[u8]) {
        if self.0.len() <= ticket {
            self.0.resize_with(ticket + 1, Flight::default);
        }
        let flight = &mut self.0[ticket];
        debug_assert_eq!(flight.waiting, 0, "the ticket is in use");
        let mut kept = std::mem::take(&mut flight.key);
        kept.clear();
        kept.extend_from_slice(key);
        *flight = Flight { key: kept, ..Flight::default() };
    }

    /// Returns an operation that was begun.
    pub(super) fn of(&mut self, ticket: usize) -> &mut Flight {
        &mut self.0[ticket]
    }

    /// Notes that a reply is an error.
    pub(super) fn fail(&mut self, ticket: usize, error: String) {
        self.0[ticket].error.get_or_insert(error);
    }

    /// Counts a reply. Returns whether its operation is found, and its records, or its error, if that was its last
    /// reply.
    pub(super) fn land(&mut self, ticket: usize) -> Option<Result<(bool, u64)>> {
        let flight = &mut self.0[ticket];
        flight.waiting = flight.waiting.saturating_sub(1);
        if flight.waiting > 0 {
            return None;
        }
        let is_found = match flight.wanted {
            0 => flight.is_found,
            wanted => flight.records == wanted,
        };
        Some(match flight.error.take() {
            None => Ok((is_found, flight.records)),
            Some(error) => {
                let key = String::from_utf8_lossy(&flight.key);
                Err(format!("the operation on {key} failed: {error}"))
            }
        })
    }
}
