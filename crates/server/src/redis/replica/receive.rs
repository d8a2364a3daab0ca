//! Receives the copy of all data that the other server sends.
//!
//! ```text
//! copy = "$" length LF bytes | "$EOF:" mark:40 LF bytes mark
//! ```
//!
//! The copy goes to a file first, so that the other server is rid of it soon, and the old data is served until it is
//! there. The file has no name, so a killed process leaves nothing behind.

use super::link::{ACK_INTERVAL, Link, unexpected};
use super::load::Copy;
use super::position::Position;
use super::state::{Copied, LinkState};
use crate::error::{Error, Result};
use crate::resp::Peer;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, Write};
use std::time::Instant;

/// The length of the mark at the end of a copy of unknown length.
const MARK: usize = 40;
/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;

impl Link<'_> {
    /// Copies all data. It replaces what this server has.
    pub(super) fn copy(&self, peer: &mut Peer, position: Position) -> Result<Position> {
        self.update(|status| (status.link, status.copy) = (LinkState::Syncing, Copied::default()));
        let line = self.line(peer)?;
        let mut file = self.spool_file()?;
        let length = match line.strip_prefix('$') {
            Some(text) => match text.strip_prefix("EOF:") {
                Some(mark) if mark.len() == MARK => self.receive_marked(peer, mark, &mut file)?,
                _ => {
                    let length = text.parse().map_err(|_| unexpected("the copy", &line))?;
                    self.update(|status| status.copy.total = Some(length));
                    self.receive_counted(peer, length, &mut file)?
                }
            },
            None => return Err(unexpected("the copy", &line)),
        };
        eprintln!("replica of {}: a copy of {length} bytes arrived", self.target);
        file.rewind().map_err(|error| self.failed("the file of the copy", error))?;
        // From here on nothing is left of a stream that was followed before.
        self.update(|status| (status.position, status.copy.total) = (None, Some(length)));
        let mut copy = Copy::begin(self.server, self.generation, &self.target)?;
        let mut socket =
            peer.socket().try_clone().map_err(|error| self.failed("the connection", error))?;
        let mut last = Instant::now();
        copy.load(BufReader::with_capacity(CHUNK, file), &mut |keys, loaded| {
            if last.elapsed() >= ACK_INTERVAL {
                last = Instant::now();
                // The other server must not take this one for dead. If it is gone, the stream shows it.
                _ = socket.write_all(b"\n");
            }
            self.update(|status| (status.copy.keys, status.copy.loaded) = (keys, loaded));
            match self.server.replication.is_stopping() {
                true => Err(Error::Setting("the server stops".to_owned())),
                false => Ok(()),
            }
        })?;
        copy.finish(&position)?;
        self.update(|status| {
            status.position = Some(position.clone());
            status.errors = 0;
            status.last_error.clear();
        });
        eprintln!("replica of {}: the copy is loaded", self.target);
        Ok(position)
    }

    /// Returns a file without a name, in the directory of the data.
    fn spool_file(&self) -> Result<File> {
        let dir = &self.server.settings.dir;
        let file = match dir.is_empty() {
            true => tempfile::tempfile(),
            false => tempfile::tempfile_in(dir),
        };
        file.map_err(|error| self.failed("creating a file for the copy", error))
    }

    fn receive_counted(&self, peer: &mut Peer, length: u64, file: &mut File) -> Result<u64> {
        let (mut left, mut chunk) = (length, vec![0; CHUNK]);
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let part = chunk.get_mut(..most).unwrap_or_default();
            let read = self.receive_part(peer, part)?;
            self.spool(file, part.get(..read).unwrap_or_default(), length - left + read as u64)?;
            left -= read as u64;
        }
        Ok(length)
    }

    /// Receives a copy up to its mark. Nothing follows the mark before the first acknowledgement.
    fn receive_marked(&self, peer: &mut Peer, mark: &str, file: &mut File) -> Result<u64> {
        // The end of what arrived is kept back, since the mark is no part of the copy.
        let (mut held, mut chunk, mut length) = (Vec::new(), vec![0; CHUNK], 0);
        loop {
            let read = self.receive_part(peer, &mut chunk)?;
            held.extend_from_slice(chunk.get(..read).unwrap_or_default());
            let is_end = held.ends_with(mark.as_bytes());
            let count = held.len().saturating_sub(MARK);
            length += count as u64;
            self.spool(file, held.get(..count).unwrap_or_default(), length)?;
            held.drain(..count);
            if is_end {
                return Ok(length);
            }
        }
    }

    fn receive_part(&self, peer: &mut Peer, part: &mut [u8]) -> Result<usize> {
        match peer.reader().read(part) {
            Ok(0) => Err(self.failed("receiving the copy", ErrorKind::UnexpectedEof.into())),
            Ok(read) => Ok(read),
            Err(error) => Err(self.failed("receiving the copy", error)),
        }
    }

    fn spool(&self, file: &mut File, bytes: &[u8], read: u64) -> Result<()> {
        let now_us = self.server.clock.monotonic_us();
        self.update(|status| (status.copy.read, status.heard_us) = (read, now_us));
        file.write_all(bytes).map_err(|error| self.failed("writing the file of the copy", error))
    }
}
