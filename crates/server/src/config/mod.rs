//! Flags and the configuration file; starting and stopping.
