//! Engines in results: their name, version and library, and the colour that each has everywhere on the page.

/// The names on command lines and in results, and how the page spells them. The place is the colour.
const KNOWN: [(&str, &str); 7] = [
    ("ferrolith", "Ferrolith"),
    ("rocksdb", "RocksDB"),
    ("lmdb", "LMDB"),
    ("redb", "redb"),
    ("fjall", "fjall"),
    ("forestdb", "ForestDB"),
    ("lib", "RocksDB"),
];

/// The number of colours in the style sheet.
const COLOURS: usize = 8;

/// An engine as a result names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engine {
    /// The name as the page spells it.
    pub name: String,
    /// The version, if the result has it.
    pub version: Option<String>,
    /// The path of the library, if the engine was loaded at run time.
    pub library: Option<String>,
    /// The side of a run of pairs, when an engine is compared with itself.
    pub side: Option<String>,
}

impl Engine {
    /// Parses `NAME, version 1.2 (PATH)`, `NAME 1.2` or just a name. `version` is the result's separate field.
    pub fn parse(text: &str, version: Option<&str>) -> Engine {
        let (word, rest) = match (text.split_once(", "), version) {
            (Some((word, rest)), _) => (word, rest.to_owned()),
            (None, Some(version)) => (text, version.to_owned()),
            (None, None) => match text.rsplit_once(' ') {
                Some((word, last)) if last.starts_with(|c: char| c.is_ascii_digit()) => {
                    (word, last.to_owned())
                }
                _ => (text, String::new()),
            },
        };
        let (rest, library) = match rest.strip_suffix(')').and_then(|rest| rest.split_once(" (")) {
            Some((rest, library)) => (rest, Some(library.to_owned())),
            None => (rest.as_str(), None),
        };
        let name = spelled(word);
        let own = rest.get(..name.len()).filter(|own| own.eq_ignore_ascii_case(&name));
        let version = own.map_or(rest, |own| &rest[own.len()..]).trim();
        let version = version.strip_prefix("version ").unwrap_or(version);
        let version = version.split([' ', ',', ';']).next().unwrap_or_default();
        let is_number = version.starts_with(|c: char| c.is_ascii_digit());
        Engine { name, version: is_number.then(|| version.to_owned()), library, side: None }
    }

    /// Returns the name and version, and the side if there is one.
    pub fn label(&self) -> String {
        let mut label = self.name.clone();
        if let Some(version) = &self.version {
            label = format!("{label} {version}");
        }
        match &self.side {
            Some(side) => format!("{label} (side {side})"),
            None => label,
        }
    }

    /// Returns whether both are the same engine; an unknown version matches all versions.
    fn is_same(&self, other: &Engine) -> bool {
        let versions = (&self.version, &other.version);
        let versions_match = !matches!(versions, (Some(a), Some(b)) if a != b);
        let same_library = self.library == other.library;
        self.name == other.name && self.side == other.side && same_library && versions_match
    }
}

fn spelled(word: &str) -> String {
    let known = KNOWN.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    known.map_or(word, |(_, spelled)| spelled).to_owned()
}

/// The engines of a report, in the order of their first result.
#[derive(Debug, Default)]
pub struct Engines(Vec<Engine>);

impl Engines {
    /// Returns the number of an engine, which is added if it is new.
    pub fn number(&mut self, engine: Engine) -> usize {
        if let Some(at) = self.0.iter().position(|known| known.is_same(&engine)) {
            if self.0[at].version.is_none() {
                self.0[at].version = engine.version;
            }
            return at;
        }
        self.0.push(engine);
        self.0.len() - 1
    }

    /// Returns the labels. Engines with equal labels also have the path of their library.
    pub fn labels(&self) -> Vec<String> {
        let labels: Vec<String> = self.0.iter().map(Engine::label).collect();
        let with_path = |(engine, label): (&Engine, &String)| {
            let repeated = labels.iter().filter(|other| *other == label).count() > 1;
            match &engine.library {
                Some(library) if repeated => format!("{label} ({library})"),
                _ => label.clone(),
            }
        };
        self.0.iter().zip(&labels).map(with_path).collect()
    }

    /// Returns the number of each engine's colour. Known engines always have the same one.
    pub fn colours(&self) -> Vec<usize> {
        let mut taken: Vec<usize> = Vec::new();
        for engine in &self.0 {
            let own = KNOWN.iter().position(|(_, spelled)| *spelled == engine.name);
            let is_free = |colour: &usize| !taken.contains(colour);
            // Colours of known engines are given to others last.
            let other = || (6..COLOURS).chain((0..6).rev()).find(is_free);
            let colour = own.filter(is_free).or_else(other);
            taken.push(colour.unwrap_or(taken.len() % COLOURS));
        }
        taken
    }

    /// Returns the engine that the others are compared with: the one whose label contains `wanted`, otherwise RocksDB,
    /// otherwise the second one. `None` if there is only one engine.
    ///
    /// # Errors
    /// No engine has a label that contains `wanted`.
    pub fn baseline(&self, wanted: Option<&str>) -> Result<Option<usize>, String> {
        let labels = self.labels();
        if let Some(wanted) = wanted {
            let lower = wanted.to_lowercase();
            let found = labels.iter().position(|label| label.to_lowercase().contains(&lower));
            let known = labels.join("; ");
            let missing = || format!("--baseline {wanted}: no such engine in the results: {known}");
            return found.map(Some).ok_or_else(missing);
        }
        let rocksdb = self.0.iter().position(|engine| engine.name == "RocksDB");
        Ok(rocksdb.or(Some(1)).filter(|_| self.0.len() > 1))
    }
}
