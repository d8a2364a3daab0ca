//! The wall clock and the monotonic clock, which tests replace.
