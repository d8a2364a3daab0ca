use crate::script::STACK_BYTES;
use crate::testing::failing::Local;

const ONE: &[u8] = b"#!lua name=one\nredis.register_function('f', function() return 1 end)";
const TWO: &[u8] = b"#!lua name=two\nredis.register_function('g', function() return 2 end)";
const OTHER: &[u8] = b"#!lua name=one\nredis.register_function('f', function() return 3 end)";
const OK: &str = "+OK\r\n";

/// Runs a test with the stack that scripts need.
fn apart(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(test).unwrap().join().unwrap();
}

/// Returns the replies of the functions, and the list of libraries.
fn state(ours: &mut Local) -> [String; 3] {
    ["FCALL f 0", "FCALL g 0", "FUNCTION LIST WITHCODE"].map(|line| ours.say(line))
}

/// Returns the payload of FUNCTION DUMP from its reply's bytes.
fn dump_of(code: &[u8]) -> Vec<u8> {
    crate::dump::encode_functions([code].into_iter(), crate::dump::Version::V10)
}

#[test]
fn a_failed_commit_changes_no_library() {
    apart(|| {
        let dir = tempfile::tempdir().unwrap();
        let mut ours = Local::open(dir.path());
        assert_eq!(ours.call(&[b"FUNCTION", b"LOAD", ONE]), "$3\r\none\r\n");
        let before = state(&mut ours);
        assert_eq!(before[0], ":1\r\n");
        let restored = dump_of(TWO);
        let changes: [&[&[u8]]; 6] = [
            &[b"FUNCTION", b"LOAD", TWO],
            &[b"FUNCTION", b"LOAD", b"REPLACE", OTHER],
            &[b"FUNCTION", b"DELETE", b"one"],
            &[b"FUNCTION", b"FLUSH"],
            &[b"FUNCTION", b"RESTORE", &restored],
            &[b"FUNCTION", b"RESTORE", &restored, b"FLUSH"],
        ];
        for change in changes {
            for is_transaction in [false, true] {
                ours.store.fail_after(0);
                if is_transaction {
                    ours.say("MULTI");
                }
                let mut reply = ours.call(change);
                if is_transaction {
                    reply = ours.say("EXEC");
                }
                assert!(reply.starts_with('-'), "{change:?}: {reply}");
                ours.store.fail_after(u64::MAX);
                assert_eq!(state(&mut ours), before, "{change:?}");
            }
        }
        ours.close();
        let mut ours = Local::open(dir.path());
        assert_eq!(state(&mut ours), before);
        for change in changes {
            let reply = ours.call(change);
            assert!(!reply.starts_with('-') || reply.contains("already exists"), "{reply}");
            let changed = state(&mut ours);
            ours.close();
            ours = Local::open(dir.path());
            assert_eq!(state(&mut ours), changed, "{change:?}");
            ours.say("FUNCTION FLUSH");
            ours.call(&[b"FUNCTION", b"LOAD", ONE]);
        }
        ours.close();
    });
}

#[test]
fn a_transaction_sees_its_own_libraries() {
    apart(|| {
        let dir = tempfile::tempdir().unwrap();
        let mut ours = Local::open(dir.path());
        assert_eq!(ours.say("MULTI"), OK);
        ours.call(&[b"FUNCTION", b"LOAD", ONE]);
        ours.say("FCALL f 0");
        ours.call(&[b"FUNCTION", b"LOAD", b"REPLACE", OTHER]);
        ours.say("FCALL f 0");
        ours.say("FUNCTION FLUSH");
        ours.say("FCALL f 0");
        ours.call(&[b"FUNCTION", b"LOAD", TWO]);
        let expected = "*7\r\n$3\r\none\r\n:1\r\n$3\r\none\r\n:3\r\n+OK\r\n\
                        -ERR Function not found\r\n$3\r\ntwo\r\n";
        assert_eq!(ours.say("EXEC"), expected);
        let after = state(&mut ours);
        assert_eq!(after[..2], ["-ERR Function not found\r\n", ":2\r\n"]);
        ours.close();
        let mut ours = Local::open(dir.path());
        assert_eq!(state(&mut ours), after);
        ours.close();
    });
}
