//! A host for tests, and running scripts with it.

use super::{Engine, Host, Interrupt, Limits, LogLevel, Script};
use crate::resp::{Protocol, Reply};
use crate::testing::redis;

/// A server with a few commands. After so many questions it stops the script.
#[derive(Debug)]
pub(super) struct TestHost {
    pub calls: Vec<Vec<Vec<u8>>>,
    pub logged: Vec<(LogLevel, Vec<u8>)>,
    pub interrupts: usize,
}

impl Default for TestHost {
    fn default() -> TestHost {
        TestHost { calls: Vec::new(), logged: Vec::new(), interrupts: 20 }
    }
}

impl Host for TestHost {
    fn call(&mut self, arguments: &[&[u8]], reply: &mut Reply) -> Interrupt {
        self.calls.push(arguments.iter().map(|argument| argument.to_vec()).collect());
        match arguments {
            [b"ping"] => reply.simple("PONG"),
            [b"echo", text] => reply.bulk(text),
            [b"null"] => reply.null(),
            [b"list", items @ ..] => {
                reply.array(items.len());
                items.iter().for_each(|item| reply.bulk(item));
            }
            [b"map", items @ ..] => {
                reply.map(items.len() / 2);
                items.iter().for_each(|item| reply.bulk(item));
            }
            [b"raw", bytes] => reply.raw(bytes),
            [b"stop"] => return Interrupt::Stop("Stopped by a command"),
            _ => reply.error("ERR Unknown Redis command called from script"),
        }
        Interrupt::Continue
    }

    fn log(&mut self, level: LogLevel, text: &[u8]) {
        self.logged.push((level, text.to_vec()));
    }

    fn may_call(&mut self, arguments: &[&[u8]]) -> Option<bool> {
        match arguments.first() {
            Some(&b"ping") => Some(true),
            Some(&b"shutdown") => Some(false),
            _ => None,
        }
    }

    fn interrupt(&mut self) -> Interrupt {
        match self.interrupts {
            0 => Interrupt::Stop("Script killed by user with SCRIPT KILL..."),
            _ => {
                self.interrupts -= 1;
                Interrupt::Continue
            }
        }
    }
}

/// Returns an engine with little memory.
pub(super) fn engine() -> Engine {
    Engine::new(Limits { memory_max: 32 << 20 }, 1)
}

/// Runs a script and returns the bytes of its reply.
pub(super) fn eval_with(
    engine: &mut Engine,
    host: &mut TestHost,
    protocol: Protocol,
    source: &[u8],
    keys: &[&[u8]],
    arguments: &[&[u8]],
) -> Vec<u8> {
    let mut reply = Reply::new(protocol);
    match Script::new(source) {
        Ok(script) => engine.eval(&script, keys, arguments, host, &mut reply),
        Err(text) => reply.error(&format!("ERR {text}")),
    }
    reply.take()
}

/// Runs a script without keys and returns the text of its reply in RESP2.
pub(super) fn eval(engine: &mut Engine, source: &str) -> String {
    let mut host = TestHost::default();
    let bytes = eval_with(engine, &mut host, Protocol::Resp2, source.as_bytes(), &[], &[]);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a reply in RESP2 as the client of the real Redis does.
pub(super) fn parse(bytes: &[u8]) -> redis::Reply {
    let mut rest = bytes;
    let reply = next(&mut rest);
    assert!(rest.is_empty(), "more than a reply: {}", bytes.escape_ascii());
    reply
}

fn next(rest: &mut &[u8]) -> redis::Reply {
    let end = rest.windows(2).position(|pair| pair == b"\r\n").expect("a whole line");
    let (line, tail) = rest.split_at(end);
    *rest = &tail[2..];
    let text = String::from_utf8_lossy(&line[1..]).into_owned();
    let number = || text.parse::<i64>().expect("a number");
    match line[0] {
        b'+' => redis::Reply::Text(line[1..].to_vec()),
        b'-' => redis::Reply::Error(text),
        b':' => redis::Reply::Integer(number()),
        b'$' | b'*' if number() < 0 => redis::Reply::Null,
        b'$' => {
            let (bulk, tail) = rest.split_at(number() as usize);
            *rest = &tail[2..];
            redis::Reply::Text(bulk.to_vec())
        }
        b'*' => redis::Reply::Array((0..number()).map(|_| next(rest)).collect()),
        other => panic!("unknown reply {other}"),
    }
}

/// Runs a test on a thread with the stack that scripts need.
pub(super) fn with_stack(test: impl FnOnce() + Send + 'static) {
    let builder = std::thread::Builder::new().stack_size(super::STACK_BYTES);
    if let Err(panic) = builder.spawn(test).expect("a thread").join() {
        std::panic::resume_unwind(panic);
    }
}
