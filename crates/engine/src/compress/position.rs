//! Positions in a block, as the hash tables of the encoders store them: in as few bytes as suffice.

/// An unsigned number of 16 or 32 bits.
pub(super) trait Position: Copy + Default {
    /// The largest position.
    const MAX: usize;
    /// The position `at`, which is at most [`Position::MAX`].
    fn new(at: usize) -> Self;
    /// The position as an index.
    fn get(self) -> usize;
}

impl Position for u16 {
    const MAX: usize = u16::MAX as usize;
    #[inline(always)]
    fn new(at: usize) -> u16 {
        at as u16
    }
    #[inline(always)]
    fn get(self) -> usize {
        self.into()
    }
}

impl Position for u32 {
    const MAX: usize = u32::MAX as usize;
    #[inline(always)]
    fn new(at: usize) -> u32 {
        at as u32
    }
    #[inline(always)]
    fn get(self) -> usize {
        self as usize
    }
}
