//! Scripts and libraries of functions, which all workers share.

use super::args::Args;
use super::command::Command;
use super::failure::{Done, Failure};
use super::running::RunningScripts;
use super::server::Server;
use crate::error::{Error, Result};
use crate::rows::redis::RowKey;
use crate::script::{
    Engine, Flags, Host, Interrupt, Libraries, Limits, LogLevel, STACK_BYTES, Script, ScriptCache,
};
use crate::store::local::SYSTEM;
use crate::store::{Partition, Range, Store};
use arc_swap::ArcSwap;
use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tracing::{error, warn};

/// The begin of the keys of rows that hold the code of a library.
const LIBRARY_PREFIX: &[u8] = b"redis.function|";

/// Numbers of sets of scripts, so that a thread notices another server's.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// What all workers share.
pub struct Scripts {
    /// The scripts that EVALSHA finds.
    pub cache: ScriptCache,
    /// The scripts that run.
    pub running: RunningScripts,
    id: u64,
    libraries: ArcSwap<Libraries>,
    /// How often the libraries changed.
    changes: AtomicU64,
    is_stopping: AtomicBool,
    /// The memory of the interpreter that ran last, in bytes.
    memory: AtomicUsize,
}

/// The interpreter of a thread, and the state of the server that it has seen.
struct Local {
    engine: Engine,
    server: u64,
    flushes: u64,
    changes: u64,
}

thread_local! {
    static LOCAL: RefCell<Option<Local>> = const { RefCell::new(None) };
}

impl Scripts {
    /// Returns an empty cache and the libraries of the store. A library that does not load any more is logged and
    /// left out.
    pub fn open(store: &dyn Store) -> Scripts {
        let scripts = Scripts {
            cache: ScriptCache::default(),
            running: RunningScripts::default(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            libraries: ArcSwap::default(),
            changes: AtomicU64::new(0),
            is_stopping: AtomicBool::new(false),
            memory: AtomicUsize::new(0),
        };
        match saved_libraries(store) {
            Ok(codes) if codes.is_empty() => {}
            Ok(codes) => scripts.libraries.store(Arc::new(load_saved(codes))),
            Err(error) => {
                error!(target: "ferrolith::script", %error, "reading the libraries of functions")
            }
        }
        scripts
    }

    /// Returns the libraries.
    pub fn libraries(&self) -> Arc<Libraries> {
        self.libraries.load_full()
    }

    /// Replaces the libraries when their rows are committed. All latches must be held since the libraries were read.
    pub fn replace_libraries(&self, libraries: Arc<Libraries>) {
        self.libraries.store(libraries);
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Returns whether a request calls a script or function that declares that it does not write.
    pub fn declares_no_writes(&self, command: &Command, args: Args<'_>) -> bool {
        let flags = match command.name {
            "eval" => Script::new(args.at(1)).ok().map(|script| script.flags()),
            "evalsha" => self.cache.get(args.at(1)).map(|script| script.flags()),
            "fcall" => {
                let (libraries, name) = (self.libraries(), args.at(1));
                let library = libraries.of_function(name);
                library.and_then(|library| library.function(name)).map(|function| function.flags)
            }
            _ => None,
        };
        flags.is_some_and(|flags| flags.contains(Flags::NO_WRITES))
    }

    /// Makes all scripts end, because the server stops.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Returns whether the server stops.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Returns the memory of the interpreter that ran last, in bytes.
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }
}

/// Calls a function with the interpreter of this thread.
///
/// # Errors
///
/// A script of this thread runs already.
pub fn with_engine<R>(server: &Server, work: impl FnOnce(&mut Engine) -> R) -> Done<R> {
    LOCAL.with(|local| {
        let Ok(mut local) = local.try_borrow_mut() else {
            return Err(Failure::from("ERR a script cannot run another one"));
        };
        let scripts = &server.scripts;
        let local = local.get_or_insert_with(|| Local {
            engine: Engine::new(
                Limits::default(),
                RandomState::new().build_hasher().finish() as u32,
            ),
            server: scripts.id,
            flushes: 0,
            changes: 0,
        });
        let flushes = scripts.cache.flushes();
        if (local.server, local.flushes) != (scripts.id, flushes) {
            local.engine.reset();
            (local.server, local.flushes) = (scripts.id, flushes);
        }
        let changes = scripts.changes.load(Ordering::Acquire);
        if local.changes != changes {
            local.engine.keep_libraries(scripts.libraries().iter());
            local.changes = changes;
        }
        let result = work(&mut local.engine);
        scripts.memory.store(local.engine.memory(), Ordering::Relaxed);
        Ok(result)
    })
}

/// Returns the place and the key of the row of a library.
pub fn library_row(name: &[u8]) -> (Partition, RowKey) {
    (SYSTEM, LIBRARY_PREFIX.iter().chain(name).copied().collect())
}

fn saved_libraries(store: &dyn Store) -> Result<Vec<Vec<u8>>> {
    let mut cursor = store.cursor(SYSTEM, &Range::prefix(LIBRARY_PREFIX), None)?;
    let mut codes = Vec::new();
    cursor.seek_to_end(false);
    while let Some((_, code)) = cursor.item() {
        codes.push(code.to_vec());
        cursor.step(false);
    }
    cursor.status()?;
    Ok(codes)
}

/// Loads libraries apart from those of the server, which stay as they are, to find those that cannot be loaded. As with
/// FUNCTION LOAD REPLACE, a later library replaces one of the same name.
///
/// # Errors
///
/// One cannot be loaded.
pub(super) fn check_libraries(codes: Vec<Vec<u8>>) -> Result<()> {
    let (_, refused) = load_apart(codes, true)?;
    match refused.first() {
        None => Ok(()),
        Some(text) => Err(Error::Setting(format!("a library of functions in the copy: {text}"))),
    }
}

/// Loads the saved libraries; those that do not load any more are told and left out.
fn load_saved(codes: Vec<Vec<u8>>) -> Libraries {
    match load_apart(codes, false) {
        Ok((libraries, refused)) => {
            for error in &refused {
                warn!(target: "ferrolith::script", error, "loading a library of functions");
            }
            libraries
        }
        Err(error) => {
            error!(target: "ferrolith::script", %error, "loading the libraries of functions");
            Libraries::default()
        }
    }
}

/// Loads libraries on a thread with the stack that scripts need. Returns those that load, and why others do not.
fn load_apart(codes: Vec<Vec<u8>>, replaces: bool) -> Result<(Libraries, Vec<String>)> {
    if codes.is_empty() {
        return Ok(Default::default());
    }
    let load = move || {
        let mut engine = Engine::new(Limits::default(), 0);
        let (mut libraries, mut refused) = (Libraries::default(), Vec::new());
        for code in codes {
            let loaded = engine.load(&code, &mut NoHost { questions: 0 });
            if let Err(text) = loaded.and_then(|library| libraries.add(library, replaces)) {
                refused.push(text);
            }
        }
        (libraries, refused)
    };
    let thread = std::thread::Builder::new().name("functions".to_owned()).stack_size(STACK_BYTES);
    let thread =
        thread.spawn(load).map_err(|error| Error::Io("starting a thread".to_owned(), error))?;
    thread
        .join()
        .map_err(|_| Error::corrupt("a library of functions: loading it failed".to_owned()))
}

/// The host while saved libraries are loaded. They loaded before, so they end soon.
struct NoHost {
    questions: usize,
}

impl Host for NoHost {
    fn call(&mut self, _: &[&[u8]], reply: &mut crate::resp::Reply) -> Interrupt {
        reply.error("ERR no commands while libraries are loaded");
        Interrupt::Continue
    }

    fn log(&mut self, _: LogLevel, _: &[u8]) {}

    fn may_call(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }

    fn interrupt(&mut self) -> Interrupt {
        self.questions += 1;
        if self.questions > 10_000 {
            Interrupt::Stop("FUNCTION LOAD timeout")
        } else {
            Interrupt::Continue
        }
    }
}
