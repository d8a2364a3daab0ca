//! Connections to servers: this one, or Redis.

use clap::Args;
use ferrolith_server::error::{Error, Result};
use ferrolith_server::resp::{Peer, PeerReply, write_request};
use ferrolith_server::tls::{ClientTls, ClientTlsFlags};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The server that a command uses.
#[derive(Debug, Args)]
pub(crate) struct Server {
    /// The server
    #[arg(
        long = "server",
        short = 's',
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:6379"
    )]
    pub(crate) address: String,
    /// The user; without, the default one
    #[arg(long, default_value = "", hide_default_value = true)]
    user: String,
    /// A file whose first line is the password
    #[arg(long = "password-file", value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The number of the database
    #[arg(long = "db", short = 'n', value_name = "N", default_value_t = 0)]
    database: u32,
    /// How long to wait for a connection and for each reply, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    #[command(flatten)]
    tls: ClientTlsFlags,
}

impl Server {
    /// Connects to the server.
    pub(crate) fn connect(&self) -> Result<Connection> {
        self.connect_with(self.tls.open()?.as_ref())
    }

    fn connect_with(&self, tls: Option<&ClientTls>) -> Result<Connection> {
        let password = password(self.password_file.as_deref())?;
        let timeout = Duration::from_secs(self.timeout);
        Connection::open(&self.address, (&self.user, &password), self.database, timeout, tls)
    }

    /// Connects to this server and to another one with the same patience and the same files of TLS.
    pub(crate) fn connect_both(&self, other: &Other) -> Result<(Connection, Connection)> {
        let names = (&other.tls_server_name[..], "--to-tls-server-name");
        let (tls, other_tls) = self.tls.open_both(other.uses_tls.then_some(names))?;
        let this = self.connect_with(tls.as_ref())?;
        let password = password(other.password_file.as_deref())?;
        let timeout = Duration::from_secs(self.timeout);
        let database = other.database.unwrap_or(self.database);
        let user = (&other.user[..], &password[..]);
        let other = Connection::open(&other.address, user, database, timeout, other_tls.as_ref())?;
        Ok((this, other))
    }
}

/// The second server of a command that uses two.
#[derive(Debug, Args)]
pub(crate) struct Other {
    /// The other server
    #[arg(id = "to", long = "to", value_name = "HOST:PORT")]
    pub(crate) address: String,
    /// The user at the other server
    #[arg(id = "to-user", long = "to-user", default_value = "", hide_default_value = true)]
    user: String,
    /// A file whose first line is the password at the other server
    #[arg(id = "to-password-file", long = "to-password-file", value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The number of the database at the other server; without, that of --db
    #[arg(id = "to-db", long = "to-db", value_name = "N")]
    database: Option<u32>,
    /// Connect to the other server with TLS, with the files of --tls-ca, --tls-cert and --tls-key
    #[arg(id = "to-tls", long = "to-tls")]
    uses_tls: bool,
    /// The name that the other server's certificate must have; without, the host of the address
    #[arg(
        id = "to-tls-server-name",
        long = "to-tls-server-name",
        value_name = "NAME",
        requires = "to-tls",
        default_value = "",
        hide_default_value = true
    )]
    tls_server_name: String,
}

fn password(file: Option<&Path>) -> Result<String> {
    let Some(file) = file else { return Ok(String::new()) };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Error::Io(format!("reading {}", file.display()), error))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// A connection to a server.
pub(crate) struct Connection(Peer);

impl Connection {
    fn open(
        address: &str,
        (user, password): (&str, &str),
        database: u32,
        timeout: Duration,
        tls: Option<&ClientTls>,
    ) -> Result<Connection> {
        let failed = |error| Error::Io(format!("connecting to {address}"), error);
        let mut peer = Peer::connect_with(address, timeout, tls).map_err(failed)?;
        peer.authenticate(user, password).map_err(failed)?;
        let mut connection = Connection(peer);
        if database != 0 {
            connection.call(&[b"SELECT", database.to_string().as_bytes()])?;
        }
        Ok(connection)
    }

    fn failed(&self, error: io::Error) -> Error {
        let error = match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                io::Error::new(io::ErrorKind::TimedOut, "no reply in time (--timeout)")
            }
            _ => error,
        };
        Error::Io(format!("talking to {}", self.0.address()), error)
    }

    /// Sends a command and returns its reply, which is no error.
    pub(crate) fn call(&mut self, words: &[&[u8]]) -> Result<PeerReply> {
        let reply = self.0.call(words).map_err(|error| self.failed(error))?;
        self.checked(reply, words)
    }

    fn checked(&self, reply: PeerReply, words: &[&[u8]]) -> Result<PeerReply> {
        match reply {
            PeerReply::Error(text) => {
                let name = words.first().copied().unwrap_or_default();
                let (address, name) = (self.0.address(), String::from_utf8_lossy(name));
                Err(Error::Setting(format!("{address} refused {name}: {text}")))
            }
            reply => Ok(reply),
        }
    }

    /// Sends commands together, and returns their replies, errors included.
    pub(crate) fn pipeline(&mut self, commands: &[Vec<&[u8]>]) -> Result<Vec<PeerReply>> {
        let mut bytes = Vec::new();
        let mut replies = Vec::with_capacity(commands.len());
        // Few enough that neither side waits with a full buffer for the other.
        for part in commands.chunks(64) {
            bytes.clear();
            part.iter().for_each(|words| write_request(&mut bytes, words));
            self.0.send(&bytes).map_err(|error| self.failed(error))?;
            for _ in part {
                replies.push(self.0.receive().map_err(|error| self.failed(error))?);
            }
        }
        Ok(replies)
    }

    /// Returns INFO as names and values.
    pub(crate) fn info(&mut self, section: &str) -> Result<Info> {
        let reply = self.call(&[b"INFO", section.as_bytes()])?;
        let PeerReply::Bulk(text) = reply else { return Err(unexpected("INFO", &reply)) };
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        Ok(Info(lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }

    /// Returns the next keys of an iteration and its cursor, which is "0" at the end.
    pub(crate) fn scan(
        &mut self,
        cursor: &[u8],
        filter: &[&[u8]],
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>)> {
        let mut words: Vec<&[u8]> = vec![b"SCAN", cursor, b"COUNT", b"512"];
        words.extend(filter);
        let reply = self.call(&words)?;
        if let PeerReply::Array(parts) = &reply
            && let [PeerReply::Bulk(cursor), PeerReply::Array(keys)] = &parts[..]
        {
            let keys = keys.iter().filter_map(|key| match key {
                PeerReply::Bulk(key) => Some(key.clone()),
                _ => None,
            });
            return Ok((cursor.clone(), keys.collect()));
        }
        Err(unexpected("SCAN", &reply))
    }
}

/// The lines of INFO, in their order.
pub(crate) struct Info(Vec<(String, String)>);

impl Info {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| &value[..])
    }

    /// Returns a number; 0 if there is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&name[..], &value[..]))
    }
}

pub(crate) fn unexpected(command: &str, reply: &PeerReply) -> Error {
    let mut shown = format!("{reply:?}");
    shown.truncate(shown.char_indices().nth(200).map_or(shown.len(), |(at, _)| at));
    Error::Setting(format!("{command}: unexpected reply {shown}"))
}
