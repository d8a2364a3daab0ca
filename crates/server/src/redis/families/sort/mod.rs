//! SORT and SORT_RO: the elements of a list, set or sorted set in an order, with values of other keys in their place.
//!
//! Patterns of BY and GET name keys that the command does not declare, and STORE may be written in several places. The
//! command is then evaluated with the latches of all keys.

mod patterns;

use crate::redis::acl;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::command::{Command, DENYOOM, Group, READONLY, UNDECLARED, WRITE};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{Done, Failure, SYNTAX, WRONG_TYPE};
use crate::redis::families::lists::list::{End, List};
use crate::redis::families::sorted_sets::set::{SortedSet, Span};
use crate::redis::keyspec::{OW, RO, after, one};
use crate::redis::members::member_of;
use crate::rows::redis::Type;
use crate::text::double;
use patterns::Pattern;
use std::cmp::Ordering;

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("sort", -2, WRITE.and(DENYOOM).and(UNDECLARED), Group::Generic, sort)
        .with_keys(&[one(1, RO), after("store", -2, OW)])
        .with_docs("1.0.0", "Sorts the elements of a list, set or sorted set, and may store them."),
    Command::new("sort_ro", -2, READONLY.and(UNDECLARED), Group::Generic, sort)
        .with_keys(&[one(1, RO)])
        .with_docs("7.0.0", "Returns the sorted elements of a list, set or sorted set."),
];

/// The options of SORT.
struct Options<'a> {
    is_descending: bool,
    is_alphabetic: bool,
    /// The first element and the number of elements; a negative number means all.
    limit: (i64, i64),
    /// The keys to sort by; `None` sorts by the elements themselves.
    by: Option<Pattern<'a>>,
    /// Whether elements stay in their order, because all would be sorted by the same key.
    is_unsorted: bool,
    /// What is returned in the place of an element.
    get: Vec<Pattern<'a>>,
    store: Option<&'a [u8]>,
}

impl<'a> Options<'a> {
    /// Parses the options. `reads_all_keys` is whether the user may read keys that patterns name.
    fn parse(args: Args<'a>, reads_all_keys: bool) -> Done<Options<'a>> {
        let mut options = Options {
            is_descending: false,
            is_alphabetic: false,
            limit: (0, -1),
            by: None,
            is_unsorted: false,
            get: Vec::new(),
            store: None,
        };
        let may_store = is(args.at(0), "sort");
        let mut words = args.options(2);
        while let Some(word) = words.next() {
            if is(word, "asc") {
                options.is_descending = false;
            } else if is(word, "desc") {
                options.is_descending = true;
            } else if is(word, "alpha") {
                options.is_alphabetic = true;
            } else if is(word, "limit") && words.left() >= 2 {
                options.limit = (parse_integer(words.value()?)?, parse_integer(words.value()?)?);
            } else if is(word, "store") && may_store && words.left() >= 1 {
                options.store = Some(words.value()?);
            } else if is(word, "by") && words.left() >= 1 {
                let pattern = words.value()?;
                options.is_unsorted |= !pattern.contains(&b'*');
                if pattern.contains(&b'*') && !reads_all_keys {
                    return Err(denied("BY"));
                }
                options.by = Some(Pattern::parse(pattern));
            } else if is(word, "get") && words.left() >= 1 {
                let pattern = words.value()?;
                if !reads_all_keys {
                    return Err(denied("GET"));
                }
                options.get.push(Pattern::parse(pattern));
            } else {
                return Err(SYNTAX.into());
            }
        }
        Ok(options)
    }

    /// Returns which of `count` elements are wanted.
    fn range(&self, count: usize) -> std::ops::Range<usize> {
        let start = usize::try_from(self.limit.0.max(0)).unwrap_or(usize::MAX).min(count);
        match usize::try_from(self.limit.1) {
            Ok(wanted) => start..start.saturating_add(wanted).min(count),
            Err(_) => start..count,
        }
    }
}

fn denied(option: &str) -> Failure {
    format!("ERR {option} option of SORT denied due to insufficient ACL permissions.").into()
}

/// An element with what it is sorted by.
struct Item {
    element: Vec<u8>,
    score: f64,
    text: Option<Vec<u8>>,
}

fn sort(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let account = &context.session.account;
    let reads_all_keys =
        account.is_unlimited() || acl::reads_all_keys(&account.user(), context.command, args);
    let mut options = Options::parse(args, reads_all_keys)?;
    let reads_others = options.by.iter().chain(&options.get).any(|pattern| pattern.names_key());
    if reads_others || options.store.is_some_and(|key| !context.holds(key)) {
        context.require_all()?;
    }
    let place = context.place(args.at(1));
    let ty = context.head(&place)?.map(|head| head.ty);
    context.count_read(args.at(1), ty.is_some());
    if ty == Some(Type::Set)
        && options.is_unsorted
        && (options.store.is_some() || context.cause() == Cause::Script)
    {
        // What is stored, or a script sees, does not depend on how a set is kept.
        (options.is_unsorted, options.is_alphabetic, options.by) = (false, true, None);
    }
    let backwards = options.is_unsorted && options.is_descending;
    let mut elements = match ty {
        Some(ty) => elements(context, args.at(1), ty, backwards)?,
        None => Vec::new(),
    };
    if !options.is_unsorted {
        elements = sorted(context, elements, &options)?;
    }
    let range = options.range(elements.len());
    let wanted = elements.get(range).unwrap_or_default();
    match options.store {
        Some(key) => store(context, key, wanted, &options.get),
        None => reply(context, wanted, &options.get),
    }
}

/// Returns the elements of a collection: a list's from an end, a sorted set's by score.
fn elements(context: &Context<'_>, key: &[u8], ty: Type, is_backwards: bool) -> Done<Vec<Vec<u8>>> {
    let mut elements = Vec::new();
    match ty {
        Type::List => {
            if let Some(list) = List::find(context, key)? {
                let from = if is_backwards { End::Tail } else { End::Head };
                list.walk(context.txn, from, 0, list.len(), |_, value| {
                    elements.push(value.to_vec());
                    true
                })?;
            }
        }
        Type::Set => {
            let set = context.collection(key, Type::Set)?;
            let mut members = context.members(set.as_ref())?;
            while let Some(sub) = members.sub() {
                elements.push(member_of(sub).to_vec());
                members.advance()?;
            }
        }
        Type::SortedSet => {
            if let Some(set) = SortedSet::find(context, key)? {
                let mut walk = set.walk(context.txn, &Span::ALL, is_backwards)?;
                while let Some((member, _)) = walk.next()? {
                    elements.push(member.to_vec());
                }
            }
        }
        Type::String | Type::Hash | Type::Stream => return Err(WRONG_TYPE.into()),
    }
    Ok(elements)
}

/// Returns the elements in the order that the options say.
fn sorted(
    context: &mut Context<'_>,
    elements: Vec<Vec<u8>>,
    options: &Options<'_>,
) -> Done<Vec<Vec<u8>>> {
    let mut items = Vec::with_capacity(elements.len());
    for element in elements {
        let value = match &options.by {
            Some(by) => by.value(context, &element)?,
            None if options.is_alphabetic => None,
            None => Some(element.clone()),
        };
        let (mut score, mut text) = (0.0, None);
        if options.is_alphabetic {
            text = value;
        } else if let Some(value) = value {
            score =
                number(&value).ok_or("ERR One or more scores can't be converted into double")?;
        }
        items.push(Item { element, score, text });
    }
    items.sort_by(|one, other| {
        let order = match (options.is_alphabetic, options.by.is_some()) {
            (true, true) => one.text.cmp(&other.text),
            (true, false) => one.element.cmp(&other.element),
            (false, _) => one
                .score
                .partial_cmp(&other.score)
                .unwrap_or(Ordering::Equal)
                .then_with(|| one.element.cmp(&other.element)),
        };
        if options.is_descending { order.reverse() } else { order }
    });
    Ok(items.into_iter().map(|item| item.element).collect())
}

/// Parses a number as C's `strtod` does, but not one beyond the range of doubles.
fn number(text: &[u8]) -> Option<f64> {
    let value = double::parse_lenient(text)?;
    let names_infinity = text.iter().any(|byte| byte.eq_ignore_ascii_case(&b'i'));
    (value.is_finite() || names_infinity).then_some(value)
}

/// Returns what is returned for an element: itself, or a value for each pattern of GET.
fn outputs(
    context: &mut Context<'_>,
    element: &[u8],
    get: &[Pattern<'_>],
) -> Done<Vec<Option<Vec<u8>>>> {
    match get {
        [] => Ok(vec![Some(element.to_vec())]),
        get => get.iter().map(|pattern| pattern.value(context, element)).collect(),
    }
}

fn reply(context: &mut Context<'_>, elements: &[Vec<u8>], get: &[Pattern<'_>]) -> Done {
    context.out.array(elements.len() * get.len().max(1));
    for element in elements {
        for output in outputs(context, element, get)? {
            context.out.bulk_or_null(output.as_deref());
        }
    }
    Ok(())
}

fn store(context: &mut Context<'_>, key: &[u8], elements: &[Vec<u8>], get: &[Pattern<'_>]) -> Done {
    let mut values = Vec::with_capacity(elements.len() * get.len().max(1));
    for element in elements {
        values.extend(outputs(context, element, get)?.into_iter().map(Option::unwrap_or_default));
    }
    let place = context.place(key);
    context.out.count(values.len());
    if values.is_empty() {
        if context.remove(&place)? {
            context.notify(b'g', "del", key);
        }
        return Ok(());
    }
    let mut list = List::replacing(context, key)?;
    context.remove(&place)?;
    for value in &values {
        list.push(context, End::Tail, value)?;
    }
    list.save(context)?;
    context.notify(b'l', "sortstore", key);
    Ok(())
}
