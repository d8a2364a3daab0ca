//! Flags of TLS, and their variables of the environment, of programs that connect to servers.

use super::client::{ClientTls, ClientTlsSettings, FlagNames};
use crate::error::{Error, Result};
use clap::Args;
use clap::builder::BoolishValueParser;

/// How connections to servers are encrypted.
#[derive(Debug, Args)]
pub struct ClientTlsFlags {
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

impl ClientTlsFlags {
    /// The names of all flags, without dashes.
    pub const NAMES: [&'static str; 5] =
        ["tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name"];

    /// Reads the files; `None` without TLS.
    ///
    /// # Errors
    ///
    /// A file is wrong or missing, or is given without TLS.
    pub fn open(&self) -> Result<Option<ClientTls>> {
        self.refuse_useless(&self.settings())?;
        self.open_this()
    }

    /// Reads the files for this server and for another one, which uses TLS if there is `other`: the name of its
    /// certificate, which is that of its host if it is empty, and the flag of that name.
    ///
    /// # Errors
    ///
    /// As [`open`](ClientTlsFlags::open).
    pub fn open_both(
        &self,
        other: Option<(&str, &'static str)>,
    ) -> Result<(Option<ClientTls>, Option<ClientTls>)> {
        let Some((name, flag)) = other else { return Ok((self.open()?, None)) };
        // The other server needs the files, but not the name of this one.
        let server_name = self.server_name.clone();
        self.refuse_useless(&ClientTlsSettings { server_name, ..ClientTlsSettings::default() })?;
        let flags = FlagNames { server_name: flag, ..FlagNames::PROGRAM };
        let other = ClientTlsSettings { server_name: name.to_owned(), flags, ..self.settings() };
        Ok((self.open_this()?, Some(ClientTls::open(other)?)))
    }

    /// Refuses settings that nothing uses, because nobody said whether to connect with TLS.
    fn refuse_useless(&self, settings: &ClientTlsSettings) -> Result<()> {
        match settings.given().filter(|_| self.is_on.is_none()) {
            None => Ok(()),
            Some(flag) => Err(Error::Setting(format!(
                "{flag} needs --tls; --tls=no connects without encryption"
            ))),
        }
    }

    fn open_this(&self) -> Result<Option<ClientTls>> {
        let is_on = self.is_on.unwrap_or(false);
        is_on.then(|| ClientTls::open(self.settings())).transpose()
    }

    fn settings(&self) -> ClientTlsSettings {
        ClientTlsSettings {
            ca: self.ca.clone(),
            cert: self.cert.clone(),
            key: self.key.clone(),
            server_name: self.server_name.clone(),
            flags: FlagNames::PROGRAM,
        }
    }
}
