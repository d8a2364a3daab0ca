//! The eight bytes of each user key that the merge heap compares first (MI3).
//!
//! They begin behind what all current keys share, so that they differ where the keys differ.

use crate::base::short::first_eight;

/// Which eight bytes of user keys the heap caches.
pub(super) struct Window {
    /// Bytes say something about the order. If not, every window is 0 and ties.
    enabled: bool,
    /// What all current keys begin with, as far as the window skips it.
    shared: Vec<u8>,
    /// Comparisons that the windows did not decide, since the window moved.
    ties: u32,
    /// So many ties move the window. Doubled when that changed nothing.
    patience: u32,
}

impl Window {
    const FIRST_PATIENCE: u32 = 32;
    const MOST_PATIENCE: u32 = 1 << 20;
    /// The window begins so many bytes before the first difference, or it would have to move
    /// each time one of them changes.
    const MARGIN: usize = 4;

    /// A window at the front of keys, or none.
    pub(super) fn new(enabled: bool) -> Window {
        Window { enabled, shared: Vec::new(), ties: 0, patience: Window::FIRST_PATIENCE }
    }

    /// Puts it at the front of keys.
    pub(super) fn reset(&mut self) {
        self.shared.clear();
        self.ties = 0;
        self.patience = Window::FIRST_PATIENCE;
    }

    /// A comparison was not decided by the windows.
    #[inline]
    pub(super) fn count_tie(&mut self) {
        self.ties = self.ties.saturating_add(1);
    }

    /// Whether there were so many ties that it should move.
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

    /// Finds the shared prefix of these keys.
    pub(super) fn find<'a>(&mut self, mut keys: impl Iterator<Item = &'a [u8]>) {
        let first = keys.next().unwrap_or_default();
        let shared = keys.fold(first.len(), |shared, key| {
            first[..shared].iter().zip(key).take_while(|(a, b)| a == b).count()
        });
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
