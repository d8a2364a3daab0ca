//! A cursor over a column family.

use crate::error::Result;
use crate::store::RowCursor;

pub(super) struct LocalCursor(pub(super) ferrolith::Cursor);

impl RowCursor for LocalCursor {
    fn seek_to_end(&mut self, is_last: bool) {
        match is_last {
            true => self.0.seek_to_last(),
            false => self.0.seek_to_first(),
        }
    }

    fn seek(&mut self, key: &[u8]) {
        self.0.seek(key);
    }

    fn seek_for_prev(&mut self, key: &[u8]) {
        self.0.seek_for_prev(key);
    }

    fn step(&mut self, is_backwards: bool) {
        match is_backwards {
            true => self.0.prev(),
            false => self.0.next(),
        }
    }

    fn item(&self) -> Option<(&[u8], &[u8])> {
        self.0.item()
    }

    fn status(&self) -> Result<()> {
        Ok(self.0.status()?)
    }
}
