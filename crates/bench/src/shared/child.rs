//! Runs this program again as a part of a larger run.
//!
//! A part has a process group of its own, so that a terminal's Ctrl-C reaches only the program that runs it. That
//! program passes each Ctrl-C on: the first ends the part and keeps its results, the second ends it at once.

use super::origin::Origin;
use crate::target::Result;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The pause between two looks at a running part.
const PAUSE: Duration = Duration::from_millis(20);

/// Counts how often Ctrl-C was pressed.
#[derive(Clone, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Installs the handler of Ctrl-C.
    pub fn install() -> Result<Interrupts> {
        let interrupts = Interrupts::default();
        let count = Arc::clone(&interrupts.0);
        ctrlc::set_handler(move || {
            count.fetch_add(1, Ordering::Relaxed);
            eprintln!("stopping; the results so far are kept (Ctrl-C again ends at once)");
        })
        .map_err(|e| format!("the handler of Ctrl-C cannot be set: {e}"))?;
        Ok(interrupts)
    }

    /// Returns whether Ctrl-C was pressed.
    pub fn any(&self) -> bool {
        self.count() > 0
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs this program with these arguments, without its standard output. Returns false if Ctrl-C ended it.
///
/// # Errors
/// A part that cannot be started or that fails; the command is in the error.
pub fn run(words: &[String], origin: &Origin, interrupts: &Interrupts) -> Result<bool> {
    let mut command = program()?;
    command.stdout(Stdio::null());
    origin.pass_to(&mut command);
    run_command(command, words, interrupts)
}

/// Returns a command that runs this program.
pub fn program() -> Result<Command> {
    let program = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    Ok(Command::new(program))
}

/// As [`run`], with a command of [`program`] that has its own output and directory.
pub fn run_command(
    mut command: Command,
    words: &[String],
    interrupts: &Interrupts,
) -> Result<bool> {
    command.args(words).stdin(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|e| format!("this program cannot be started: {e}"))?;
    let status = wait(&mut child, interrupts).map_err(|e| format!("{}: {e}", words.join(" ")))?;
    if interrupts.any() {
        return Ok(false);
    }
    match status.success() {
        true => Ok(true),
        false => Err(format!("ferrolith-bench {}: {status}", words.join(" "))),
    }
}

fn wait(child: &mut Child, interrupts: &Interrupts) -> std::io::Result<ExitStatus> {
    let mut passed = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupts.count() > passed {
            passed += 1;
            kill_process(Pid::from_child(child), Signal::INT)?;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Removes a directory and all it contains, if it exists.
pub fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: cannot be removed: {e}", dir.display()))
        }
        _ => Ok(()),
    }
}
