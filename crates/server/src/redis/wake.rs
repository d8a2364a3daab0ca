//! What follows a commit: blocked clients whose keys changed are answered, and subscribers get their messages.

use super::acl::Place;
use super::args::Args;
use super::command::Group;
use super::context::Cause;
use super::execute::Worker;
use super::keyspec::Positions;
use super::observe::Source;
use super::rights::refusal;
use super::server::Server;
use super::session::Session;
use super::waiters::Waiter;
use super::watches::DatabaseKey;
use crate::resp::Reply;
use crate::store::Mode;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

impl Server {
    /// Does what follows the commit of an evaluation. Latches must not be held.
    ///
    /// Waiters are answered by this thread, in the order of their arrival, and what their commands write may answer
    /// further ones.
    pub(super) fn follow(&self, worker: &mut Worker) {
        if worker.effects.is_empty() {
            return;
        }
        let mut keys = VecDeque::new();
        loop {
            self.tell_subscribers(worker);
            if self.expirations.is_on() {
                worker.effects.touched.iter().for_each(|key| self.note_expiry(key));
            }
            if !self.waiters.is_empty() {
                self.add_keys(worker, &mut keys);
                for database in &worker.effects.emptied {
                    keys.extend(self.waiters.keys_of(*database));
                }
            }
            worker.effects.clear();
            let Some(key) = keys.pop_front() else { return };
            self.wake(worker, &key, &mut keys);
        }
    }

    /// Serves the clients whose keys were postponed while a script ran too long.
    pub(super) fn wake_postponed(&self, worker: &mut Worker) {
        let mut keys = VecDeque::from(self.scripts.running.take_postponed());
        while let Some(key) = keys.pop_front() {
            worker.effects.clear();
            self.wake(worker, &key, &mut keys);
        }
    }

    /// Answers those who wait for a key, as far as there is something for them. The keys that their commands change are
    /// appended to `changed`. If a script that runs too long holds latches, they are served after it.
    fn wake(&self, worker: &mut Worker, key: &DatabaseKey, changed: &mut VecDeque<DatabaseKey>) {
        let mut exhausted: SmallVec<[(Group, Vec<u8>); 2]> = SmallVec::new();
        let (mut order, latest) = (0, self.waiters.latest());
        // Clients that arrive meanwhile and take elements may wait behind one that is served here (RB3).
        while let Some(waiter) = self.waiters.after(key, order) {
            order = waiter.order();
            let pool = waiter.pool();
            let is_exhausted =
                |(group, name)| exhausted.iter().any(|(at, of)| *at == group && &of[..] == name);
            if pool.map_or(order > latest, is_exhausted) {
                continue;
            }
            let is_answered = loop {
                match self.try_waiter(worker, &waiter) {
                    Some(is_answered) => break is_answered,
                    None if self.scripts.running.postpone(key) => return,
                    None => {}
                }
            };
            self.add_keys(worker, changed);
            self.tell_subscribers(worker);
            worker.effects.clear();
            if let Some((group, name)) = pool.filter(|_| !is_answered) {
                exhausted.push((group, name.to_vec()));
            }
        }
    }

    /// Evaluates a waiter's command. Returns whether the waiter has an answer; `None` if its latches are not free.
    fn try_waiter(&self, worker: &mut Worker, waiter: &Arc<Waiter>) -> Option<bool> {
        let Some(client) = self.clients.get(waiter.client) else { return Some(true) };
        let mut session = Session::stand_in(client, waiter);
        let args: Vec<&[u8]> = waiter.args.iter().map(|arg| &arg[..]).collect();
        let (args, command) = (Args::new(&args), waiter.command);
        let keys: Positions = command.key_positions(args);
        let mode = if command.is_write() { Mode::Exclusive } else { Mode::Shared };
        let keyed = keys.iter().map(|at| (waiter.database, args.at(*at)));
        let guards = self.latch(keyed, mode).ok()?;
        let mut claim = waiter.claim();
        if claim.is_none() {
            return Some(true);
        }
        let mut out = Reply::new(waiter.protocol);
        let evaluated = (command, args, &keys);
        self.begin(worker);
        let start_us = worker.now_us;
        // The user's rights may have changed since it began to wait.
        let result = match self.check_rights(&session, command, args, Place::Top) {
            Ok(()) => self.evaluate(worker, &mut session, evaluated, Cause::Wake, false, &mut out),
            Err(denied) => Err(refusal(denied, command)),
        };
        let result = match result {
            Ok(()) if worker.effects.block.is_some() => {
                worker.discard();
                return Some(false);
            }
            Ok(()) => self.commit(worker),
            Err(failure) => Err(failure),
        };
        self.ended(worker, &session, (command, args), (Source::Waiter, start_us), &result);
        if let Err(failure) = result {
            worker.discard();
            out.clear();
            out.error(&failure.text());
        }
        if let Some(sender) = claim.take() {
            // A connection that ended loses its answer, as it would have in its socket.
            let _ = sender.send(out.take());
        }
        drop(claim);
        self.waiters.remove(waiter);
        drop(guards);
        Some(true)
    }

    /// Adds the keys that an evaluation changed, if somebody waits for them, each once.
    fn add_keys(&self, worker: &mut Worker, keys: &mut VecDeque<DatabaseKey>) {
        for key in worker.effects.touched.drain(..) {
            if self.waiters.after(&key, 0).is_some() && !keys.contains(&key) {
                keys.push_back(key);
            }
        }
    }

    /// Sends the events and messages of an evaluation.
    fn tell_subscribers(&self, worker: &mut Worker) {
        worker.effects.events.get_mut().drain(..).for_each(|event| self.publish_event(&event));
        for message in worker.effects.invalidations.drain(..) {
            message.send(&self.clients);
        }
        for message in worker.effects.messages.drain(..) {
            self.pubsub.publish(&message);
        }
    }
}
