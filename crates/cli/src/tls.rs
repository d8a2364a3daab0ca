//! Flags of TLS, and their variables of the environment, for connections to servers.

use clap::Args;
use clap::builder::BoolishValueParser;
use ferrolith_server::error::{Error, Result};
use ferrolith_server::tls::{ClientTls, ClientTlsSettings};

/// How connections to servers are encrypted.
#[derive(Debug, Args)]
pub(crate) struct TlsFlags {
    /// Connect with TLS; `no` connects without, whatever the other settings of TLS are
    #[arg(
        id = "tls",
        long = "tls",
        value_name = "WHETHER",
        env = "FERROLITH_TLS",
        hide_env_values = true,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes",
        value_parser = BoolishValueParser::new()
    )]
    is_on: Option<bool>,
    /// The certificates that sign the server's, in PEM; without, those that the system trusts
    #[arg(
        id = "tls-ca",
        long = "tls-ca",
        value_name = "FILE",
        env = "FERROLITH_TLS_CA",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    ca: String,
    /// The certificate that this program shows the server, in PEM
    #[arg(
        id = "tls-cert",
        long = "tls-cert",
        value_name = "FILE",
        env = "FERROLITH_TLS_CERT",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    cert: String,
    /// The private key of the certificate, in PEM, without a password
    #[arg(
        id = "tls-key",
        long = "tls-key",
        value_name = "FILE",
        env = "FERROLITH_TLS_KEY",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    key: String,
    /// The name that the server's certificate must have; without, the host of the address
    #[arg(
        id = "tls-server-name",
        long = "tls-server-name",
        value_name = "NAME",
        env = "FERROLITH_TLS_SERVER_NAME",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    server_name: String,
}

impl TlsFlags {
    /// Reads the files; `None` without TLS.
    ///
    /// # Errors
    ///
    /// A file is wrong or missing, or is given without TLS.
    pub(crate) fn open(&self) -> Result<Option<ClientTls>> {
        Ok(self.open_both(false, "")?.0)
    }

    /// Reads the files for this server and for another one, of which only the latter may use TLS.
    ///
    /// # Errors
    ///
    /// As [`open`](TlsFlags::open).
    pub(crate) fn open_both(
        &self,
        other_uses_tls: bool,
        other_name: &str,
    ) -> Result<(Option<ClientTls>, Option<ClientTls>)> {
        let given = [
            (!self.ca.is_empty() && !other_uses_tls, "--tls-ca"),
            (!self.cert.is_empty() && !other_uses_tls, "--tls-cert"),
            (!self.key.is_empty() && !other_uses_tls, "--tls-key"),
            (!self.server_name.is_empty(), "--tls-server-name"),
        ];
        if self.is_on.is_none()
            && let Some((_, flag)) = given.iter().find(|(is_given, _)| *is_given)
        {
            let text = format!("{flag} needs --tls; --tls=no connects without encryption");
            return Err(Error::Setting(text));
        }
        let open = |server_name: &str| ClientTls::open(self.settings(server_name));
        let uses_tls = self.is_on.unwrap_or(false);
        let this = uses_tls.then(|| open(&self.server_name)).transpose()?;
        let other = other_uses_tls.then(|| open(other_name)).transpose()?;
        Ok((this, other))
    }

    fn settings(&self, server_name: &str) -> ClientTlsSettings {
        let (ca, cert, key) = (self.ca.clone(), self.cert.clone(), self.key.clone());
        ClientTlsSettings { ca, cert, key, server_name: server_name.to_owned() }
    }
}
