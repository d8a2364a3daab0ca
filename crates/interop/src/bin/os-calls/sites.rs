//! Names of call sites: which function is called, and by whom.
//!
//! A site is the function of the C library, the innermost function of the engine, the innermost one above the
//! ground folders (files, memory, budgets), and the innermost one of the folders `db` and `transaction`. Names
//! have no line numbers, so an edit elsewhere in a file changes no site.
//!
//! Return addresses are turned into names by the standard library's backtrace, which reads the debug information
//! once per process. What it said is kept in a file for the processes that follow ([`save`], [`load`]).
//!
//! Unsafe: the unwinder's two functions, called from its own callback.

use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::path::Path;
use std::sync::Mutex;

/// The engine's folders below those that decide anything about a failure.
const GROUND: &[&str] = &["base", "env", "error", "stats", "fs", "cache", "budget", "hooks"];

/// A call site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The function of the C library, with its kind where one function does several things.
    pub function: String,
    /// Functions of the engine, the innermost first.
    pub callers: String,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}", self.function, self.callers)
    }
}

/// Names per return address, relative to [`anchor`]; none where no function of the engine is.
static NAMES: Mutex<BTreeMap<isize, Option<String>>> = Mutex::new(BTreeMap::new());

unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

extern "C" fn note(context: *mut c_void, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the vector of `addresses`, which waits for the unwinder; `context` is the unwinder's.
    unsafe { (*data.cast::<Vec<usize>>()).push(_Unwind_GetIP(context)) };
    0
}

fn addresses() -> Vec<usize> {
    let mut found: Vec<usize> = Vec::with_capacity(64);
    // SAFETY: the callback gets the vector, which outlives the call.
    unsafe { _Unwind_Backtrace(note, (&raw mut found).cast()) };
    found
}

/// Where this program was loaded.
fn anchor() -> usize {
    addresses as fn() -> Vec<usize> as usize
}

fn relative(address: usize) -> isize {
    address.wrapping_sub(anchor()) as isize
}

/// The site that the calling thread is at; none if the engine is not among its callers.
pub fn caller(function: &str) -> Option<Site> {
    let stack = addresses();
    let mut names = NAMES.lock().unwrap_or_else(|e| e.into_inner());
    if stack.iter().any(|&address| !names.contains_key(&relative(address))) {
        learn(&mut names, &stack);
    }
    let engine: Vec<&str> =
        stack.iter().filter_map(|&address| names.get(&relative(address))?.as_deref()).collect();
    let folder = |name: &str| name.split("::").next().unwrap_or_default().to_owned();
    let mut callers = vec![*engine.first()?];
    let above = engine.iter().position(|name| !GROUND.contains(&folder(name).as_str()));
    // Threads of the ground folders have nothing above.
    let above = above.unwrap_or(engine.len() - 1);
    callers.push(engine[above]);
    let whole = |name: &&&str| matches!(folder(name).as_str(), "db" | "transaction");
    callers.extend(engine[above..].iter().find(whole));
    callers.dedup();
    Some(Site { function: function.to_owned(), callers: callers.join(" < ") })
}

/// Adds the names of all addresses on the stack.
fn learn(names: &mut BTreeMap<isize, Option<String>>, stack: &[usize]) {
    let text = format!("{:#}", Backtrace::force_capture());
    let mut address = None;
    for line in text.lines() {
        let line = line.trim_start();
        let name = match line.split_once(": ").map(|(_, rest)| rest.trim_start()) {
            Some(rest) if rest.starts_with("0x") => {
                let Some((place, name)) = rest.split_once(" - ") else { continue };
                address = usize::from_str_radix(&place.trim()[2..], 16).ok();
                name
            }
            _ if line.starts_with("at ") => continue,
            _ => line,
        };
        let Some(address) = address else { continue };
        // Of functions that were inlined the innermost comes first.
        let entry = names.entry(relative(address)).or_insert(None);
        if entry.is_none() {
            *entry = engine_name(name);
        }
    }
    for &address in stack {
        names.entry(relative(address)).or_insert(None);
    }
}

/// A function's name within the engine, without what the compiler adds to it.
fn engine_name(symbol: &str) -> Option<String> {
    let symbol = symbol.trim_start_matches(['<', '&']).trim_start_matches("mut ");
    let path = symbol.strip_prefix("ferrolith::")?;
    let mut name = String::new();
    // `Type as Trait>::method` becomes `Type::method`, `module::<impl Type>::method` too.
    let path = match (path.find(" as "), path.find(">::")) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}{}", &path[..begin], &path[end + 1..])
        }
        _ => path.to_owned(),
    };
    for part in split_outside_angles(&path) {
        let is_hash = part.len() == 17
            && part.starts_with('h')
            && part[1..].bytes().all(|b| b.is_ascii_hexdigit());
        if part.is_empty()
            || is_hash
            || part.starts_with("{{closure}}")
            || part.starts_with("{closure")
        {
            continue;
        }
        let part = match part.strip_prefix("<impl ") {
            Some(implemented) => {
                let target = implemented.rsplit(" for ").next().unwrap_or(implemented);
                target.trim_end_matches('>').rsplit("::").next().unwrap_or(target).to_owned()
            }
            None => part.split('<').next().unwrap_or(part).trim_end_matches('>').to_owned(),
        };
        if part.is_empty() {
            continue;
        }
        if !name.is_empty() {
            name.push_str("::");
        }
        name.push_str(&part);
    }
    Some(name)
}

fn split_outside_angles(path: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0usize, 0);
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => {
                parts.push(&path[from..at]);
                from = at + 2;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&path[from..]);
    parts
}

/// Writes down all names that are known.
pub fn save(path: &Path) -> std::io::Result<()> {
    let names = NAMES.lock().unwrap_or_else(|e| e.into_inner());
    let line = |(address, name): (&isize, &Option<String>)| {
        format!("{address}\t{}\n", name.as_deref().unwrap_or(""))
    };
    std::fs::write(path, names.iter().map(line).collect::<String>())
}

/// Takes over what another process of this program has written down.
pub fn load(path: &Path) -> std::io::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let mut names = NAMES.lock().unwrap_or_else(|e| e.into_inner());
    names.extend(text.lines().filter_map(|line| {
        let (address, name) = line.split_once('\t')?;
        Some((address.parse().ok()?, (!name.is_empty()).then(|| name.to_owned())))
    }));
    Ok(())
}
