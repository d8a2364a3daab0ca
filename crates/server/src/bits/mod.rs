//! Bit operations and the arithmetic of BITFIELD.
