//! Completions of shells and manual pages, from the definitions of the flags.

use crate::{Answer, Program};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use ferrolith_server::error::{Error, Result};
use std::io;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<Answer> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Program::command(), "ferrolith", &mut script);
        write_out(&script)
    }
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write the pages of all commands to this directory, which exists
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self) -> Result<Answer> {
        let failed = |error| Error::Io("writing the manual".to_owned(), error);
        if let Some(dir) = &self.to {
            clap_mangen::generate_to(Program::command(), dir)
                .map_err(|error| Error::Io(format!("writing to {}", dir.display()), error))?;
            return Ok(Answer::Yes);
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(Program::command()).render(&mut page).map_err(failed)?;
        write_out(&page)
    }
}

fn write_out(bytes: &[u8]) -> Result<Answer> {
    let failed = |error| Error::Io("writing the standard output".to_owned(), error);
    io::Write::write_all(&mut io::stdout().lock(), bytes).map_err(failed)?;
    Ok(Answer::Yes)
}
