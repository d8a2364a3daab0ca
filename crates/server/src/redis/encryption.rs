//! The parameters of TLS: CONFIG SET reads their files before any value changes.

use super::parameters::{Id, Parameters, Refusal, Value};
use super::server::{Server, Settings};
use crate::tls::ClientCertificates;
use tracing::warn;

const PORT: Id = Id::of("tls-port");
const CERT: Id = Id::of("tls-cert-file");
const KEY: Id = Id::of("tls-key-file");
const CA: Id = Id::of("tls-ca-cert-file");
const CLIENTS: Id = Id::of("tls-auth-clients");
const PROTOCOLS: Id = Id::of("tls-protocols");

/// The parameters that CONFIG SET changes, and the flags that set them at the start.
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
        let Some(tls) = &self.tls else { return vec![port] };
        let settings = tls.settings();
        vec![
            port,
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
        changed.map_err(|error| {
            warn!(target: "ferrolith::tls", %error, "CONFIG SET: TLS stays as it was");
            (*first, "Unable to update TLS configuration. Check server logs.".into())
        })
    }
}

fn is_new(parameters: &Parameters, (id, value): &(Id, Value)) -> bool {
    parameters.text(*id) != value.text
}
