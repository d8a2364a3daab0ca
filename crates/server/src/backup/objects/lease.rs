//! The lock of a place in an object store: an object that its holder writes again and again.
//!
//! Stores have no locks that end with a process. A holder that is known to have ended, because it was a process of this
//! machine, is replaced at once; of others the object is watched, and taken over if it does not change for a while. No
//! clocks are compared. All changes are conditional on the version that was read.

use crate::error::Error;
use object_store::path::Path;
use object_store::{
    Error as StoreError, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How often taking a lease is tried again after failed requests, and the wait before, which doubles each time.
const TRIES: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_millis(100);

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

/// The content of the object.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Holder {
    /// A random text, another one for each lease.
    token: String,
    /// The name of the machine.
    host: String,
    process: u32,
    /// What tells machines and their spaces of process numbers apart; empty if the system does not say.
    domain: String,
    /// When the process started, in the system's ticks; 0 if the system does not say.
    started: u64,
    /// How often the holder has written the object.
    beat: u64,
}

impl Holder {
    /// Returns this process with a new token.
    fn this() -> Holder {
        let process = std::process::id();
        Holder {
            token: format!("{:032x}", fastrand::u128(..)),
            host: read("/proc/sys/kernel/hostname"),
            process,
            domain: domain(),
            started: started(process),
            beat: 0,
        }
    }

    /// Returns whether the holder runs, if this machine can tell.
    fn runs(&self) -> Option<bool> {
        let is_known = !self.domain.is_empty() && self.started > 0 && self.domain == domain();
        is_known.then(|| started(self.process) == self.started)
    }

    fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

fn read(file: &str) -> String {
    std::fs::read_to_string(file).map_or_else(|_| String::new(), |text| text.trim().to_owned())
}

/// Returns the boot of the machine and the space of process numbers; empty if the system does not say.
fn domain() -> String {
    let space = std::fs::read_link("/proc/self/ns/pid");
    let boot = read("/proc/sys/kernel/random/boot_id");
    match space {
        Ok(space) if !boot.is_empty() => format!("{boot} {}", space.display()),
        _ => String::new(),
    }
}

/// Returns when a process started, in ticks since the boot; 0 if there is none or the system does not say.
fn started(process: u32) -> u64 {
    let text = read(&format!("/proc/{process}/stat"));
    // The second field is the program's name in parentheses, which may have anything in it.
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Why a lease was not taken.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Another process has it: its number and its machine.
    Taken(u32, String),
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
        Refusal::Store(StoreError::NotImplemented { .. } | StoreError::NotSupported { .. }) => {
            Error::Setting(format!("{place}: the lock needs a store with conditional writes"))
        }
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
    /// Takes the lease. It is renewed until it is released or the runtime ends.
    ///
    /// # Errors
    ///
    /// Another process has it, or the store fails or has no conditional writes.
    pub(super) async fn take(
        objects: &Arc<dyn ObjectStore>,
        path: &Path,
        terms: Terms,
    ) -> Result<Lease, Refusal> {
        let writer = acquire(objects, path, terms).await?;
        let inner = Mutex::new(Inner { renewed: Instant::now(), is_lost: false });
        let state = Arc::new(State { terms, inner });
        let task = tokio::spawn(renew(writer.clone(), state.clone()));
        Ok(Lease { writer, state, task })
    }

    /// Returns whether it is held, for others.
    pub(super) fn state(&self) -> Arc<State> {
        self.state.clone()
    }

    /// Ends the lease, as well as possible: another process can take over what is left of it.
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

/// Writes the object as a new holder. The crate repeats no conditional writes, since it cannot know whether they
/// succeeded; with the token, this can.
async fn acquire(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    terms: Terms,
) -> Result<Writer, Refusal> {
    let holder = Holder::this();
    for tries in 0..TRIES {
        match acquire_as(objects, path, terms, &holder).await {
            Err(Refusal::Store(StoreError::Generic { .. })) => {
                tokio::time::sleep(FIRST_WAIT * 2_u32.pow(tries)).await;
            }
            result => return result,
        }
    }
    acquire_as(objects, path, terms, &holder).await
}

/// Writes the object once as this holder.
async fn acquire_as(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    terms: Terms,
    holder: &Holder,
) -> Result<Writer, Refusal> {
    let writer = |version| {
        let (objects, path, holder) = (objects.clone(), path.clone(), holder.clone());
        Writer { objects, path, holder, version }
    };
    loop {
        if let Some(version) = put(objects, path, holder, PutMode::Create).await? {
            return Ok(writer(version));
        }
        let Some((found, version)) = current(objects, path).await? else { continue };
        let taken = || Refusal::Taken(found.process, found.host.clone());
        match found.runs() {
            Some(true) => return Err(taken()),
            Some(false) => {}
            None => watch(objects, path, &found, terms).await?.ok_or_else(taken)?,
        }
        let taken_over = put(objects, path, holder, PutMode::Update(version)).await?;
        return taken_over.map(writer).ok_or_else(taken);
    }
}

/// Waits whether the object changes. Returns nothing if it does.
async fn watch(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    found: &Holder,
    terms: Terms,
) -> Result<Option<()>, Refusal> {
    let begun = Instant::now();
    while begun.elapsed() < terms.patience {
        tokio::time::sleep(terms.beat / 4).await;
        match current(objects, path).await? {
            Some((now, _)) if now == *found => {}
            // Released meanwhile or renewed: either way another process was at work just now.
            _ => return Ok(None),
        }
    }
    Ok(Some(()))
}

/// Writes the object under a condition. Returns its version, or nothing if the condition does not hold.
async fn put(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    holder: &Holder,
    mode: PutMode,
) -> Result<Option<UpdateVersion>, Refusal> {
    let options = PutOptions { mode, ..PutOptions::default() };
    match objects.put_opts(path, holder.bytes().into(), options).await {
        Ok(result) => Ok(Some(result.into())),
        Err(
            StoreError::AlreadyExists { .. }
            | StoreError::Precondition { .. }
            | StoreError::NotFound { .. },
        ) => {
            // The first of two tries may have succeeded without a reply.
            let now = current(objects, path).await?;
            Ok(now.and_then(|(found, version)| (found == *holder).then_some(version)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the holder and the version of the object. One that is not understood has an unknown holder.
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
    let unknown = || Holder {
        token: String::from_utf8_lossy(&bytes).into_owned(),
        host: "another machine".to_owned(),
        process: 0,
        domain: String::new(),
        started: 0,
        beat: 0,
    };
    Ok(Some((serde_json::from_slice(&bytes).unwrap_or_else(|_| unknown()), version)))
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
        match put(&writer.objects, &writer.path, &next, mode).await {
            Ok(Some(version)) => {
                (writer.holder, writer.version) = (next, version);
                state.inner.lock().renewed = begun;
            }
            Ok(None) => {
                state.inner.lock().is_lost = true;
                return;
            }
            // Tried again; meanwhile the lease may become too old to write.
            Err(_) => {}
        }
    }
}
