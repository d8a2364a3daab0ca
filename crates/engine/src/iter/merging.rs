//! The merging iterator: merges sorted iterators with a binary heap over their current keys.
//!
//! * **MI1** `heap[0]` is the child that is on the current entry. The heap contains exactly the valid children. Equal
//!   keys are in the order of the children, so newer sources come first.
//! * **MI2** In forward iteration, every other child is on its first entry after the current one; in backward
//!   iteration, on its last entry before it. A change of direction seeks all other children again.
//! * **MI3** An item caches eight bytes of its child's user key. Whenever a child moves, its item is reloaded, unless
//!   it is the only one. If the cached bytes of two items differ, they order the keys; otherwise the keys are compared.
//!
//! The cached bytes (the window) follow a prefix that all current keys share: keys such as `user000000012345` differ
//! only in their last bytes. The window moves when ties are frequent, and when a key lacks the shared prefix.
//!
//! The runner-up is cached, so a step after which the same child is still first costs one comparison.

mod window;

use self::window::Window;
use crate::base::InternalIterator;
use crate::base::KeyOrder;
use crate::base::iterator::EmptyIterator;
use crate::base::key::TRAILER_SIZE;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::error::{Error, Result};
use std::cmp::Ordering;

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

/// A valid child in the heap.
#[derive(Clone, Copy)]
struct Item {
    /// The window of its key, inverted in backward iteration: the smaller number always comes
    /// first.
    window: u64,
    child: usize,
}

/// The merging iterator; see the header of this file.
pub struct MergingIterator<C> {
    order: KeyOrder,
    children: Vec<C>,
    heap: Vec<Item>,
    direction: Direction,
    /// The better one of `heap[1]` and `heap[2]`; 0 if it is unknown.
    runner_up: usize,
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
            heap: Vec::with_capacity(children.len()),
            children,
            direction: Direction::Forward,
            runner_up: 0,
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

    /// Rebuilds the heap after all children have moved.
    fn rebuild(&mut self, direction: Direction) {
        let _timer = PerfTimer::start(match direction {
            Direction::Forward => PerfMetric::SeekMinHeapTime,
            Direction::Backward => PerfMetric::SeekMaxHeapTime,
        });
        self.direction = direction;
        self.error = None;
        self.runner_up = 0;
        self.heap.clear();
        self.window.reset();
        for (child, iter) in self.children.iter().enumerate() {
            if iter.valid() {
                let window = turned(self.window.load_unshared(user_part(iter.key())), direction);
                self.heap.push(Item { window, child });
            } else if let Err(e) = iter.status() {
                self.heap.clear();
                self.error = Some(e);
                return;
            }
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.sift_down(at);
        }
    }

    /// Whether `a` comes before `b` in the current direction.
    #[inline]
    fn goes_first(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.heap[a], self.heap[b]);
        if a.window != b.window {
            return a.window < b.window;
        }
        self.window.count_tie();
        self.goes_first_by_key(a.child, b.child)
    }

    fn goes_first_by_key(&self, a: usize, b: usize) -> bool {
        let by_key = self.order.compare(self.children[a].key(), self.children[b].key());
        match self.direction {
            Direction::Forward => by_key.then(a.cmp(&b)) == Ordering::Less,
            Direction::Backward => by_key.then(a.cmp(&b)) == Ordering::Greater,
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut best = 2 * at + 1;
            if best >= self.heap.len() {
                return;
            }
            if best + 1 < self.heap.len() && self.goes_first(best + 1, best) {
                best += 1;
            }
            if !self.goes_first(best, at) {
                return;
            }
            self.heap.swap(best, at);
            at = best;
        }
    }

    /// The heap index of the second entry, or 0 if there is none.
    #[inline]
    fn find_runner_up(&mut self) -> usize {
        if self.runner_up == 0 && self.heap.len() > 1 {
            self.runner_up = if self.heap.len() > 2 && self.goes_first(2, 1) { 2 } else { 1 };
        }
        self.runner_up
    }

    /// Restores the heap after the first child moved to another entry.
    #[inline]
    fn settle_front(&mut self) {
        let second = self.find_runner_up();
        if second != 0 && self.goes_first(second, 0) {
            self.heap.swap(second, 0);
            self.sift_down(second);
            self.runner_up = 0;
        }
        if self.window.is_tiring() {
            self.move_window();
        }
    }

    /// Removes the first child, which has no more entries or failed.
    #[cold]
    fn remove_front(&mut self) {
        let child = self.heap.swap_remove(0).child;
        self.runner_up = 0;
        match self.children[child].status() {
            Ok(()) => self.sift_down(0),
            Err(e) => {
                self.heap.clear();
                self.error = Some(e);
            }
        }
    }

    /// Reloads the first item after its child moved, and restores the heap.
    #[inline]
    fn reload_front(&mut self, key: Option<u64>) {
        match key {
            Some(window) => {
                self.heap[0].window = turned(window, self.direction);
                self.settle_front();
            }
            None => {
                // The key lacks the shared prefix. The other keys have not changed.
                self.move_window();
                self.settle_front();
            }
        }
    }

    /// Determines the prefix that all current keys share and reloads every item. This does not
    /// change the order: windows only speed comparisons up.
    #[cold]
    fn move_window(&mut self) {
        let children = &self.children;
        self.window.find(self.heap.iter().map(|item| user_part(children[item.child].key())));
        for item in &mut self.heap {
            let key = user_part(children[item.child].key());
            item.window = turned(self.window.load_shared(key), self.direction);
        }
    }

    /// Changes direction and takes the first step in it.
    fn turn(&mut self, to: Direction) {
        let current = self.heap[0].child;
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

    #[inline]
    fn front(&self) -> &C {
        &self.children[self.heap[0].child]
    }
}

impl<C: InternalIterator> InternalIterator for MergingIterator<C> {
    #[inline]
    fn valid(&self) -> bool {
        !self.heap.is_empty()
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
        let is_only = self.heap.len() == 1;
        match self.children[self.heap[0].child].next_key() {
            Some(_) if is_only => {}
            Some(key) => {
                let window = self.window.load(user_part(key));
                self.reload_front(window);
            }
            None => self.remove_front(),
        }
    }

    fn prev(&mut self) {
        if self.direction == Direction::Forward {
            return self.turn(Direction::Backward);
        }
        let child = &mut self.children[self.heap[0].child];
        child.prev();
        if child.valid() {
            let window = self.window.load(user_part(child.key()));
            self.reload_front(window);
        } else {
            self.remove_front();
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.front().key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.front().value()
    }

    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    fn release(&mut self) -> bool {
        self.heap.clear();
        self.error = None;
        self.children.iter_mut().all(|child| child.release())
    }

    /// Moves only the children that are before the target (MI2).
    fn skip_to(&mut self, target: &[u8]) {
        if self.direction == Direction::Backward {
            return self.seek(target);
        }
        while let Some(front) = self.heap.first() {
            let child = &mut self.children[front.child];
            if self.order.compare(child.key(), target).is_ge() {
                return;
            }
            child.skip_to(target);
            if child.valid() {
                let window = self.window.load(user_part(child.key()));
                self.reload_front(window);
            } else {
                self.remove_front();
            }
        }
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
