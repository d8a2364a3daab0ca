//! How many bytes a connection reads at a time: little while it sends little, more while its reads fill the buffer.
//!
//! What one read returns is evaluated together and answered with one system call. So a small buffer would cut a
//! pipeline into pieces, and a large one would be lost memory for most connections.

/// The room of the first read.
const ROOM: usize = 4 << 10;
/// The maximum room.
const ROOM_MAX: usize = 64 << 10;

/// The size of a connection's next read.
pub(super) struct Reading {
    room: usize,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading { room: ROOM }
    }
}

impl Reading {
    /// Makes room behind `input`. With `wanted`, it is known how many bytes complete a request.
    pub(super) fn make_room(&self, input: &mut Vec<u8>, wanted: usize) {
        input.reserve(wanted.min(ROOM_MAX).max(self.room));
    }

    /// Notes what a read left in `input`.
    pub(super) fn has_read(&mut self, input: &Vec<u8>) {
        if input.len() == input.capacity() {
            self.room = (2 * self.room).min(ROOM_MAX);
        }
    }
}

#[cfg(test)]
#[path = "reading_test.rs"]
mod tests;
