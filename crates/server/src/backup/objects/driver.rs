//! A thread that runs an asynchronous runtime, so that threads which copy files may wait for requests.

use std::future::Future;
use std::io;
use std::thread::JoinHandle;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// The thread, which ends when this is dropped.
pub(super) struct Driver {
    handle: Handle,
    /// Dropping it makes the thread end.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The system refuses a thread or what the runtime needs.
    pub(super) fn start() -> io::Result<Driver> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        let run = move || {
            // Either way, the driver was dropped.
            _ = runtime.block_on(ended);
            // A look-up of a name may hang, and is of no use any more.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("objects".to_owned()).spawn(run)?;
        Ok(Driver { handle, end: Some(end), thread: Some(thread) })
    }

    /// Waits for a future. Its tasks, connections and timers run on the thread.
    pub(super) fn run<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic was printed when it happened.
            _ = thread.join();
        }
    }
}
