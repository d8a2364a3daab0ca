//! Writing an object: in one request if it is small, else in parts.

use super::Objects;
use ferrolith::backup::BackupWriter;
use object_store::multipart::PartId;
use object_store::{MultipartId, ObjectStoreExt};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The size of a part in bytes. Stores accept at most 10,000 parts, so an object has at most 78 GiB.
const PART: usize = 8 << 20;
const PARTS_MAX: usize = 10_000;

/// The folder of the notes about uploads that have not finished.
const NOTES: &str = "uploads/";
/// A larger object is no note.
const NOTE_MAX: u64 = 64 << 10;
/// The time limit of each request that cleans up after a stopped upload. The next process cleans up the rest.
const CLEAN_UP: Duration = Duration::from_secs(5);

/// What is noted about an upload in parts, so that it can be cancelled after a kill.
#[derive(Deserialize, Serialize)]
struct Note {
    /// The name of the object.
    name: String,
    /// The store's number of the upload.
    id: String,
}

/// An object that is being written.
pub(super) struct Upload {
    objects: Arc<Objects>,
    name: String,
    buffer: Vec<u8>,
    parts: Option<Parts>,
}

/// An upload in parts.
struct Parts {
    id: MultipartId,
    /// The name of its note.
    note: String,
    done: Vec<PartId>,
}

impl Upload {
    /// Begins to write an object.
    pub(super) fn new(objects: Arc<Objects>, name: &str) -> Upload {
        Upload { objects, name: name.to_owned(), buffer: Vec::new(), parts: None }
    }

    /// Sends the buffer as a part.
    fn send(&mut self) -> io::Result<()> {
        self.objects.check_held()?;
        if self.parts.is_none() {
            self.parts = Some(begin(&self.objects, &self.name)?);
        }
        let Some(parts) = &mut self.parts else { return Ok(()) };
        if parts.done.len() == PARTS_MAX {
            let text = format!("the file is larger than {PARTS_MAX} parts of {PART} bytes");
            return Err(io::Error::other(text));
        }
        let bytes = std::mem::take(&mut self.buffer);
        let (store, path) = (&self.objects.store.parts, self.objects.path(&self.name));
        let sent = store.put_part(&path, &parts.id, parts.done.len(), bytes.into());
        parts.done.push(self.objects.run(sent)?);
        Ok(())
    }
}

/// Begins an upload in parts, and notes it.
fn begin(objects: &Arc<Objects>, name: &str) -> io::Result<Parts> {
    let path = objects.path(name);
    let id = objects.run(objects.store.parts.create_multipart(&path))?;
    let text = serde_json::to_vec(&Note { name: name.to_owned(), id: id.clone() })?;
    let note = format!("{NOTES}{:032x}", fastrand::u128(..));
    let noted = objects.run(objects.store.objects.put(&objects.path(&note), text.into()));
    let parts = Parts { id, note, done: Vec::new() };
    match noted {
        Ok(_) => Ok(parts),
        Err(error) => {
            cancel(objects, name, &parts.id);
            Err(error)
        }
    }
}

/// Cancels an upload, as well as possible: its parts would cost space, but nobody would see them. Returns whether it is
/// cancelled.
fn cancel(objects: &Objects, name: &str, id: &MultipartId) -> bool {
    let path = objects.path(name);
    // Even if the work was stopped.
    objects.driver.run(async {
        let cancelled = objects.store.parts.abort_multipart(&path, id);
        matches!(tokio::time::timeout(CLEAN_UP, cancelled).await, Ok(Ok(())))
    })
}

impl BackupWriter for Upload {
    fn append(&mut self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            // The last part is sent at the end, since an object of exactly one part needs none.
            if self.buffer.len() == PART {
                self.send()?;
            }
            let (now, later) = data.split_at(data.len().min(PART - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            data = later;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let path = self.objects.path(&self.name);
        if self.parts.is_none() {
            self.objects.check_held()?;
            let bytes = std::mem::take(&mut self.buffer);
            self.objects.run(self.objects.store.objects.put(&path, bytes.into()))?;
            return Ok(());
        }
        self.send()?;
        self.objects.check_held()?;
        let Some(parts) = &mut self.parts else { return Ok(()) };
        let done = std::mem::take(&mut parts.done);
        self.objects.run(self.objects.store.parts.complete_multipart(&path, &parts.id, done))?;
        let Some(parts) = self.parts.take() else { return Ok(()) };
        // The note is about nothing any more, and the next process removes it if this fails.
        _ = self.objects.remove(&parts.note);
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(parts) = self.parts.take() {
            // With the note, the next process can cancel it.
            if cancel(&self.objects, &self.name, &parts.id) {
                let path = self.objects.path(&parts.note);
                _ = self.objects.driver.run(async {
                    tokio::time::timeout(CLEAN_UP, self.objects.store.objects.delete(&path)).await
                });
            }
        }
    }
}

/// Cancels the uploads of processes that ended before they finished. Arguments: the names and sizes of all objects.
///
/// # Errors
///
/// A note cannot be read or removed, or an upload cannot be cancelled.
pub(super) fn cancel_unfinished(objects: &Objects, listed: &[(String, u64)]) -> io::Result<()> {
    for (name, size) in listed.iter().filter(|(name, _)| name.starts_with(NOTES)) {
        let text = match size {
            1..=NOTE_MAX => objects.read(name, 0..*size)?,
            _ => bytes::Bytes::new(),
        };
        // Another program's object is of no use here either, and would be read each time.
        if let Ok(note) = serde_json::from_slice::<Note>(&text) {
            let path = objects.path(&note.name);
            match objects.run(objects.store.parts.abort_multipart(&path, &note.id)) {
                // It was completed or cancelled.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        objects.remove(name)?;
    }
    Ok(())
}
