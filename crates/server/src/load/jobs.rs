//! The loads of a running server: one at a time, on a thread of its own.

use super::loader::{Loaded, Loader, Request};
use super::places::LoadPlaces;
use super::progress::LoadProgress;
use crate::error::{Error, Result};
use crate::rows::pegasus::Version;
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use tracing::{error, info};

/// A load that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// Counts the loads of this process, from 1 on.
    pub number: u64,
    /// The name of the table.
    pub table: String,
    /// How far it is.
    pub progress: Arc<LoadProgress>,
    /// When it began, in seconds since 1970.
    pub began_s: u64,
    began: Instant,
}

impl Running {
    /// Returns for how long it has run, in seconds.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

/// How a load ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of the load.
    pub number: u64,
    /// The name of the table.
    pub table: String,
    /// What it did, or why it failed.
    pub result: std::result::Result<Loaded, String>,
    /// When it ended, in seconds since 1970.
    pub ended_s: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    last: Option<Outcome>,
    thread: Option<JoinHandle<()>>,
    is_closed: bool,
    /// How many loads there were.
    count: u64,
}

/// The loads of a server. By default it has no tables into which files can be loaded.
#[derive(Clone, Default)]
pub struct Loads {
    loader: Option<Arc<Loader>>,
    places: LoadPlaces,
    state: Arc<Mutex<State>>,
}

impl Loads {
    /// Returns the loads of a server whose clients may name files in these places.
    pub fn new(loader: Loader, places: LoadPlaces) -> Loads {
        Loads { loader: Some(Arc::new(loader)), places, state: Arc::default() }
    }

    /// Starts to load files that a client names, and returns the number of the load. `bytes_per_second` limits its rate
    /// unless it is 0. `now_s` is the time, in seconds since 1970.
    ///
    /// # Errors
    ///
    /// The client may not load these files, there is no such table, another load runs, or the server stops.
    pub fn start(
        &self,
        table: &str,
        names: &[&str],
        version: Option<Version>,
        bytes_per_second: u64,
        now_s: u64,
    ) -> Result<u64> {
        let paths = names.iter().map(|name| self.places.resolve(name)).collect::<Result<_>>()?;
        let loader = self.loader.clone().ok_or_else(stopping)?;
        loader.table(table)?;
        let request = Request { table: table.to_owned(), paths, version };
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(stopping());
        }
        if let Some(running) = &state.running {
            return Err(Error::Setting(format!(
                "files are being loaded into table {:?}: wait for the end, or stop it with FERROLITH LOAD-STOP",
                running.table
            )));
        }
        let number = state.count + 1;
        let running = Running {
            number,
            table: table.to_owned(),
            progress: Arc::new(LoadProgress::with_rate(bytes_per_second)),
            began_s: now_s,
            began: Instant::now(),
        };
        let (loads, progress) = (self.clone(), running.progress.clone());
        let run = move || {
            let work = || loader.load(&request, &progress);
            let result = catch_unwind(AssertUnwindSafe(work));
            // The panic was printed when it happened. Without this, the load would seem to run for ever.
            loads.end(result.unwrap_or_else(|_| Err(Error::corrupt("the load panicked"))));
        };
        let thread = std::thread::Builder::new().name("load".to_owned()).spawn(run);
        state.thread =
            Some(thread.map_err(|error| Error::Io("starting a thread".to_owned(), error))?);
        state.count = number;
        state.running = Some(running);
        drop(state);
        info!(target: "ferrolith::load", number, table, "started");
        Ok(number)
    }

    fn end(&self, result: Result<Loaded>) {
        let mut state = self.state.lock();
        let Some(running) = state.running.take() else { return };
        let (number, table, seconds) = (running.number, running.table.clone(), running.seconds());
        match &result {
            Ok(Loaded { files, rows, .. }) => {
                info!(target: "ferrolith::load", number, table, files, rows, seconds, "done");
            }
            Err(error) => {
                error!(target: "ferrolith::load", number, table, seconds, %error, "failed")
            }
        }
        state.last = Some(Outcome {
            number,
            table,
            result: result.map_err(|error| error.to_string()),
            ended_s: running.began_s + seconds as u64,
            seconds,
        });
    }

    /// Makes the load that runs end soon. Returns whether one runs.
    pub fn stop(&self) -> bool {
        let state = self.state.lock();
        state.running.as_ref().inspect(|running| running.progress.stop()).is_some()
    }

    /// Returns the load that runs.
    pub fn running(&self) -> Option<Running> {
        self.state.lock().running.clone()
    }

    /// Returns how the last load ended.
    pub fn last(&self) -> Option<Outcome> {
        self.state.lock().last.clone()
    }

    /// Stops the load that runs, waits for its end, and refuses further ones.
    pub fn close(&self) {
        let thread = {
            let mut state = self.state.lock();
            state.is_closed = true;
            if let Some(running) = &state.running {
                running.progress.stop();
            }
            state.thread.take()
        };
        if let Some(thread) = thread {
            // A panic was printed when it happened.
            _ = thread.join();
        }
    }
}

fn stopping() -> Error {
    Error::Setting("the server stops".to_owned())
}
