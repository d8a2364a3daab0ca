//! Calls any function of RocksDB's C ABI by name, in a library that is loaded at run time: the real RocksDB's or ours.
//!
//! `abi.tsv` of `crates/capi` says what a function takes and returns; [`Abi::call`] checks the number of arguments
//! against it. Invariants: the library is never unloaded; a process loads one library. Every argument that is no
//! `double` is passed as 64 bits, widened as its C type says; calling conventions of the systems that the tests run on
//! (SysV x86-64, AArch64) take surplus arguments and widened ones, and the callee ignores what it does not know. The
//! caller passes handles of the right kind: the sweep's tables do, and a mistake there ends a child of a test.
#![allow(unsafe_code)]

use crate::store::Result;
use libloading::Library;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

/// A handle of the library, or any other 64 bits that it returned.
pub type Handle = u64;

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A handle, or a number, sign-extended.
    Number(u64),
    /// A `double`.
    Double(f64),
    /// A C string.
    Text(CString),
    /// Two arguments: a pointer and a length.
    Bytes(Vec<u8>),
    /// A pointer to handles or numbers of 64 bits.
    Numbers(Vec<u64>),
    /// A pointer to `int`s.
    Ints(Vec<i32>),
    /// A pointer to C strings.
    Texts(Vec<CString>),
    /// A pointer to places of 64 bits that the call fills in, from this one on.
    Place(usize),
}

macro_rules! numbers {
    ($($t:ty)*) => {$(impl From<$t> for Arg {
        fn from(n: $t) -> Arg {
            Arg::Number(n as u64)
        }
    })*};
}

numbers!(u64 i64 i32 u32 usize u8 bool);

impl From<f64> for Arg {
    fn from(n: f64) -> Arg {
        Arg::Double(n)
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Arg {
        Arg::Text(CString::new(text.replace('\0', "")).unwrap_or_default())
    }
}

impl From<&String> for Arg {
    fn from(text: &String) -> Arg {
        Arg::from(text.as_str())
    }
}

impl From<&Path> for Arg {
    fn from(path: &Path) -> Arg {
        Arg::from(path.to_string_lossy().as_ref())
    }
}

impl<const N: usize> From<&[u8; N]> for Arg {
    fn from(bytes: &[u8; N]) -> Arg {
        Arg::Bytes(bytes.to_vec())
    }
}

impl From<&[u8]> for Arg {
    fn from(bytes: &[u8]) -> Arg {
        Arg::Bytes(bytes.to_vec())
    }
}

/// What a function returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Returned {
    /// Nothing.
    Void,
    /// A number or a pointer.
    Number(u64),
    /// A `double`.
    Double(f64),
}

impl Returned {
    /// The handle; 0 if there is none.
    pub fn handle(self) -> Handle {
        match self {
            Returned::Number(n) => n,
            Returned::Void | Returned::Double(_) => 0,
        }
    }
}

/// A row of `abi.tsv`.
pub struct Function {
    /// Its name without `rocksdb_`.
    pub name: &'static str,
    /// The C type of its result.
    pub returns: &'static str,
    /// Types and names of its arguments.
    pub arguments: Vec<&'static str>,
    /// `implemented`, `accepted` or `unsupported`.
    pub state: &'static str,
}

impl Function {
    /// The type of an argument, without its name.
    pub fn argument_type(&self, at: usize) -> &'static str {
        let text = self.arguments.get(at).copied().unwrap_or("");
        text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').trim()
    }
}

/// All functions of the ABI, in the order of its header.
pub fn table() -> Vec<Function> {
    let lines =
        include_str!("../../capi/abi.tsv").lines().filter(|line| line.starts_with("rocksdb_"));
    let row = |line: &'static str| {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or("");
        let (name, returns, arguments, state) = (next(), next(), next(), next());
        let arguments =
            if arguments.contains('(') { vec![] } else { arguments.split(", ").collect() };
        let arguments = arguments.into_iter().filter(|a| !a.is_empty()).collect();
        Function { name: name.trim_start_matches("rocksdb_"), returns, arguments, state }
    };
    lines.map(row).collect()
}

/// A loaded library.
pub struct Abi {
    library: &'static Library,
    functions: HashMap<&'static str, Function>,
}

type Ints = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u64;
type Mixed = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, f64, f64) -> u64;
type Doubles = unsafe extern "C" fn(u64, u64) -> f64;

impl Abi {
    /// Loads the library.
    pub fn load(path: &Path) -> Result<Abi> {
        // SAFETY: the initialisers of RocksDB or of our library run, which is what we want; it is leaked.
        let library =
            unsafe { Library::new(path) }.map_err(|e| format!("{}: {e}", path.display()))?;
        let functions = table().into_iter().map(|function| (function.name, function)).collect();
        Ok(Abi { library: Box::leak(Box::new(library)), functions })
    }

    /// Calls a function that cannot report an error.
    pub fn call(&self, name: &str, args: &[Arg]) -> Returned {
        self.call_with(name, args, &mut [], None)
    }

    /// Calls a function whose last argument is `errptr`.
    pub fn try_call(&self, name: &str, args: &[Arg]) -> Result<Returned> {
        self.try_call_into(name, args, &mut [])
    }

    /// As [`Abi::try_call`]; `Arg::Place(n)` is the address of `places[n]`.
    pub fn try_call_into(&self, name: &str, args: &[Arg], places: &mut [u64]) -> Result<Returned> {
        let mut error: u64 = 0;
        let returned = self.call_with(name, args, places, Some(&mut error));
        if error == 0 {
            return Ok(returned);
        }
        Err(self.take_text(error).unwrap_or_default())
    }

    /// As [`Abi::call`], with places.
    pub fn call_into(&self, name: &str, args: &[Arg], places: &mut [u64]) -> Returned {
        self.call_with(name, args, places, None)
    }

    /// Takes a C string that the caller owns.
    pub fn take_text(&self, pointer: u64) -> Option<String> {
        let text = self.text(pointer);
        if pointer != 0 {
            self.call("free", &[pointer.into()]);
        }
        text
    }

    /// Copies a C string.
    pub fn text(&self, pointer: u64) -> Option<String> {
        let pointer = pointer as *const c_char;
        // SAFETY: the library returned it as a C string; NULL is checked.
        (!pointer.is_null())
            .then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
    }

    /// Copies bytes that the library still owns.
    pub fn bytes(&self, pointer: u64, len: u64) -> Option<Vec<u8>> {
        let data = pointer as *const u8;
        // SAFETY: the library returned both; NULL is checked.
        (!data.is_null())
            .then(|| unsafe { std::slice::from_raw_parts(data, len as usize) }.to_vec())
    }

    fn call_with(
        &self,
        name: &str,
        args: &[Arg],
        places: &mut [u64],
        error: Option<&mut u64>,
    ) -> Returned {
        let function =
            self.functions.get(name).unwrap_or_else(|| panic!("{name} is not in abi.tsv"));
        let (mut words, mut doubles) = (Vec::new(), Vec::new());
        let mut held: Vec<Vec<*const c_char>> = Vec::new();
        for arg in args {
            match arg {
                Arg::Number(n) => words.push(*n),
                Arg::Double(n) => doubles.push(*n),
                Arg::Text(text) => words.push(text.as_ptr() as u64),
                Arg::Bytes(bytes) => words.extend([bytes.as_ptr() as u64, bytes.len() as u64]),
                Arg::Numbers(numbers) => words.push(numbers.as_ptr() as u64),
                Arg::Ints(numbers) => words.push(numbers.as_ptr() as u64),
                Arg::Texts(texts) => {
                    held.push(texts.iter().map(|text| text.as_ptr()).collect());
                    words.push(held.last().map_or(0, |list| list.as_ptr() as u64));
                }
                Arg::Place(at) => words.push(places[*at..].as_mut_ptr() as u64),
            }
        }
        words.extend(error.map(|error| std::ptr::from_mut(error) as u64));
        let expected = function.arguments.len();
        assert!(
            expected == 0 || expected == words.len() + doubles.len(),
            "{name} takes {expected} arguments"
        );
        let symbol = format!("rocksdb_{name}");
        // SAFETY: the type is that of any pointer to code; it is cast below to what the table says.
        let symbol = unsafe { self.library.get::<*mut c_void>(symbol.as_bytes()) };
        let code = *symbol.unwrap_or_else(|e| panic!("{name}: {e}"));
        // SAFETY: the invariants at the head of this file.
        unsafe { invoke(code, function.returns, &words, &doubles) }
    }
}

/// # Safety
/// `code` is a function with that many arguments of each kind.
unsafe fn invoke(code: *mut c_void, returns: &str, words: &[u64], doubles: &[f64]) -> Returned {
    let w = |at: usize| words.get(at).copied().unwrap_or(0);
    let d = |at: usize| doubles.get(at).copied().unwrap_or(0.0);
    // SAFETY: the caller's promise; surplus arguments are ignored by the callee.
    let raw = unsafe {
        if returns == "double" {
            let call: Doubles = std::mem::transmute(code);
            return Returned::Double(call(w(0), w(1)));
        }
        if doubles.is_empty() {
            let call: Ints = std::mem::transmute(code);
            call(w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7), w(8), w(9), w(10), w(11))
        } else {
            assert!(
                words.len() <= 8 && doubles.len() <= 2,
                "found more arguments than the function type has"
            );
            let call: Mixed = std::mem::transmute(code);
            call(w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7), d(0), d(1))
        }
    };
    match returns {
        "void" => Returned::Void,
        "unsigned char" | "bool" | "uint8_t" => Returned::Number(raw & 0xff),
        "char" => Returned::Number(raw as i8 as u64),
        "int" | "int32_t" => Returned::Number(raw as i32 as u64),
        "uint32_t" | "unsigned int" => Returned::Number(raw & 0xffff_ffff),
        _ => Returned::Number(raw),
    }
}
