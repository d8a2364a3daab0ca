//! The parameters of TLS, of listeners and of the connection to a server that this one follows: CONFIG SET reads their
//! files before any value changes.

use super::parameters::{Id, Parameters, Refusal, Value};
use super::server::{Server, Settings};
use crate::error::{Error, Result as Opened};
use crate::tls::{ClientCertificates, ClientTls};
use tracing::warn;

const PORT: Id = Id::of("tls-port");
const CERT: Id = Id::of("tls-cert-file");
const KEY: Id = Id::of("tls-key-file");
const CA: Id = Id::of("tls-ca-cert-file");
const CLIENTS: Id = Id::of("tls-auth-clients");
const PROTOCOLS: Id = Id::of("tls-protocols");

/// Whether the connection to another server uses TLS.
pub(super) const REPLICATION: Id = Id::of("tls-replication");

/// The parameters of listeners that CONFIG SET changes, and the flags that set them at the start.
pub const FLAGS: [(Id, &str); 5] = [
    (CERT, "tls-cert"),
    (KEY, "tls-key"),
    (CA, "tls-ca"),
    (CLIENTS, "tls-auth-clients"),
    (PROTOCOLS, "tls-protocols"),
];

impl Settings {
    /// Returns the values of the parameters of TLS at the start.
    pub(super) fn tls_parameters(&self) -> Vec<(Id, String)> {
        let port = (PORT, self.tls_port.to_string());
        let replication = if self.replica_uses_tls { "yes" } else { "no" };
        let replication = (REPLICATION, replication.to_owned());
        let Some(tls) = &self.tls else { return vec![port, replication] };
        let settings = tls.settings();
        vec![
            port,
            replication,
            (CERT, settings.cert),
            (KEY, settings.key),
            (CA, settings.ca),
            (CLIENTS, settings.clients.name().to_owned()),
            (PROTOCOLS, settings.protocols),
        ]
    }
}

impl Server {
    /// Uses new values of the parameters of TLS, if there are any among these.
    ///
    /// # Errors
    ///
    /// A file is wrong; TLS stays as it was. The server's output says more: clients must not learn what files contain.
    pub(super) fn change_tls(&self, values: &[(Id, Value)]) -> Result<(), (Id, Refusal)> {
        self.check_replica_tls(values)?;
        let is_tls = |id: &Id| FLAGS.iter().any(|(it, _)| it == id);
        let Some((first, _)) = values.iter().find(|(id, _)| is_tls(id)) else { return Ok(()) };
        let Some(tls) = &self.settings.tls else {
            return match values.iter().any(|it| is_tls(&it.0) && is_new(&self.parameters, it)) {
                false => Ok(()),
                true => Err((*first, "TLS is off: restart the server with --tls-listen".into())),
            };
        };
        let changed = tls.change(|settings| {
            for (id, Value { text, .. }) in values {
                match *id {
                    CERT => settings.cert.clone_from(text),
                    KEY => settings.key.clone_from(text),
                    CA => settings.ca.clone_from(text),
                    CLIENTS => settings.clients = ClientCertificates::named(text),
                    PROTOCOLS => settings.protocols.clone_from(text),
                    _ => {}
                }
            }
        });
        changed.map_err(|error| refused(*first, &error))
    }

    /// Reads the files of the connection to another server, if these values make it use them.
    fn check_replica_tls(&self, values: &[(Id, Value)]) -> Result<(), (Id, Refusal)> {
        match values.iter().any(|(id, value)| *id == REPLICATION && value.number != 0) {
            false => Ok(()),
            true => ClientTls::open(self.settings.replica_tls.clone())
                .map(drop)
                .map_err(|error| refused(REPLICATION, &error)),
        }
    }

    /// Returns TLS of a new connection to the server that this one follows; `None` without.
    ///
    /// # Errors
    ///
    /// A file is wrong or missing.
    pub(super) fn replica_tls(&self) -> Opened<Option<ClientTls>> {
        let is_on = self.parameters.is_on(REPLICATION);
        is_on.then(|| ClientTls::open(self.settings.replica_tls.clone())).transpose()
    }
}

/// Logs why a parameter is refused, and returns what the client is told.
fn refused(id: Id, error: &Error) -> (Id, Refusal) {
    warn!(target: "ferrolith::tls", %error, "CONFIG SET: TLS stays as it was");
    (id, "Unable to update TLS configuration. Check server logs.".into())
}

fn is_new(parameters: &Parameters, (id, value): &(Id, Value)) -> bool {
    parameters.text(*id) != value.text
}
