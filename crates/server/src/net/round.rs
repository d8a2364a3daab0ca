//! When replies are written: after the requests of all connections that are ready have been evaluated, as Redis does.
//!
//! A reply that is written at once wakes its client, which sends the next request, and so on: a worker and a client on
//! other processors then wake each other for each request. Replies that are written together wake a client once, and
//! their connections have more to read next time. A connection that is alone on its worker writes at once.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

thread_local! {
    /// The connection of this worker that wrote last.
    static LAST: Cell<u64> = const { Cell::new(0) };
    /// The number of connections of this worker so far.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// Those that wait for the end of the round, without its first; `None` between rounds.
    static WAITING: RefCell<Option<Vec<Waker>>> = const { RefCell::new(None) };
}

/// A connection's part in the rounds of its worker.
#[derive(Debug)]
pub(super) struct Round {
    /// Identifies the connection among those of its worker.
    id: u64,
}

/// A round that the connection began. Its end wakes the others, in the order in which they came.
struct Began;

impl Round {
    /// Returns the part of a new connection of this thread.
    pub(super) fn new() -> Round {
        let id = COUNT.get() + 1;
        COUNT.set(id);
        Round { id }
    }

    /// Waits until the other connections that are ready have had their turn. Returns at once if no other connection of
    /// the worker wrote since this one did.
    pub(super) async fn ended(&self) {
        if LAST.replace(self.id) == self.id {
            return;
        }
        match Began::new() {
            // It goes on when no other task is ready.
            Some(_round) => tokio::task::yield_now().await,
            None => wait().await,
        }
    }
}

impl Began {
    /// Begins a round; `None` if there is one.
    fn new() -> Option<Began> {
        WAITING.with_borrow_mut(|waiting| match waiting {
            Some(_) => None,
            None => {
                *waiting = Some(Vec::new());
                Some(Began)
            }
        })
    }
}

impl Drop for Began {
    fn drop(&mut self) {
        for waker in WAITING.take().into_iter().flatten() {
            waker.wake();
        }
    }
}

/// Waits for the end of the round, or for anything else that wakes the task: writing earlier does no harm.
async fn wait() {
    let mut has_waited = false;
    poll_fn(|context| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        WAITING.with_borrow_mut(|waiting| match waiting {
            Some(waiting) => {
                waiting.push(context.waker().clone());
                Poll::Pending
            }
            None => Poll::Ready(()),
        })
    })
    .await;
}

#[cfg(test)]
#[path = "round_test.rs"]
mod tests;
