//! Geohashes of 52 bits, distances and searches.
