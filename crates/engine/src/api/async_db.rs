//! Using a database from asynchronous programs (feature `tokio`).
//!
//! The engine's calls block their thread. A read that misses the caches reads a file, a write copies into the log and
//! waits while compactions are behind ([write stalls]), a synced write waits for the device, a transaction waits for
//! locks, and a flush or a checkpoint takes as long as its I/O. On a thread that runs tasks, such a call delays other
//! tasks. [`AsyncDb`] moves calls to tokio's threads for blocking work, with one exception: a lookup whose answer is in
//! memory is answered immediately, without a thread switch.
//!
//! ```
//! use ferrolith::{AsyncDb, Db};
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().to_owned();
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! let db = AsyncDb::new(Db::open(path)?); // opening blocks: before the program serves, or in `spawn_blocking`
//! db.put("key", "value").await?;
//! assert_eq!(db.get("key").await?.unwrap(), "value");
//!
//! // Several calls with one change of threads:
//! let count = db.run(|db| {
//!     db.put("other", "value")?;
//!     Ok(db.iter().count())
//! }).await?;
//! assert_eq!(count, 2);
//! # Ok::<(), ferrolith::Error>(())
//! # }).unwrap();
//! ```
//!
//! # Cancellation
//! Dropping a future does not undo or stop a call that has begun: a dropped write still completes or fails. A call that
//! has not begun, because all blocking threads are busy, begins later. Put operations that must happen together into
//! one [`WriteBatch`] or one [`AsyncDb::run`]. The future of [`AsyncIter::next`] may be dropped and the method called
//! again without losing an item.
//!
//! # Limiting concurrent calls
//! tokio starts up to 512 blocking threads. If a program has many more tasks than the device can serve, limit its calls
//! with a semaphore, or with `max_blocking_threads` of the runtime.
//!
//! [write stalls]: crate::Db::put

use crate::error::{Code, Error, Result};
use crate::{Db, Iter, Key, ReadOptions, ReadTier, Value, WriteBatch};
use futures_core::Stream;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// The number of items that an [`AsyncIter`] reads per thread switch.
const CHUNK: usize = 128;

/// A database for asynchronous programs; see the [module](crate::async_db). Cheap to clone.
///
/// Its methods must be called within a tokio runtime.
#[derive(Clone, Debug)]
pub struct AsyncDb {
    db: Db,
    /// Options that read from memory only.
    in_memory: Arc<ReadOptions>,
}

impl AsyncDb {
    /// Wraps an open database.
    pub fn new(db: Db) -> AsyncDb {
        let in_memory = Arc::new(ReadOptions::new().read_tier(ReadTier::BlockCache));
        AsyncDb { db, in_memory }
    }

    /// Returns the database, for calls that may block.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Runs `call` on a thread for blocking work and returns its result. All features of the database can be used in
    /// it: transactions, snapshots, checkpoints.
    ///
    /// # Errors
    /// The error of `call`, or `Aborted` if the runtime is shut down before the call begins. A panic of `call`
    /// continues in the caller.
    pub async fn run<R: Send + 'static>(
        &self,
        call: impl FnOnce(&Db) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let db = self.db.clone();
        joined(spawn_blocking(move || call(&db)).await)?
    }

    /// Returns the value of a key of the default column family. If the answer is in memtables and the block cache, it
    /// is returned without a thread switch.
    ///
    /// # Errors
    /// Same as [`Db::get`] and [`AsyncDb::run`].
    pub async fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let key = key.as_ref();
        match self.db.get_opt(key, &self.in_memory) {
            Err(e) if e.code() == Code::Incomplete => {
                let key = key.to_vec();
                self.run(move |db| db.get(key)).await
            }
            found => found,
        }
    }

    /// Returns the values of many keys in their order, all from one state of the database.
    ///
    /// # Errors
    /// Same as [`Db::multi_get`], for the first key that fails, and [`AsyncDb::run`].
    pub async fn multi_get<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Vec<Option<Value>>> {
        let keys: Vec<Vec<u8>> = keys.into_iter().map(|key| key.as_ref().to_vec()).collect();
        self.run(move |db| db.multi_get(keys).into_iter().collect()).await
    }

    /// Sets a key of the default column family.
    ///
    /// # Errors
    /// Same as [`Db::put`] and [`AsyncDb::run`].
    pub async fn put(&self, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Result<()> {
        let (key, value) = (key.into(), value.into());
        self.run(move |db| db.put(key, value)).await
    }

    /// Deletes a key of the default column family.
    ///
    /// # Errors
    /// Same as [`Db::delete`] and [`AsyncDb::run`].
    pub async fn delete(&self, key: impl Into<Vec<u8>>) -> Result<()> {
        let key = key.into();
        self.run(move |db| db.delete(key)).await
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// Same as [`Db::write`] and [`AsyncDb::run`].
    pub async fn write(&self, batch: WriteBatch) -> Result<()> {
        self.run(move |db| db.write(batch)).await
    }

    /// Reads an iterator on threads for blocking work, many items at a time.
    ///
    /// ```
    /// use ferrolith::{AsyncDb, Db};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path().to_owned();
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # runtime.block_on(async {
    /// let db = AsyncDb::new(Db::open(path)?);
    /// db.put("user:1", "Ada").await?;
    /// let mut users = db.scan(|db| db.prefix("user:"));
    /// while let Some((key, value)) = users.next().await? {
    ///     println!("{key:?} = {value:?}");
    /// }
    /// # Ok::<(), ferrolith::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn scan(&self, make: impl FnOnce(&Db) -> Iter + Send + 'static) -> AsyncIter {
        let db = self.db.clone();
        AsyncIter {
            ready: VecDeque::new(),
            state: State::Reading(spawn_blocking(move || read(make(&db)))),
        }
    }
}

/// Returns the result of a thread for blocking work. A panic in it continues here.
fn joined<R>(result: std::result::Result<R, JoinError>) -> Result<R> {
    result.map_err(|e| match e.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Error::new(Code::Aborted, "the tokio runtime is shut down"),
    })
}

/// Items of a scan, and the iterator unless it has ended.
struct Chunk {
    items: VecDeque<(Key, Value)>,
    rest: Rest,
}

enum Rest {
    More(Iter),
    End,
    Failed(Error),
}

fn read(mut iter: Iter) -> Chunk {
    let mut items = VecDeque::with_capacity(CHUNK);
    while items.len() < CHUNK {
        match iter.next() {
            Some(Ok(item)) => items.push_back(item),
            Some(Err(e)) => return Chunk { items, rest: Rest::Failed(e) },
            None => return Chunk { items, rest: Rest::End },
        }
    }
    Chunk { items, rest: Rest::More(iter) }
}

/// The items of a scan, from [`AsyncDb::scan`]. It is also a [`Stream`]:
///
/// ```
/// use ferrolith::{AsyncDb, Db};
/// use futures_core::Stream;
/// use std::future::poll_fn;
/// use std::pin::Pin;
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().to_owned();
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// let db = AsyncDb::new(Db::open(path)?);
/// db.put("user:1", "Ada").await?;
/// let mut users = db.scan(|db| db.prefix("user:"));
/// // Or `StreamExt` of the crates `futures` and `tokio-stream`.
/// while let Some(user) = poll_fn(|context| Pin::new(&mut users).poll_next(context)).await {
///     let (key, value) = user?;
///     println!("{key:?} = {value:?}");
/// }
/// # Ok::<(), ferrolith::Error>(())
/// # }).unwrap();
/// ```
pub struct AsyncIter {
    ready: VecDeque<(Key, Value)>,
    state: State,
}

enum State {
    /// A thread is reading the next chunk. The handle stays here if a future is dropped.
    Reading(JoinHandle<Chunk>),
    Waiting(Iter),
    Failed(Error),
    Done,
}

impl AsyncIter {
    /// Returns the next item, or `None` at the end. Dropping the future loses no item.
    ///
    /// # Errors
    /// Returns the error that ended the scan once, and then `None`.
    pub async fn next(&mut self) -> Result<Option<(Key, Value)>> {
        poll_fn(|context| self.poll_item(context)).await
    }

    fn poll_item(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<(Key, Value)>>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Poll::Ready(Ok(Some(item)));
            }
            if let State::Reading(handle) = &mut self.state {
                let chunk = ready!(Pin::new(handle).poll(context));
                self.state = State::Done;
                let Chunk { items, rest } = joined(chunk)?;
                self.ready = items;
                self.state = match rest {
                    Rest::More(iter) => State::Waiting(iter),
                    Rest::End => State::Done,
                    Rest::Failed(e) => State::Failed(e),
                };
                continue;
            }
            match std::mem::replace(&mut self.state, State::Done) {
                State::Waiting(iter) => {
                    self.state = State::Reading(spawn_blocking(move || read(iter)));
                }
                State::Failed(e) => return Poll::Ready(Err(e)),
                State::Reading(_) | State::Done => return Poll::Ready(Ok(None)),
            }
        }
    }
}

/// The items as a stream, for the combinators of other crates. A scan that fails yields one `Err` and then ends.
impl Stream for AsyncIter {
    type Item = Result<(Key, Value)>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_item(context).map(Result::transpose)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let known = self.ready.len();
        (known, matches!(self.state, State::Done).then_some(known))
    }
}

impl fmt::Debug for AsyncIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncIter").field("ready", &self.ready.len()).finish_non_exhaustive()
    }
}
