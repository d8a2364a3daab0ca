//! Value rules of Redis as pure functions: glob patterns, numbers, slots, LZF, CRC-64.
