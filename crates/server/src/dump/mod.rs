//! The payloads of DUMP and RESTORE.
