//! The requests of Redis clients that are refused.

use super::Theme::{self, *};
use super::redis::{Case, Request, cut, http};

const fn say(
    theme: Theme,
    name: &'static str,
    user: &'static str,
    lines: &'static str,
    answer: &'static str,
) -> Case {
    Case { theme, name, user, request: Request::Lines(lines), answer, closes: false }
}

const NOAUTH: &str = "NOAUTH Authentication required.";
const WRONGPASS: &str = "WRONGPASS invalid username-password pair or user is disabled.";
const NOKEY: &str =
    "NOPERM this user has no permissions to access one of the keys used as arguments";
const NOCHANNEL: &str =
    "NOPERM this user has no permissions to access one of the channels used as arguments";

/// Defines a case of a user without the right to run a command.
macro_rules! may_not {
    ($user:literal, $line:literal, $command:literal) => {
        say(
            Rights,
            concat!("`", $line, "` of a user without the command"),
            $user,
            $line,
            concat!("NOPERM this user has no permissions to run the '", $command, "' command"),
        )
    };
}

pub const CASES: &[Case] = &[
    say(Credentials, "A command before AUTH", "", "GET app:1", NOAUTH),
    say(Credentials, "An administrative command before AUTH", "", "CONFIG GET *", NOAUTH),
    say(Credentials, "SUBSCRIBE before AUTH", "", "SUBSCRIBE c", NOAUTH),
    say(Credentials, "MULTI before AUTH", "", "MULTI", NOAUTH),
    say(Credentials, "A script before AUTH", "", "EVAL return(1) 0", NOAUTH),
    say(
        Credentials,
        "HELLO before AUTH",
        "",
        "HELLO 3",
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time",
    ),
    say(Credentials, "A command after RESET ended the login", "reader", "RESET;GET app:1", NOAUTH),
    say(Credentials, "AUTH with a wrong password", "", "AUTH wrong", WRONGPASS),
    say(Credentials, "AUTH with an unknown user", "", "AUTH nobody word", WRONGPASS),
    say(Credentials, "AUTH as a user that is off", "", "AUTH sleeper word", WRONGPASS),
    say(Credentials, "AUTH with the password of another user", "", "AUTH reader right", WRONGPASS),
    say(Credentials, "HELLO with a wrong password", "", "HELLO 3 AUTH reader wrong", WRONGPASS),
    say(Credentials, "A command after a wrong password", "", "AUTH wrong;GET app:1", NOAUTH),
    say(Replayed, "AUTH with a password that was replaced", "", "AUTH rotated word", WRONGPASS),
    say(Replayed, "AUTH as a user that was removed", "", "AUTH removed word", WRONGPASS),
    say(
        Replayed,
        "AUTH with the hash of the password, as ACL LIST shows it",
        "",
        "AUTH reader 98c1eb4ee93476743763878fcb96a25fbc9a175074d64004779ecb5242f645e6",
        WRONGPASS,
    ),
    say(
        Replayed,
        "RESTORE of a payload whose checksum is not its own",
        "default",
        "RESTORE new 0 \0\u{1}a\n\0\0\0\0\0\0\0\0\0",
        "ERR DUMP payload version or checksum are wrong",
    ),
    say(
        Replayed,
        "EXEC of a transaction that is over",
        "default",
        "MULTI;EXEC;EXEC",
        "ERR EXEC without MULTI",
    ),
    may_not!("reader", "SET app:1 x", "set"),
    may_not!("reader", "FLUSHALL", "flushall"),
    may_not!("reader", "CONFIG SET requirepass x", "config|set"),
    may_not!("reader", "CONFIG GET requirepass", "config|get"),
    may_not!("reader", "ACL SETUSER reader +@all", "acl|setuser"),
    may_not!("reader", "ACL LIST", "acl|list"),
    may_not!("reader", "ACL SAVE", "acl|save"),
    may_not!("reader", "DEBUG SLEEP 1", "debug"),
    may_not!("reader", "SHUTDOWN NOSAVE", "shutdown"),
    may_not!("reader", "REPLICAOF 127.0.0.1 1", "replicaof"),
    may_not!("reader", "MIGRATE 127.0.0.1 1 app:1 0 1000", "migrate"),
    may_not!("reader", "CLIENT KILL TYPE normal", "client|kill"),
    may_not!("reader", "MONITOR", "monitor"),
    may_not!("reader", "SLOWLOG GET", "slowlog|get"),
    may_not!("reader", "KEYS *", "keys"),
    may_not!("reader", "EVAL return(1) 0", "eval"),
    may_not!("reader", "FUNCTION FLUSH", "function|flush"),
    may_not!("reader", "SWAPDB 0 1", "swapdb"),
    may_not!("reader", "FERROLITH BACKUP x", "ferrolith|backup"),
    may_not!("reader", "FERROLITH LOAD t FILES x", "ferrolith|load"),
    may_not!("operator", "CONFIG SET timeout 1", "config|set"),
    say(Rights, "GET of a key outside the user's patterns", "reader", "GET other", NOKEY),
    say(
        Rights,
        "MGET of which one key is outside the patterns",
        "reader",
        "MGET app:1 other",
        NOKEY,
    ),
    say(Rights, "GET by a user that may only write the key", "writer", "GET app:1", NOKEY),
    say(
        Rights,
        "SET with GET by a user that may only write the key",
        "writer",
        "SET app:1 x GET",
        NOKEY,
    ),
    say(Rights, "COPY from a key outside the patterns", "writer", "COPY other app:2", NOKEY),
    say(
        Rights,
        "RENAME to a key outside the patterns",
        "default",
        "AUTH writer word;RENAME app:1 other",
        NOKEY,
    ),
    say(
        Rights,
        "PUBLISH to a channel outside the patterns",
        "writer",
        "PUBLISH other m",
        NOCHANNEL,
    ),
    say(Rights, "PSUBSCRIBE to all channels", "writer", "PSUBSCRIBE *", NOCHANNEL),
    say(
        Rights,
        "EXEC of a transaction of which a command was refused",
        "reader",
        "MULTI;SET app:1 x;EXEC",
        "EXECABORT Transaction discarded because of previous errors.",
    ),
    say(
        Rights,
        "A script that reads a key outside the patterns",
        "writer",
        "EVAL return(redis.call('get','other')) 0",
        "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: 1d3701a305dbdf61cbf3b46fad8f93ce525bafd3, on @user_script:1.",
    ),
    say(
        Rights,
        "A script that runs a command that the user may not",
        "writer",
        "EVAL return(redis.call('flushall')) 0",
        "ERR The user executing the script can't run this command or subcommand script: 34a7dcbf514ae2de4bc9cb183679a79e79bb1509, on @user_script:1.",
    ),
    say(
        Rights,
        "A backup without --backup-dir",
        "default",
        "FERROLITH BACKUP /tmp/x",
        "ERR clients cannot use backups here: start the server with --backup-dir",
    ),
    say(
        Rights,
        "A load without --load-dir",
        "default",
        "FERROLITH LOAD t FILES /tmp/x",
        "ERR clients cannot load files here: start the server with --load-dir",
    ),
    say(
        Rights,
        "DEBUG, which is off",
        "default",
        "DEBUG SLEEP 0",
        "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.",
    ),
    say(
        Rights,
        "CONFIG SET of a fixed parameter",
        "default",
        "CONFIG SET dir /tmp",
        "ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected config",
    ),
    say(
        Rights,
        "The removal of the user `default`",
        "default",
        "ACL DELUSER default",
        "ERR The 'default' user cannot be removed",
    ),
    cut(
        Oversized,
        "11 arguments before AUTH",
        "",
        || b"*11\r\n".to_vec(),
        "ERR Protocol error: unauthenticated multibulk length",
    ),
    cut(
        Oversized,
        "An argument of more than 16 KiB before AUTH",
        "",
        || b"*2\r\n$4\r\nAUTH\r\n$16385\r\n".to_vec(),
        "ERR Protocol error: unauthenticated bulk length",
    ),
    cut(
        Oversized,
        "A line of more than 64 KiB",
        "",
        || vec![b'x'; (64 << 10) + 1],
        "ERR Protocol error: too big inline request",
    ),
    cut(
        Oversized,
        "More than 1048576 arguments",
        "reader",
        || b"*1048577\r\n".to_vec(),
        "ERR Protocol error: invalid multibulk length",
    ),
    cut(
        Oversized,
        "An argument of more than `proto-max-bulk-len`",
        "reader",
        || b"*1\r\n$536870913\r\n".to_vec(),
        "ERR Protocol error: invalid bulk length",
    ),
    cut(
        Oversized,
        "A number of arguments of more than 64 KiB",
        "reader",
        || [b"*", &[b'1'; (64 << 10) + 1][..]].concat(),
        "ERR Protocol error: too big mbulk count string",
    ),
    cut(
        Oversized,
        "A length of an argument of more than 64 KiB",
        "reader",
        || [b"*1\r\n$", &[b'1'; (64 << 10) + 1][..]].concat(),
        "ERR Protocol error: too big bulk count string",
    ),
    say(
        Oversized,
        "A string that would grow beyond `proto-max-bulk-len`",
        "default",
        "SETRANGE app:1 536870911 xx",
        "ERR string exceeds maximum allowed size (proto-max-bulk-len)",
    ),
    cut(CrossSite, "HTTP: a POST whose body has commands", "", || http("POST / HTTP/1.1"), ""),
    cut(
        CrossSite,
        "HTTP: a PUT whose body has commands; closed at the line `Host:`",
        "",
        || http("PUT / HTTP/1.1"),
        "ERR unknown command 'PUT', with args beginning with: '/' 'HTTP/1.1' ",
    ),
    cut(
        CrossSite,
        "HTTP as a logged-in client: closed at the line `Host:`",
        "default",
        || http("GET / HTTP/1.1"),
        "ERR wrong number of arguments for 'get' command",
    ),
    cut(
        Malformed,
        "A negative length of an argument",
        "reader",
        || b"*1\r\n$-1\r\n".to_vec(),
        "ERR Protocol error: invalid bulk length",
    ),
    cut(
        Malformed,
        "An argument without `$`",
        "reader",
        || b"*1\r\n:4\r\n".to_vec(),
        "ERR Protocol error: expected '$', got ':'",
    ),
    cut(
        Malformed,
        "A number of arguments that is no number",
        "",
        || b"*x\r\n".to_vec(),
        "ERR Protocol error: invalid multibulk length",
    ),
    cut(
        Malformed,
        "A line with an open quote",
        "",
        || b"PING \"x\r\n".to_vec(),
        "ERR Protocol error: unbalanced quotes in request",
    ),
];
