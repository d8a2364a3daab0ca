//! The merging iterator: merges sorted iterators with a [loser tree](tree) over their current keys.
//!
//! * **MI1** The winner of the tree is the child that is on the current entry. The tree contains exactly the valid
//!   children. Equal keys are in the order of the children, so newer sources come first.
//! * **MI2** In forward iteration, every other child is on its first entry after the current one; in backward
//!   iteration, on its last entry before it. A change of direction seeks all other children again.
//! * **MI3** An item caches eight bytes of its child's user key. Whenever a child moves, its item is reloaded, unless
//!   it is the only one. If the cached bytes of two items differ, they order the keys; otherwise the keys are compared.
//!
//! The cached bytes (the window) follow a prefix that all current keys share: keys such as `user000000012345` differ
//! only in their last bytes. The window moves when ties are frequent, and when a key lacks the shared prefix.

mod tree;
mod window;

use self::tree::{Item, Tree};
use self::window::Window;
use crate::base::InternalIterator;
use crate::base::KeyOrder;
use crate::base::iterator::EmptyIterator;
use crate::base::key::TRAILER_SIZE;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::error::{Error, Result};

/// Returns an iterator over all entries of `children` in order. For equal keys, earlier children
/// come first.
pub fn merging_iterator<C: InternalIterator + 'static>(
    order: KeyOrder,
    mut children: Vec<C>,
) -> Box<dyn InternalIterator> {
    match (children.pop(), children.is_empty()) {
        (None, _) => Box::new(EmptyIterator::new()),
        (Some(only), true) => Box::new(only),
        (Some(last), false) => {
            children.push(last);
            Box::new(MergingIterator::new(order, children))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// The merging iterator; see the header of this file.
pub struct MergingIterator<C> {
    order: KeyOrder,
    children: Vec<C>,
    tree: Tree,
    direction: Direction,
    window: Window,
    error: Option<Error>,
    /// A copy of the current key while the direction changes.
    turning_key: Vec<u8>,
}

impl<C: InternalIterator> MergingIterator<C> {
    /// An iterator over all entries of `children` in order. For equal keys, earlier children come
    /// first.
    pub fn new(order: KeyOrder, children: Vec<C>) -> MergingIterator<C> {
        MergingIterator {
            window: Window::new(order.is_bytewise()),
            order,
            tree: Tree::new(children.len()),
            children,
            direction: Direction::Forward,
            error: None,
            turning_key: Vec::new(),
        }
    }

    /// Moves every child.
    #[inline]
    fn seek_children(&mut self, seek: impl Fn(&mut C)) {
        let _timer = PerfTimer::start(PerfMetric::SeekChildSeekTime);
        perf::count(PerfMetric::SeekChildSeekCount, self.children.len() as u64);
        self.children.iter_mut().for_each(seek);
    }

    /// Rebuilds the tree after all children have moved.
    fn rebuild(&mut self, direction: Direction) {
        let _timer = PerfTimer::start(match direction {
            Direction::Forward => PerfMetric::SeekMinHeapTime,
            Direction::Backward => PerfMetric::SeekMaxHeapTime,
        });
        self.direction = direction;
        self.error = None;
        self.window.reset();
        for iter in &self.children {
            if !iter.valid()
                && let Err(e) = iter.status()
            {
                self.tree.clear();
                self.error = Some(e);
                return;
            }
        }
        let MergingIterator { order, children, tree, window, .. } = self;
        let valid = children.iter().enumerate().filter(|(_, iter)| iter.valid());
        let items = valid.map(|(child, iter)| {
            let window = turned(window.load_unshared(user_part(iter.key())), direction);
            Item { window, child }
        });
        // Ties are counted from the first step on: the window has just moved.
        tree.build(items, |a, b| goes_first_by_key(order, children, direction, a, b));
    }

    /// Removes the first child, which has no more entries or failed.
    #[cold]
    fn remove_front(&mut self, child: usize) {
        let MergingIterator { order, children, tree, direction, .. } = self;
        match children[child].status() {
            Ok(()) => {
                tree.remove_winner(|a, b| goes_first_by_key(order, children, *direction, a, b));
            }
            Err(e) => {
                self.tree.clear();
                self.error = Some(e);
            }
        }
    }

    /// Finds the first child again after the one that was first moved to another entry. `window` is that of its key, or
    /// `None` if the key lacks the shared prefix.
    #[inline(always)]
    fn settle_front(&mut self, window: Option<u64>) {
        // The other keys have not changed.
        let window = match window {
            Some(window) => turned(window, self.direction),
            None => self.move_window(),
        };
        let MergingIterator { order, children, tree, direction, window: place, .. } = self;
        tree.replay(window, |a, b| {
            place.count_tie();
            goes_first_by_key(order, children, *direction, a, b)
        });
        if self.window.is_tiring() {
            self.move_window();
        }
    }

    /// Determines the prefix that all current keys share, reloads every item, and returns the window of the first. This
    /// does not change the order: windows only speed comparisons up.
    #[cold]
    fn move_window(&mut self) -> u64 {
        let (children, direction) = (&self.children, self.direction);
        self.window.find(self.tree.items().map(|item| user_part(children[item.child].key())));
        for item in self.tree.items_mut() {
            let key = user_part(children[item.child].key());
            item.window = turned(self.window.load_shared(key), direction);
        }
        self.tree.winner().map_or(0, |item| item.window)
    }

    /// Changes direction and takes the first step in it.
    fn turn(&mut self, to: Direction) {
        let Some(Item { child: current, .. }) = self.tree.winner() else { return };
        let mut key = std::mem::take(&mut self.turning_key);
        key.clear();
        key.extend_from_slice(self.children[current].key());
        for (i, child) in self.children.iter_mut().enumerate() {
            let on_key = |c: &C| c.valid() && self.order.compare(c.key(), &key).is_eq();
            match to {
                Direction::Forward if i == current => child.next(),
                Direction::Backward if i == current => child.prev(),
                Direction::Forward => {
                    child.seek(&key);
                    // Among equal keys, those of earlier children are before the current entry.
                    if i < current && on_key(child) {
                        child.next();
                    }
                }
                Direction::Backward => {
                    child.seek_for_prev(&key);
                    if i > current && on_key(child) {
                        child.prev();
                    }
                }
            }
        }
        self.turning_key = key;
        self.rebuild(to);
    }

    /// The child on the current entry; `None` if the iterator is not valid.
    #[inline]
    fn front(&self) -> Option<&C> {
        self.tree.winner().map(|item| &self.children[item.child])
    }
}

impl<C: InternalIterator> InternalIterator for MergingIterator<C> {
    #[inline]
    fn valid(&self) -> bool {
        self.tree.winner().is_some()
    }

    fn seek_to_first(&mut self) {
        self.seek_children(|c| c.seek_to_first());
        self.rebuild(Direction::Forward);
    }

    fn seek_to_last(&mut self) {
        self.seek_children(|c| c.seek_to_last());
        self.rebuild(Direction::Backward);
    }

    fn seek(&mut self, target: &[u8]) {
        if self.children.len() > 1 {
            self.children.iter().for_each(|c| c.walk_ahead(target, 0));
            self.children.iter().for_each(|c| c.walk_ahead(target, 1));
        }
        self.seek_children(|c| c.seek(target));
        self.rebuild(Direction::Forward);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek_children(|c| c.seek_for_prev(target));
        self.rebuild(Direction::Backward);
    }

    fn seek_for_prev_within(&mut self, target: &[u8], lower: &[u8]) {
        self.seek_children(|c| c.seek_for_prev_within(target, lower));
        self.rebuild(Direction::Backward);
    }

    #[inline]
    fn next(&mut self) {
        if self.direction == Direction::Backward {
            return self.turn(Direction::Forward);
        }
        let Some(Item { child, .. }) = self.tree.winner() else { return };
        let is_only = self.tree.len() == 1;
        match self.children[child].next_key() {
            Some(_) if is_only => {}
            Some(key) => {
                let window = self.window.load(user_part(key));
                self.settle_front(window);
            }
            None => self.remove_front(child),
        }
    }

    fn prev(&mut self) {
        if self.direction == Direction::Forward {
            return self.turn(Direction::Backward);
        }
        let Some(Item { child: first, .. }) = self.tree.winner() else { return };
        let child = &mut self.children[first];
        child.prev();
        if child.valid() {
            let window = self.window.load(user_part(child.key()));
            self.settle_front(window);
        } else {
            self.remove_front(first);
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.front().map_or(&[], |child| child.key())
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.front().map_or(&[], |child| child.value())
    }

    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    fn release(&mut self) -> bool {
        self.tree.clear();
        self.error = None;
        self.children.iter_mut().all(|child| child.release())
    }

    /// Moves only the children that are before the target (MI2).
    fn skip_to(&mut self, target: &[u8]) {
        if self.direction == Direction::Backward {
            return self.seek(target);
        }
        while let Some(Item { child: first, .. }) = self.tree.winner() {
            let child = &mut self.children[first];
            if self.order.compare(child.key(), target).is_ge() {
                return;
            }
            child.skip_to(target);
            if child.valid() {
                let window = self.window.load(user_part(child.key()));
                self.settle_front(window);
            } else {
                self.remove_front(first);
            }
        }
    }
}

/// Whether the key of child `a` comes before that of child `b` in this direction; earlier children have the first of
/// equal keys.
fn goes_first_by_key<C: InternalIterator>(
    order: &KeyOrder,
    children: &[C],
    direction: Direction,
    a: usize,
    b: usize,
) -> bool {
    let by_key = order.compare(children[a].key(), children[b].key()).then(a.cmp(&b));
    match direction {
        Direction::Forward => by_key.is_lt(),
        Direction::Backward => by_key.is_gt(),
    }
}

#[inline]
fn turned(window: u64, direction: Direction) -> u64 {
    match direction {
        Direction::Forward => window,
        Direction::Backward => !window,
    }
}

/// The user key; empty for a key without a trailer, which other code reports as an error.
#[inline]
fn user_part(internal_key: &[u8]) -> &[u8] {
    &internal_key[..internal_key.len().saturating_sub(TRAILER_SIZE)]
}

#[cfg(test)]
#[path = "merging_test.rs"]
mod tests;
