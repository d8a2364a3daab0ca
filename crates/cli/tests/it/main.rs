//! The program `ferrolith` against servers, which are the program itself.

mod backups;
mod data;
mod loads;
mod program;
mod texts;
mod tls;
