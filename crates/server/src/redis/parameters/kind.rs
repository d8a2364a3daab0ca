//! The values of parameters: how texts are checked, and how they are shown.

use super::events::{event_bits, event_letters};
use super::parameter::Parameter;
use crate::text::{double, integer};
use std::borrow::Cow;

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `yes` or `no`: 1 or 0.
    YesNo,
    /// One of these names: its position.
    OneOf(&'static [&'static str]),
    /// Several of these names.
    AnyOf(&'static [&'static str]),
    /// A number.
    Number(Number),
    /// Any text.
    Text,
    /// Pairs of seconds and changes.
    SavePoints,
    /// Limits of output buffers: class, hard limit, soft limit and seconds for each class of clients.
    OutputLimits,
    /// Three numbers.
    OomScores,
    /// Classes of keyspace events: their bits.
    Events,
    /// Numbers from 0 to 100.
    Percentiles,
}

/// The unit in which a number is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unit {
    /// A decimal number.
    Plain,
    /// Bytes, with an optional unit such as `mb`.
    Memory,
    /// As `Memory`, or a percentage, which is stored as its negative.
    MemoryOrPercent,
    /// An octal number.
    Octal,
}

/// The bounds and the unit of a number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    min: i128,
    max: i128,
    unit: Unit,
    /// Whether its 64 bits are not a signed number.
    is_unsigned: bool,
}

/// A valid value: the text that CONFIG GET shows, and a number for those who act on it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Value {
    /// The text.
    pub text: String,
    /// The number; the kind says what it means. 0 for texts.
    pub number: i64,
}

/// Why a text is not a value, in Redis's words.
pub type Refusal = Cow<'static, str>;

/// Returns a parameter that is `yes` or `no`.
pub(super) const fn yes_no(name: &'static str, default: bool) -> Parameter {
    Parameter::new(name, Kind::YesNo, if default { "yes" } else { "no" })
}

/// Returns a parameter with one of these values.
pub(super) const fn one_of(
    name: &'static str,
    values: &'static [&'static str],
    default: &'static str,
) -> Parameter {
    Parameter::new(name, Kind::OneOf(values), default)
}

/// Returns a parameter with some of these values.
pub(super) const fn any_of(
    name: &'static str,
    values: &'static [&'static str],
    default: &'static str,
) -> Parameter {
    Parameter::new(name, Kind::AnyOf(values), default)
}

/// Returns a parameter with any text.
pub(super) const fn text(name: &'static str, default: &'static str) -> Parameter {
    Parameter::new(name, Kind::Text, default)
}

macro_rules! numbers {
    ($($function:ident $unit:ident $is_unsigned:literal;)*) => {$(
        /// Returns a parameter that is a number between two bounds, which are included.
        pub(super) const fn $function(
            name: &'static str,
            min: i128,
            max: i128,
            default: &'static str,
        ) -> Parameter {
            let number = Number { min, max, unit: Unit::$unit, is_unsigned: $is_unsigned };
            Parameter::new(name, Kind::Number(number), default)
        }
    )*};
}

numbers! {
    signed Plain false;
    unsigned Plain true;
    octal Octal true;
    memory Memory true;
    signed_memory Memory false;
    memory_or_percent MemoryOrPercent false;
}

impl Kind {
    /// Returns the value that a text means. `old` is the text of the present value.
    ///
    /// # Errors
    ///
    /// The text is no value of this kind.
    pub fn parse(self, text: &str, old: &str) -> Result<Value, Refusal> {
        match self {
            Kind::YesNo => parse_yes_no(text),
            Kind::OneOf(names) => {
                let found = names.iter().position(|name| name.eq_ignore_ascii_case(text));
                let at = found.ok_or_else(|| no_such_name(names))?;
                Ok(Value { text: names.get(at).unwrap_or(&"").to_string(), number: at as i64 })
            }
            Kind::AnyOf(names) => parse_names(names, text),
            Kind::Number(number) => number.parse(text),
            Kind::Text => Ok(Value { text: text.to_owned(), number: 0 }),
            Kind::SavePoints => parse_save_points(text),
            Kind::OutputLimits => parse_output_limits(text, old),
            Kind::OomScores => parse_oom_scores(text),
            Kind::Events => match event_bits(text.as_bytes()) {
                Some(bits) => Ok(Value { text: event_letters(bits), number: bits.into() }),
                None => Err("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.".into()),
            },
            Kind::Percentiles => parse_percentiles(text),
        }
    }
}

impl Number {
    fn parse(self, text: &str) -> Result<Value, Refusal> {
        let number = self.read(text).ok_or(match self.unit {
            Unit::Plain => "argument couldn't be parsed into an integer",
            Unit::Memory => "argument must be a memory value",
            Unit::MemoryOrPercent => "argument must be a memory or percent value",
            Unit::Octal => "argument couldn't be parsed as an octal number",
        })?;
        let wide = if self.is_unsigned { i128::from(number as u64) } else { i128::from(number) };
        let (min, max) = (self.min, self.max);
        if self.unit == Unit::MemoryOrPercent && number < 0 {
            if wide < min {
                return Err(format!("percentage argument must be less or equal to {}", -min).into());
            }
        } else if !(min..=max).contains(&wide) {
            return Err(match self.unit {
                Unit::Octal => format!("argument must be between {min:o} and {max:o} inclusive"),
                _ => format!("argument must be between {min} and {max} inclusive"),
            }
            .into());
        }
        let text = match self.unit {
            Unit::Octal => format!("{wide:o}"),
            Unit::MemoryOrPercent if number < 0 => format!("{}%", -wide),
            _ => wide.to_string(),
        };
        Ok(Value { text, number })
    }

    /// Reads a number without regard to its bounds.
    fn read(self, text: &str) -> Option<i64> {
        match self.unit {
            Unit::Plain => integer::parse(text.as_bytes()),
            Unit::Octal if text.is_empty() => Some(0),
            Unit::Octal => i64::from_str_radix(text, 8).ok(),
            Unit::Memory => parse_memory(text).map(|bytes| bytes as i64),
            Unit::MemoryOrPercent => match parse_memory(text) {
                Some(bytes) => Some(bytes as i64),
                None => {
                    let percent = integer::parse(text.strip_suffix('%')?.as_bytes())?;
                    (percent >= 0).then_some(-percent)
                }
            },
        }
    }
}

/// Returns a number of bytes with an optional unit, such as `10mb`.
fn parse_memory(text: &str) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    // Redis reads no digits as zero.
    let number = if digits.is_empty() { 0 } else { digits.parse::<u64>().ok()? };
    number.checked_mul(factor)
}

fn parse_yes_no(text: &str) -> Result<Value, Refusal> {
    for (name, number) in [("yes", 1), ("no", 0)] {
        if text.eq_ignore_ascii_case(name) {
            return Ok(Value { text: name.to_owned(), number });
        }
    }
    Err("argument must be 'yes' or 'no'".into())
}

fn no_such_name(names: &[&str]) -> Refusal {
    format!("argument(s) must be one of the following: {}", names.join(", ")).into()
}

/// Returns the bits of names that are separated by spaces. The first name means none.
fn parse_names(names: &'static [&'static str], text: &str) -> Result<Value, Refusal> {
    let mut bits = 0;
    for word in text.split(' ') {
        let found = names.iter().position(|name| name.eq_ignore_ascii_case(word));
        let at = found.ok_or_else(|| no_such_name(names))?;
        bits |= if at == 0 { 0 } else { 1_i64 << at };
    }
    if bits & 0b110 == 0b110 {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".into());
    }
    let chosen = names.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
    let mut shown: Vec<&str> = chosen.map(|(_, name)| *name).collect();
    if shown.is_empty() {
        shown.extend(names.first());
    }
    Ok(Value { text: shown.join(" "), number: bits })
}

fn words(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split(' ').collect() }
}

fn parse_save_points(text: &str) -> Result<Value, Refusal> {
    let words = words(text);
    let is_valid = |(at, word): (usize, &&str)| {
        word.parse::<i64>().is_ok_and(|number| number >= i64::from(at % 2 == 0))
    };
    match words.len().is_multiple_of(2) && words.iter().enumerate().all(is_valid) {
        true => Ok(Value { text: words.join(" "), number: 0 }),
        false => Err("Invalid save parameters".into()),
    }
}

fn parse_oom_scores(text: &str) -> Result<Value, Refusal> {
    let words = words(text);
    if words.len() != 3 {
        return Err("wrong number of arguments".into());
    }
    let is_valid = |word: &&str| word.parse::<i64>().is_ok_and(|it| (-2000..=2000).contains(&it));
    match words.iter().all(is_valid) {
        true => Ok(Value { text: words.join(" "), number: 0 }),
        false => {
            Err("Invalid oom-score-adj-values, elements must be between -2000 and 2000.".into())
        }
    }
}

fn parse_percentiles(text: &str) -> Result<Value, Refusal> {
    let mut shown = Vec::new();
    for word in words(text) {
        let number = double::parse(word.as_bytes())
            .ok_or("Invalid latency-tracking-info-percentiles parameters")?;
        if !(0.0..=100.0).contains(&number) {
            return Err(
                "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]"
                    .into(),
            );
        }
        shown.push(number.to_string());
    }
    Ok(Value { text: shown.join(" "), number: 0 })
}

/// The limits of one class of clients.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OutputLimit {
    /// Bytes at which a client is disconnected; 0 means never.
    pub hard: u64,
    /// Bytes at which a client is disconnected after some time; 0 means never.
    pub soft: u64,
    /// That time.
    pub soft_seconds: u64,
}

/// The classes of clients that have limits.
const CLASSES: [&str; 3] = ["normal", "slave", "pubsub"];

/// Returns the limits of the classes normal, replica and pub/sub from the text of a valid value.
pub fn output_limits(text: &str) -> [OutputLimit; 3] {
    let mut limits = [OutputLimit::default(); 3];
    // The text is a valid value.
    _ = read_output_limits(text, &mut limits);
    limits
}

fn read_output_limits(text: &str, limits: &mut [OutputLimit; 3]) -> Result<(), Refusal> {
    let words = words(text);
    if !words.len().is_multiple_of(4) {
        return Err("Wrong number of arguments in buffer limit configuration.".into());
    }
    for limit in words.chunks_exact(4) {
        let &[class, hard, soft, seconds] = limit else { continue };
        let class = if class.eq_ignore_ascii_case("replica") { "slave" } else { class };
        let at = CLASSES.iter().position(|name| name.eq_ignore_ascii_case(class));
        let slot = at.and_then(|at| limits.get_mut(at));
        let slot = slot.ok_or("Invalid client class specified in buffer limit configuration.")?;
        let numbers = (parse_memory(hard), parse_memory(soft), seconds.parse().ok());
        let (Some(hard), Some(soft), Some(soft_seconds)) = numbers else {
            return Err("Error in hard, soft or soft_seconds setting in buffer limit \
                        configuration."
                .into());
        };
        *slot = OutputLimit { hard, soft, soft_seconds };
    }
    Ok(())
}

fn parse_output_limits(text: &str, old: &str) -> Result<Value, Refusal> {
    let mut limits = output_limits(old);
    read_output_limits(text, &mut limits)?;
    let shown = CLASSES.iter().zip(limits).map(|(class, limit)| {
        format!("{class} {} {} {}", limit.hard, limit.soft, limit.soft_seconds)
    });
    Ok(Value { text: shown.collect::<Vec<_>>().join(" "), number: 0 })
}

#[cfg(test)]
#[path = "kind_test.rs"]
mod tests;
