//! Files with a gate that every write must pass: the gate can delay a write or refuse it.

use super::{FRAGMENT_HEADER, FileSyncer, Fragment, WritableFile};
use crate::error::Result;
use std::sync::Arc;

/// Decides when, and whether, bytes are written.
pub trait Gate: Send {
    /// Returns when `bytes` may be written.
    ///
    /// # Errors
    /// An error refuses them; none of them are written.
    fn pass(&self, bytes: usize) -> Result<()>;
}

/// A file with a gate.
pub struct Gated<G> {
    file: Box<dyn WritableFile>,
    gate: G,
}

impl<G: Gate + 'static> Gated<G> {
    /// Adds `gate`, if there is one, to `file`.
    pub fn wrap(file: Box<dyn WritableFile>, gate: Option<G>) -> Box<dyn WritableFile> {
        match gate {
            Some(gate) => Box::new(Gated { file, gate }),
            None => file,
        }
    }
}

impl<G: Gate> WritableFile for Gated<G> {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.gate.pass(data.len())?;
        self.file.append(data)
    }
    fn append_record(&mut self, header: &[u8; FRAGMENT_HEADER], payload: &[u8]) -> Result<()> {
        self.gate.pass(header.len() + payload.len())?;
        self.file.append_record(header, payload)
    }
    fn append_fragments(&mut self, fragments: &[Fragment], payload: &[u8]) -> Result<()> {
        let bytes: u64 = fragments.iter().map(Fragment::size).sum();
        self.gate.pass(bytes as usize)?;
        self.file.append_fragments(fragments, payload)
    }
    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
    fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }
    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.file.syncer()
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    fn is_broken(&self) -> bool {
        self.file.is_broken()
    }
    fn close(&mut self) -> Result<()> {
        self.file.close()
    }
}
