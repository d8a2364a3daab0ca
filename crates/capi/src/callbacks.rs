//! What callers implement in C: function pointers behind the engine's hooks.
//!
//! Every hook here may be called from any thread, holds the caller's `state` and calls its
//! `destructor` once, when the last user of the hook is gone.
