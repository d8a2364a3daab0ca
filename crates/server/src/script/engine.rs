//! The interpreter of one worker: compiles scripts and libraries once and runs them on the calling thread.
//!
//! 1. A script cannot end a run's limits: the hook returns an error that `pcall` does not catch.
//! 2. After a lack of memory the interpreter is thrown away; the next run begins with a new one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rilua::vm::closure::Closure;
use rilua::vm::state::{LuaState, MASK_COUNT};
use rilua::{LuaError, LuaResult, Val};

use super::base;
use super::failure::{self, Failure};
use super::host::{Host, Limits};
use super::library::{self, Function, Library};
use super::run::{self, Registered, Run};
use super::sandbox::Sandbox;
use super::source::Script;
use super::value::{self, TableRef};
use super::{random, shebang, to_reply};
use crate::resp::{Protocol, Reply};

/// The stack that a thread needs to run scripts, in bytes: 200 nested calls between scripts and the server.
pub const STACK_BYTES: usize = 16 << 20;

/// The instructions between two questions whether the script must end.
const HOOK_INSTRUCTIONS: i32 = 10_000;

/// The most values on the stack of the interpreter. The collector does not count them.
const STACK_VALUES_MAX: usize = 1 << 21;

/// The name of the only interpreter.
const ENGINE_NAME: &[u8] = b"lua";

/// The interpreter of one worker.
pub struct Engine {
    limits: Limits,
    lua: Option<Lua>,
    run: Run,
    seed: u32,
    is_of_command: bool,
}

/// An interpreter with what it has compiled.
struct Lua {
    state: LuaState,
    sandbox: Sandbox,
    /// Compiled scripts by SHA-1. The registry holds the same closures.
    scripts: HashMap<String, Val>,
    /// Callbacks of libraries by the number of the load and the name of the function.
    libraries: HashMap<u64, HashMap<Vec<u8>, Val>>,
    /// The table of the registry that keeps closures from the collector.
    kept: TableRef,
    /// The function that the interpreter calls now and then.
    hook: Val,
}

/// What a run executes.
struct Call<'a> {
    function: Val,
    parameters: &'a [Val],
    /// The name in error replies.
    name: &'a str,
}

impl Engine {
    /// Returns an engine whose interpreter is created by the first run. `seed` begins the random numbers of scripts.
    pub fn new(limits: Limits, seed: u32) -> Engine {
        Engine { limits, lua: None, run: Run::default(), seed, is_of_command: false }
    }

    /// Returns the memory of the interpreter in bytes, as its collector estimates it.
    pub fn memory(&self) -> usize {
        self.lua.as_ref().map_or(0, |lua| lua.state.gc.gc_state.total_bytes)
    }

    /// Returns whether the error that the last run replied is one that a command of the server replied to the script.
    pub fn is_error_of_command(&self) -> bool {
        self.is_of_command
    }

    /// Drops the interpreter with all compiled scripts and libraries.
    pub fn reset(&mut self) {
        self.lua = None;
    }

    /// Drops the callbacks of libraries that are not in a set of numbers of loads.
    pub fn keep_libraries<'a>(&mut self, libraries: impl Iterator<Item = &'a Arc<Library>>) {
        let Some(lua) = &mut self.lua else { return };
        let ids: HashSet<u64> = libraries.map(|library| library.id()).collect();
        let stale: Vec<u64> =
            lua.libraries.keys().filter(|id| !ids.contains(id)).copied().collect();
        for id in stale {
            for callback in lua.libraries.remove(&id).unwrap_or_default().into_values() {
                // Removing a key does not fail.
                let _ = value::set(&mut lua.state, lua.kept, callback, Val::Nil);
            }
        }
    }

    /// Compiles a script, if this worker did not before. The error is Redis's text without a code.
    pub fn compile(&mut self, script: &Script) -> Result<(), String> {
        let lua = self.lua().map_err(|error| error.to_string())?;
        lua.script(script).map(|_| ())
    }

    /// Runs a script and appends its reply.
    pub fn eval(
        &mut self,
        script: &Script,
        keys: &[&[u8]],
        arguments: &[&[u8]],
        host: &mut dyn Host,
        reply: &mut Reply,
    ) {
        self.run.loading = None;
        let prepared = self.lua().map_err(|error| error.to_string()).and_then(|lua| {
            let function = lua.script(script)?;
            lua.set_globals(keys, arguments).map_err(|error| error.to_string())?;
            Ok(function)
        });
        match prepared {
            Ok(function) => {
                let call = Call { function, parameters: &[], name: script.sha() };
                self.execute(&call, host, reply);
                if let Some(lua) = &mut self.lua {
                    // Clearing existing fields does not fail.
                    let _ = lua.clear_globals();
                }
            }
            Err(text) => self.refuse(&text, reply),
        }
    }

    /// Runs a function of a library and appends its reply. The caller has found the function in the library.
    pub fn call(
        &mut self,
        library: &Library,
        name: &[u8],
        keys: &[&[u8]],
        arguments: &[&[u8]],
        host: &mut dyn Host,
        reply: &mut Reply,
    ) {
        let prepared = self.prepare_function(library, name, keys, arguments, host);
        match prepared {
            Ok((function, parameters)) => {
                let name = String::from_utf8_lossy(name);
                self.execute(&Call { function, parameters: &parameters, name: &name }, host, reply);
            }
            Err(text) => self.refuse(&text, reply),
        }
    }

    /// Runs the code of a library and returns its functions. The error is Redis's text without a code.
    pub fn load(&mut self, code: &[u8], host: &mut dyn Host) -> Result<Library, String> {
        let header = library_header(code)?;
        let functions = self.run_library(code, header.code_start, host)?;
        if functions.is_empty() {
            return Err("No functions registered".to_owned());
        }
        let described = functions.iter().map(|function| Function {
            name: function.name.clone(),
            description: function.description.clone(),
            flags: function.flags,
        });
        let library = Library::new(header.name, code, described.collect());
        self.adopt(&library, functions);
        Ok(library)
    }

    /// Writes an error and gives up an interpreter that has no memory left.
    fn refuse(&mut self, text: &str, reply: &mut Reply) {
        if self.lua.as_ref().is_some_and(Lua::is_full) {
            self.lua = None;
        }
        self.is_of_command = false;
        reply.error(&format!("ERR {text}"));
    }

    fn lua(&mut self) -> LuaResult<&mut Lua> {
        if self.lua.is_none() {
            self.lua = Some(Lua::new(self.limits, self.seed)?);
            // The next interpreter continues with other random numbers.
            self.seed = self.seed.wrapping_mul(0x9E37_79B1).wrapping_add(1);
        }
        self.lua.as_mut().ok_or(LuaError::Memory)
    }

    fn prepare_function(
        &mut self,
        library: &Library,
        name: &[u8],
        keys: &[&[u8]],
        arguments: &[&[u8]],
        host: &mut dyn Host,
    ) -> Result<(Val, [Val; 2]), String> {
        let known = self.lua.as_ref().and_then(|lua| lua.libraries.get(&library.id()));
        if known.is_none() {
            // Another worker loaded the library, or this interpreter is new.
            let start = library_header(library.code())?.code_start;
            let functions = self.run_library(library.code(), start, host)?;
            self.adopt(library, functions);
        }
        self.run.loading = None;
        let text = |error: LuaError| error.to_string();
        let lua = self.lua().map_err(text)?;
        let callback = lua.libraries.get(&library.id()).and_then(|all| all.get(name)).copied();
        let function = callback.ok_or("Function not found")?;
        let keys = lua.list(keys).map_err(text)?;
        Ok((function, [Val::Table(keys), Val::Table(lua.list(arguments).map_err(text)?)]))
    }

    /// Keeps the callbacks of a library that was run.
    fn adopt(&mut self, library: &Library, functions: Vec<Registered>) {
        let Some(lua) = &mut self.lua else { return };
        let functions = functions.into_iter().map(|function| (function.name, function.callback));
        lua.libraries.insert(library.id(), functions.collect());
    }

    /// Runs the code of a library. Its callbacks are in the registry afterwards.
    fn run_library(
        &mut self,
        code: &[u8],
        start: usize,
        host: &mut dyn Host,
    ) -> Result<Vec<Registered>, String> {
        let lua = self.lua().map_err(|error| error.to_string())?;
        let source = code.get(start..).unwrap_or_default();
        let compiled = base::compile(&mut lua.state, source, "@user_function");
        let function = compiled.map_err(|text| {
            format!("Error compiling function: {}", String::from_utf8_lossy(&text))
        })?;
        lua.set_environment(function, lua.sandbox.functions);
        let text = |error: LuaError| error.to_string();
        lua.sandbox.set_loading(&mut lua.state, true).map_err(text)?;
        self.run.loading = Some(Vec::new());
        let outcome = self.run(function, &[], host).map(|_| ());
        let functions = self.run.loading.take().unwrap_or_default();
        if let Some(lua) = &mut self.lua {
            lua.sandbox.set_loading(&mut lua.state, false).map_err(text)?;
            for function in &functions {
                value::set(&mut lua.state, lua.kept, function.callback, Val::Bool(true))
                    .map_err(text)?;
            }
        }
        match outcome {
            Ok(()) => Ok(functions),
            Err(failure) => Err(format!(
                "Error registering functions: {}",
                String::from_utf8_lossy(&failure.text)
            )),
        }
    }

    /// Runs a function and writes its result or its error.
    fn execute(&mut self, call: &Call<'_>, host: &mut dyn Host, reply: &mut Reply) {
        match self.run(call.function, call.parameters, host) {
            Ok(result) => {
                let Some(lua) = &mut self.lua else { return };
                self.is_of_command = failure::is_of_command(&mut lua.state, result);
                let start = reply.position();
                if to_reply::convert(&mut lua.state, result, self.run.protocol, reply).is_err() {
                    reply.truncate(start);
                    reply.error("ERR the result of the script cannot be converted");
                }
                lua.settle();
            }
            Err(failure) => {
                self.is_of_command = failure.is_of_command;
                reply.error(&failure.into_reply(call.name));
            }
        }
    }

    /// Runs a function with the limits of scripts.
    fn run(
        &mut self,
        function: Val,
        parameters: &[Val],
        host: &mut dyn Host,
    ) -> Result<Val, Failure> {
        let text = b"ERR no interpreter".to_vec();
        let missing = || Failure { text, place: None, is_of_command: false };
        self.run.protocol = Protocol::Resp2;
        self.run.stop = None;
        let lua = self.lua.as_mut().ok_or_else(missing)?;
        let outcome = run::enter(host, &mut self.run, || lua.call(function, parameters));
        let error = match outcome {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        let mut failure = failure::describe(&mut lua.state, &error);
        if let Some(reason) = self.run.stop.take() {
            failure.text = format!("ERR {reason}").into_bytes();
        }
        if matches!(error, LuaError::Memory) {
            self.lua = None;
        } else {
            lua.settle();
        }
        Err(failure)
    }
}

impl Lua {
    fn new(limits: Limits, seed: u32) -> LuaResult<Lua> {
        let mut state = LuaState::new();
        let sandbox = Sandbox::create(&mut state)?;
        random::seed(&mut state, seed);
        let kept = value::new_table(&mut state);
        let registry = state.registry;
        value::set_field(&mut state, registry, "kept", Val::Table(kept))?;
        let hook = value::function(&mut state, "hook", hook);
        value::set(&mut state, kept, hook, Val::Bool(true))?;
        state.gc.set_alloc_limit(limits.memory_max);
        // Collections run from begin to end: between the steps of one, the interpreter hands out strings that it is
        // about to free.
        state.gc.gc_state.gc_stepmul = 0;
        Ok(Lua { state, sandbox, scripts: HashMap::new(), libraries: HashMap::new(), kept, hook })
    }

    /// Returns whether the interpreter has no memory for another run.
    fn is_full(&self) -> bool {
        self.state.gc.check_alloc_limit().is_err()
    }

    /// Returns the compiled script.
    fn script(&mut self, script: &Script) -> Result<Val, String> {
        if let Some(function) = self.scripts.get(script.sha()) {
            return Ok(*function);
        }
        let compiled = base::compile(&mut self.state, script.code(), "@user_script");
        let function = compiled.map_err(|text| {
            let text = String::from_utf8_lossy(&text);
            format!("Error compiling script (new function): {text}")
        })?;
        self.set_environment(function, self.sandbox.eval);
        value::set(&mut self.state, self.kept, function, Val::Bool(true))
            .map_err(|error| error.to_string())?;
        self.scripts.insert(script.sha().to_owned(), function);
        Ok(function)
    }

    /// Sets the global variables that a compiled function sees.
    fn set_environment(&mut self, function: Val, table: TableRef) {
        if let Val::Function(function) = function
            && let Some(Closure::Lua(closure)) = self.state.gc.closures.get_mut(function)
        {
            closure.env = table;
        }
    }

    fn list(&mut self, items: &[&[u8]]) -> LuaResult<TableRef> {
        let table = value::new_table(&mut self.state);
        for (index, item) in items.iter().enumerate() {
            value::check_room(&self.state, item.len())?;
            let item = value::string(&mut self.state, item);
            value::set_element(&mut self.state, table, index + 1, item)?;
        }
        Ok(table)
    }

    fn set_globals(&mut self, keys: &[&[u8]], arguments: &[&[u8]]) -> LuaResult<()> {
        for (name, items) in [("KEYS", keys), ("ARGV", arguments)] {
            let list = self.list(items)?;
            value::set_field(&mut self.state, self.sandbox.eval_hidden, name, Val::Table(list))?;
        }
        Ok(())
    }

    fn clear_globals(&mut self) -> LuaResult<()> {
        for name in ["KEYS", "ARGV"] {
            value::set_field(&mut self.state, self.sandbox.eval_hidden, name, Val::Nil)?;
        }
        Ok(())
    }

    /// Calls a function and returns its first result. After an error the frames of the failed calls are still there.
    fn call(&mut self, function: Val, parameters: &[Val]) -> LuaResult<Val> {
        self.settle();
        let state = &mut self.state;
        state.hook.hook_func = self.hook;
        state.hook.hook_mask = MASK_COUNT;
        state.hook.allow_hook = true;
        state.hook.base_hook_count = HOOK_INSTRUCTIONS;
        state.hook.hook_count = HOOK_INSTRUCTIONS;
        let start = state.top;
        state.push(function);
        parameters.iter().for_each(|parameter| state.push(*parameter));
        state.call_function(start, 1)?;
        let result = state.stack_get(start);
        Ok(result)
    }

    /// Returns the interpreter to the state between two runs.
    fn settle(&mut self) {
        let state = &mut self.state;
        state.ci = 0;
        state.base = 1;
        state.close_upvalues(0);
        state.open_upvalues.clear();
        state.top = 1;
        state.n_ccalls = 0;
        state.call_depth = 0;
        state.ci_overflow = false;
        state.error_object = None;
        state.global = self.sandbox.eval;
        state.hook.hook_mask = 0;
        state.hook.hook_func = Val::Nil;
        if state.stack.len() > 1 << 16 {
            state.stack.truncate(1 << 16);
            state.stack.shrink_to_fit();
        }
    }
}

/// Is called by the interpreter after some thousand instructions.
fn hook(state: &mut LuaState) -> LuaResult<u32> {
    if state.stack.len() > STACK_VALUES_MAX {
        return Err(LuaError::Memory);
    }
    // Functions of the server that create strings do not collect garbage themselves.
    state.gc_check()?;
    run::poll()?;
    Ok(0)
}

/// Reads and checks the header of a library.
fn library_header(code: &[u8]) -> Result<shebang::LibraryHeader, String> {
    let header = shebang::library(code)?;
    if !library::is_name(&header.name) {
        return Err(library::BAD_NAME.to_owned());
    }
    if !header.engine.eq_ignore_ascii_case(ENGINE_NAME) {
        let engine = String::from_utf8_lossy(&header.engine);
        return Err(format!("Engine '{engine}' not found"));
    }
    Ok(header)
}

/// Returns the name in the header of a library. The error is Redis's text without a code.
pub fn library_name(code: &[u8]) -> Result<Vec<u8>, String> {
    library_header(code).map(|header| header.name)
}
