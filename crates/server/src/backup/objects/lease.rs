//! The lock of a place in an object store: an object that its holder writes again and again.
//!
//! Stores have no locks that end with a process. A holder that is known to have ended, because it was a process of this
//! machine, is replaced at once; of others the object is watched, and taken over if it does not change for a while. No
//! clocks are compared. All changes are conditional on the version that was read.

use super::holder::{Holder, Token};
use super::http::is_final;
use crate::backup::BackupProgress;
use crate::error::Error;
use object_store::path::Path;
use object_store::{
    Error as StoreError, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How often taking a lease is tried again after failed requests, and the wait before, which doubles each time.
const TRIES: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// How long it is tried again. A request that failed for longer was repeated by the crate already.
const TRIED: Duration = Duration::from_secs(60);
/// How long a request that has begun may go on after a stop: cut off, it could still create the object afterwards.
const GRACE: Duration = Duration::from_secs(3);
/// How long removing the object of a lease that was not taken may take. Another process takes it over later.
const CLEAN_UP: Duration = Duration::from_secs(5);

/// How long the steps of a lease take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// How often the holder writes the object.
    pub(super) beat: Duration,
    /// How long a holder may write to the place after the last time that it renewed the lease.
    pub(super) valid: Duration,
    /// How long the object must not change before another process takes over.
    pub(super) patience: Duration,
}

impl Terms {
    /// The terms of servers.
    pub(super) const USUAL: Terms = Terms {
        beat: Duration::from_secs(10),
        valid: Duration::from_secs(40),
        patience: Duration::from_secs(60),
    };
}

/// Why a lease was not taken.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Another process has it: its number and its machine.
    Taken(u32, String),
    /// The store ignores the conditions of writes, so two processes could have the lock.
    Unconditional,
    /// The work was stopped.
    Stopped,
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        Refusal::Store(error)
    }
}

/// Returns the error of a place whose lease was refused.
pub(super) fn refusal(place: &str, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Taken(process, host) => Error::Setting(format!(
            "another process uses the backups in {place}, process {process} of {host}: wait until it ends"
        )),
        Refusal::Unconditional
        | Refusal::Store(StoreError::NotImplemented { .. } | StoreError::NotSupported { .. }) => {
            Error::Setting(format!(
                "{place}: the store ignores the conditions of writes (If-None-Match), which the lock needs"
            ))
        }
        Refusal::Stopped => Error::Io(place.to_owned(), io::Error::other(super::STOPPED)),
        Refusal::Store(StoreError::NotFound { .. }) => super::no_bucket(place),
        Refusal::Store(error) => Error::Io(place.to_owned(), super::problem(error)),
    }
}

/// Whether a lease is held.
#[derive(Debug)]
pub(super) struct State {
    terms: Terms,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    renewed: Instant,
    is_lost: bool,
}

impl State {
    /// Fails if the lease is not held.
    pub(super) fn check(&self) -> io::Result<()> {
        let inner = self.inner.lock();
        if inner.is_lost {
            return Err(io::Error::other("another process has taken the lock of the backups"));
        }
        match inner.renewed.elapsed() < self.terms.valid {
            true => Ok(()),
            false => Err(io::Error::other("the lock of the backups could not be renewed in time")),
        }
    }
}

/// A lease that is held, and the task that renews it.
pub(super) struct Lease {
    writer: Writer,
    state: Arc<State>,
    task: JoinHandle<()>,
    _token: Token,
}

/// Writes the object.
#[derive(Clone)]
struct Writer {
    objects: Arc<dyn ObjectStore>,
    path: Path,
    holder: Holder,
    version: UpdateVersion,
}

impl Lease {
    /// Takes the lease. It is renewed until it is released or the runtime ends. Stopping the progress ends this; then
    /// no object is left, unless the store cannot be reached.
    ///
    /// # Errors
    ///
    /// Another process has it, the store fails or has no conditional writes, or taking it was stopped.
    pub(super) async fn take(
        objects: &Arc<dyn ObjectStore>,
        path: &Path,
        terms: Terms,
        progress: &BackupProgress,
    ) -> Result<Lease, Refusal> {
        let holder = Holder::this();
        let token = Token::new(&holder.token);
        let place = Place { objects, path, terms, progress };
        let acquired = place.acquire_or_stop(&holder).await;
        if let Err(refusal) = &acquired
            && !matches!(refusal, Refusal::Taken(..))
        {
            // A write whose reply was lost may have created it.
            discard(objects, path, &holder.token).await;
        }
        let (writer, renewed) = acquired?;
        let inner = Mutex::new(Inner { renewed, is_lost: false });
        let state = Arc::new(State { terms, inner });
        let task = tokio::spawn(renew(writer.clone(), state.clone()));
        Ok(Lease { writer, state, task, _token: token })
    }

    /// Returns whether it is held, for others.
    pub(super) fn state(&self) -> Arc<State> {
        self.state.clone()
    }

    /// Tries to end the lease. If that fails, the lock remains, and another process takes it over later.
    pub(super) async fn release(self) {
        self.task.abort();
        // It may be writing.
        _ = self.task.await;
        if self.state.check().is_ok() {
            let deleted = self.writer.objects.delete(&self.writer.path);
            _ = tokio::time::timeout(self.state.terms.beat, deleted).await;
        }
    }
}

/// Where and how a lease is taken.
#[derive(Clone, Copy)]
struct Place<'p> {
    objects: &'p Arc<dyn ObjectStore>,
    path: &'p Path,
    terms: Terms,
    progress: &'p BackupProgress,
}

impl Place<'_> {
    /// Writes the object as a new holder, unless the work is stopped. Returns also when the lease begins.
    async fn acquire_or_stop(self, holder: &Holder) -> Result<(Writer, Instant), Refusal> {
        if self.progress.is_stopped() {
            return Err(Refusal::Stopped);
        }
        let mut acquired = std::pin::pin!(self.acquire(holder));
        tokio::select! {
            acquired = &mut acquired => acquired,
            () = super::stopped(self.progress) => {
                let late = |_| Err(Refusal::Stopped);
                tokio::time::timeout(GRACE, acquired).await.unwrap_or_else(late)
            }
        }
    }

    /// Waits, unless the work is stopped.
    async fn wait(self, time: Duration) -> Result<(), Refusal> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = super::stopped(self.progress) => Err(Refusal::Stopped),
        }
    }

    /// Writes the object as a new holder. The crate does not repeat a conditional write whose reply is lost, since it
    /// cannot know whether it succeeded; with the token, this can.
    async fn acquire(self, holder: &Holder) -> Result<(Writer, Instant), Refusal> {
        let begun = Instant::now();
        for tries in 0..TRIES {
            match self.acquire_as(holder).await {
                Err(Refusal::Store(error @ StoreError::Generic { .. }))
                    if !is_final(&error) && begun.elapsed() < TRIED =>
                {
                    self.wait(FIRST_WAIT * 2_u32.pow(tries)).await?;
                }
                result => return result,
            }
        }
        self.acquire_as(holder).await
    }

    /// Writes the object once as this holder.
    async fn acquire_as(self, holder: &Holder) -> Result<(Writer, Instant), Refusal> {
        let Place { objects, path, .. } = self;
        let writer = |version| {
            let (objects, path, holder) = (objects.clone(), path.clone(), holder.clone());
            Writer { objects, path, holder, version }
        };
        let mut tries = 0;
        loop {
            let begun = Instant::now();
            if let Some(written) = put(objects, path, holder, PutMode::Create).await? {
                check_conditions(objects, path, holder).await?;
                return begin(writer(written.version), written.is_certain, begun).await;
            }
            let Some((found, version)) = current(objects, path).await? else {
                // Released just now.
                tries += 1;
                if tries > TRIES {
                    return Err(Refusal::Taken(0, "another machine".to_owned()));
                }
                self.wait(FIRST_WAIT).await?;
                continue;
            };
            let taken = || Refusal::Taken(found.process, found.host.clone());
            match found.runs() {
                Some(true) => return Err(taken()),
                Some(false) => {}
                None => self.watch(&found).await?.ok_or_else(taken)?,
            }
            let begun = Instant::now();
            let written = put(objects, path, holder, PutMode::Update(version)).await?;
            let written = written.ok_or_else(taken)?;
            check_conditions(objects, path, holder).await?;
            return begin(writer(written.version), written.is_certain, begun).await;
        }
    }

    /// Waits whether the object changes. Returns nothing if it does.
    async fn watch(self, found: &Holder) -> Result<Option<()>, Refusal> {
        let begun = Instant::now();
        while begun.elapsed() < self.terms.patience {
            self.wait(self.terms.beat / 4).await?;
            match current(self.objects, self.path).await? {
                Some((now, _)) if now == *found => {}
                // Released meanwhile or renewed: either way another process was at work just now.
                _ => return Ok(None),
            }
        }
        Ok(Some(()))
    }
}

/// Removes the object if it has this token, as well as possible.
async fn discard(objects: &Arc<dyn ObjectStore>, path: &Path, token: &str) {
    let discarded = async {
        if let Ok(Some((found, _))) = current(objects, path).await
            && found.token == token
        {
            // Another process takes it over later.
            _ = objects.delete(path).await;
        }
    };
    _ = tokio::time::timeout(CLEAN_UP, discarded).await;
}

/// Fails if the store writes an object that exists although it must not.
async fn check_conditions(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    holder: &Holder,
) -> Result<(), Refusal> {
    let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
    match objects.put_opts(path, holder.bytes().into(), options).await {
        Err(StoreError::AlreadyExists { .. } | StoreError::Precondition { .. }) => Ok(()),
        Ok(_) => Err(Refusal::Unconditional),
        Err(error) => Err(error.into()),
    }
}

/// Returns the writer of an object that was written, and when the lease begins. Unless it is certain that the last
/// write was the one, the object is written again: others count from the first one.
async fn begin(
    mut writer: Writer,
    is_certain: bool,
    begun: Instant,
) -> Result<(Writer, Instant), Refusal> {
    if is_certain {
        return Ok((writer, begun));
    }
    let begun = Instant::now();
    writer.holder.beat += 1;
    let mode = PutMode::Update(writer.version.clone());
    let written = put(&writer.objects, &writer.path, &writer.holder, mode).await?;
    let written = written.ok_or_else(|| Refusal::Taken(0, "another machine".to_owned()))?;
    writer.version = written.version;
    Ok((writer, begun))
}

/// What was written.
struct Written {
    version: UpdateVersion,
    /// Whether this write did it; otherwise an earlier one of the same content, whose reply was lost, may have.
    is_certain: bool,
}

/// Writes the object under a condition. Returns nothing if the condition does not hold.
async fn put(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    holder: &Holder,
    mode: PutMode,
) -> Result<Option<Written>, Refusal> {
    let is_new = matches!(mode, PutMode::Create);
    let options = PutOptions { mode, ..PutOptions::default() };
    match objects.put_opts(path, holder.bytes().into(), options).await {
        Ok(result) => Ok(Some(Written { version: result.into(), is_certain: true })),
        // There is not even a bucket.
        Err(error @ StoreError::NotFound { .. }) if is_new => Err(error.into()),
        Err(
            StoreError::AlreadyExists { .. }
            | StoreError::Precondition { .. }
            | StoreError::NotFound { .. },
        ) => {
            let now = current(objects, path).await?;
            let ours = now.filter(|(found, _)| found == holder);
            Ok(ours.map(|(_, version)| Written { version, is_certain: false }))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the holder and the version of the object.
async fn current(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
) -> Result<Option<(Holder, UpdateVersion)>, Refusal> {
    let found = match objects.get(path).await {
        Err(StoreError::NotFound { .. }) => return Ok(None),
        found => found?,
    };
    let version =
        UpdateVersion { e_tag: found.meta.e_tag.clone(), version: found.meta.version.clone() };
    let bytes = found.bytes().await?;
    Ok(Some((Holder::parse(&bytes), version)))
}

/// Renews a lease until it is lost.
async fn renew(mut writer: Writer, state: Arc<State>) {
    loop {
        tokio::time::sleep(state.terms.beat).await;
        // The lease counts from when the request began.
        let begun = Instant::now();
        let mut next = writer.holder.clone();
        next.beat += 1;
        let mode = PutMode::Update(writer.version.clone());
        let written = put(&writer.objects, &writer.path, &next, mode);
        match tokio::time::timeout(state.terms.beat * 2, written).await {
            Ok(Ok(Some(written))) => {
                (writer.holder, writer.version) = (next, written.version);
                if written.is_certain {
                    state.inner.lock().renewed = begun;
                }
            }
            Ok(Ok(None)) => {
                state.inner.lock().is_lost = true;
                return;
            }
            // Tried again; meanwhile the lease may become too old to write.
            Ok(Err(_)) | Err(_) => {}
        }
    }
}
