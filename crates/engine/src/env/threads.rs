//! Threads: the only file of the engine that starts them. The system may refuse a thread at any time (EAGAIN: a limit
//! of the user or of a container), so each caller handles that, and tests can simulate refusals.

#[cfg(test)]
use super::clock;
use std::cell::RefCell;
use std::io;
use std::iter::once;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle, ThreadId};

pub use std::thread::{JoinHandle, panicking, yield_now};

/// The number of threads that can run in parallel, as far as the system reports it.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The id of this thread.
pub fn id() -> ThreadId {
    thread::current().id()
}

/// Starts a thread with this name.
pub fn spawn<T: Send + 'static>(
    name: &str,
    body: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let inherited = Inherited::of_this_thread()?;
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        inherited.take_over();
        body()
    })
}

/// Runs `body` on this thread and on up to `others` more, and returns each result, which is an error if that thread
/// panicked. If the system refuses threads, those that run do all the work.
pub fn together<T: Send>(
    name: &str,
    others: usize,
    body: impl Fn() -> T + Sync,
) -> Vec<thread::Result<T>> {
    thread::scope(|scope| {
        let more = (0..others).map_while(|_| spawn_scoped(scope, name, &body).ok());
        let running: Vec<_> = more.collect();
        let mine = catch_unwind(AssertUnwindSafe(&body));
        once(mine).chain(running.into_iter().map(ScopedJoinHandle::join)).collect()
    })
}

fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    body: &'scope (impl Fn() -> T + Sync),
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    let inherited = Inherited::of_this_thread()?;
    thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, move || {
        inherited.take_over();
        body()
    })
}

#[derive(Debug)]
struct RefusalState {
    active: AtomicBool,
    admitted: AtomicUsize,
    refused: AtomicUsize,
}

thread_local!(static REFUSALS: RefCell<Option<Arc<RefusalState>>> = const { RefCell::new(None) });

/// For tests: limits the number of threads that the creating thread, and threads started from it, can start, until it
/// is dropped.
#[derive(Debug)]
pub struct Refusals(Arc<RefusalState>);

impl Refusals {
    /// Lets `admitted` threads start; the others are refused.
    pub fn after(admitted: usize) -> Refusals {
        let (active, refused) = (AtomicBool::new(true), AtomicUsize::new(0));
        let shared =
            Arc::new(RefusalState { active, admitted: AtomicUsize::new(admitted), refused });
        inherit(Some(Arc::clone(&shared)));
        Refusals(shared)
    }

    /// The number of refused threads.
    pub fn count(&self) -> usize {
        self.0.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Refusals {
    fn drop(&mut self) {
        self.0.active.store(false, Ordering::Relaxed);
        inherit(None);
    }
}

/// The state that a thread inherits from the thread that starts it.
struct Inherited {
    refusals: Option<Arc<RefusalState>>,
    #[cfg(test)]
    clock: Option<Arc<clock::manual::Clock>>,
}

impl Inherited {
    /// The state to inherit from this thread. Fails if no further thread may start.
    fn of_this_thread() -> io::Result<Inherited> {
        Ok(Inherited {
            refusals: admit()?,
            #[cfg(test)]
            clock: clock::manual::current(),
        })
    }

    fn take_over(self) {
        inherit(self.refusals);
        #[cfg(test)]
        clock::manual::inherit(self.clock);
    }
}

/// Fails if no further thread may start; otherwise returns the refusals that it inherits.
fn admit() -> io::Result<Option<Arc<RefusalState>>> {
    // Threads whose thread-locals are destroyed can also start others.
    let Ok(Some(shared)) = REFUSALS.try_with(|r| r.borrow().clone()) else { return Ok(None) };
    if !shared.active.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let one_less = |n: usize| n.checked_sub(1);
    if shared.admitted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
        return Ok(Some(shared));
    }
    shared.refused.fetch_add(1, Ordering::Relaxed);
    Err(io::ErrorKind::WouldBlock.into())
}

fn inherit(refusals: Option<Arc<RefusalState>>) {
    if refusals.is_some() || REFUSALS.try_with(|r| r.borrow().is_some()).unwrap_or(false) {
        let _ = REFUSALS.try_with(|r| *r.borrow_mut() = refusals);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_by_fewer_threads_where_some_are_refused() {
        for admitted in [0, 1, 3, 10] {
            let refusals = Refusals::after(admitted);
            let next = AtomicUsize::new(0);
            let take = || (0..100).filter(|_| next.fetch_add(1, Ordering::Relaxed) < 100).count();
            let done = together("test", 3, take);
            assert_eq!(done.len(), 1 + admitted.min(3));
            assert_eq!(done.into_iter().map(|n| n.unwrap()).sum::<usize>(), 100);
            assert_eq!(refusals.count(), usize::from(admitted < 3));
            drop(refusals);
            assert_eq!(together("test", 3, || ()).len(), 4);
        }
    }

    #[test]
    fn refusals_come_down_from_thread_to_thread() {
        let refusals = Refusals::after(1);
        let child = spawn("child", || spawn("grandchild", || ()).map(|_| ()));
        let refused = child.unwrap().join().unwrap().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::WouldBlock);
        assert_eq!(refusals.count(), 1);
        thread::spawn(|| spawn("another", || ()).unwrap().join().unwrap()).join().unwrap();
    }

    #[test]
    fn a_panic_is_one_result() {
        let first = AtomicBool::new(true);
        let done =
            together("test", 2, || assert!(!first.swap(false, Ordering::Relaxed), "as wanted"));
        assert_eq!(done.iter().filter(|result| result.is_err()).count(), 1);
    }
}
