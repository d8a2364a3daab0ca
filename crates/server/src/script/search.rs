//! `string.find`, `match`, `gmatch` and `gsub`.

use rilua::vm::closure::{Closure, RustClosure, RustFn};
use rilua::vm::state::LuaState;
use rilua::{LuaResult, Val, runtime_error};

use super::pattern::{self, Capture, Matcher};
use super::value;

/// The functions, which replace those of the interpreter.
pub(super) const FUNCTIONS: &[(&str, RustFn)] = &[
    ("find", |state| search(state, true)),
    ("match", |state| search(state, false)),
    ("gmatch", gmatch),
    ("gfind", gmatch),
    ("gsub", gsub),
];

/// Returns the 0-based position of an argument that counts from 1, or from the end if it is negative.
fn start(state: &LuaState, index: usize, length: usize) -> LuaResult<usize> {
    let position = state.opt_integer(index, 1)?;
    let position = if position < 0 { position + length as i64 } else { position - 1 };
    Ok(usize::try_from(position).unwrap_or(0).min(length))
}

/// A result that does not borrow from the text.
enum Found {
    Text(Vec<u8>),
    Number(f64),
}

/// Fails unless an argument is a string or a number.
fn check_text(state: &LuaState, index: usize) -> LuaResult<()> {
    match value::argument(state, index) {
        Val::Str(_) | Val::Num(_) => Ok(()),
        _ => Err(state.type_error(index, "string")),
    }
}

/// `string.find(text, pattern [, start [, plain]])` and `string.match(text, pattern [, start])`.
fn search(state: &mut LuaState, finds: bool) -> LuaResult<u32> {
    check_text(state, 1)?;
    let pattern = state.check_string(2)?;
    let found = find(state, &pattern, finds)?;
    if found.is_empty() {
        return return_nil(state);
    }
    push(state, &found)
}

/// Returns the results of `find` or `match`; none if nothing matches. The text, which may be long, is not copied.
fn find(state: &LuaState, pattern: &[u8], finds: bool) -> LuaResult<Vec<Found>> {
    let text = value::text(state, value::argument(state, 1)).unwrap_or_default();
    let from = start(state, 3, text.len())?;
    let place = |at: usize, end: usize| [Found::Number((at + 1) as f64), Found::Number(end as f64)];
    if finds && (value::argument(state, 4).is_truthy() || pattern::is_plain(pattern)) {
        let rest = text.get(from..).unwrap_or_default();
        let at = memchr::memmem::find(rest, pattern).map(|at| from + at);
        return Ok(at.map_or_else(Vec::new, |at| place(at, at + pattern.len()).into()));
    }
    let (is_anchored, body) = anchor(pattern);
    let mut matcher = Matcher::new(&text, body);
    let last = if is_anchored { from } else { text.len() };
    for at in from..=last {
        if let Some(end) = matcher.match_at(at)? {
            let mut found: Vec<Found> = if finds { place(at, end).into() } else { Vec::new() };
            if matcher.captures().is_empty() && !finds {
                found.push(captured(&text, Capture::Part { start: at, end }, 0)?);
            }
            for capture in matcher.captures() {
                found.push(captured(&text, *capture, 0)?);
            }
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Returns what a capture holds. Positions are moved by `shift`.
fn captured(text: &[u8], capture: Capture, shift: usize) -> LuaResult<Found> {
    match capture {
        Capture::Open { .. } => Err(runtime_error("unfinished capture")),
        Capture::Position(at) => Ok(Found::Number((shift + at + 1) as f64)),
        Capture::Part { start, end } => {
            Ok(Found::Text(text.get(start..end).unwrap_or_default().to_vec()))
        }
    }
}

/// Pushes results.
fn push(state: &mut LuaState, found: &[Found]) -> LuaResult<u32> {
    for part in found {
        let value = match part {
            Found::Number(number) => Val::Num(*number),
            Found::Text(text) => {
                value::check_room(state, text.len())?;
                value::string(state, text)
            }
        };
        state.push(value);
    }
    Ok(found.len() as u32)
}

fn return_nil(state: &mut LuaState) -> LuaResult<u32> {
    state.push(Val::Nil);
    Ok(1)
}

fn anchor(pattern: &[u8]) -> (bool, &[u8]) {
    match pattern.strip_prefix(b"^") {
        Some(body) => (true, body),
        None => (false, pattern),
    }
}

/// Returns the value of a capture.
fn capture(state: &mut LuaState, text: &[u8], capture: Capture) -> LuaResult<Val> {
    match capture {
        Capture::Open { .. } => Err(runtime_error("unfinished capture")),
        Capture::Position(at) => Ok(Val::Num((at + 1) as f64)),
        Capture::Part { start, end } => {
            let part = text.get(start..end).unwrap_or_default();
            value::check_room(state, part.len())?;
            Ok(value::string(state, part))
        }
    }
}

/// Pushes all captures, or the whole match if there are none and it is given.
fn push_captures(
    state: &mut LuaState,
    text: &[u8],
    captures: &[Capture],
    whole: Option<(usize, usize)>,
) -> LuaResult<u32> {
    if let ([], Some((start, end))) = (captures, whole) {
        let whole = capture(state, text, Capture::Part { start, end })?;
        state.push(whole);
        return Ok(1);
    }
    for part in captures {
        let value = capture(state, text, *part)?;
        state.push(value);
    }
    Ok(captures.len() as u32)
}

/// `string.gmatch(text, pattern)`. The iterator holds the text, the pattern and its position.
fn gmatch(state: &mut LuaState) -> LuaResult<u32> {
    state.check_string(1)?;
    state.check_string(2)?;
    let mut iterator = RustClosure::new(gmatch_next, "gmatch");
    iterator.upvalues = vec![value::argument(state, 1), value::argument(state, 2), Val::Num(0.0)];
    let iterator = Val::Function(state.gc.alloc_closure(Closure::Rust(iterator)));
    state.push(iterator);
    Ok(1)
}

fn gmatch_next(state: &mut LuaState) -> LuaResult<u32> {
    let position = value::upvalue(state, 2).as_number().unwrap_or(0.0) as usize;
    match next_match(state, position)? {
        Some((found, next)) => {
            set_position(state, next);
            push(state, &found)
        }
        None => return_nil(state),
    }
}

/// Returns the captures of the next match and where the one after it is searched.
fn next_match(state: &LuaState, position: usize) -> LuaResult<Option<(Vec<Found>, usize)>> {
    let bound = |index| value::text(state, value::upvalue(state, index)).unwrap_or_default();
    let (text, pattern) = (bound(0), bound(1));
    if position > text.len() {
        return Ok(None);
    }
    // One byte before the position is for `%f`.
    let shift = position.saturating_sub(1);
    let rest = text.get(shift..).unwrap_or_default();
    let mut matcher = Matcher::new(rest, &pattern);
    for at in position - shift..=rest.len() {
        let Some(end) = matcher.match_at(at)? else { continue };
        let whole = [Capture::Part { start: at, end }];
        let captures = match matcher.captures() {
            [] => &whole,
            captures => captures,
        };
        let found: LuaResult<Vec<Found>> =
            captures.iter().map(|capture| captured(rest, *capture, shift)).collect();
        return Ok(Some((found?, shift + end.max(at + 1))));
    }
    Ok(None)
}

fn set_position(state: &mut LuaState, position: usize) {
    if let Val::Function(function) = state.stack_get(state.ci().func)
        && let Some(Closure::Rust(closure)) = state.gc.closures.get_mut(function)
        && let Some(last) = closure.upvalues.get_mut(2)
    {
        *last = Val::Num(position as f64);
    }
}

/// `string.gsub(text, pattern, replacement [, count])`.
fn gsub(state: &mut LuaState) -> LuaResult<u32> {
    let (text, pattern) = (state.check_string(1)?, state.check_string(2)?);
    let replacement = value::argument(state, 3);
    if !matches!(replacement, Val::Num(_) | Val::Str(_) | Val::Table(_) | Val::Function(_)) {
        return Err(value::bad_argument(state, 3, "string/function/table expected"));
    }
    let most = usize::try_from(state.opt_integer(4, i64::MAX)?).unwrap_or(0);
    let (is_anchored, body) = anchor(&pattern);
    let mut matcher = Matcher::new(&text, body);
    let (mut out, mut at, mut count) = (Vec::new(), 0, 0);
    while count < most {
        let end = matcher.match_at(at)?;
        if let Some(end) = end {
            count += 1;
            let captures = matcher.captures().to_vec();
            replace(state, &text, replacement, (at, end), &captures, &mut out)?;
        }
        match end {
            Some(end) if end > at => at = end,
            _ => match text.get(at) {
                Some(byte) => {
                    out.push(*byte);
                    at += 1;
                }
                None => break,
            },
        }
        if is_anchored {
            break;
        }
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    value::return_string(state, &out)?;
    state.push(Val::Num(count as f64));
    Ok(2)
}

/// Appends what replaces a match.
fn replace(
    state: &mut LuaState,
    text: &[u8],
    replacement: Val,
    (start, end): (usize, usize),
    captures: &[Capture],
    out: &mut Vec<u8>,
) -> LuaResult<()> {
    let whole = Capture::Part { start, end };
    let result = match replacement {
        Val::Table(_) => {
            let first = captures.first().copied().unwrap_or(whole);
            let key = capture(state, text, first)?;
            state.gettable(replacement, key)?
        }
        Val::Function(_) => {
            let at = state.top;
            state.push(replacement);
            push_captures(state, text, captures, Some((start, end)))?;
            state.call_function(at, 1)?;
            let result = state.stack_get(at);
            state.top = at;
            result
        }
        replacement => {
            return expand(state, text, replacement, (whole, captures), out);
        }
    };
    match result {
        Val::Nil | Val::Bool(false) => {
            out.extend_from_slice(text.get(start..end).unwrap_or_default());
        }
        result => match value::text(state, result) {
            Some(bytes) => {
                value::check_room(state, out.len() + bytes.len())?;
                out.extend_from_slice(&bytes);
            }
            None => {
                let kind = result.type_name();
                return Err(runtime_error(format!("invalid replacement value (a {kind})")));
            }
        },
    }
    Ok(())
}

/// Appends a text in which `%0` to `%9` stand for captures.
fn expand(
    state: &mut LuaState,
    text: &[u8],
    replacement: Val,
    (whole, captures): (Capture, &[Capture]),
    out: &mut Vec<u8>,
) -> LuaResult<()> {
    let replacement = value::text(state, replacement).unwrap_or_default().into_owned();
    value::check_room(state, out.len() + replacement.len())?;
    let mut rest = replacement.as_slice();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        // A sign at the end of the text stands for a zero byte.
        let (next, tail) = tail.split_first().unwrap_or((&0, tail));
        rest = tail;
        let part = match next {
            b'0' => whole,
            b'1' if captures.is_empty() => whole,
            digit @ b'1'..=b'9' => match captures.get(usize::from(digit - b'1')) {
                Some(capture) => *capture,
                None => return Err(runtime_error("invalid capture index")),
            },
            other => {
                out.push(*other);
                continue;
            }
        };
        let part = capture(state, text, part)?;
        let part = value::text(state, part).unwrap_or_default();
        value::check_room(state, out.len() + part.len())?;
        out.extend_from_slice(&part);
    }
    Ok(())
}
