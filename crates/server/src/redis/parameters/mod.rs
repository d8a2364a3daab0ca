//! The parameters of Redis: what CONFIG GET shows and CONFIG SET changes.
//!
//! Files in reading order: `parameter`, `kind`, `events`, the tables `words` and `numbers`.
//!
//! The server acts on some of them; `docs/server/redis.md` says which. The others are stored values, which clients and
//! tools expect to read and to set.

mod events;
mod kind;
mod numbers;
mod parameter;
mod words;

pub use kind::{Kind, OutputLimit, Refusal, Value, output_limits};
pub use parameter::Parameter;

use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};

const TABLES: [&[Parameter]; 6] =
    [words::SWITCHES, words::CHOICES, words::TEXTS, words::LISTS, numbers::COUNTS, numbers::SIZES];

/// The names and aliases of all parameters.
static BY_NAME: LazyLock<HashMap<&'static str, Id>> = LazyLock::new(|| {
    let names = |(at, parameter): (usize, &'static Parameter)| {
        std::iter::once(parameter.name).chain(parameter.alias).map(move |name| (name, Id(at)))
    };
    TABLES.into_iter().flatten().enumerate().flat_map(names).collect()
});

/// Which parameter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Id(usize);

impl Id {
    /// Returns the parameter of a name. Use it for constants: `const MAX: Id = Id::of("slowlog-max-len");`.
    ///
    /// # Panics
    ///
    /// There is none: a constant does not compile then.
    pub const fn of(name: &str) -> Id {
        let (mut tables, mut at) = (&TABLES as &[&[Parameter]], 0);
        while let Some((table, others)) = tables.split_first() {
            let mut rows = *table;
            while let Some((row, more)) = rows.split_first() {
                if is_same(row.name.as_bytes(), name.as_bytes()) {
                    return Id(at);
                }
                (rows, at) = (more, at + 1);
            }
            tables = others;
        }
        panic!("there is no such parameter")
    }

    /// Returns the parameter of a name or an older name, in any case.
    pub fn find(name: &[u8]) -> Option<Id> {
        let name = std::str::from_utf8(name).ok()?.to_ascii_lowercase();
        BY_NAME.get(name.as_str()).copied()
    }

    /// Returns the description of the parameter.
    pub fn parameter(self) -> &'static Parameter {
        static NONE: Parameter = Parameter::new("", Kind::Text, "");
        TABLES.into_iter().flatten().nth(self.0).unwrap_or(&NONE)
    }
}

const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    loop {
        match (one.split_first(), other.split_first()) {
            (None, None) => return true,
            (Some((a, ones)), Some((b, others))) if *a == *b => (one, other) = (ones, others),
            _ => return false,
        }
    }
}

/// Returns all parameters with their names, and again with their aliases, in the order of the names.
pub fn all() -> Vec<(&'static str, Id)> {
    let mut all: Vec<_> = BY_NAME.iter().map(|(name, id)| (*name, *id)).collect();
    all.sort_unstable_by_key(|(name, _)| *name);
    all
}

/// The present values of all parameters.
#[derive(Debug)]
pub struct Parameters {
    numbers: Vec<AtomicI64>,
    texts: RwLock<Vec<String>>,
    /// Held while several are changed together.
    change: Mutex<()>,
}

impl Parameters {
    /// Returns all parameters with their defaults, except for those that are given.
    pub fn new(given: &[(Id, String)]) -> Parameters {
        let values = TABLES.into_iter().flatten().enumerate().map(|(at, parameter)| {
            let given = given.iter().find(|(id, _)| id.0 == at).map(|(_, text)| text.as_str());
            let text = given.unwrap_or(parameter.default);
            parameter
                .kind
                .parse(text, parameter.default)
                .unwrap_or_else(|_| Value { text: text.to_owned(), number: 0 })
        });
        let (numbers, texts) = values.map(|it| (AtomicI64::new(it.number), it.text)).unzip();
        Parameters { numbers, texts: RwLock::new(texts), change: Mutex::default() }
    }

    /// Returns the number that a parameter's value means.
    pub fn number(&self, id: Id) -> i64 {
        self.numbers.get(id.0).map_or(0, |number| number.load(Ordering::Relaxed))
    }

    /// Returns whether a parameter is `yes`.
    pub fn is_on(&self, id: Id) -> bool {
        self.number(id) != 0
    }

    /// Returns the text of a parameter's value.
    pub fn text(&self, id: Id) -> String {
        self.texts.read().get(id.0).cloned().unwrap_or_default()
    }

    /// Changes parameters as [`set_with`](Parameters::set_with), without conditions.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn set(&self, changes: &[(Id, &str)]) -> Result<Vec<Id>, (usize, Refusal)> {
        self.set_with(changes, |_| Ok(()))
    }

    /// Changes parameters, all or none. Returns those whose values are others now, or whose files are to be read again.
    /// `prepare` sees them before; if it fails, nothing changes.
    ///
    /// # Errors
    ///
    /// Returns which of the changes is refused, and why.
    pub fn set_with(
        &self,
        changes: &[(Id, &str)],
        prepare: impl FnOnce(&[(Id, Value)]) -> Result<(), (Id, Refusal)>,
    ) -> Result<Vec<Id>, (usize, Refusal)> {
        let _change = self.change.lock();
        let mut changed = Vec::new();
        for (at, (id, text)) in changes.iter().enumerate() {
            let (old, parameter) = (self.text(*id), id.parameter());
            let value = parameter.kind.parse(text, &old).map_err(|refusal| (at, refusal))?;
            if value.text != old && parameter.needs_restart {
                return Err((at, needs_restart(parameter)));
            }
            if value.text != old || parameter.is_file {
                changed.push((*id, value));
            }
        }
        prepare(&changed).map_err(|(refused, refusal)| {
            let at = changes.iter().position(|(id, _)| *id == refused);
            (at.unwrap_or(0), refusal)
        })?;
        let mut texts = self.texts.write();
        let ids = changed.iter().map(|(id, _)| *id).collect();
        for (id, value) in changed {
            if let (Some(text), Some(number)) = (texts.get_mut(id.0), self.numbers.get(id.0)) {
                *text = value.text;
                number.store(value.number, Ordering::Relaxed);
            }
        }
        Ok(ids)
    }
}

fn needs_restart(parameter: &Parameter) -> Refusal {
    match parameter.name {
        "port" => "Unable to listen on this port: restart the server with --listen".into(),
        "tls-port" => "Unable to listen on this port: restart the server with --tls-listen".into(),
        _ => "Failed to bind to specified addresses: restart the server with --listen".into(),
    }
}

#[cfg(test)]
#[path = "parameters_test.rs"]
mod tests;
