//! Writing large values: copies of values to other keys, and rows of new collections that do not fit into one batch.

use super::context::{Context, Held};
use super::databases::Database;
use super::failure::{DAMAGED, Done, Failure, KEY_TOO_LONG};
use super::values::{Coll, Place, is_collection};
use crate::rows::redis::{COLLECTION_KEY_MAX, Collection, DATA, GROUP, Head, SCORE};
use crate::store::Batch;
use std::sync::Arc;

/// The bytes of a new collection's rows that are committed together with its M row.
const BATCH_BYTES: usize = 1 << 20;
/// How long the rows of a new collection may be written. Compactions may remove them a minute after the version was
/// chosen, unless its M row is written by then.
const WRITING_MAX_US: u64 = 30_000_000;

/// Writes the rows of a new collection. The first [`BATCH_BYTES`] belong to the command's transaction. Further rows are
/// committed on the way: nobody sees them before the M row is written, and compactions remove them if it never is.
pub struct BulkWriter {
    started_us: u64,
    bytes: usize,
    own: Option<Batch>,
}

impl BulkWriter {
    /// Returns a writer for a collection whose version was just chosen.
    pub fn new(context: &Context<'_>) -> BulkWriter {
        BulkWriter { started_us: context.server.clock.monotonic_us(), bytes: 0, own: None }
    }

    /// Writes a row of a collection with a new version.
    ///
    /// # Errors
    ///
    /// The store failed, or writing took too long.
    pub fn put(
        &mut self,
        context: &mut Context<'_>,
        coll: &Coll<'_>,
        kind: u8,
        sub: &[u8],
        value: &[u8],
    ) -> Done {
        let key = coll.sub_key(kind, sub);
        self.bytes += key.len() + value.len();
        let store = &context.server.store;
        let Some(batch) = &mut self.own else {
            if self.bytes >= BATCH_BYTES {
                (self.bytes, self.own) = (0, Some(Batch::default()));
            }
            return Ok(context.txn.put(coll.place.partition, &key, value)?);
        };
        store.put(batch, coll.place.partition, &key, value)?;
        if self.bytes >= BATCH_BYTES {
            self.commit(context)?;
        }
        Ok(())
    }

    /// Commits the rows that do not belong to the transaction. The M row must be written after this.
    ///
    /// # Errors
    ///
    /// As [`put`](BulkWriter::put).
    pub fn finish(mut self, context: &mut Context<'_>) -> Done {
        self.commit(context)
    }

    fn commit(&mut self, context: &mut Context<'_>) -> Done {
        let Some(batch) = &mut self.own else { return Ok(()) };
        if context.server.clock.monotonic_us() > self.started_us + WRITING_MAX_US {
            return Err("ERR the value is too large to be written within 30 seconds".into());
        }
        self.bytes = 0;
        context.server.store.commit(batch)?;
        context.txn.refresh_view();
        Ok(())
    }
}

impl Context<'_> {
    /// Returns an error, after which the command is evaluated again with the latches of all keys, unless it holds them.
    ///
    /// # Errors
    ///
    /// The latches of some keys only are held.
    pub fn require_all(&self) -> Done {
        match self.held {
            Held::All => Ok(()),
            Held::Keys(_) => Err(Failure::Undeclared),
        }
    }

    /// Evaluates a part of a command in another database. The latches of all keys must be held.
    pub fn in_database<R>(
        &mut self,
        database: &Arc<Database>,
        part: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let home = std::mem::replace(&mut self.db, database.clone());
        let result = part(self);
        self.db = home;
        result
    }

    /// Copies the value and the expiry of a key to a key of the selected database, which it replaces. The key to copy
    /// may be in another database.
    ///
    /// # Errors
    ///
    /// The other key is too long for a collection.
    pub fn copy_value(&mut self, from: &Place<'_>, to: &[u8]) -> Done {
        let found = self.meta(from, |head, body| (head, body.to_vec()))?;
        let Some((head, body)) = found else { return Ok(()) };
        let to = self.place(to);
        let value = if is_collection(head) {
            let row = Collection::parse(head, &body).ok_or(DAMAGED)?;
            self.copy_rows(Coll { place: *from, row, is_stored: true }, &to)?.to_bytes().to_vec()
        } else {
            let mut value = Vec::with_capacity(body.len() + 8);
            Head::write(&head, &mut value);
            value.extend_from_slice(&body);
            value
        };
        self.remove(&to)?;
        self.notify(b'n', "new", to.key);
        self.txn.put(to.partition, &to.meta(), &value)?;
        self.touch(to.key);
        Ok(())
    }

    /// Copies the rows of a collection below another key. Returns its M row.
    fn copy_rows(&mut self, from: Coll<'_>, to: &Place<'_>) -> Done<Collection> {
        if to.key.len() > COLLECTION_KEY_MAX {
            return Err(KEY_TOO_LONG.into());
        }
        let version = self.server.store.versions().next();
        let row = Collection { version, ..from.row.clone() };
        let to = Coll { place: *to, row, is_stored: false };
        let mut writer = BulkWriter::new(self);
        for kind in [DATA, SCORE, GROUP] {
            let mut rows = self.sub_rows(&from, kind)?;
            let mut item = rows.first()?;
            while let Some((row, value)) = item {
                writer.put(self, &to, kind, from.sub(row), value)?;
                item = rows.next()?;
            }
        }
        writer.finish(self)?;
        Ok(to.row)
    }
}
