//! The loser tree: finds the first of the current keys of all children.
//!
//! The leaves are the children. Each inner node keeps the loser of the match between the winners of its two sides, and
//! the winner of all is apart. After the winner has moved to another entry, it plays against the losers on the path
//! from its leaf to the root. So a step costs one comparison per level, on a path that is known in advance: which of
//! the two items wins is a selection and not a branch, which the processor would mispredict for every other match of
//! children in random order.

use std::hint::select_unpredictable;

/// A child in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// The window of its key, inverted in backward iteration: the smaller number always comes
    /// first.
    pub(super) window: u64,
    pub(super) child: usize,
}

/// The tree; its node `i` has the sides `2 * i` and `2 * i + 1`.
#[derive(Default)]
pub(super) struct Tree {
    winner: Option<Item>,
    /// The inner nodes, from index 1; after them come the leaves, which are not stored. So the length is the number of
    /// leaves.
    losers: Vec<Item>,
    /// The leaf of each child.
    leaves: Vec<usize>,
    /// The winners of all nodes while the tree is built.
    winners: Vec<Item>,
}

impl Tree {
    /// An empty tree with room for this number of children.
    pub(super) fn with_capacity(children: usize) -> Tree {
        Tree {
            winner: None,
            losers: Vec::with_capacity(children),
            leaves: vec![0; children],
            winners: Vec::with_capacity(2 * children),
        }
    }

    /// The number of children in the tree.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.losers.len()
    }

    /// The child that comes first.
    #[inline]
    pub(super) fn winner(&self) -> Option<Item> {
        self.winner
    }

    /// Removes all children.
    pub(super) fn clear(&mut self) {
        self.winner = None;
        self.losers.clear();
    }

    /// All children in the tree, the winner first.
    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.winner.iter().chain(self.losers.iter().skip(1))
    }

    /// The same, to change their windows.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        self.winner.iter_mut().chain(self.losers.iter_mut().skip(1))
    }

    /// Builds the tree of these children. `tie` returns whether the first of two children with the same window comes
    /// before the second.
    pub(super) fn build(
        &mut self,
        items: impl Iterator<Item = Item>,
        tie: impl FnMut(usize, usize) -> bool,
    ) {
        self.winners.clear();
        self.winners.extend(items);
        self.play_all(tie);
    }

    /// Removes the winner.
    pub(super) fn remove_winner(&mut self, tie: impl FnMut(usize, usize) -> bool) {
        self.winners.clear();
        self.winners.extend(self.losers.iter().skip(1));
        self.play_all(tie);
    }

    /// Plays all matches between the items in `winners`.
    fn play_all(&mut self, mut tie: impl FnMut(usize, usize) -> bool) {
        self.clear();
        let n = self.winners.len();
        let Some(&any) = self.winners.first() else { return };
        self.losers.resize(n, any);
        for (leaf, item) in self.winners.iter().enumerate() {
            self.leaves[item.child] = leaf;
        }
        // The leaves are the nodes from n on.
        self.winners.resize(2 * n, any);
        self.winners.copy_within(..n, n);
        for at in (1..n).rev() {
            let (a, b) = (self.winners[2 * at], self.winners[2 * at + 1]);
            (self.winners[at], self.losers[at]) =
                if goes_first(b, a, &mut tie) { (b, a) } else { (a, b) };
        }
        self.winner = Some(self.winners[1]);
    }

    /// Gives the winner, which has moved to another entry, this window, and finds the first child again.
    #[inline(always)]
    pub(super) fn replay(&mut self, window: u64, mut tie: impl FnMut(usize, usize) -> bool) {
        let Some(Item { child, .. }) = self.winner else { return };
        let mut best = Item { window, child };
        let mut at = (self.losers.len() + self.leaves[child]) / 2;
        while at > 0 {
            let other = self.losers[at];
            let wins = goes_first(other, best, &mut tie);
            self.losers[at] = select(wins, best, other);
            best = select(wins, other, best);
            at /= 2;
        }
        self.winner = Some(best);
    }
}

/// Whether `a` comes before `b`.
#[inline(always)]
fn goes_first(a: Item, b: Item, tie: &mut impl FnMut(usize, usize) -> bool) -> bool {
    if a.window == b.window { tie(a.child, b.child) } else { a.window < b.window }
}

/// Returns `a` if `first`, otherwise `b`.
#[inline(always)]
fn select(first: bool, a: Item, b: Item) -> Item {
    Item {
        window: select_unpredictable(first, a.window, b.window),
        child: select_unpredictable(first, a.child, b.child),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges lists of numbers; equal numbers come in the order of the lists.
    fn merge(lists: &[Vec<u64>]) -> Vec<(u64, usize)> {
        let mut next = vec![0; lists.len()];
        let mut tree = Tree::with_capacity(lists.len());
        let item = |(child, list): (usize, &Vec<u64>)| Some(Item { window: *list.first()?, child });
        tree.build(lists.iter().enumerate().filter_map(item), |a, b| a < b);
        let mut merged = Vec::new();
        while let Some(Item { window, child }) = tree.winner() {
            merged.push((window, child));
            next[child] += 1;
            match lists[child].get(next[child]) {
                Some(&window) => tree.replay(window, |a, b| a < b),
                None => tree.remove_winner(|a, b| a < b),
            }
            let left = lists.iter().zip(&next).filter(|(list, next)| list.len() > **next).count();
            assert_eq!((tree.len(), tree.items_mut().count()), (left, left));
        }
        merged
    }

    #[test]
    fn any_number_of_lists_is_merged() {
        let mut rng = fastrand::Rng::with_seed(1);
        for n in 0..40 {
            let mut lists = vec![Vec::new(); n];
            for list in &mut lists {
                list.extend((0..rng.usize(0..20)).map(|_| rng.u64(0..100)));
                list.sort_unstable();
            }
            let all = lists.iter().enumerate();
            let mut all: Vec<_> = all.flat_map(|(i, l)| l.iter().map(move |&x| (x, i))).collect();
            all.sort_unstable();
            assert_eq!(merge(&lists), all, "{n} lists");
        }
    }
}
