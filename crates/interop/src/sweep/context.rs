//! What a case of the sweep does its work with: one library, one empty directory, and a transcript.

use crate::abi::{Abi, Arg, Handle, Returned};
use crate::store::Result;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A list of arguments of different types.
#[macro_export]
macro_rules! args {
    ($($arg:expr),* $(,)?) => { &[$($crate::abi::Arg::from($arg)),*] };
}

/// One case's surroundings. Handles leak: the process ends after a few hundred cases.
pub struct Context<'a> {
    /// The library.
    pub abi: &'a Abi,
    dir: PathBuf,
    said: Vec<String>,
}

impl<'a> Context<'a> {
    /// A case in an empty directory.
    pub fn new(abi: &'a Abi, dir: &Path) -> Context<'a> {
        Context { abi, dir: dir.to_owned(), said: Vec::new() }
    }

    /// A path in the case's directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Adds a line to the transcript.
    pub fn say(&mut self, line: impl AsRef<str>) {
        self.said.push(normal(line.as_ref(), &self.dir));
    }

    /// The transcript.
    pub fn transcript(self) -> String {
        self.said.join(" | ")
    }

    /// Calls what cannot fail.
    pub fn call(&self, name: &str, args: &[Arg]) -> Returned {
        self.abi.call(name, args)
    }

    /// Calls what returns a handle, and cannot fail.
    pub fn make(&self, name: &str, args: &[Arg]) -> Handle {
        self.abi.call(name, args).handle()
    }

    /// Calls what may fail, and says how it went: the text of the error, or OK.
    pub fn attempt(&mut self, name: &str, args: &[Arg]) -> Option<Handle> {
        let result = self.abi.try_call(name, args);
        self.outcome(name, result).map(Returned::handle)
    }

    /// Calls what may fail, and says so only if it does.
    pub fn must(&mut self, name: &str, args: &[Arg]) -> Option<Handle> {
        match self.abi.try_call(name, args) {
            Ok(returned) => Some(returned.handle()),
            failed => self.outcome(name, failed).map(Returned::handle),
        }
    }

    /// Says how something went.
    pub fn outcome<T>(&mut self, what: &str, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => {
                self.say(format!("{what}: OK"));
                Some(value)
            }
            Err(error) => {
                self.say(format!("{what}: {error}"));
                None
            }
        }
    }

    /// Options from a string, with `create_if_missing`, and little space taken ahead: in a directory in memory that
    /// would cost more than all the rest.
    pub fn options(&mut self, list: &str) -> Handle {
        let list = format!(
            "create_if_missing=true;write_buffer_size=1M;manifest_preallocation_size=4K;{list}"
        );
        let (base, options) = (self.make("options_create", &[]), self.make("options_create", &[]));
        self.must("get_options_from_string", args![base, &list, options]);
        options
    }

    /// Opens a database in a directory of the case.
    pub fn open(&mut self, options: Handle, name: &str) -> Option<Handle> {
        let path = self.path(name);
        self.attempt("open", args![options, path.as_path()])
    }

    /// A new database with these options; its opening is not worth a line.
    pub fn fresh(&mut self, list: &str, name: &str) -> Option<Handle> {
        let (options, path) = (self.options(list), self.path(name));
        self.must("open", args![options, path.as_path()])
    }

    /// Closes a database.
    pub fn close(&self, db: Handle) {
        self.call("close", args![db]);
    }

    /// Sets a key; says so if it fails.
    pub fn put(&mut self, db: Handle, key: &str, value: &str) {
        let wo = self.make("writeoptions_create", &[]);
        self.must("put", args![db, wo, key.as_bytes(), value.as_bytes()]);
    }

    /// Reads a key with default options, and says what it found.
    pub fn get(&mut self, db: Handle, key: &str) {
        let ro = self.make("readoptions_create", &[]);
        self.get_with(db, ro, key);
    }

    /// Reads a key, and says what it found.
    pub fn get_with(&mut self, db: Handle, read_options: Handle, key: &str) {
        let mut len = [0];
        let args = args![db, read_options, key.as_bytes(), Arg::Place(0)];
        let result = self.abi.try_call_into("get", args, &mut len);
        let found = result.map(|value| self.abi.bytes(value.handle(), len[0]));
        match found {
            Ok(Some(value)) => self.say(format!("get {key}: {}", without_time(&value))),
            Ok(None) => self.say(format!("get {key}: nothing")),
            Err(error) => self.say(format!("get {key}: {error}")),
        }
    }

    /// Writes the memtable into a table.
    pub fn flush(&mut self, db: Handle) {
        let fo = self.make("flushoptions_create", &[]);
        self.must("flush", args![db, fo]);
    }

    /// Compacts everything. There is no place for an error.
    pub fn compact(&self, db: Handle) {
        self.call("compact_range", args![db, 0, 0, 0, 0]);
    }

    /// Says which keys an iterator finds, from the first or from `start` on, and how it ended.
    pub fn scan(&mut self, db: Handle, read_options: Handle, start: Option<&str>) {
        let iter = self.make("create_iterator", args![db, read_options]);
        match start {
            Some(start) => self.call("iter_seek", args![iter, start.as_bytes()]),
            None => self.call("iter_seek_to_first", args![iter]),
        };
        self.drain(iter);
    }

    /// Says what an iterator finds from where it is, and destroys it.
    pub fn drain(&mut self, iter: Handle) {
        let (mut first, mut last, mut count) = (String::new(), String::new(), 0);
        while self.call("iter_valid", args![iter]).handle() != 0 && count < 10_000 {
            let mut len = [0];
            let key = self.abi.call_into("iter_key", &[iter.into(), Arg::Place(0)], &mut len);
            let key = self.abi.bytes(key.handle(), len[0]).unwrap_or_default();
            last = String::from_utf8_lossy(&key).into_owned();
            if count == 0 {
                first.clone_from(&last);
            }
            count += 1;
            self.call("iter_next", args![iter]);
        }
        let end = match self.abi.try_call("iter_get_error", args![iter]) {
            Ok(_) => String::new(),
            Err(error) => format!(", {error}"),
        };
        self.say(format!("scan: {count} {first}..{last}{end}"));
        self.call("iter_destroy", args![iter]);
    }

    /// A property as text.
    pub fn property(&self, db: Handle, name: &str) -> Option<String> {
        let value = self.make("property_value", args![db, name]);
        self.abi.take_text(value)
    }

    /// Files of a directory of the case whose names end so, or are so, oldest first.
    pub fn files(&self, name: &str, ending: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path(name)).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries.map(|entry| entry.path()).collect();
        found.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(ending) || (name.starts_with(ending) && !ending.starts_with('.'))
        });
        found.sort();
        found
    }

    /// What the newest OPTIONS file of a directory says of an option, each time that it is there.
    pub fn persisted(&self, name: &str, option: &str) -> Vec<String> {
        let newest = self.files(name, "OPTIONS-").pop();
        let text = newest.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let prefix = format!("{option}=");
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with(&prefix));
        lines.map(str::to_owned).collect()
    }
}

/// The text of a value. The time of its write, which databases with a time to live append in seconds, is replaced: the
/// libraries write one after the other.
fn without_time(value: &[u8]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    if let Some((text, time)) = value.split_last_chunk::<4>()
        && now.abs_diff(u32::from_le_bytes(*time).into()) < 600
    {
        return format!("{} (time)", String::from_utf8_lossy(text));
    }
    String::from_utf8_lossy(value).into_owned()
}

/// Text without what differs by chance: the directory, numbers of files, times, sizes, offsets.
fn normal(line: &str, dir: &Path) -> String {
    /// What stands before numbers that say where damage is, and what it is.
    const BEFORE: [&str; 12] = [
        "stored = ",
        "computed = ",
        "expected ",
        "found ",
        "file system ",
        "offset ",
        "size ",
        "size is ",
        "len ",
        "type = ",
        "thread ",
        "checksum is ",
    ];
    let line = line.replace(&*dir.to_string_lossy(), "DIR").replace(['\n', '\t'], " ");
    let is_error = !line.starts_with("scan") && !line.starts_with("is ");
    let mut out = String::new();
    let mut digits = String::new();
    for c in line.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        // Numbers of files have six digits; numbers of processes and seconds have more.
        match digits.len() {
            1.. if is_error && BEFORE.iter().any(|word| out.ends_with(word)) => out.push('#'),
            6 if out.ends_with(['/', '-']) || matches!(c, '.' | '_') => out.push_str("NNNNNN"),
            10 if digits.starts_with('1') => out.push_str("TIME"),
            _ => out.push_str(&digits),
        }
        digits.clear();
        out.push(c);
    }
    without_identities(out.trim_end())
}

/// Names of tables in a backup, without identity and size of the table.
fn without_identities(line: &str) -> String {
    let mut words = line.split("NNNNNN_s");
    let mut out = words.next().unwrap_or("").to_owned();
    for word in words {
        let rest = word.find(".sst").map_or(word, |at| &word[at..]);
        out = out + "NNNNNN_s*" + rest;
    }
    out
}
