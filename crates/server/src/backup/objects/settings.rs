//! The credentials and settings of object stores, from a file or the environment.

use super::Store;
use super::crypto::Crypto;
use super::http::Connector;
use crate::backup::place::Address;
use crate::error::{Error, Result};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::ClientConfigKey;
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, RetryConfig};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// For how long a failed request is repeated. A wait is random, up to three times the one before: twice hardly grows.
const RETRIES: RetryConfig = RetryConfig {
    backoff: BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(15),
        base: 3.0,
    },
    max_retries: usize::MAX,
    retry_timeout: Duration::from_secs(120),
};

/// The key of the file with the certificates of authorities that sign the store's.
const CA: &str = "ca_file";

/// A setting: its key in lower case, its value, and whether it is of the file.
struct Pair {
    key: String,
    value: String,
    is_of_file: bool,
}

impl Pair {
    fn new(key: &str, value: &str) -> Pair {
        Pair { key: key.to_owned(), value: value.to_owned(), is_of_file: false }
    }
}

/// Returns the store of an address. The settings are read anew each time, so that new credentials need no restart.
///
/// # Errors
///
/// The file cannot be read or has unknown keys, or the settings are not sufficient.
pub(super) fn store(address: &Address) -> Result<Store> {
    let vendor = match address.scheme() {
        "s3" => "aws_",
        "gs" => "google_",
        _ => "azure_",
    };
    let mut pairs = of_environment(vendor);
    if let Some(file) = address.credentials() {
        pairs.extend(of_file(file, vendor)?);
    }
    let ca = pairs.iter().rfind(|pair| pair.key == CA).map(|pair| pair.value.clone());
    pairs.retain(|pair| pair.key != CA);
    let connector = Connector::new(ca.as_deref())?;
    // The text of the error has no values.
    let wrong = |error| Error::Setting(format!("{}: {error}", address.url()));
    // The builders have the same methods, but no common trait.
    macro_rules! build {
        ($builder:ident, $is_supported:ident) => {{
            let builder = $builder::new()
                .with_url(address.url())
                .with_retry(RETRIES)
                .with_http_connector(connector)
                .with_crypto_provider(Arc::new(Crypto));
            let settings = keys(&pairs, $is_supported)?;
            let builder = settings.fold(builder, |it, (key, value)| it.with_config(key, value));
            builder.build().map(Store::new).map_err(wrong)
        }};
    }
    match address.scheme() {
        "s3" => {
            // Objects are deleted one by one, and not all stores that speak this protocol can delete several at once.
            pairs.insert(0, Pair::new("aws_disable_bulk_delete", "true"));
            build!(AmazonS3Builder, s3_key)
        }
        "gs" => build!(GoogleCloudStorageBuilder, google_key),
        _ => build!(MicrosoftAzureBuilder, azure_key),
    }
}

/// Returns the variables of the environment for a vendor's stores.
fn of_environment(vendor: &str) -> Vec<Pair> {
    let variables = std::env::vars_os().filter_map(|(key, value)| {
        let key = key.into_string().ok()?.to_ascii_lowercase();
        let key = if key == "aws_ca_bundle" { CA.to_owned() } else { key };
        let is_ours = key.starts_with(vendor) || (key == CA && vendor == "aws_");
        let value = value.into_string().ok()?;
        is_ours.then_some(Pair { key, value, is_of_file: false })
    });
    variables.collect()
}

/// Reads the file of settings. Keys of other vendors are left out.
fn of_file(file: &Path, vendor: &str) -> Result<Vec<Pair>> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Error::Io(format!("reading the credentials {shown}"), error))?;
    // The parser's own text shows lines of the file.
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.lines().count().max(1);
        Error::Setting(format!("{shown}, line {line}: expected TOML such as key = \"value\""))
    })?;
    let mut pairs = Vec::new();
    for (key, value) in table {
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Boolean(_) | toml::Value::Integer(_) => value.to_string(),
            _ => {
                return Err(Error::Setting(format!(
                    "{shown}: {key}: expected a text, a number, true or false"
                )));
            }
        };
        let key = key.to_ascii_lowercase();
        let others = ["aws_", "google_", "azure_"].into_iter().filter(|other| *other != vendor);
        if !{ others }.any(|other| key.starts_with(other)) {
            pairs.push(Pair { key, value, is_of_file: true });
        }
    }
    Ok(pairs)
}

/// Returns the settings that a store has; the parser returns whether a key needs the client of the crate, which is not
/// used here.
fn keys<K: FromStr>(
    pairs: &[Pair],
    is_supported: fn(&K) -> bool,
) -> Result<impl Iterator<Item = (K, &str)>> {
    let mut found = Vec::with_capacity(pairs.len());
    for pair in pairs {
        match pair.key.parse::<K>().ok().filter(is_supported) {
            Some(key) => found.push((key, &pair.value[..])),
            // Other programs have variables of the same vendor.
            None if !pair.is_of_file => {}
            None => {
                let text = format!("the credentials have the unknown key {}", pair.key);
                return Err(Error::Setting(text));
            }
        }
    }
    Ok(found.into_iter())
}

fn s3_key(key: &AmazonS3ConfigKey) -> bool {
    !matches!(key, AmazonS3ConfigKey::Client(key) if *key != ClientConfigKey::AllowHttp)
}

fn google_key(key: &GoogleConfigKey) -> bool {
    !matches!(key, GoogleConfigKey::Client(key) if *key != ClientConfigKey::AllowHttp)
}

fn azure_key(key: &AzureConfigKey) -> bool {
    !matches!(key, AzureConfigKey::Client(key) if *key != ClientConfigKey::AllowHttp)
}
