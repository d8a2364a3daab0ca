//! Ids of stream entries.
