//! The loser tree: finds the first of the current keys of all children.
//!
//! The leaves are the children. Each inner node keeps the loser of the match between the winners of its two sides, and
//! the winner of all is apart. After the winner has moved to another entry, it plays against the losers on the path
//! from its leaf to the root. So a step costs one comparison per level, on a path that is known in advance: which of
//! the two items wins is a selection and not a branch, which the processor would mispredict for every other match of
//! children in random order.

use std::hint::select_unpredictable;

/// A child in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Item {
    /// The window of its key, inverted in backward iteration: the smaller number always comes
    /// first.
    pub(super) window: u64,
    pub(super) child: usize,
}

/// What the tree has per index, in one piece of memory: a reader's iterator is made and dropped for a single seek.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The loser at the inner node of this index.
    loser: Item,
    /// The winner there, which only the matches of a new tree need.
    winner: Item,
    /// The child at the leaf of this index, in a new tree.
    entrant: Item,
    /// The leaf of the child of this index.
    leaf: usize,
}

/// The tree. With `len` leaves, its inner nodes are 1 to `len - 1`, and the leaves follow. The sides of node `i` are
/// `2 * i` and `2 * i + 1`.
pub(super) struct Tree {
    winner: Option<Item>,
    len: usize,
    /// One for each child, whether it is in the tree or not.
    nodes: Vec<Node>,
}

impl Tree {
    /// An empty tree for this number of children.
    pub(super) fn new(children: usize) -> Tree {
        Tree { winner: None, len: 0, nodes: vec![Node::default(); children] }
    }

    /// The number of children in the tree.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The child that comes first.
    #[inline]
    pub(super) fn winner(&self) -> Option<Item> {
        self.winner
    }

    /// Removes all children.
    pub(super) fn clear(&mut self) {
        (self.winner, self.len) = (None, 0);
    }

    /// All children in the tree, the winner first.
    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        let losers = self.nodes.iter().take(self.len).skip(1).map(|node| &node.loser);
        self.winner.iter().chain(losers)
    }

    /// The same, to change their windows.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        let losers = self.nodes.iter_mut().take(self.len).skip(1).map(|node| &mut node.loser);
        self.winner.iter_mut().chain(losers)
    }

    /// Builds the tree of these children. `tie` returns whether the first of two children with the same window comes
    /// before the second.
    pub(super) fn build(
        &mut self,
        items: impl Iterator<Item = Item>,
        tie: impl FnMut(usize, usize) -> bool,
    ) {
        let mut len = 0;
        for (item, node) in items.zip(&mut self.nodes) {
            node.entrant = item;
            len += 1;
        }
        self.play_all(len, tie);
    }

    /// Removes the winner.
    pub(super) fn remove_winner(&mut self, tie: impl FnMut(usize, usize) -> bool) {
        for at in 1..self.len {
            self.nodes[at - 1].entrant = self.nodes[at].loser;
        }
        self.play_all(self.len.saturating_sub(1), tie);
    }

    /// Plays all matches between the first `len` entrants.
    fn play_all(&mut self, len: usize, mut tie: impl FnMut(usize, usize) -> bool) {
        self.len = len;
        for leaf in 0..len {
            let child = self.nodes[leaf].entrant.child;
            self.nodes[child].leaf = leaf;
        }
        for at in (1..len).rev() {
            let (a, b) = (self.winner_at(2 * at), self.winner_at(2 * at + 1));
            let (winner, loser) = if goes_first(b, a, &mut tie) { (b, a) } else { (a, b) };
            (self.nodes[at].winner, self.nodes[at].loser) = (winner, loser);
        }
        self.winner = (len > 0).then(|| self.winner_at(1));
    }

    /// The winner of a node while the tree is built.
    #[inline]
    fn winner_at(&self, at: usize) -> Item {
        match at.checked_sub(self.len) {
            Some(leaf) => self.nodes[leaf].entrant,
            None => self.nodes[at].winner,
        }
    }

    /// Gives the winner, which has moved to another entry, this window, and finds the first child again.
    #[inline(always)]
    pub(super) fn replay(&mut self, window: u64, mut tie: impl FnMut(usize, usize) -> bool) {
        let Some(Item { child, .. }) = self.winner else { return };
        let mut best = Item { window, child };
        let mut at = (self.len + self.nodes[child].leaf) / 2;
        while at > 0 {
            let place = &mut self.nodes[at].loser;
            let other = *place;
            let wins = goes_first(other, best, &mut tie);
            *place = select(wins, best, other);
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
        let mut tree = Tree::new(lists.len());
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
