//! Writes the mechanical part of the ABI from `abi.tsv` into `$OUT_DIR/generated.rs`, and tells the build scripts of
//! dependents where `abi.tsv` is.
//!
//! * A row with a binding `get PATH` or `set PATH` becomes an accessor of that field of its handle. `*` at the end of
//!   the path is the field that is called as the function is behind its `_get_` or `_set_`.
//!   `get-enum` and `set-enum` are accessors of a closed set: a number without a name is noted in `unnamed` of the
//!   struct, for the opening to refuse it.
//! * A row with a binding `forward FUNCTION` calls that function, a path below `src/families`, with the database that
//!   the first argument wraps and the remaining arguments.
//! * A function that stands in no file under `src` becomes a refusal: it sets `errptr` to its own
//!   name where it has one and returns NULL or zero.
//!
//! Nothing else: what is written by hand is found by its `fn rocksdb_…(`, so that a row needs no
//! edit when its function is written.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=abi.tsv");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=build.rs");
    let manifest_dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:abi={manifest_dir}/abi.tsv");

    let mut written = HashSet::new();
    collect_written(Path::new("src"), &mut written);
    let table = fs::read_to_string("abi.tsv").expect("abi.tsv stands beside build.rs");
    let mut out = String::new();
    for line in table.lines().filter(|l| l.starts_with("rocksdb_")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, returns, arguments, _state, binding] = columns[..] else {
            panic!("abi.tsv: expected 5 columns: {line:?}");
        };
        if written.contains(name) {
            assert!(binding.is_empty(), "abi.tsv: {name} has a binding and is written by hand");
            continue;
        }
        let function = Function { name, returns, arguments: split_arguments(arguments) };
        let Some((accessor, path)) = binding.split_once(' ') else {
            assert!(binding.is_empty(), "abi.tsv: {name}: binding {binding:?}");
            function.refusal(&mut out);
            continue;
        };
        if accessor == "forward" {
            function.forwarder(path, &mut out);
            continue;
        }
        let path = field_path(name, path);
        match accessor {
            "get" => function.getter(&path, &mut out),
            "set" => function.setter(&path, &mut out),
            "get-enum" => function.enum_getter(&path, &mut out),
            "set-enum" => function.enum_setter(&path, &mut out),
            _ => panic!("abi.tsv: {name}: binding {binding:?}"),
        }
    }
    let target = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("generated.rs");
    fs::write(target, out).expect("OUT_DIR can be written");
}

/// The names of all `fn rocksdb_…(` in Rust files under `dir`.
fn collect_written(dir: &Path, names: &mut HashSet<String>) {
    for entry in fs::read_dir(dir).expect("src can be read") {
        let path = entry.expect("src can be read").path();
        if path.is_dir() {
            collect_written(&path, names);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is text");
            for part in text.split("extern \"C\" fn ").skip(1) {
                let name = part.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                names.extend(name.map(str::to_string));
            }
        }
    }
}

/// Arguments, cut at commas outside parentheses.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    out.extend(Some(text[start..].trim()).filter(|s| !s.is_empty()));
    out
}

struct Function<'a> {
    name: &'a str,
    returns: &'a str,
    arguments: Vec<&'a str>,
}

impl Function<'_> {
    /// `rocksdb_options_t` of `const rocksdb_options_t* opt`.
    fn handle(&self) -> &str {
        let first = self.arguments.first().expect("an accessor has a handle");
        let first = first.trim_start_matches("const ");
        first.split('*').next().expect("split gives one part").trim()
    }

    fn getter(&self, path: &str, out: &mut String) {
        let (name, handle, c) = (self.name, self.handle(), rust_type(self.returns));
        write!(
            out,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {name}(handle: *const crate::families::{handle}) -> {c} {{\n    \
             // SAFETY: the caller passes a live handle or NULL.\n    \
             unsafe {{ crate::accessors::get(handle, |h| crate::accessors::Scalar::<{c}>::load(&h.{path})) }}\n}}\n"
        )
        .expect("a String takes all");
    }

    fn setter(&self, path: &str, out: &mut String) {
        let (name, handle) = (self.name, self.handle());
        let value = self.arguments.get(1).expect("a setter has a value");
        let c = rust_type(type_of(value));
        write!(
            out,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {name}(handle: *mut crate::families::{handle}, value: {c}) {{\n    \
             // SAFETY: the caller passes a live handle that nobody else uses meanwhile, or NULL.\n    \
             unsafe {{ crate::accessors::set(handle, |h| crate::accessors::Scalar::<{c}>::store(&mut h.{path}, value)) }}\n}}\n"
        )
        .expect("a String takes all");
    }

    fn enum_getter(&self, path: &str, out: &mut String) {
        let (name, handle, c) = (self.name, self.handle(), rust_type(self.returns));
        let (unnamed, option) = (unnamed_of(path), option_of(path));
        write!(
            out,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {name}(handle: *const crate::families::{handle}) -> {c} {{\n    \
             // SAFETY: the caller passes a live handle or NULL.\n    \
             unsafe {{ crate::accessors::get(handle, |h| h.{unnamed}.number(\"{option}\").map_or_else(|| \
             crate::accessors::Scalar::<{c}>::load(&h.{path}), |n| n as {c})) }}\n}}\n"
        )
        .expect("a String takes all");
    }

    fn enum_setter(&self, path: &str, out: &mut String) {
        let (name, handle) = (self.name, self.handle());
        let c = rust_type(type_of(self.arguments.get(1).expect("a setter has a value")));
        let (unnamed, option) = (unnamed_of(path), option_of(path));
        write!(
            out,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {name}(handle: *mut crate::families::{handle}, value: {c}) {{\n    \
             // SAFETY: the caller passes a live handle that nobody else uses meanwhile, or NULL.\n    \
             unsafe {{ crate::accessors::set(handle, |h| {{ let unnamed = crate::accessors::ClosedSet::choose(&mut h.{path}, \
             value.into()); h.{unnamed}.note(\"{option}\", unnamed); }}) }}\n}}\n"
        )
        .expect("a String takes all");
    }

    fn forwarder(&self, callee: &str, out: &mut String) {
        let (name, handle) = (self.name, self.handle());
        let (mut arguments, mut passed) = (String::new(), String::new());
        for (i, argument) in self.arguments.iter().enumerate().skip(1) {
            let ty = rust_type(type_of(argument));
            let cast = if ty.starts_with('*') { ".cast()" } else { "" };
            write!(arguments, ", a{i}: {ty}").expect("a String takes all");
            write!(passed, ", a{i}{cast}").expect("a String takes all");
        }
        let (returns, cast) = match self.returns {
            "void" => (String::new(), ""),
            pointer if pointer.contains('*') => {
                let constant = pointer.starts_with("const ");
                let cast = if constant { ".cast_mut().cast()" } else { ".cast()" };
                (format!(" -> {}", rust_type(pointer)), cast)
            }
            other => (format!(" -> {}", rust_type(other)), ""),
        };
        let semicolon = if returns.is_empty() { ";" } else { "" };
        write!(
            out,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {name}(handle: *mut crate::families::{handle}{arguments}){returns} \
             {{\n    // SAFETY: the caller's promises are those of the function that is called.\n    \
             unsafe {{ crate::families::{callee}(crate::accessors::database(handle){passed}){cast}{semicolon} }}\n}}\n"
        )
        .expect("a String takes all");
    }

    fn refusal(&self, out: &mut String) {
        let mut arguments = String::new();
        let mut errptr = None;
        for (i, argument) in self.arguments.iter().enumerate() {
            let is_errptr = argument.ends_with("errptr");
            let ty =
                if is_errptr { "*mut *mut std::ffi::c_char" } else { rust_type(type_of(argument)) };
            let name = if is_errptr { "errptr".to_string() } else { format!("_a{i}") };
            write!(arguments, "{name}: {ty}, ").expect("a String takes all");
            errptr = errptr.or(is_errptr.then_some(()));
        }
        let returns = match self.returns {
            "void" => String::new(),
            other => format!(" -> {}", rust_type(other)),
        };
        let body = match errptr {
            // SAFETY of the generated call: the caller passes a valid errptr.
            Some(()) => format!("unsafe {{ crate::errptr::refuse(errptr, \"{}\") }};", self.name),
            None => format!("crate::errptr::show_refusal(\"{}\");", self.name),
        };
        let zero = match self.returns {
            "void" => "",
            "bool" => "false",
            r if r.contains('*') => "std::ptr::null_mut()",
            "double" => "0.0",
            _ => "0",
        };
        write!(
            out,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {}({arguments}){returns} {{\n    \
             // SAFETY: the caller passes a valid errptr.\n    {body}\n    {zero}\n}}\n",
            self.name
        )
        .expect("a String takes all");
    }
}

/// The path of a binding with the field in place of `*`.
fn field_path(function: &str, path: &str) -> String {
    let Some(owner) = path.strip_suffix('*') else { return path.to_string() };
    let field = function.split_once("_get_").or_else(|| function.split_once("_set_"));
    let (_, field) = field.unwrap_or_else(|| panic!("abi.tsv: {function}: no field for {path:?}"));
    format!("{owner}{field}")
}

/// The option that a path ends in.
fn option_of(path: &str) -> &str {
    path.rsplit('.').next().expect("rsplit gives one part")
}

/// Where numbers without a name are noted: in the options struct that the path leads through.
fn unnamed_of(path: &str) -> &'static str {
    match path {
        p if p.starts_with("inner.db.") => "inner.db.unnamed",
        p if p.starts_with("inner.cf.") => "inner.cf.unnamed",
        _ => "inner.unnamed",
    }
}

/// `const char*` of `const char* name`.
fn type_of(argument: &str) -> &str {
    if argument.contains('(') || argument.contains('[') {
        return "void*";
    }
    argument.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').trim()
}

/// The Rust type with the same representation; every pointer is untyped here.
fn rust_type(c: &str) -> &'static str {
    match c.trim_start_matches("const ").trim() {
        p if p.contains('*') || p.ends_with("_cb") => "*mut std::ffi::c_void",
        "int" | "int32_t" => "i32",
        "unsigned int" | "uint32_t" => "u32",
        "unsigned char" | "uint8_t" => "u8",
        "char" => "std::ffi::c_char",
        "bool" => "bool",
        "size_t" => "usize",
        "uint64_t" => "u64",
        "int64_t" => "i64",
        "double" => "f64",
        other => panic!("abi.tsv: type {other:?}"),
    }
}
