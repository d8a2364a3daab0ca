//! The rows of pending entries: entries that a group delivered and that are not acknowledged.

use super::group::{Consumer, Group, OWNED_ROW, PENDING_ROW, for_each, range_of, sub, word};
use super::stream::{Stream, id_of};
use crate::redis::context::Context;
use crate::redis::failure::{DAMAGED, Done};
use crate::rows::redis::{GROUP, read_varint, write_varint};
use crate::streamid::StreamId;

/// An entry that was delivered and not acknowledged.
#[derive(Clone, Debug)]
pub(in crate::redis) struct Pending {
    pub(super) id: StreamId,
    pub(super) delivered_ms: u64,
    pub(super) deliveries: u64,
    /// The number and name of its consumer.
    pub(super) owner: u64,
    pub(super) consumer: Vec<u8>,
}

/// Consumers whose numbers of pending entries change in a command.
#[derive(Default)]
pub(super) struct Owners(Vec<Consumer>);

impl Owners {
    /// Returns the owner of a pending entry; `None` if it was deleted.
    fn of(
        &mut self,
        context: &Context<'_>,
        (stream, group): (&Stream<'_>, &Group),
        pending: &Pending,
    ) -> Done<Option<&mut Consumer>> {
        if !self.0.iter().any(|known| known.number == pending.owner)
            && let Some(owner) = group.consumer(context, stream, &pending.consumer)?
        {
            self.0.push(owner);
        }
        Ok(self.0.iter_mut().find(|known| known.number == pending.owner))
    }

    /// Adds a consumer, and returns its number. One of the same number is replaced by it, except for its count.
    pub(super) fn add(&mut self, mut consumer: Consumer) -> u64 {
        let number = consumer.number;
        match self.0.iter_mut().find(|known| known.number == number) {
            Some(known) => {
                consumer.pending = known.pending;
                *known = consumer;
            }
            None => self.0.push(consumer),
        }
        number
    }

    /// Counts an entry of a consumer that was added.
    pub(super) fn count(&mut self, number: u64) {
        if let Some(owner) = self.0.iter_mut().find(|known| known.number == number) {
            owner.pending += 1;
        }
    }

    /// Notes that a consumer that was added got entries at this time.
    pub(super) fn set_active(&mut self, number: u64, now_ms: u64) {
        if let Some(owner) = self.0.iter_mut().find(|known| known.number == number) {
            owner.active_ms = now_ms;
        }
    }

    /// Takes a pending entry from its owner: deletes the row that says so, and counts.
    pub(super) fn take(
        &mut self,
        context: &mut Context<'_>,
        (stream, group): (&Stream<'_>, &Group),
        pending: &Pending,
    ) -> Done {
        group.delete_owned(context, stream, pending)?;
        if let Some(owner) = self.of(context, (stream, group), pending)? {
            owner.pending = owner.pending.saturating_sub(1);
        }
        Ok(())
    }

    /// Writes the rows of all consumers.
    pub(super) fn save(
        &self,
        context: &mut Context<'_>,
        (stream, group): (&Stream<'_>, &Group),
    ) -> Done {
        self.0.iter().try_for_each(|owner| group.save_consumer(context, stream, owner))
    }
}

impl Group {
    /// Returns a pending entry.
    pub(super) fn pending_entry(
        &self,
        context: &Context<'_>,
        stream: &Stream<'_>,
        id: StreamId,
    ) -> Done<Option<Pending>> {
        if id > self.top_id {
            return Ok(None);
        }
        let sub = sub(PENDING_ROW, &[&self.number.to_be_bytes(), &id.to_bytes()]);
        let found =
            context.sub_get(&stream.coll, GROUP, &sub, |value| Pending::parse(id, value))?;
        found.map(|pending| pending.ok_or(DAMAGED.into())).transpose()
    }

    /// Calls `each` with pending entries from an id on, of all consumers, until it returns `false`.
    pub(super) fn walk_pending(
        &self,
        context: &Context<'_>,
        stream: &Stream<'_>,
        from: StreamId,
        mut each: impl FnMut(Pending) -> Done<bool>,
    ) -> Done {
        let prefix = sub(PENDING_ROW, &[&self.number.to_be_bytes()]);
        for_each(context, stream, &prefix, &from.to_bytes(), |sub, value| {
            let id = id_of(sub.get(prefix.len()..).unwrap_or_default())?;
            each(Pending::parse(id, value).ok_or(DAMAGED)?)
        })
    }

    /// Calls `each` with the ids of pending entries of a consumer, from an id on, until it returns `false`.
    pub(super) fn walk_owned(
        &self,
        context: &Context<'_>,
        stream: &Stream<'_>,
        consumer: u64,
        from: StreamId,
        mut each: impl FnMut(StreamId) -> Done<bool>,
    ) -> Done {
        let prefix = sub(OWNED_ROW, &[&self.number.to_be_bytes(), &consumer.to_be_bytes()]);
        for_each(context, stream, &prefix, &from.to_bytes(), |sub, _| {
            each(id_of(sub.get(prefix.len()..).unwrap_or_default())?)
        })
    }

    /// Returns the first and the last pending entry.
    pub(super) fn pending_ends(
        &self,
        context: &Context<'_>,
        stream: &Stream<'_>,
    ) -> Done<Option<(StreamId, StreamId)>> {
        let prefix = sub(PENDING_ROW, &[&self.number.to_be_bytes()]);
        let mut rows = context.sub_range(&stream.coll, range_of(stream, &prefix, b""))?;
        let id = |key: &[u8]| id_of(stream.coll.sub(key).get(prefix.len()..).unwrap_or_default());
        let Some((first, _)) = rows.first()? else { return Ok(None) };
        let first = id(first)?;
        let last = rows.last()?.map(|(key, _)| id(key)).transpose()?;
        Ok(Some((first, last.unwrap_or(first))))
    }

    /// Writes the rows of a pending entry, and those of its owner if they are new. The caller saves the counters.
    pub(super) fn put_pending(
        &mut self,
        context: &mut Context<'_>,
        stream: &Stream<'_>,
        pending: &Pending,
        is_new_owner: bool,
    ) -> Done {
        self.top_id = self.top_id.max(pending.id);
        let (group, id) = (self.number.to_be_bytes(), pending.id.to_bytes());
        let mut value = Vec::with_capacity(24 + pending.consumer.len());
        value.extend_from_slice(&pending.delivered_ms.to_be_bytes());
        write_varint(pending.deliveries, &mut value);
        value.extend_from_slice(&pending.owner.to_be_bytes());
        value.extend_from_slice(&pending.consumer);
        context.sub_put(&stream.coll, GROUP, &sub(PENDING_ROW, &[&group, &id]), &value)?;
        if is_new_owner {
            let owner = pending.owner.to_be_bytes();
            context.sub_put(&stream.coll, GROUP, &sub(OWNED_ROW, &[&group, &owner, &id]), b"")?;
        }
        Ok(())
    }

    /// Deletes the row by which a consumer owns a pending entry.
    fn delete_owned(
        &self,
        context: &mut Context<'_>,
        stream: &Stream<'_>,
        pending: &Pending,
    ) -> Done {
        let (group, owner) = (self.number.to_be_bytes(), pending.owner.to_be_bytes());
        let sub = sub(OWNED_ROW, &[&group, &owner, &pending.id.to_bytes()]);
        context.sub_delete(&stream.coll, GROUP, &sub)
    }

    /// Deletes the row of a pending entry that was taken from its owner. The caller saves the group.
    pub(super) fn delete_pending(
        &mut self,
        context: &mut Context<'_>,
        stream: &Stream<'_>,
        id: StreamId,
    ) -> Done {
        self.pending = self.pending.saturating_sub(1);
        let sub = sub(PENDING_ROW, &[&self.number.to_be_bytes(), &id.to_bytes()]);
        context.sub_delete(&stream.coll, GROUP, &sub)
    }
}

impl Pending {
    fn parse(id: StreamId, value: &[u8]) -> Option<Pending> {
        let (delivered_ms, rest) = word(value)?;
        let (deliveries, rest) = read_varint(rest)?;
        let (owner, consumer) = word(rest)?;
        Some(Pending { id, delivered_ms, deliveries, owner, consumer: consumer.to_vec() })
    }
}
