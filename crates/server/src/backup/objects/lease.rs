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
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How often taking a lease is tried again after failed requests, and the wait before, which doubles each time.
const TRIES: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The tokens of the leases that this process holds or is taking. One that it could not release is not among them.
static OURS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Keeps a token among [`OURS`].
struct Token(String);

impl Token {
    fn new(token: &str) -> Token {
        OURS.lock().insert(token.to_owned());
        Token(token.to_owned())
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        OURS.lock().remove(&self.0);
    }
}

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
        if !is_known {
            return None;
        }
        match started(self.process) {
            ticks if ticks != self.started && (ticks != 0 || is_gone(self.process)) => Some(false),
            // A system may hide the processes of other users.
            0 => None,
            _ if self.process == std::process::id() => Some(OURS.lock().contains(&self.token)),
            _ => Some(true),
        }
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

/// Returns whether there is no process with this number.
fn is_gone(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    process.is_none_or(|process| {
        rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
    })
}

/// Why a lease was not taken.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Another process has it: its number and its machine.
    Taken(u32, String),
    /// The store ignores the conditions of writes, so two processes could have the lock.
    Unconditional,
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
            Error::Setting(format!("{place}: the lock needs a store with conditional writes"))
        }
        Refusal::Store(StoreError::NotFound { .. }) => {
            Error::Setting(format!("{place}: the bucket or container does not exist"))
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
        let holder = Holder::this();
        let token = Token::new(&holder.token);
        let (writer, renewed) = acquire(objects, path, terms, &holder).await?;
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

/// Writes the object as a new holder. Returns also when the lease begins. The crate repeats no conditional writes,
/// since it cannot know whether they succeeded; with the token, this can.
async fn acquire(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    terms: Terms,
    holder: &Holder,
) -> Result<(Writer, Instant), Refusal> {
    for tries in 0..TRIES {
        match acquire_as(objects, path, terms, holder).await {
            Err(Refusal::Store(StoreError::Generic { .. })) => {
                tokio::time::sleep(FIRST_WAIT * 2_u32.pow(tries)).await;
            }
            result => return result,
        }
    }
    acquire_as(objects, path, terms, holder).await
}

/// Writes the object once as this holder.
async fn acquire_as(
    objects: &Arc<dyn ObjectStore>,
    path: &Path,
    terms: Terms,
    holder: &Holder,
) -> Result<(Writer, Instant), Refusal> {
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
            tokio::time::sleep(FIRST_WAIT).await;
            continue;
        };
        let taken = || Refusal::Taken(found.process, found.host.clone());
        match found.runs() {
            Some(true) => return Err(taken()),
            Some(false) => {}
            None => watch(objects, path, &found, terms).await?.ok_or_else(taken)?,
        }
        let begun = Instant::now();
        let written = put(objects, path, holder, PutMode::Update(version)).await?;
        let written = written.ok_or_else(taken)?;
        check_conditions(objects, path, holder).await?;
        return begin(writer(written.version), written.is_certain, begun).await;
    }
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
