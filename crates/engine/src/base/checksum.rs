//! Block and log checksums.
