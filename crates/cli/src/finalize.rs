//! `finalize`: gives the directory of a running server the newest format, after an upgrade.

use crate::Answer;
use crate::connection::{Info, Server, unexpected};
use crate::output::Output;
use clap::Args;
use ferrolith_server::error::Result;
use ferrolith_server::resp::PeerReply;
use serde_json::json;

/// Arguments of `finalize`.
#[derive(Debug, Args)]
pub(crate) struct Finalize {
    /// Change nothing: print the format, and answer whether it is the newest
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    server: Server,
}

impl Finalize {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let mut connection = self.server.connect()?;
        let info = connection.info("server")?;
        let number = |info: &Info, name: &str| info.number(name) as u64;
        let (mut format, newest) =
            (number(&info, "ferrolith_format"), number(&info, "ferrolith_format_newest"));
        let was_newest = format == newest;
        if !was_newest && !self.check {
            let reply = connection.call(&[b"FERROLITH", b"FINALIZE"])?;
            let PeerReply::Integer(now) = reply else {
                return Err(unexpected("FERROLITH FINALIZE", &reply));
            };
            format = now.unsigned_abs();
        }
        let text = match (format == newest, was_newest) {
            (true, true) => format!("the directory has the newest format, {format}\n"),
            (true, false) => format!("the directory has format {format} now\n"),
            (false, _) => format!(
                "the directory has format {format}; the server's newest is {newest}: ferrolith finalize\n"
            ),
        };
        out.print(text, &json!({ "format": format, "newest": newest }));
        Ok(if format == newest { Answer::Yes } else { Answer::No })
    }
}
