//! The arguments of GEORADIUS, GEORADIUSBYMEMBER and GEOSEARCH.

use super::{parse_position, parse_unit};
use crate::geo::{Area, Outline, Position, Unit};
use crate::redis::args::{Args, Options, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::sorted_sets::set::SortedSet;
use crate::text::double;

/// A command of this family.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Radius { can_store: bool },
    RadiusByMember { can_store: bool },
    Search,
    SearchStore,
}

/// In which order results are replied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Order {
    None,
    Ascending,
    Descending,
}

/// How the centre of a search is named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum From {
    Nothing,
    Member,
    Position,
}

/// A parsed command.
pub(super) struct Query<'a> {
    form: Form,
    set: Option<SortedSet<'a>>,
    centre: Option<Position>,
    outline: Option<(Outline, Unit)>,
    /// How the centre was named. A member's position is unknown if the key is absent.
    from: From,
    pub(super) has_distance: bool,
    pub(super) has_hash: bool,
    pub(super) has_position: bool,
    pub(super) order: Order,
    pub(super) is_any: bool,
    /// The most results; 0 is all.
    pub(super) count: usize,
    pub(super) store: Option<&'a [u8]>,
    /// Whether distances are stored in the place of geohashes.
    pub(super) stores_distance: bool,
}

impl<'a> Query<'a> {
    /// Parses and checks a command, and finds its sorted set.
    pub(super) fn parse(context: &Context<'_>, args: Args<'a>, form: Form) -> Done<Query<'a>> {
        let key_at = if form == Form::SearchStore { 2 } else { 1 };
        let mut query = Query {
            form,
            set: SortedSet::find(context, args.at(key_at))?,
            centre: None,
            outline: None,
            from: From::Nothing,
            has_distance: false,
            has_hash: false,
            has_position: false,
            order: Order::None,
            is_any: false,
            count: 0,
            store: (form == Form::SearchStore).then_some(args.at(1)),
            stores_distance: false,
        };
        let first = query.parse_positional(context, args)?;
        query.parse_options(context, args, first)?;
        query.check(args)?;
        if query.count > 0 && query.order == Order::None && !query.is_any {
            query.order = Order::Ascending;
        }
        Ok(query)
    }

    /// Returns the sorted set and the searched area; `None` if the key is absent.
    pub(super) fn target(&self) -> Option<(&SortedSet<'a>, Area)> {
        let (outline, unit) = self.outline?;
        Some((self.set.as_ref()?, Area { centre: self.centre?, outline, unit }))
    }

    /// Returns whether the command is GEOSEARCH or GEOSEARCHSTORE.
    pub(super) fn is_search(&self) -> bool {
        matches!(self.form, Form::Search | Form::SearchStore)
    }

    /// Parses what has a fixed place. Returns the index of the first option.
    fn parse_positional(&mut self, context: &Context<'_>, args: Args<'a>) -> Done<usize> {
        match self.form {
            Form::Radius { .. } => {
                self.centre = Some(parse_position(args, 2)?);
                self.outline = Some(parse_circle(args, 4)?);
                Ok(6)
            }
            Form::RadiusByMember { .. } => {
                if self.set.is_some() {
                    self.centre = self.member_position(context, args.at(2))?;
                    self.outline = Some(parse_circle(args, 3)?);
                }
                Ok(5)
            }
            Form::Search => Ok(2),
            Form::SearchStore => Ok(3),
        }
    }

    /// Returns the position of a member; `None` if there is no sorted set.
    fn member_position(&self, context: &Context<'_>, member: &[u8]) -> Done<Option<Position>> {
        let Some(set) = &self.set else { return Ok(None) };
        let score = set.score(context.txn, member)?;
        let score = score.ok_or("ERR could not decode requested zset member")?;
        Ok(Some(Position::from_score(score)))
    }

    fn parse_options(&mut self, context: &Context<'_>, args: Args<'a>, first: usize) -> Done {
        let mut options = args.options(first);
        while let Some(word) = options.next() {
            match word {
                word if is(word, "withdist") => self.has_distance = true,
                word if is(word, "withhash") => self.has_hash = true,
                word if is(word, "withcoord") => self.has_position = true,
                word if is(word, "any") => self.is_any = true,
                word if is(word, "asc") => self.order = Order::Ascending,
                word if is(word, "desc") => self.order = Order::Descending,
                word if is(word, "count") && options.left() >= 1 => {
                    let count = parse_integer(options.value()?)?;
                    let count = usize::try_from(count).ok().filter(|count| *count > 0);
                    self.count = count.ok_or("ERR COUNT must be > 0")?;
                }
                word if self.is_search() => self.parse_search(context, args, word, &mut options)?,
                word => self.parse_store(word, &mut options)?,
            }
        }
        Ok(())
    }

    /// Parses an option of GEORADIUS and GEORADIUSBYMEMBER.
    fn parse_store(&mut self, word: &[u8], options: &mut Options<'a>) -> Done {
        let can_store = match self.form {
            Form::Radius { can_store } | Form::RadiusByMember { can_store } => can_store,
            _ => false,
        };
        let stores_distance = is(word, "storedist");
        if !can_store || options.left() == 0 || !(stores_distance || is(word, "store")) {
            return Err(SYNTAX.into());
        }
        self.store = Some(options.value()?);
        self.stores_distance = stores_distance;
        Ok(())
    }

    /// Parses an option of GEOSEARCH and GEOSEARCHSTORE.
    fn parse_search(
        &mut self,
        context: &Context<'_>,
        args: Args<'a>,
        word: &[u8],
        options: &mut Options<'a>,
    ) -> Done {
        let (at, left) = (options.position(), options.left());
        let values = if self.form == Form::SearchStore && is(word, "storedist") {
            self.stores_distance = true;
            0
        } else if is(word, "frommember") && left >= 1 && self.from != From::Position {
            self.centre = self.member_position(context, args.at(at))?;
            self.from = From::Member;
            1
        } else if is(word, "fromlonlat") && left >= 2 && self.from != From::Member {
            self.centre = Some(parse_position(args, at)?);
            self.from = From::Position;
            2
        } else {
            self.parse_outline(args, word, at, left)?
        };
        for _ in 0..values {
            options.value()?;
        }
        Ok(())
    }

    fn parse_outline(
        &mut self,
        args: Args<'a>,
        word: &[u8],
        at: usize,
        left: usize,
    ) -> Done<usize> {
        let outline = self.outline.map(|(outline, _)| outline);
        if is(word, "byradius") && left >= 2 && !matches!(outline, Some(Outline::Box { .. })) {
            self.outline = Some(parse_circle(args, at)?);
            Ok(2)
        } else if is(word, "bybox") && left >= 3 && !matches!(outline, Some(Outline::Circle { .. }))
        {
            self.outline = Some(parse_box(args, at)?);
            Ok(3)
        } else {
            Err(SYNTAX.into())
        }
    }

    fn check(&self, args: Args<'_>) -> Done {
        if self.store.is_some() && (self.has_distance || self.has_hash || self.has_position) {
            let name = match self.form {
                Form::SearchStore => "GEOSEARCHSTORE",
                _ => "STORE option in GEORADIUS",
            };
            return Err(format!(
                "ERR {name} is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
            )
            .into());
        }
        let name = String::from_utf8_lossy(args.at(0));
        if self.is_search() && self.from == From::Nothing {
            return Err(format!(
                "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for {name}"
            )
            .into());
        }
        if self.is_search() && self.outline.is_none() {
            return Err(format!(
                "ERR exactly one of BYRADIUS and BYBOX can be specified for {name}"
            )
            .into());
        }
        if self.is_any && self.count == 0 {
            return Err("ERR the ANY argument requires COUNT argument".into());
        }
        Ok(())
    }
}

/// Parses `radius unit`.
fn parse_circle(args: Args<'_>, at: usize) -> Done<(Outline, Unit)> {
    let radius = double::parse(args.at(at)).ok_or("ERR need numeric radius")?;
    if radius < 0.0 {
        return Err("ERR radius cannot be negative".into());
    }
    Ok((Outline::Circle { radius }, parse_unit(args.at(at + 1))?))
}

/// Parses `width height unit`.
fn parse_box(args: Args<'_>, at: usize) -> Done<(Outline, Unit)> {
    let width = double::parse(args.at(at)).ok_or("ERR need numeric width")?;
    let height = double::parse(args.at(at + 1)).ok_or("ERR need numeric height")?;
    if width < 0.0 || height < 0.0 {
        return Err("ERR height or width cannot be negative".into());
    }
    Ok((Outline::Box { width, height }, parse_unit(args.at(at + 2))?))
}
