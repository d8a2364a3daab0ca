//! Receives the copy of all data that the other server sends.
//!
//! ```text
//! copy = "$" length LF bytes | "$EOF:" mark:40 LF bytes mark
//! ```
//!
//! The copy goes to a file first, so that the other server is rid of it soon. The file is read to its checksum before
//! the old data is removed: a copy that was cut off or damaged changes nothing. The file has no name, so a killed
//! process leaves nothing behind.

use super::link::{ACK_INTERVAL, Link, unexpected};
use super::load::{Copy, check};
use super::position::Position;
use super::state::{Copied, LinkState};
use crate::error::{Error, Result};
use crate::resp::Peer;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, Write};
use std::time::Instant;
use tracing::info;

/// The length of the mark at the end of a copy of unknown length.
const MARK: usize = 40;
/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;

impl Link<'_> {
    /// Copies all data. It replaces what this server has.
    pub(super) fn copy(&self, peer: &mut Peer, position: Position) -> Result<Position> {
        self.update(|status| (status.link, status.copy) = (LinkState::Syncing, Copied::default()));
        let mut file = self.spool_file()?;
        let length = self.receive(peer, &mut file)?;
        info!(target: "ferrolith::replica", master = %self.target, bytes = length, "the copy arrived");
        self.update(|status| status.copy.total = Some(length));
        let mut signs = Signs { peer, last: Instant::now() };
        let source = self.rewound(&file)?;
        check(source, self.server.databases.count(), &mut |_, checked| {
            self.update(|status| status.copy.checked = checked);
            self.go_on(&mut signs)
        })?;
        // From here on nothing is left of a stream that was followed before.
        self.update(|status| status.position = None);
        let mut copy = Copy::begin(self.server, self.generation, &self.target)?;
        copy.load(self.rewound(&file)?, &mut |keys, loaded| {
            self.update(|status| (status.copy.keys, status.copy.loaded) = (keys, loaded));
            self.go_on(&mut signs)
        })?;
        copy.finish(&position)?;
        self.update(|status| {
            status.position = Some(position.clone());
            status.errors = 0;
            status.last_error.clear();
        });
        info!(target: "ferrolith::replica", master = %self.target, "the copy is loaded");
        Ok(position)
    }

    /// Writes the copy to a file, and returns its length in bytes.
    fn receive(&self, peer: &mut Peer, file: &mut File) -> Result<u64> {
        let line = self.line(peer)?;
        let Some(text) = line.strip_prefix('$') else { return Err(unexpected("the copy", &line)) };
        match text.strip_prefix("EOF:") {
            Some(mark) if mark.len() == MARK => self.receive_marked(peer, mark, file),
            _ => {
                let length = text.parse().map_err(|_| unexpected("the copy", &line))?;
                self.update(|status| status.copy.total = Some(length));
                self.receive_counted(peer, length, file)
            }
        }
    }

    /// Returns a reader of the copy from its first byte.
    fn rewound<'f>(&self, mut file: &'f File) -> Result<BufReader<&'f File>> {
        file.rewind().map_err(|error| self.failed("the file of the copy", error))?;
        Ok(BufReader::with_capacity(CHUNK, file))
    }

    /// Gives the other server a sign of life, and fails if the copy is not wanted any more.
    fn go_on(&self, signs: &mut Signs<'_>) -> Result<()> {
        signs.send();
        let replication = &self.server.replication;
        if replication.is_stopping() {
            return Err(Error::Setting("the server stops".to_owned()));
        }
        match replication.generation() == self.generation {
            true => Ok(()),
            false => Err(Error::Setting("the server follows another one now".to_owned())),
        }
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

/// Signs of life while nothing is received.
struct Signs<'p> {
    peer: &'p mut Peer,
    last: Instant,
}

impl Signs<'_> {
    /// Sends one if the last one is a while ago.
    fn send(&mut self) {
        if self.last.elapsed() >= ACK_INTERVAL {
            self.last = Instant::now();
            // The other server must not take this one for dead. If it is gone, the stream shows it.
            _ = self.peer.send(b"\n");
        }
    }
}
