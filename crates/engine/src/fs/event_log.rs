//! Machine-readable lines of LOG: `EVENT_LOG_v1 {"time_micros": 17…, "job": 2, "event": …}`, JSON
//! with RocksDB's names, order and spacing.

use super::info_log::{InfoLog, now};
use std::fmt::{Display, Write};

/// A line under construction.
#[must_use]
pub(crate) struct EventLine(String);

impl EventLine {
    /// A line with the current time.
    pub(crate) fn new() -> EventLine {
        EventLine(format!("EVENT_LOG_v1 {{\"time_micros\": {}", now().as_micros()))
    }

    /// Adds a number, or another value that is written literally.
    pub(crate) fn num(mut self, name: &str, value: impl Display) -> EventLine {
        // Writing to a String cannot fail.
        let _ = write!(self.0, ", \"{name}\": {value}");
        self
    }

    /// Adds a string.
    pub(crate) fn text(mut self, name: &str, value: &str) -> EventLine {
        let _ = write!(self.0, ", \"{name}\": \"");
        for c in value.chars() {
            match c {
                '"' | '\\' => self.0.extend(['\\', c]),
                c if c < ' ' => {
                    let _ = write!(self.0, "\\u{:04x}", c as u32);
                }
                c => self.0.push(c),
            }
        }
        self.0.push('"');
        self
    }

    /// Adds a list of numbers.
    pub(crate) fn list<T: Display>(
        self,
        name: &str,
        values: impl IntoIterator<Item = T>,
    ) -> EventLine {
        let values: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
        self.num(name, format_args!("[{}]", values.join(", ")))
    }

    /// Adds an object whose fields `fill` adds.
    pub(crate) fn object(self, name: &str, fill: impl FnOnce(EventLine) -> EventLine) -> EventLine {
        let inner = fill(EventLine(String::new())).0;
        let inner = inner.strip_prefix(", ").unwrap_or(&inner).to_owned();
        self.num(name, format_args!("{{{inner}}}"))
    }

    /// Writes the line.
    pub(crate) fn write(self, log: &InfoLog) {
        log.info(format_args!("{}}}", self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_json() {
        let line = EventLine::new()
            .num("job", 2)
            .text("event", "a \"b\"\n")
            .list("files", [1, 2])
            .object("inner", |o| o.num("x", 1).text("y", "z"));
        let (head, tail) = line.0.split_once(", ").unwrap();
        assert!(head.starts_with("EVENT_LOG_v1 {\"time_micros\": 1"), "{head}");
        assert_eq!(
            tail,
            r#""job": 2, "event": "a \"b\"\u000a", "files": [1, 2], "inner": {"x": 1, "y": "z"}"#
        );
    }
}
