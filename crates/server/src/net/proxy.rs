//! A connection of a Redis client to a Pegasus table: commands in, replies out.
//!
//! All complete commands of the input are evaluated, and their replies are written at once. While replies are written,
//! and while a throttle of the table delays a command, nothing is read: replies have the order of the commands.

use super::quiet::Quiet;
use super::reading::Reading;
use super::round::Round;
use super::thft::{BODY_BYTES_MAX, KEPT_BYTES, OUTPUT_BYTES};
use crate::pegasus::proxy::{Next, Proxy, Session};
use crate::redis::args::Args;
use crate::resp::{Limits, Parser, Reply};
use crate::store::Store;
use crate::thrift::ELEMENTS_MAX;
use smallvec::SmallVec;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::sleep;

/// The limits of a command, which are those of Pegasus's requests.
const LIMITS: Limits = Limits {
    arguments_max: ELEMENTS_MAX as i64,
    bulk_max: BODY_BYTES_MAX as i64,
    is_anonymous: false,
};
/// The bytes of a command that is not complete.
const INPUT_MAX: usize = BODY_BYTES_MAX + 16 * ELEMENTS_MAX;

struct Connection<'p> {
    proxy: &'p Proxy,
    session: Session,
    parser: Parser,
    out: Reply,
    delayed: Option<Delayed>,
}

/// A command that a throttle delays.
struct Delayed {
    delay: Duration,
    args: Vec<Vec<u8>>,
    is_rejected: bool,
}

/// Serves a connection until the client closes it.
///
/// # Errors
///
/// The connection failed.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    proxy: &Proxy,
    store: &Arc<dyn Store>,
) -> io::Result<()> {
    let (parser, out) = (Parser::default(), Reply::default());
    let mut connection = Connection { proxy, session: proxy.session(), parser, out, delayed: None };
    let (mut input, mut quiet, mut reading) = (Vec::new(), Quiet::default(), Reading::default());
    let round = Round::new();
    loop {
        let has_more = connection.run(&mut input);
        if connection.out.position() > 0 {
            round.ended().await;
            if let Some(barrier) = store.sync().barrier() {
                store.sync().wait(barrier).await;
            }
            stream.write_all(connection.out.bytes()).await?;
            stream.flush().await?;
            connection.out.clear();
        }
        if connection.session.is_closing() {
            return stream.shutdown().await;
        }
        if let Some(delayed) = connection.delayed.take() {
            sleep(delayed.delay).await;
            connection.resume(&delayed);
            continue;
        }
        if has_more {
            continue;
        }
        quiet.used(input.capacity() + connection.out.capacity());
        reading.make_room(&mut input, connection.parser.wanted());
        tokio::select! {
            read = stream.read_buf(&mut input) => {
                if read? == 0 {
                    return Ok(());
                }
                reading.has_read(&input);
            }
            () = quiet.wait() => {
                // The output is empty; a part of a command stays.
                input.shrink_to_fit();
                reading = Reading::default();
                connection.out.shrink();
            }
        }
    }
}

impl Connection<'_> {
    /// Runs the complete commands of the input. Returns whether there may be more although enough was replied for now.
    fn run(&mut self, input: &mut Vec<u8>) -> bool {
        let (mut at, mut is_incomplete) = (0, false);
        while self.out.position() < OUTPUT_BYTES
            && self.delayed.is_none()
            && !self.session.is_closing()
            && !is_incomplete
        {
            let rest = input.get(at..).unwrap_or_default();
            match self.parser.next(rest, LIMITS) {
                Ok(Some(length)) => {
                    let args: SmallVec<[&[u8]; 8]> = self.parser.arguments(rest).collect();
                    if !args.is_empty() {
                        let args = Args::new(&args);
                        let next =
                            self.proxy.execute(&mut self.session, args, false, &mut self.out);
                        self.delayed = delayed(next, args);
                    }
                    at += length;
                }
                Ok(None) if rest.len() > INPUT_MAX => {
                    self.refuse("ERR Protocol error: too big request")
                }
                Ok(None) => is_incomplete = true,
                Err(error) => self.refuse(&error.0),
            }
        }
        input.drain(..at);
        if input.is_empty() && input.capacity() > KEPT_BYTES {
            *input = Vec::new();
        }
        !is_incomplete
    }

    /// Replies with an error after which the connection is closed.
    fn refuse(&mut self, text: &str) {
        self.out.error(text);
        super::protocol_error(None, &text.escape_debug());
        self.session.close();
    }

    /// Goes on with a command whose delay is over.
    fn resume(&mut self, delayed: &Delayed) {
        if delayed.is_rejected {
            return self.proxy.reject(&mut self.out);
        }
        let args: SmallVec<[&[u8]; 8]> = delayed.args.iter().map(|arg| &arg[..]).collect();
        // It is not delayed twice.
        self.proxy.execute(&mut self.session, Args::new(&args), true, &mut self.out);
    }
}

fn delayed(next: Next, args: Args<'_>) -> Option<Delayed> {
    let (delay, is_rejected) = match next {
        Next::Replied => return None,
        Next::Later(delay) => (delay, false),
        Next::RejectLater(delay) => (delay, true),
    };
    let args = args.all().iter().map(|arg| arg.to_vec()).collect();
    Some(Delayed { delay, args, is_rejected })
}
