//! The window: the eight bytes of each user key that the tree compares first (MI3).
//!
//! It begins after the prefix that all current keys share, where the keys differ.

use crate::base::short::{common_prefix, first_eight};

/// The position of the eight bytes of user keys that the tree caches.
pub(super) struct Window {
    /// Whether bytes determine the order. If not, every window is 0, and all comparisons tie.
    enabled: bool,
    /// The part of the shared prefix that the window skips.
    shared: Vec<u8>,
    /// The number of comparisons that windows did not decide since the window last moved.
    ties: u32,
    /// The number of ties after which the window moves. It doubles when a move changed nothing.
    patience: u32,
}

impl Window {
    const FIRST_PATIENCE: u32 = 32;
    const MOST_PATIENCE: u32 = 1 << 20;
    /// The window begins this many bytes before the first difference; otherwise it would have to
    /// move each time one of these bytes changes.
    const MARGIN: usize = 4;

    /// A window at the beginning of keys; disabled if `enabled` is false.
    pub(super) fn new(enabled: bool) -> Window {
        Window { enabled, shared: Vec::new(), ties: 0, patience: Window::FIRST_PATIENCE }
    }

    /// Moves the window to the beginning of keys.
    pub(super) fn reset(&mut self) {
        self.shared.clear();
        self.ties = 0;
        self.patience = Window::FIRST_PATIENCE;
    }

    /// Counts a comparison that the windows did not decide.
    #[inline]
    pub(super) fn count_tie(&mut self) {
        self.ties = self.ties.saturating_add(1);
    }

    /// Whether there were enough ties to move the window.
    #[inline]
    pub(super) fn is_tiring(&self) -> bool {
        self.enabled && self.ties >= self.patience
    }

    /// The window of a key; `None` if the key lacks the shared prefix.
    #[inline]
    pub(super) fn load(&self, user_key: &[u8]) -> Option<u64> {
        if self.shared.is_empty() {
            return Some(self.load_unshared(user_key));
        }
        user_key.strip_prefix(self.shared.as_slice()).map(first_eight)
    }

    /// The window of a key that has the shared prefix.
    pub(super) fn load_shared(&self, user_key: &[u8]) -> u64 {
        debug_assert!(user_key.starts_with(&self.shared));
        if self.enabled { first_eight(&user_key[self.shared.len()..]) } else { 0 }
    }

    /// The window of a key while there is no shared prefix.
    #[inline]
    pub(super) fn load_unshared(&self, user_key: &[u8]) -> u64 {
        if self.enabled { first_eight(user_key) } else { 0 }
    }

    /// Moves the window past the shared prefix of these keys.
    pub(super) fn find<'a>(&mut self, mut keys: impl Iterator<Item = &'a [u8]>) {
        let first = keys.next().unwrap_or_default();
        let shared = keys.fold(first.len(), |shared, key| common_prefix(&first[..shared], key));
        let shared = &first[..shared.saturating_sub(Window::MARGIN)];
        self.patience = if self.shared == shared {
            (self.patience * 2).min(Window::MOST_PATIENCE)
        } else {
            Window::FIRST_PATIENCE
        };
        self.shared.clear();
        self.shared.extend_from_slice(shared);
        self.ties = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_keep_the_order_of_keys() {
        let keys: [&[u8]; 7] = [b"", b"\0", b"a", b"a\0", b"abcdefgh", b"abcdefghi", b"b"];
        for pair in keys.windows(2) {
            assert!(first_eight(pair[0]) <= first_eight(pair[1]), "{pair:?}");
        }
        assert_eq!(first_eight(b"abc"), u64::from_be_bytes(*b"abc\0\0\0\0\0"));
        let mut window = Window::new(true);
        window.find([&b"user-1234"[..], b"user-1299", b"user-12"].into_iter());
        assert_eq!(window.shared, b"use");
        assert_eq!(window.load(b"usual"), None);
        assert_eq!(window.load(b"user-1"), Some(u64::from_be_bytes(*b"r-1\0\0\0\0\0")));
    }
}
