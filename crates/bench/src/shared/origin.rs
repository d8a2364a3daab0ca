//! What a program that runs this one says about the run: its side and pair, and the rest of the whole suite.
//!
//! `pairs` and `suite reference` run this program again for each part. They pass this object in an environment
//! variable, so that every line of results and the live view of a part can name its place in the whole.

use serde_json::{Map, Value, json};
use std::process::Command;
use std::sync::OnceLock;

/// The environment variable with the object as JSON.
const VARIABLE: &str = "FERROLITH_BENCH_ORIGIN";

/// The place of this run in a larger one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// `a` or `b`, or a later letter.
    pub side: Option<String>,
    /// The number of the pair, from 1.
    pub pair: Option<u64>,
    /// The part of the suite, for the live view.
    pub part: Option<String>,
    /// Seconds that the rest of the suite takes after this run.
    pub later_seconds: Option<f64>,
}

impl Origin {
    /// Returns the place that the environment names; all `None` in a run of its own.
    pub fn get() -> &'static Origin {
        static ORIGIN: OnceLock<Origin> = OnceLock::new();
        ORIGIN.get_or_init(|| {
            std::env::var(VARIABLE).map_or_else(|_| Origin::default(), |text| Origin::parse(&text))
        })
    }

    /// Parses the object. Whatever is not understood is `None`: it is only a note on results.
    fn parse(text: &str) -> Origin {
        let object: Value = serde_json::from_str(text).unwrap_or_default();
        let words = |field: &str| object[field].as_str().map(str::to_owned);
        Origin {
            side: words("side"),
            pair: object["pair"].as_u64(),
            part: words("part"),
            later_seconds: object["later_seconds"].as_f64(),
        }
    }

    /// Sets the environment of a program that runs as this part.
    pub fn pass_to(&self, command: &mut Command) {
        let object = json!({
            "side": self.side, "pair": self.pair, "part": self.part, "later_seconds": self.later_seconds,
        });
        command.env(VARIABLE, object.to_string());
    }

    /// Returns the fields `side` and `pair` of a line of results.
    pub fn fields(&self) -> Map<String, Value> {
        [("side", json!(self.side)), ("pair", json!(self.pair))]
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_survives_the_environment() {
        let origin = Origin {
            side: Some("b".to_owned()),
            pair: Some(3),
            part: Some("ycsb a".to_owned()),
            later_seconds: Some(2.5),
        };
        let mut command = Command::new("none");
        origin.pass_to(&mut command);
        let (_, text) = command.get_envs().next().unwrap();
        assert_eq!(Origin::parse(text.unwrap().to_str().unwrap()), origin);
        assert_eq!(Origin::parse("[3"), Origin::default());
        assert_eq!(origin.fields()["pair"], 3);
    }
}
