//! Pegasus's Thrift dialect, its frames, and its messages.
