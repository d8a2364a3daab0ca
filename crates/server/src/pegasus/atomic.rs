//! Changes that depend on a check of a row: CHECK_AND_SET, CHECK_AND_MUTATE.

use super::call::{Call, Refused};
use super::check::{Check, Verdict};
use crate::error::Result;
use crate::rows::pegasus::{HASH_KEY_MAX, key};
use crate::store::Mode;
use crate::thrift::request::{CheckAndMutate, CheckAndSet, Mutate};
use crate::thrift::response::{CheckReply, status};

/// A change of a row of the checked hash key.
struct Change<'r> {
    sort_key: &'r [u8],
    /// The value and the expiry to store; `None` deletes the row.
    put: Option<(&'r [u8], u32)>,
}

/// A check and the changes that depend on it.
struct Guarded<'r> {
    hash_key: &'r [u8],
    sort_key: &'r [u8],
    check: Check,
    operand: &'r [u8],
    returns_value: bool,
    changes: Vec<Change<'r>>,
}

impl<'a> Call<'a> {
    /// Writes a row if a check passes.
    pub(super) fn on_check_and_set(
        &mut self,
        request: &CheckAndSet<'_>,
    ) -> Refused<Result<CheckReply<'a>>> {
        let check = Check::new(request.check_type);
        let (Some(check), Some(expiry)) = (check, self.expiry(request.set_expire_ts_seconds))
        else {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        };
        let sort_key = match request.set_diff_sort_key {
            true => &request.set_sort_key,
            false => &request.check_sort_key,
        };
        self.run_guarded(&Guarded {
            hash_key: &request.hash_key,
            sort_key: &request.check_sort_key,
            check,
            operand: &request.check_operand,
            returns_value: request.return_check_value,
            changes: vec![Change { sort_key, put: Some((&request.set_value, expiry)) }],
        })
    }

    /// Changes rows if a check passes: all of them or none.
    pub(super) fn on_check_and_mutate(
        &mut self,
        request: &CheckAndMutate<'_>,
    ) -> Refused<Result<CheckReply<'a>>> {
        let changes: Option<Vec<_>> = request.mutate_list.iter().map(|m| self.change(m)).collect();
        let changes = changes.filter(|changes| !changes.is_empty());
        let (Some(check), Some(changes)) = (Check::new(request.check_type), changes) else {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        };
        self.run_guarded(&Guarded {
            hash_key: &request.hash_key,
            sort_key: &request.check_sort_key,
            check,
            operand: &request.check_operand,
            returns_value: request.return_check_value,
            changes,
        })
    }

    /// Returns a change of CHECK_AND_MUTATE; `None` if its operation or its expiry is not valid.
    fn change<'r>(&self, mutate: &'r Mutate<'_>) -> Option<Change<'r>> {
        let put = match mutate.operation {
            0 => Some((&mutate.value[..], self.expiry(mutate.set_expire_ts_seconds)?)),
            1 => None,
            _ => return None,
        };
        Some(Change { sort_key: &mutate.sort_key, put })
    }

    fn run_guarded(&mut self, guarded: &Guarded<'_>) -> Refused<Result<CheckReply<'a>>> {
        let hash_key = guarded.hash_key;
        if hash_key.is_empty() || hash_key.len() > HASH_KEY_MAX {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        }
        self.check_place(hash_key, b"")?;
        let _latch = self.latch(hash_key, Mode::Exclusive);
        Ok(self.check_and_change(guarded))
    }

    fn check_and_change(&mut self, guarded: &Guarded<'_>) -> Result<CheckReply<'a>> {
        let row = self.row(&key(guarded.hash_key, guarded.sort_key))?;
        let value = row.map(|row| row.data);
        let verdict = guarded.check.run(value.as_deref(), guarded.operand);
        let error = match verdict {
            Verdict::Passed => status::OK,
            Verdict::Failed => status::TRY_AGAIN,
            Verdict::NotAnInteger => status::INVALID_ARGUMENT,
        };
        let mut reply: CheckReply<'a> = self.reply(error);
        if verdict == Verdict::Passed {
            for change in &guarded.changes {
                let raw = key(guarded.hash_key, change.sort_key);
                match change.put {
                    Some((data, expiry)) => self.put(&raw, data, expiry)?,
                    None => self.delete(&raw)?,
                }
            }
            reply.decree = self.commit()?;
        }
        if guarded.returns_value {
            reply.check_value_returned = true;
            reply.check_value_exist = value.is_some();
            reply.check_value = value.unwrap_or_default().into();
        }
        Ok(reply)
    }
}
