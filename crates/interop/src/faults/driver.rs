//! The parent's end of a victim: commands, replies, events, and the time that each of them took.

use crate::store::Result;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What a `write` came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Every thread's batches were acknowledged.
    All,
    /// A thread was refused, with this text.
    Refused(String),
    /// There is no reply yet.
    Blocked,
}

/// A victim that runs.
pub struct Driver {
    child: Child,
    commands: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Events so far.
    events: Vec<String>,
    /// A command whose reply has not come.
    outstanding: bool,
    /// Commands, replies and events with their times, for people.
    transcript: String,
    started: Instant,
}

impl Driver {
    /// Starts a victim and waits until its database is open.
    pub fn start(args: &[&str], patience: Duration) -> Result<Driver> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = Command::new(program);
        command.arg("victim").args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("starting a victim: {e}"))?;
        let (sender, lines) = mpsc::channel();
        let out = child.stdout.take().ok_or("no stdout")?;
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(std::result::Result::ok) {
                let _ = sender.send(line);
            }
        });
        let commands = child.stdin.take();
        let mut driver = Driver {
            child,
            commands,
            lines,
            events: Vec::new(),
            outstanding: true,
            transcript: format!("victim {args:?}\n"),
            started: Instant::now(),
        };
        match driver.reply(patience)?.as_deref() {
            Some("ok") => Ok(driver),
            other => Err(format!("opening: {other:?}")),
        }
    }

    fn note(&mut self, text: &str) {
        let at = self.started.elapsed().as_secs_f64();
        self.transcript.push_str(&format!("{at:8.3} {text}\n"));
    }

    /// What was said so far.
    pub fn transcript(&self) -> &str {
        &self.transcript
    }

    /// The process's number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next reply, if it comes in time.
    fn reply(&mut self, patience: Duration) -> Result<Option<String>> {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                // Its output ends with the process.
                Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
            };
            self.note(&line);
            if let Some(reply) = line.strip_prefix("reply ") {
                self.outstanding = false;
                return Ok(Some(reply.to_owned()));
            }
            self.events.extend(line.strip_prefix("event ").map(str::to_owned));
        }
    }

    /// How the process ended, which it should not have.
    fn end(&mut self) -> String {
        let status = self.child.wait();
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        self.note(&format!("ended: {status:?} {said}"));
        match status {
            Ok(status) if status.signal().is_some() => {
                format!("the process DIED BY SIGNAL {}: {said}", status.signal().unwrap_or(0))
            }
            other => format!("the process ended, {other:?}: {said}"),
        }
    }

    /// Gives a command and waits for its reply; `None` when it does not come in time.
    pub fn ask(&mut self, command: &str, patience: Duration) -> Result<Option<String>> {
        if self.outstanding && self.reply(patience)?.is_none() {
            return Ok(None);
        }
        self.note(&format!("> {command}"));
        let sent = self.commands.as_mut().map(|pipe| writeln!(pipe, "{command}"));
        if sent.is_none_or(|sent| sent.is_err()) {
            return Err(self.end());
        }
        self.outstanding = true;
        self.reply(patience)
    }

    /// Gives a command whose reply must come, and must be `ok`.
    pub fn must(&mut self, command: &str, patience: Duration) -> Result<()> {
        match self.ask(command, patience)?.as_deref() {
            Some("ok") => Ok(()),
            Some(other) => Err(format!("{command}: {other}")),
            None => Err(format!("{command}: no reply within {patience:?}")),
        }
    }

    /// Lets each thread write `batches`.
    pub fn write(&mut self, batches: u64, patience: Duration) -> Result<Written> {
        let Some(reply) = self.ask(&format!("write {batches}"), patience)? else {
            return Ok(Written::Blocked);
        };
        let mut words = reply.splitn(3, ' ').skip(1);
        match words.next() {
            Some("0") => Ok(Written::All),
            Some(_) => Ok(Written::Refused(words.next().unwrap_or("").to_owned())),
            None => Err(format!("malformed reply {reply:?}")),
        }
    }

    /// Waits for an event that satisfies `wanted`, also one that has come already.
    pub fn event(
        &mut self,
        wanted: impl Fn(&str) -> bool,
        patience: Duration,
    ) -> Result<Option<String>> {
        let until = Instant::now() + patience;
        loop {
            if let Some(event) = self.events.iter().find(|event| wanted(event)) {
                return Ok(Some(event.clone()));
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.note(&line);
                    self.events.extend(line.strip_prefix("event ").map(str::to_owned));
                }
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
            }
        }
    }

    /// Forgets the events so far.
    pub fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Whether the process has mapped a log in this directory.
    pub fn has_mapped_log(&self, dir: &Path) -> Result<bool> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid()));
        let maps = maps.map_err(|e| format!("maps of the victim: {e}"))?;
        // A file of an overlay is shown by its name in the overlay.
        let dir = dir.to_string_lossy();
        Ok(maps.lines().any(|line| line.contains(&*dir) && line.trim_end().ends_with(".log")))
    }

    /// Kills it, as an operator or the kernel would.
    pub fn kill(&mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait().map_err(|e| e.to_string())? {
            return Err(format!("the process had already exited: {status}: {}", self.end()));
        }
        self.note("kill -9");
        self.child.kill().and_then(|()| self.child.wait()).map_err(|e| e.to_string())?;
        Ok(())
    }

    /// Closes the database and waits for the end of the process. The closing may fail, but it must end.
    pub fn close(&mut self, patience: Duration) -> Result<String> {
        let reply = self.ask("close", patience)?;
        let reply = reply.ok_or_else(|| format!("closing did not finish within {patience:?}"))?;
        let until = Instant::now() + patience;
        while Instant::now() < until {
            match self.child.try_wait().map_err(|e| e.to_string())? {
                Some(status) if status.success() => return Ok(reply),
                Some(_) => return Err(self.end()),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        Err(format!("the process did not exit within {patience:?} after closing"))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
