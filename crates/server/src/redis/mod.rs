//! The command table, the context of an evaluation, and one file per family of commands.
