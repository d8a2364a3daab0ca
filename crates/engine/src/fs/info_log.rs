//! The information log: the file `LOG`, with RocksDB's lines.
//!
//! A line is `2026/11/21-07:00:00.123456 140012 text`: local time, thread, text. At open the old file becomes
//! `LOG.old.<micros>`; the oldest are removed. No operation fails because a line could not be written, and logging
//! resumes as soon as that is possible. The log may be used from many threads and has one mutex.
//!
//! A file that replaces another one begins with the same headers: lines about the whole database, and sections about
//! parts of it that are added and dropped. The log does not store the lines of sections but the functions that produce
//! them, and repeats at most half a file of them.

use super::filename::{FileKind, info_log_file_name, old_info_log_file_name, parse_file_name};
use super::posix::sys;
use super::{FileSystem, WritableFile, WritableOptions};
use crate::env::clock::{self, Instant};
use crate::env::sync::Mutex;
use crate::error::Result;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The severity of a line. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum LogLevel {
    /// For the engine's developers.
    Debug = 0,
    /// Actions of the engine.
    #[default]
    Info = 1,
    /// Possible problems.
    Warn = 2,
    /// Errors.
    Error = 3,
    /// Errors after which the engine cannot continue.
    Fatal = 4,
    /// Versions and options, repeated in every file.
    Header = 5,
}

/// A user's destination for lines instead of LOG.
pub trait Logger: Send + Sync {
    /// Receives a line, without time and thread.
    fn log(&self, level: LogLevel, text: &str);

    /// The level below which lines are dropped.
    fn level(&self) -> LogLevel {
        LogLevel::Info
    }
}

impl LogLevel {
    /// The level with RocksDB's number; other numbers map to the nearest level.
    pub fn from_number(number: i32) -> LogLevel {
        match number {
            i32::MIN..=0 => LogLevel::Debug,
            1 => LogLevel::Info,
            2 => LogLevel::Warn,
            3 => LogLevel::Error,
            4 => LogLevel::Fatal,
            _ => LogLevel::Header,
        }
    }
}

/// The settings of a log.
#[derive(Clone, Copy, Debug)]
pub struct InfoLogOptions {
    /// Lines below this level are dropped.
    pub level: LogLevel,
    /// The maximum number of files, including the live one.
    pub keep_log_file_num: usize,
    /// The live file is replaced when it reaches this size in bytes; 0 disables this.
    pub max_log_file_size: u64,
    /// The live file is replaced after this number of seconds; 0 disables this.
    pub log_file_time_to_roll: u64,
}

impl Default for InfoLogOptions {
    fn default() -> InfoLogOptions {
        InfoLogOptions {
            level: LogLevel::Info,
            keep_log_file_num: 1000,
            max_log_file_size: 0,
            log_file_time_to_roll: 0,
        }
    }
}

/// Produces the lines of a section. It runs under the log's mutex, so it must not log.
pub type Section = Box<dyn Fn() -> Vec<String> + Send + Sync>;

/// The maximum size in bytes of repeated sections if files have no size limit.
const SECTIONS_MAX: u64 = 1 << 20;
/// The time after which a failed creation of a file is retried.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// The open log.
pub struct InfoLog {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    opts: InfoLogOptions,
    /// Receives the lines instead of files.
    logger: Option<Arc<dyn Logger>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` if the log is off, or if the last file could not be created.
    file: Option<Box<dyn WritableFile>>,
    /// The time at which the creation of the last file failed.
    lost: Option<Instant>,
    /// Repeated at the start of each new file.
    headers: Vec<String>,
    /// Repeated after the headers, by name.
    sections: BTreeMap<String, Section>,
    /// The size of headers and sections in the file.
    header_bytes: u64,
    line: Vec<u8>,
    /// The second of the last written line, and the prefix of lines in that second; empty before the first line.
    second: (u64, String),
    /// Whether lines wait in the file's buffer until the last one of a group.
    together: bool,
    /// The time at which the live file was created.
    since: Option<Instant>,
}

impl InfoLog {
    /// Renames the old file and starts a new one. `dir` must exist.
    pub fn open(fs: Arc<dyn FileSystem>, dir: &Path, opts: InfoLogOptions) -> Result<InfoLog> {
        let (dir, state) = (dir.to_path_buf(), Mutex::new(State::default()));
        let log = InfoLog { fs, dir, opts, logger: None, state };
        let file = log.next_file()?;
        let mut state = log.state.lock();
        (state.file, state.since) = (Some(file), Some(Instant::now()));
        drop(state);
        Ok(log)
    }

    /// A log whose lines go to a user's logger.
    pub fn to_logger(fs: Arc<dyn FileSystem>, logger: Arc<dyn Logger>) -> InfoLog {
        let opts = InfoLogOptions { level: logger.level(), ..InfoLogOptions::default() };
        let (dir, state) = (PathBuf::new(), Mutex::new(State::default()));
        InfoLog { fs, dir, opts, logger: Some(logger), state }
    }

    /// A log that drops everything.
    pub fn off(fs: Arc<dyn FileSystem>) -> InfoLog {
        InfoLog {
            fs,
            dir: PathBuf::new(),
            opts: InfoLogOptions::default(),
            logger: None,
            state: Mutex::new(State::default()),
        }
    }

    /// Passes all lines that `write` logs to the operating system at once.
    pub fn together(&self, write: impl FnOnce()) {
        self.state.lock().together = true;
        write();
        let mut state = self.state.lock();
        state.together = false;
        let _ = state.file.as_mut().map(|file| file.flush());
    }

    /// Writes a line that is repeated in every file.
    pub fn header(&self, text: fmt::Arguments<'_>) {
        self.log(LogLevel::Header, text);
        let mut state = self.state.lock();
        if state.file.is_some() {
            state.headers.push(text.to_string());
        }
    }

    /// Repeats a section in later files until it is dropped. The caller has already written it to
    /// the current file.
    pub fn keep_section(&self, name: &str, lines: Section) {
        let mut state = self.state.lock();
        if state.file.is_some() || state.lost.is_some() {
            let replaced = state.sections.insert(name.to_owned(), lines);
            drop(state);
            drop(replaced);
        }
    }

    /// Drops a section, or all of them.
    pub fn drop_sections(&self, name: Option<&str>) {
        let mut state = self.state.lock();
        let dropped = match name {
            Some(name) => state.sections.remove_entry(name).into_iter().collect(),
            None => std::mem::take(&mut state.sections),
        };
        drop(state);
        // The functions may be user code, so they are dropped outside the mutex.
        drop(dropped);
    }

    /// Writes a line of level [`LogLevel::Info`].
    pub fn info(&self, text: fmt::Arguments<'_>) {
        self.log(LogLevel::Info, text);
    }

    /// Writes a line of level [`LogLevel::Warn`].
    pub fn warn(&self, text: fmt::Arguments<'_>) {
        self.log(LogLevel::Warn, text);
    }

    /// Writes a line of level [`LogLevel::Error`].
    pub fn error(&self, text: fmt::Arguments<'_>) {
        self.log(LogLevel::Error, text);
    }

    /// Writes a line of any level. The text of a disabled level is not formatted.
    pub fn log(&self, level: LogLevel, text: fmt::Arguments<'_>) {
        if level < self.opts.level {
            return;
        }
        if let Some(logger) = &self.logger {
            return logger.log(level, &text.to_string());
        }
        let mut state = self.state.lock();
        if state.lost.is_some_and(|at| at.elapsed() >= TRY_AGAIN) {
            self.start_file(&mut state);
        }
        let State { file, line, second, together, since, header_bytes, .. } = &mut *state;
        let Some(file) = file else { return };
        format_line(line, second, level, text);
        if level == LogLevel::Header {
            *header_bytes += line.len() as u64;
        }
        // A full device must not stop the engine because of its log.
        let _ = file.append(line).and_then(|()| if *together { Ok(()) } else { file.flush() });
        let (size, seconds) = (self.opts.max_log_file_size, self.opts.log_file_time_to_roll);
        // A file must contain more than the next one repeats of it.
        let full = size > 0 && file.size() >= size.max(2 * *header_bytes);
        let old = since.is_some_and(|since| since.elapsed().as_secs() >= seconds);
        if full || (seconds > 0 && old) {
            if let Some(mut old) = state.file.take() {
                let _ = old.close();
            }
            self.start_file(&mut state);
        }
    }

    /// Starts a file that replaces the last one. If that fails, lines are dropped for a while.
    fn start_file(&self, state: &mut State) {
        let Ok(mut file) = self.next_file() else {
            state.lost = Some(Instant::now());
            return;
        };
        let State { headers, sections, line, second, .. } = &mut *state;
        let mut write = |text: &str| {
            format_line(line, second, LogLevel::Header, format_args!("{text}"));
            let _ = file.append(line);
        };
        headers.iter().for_each(|text| write(text));
        let mut room = match self.opts.max_log_file_size {
            0 => SECTIONS_MAX,
            size => size / 2,
        };
        let mut left_out = 0;
        for lines in sections.values() {
            let lines = lines();
            let bytes = lines.iter().map(|line| line.len() as u64).sum();
            match room.checked_sub(bytes) {
                Some(less) => {
                    room = less;
                    lines.iter().for_each(|text| write(text));
                }
                None => left_out += 1,
            }
        }
        if left_out > 0 {
            write(&format!(
                "The OPTIONS file contains the options of {left_out} more column families"
            ));
        }
        state.header_bytes = file.size();
        (state.file, state.since, state.lost) = (Some(file), Some(Instant::now()), None);
    }

    fn next_file(&self) -> Result<Box<dyn WritableFile>> {
        let path = info_log_file_name(&self.dir);
        if self.fs.exists(&path)? {
            let mut micros = now().as_micros() as u64;
            while self.fs.exists(&old_info_log_file_name(&self.dir, micros))? {
                micros += 1;
            }
            self.fs.rename(&path, &old_info_log_file_name(&self.dir, micros))?;
        }
        self.remove_oldest();
        let opts = WritableOptions { outlives_full_disk: true, ..WritableOptions::default() };
        self.fs.new_writable(&path, opts)
    }

    fn remove_oldest(&self) {
        let names = self.fs.list_dir(&self.dir).unwrap_or_default();
        let mut old: Vec<u64> = names
            .iter()
            .filter_map(|name| match parse_file_name(name) {
                Some(FileKind::InfoLog(micros)) => micros,
                _ => None,
            })
            .collect();
        old.sort_unstable();
        let keep = self.opts.keep_log_file_num.saturating_sub(1);
        for micros in &old[..old.len().saturating_sub(keep)] {
            // Files that remain are removed at the next open.
            let _ = self.fs.remove_file(&old_info_log_file_name(&self.dir, *micros));
        }
    }
}

pub(super) fn now() -> std::time::Duration {
    clock::since_1970()
}

fn format_line(
    line: &mut Vec<u8>,
    second: &mut (u64, String),
    level: LogLevel,
    text: fmt::Arguments<'_>,
) {
    let now = now();
    if second.1.is_empty() || second.0 != now.as_secs() {
        let [year, month, day, hour, minute, sec] = sys::local_time(now.as_secs());
        let begin = format!("{year:04}/{month:02}/{day:02}-{hour:02}:{minute:02}:{sec:02}");
        *second = (now.as_secs(), begin);
    }
    let level = match level {
        LogLevel::Debug => "[DEBUG] ",
        LogLevel::Warn => "[WARN] ",
        LogLevel::Error => "[ERROR] ",
        LogLevel::Fatal => "[FATAL] ",
        LogLevel::Info | LogLevel::Header => "",
    };
    line.clear();
    // Writing to a Vec does not fail.
    let _ = writeln!(
        line,
        "{}.{:06} {} {level}{text}",
        second.1,
        now.subsec_micros(),
        sys::thread_number(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::mem::MemFs;

    fn text(fs: &MemFs) -> String {
        String::from_utf8(fs.read_file(Path::new("/db/LOG")).unwrap()).unwrap()
    }

    #[test]
    fn lines_have_rocksdb_shape() {
        let fs = MemFs::new();
        fs.create_dir_if_missing(Path::new("/db")).unwrap();
        let log = InfoLog::open(Arc::new(fs.clone()), Path::new("/db"), InfoLogOptions::default());
        let log = log.unwrap();
        log.info(format_args!("flush of {} bytes", 7));
        log.log(LogLevel::Debug, format_args!("dropped"));
        log.warn(format_args!("stall"));
        let text = text(&fs);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let parts: Vec<_> = lines[0].splitn(3, ' ').collect();
        assert_eq!(parts[0].len(), "2026/11/21-07:00:00.123456".len());
        assert!(parts[0].starts_with("20") && parts[0].as_bytes()[10] == b'-', "{text}");
        assert!(parts[1].parse::<u64>().unwrap() > 0);
        assert_eq!(parts[2], "flush of 7 bytes");
        assert!(lines[1].ends_with(" [WARN] stall"));
        InfoLog::off(Arc::new(fs)).error(format_args!("nowhere"));
    }

    #[test]
    fn old_files_are_set_aside_and_the_oldest_removed() {
        let fs = MemFs::new();
        let dir = Path::new("/db");
        fs.create_dir_if_missing(dir).unwrap();
        let opts =
            InfoLogOptions { keep_log_file_num: 3, max_log_file_size: 150, ..Default::default() };
        let log = InfoLog::open(Arc::new(fs.clone()), dir, opts).unwrap();
        log.header(format_args!("version 1"));
        log.keep_section("a", Box::new(|| vec!["options of a".to_owned()]));
        log.keep_section("b", Box::new(|| vec!["options of b".to_owned()]));
        log.drop_sections(Some("a"));
        for i in 0..20 {
            log.info(format_args!("line {i}"));
        }
        assert_eq!(fs.list_dir(dir).unwrap().len(), 3);
        assert!(text(&fs).contains("version 1"), "headers are repeated");
        assert!(text(&fs).contains("options of b") && !text(&fs).contains("options of a"));
        drop(log);
        InfoLog::open(Arc::new(fs.clone()), dir, opts).unwrap();
        assert_eq!(fs.list_dir(dir).unwrap().len(), 3);
        assert!(text(&fs).is_empty());
    }

    #[test]
    fn sections_never_fill_a_file() {
        let fs = MemFs::new();
        let dir = Path::new("/db");
        fs.create_dir_if_missing(dir).unwrap();
        let opts = InfoLogOptions { max_log_file_size: 2000, ..Default::default() };
        let log = InfoLog::open(Arc::new(fs.clone()), dir, opts).unwrap();
        log.header(format_args!("version 1"));
        for i in 0..100 {
            let lines = move || vec![format!("options of {i:03} {}", "-".repeat(85))];
            log.keep_section(&i.to_string(), Box::new(lines));
        }
        (0..1000).for_each(|i| log.info(format_args!("line {i}")));
        let text = text(&fs);
        assert!(text.contains("the options of 90 more column families"), "{text}");
        // A line takes about 50 bytes, so a file holds more than ten besides the repeated ones.
        let files = fs.list_dir(dir).unwrap().len();
        assert!(files < 80, "{files} files for 1000 lines");
        log.drop_sections(None);
        assert!(log.state.lock().sections.is_empty());
    }

    #[test]
    fn lines_come_again_after_a_file_could_not_be_made() {
        use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
        let mem = MemFs::new();
        mem.create_dir_if_missing(Path::new("/db")).unwrap();
        let fs = FaultFs::new(Arc::new(mem.clone()));
        let opts = InfoLogOptions { max_log_file_size: 100, ..Default::default() };
        let log = InfoLog::open(Arc::new(fs.clone()), Path::new("/db"), opts).unwrap();
        fs.inject(Fault::always(Op::Create, "LOG", FaultKind::NoSpace));
        (0..5).for_each(|i| log.info(format_args!("line {i} of a file that gets full")));
        assert!(!mem.exists(Path::new("/db/LOG")).unwrap());
        fs.clear();
        log.state.lock().lost = Instant::now().checked_sub(TRY_AGAIN);
        log.info(format_args!("the device has space again"));
        assert!(text(&mem).contains("has space again"));
    }
}
