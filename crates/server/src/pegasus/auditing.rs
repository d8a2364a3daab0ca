//! Administrative calls of Pegasus clients, as the audit log has them.

use super::admin::Admin;
use super::method::Method;
use super::service::{Answer, Outcome};
use crate::audit::{Audit, Entry, text, words};
use crate::thrift::meta::*;
use crate::thrift::{ErrorName, Value};
use std::net::SocketAddr;
use std::sync::Arc;

/// A request that changes something.
pub(super) trait Change {
    /// Returns what it names: tables, and names and values of environments.
    fn words(&self) -> Vec<String>;
}

/// The reply to such a request.
pub(super) trait Verdict {
    /// Returns the error, or ERR_OK.
    fn error(&self) -> ErrorName;
}

macro_rules! verdicts {
    ($($reply:ty)*) => {$(
        impl Verdict for $reply {
            fn error(&self) -> ErrorName {
                self.err
            }
        }
    )*};
}

verdicts! { CreateAppReply ErrorReply RecallAppReply HintReply ControlMetaReply }

impl Change for CreateApp {
    fn words(&self) -> Vec<String> {
        let CreateOptions { partition_count, envs, .. } = &self.options;
        let envs = envs.iter().map(|(name, value)| format!("{name}={value}"));
        let own = [self.app_name.clone(), partition_count.to_string()];
        own.into_iter().chain(envs).collect()
    }
}

impl Change for DropApp {
    fn words(&self) -> Vec<String> {
        vec![self.app_name.clone()]
    }
}

impl Change for RecallApp {
    fn words(&self) -> Vec<String> {
        vec![self.app_id.to_string(), self.new_app_name.clone()]
    }
}

impl Change for RenameApp {
    fn words(&self) -> Vec<String> {
        vec![self.old_app_name.clone(), self.new_app_name.clone()]
    }
}

impl Change for UpdateAppEnv {
    fn words(&self) -> Vec<String> {
        let kind = match self.op {
            1 => "set".to_owned(),
            2 => "delete".to_owned(),
            3 => format!("clear {}", self.clear_prefix.as_deref().unwrap_or_default()),
            op => op.to_string(),
        };
        let keys = self.keys.iter().flatten().enumerate().map(|(at, key)| {
            match self.values.as_ref().and_then(|values| values.get(at)) {
                Some(value) => format!("{key}={value}"),
                None => key.clone(),
            }
        });
        [self.app_name.clone(), kind].into_iter().chain(keys).collect()
    }
}

impl Change for ControlMeta {
    fn words(&self) -> Vec<String> {
        vec![self.level.to_string()]
    }
}

/// Where entries go, and who caused them.
pub(super) struct Caller<'a> {
    pub(super) audit: Option<&'a Arc<Audit>>,
    pub(super) client: Option<SocketAddr>,
    pub(super) method: Method,
}

impl Admin {
    /// Decodes the argument of a request that changes something, answers with what `run` returns, and writes an entry.
    pub(super) fn change<T, R>(
        &self,
        caller: &Caller<'_>,
        answer: &mut Answer<'_, '_>,
        run: impl FnOnce(T) -> R,
    ) -> Outcome
    where
        T: for<'a> Value<'a> + Default + Change,
        R: for<'a> Value<'a> + Verdict,
    {
        let Ok(request) = answer.request.argument::<T>() else {
            self.note(caller, &[], ErrorName::InvalidData);
            return answer.error(ErrorName::InvalidData);
        };
        let words = if caller.audit.is_some() { request.words() } else { Vec::new() };
        let reply = run(request);
        self.note(caller, &words, reply.error());
        answer.ok(&reply)
    }

    fn note(&self, caller: &Caller<'_>, arguments: &[String], error: ErrorName) {
        let Some(audit) = caller.audit else { return };
        let mut call = vec![caller.method.name().into()];
        let arguments: Vec<_> = arguments.iter().map(|word| word.as_bytes()).collect();
        call.extend(words(arguments.iter().copied()));
        let result = if error == ErrorName::Ok { "ok" } else { error.as_str() };
        audit.write(&Entry {
            at_ms: self.unix_ms(),
            door: "pegasus",
            user: None,
            client: caller.client,
            call,
            result: text(result.as_bytes()),
        });
    }
}
