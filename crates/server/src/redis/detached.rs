//! Requests that run too long for a worker, such as scripts: they are evaluated on threads of their own.
//!
//! A worker runs a script for a while, because most end soon. Then it discards what the request did so far and hands
//! the connection's session to a thread, which runs the request from its beginning; the worker serves its other
//! connections. The connection reads nothing until the thread returns the session with the reply.

use super::args::Args;
use super::execute::Worker;
use super::observe::Source;
use super::server::Server;
use super::session::Session;
use super::table;
use crate::resp::Reply;
use crate::script::STACK_BYTES;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};

/// After this time on a worker a script gets a thread of its own, in microseconds.
pub const WORKER_MAX_US: u64 = 100_000;
/// The number of threads; further requests wait until one ends.
const THREADS_MAX: usize = 16;

/// A request that begins anew on a thread of its own.
#[derive(Debug)]
pub struct Detached {
    /// Its arguments.
    pub args: Vec<Box<[u8]>>,
    /// When it began, by the monotonic clock.
    pub start_us: u64,
    /// How long its script ran on the worker, in microseconds; `None` if the request did not begin there.
    pub ran_us: Option<u64>,
}

/// A session that comes back, and the reply to its request.
pub type Finished = (Session, Vec<u8>);

/// A request on its way to its thread.
struct Task {
    session: Session,
    request: Detached,
    finished: oneshot::Sender<Finished>,
}

/// The threads of such requests.
pub struct ScriptThreads {
    slots: Semaphore,
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// What threads that ended leave to later ones.
    workers: Mutex<Vec<Worker>>,
}

impl Default for ScriptThreads {
    fn default() -> ScriptThreads {
        let slots = Semaphore::new(THREADS_MAX);
        ScriptThreads { slots, handles: Mutex::default(), workers: Mutex::default() }
    }
}

impl ScriptThreads {
    /// Waits until a request may have a thread. The result is kept until the thread ends.
    pub async fn slot(&self) -> Option<SemaphorePermit<'_>> {
        // It fails only for semaphores that are closed.
        self.slots.acquire().await.ok()
    }

    /// Waits for all threads. Scripts must have been told to end.
    pub fn join(&self) {
        let handles = std::mem::take(&mut *self.handles.lock());
        for thread in handles {
            // A panic was printed when it happened.
            _ = thread.join();
        }
    }

    fn add(&self, thread: JoinHandle<()>) {
        let mut handles = self.handles.lock();
        handles.retain(|thread| !thread.is_finished());
        handles.push(thread);
    }
}

impl Server {
    /// Runs a request on a thread of its own, and returns the receiver of the session with the reply. The thread closes
    /// the session if the receiver is gone.
    pub fn detach(
        self: &Arc<Server>,
        session: Session,
        request: Detached,
    ) -> oneshot::Receiver<Finished> {
        let (finished, receiver) = oneshot::channel();
        let (sender, tasks) = mpsc::channel::<Task>();
        let server = self.clone();
        let run = move || {
            if let Ok(task) = tasks.recv() {
                server.run_task(task);
            }
        };
        let thread = Builder::new().name("script".to_owned()).stack_size(STACK_BYTES).spawn(run);
        let task = Task { session, request, finished };
        match thread {
            Ok(thread) => {
                self.script_threads.add(thread);
                // The thread receives it, since it waits for nothing else.
                _ = sender.send(task);
            }
            Err(error) => {
                let Task { mut session, finished, .. } = task;
                session.multi = None;
                session.unwatch(self);
                let mut out = Reply::new(session.protocol);
                out.error(&format!("ERR starting a thread for a script that runs long: {error}"));
                _ = finished.send((session, out.take()));
            }
        }
        receiver
    }

    fn run_task(&self, task: Task) {
        let Task { mut session, request, finished } = task;
        let worker = self.script_threads.workers.lock().pop();
        let mut worker = worker.unwrap_or_else(|| self.detached_worker());
        let reply = self.execute_detached(&mut worker, &mut session, &request);
        self.wake_postponed(&mut worker);
        self.script_threads.workers.lock().push(worker);
        if let Err((mut session, _)) = finished.send((session, reply)) {
            session.close(self);
        }
    }

    fn execute_detached(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        request: &Detached,
    ) -> Vec<u8> {
        let args: Vec<&[u8]> = request.args.iter().map(|arg| &arg[..]).collect();
        let args = Args::new(&args);
        let mut out = Reply::new(session.protocol);
        self.begin(worker);
        (worker.is_repeated, worker.ran_us) =
            (request.ran_us.is_some(), request.ran_us.unwrap_or(0));
        match table::find(args) {
            Ok(command) => {
                let result = self.run(worker, session, command, args, &mut out);
                let began = (Source::Client, request.start_us);
                self.ended(worker, session, (command, args), began, &result);
                self.conclude(session, Some(command), result, (0, &mut out));
            }
            Err(failure) => out.error(&failure.text()),
        }
        out.take()
    }
}
