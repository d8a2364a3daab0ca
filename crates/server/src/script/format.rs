//! `string.format`, with C's conversions.

use rilua::vm::state::LuaState;
use rilua::{LuaResult, runtime_error};

use super::value;
use crate::text::double;

/// The most bytes that one conversion adds to its argument: a double with 99 digits behind the point.
const CONVERSION_MAX: usize = 512;

/// A conversion: `%`, flags, width, precision and the letter.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    is_left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

/// `string.format(format, ...)`.
pub(super) fn format(state: &mut LuaState) -> LuaResult<u32> {
    let text = state.check_string(1)?;
    let (mut rest, mut out, mut index) = (text.as_slice(), Vec::new(), 1);
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        if let Some(tail) = tail.strip_prefix(b"%") {
            out.push(b'%');
            rest = tail;
            continue;
        }
        index += 1;
        if index > value::argument_count(state) {
            return Err(value::bad_argument(state, index, "no value"));
        }
        let (spec, letter, tail) = parse(tail)?;
        rest = tail;
        value::check_room(state, out.len() + CONVERSION_MAX)?;
        convert(state, spec, letter, index, &mut out)?;
    }
    value::return_string(state, &out)
}

/// Reads the part of a conversion after the percent sign.
fn parse(text: &[u8]) -> LuaResult<(Spec, u8, &[u8])> {
    let mut spec = Spec::default();
    let flags = text.iter().take_while(|byte| b"-+ #0".contains(byte)).count();
    if flags > 5 {
        return Err(runtime_error("invalid format (repeated flags)"));
    }
    let (flags, rest) = text.split_at(flags);
    spec.is_left = flags.contains(&b'-');
    spec.plus = flags.contains(&b'+');
    spec.space = flags.contains(&b' ');
    spec.alternate = flags.contains(&b'#');
    spec.zeros = flags.contains(&b'0');
    let (width, mut rest) = two_digits(rest);
    spec.width = width.unwrap_or(0);
    if let Some(tail) = rest.strip_prefix(b".") {
        let (precision, tail) = two_digits(tail);
        spec.precision = Some(precision.unwrap_or(0));
        rest = tail;
    }
    match rest.split_first() {
        Some((letter, _)) if letter.is_ascii_digit() => {
            Err(runtime_error("invalid format (width or precision too long)"))
        }
        Some((letter, rest)) => Ok((spec, *letter, rest)),
        None => Ok((spec, 0, rest)),
    }
}

fn two_digits(text: &[u8]) -> (Option<usize>, &[u8]) {
    let count = text.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    (std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()), rest)
}

fn convert(
    state: &mut LuaState,
    spec: Spec,
    letter: u8,
    index: usize,
    out: &mut Vec<u8>,
) -> LuaResult<()> {
    match letter {
        b'c' => {
            let byte = state.check_number(index)? as i64 as u8;
            let start = out.len();
            pad(spec, &[], &[byte], false, out);
            if byte == 0 {
                // C's text ends at the zero byte.
                let kept = out.get(start..).unwrap_or_default();
                out.truncate(start + memchr::memchr(0, kept).unwrap_or(kept.len()));
            }
        }
        b'd' | b'i' => {
            let number = state.check_number(index)? as i64;
            let sign = sign_of(spec, number < 0);
            integer(spec, sign, number.unsigned_abs().to_string(), out);
        }
        b'o' | b'u' | b'x' | b'X' => {
            let number = state.check_number(index)?;
            let bits = if number < 0.0 { number as i64 as u64 } else { number as u64 };
            let (prefix, digits) = match letter {
                b'o' => ("0", format!("{bits:o}")),
                b'x' => ("0x", format!("{bits:x}")),
                b'X' => ("0X", format!("{bits:X}")),
                _ => ("", bits.to_string()),
            };
            let has_prefix = spec.alternate && bits != 0;
            integer(spec, if has_prefix { prefix } else { "" }, digits, out);
        }
        b'e' | b'E' | b'f' | b'g' | b'G' => {
            let number = state.check_number(index)?;
            float(spec, letter, number, out);
        }
        b'q' => quoted(&state.check_string(index)?, out),
        b's' => {
            let text = state.check_string(index)?;
            value::check_room(state, out.len() + text.len())?;
            if spec.precision.is_none() && text.len() >= 100 {
                out.extend_from_slice(&text);
                return Ok(());
            }
            let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
            let most = spec.precision.unwrap_or(text.len());
            pad(spec, &[], text.get(..most).unwrap_or(text), false, out);
        }
        other => {
            let shown = if other == 0 { String::new() } else { char::from(other).to_string() };
            return Err(runtime_error(format!("invalid option '%{shown}' to 'format'")));
        }
    }
    Ok(())
}

fn sign_of(spec: Spec, is_negative: bool) -> &'static str {
    match (is_negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (.., true) => " ",
        _ => "",
    }
}

fn integer(spec: Spec, prefix: &str, digits: String, out: &mut Vec<u8>) {
    let mut digits = digits;
    if let Some(precision) = spec.precision {
        if precision == 0 && digits == "0" {
            digits.clear();
        }
        digits = format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len())));
    }
    pad(spec, prefix.as_bytes(), digits.as_bytes(), spec.precision.is_none(), out);
}

/// Appends a prefix and a body, filled up to the width with spaces, or with zeros between them.
fn pad(spec: Spec, prefix: &[u8], body: &[u8], may_have_zeros: bool, out: &mut Vec<u8>) {
    let fill = spec.width.saturating_sub(prefix.len() + body.len());
    let has_zeros = may_have_zeros && spec.zeros && !spec.is_left;
    if !spec.is_left && !has_zeros {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(prefix);
    if has_zeros {
        out.extend(std::iter::repeat_n(b'0', fill));
    }
    out.extend_from_slice(body);
    if spec.is_left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn float(spec: Spec, letter: u8, number: f64, out: &mut Vec<u8>) {
    let sign = sign_of(spec, number.is_sign_negative());
    let size = number.abs();
    if !size.is_finite() {
        let name = if size.is_nan() { "nan" } else { "inf" };
        let name = if letter.is_ascii_uppercase() { name.to_uppercase() } else { name.to_owned() };
        return pad(spec, sign.as_bytes(), name.as_bytes(), false, out);
    }
    let precision = spec.precision.unwrap_or(6);
    let mut body = match letter {
        b'f' => {
            let point = if spec.alternate && precision == 0 { "." } else { "" };
            format!("{size:.precision$}{point}")
        }
        b'e' | b'E' => scientific(size, precision),
        _ => general(size, precision, spec.alternate),
    };
    if letter.is_ascii_uppercase() {
        body.make_ascii_uppercase();
    }
    pad(spec, sign.as_bytes(), body.as_bytes(), true, out);
}

/// Returns a number with an exponent of at least two digits.
fn scientific(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Returns a number in the shorter of the two forms, without zeros at its end.
fn general(size: f64, precision: usize, keeps_zeros: bool) -> String {
    let precision = precision.max(1);
    if precision <= 17 && !keeps_zeros {
        let mut text = Vec::new();
        double::append_significant(&mut text, size, precision);
        return String::from_utf8(text).unwrap_or_default();
    }
    let printed = scientific(size, precision - 1);
    let (digits, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match keeps_zeros || !text.contains('.') {
        true => text.to_owned(),
        false => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        return format!("{}e{exponent:+03}", trim(digits));
    }
    let behind = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{size:.behind$}"))
}

fn quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' | b'\n' => out.extend_from_slice(&[b'\\', *byte]),
            b'\r' => out.extend_from_slice(b"\\r"),
            0 => out.extend_from_slice(b"\\000"),
            byte => out.push(*byte),
        }
    }
    out.push(b'"');
}
