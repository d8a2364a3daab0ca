//! Running scripts for the targets `bridge` and `source`: a host, an interpreter per input, and what a reply must be.

use ferrolith_server::resp::{Protocol, Reply};
use ferrolith_server::script::{Engine, Host, Interrupt, Limits, LogLevel, STACK_BYTES, Script};

/// The memory of an interpreter.
pub const MEMORY_MAX: usize = 16 << 20;
/// A script ends after the host was asked so often, each time after some thousand instructions.
const INTERRUPTS_MAX: usize = 20;

/// Errors that are not the script's own: of its limits.
const OF_LIMITS: [&str; 2] = ["not enough memory", "killed by the fuzzer"];

/// A server that answers every command with the same reply.
pub struct FuzzHost<'a> {
    /// Appends the reply.
    pub answer: &'a dyn Fn(&mut Reply),
    interrupts: usize,
}

impl<'a> FuzzHost<'a> {
    /// Returns a host with this answer.
    pub fn new(answer: &'a dyn Fn(&mut Reply)) -> FuzzHost<'a> {
        FuzzHost { answer, interrupts: INTERRUPTS_MAX }
    }
}

impl Host for FuzzHost<'_> {
    fn call(&mut self, _: &[&[u8]], reply: &mut Reply) -> Interrupt {
        (self.answer)(reply);
        self.interrupt()
    }

    fn log(&mut self, _: LogLevel, _: &[u8]) {}

    fn may_call(&mut self, arguments: &[&[u8]]) -> Option<bool> {
        arguments.first().map(|name| name.len() % 2 == 0)
    }

    fn interrupt(&mut self) -> Interrupt {
        match self.interrupts.checked_sub(1) {
            Some(left) => {
                self.interrupts = left;
                Interrupt::Continue
            }
            None => Interrupt::Stop("killed by the fuzzer"),
        }
    }
}

/// Runs `work` with a new interpreter, on a thread with the stack that scripts need.
pub fn with_engine<R: Send>(work: impl FnOnce(&mut Engine) -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let run = || work(&mut Engine::new(Limits { memory_max: MEMORY_MAX }, 1));
        match thread.spawn_scoped(scope, run).expect("a thread").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Runs a script and returns its reply, which must be one whole reply of the protocol.
pub fn eval(
    engine: &mut Engine,
    host: &mut FuzzHost<'_>,
    protocol: Protocol,
    source: &[u8],
    arguments: &[&[u8]],
) -> Vec<u8> {
    let mut reply = Reply::new(protocol);
    match Script::new(source) {
        Ok(script) => engine.eval(&script, &[], arguments, host, &mut reply),
        Err(text) => reply.error(&format!("ERR {text}")),
    }
    check_reply(reply.bytes(), protocol);
    reply.take()
}

/// Checks that the next script is not affected by the last one.
pub fn check_usable(engine: &mut Engine) {
    let answer = |_: &mut Reply| {};
    let reply = eval(engine, &mut FuzzHost::new(&answer), Protocol::Resp2, b"return 7", &[]);
    assert_eq!(reply.escape_ascii().to_string(), ":7\\r\\n");
}

/// Returns whether a reply is an error of the limits.
pub fn is_of_limits(reply: &[u8]) -> bool {
    let text = String::from_utf8_lossy(reply);
    text.starts_with('-') && OF_LIMITS.iter().any(|limit| text.contains(limit))
}

/// Panics unless bytes are exactly one reply of a protocol.
pub fn check_reply(bytes: &[u8], protocol: Protocol) {
    let (mut rest, mut pending) = (bytes, 1usize);
    let shown = || bytes.escape_ascii().to_string();
    while pending > 0 {
        pending -= 1;
        let end = rest.windows(2).position(|pair| pair == b"\r\n");
        let end = end.unwrap_or_else(|| panic!("a line without an end: {}", shown()));
        let line = &rest[..end];
        rest = &rest[end + 2..];
        assert!(!line.contains(&b'\n') && !line.contains(&b'\r'), "{}", shown());
        let (kind, text) = line.split_first().unwrap_or_else(|| panic!("no type: {}", shown()));
        let text = String::from_utf8_lossy(text);
        let count = || text.parse::<usize>().unwrap_or_else(|_| panic!("{text}: {}", shown()));
        assert!(protocol == Protocol::Resp3 || b"+-:$*".contains(kind), "{}", shown());
        match kind {
            b'+' | b'-' | b',' | b'(' => {}
            b':' => drop(text.parse::<i64>().unwrap_or_else(|_| panic!("{}", shown()))),
            b'$' | b'*' if text == "-1" => assert_eq!(protocol, Protocol::Resp2, "{}", shown()),
            b'_' => assert_eq!(text, "", "{}", shown()),
            b'#' => assert!(text == "t" || text == "f", "{}", shown()),
            b'$' | b'=' => {
                let tail = rest.get(count()..).and_then(|tail| tail.strip_prefix(b"\r\n"));
                rest = tail.unwrap_or_else(|| panic!("a string without an end: {}", shown()));
            }
            b'*' | b'~' | b'>' => pending += count(),
            b'%' => pending += 2 * count(),
            _ => panic!("an unknown type: {}", shown()),
        }
    }
    assert!(rest.is_empty(), "more than one reply: {}", shown());
}
