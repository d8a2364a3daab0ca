//! CONFIG REWRITE: the values in force, in the server's configuration file. Comments and the order of lines stay.

use super::acl::User;
use super::encryption;
use super::parameters::{Id, Kind, Parameter, all};
use super::server::{LOG_LEVEL, REQUIREPASS, Server};
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

/// The table of parameters that have no flag of their own.
const PARAMETERS: &str = "parameter";

/// Parameters that have a flag of another name.
const FLAGS: [(Id, &str); 3] = [
    (REQUIREPASS, "requirepass"),
    (Id::of("maxclients"), "max-connections"),
    (encryption::REPLICATION, "replica-tls"),
];

/// The key of the levels of the log, of which `loglevel` is the first.
const LOG_LEVELS: &str = "log-level";

impl Server {
    /// Writes the values of all parameters that CONFIG SET can change, and the users, to the configuration file.
    ///
    /// # Errors
    ///
    /// Returns why the file cannot be read or written.
    pub(super) fn rewrite_settings(&self, path: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("reading {}: {error}", path.display()))?;
        let mut document: DocumentMut =
            text.parse().map_err(|error| format!("{}: {error}", path.display()))?;
        self.write_flags(&mut document);
        self.write_parameters(&mut document)
            .map_err(|what| format!("{}: {what}", path.display()))?;
        if self.settings.users_file.is_empty() {
            self.write_users(&mut document)
                .map_err(|what| format!("{}: {what}", path.display()))?;
        }
        crate::files::replace(path, document.to_string().as_bytes())
            .map_err(|error| format!("writing {}: {error}", path.display()))
    }

    fn write_flags(&self, document: &mut DocumentMut) {
        for (id, flag) in FLAGS.into_iter().chain(encryption::FLAGS) {
            let text = self.parameters.text(id);
            let is_default = text == id.parameter().default;
            put(document.as_table_mut(), flag, id.parameter(), &text, is_default);
        }
        let text = self.settings.logs.as_ref().map_or_else(
            || self.parameters.text(LOG_LEVEL).to_string(),
            |logs| logs.levels().to_string(),
        );
        let is_default = text == LOG_LEVEL.parameter().default;
        put(document.as_table_mut(), LOG_LEVELS, LOG_LEVEL.parameter(), &text, is_default);
    }

    fn write_parameters(&self, document: &mut DocumentMut) -> Result<(), String> {
        if let Some(list) = document.get(PARAMETERS).and_then(Item::as_array) {
            let table = table_of(list);
            document.remove(PARAMETERS);
            document.insert(PARAMETERS, Item::Table(table));
        }
        let named = |id: &Id| {
            *id != LOG_LEVEL && !FLAGS.iter().chain(&encryption::FLAGS).any(|(it, _)| it == id)
        };
        let changeable = all().into_iter().filter(|(name, id)| {
            let parameter = id.parameter();
            // Aliases are other names of the same parameters.
            *name == parameter.name && parameter.is_changeable() && named(id)
        });
        for (name, id) in changeable {
            let (parameter, text) = (id.parameter(), self.parameters.text(id));
            let is_default = text == parameter.default;
            let given = document.get(PARAMETERS);
            if given.is_none() && is_default {
                continue;
            }
            let table = document.entry(PARAMETERS).or_insert_with(|| Item::Table(Table::new()));
            let table = table.as_table_like_mut().ok_or("parameter must be a table or a list")?;
            if let Some(alias) = parameter.alias {
                table.remove(alias);
            }
            put(table, name, parameter, &text, is_default);
        }
        Ok(())
    }

    /// Writes all users that the settings do not define otherwise.
    fn write_users(&self, document: &mut DocumentMut) -> Result<(), String> {
        let password = self.parameters.text(REQUIREPASS);
        let mut users = Array::new();
        for account in self.users.list() {
            let user = account.user();
            if *user == User::of_password(&password) {
                continue;
            }
            let line = [account.name(), b" ", &user.describe()].concat();
            let line = String::from_utf8(line).map_err(|_| {
                let name = account.name().escape_ascii();
                format!("user {name} has a rule that is not UTF-8, which a file cannot keep")
            })?;
            users.push(line);
            if let Some(value) = users.iter_mut().last() {
                value.decor_mut().set_prefix("\n    ");
            }
        }
        if users.is_empty() {
            document.remove("user");
            return Ok(());
        }
        users.set_trailing("\n");
        users.set_trailing_comma(true);
        set(document.as_table_mut(), "user", Value::Array(users));
        Ok(())
    }
}

/// Returns the table that a list of texts `NAME=VALUE` stands for.
fn table_of(list: &Array) -> Table {
    let pairs = list.iter().filter_map(|value| value.as_str()?.split_once('='));
    let mut table = Table::new();
    for (name, value) in pairs {
        table.insert(name, Item::Value(Value::from(value)));
    }
    table
}

/// Writes a value, unless it is the default and was not written down.
fn put(table: &mut dyn TableLike, name: &str, parameter: &Parameter, text: &str, is_default: bool) {
    if is_default && !table.contains_key(name) {
        return;
    }
    let value = match (parameter.kind, text.parse::<i64>()) {
        (Kind::YesNo, _) => Value::from(text == "yes"),
        (Kind::Number(_), Ok(number)) => Value::from(number),
        _ => Value::from(text),
    };
    set(table, name, value);
}

/// Replaces a value and keeps the comment behind it.
fn set(table: &mut dyn TableLike, name: &str, mut value: Value) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => _ = table.insert(name, Item::Value(value)),
    }
}
