//! The global variables of scripts: Redis's list, all read-only.
//!
//! The interpreter has no read-only tables. So scripts see an empty table in the place of each table of the server. Its
//! metatable reads from the hidden table and refuses writes; `rawset`, `setmetatable` and the functions of `table` know
//! such tables.

use rilua::stdlib::{self, StdLib};
use rilua::vm::metatable::type_tag;
use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val};

use super::value::{self, TableRef};
use super::{api, base, bit, json, msgpack, random, search, strings, structs};

/// Functions of the base library that scripts do not have, as in Redis: they reach files and the terminal, change what
/// other functions see, or install finalizers, which run where nothing can stop them.
const REMOVED: &[&str] = &["print", "dofile", "loadfile", "newproxy", "getfenv", "setfenv"];

/// The libraries, which become read-only.
const LIBRARIES: &[&str] =
    &["string", "table", "math", "bit", "struct", "cjson", "cmsgpack", "redis"];

/// The tables of global variables. They are in the registry, so that the collector keeps them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sandbox {
    /// The hidden variables of scripts of EVAL, where KEYS and ARGV are set.
    pub eval_hidden: TableRef,
    /// What scripts of EVAL see as their global variables.
    pub eval: TableRef,
    /// What functions see as their global variables.
    pub functions: TableRef,
    /// The hidden variables of functions.
    functions_hidden: TableRef,
    /// The hidden variables of the code of a library while it is loaded.
    loading_hidden: TableRef,
}

impl Sandbox {
    /// Creates all global variables.
    pub fn create(state: &mut LuaState) -> LuaResult<Sandbox> {
        let libraries = StdLib::BASE | StdLib::STRING | StdLib::TABLE | StdLib::MATH;
        stdlib::open_libs_selective(state, libraries)?;
        let eval_hidden = state.global;
        for name in REMOVED {
            value::set_field(state, eval_hidden, name, Val::Nil)?;
        }
        value::set_functions(state, eval_hidden, base::FUNCTIONS)?;
        extend_library(state, eval_hidden, "string", strings::FUNCTIONS)?;
        extend_library(state, eval_hidden, "string", search::FUNCTIONS)?;
        extend_library(state, eval_hidden, "table", strings::TABLE_FUNCTIONS)?;
        let own = &[("random", random::random as _), ("randomseed", random::randomseed as _)];
        extend_library(state, eval_hidden, "math", own)?;
        add_library(state, eval_hidden, "bit", bit::FUNCTIONS)?;
        add_library(state, eval_hidden, "struct", structs::FUNCTIONS)?;
        add_library(state, eval_hidden, "cmsgpack", msgpack::FUNCTIONS)?;
        let cjson = json::create(state)?;
        value::set_field(state, eval_hidden, "cjson", Val::Table(cjson))?;
        let functions_hidden = copy(state, eval_hidden)?;
        let redis = api::create(state, true)?;
        value::set_field(state, eval_hidden, "redis", Val::Table(redis))?;
        let redis = api::create(state, false)?;
        value::set_field(state, functions_hidden, "redis", Val::Table(redis))?;

        let no_meta = value::new_table(state);
        let no_meta = value::read_only(state, no_meta, None, base::refuse_change)?;
        protect_strings(state, eval_hidden, no_meta)?;
        let eval = protect(state, eval_hidden, no_meta)?;
        let functions = protect(state, functions_hidden, no_meta)?;
        let loading_hidden = value::new_table(state);
        let redis = api::create_for_loading(state)?;
        refuse_unknown(state, redis)?;
        let redis = value::read_only(state, redis, Some(no_meta), base::refuse_change)?;
        value::set_field(state, loading_hidden, "redis", Val::Table(redis))?;
        refuse_unknown(state, loading_hidden)?;

        state.global = eval;
        let sandbox = Sandbox { eval_hidden, eval, functions, functions_hidden, loading_hidden };
        sandbox.keep(state)?;
        Ok(sandbox)
    }

    /// Chooses what functions see: all variables, or those for the code of a library that is loaded.
    pub fn set_loading(&self, state: &mut LuaState, is_loading: bool) -> LuaResult<()> {
        let shown = if is_loading { self.loading_hidden } else { self.functions_hidden };
        match value::read_only_meta(state, self.functions) {
            Some(meta) => value::set_field(state, meta, "__index", Val::Table(shown)),
            None => Ok(()),
        }
    }

    fn keep(&self, state: &mut LuaState) -> LuaResult<()> {
        let registry = state.registry;
        let tables = [self.functions, self.functions_hidden, self.loading_hidden, self.eval];
        for (index, table) in tables.into_iter().enumerate() {
            value::set_element(state, registry, index + 1, Val::Table(table))?;
        }
        Ok(())
    }
}

type Functions = [(&'static str, rilua::RustFn)];

fn add_library(
    state: &mut LuaState,
    globals: TableRef,
    name: &str,
    functions: &Functions,
) -> LuaResult<()> {
    let table = value::new_table(state);
    value::set_functions(state, table, functions)?;
    value::set_field(state, globals, name, Val::Table(table))
}

fn extend_library(
    state: &mut LuaState,
    globals: TableRef,
    name: &str,
    functions: &Functions,
) -> LuaResult<()> {
    match value::field(state, globals, name.as_bytes()) {
        Val::Table(table) => value::set_functions(state, table, functions),
        _ => Ok(()),
    }
}

fn copy(state: &mut LuaState, table: TableRef) -> LuaResult<TableRef> {
    let copy = value::new_table(state);
    let mut key = Val::Nil;
    while let Some((found, inner)) = value::next(state, table, key)? {
        key = found;
        value::set(state, copy, key, inner)?;
    }
    Ok(copy)
}

/// Makes the libraries and the variables themselves read-only. Returns what scripts see.
fn protect(state: &mut LuaState, hidden: TableRef, no_meta: TableRef) -> LuaResult<TableRef> {
    for name in LIBRARIES {
        let Val::Table(library) = value::field(state, hidden, name.as_bytes()) else { continue };
        // Both sets of variables share a library that was made read-only before.
        if value::read_only_meta(state, library).is_none() {
            let shown = value::read_only(state, library, Some(no_meta), base::refuse_change)?;
            value::set_field(state, hidden, name, Val::Table(shown))?;
        }
    }
    let shown = value::read_only(state, hidden, Some(no_meta), base::refuse_change)?;
    value::set_field(state, hidden, "_G", Val::Table(shown))?;
    refuse_unknown(state, hidden)?;
    Ok(shown)
}

/// Makes reading an unknown field an error.
fn refuse_unknown(state: &mut LuaState, hidden: TableRef) -> LuaResult<()> {
    let meta = value::new_table(state);
    let refuse = value::function(state, "__index", base::refuse_unknown);
    value::set_field(state, meta, "__index", refuse)?;
    value::set_metatable(state, hidden, meta);
    Ok(())
}

/// Shows the metatable of strings read-only, with the library of strings in it.
fn protect_strings(state: &mut LuaState, hidden: TableRef, no_meta: TableRef) -> LuaResult<()> {
    let any = value::string(state, b"");
    let Some(Some(meta)) = state.gc.type_metatables.get(type_tag(any)).copied() else {
        return Ok(());
    };
    let Val::Table(library) = value::field(state, hidden, b"string") else { return Ok(()) };
    let library = value::read_only(state, library, Some(no_meta), base::refuse_change)?;
    let view = value::new_table(state);
    value::set_field(state, view, "__index", Val::Table(library))?;
    let view = value::read_only(state, view, Some(no_meta), base::refuse_change)?;
    value::set_field(state, meta, "__metatable", Val::Table(view))
}
