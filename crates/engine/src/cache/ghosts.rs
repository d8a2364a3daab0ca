//! What a shard remembers of blocks that it evicted soon after they came.
//!
//! There is one mark of 16 bits for each place of the shard's ring, where the block's identity says. A later eviction
//! overwrites a mark, so a block is remembered for about as many evictions as the shard has blocks. A wrong mark, with
//! a probability of 1 in 32,768, makes a block stay longer than it should, nothing else.

/// The marks of a shard. Their number is a power of two.
#[derive(Default)]
pub(super) struct Ghosts(Vec<u16>);

impl Ghosts {
    /// Remembers an evicted block of a shard with so many places.
    pub(super) fn remember(&mut self, identity: u64, places: usize) {
        if self.0.len() < places {
            // They begin anew: the shard grows a few times only.
            self.0 = vec![0; places.next_power_of_two()];
        }
        let mark = mark(identity);
        if let Some(place) = self.place(identity) {
            *place = mark;
        }
    }

    /// Whether a block is remembered. It is forgotten by that.
    pub(super) fn recall(&mut self, identity: u64) -> bool {
        let mark = mark(identity);
        match self.place(identity) {
            Some(place) if *place == mark => {
                *place = 0;
                true
            }
            _ => false,
        }
    }

    fn place(&mut self, identity: u64) -> Option<&mut u16> {
        let mask = self.0.len().checked_sub(1)?;
        self.0.get_mut((identity >> 32) as usize & mask)
    }
}

/// Never 0, which is an empty place.
fn mark(identity: u64) -> u16 {
    identity as u16 | 1
}

#[cfg(test)]
mod tests {
    use super::Ghosts;

    #[test]
    fn a_block_is_recalled_once_and_until_others_take_its_place() {
        let mut ghosts = Ghosts::default();
        let identity = |i: u64| (i << 32) | (i * 2 + 1);
        assert!(!ghosts.recall(identity(3)));
        ghosts.remember(identity(3), 5);
        ghosts.remember(identity(4), 5);
        assert!(ghosts.recall(identity(3)));
        assert!(!ghosts.recall(identity(3)));
        // Eight places for five blocks.
        ghosts.remember(identity(12), 5);
        assert!(!ghosts.recall(identity(4)));
        assert!(ghosts.recall(identity(12)));
        // More places: nothing is remembered, until it is evicted again.
        ghosts.remember(identity(1), 8);
        ghosts.remember(identity(2), 9);
        assert!(!ghosts.recall(identity(1)));
        assert!(ghosts.recall(identity(2)));
    }
}
