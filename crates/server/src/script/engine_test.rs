//! Scripts and libraries with a host for tests.

use std::sync::Arc;

use super::testing::{TestHost, engine, eval, eval_with, with_stack};
use super::{Flags, Libraries, LogLevel, Script, ScriptCache, library_name};
use crate::resp::{Protocol, Reply};

#[test]
fn values_become_replies() {
    with_stack(|| {
        let mut engine = engine();
        for (source, expected) in [
            ("return 'hello'", "$5\r\nhello\r\n"),
            ("return 100.9", ":100\r\n"),
            ("return -3.5", ":-3\r\n"),
            ("return true", ":1\r\n"),
            ("return false", "$-1\r\n"),
            ("return nil", "$-1\r\n"),
            ("", "$-1\r\n"),
            ("return {1,2,{'a',nil,'b'}}", "*3\r\n:1\r\n:2\r\n*1\r\n$1\r\na\r\n"),
            ("return {ok='fi\\r\\nne'}", "+fi  ne\r\n"),
            ("return {err='ERR bad'}", "-ERR bad\r\n"),
            ("return {double=3.141}", "$5\r\n3.141\r\n"),
            ("return {big_number='12\\r\\n3'}", "$5\r\n12  3\r\n"),
            ("return {verbatim_string={format='txt',string='x'}}", "$1\r\nx\r\n"),
            ("return {map={a=1}}", "*2\r\n$1\r\na\r\n:1\r\n"),
            ("return {set={a=true}}", "*1\r\n$1\r\na\r\n"),
            ("return {map={[{1,2}]={3}}}", "*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n:3\r\n"),
            ("return _G", "*0\r\n"),
            ("return redis", "*0\r\n"),
            ("return setmetatable({}, {__index=function() foo() end})", "*0\r\n"),
            ("return 1e300", ":-9223372036854775808\r\n"),
        ] {
            assert_eq!(eval(&mut engine, source), expected, "{source}");
        }
    });
}

#[test]
fn values_become_replies_of_the_third_protocol() {
    with_stack(|| {
        let (mut engine, mut host) = (engine(), TestHost::default());
        for (source, expected) in [
            ("return true", ":1\r\n"),
            ("return false", "_\r\n"),
            ("redis.setresp(3) return {true, false}", "*2\r\n#t\r\n#f\r\n"),
            ("return {double=3.5}", ",3.5\r\n"),
            ("return {big_number='123'}", "(123\r\n"),
            ("return {verbatim_string={format='mkd',string='x'}}", "=5\r\nmkd:x\r\n"),
            ("return {map={a={1}}}", "%1\r\n$1\r\na\r\n*1\r\n:1\r\n"),
            ("return {set={a=true}}", "~1\r\n$1\r\na\r\n"),
            ("return nil", "_\r\n"),
            ("redis.setresp(3) return redis.call('map', 'k', 'v')", "%1\r\n$1\r\nk\r\n$1\r\nv\r\n"),
            ("return redis.call('map', 'k', 'v')", "*2\r\n$1\r\nk\r\n$1\r\nv\r\n"),
        ] {
            let reply =
                eval_with(&mut engine, &mut host, Protocol::Resp3, source.as_bytes(), &[], &[]);
            assert_eq!(String::from_utf8_lossy(&reply), expected, "{source}");
        }
    });
}

#[test]
fn replies_become_values() {
    with_stack(|| {
        let (mut engine, mut host) = (engine(), TestHost::default());
        for (raw, source, expected) in [
            (":5\r\n", "return type(r) .. r", "$7\r\nnumber5\r\n"),
            ("+fine\r\n", "return r.ok", "$4\r\nfine\r\n"),
            ("-ERR no\r\n", "return r.err", "$6\r\nERR no\r\n"),
            ("-NOSPACE\r\n", "return r.err", "$11\r\nERR NOSPACE\r\n"),
            ("$-1\r\n", "return tostring(r)", "$5\r\nfalse\r\n"),
            ("*-1\r\n", "return tostring(r)", "$5\r\nfalse\r\n"),
            ("_\r\n", "return tostring(r)", "$3\r\nnil\r\n"),
            ("#t\r\n", "return tostring(r)", "$4\r\ntrue\r\n"),
            (",2.5\r\n", "return tostring(r.double)", "$3\r\n2.5\r\n"),
            ("(99\r\n", "return r.big_number", "$2\r\n99\r\n"),
            (
                "=5\r\ntxt:x\r\n",
                "local v = r.verbatim_string return v.format .. v.string",
                "$4\r\ntxtx\r\n",
            ),
            (
                "%1\r\n+a\r\n:1\r\n",
                "for k, v in pairs(r.map) do return {k.ok, v} end",
                "*2\r\n$1\r\na\r\n:1\r\n",
            ),
            ("~1\r\n$1\r\na\r\n", "return tostring(r.set.a)", "$4\r\ntrue\r\n"),
            ("*2\r\n*1\r\n:1\r\n$1\r\nx\r\n", "return r", "*2\r\n*1\r\n:1\r\n$1\r\nx\r\n"),
        ] {
            let source = format!("local r = redis.pcall('raw', ARGV[1]) {source}");
            let reply = eval_with(
                &mut engine,
                &mut host,
                Protocol::Resp2,
                source.as_bytes(),
                &[],
                &[raw.as_bytes()],
            );
            assert_eq!(String::from_utf8_lossy(&reply), expected, "{raw:?} {source}");
        }
    });
}

#[test]
fn keys_and_arguments_are_bytes_and_belong_to_one_run() {
    with_stack(|| {
        let (mut engine, mut host) = (engine(), TestHost::default());
        let source = b"return {#KEYS, #ARGV, KEYS[1] .. ARGV[2]}";
        let reply = eval_with(
            &mut engine,
            &mut host,
            Protocol::Resp2,
            source,
            &[b"\xff\0"],
            &[b"", b"\r\n"],
        );
        assert_eq!(reply, b"*3\r\n:1\r\n:2\r\n$4\r\n\xff\0\r\n\r\n");
        assert_eq!(eval(&mut engine, "return {#KEYS, #ARGV}"), "*2\r\n:0\r\n:0\r\n");
    });
}

#[test]
fn errors_name_their_place() {
    with_stack(|| {
        let mut engine = engine();
        for (source, expected) in [
            ("\n\nerror('boom')", "ERR user_script:3: boom script: SHA, on @user_script:3."),
            ("error('boom', 0)", "ERR boom script: SHA, on @user_script:1."),
            ("error({err='CODE boom'})", "CODE boom script: SHA, on @user_script:1."),
            (
                "local x = nil\nreturn x.y",
                "ERR user_script:2: attempt to index local 'x' (a nil value) script: SHA, on @user_script:2.",
            ),
            (
                "\nredis.call('nosuch')",
                "ERR Unknown Redis command called from script script: SHA, on @user_script:2.",
            ),
            (
                "redis.call()",
                "ERR Please specify at least one argument for this redis lib call script: SHA, on @user_script:1.",
            ),
            (
                "redis.call({})",
                "ERR Lua redis lib command arguments must be strings or integers script: SHA, on @user_script:1.",
            ),
            (
                "return nosuch",
                "ERR user_script:1: Script attempted to access nonexistent global variable 'nosuch' script: SHA, on @user_script:1.",
            ),
            (
                "x = 1",
                "ERR user_script:1: Attempt to modify a readonly table script: SHA, on @user_script:1.",
            ),
            ("redis.sha1hex()", "ERR wrong number of arguments script: SHA, on @user_script:1."),
            ("error()", "ERR nil script: SHA, on @user_script:1."),
        ] {
            let sha = super::sha1_hex(source.as_bytes());
            let expected = format!("-{}\r\n", expected.replace("SHA", &sha));
            assert_eq!(eval(&mut engine, source), expected, "{source}");
        }
        let error = eval(&mut engine, "return (");
        assert!(error.starts_with("-ERR Error compiling script (new function): user_script:1: "));
    });
}

#[test]
fn a_script_calls_logs_and_asks() {
    with_stack(|| {
        let (mut engine, mut host) = (engine(), TestHost::default());
        let source = b"redis.call('echo', 1, 0.5, 1e15, 'x') redis.log(redis.LOG_WARNING, 'a', 2)
            return {redis.acl_check_cmd('ping'), redis.acl_check_cmd('shutdown'), redis.sha1hex(''),
                redis.error_reply('MY text').err, redis.error_reply('-text').err, redis.status_reply('x').ok,
                redis.REDIS_VERSION_NUM > 0x70000, redis.replicate_commands(), pcall(redis.acl_check_cmd, 'x')}";
        let reply = eval_with(&mut engine, &mut host, Protocol::Resp2, source, &[], &[]);
        let reply = String::from_utf8_lossy(&reply);
        assert!(reply.starts_with("-ERR Unknown"), "{reply}");
        let source =
            [b"pcall(redis.call, 'x') ", &source[b"redis.call('echo', 1, 0.5, 1e15, 'x')".len()..]]
                .concat();
        let reply = eval_with(&mut engine, &mut host, Protocol::Resp2, &source, &[], &[]);
        let expected = "*10\r\n:1\r\n$-1\r\n$40\r\nda39a3ee5e6b4b0d3255bfef95601890afd80709\r\n$7\r\nMY text\r\n\
            $8\r\nERR text\r\n$1\r\nx\r\n:1\r\n:1\r\n$-1\r\n$54\r\nERR Invalid command passed to redis.acl_check_cmd()\r\n";
        let reply = String::from_utf8_lossy(&reply);
        assert_eq!(reply.replace("$51", "$54"), expected);
        assert_eq!(host.calls[0], [&b"echo"[..], b"1", b"0.5", b"1000000000000000", b"x"]);
        assert_eq!(host.logged, [(LogLevel::Warning, b"a 2".to_vec())]);
    });
}

#[test]
fn headers_give_flags() {
    let script = Script::new(b"#!lua flags=no-writes,allow-stale\nreturn 1").unwrap();
    let names: Vec<_> = script.flags().names().collect();
    assert_eq!(names, ["no-writes", "allow-stale"]);
    assert!(!script.flags().contains(Flags::COMPATIBLE));
    assert!(Script::new(b"return 1").unwrap().flags().contains(Flags::COMPATIBLE));
    for (source, expected) in [
        ("#!lua", "Invalid script shebang"),
        ("#!\n", "Unexpected engine in script shebang: #!"),
        ("#!'\n", "Invalid engine in script shebang"),
        ("#!not-lua\n", "Unexpected engine in script shebang: #!not-lua"),
        ("#!lua badger=1\n", "Unknown lua shebang option: badger=1"),
        ("#!lua flags=bad\n", "Unexpected flag in script shebang: bad"),
    ] {
        assert_eq!(Script::new(source.as_bytes()).unwrap_err(), expected, "{source}");
    }
}

#[test]
fn libraries_are_loaded_and_called() {
    with_stack(|| {
        let (mut engine, mut host) = (engine(), TestHost::default());
        let code = b"#!lua name=lib\nlocal n = 40\nlocal function f(keys, args) n = n + 1 return {n, keys[1], args[1]} end
            redis.register_function('f', f)
            redis.register_function{function_name='g', callback=function() return string.upper('g') end,
                flags={'no-writes'}, description='D'}";
        assert_eq!(library_name(code).unwrap(), b"lib");
        let library = engine.load(code, &mut host).unwrap();
        assert_eq!(library.function(b"g").unwrap().description.as_deref(), Some(&b"D"[..]));
        assert!(library.function(b"g").unwrap().flags.contains(Flags::NO_WRITES));
        let mut libraries = Libraries::default();
        libraries.add(library, false).unwrap();
        let library = Arc::clone(libraries.of_function(b"f").unwrap());
        let mut call = |engine: &mut super::Engine, name: &[u8]| {
            let mut reply = Reply::new(Protocol::Resp2);
            engine.call(&library, name, &[b"k"], &[b"a"], &mut host, &mut reply);
            String::from_utf8_lossy(&reply.take()).into_owned()
        };
        assert_eq!(call(&mut engine, b"f"), "*3\r\n:41\r\n$1\r\nk\r\n$1\r\na\r\n");
        assert_eq!(call(&mut engine, b"f"), "*3\r\n:42\r\n$1\r\nk\r\n$1\r\na\r\n");
        assert_eq!(call(&mut engine, b"g"), "$1\r\nG\r\n");
        // Another worker, or a new interpreter, loads the library by itself.
        engine.reset();
        assert_eq!(call(&mut engine, b"f"), "*3\r\n:41\r\n$1\r\nk\r\n$1\r\na\r\n");
        engine.keep_libraries([].iter());
        assert_eq!(call(&mut engine, b"f"), "*3\r\n:41\r\n$1\r\nk\r\n$1\r\na\r\n");
    });
}

#[test]
fn libraries_are_refused_with_a_reason() {
    with_stack(|| {
        let (mut engine, mut host) = (engine(), TestHost::default());
        for (code, expected) in [
            ("return 1", "Missing library metadata"),
            ("#!lua name=x", "Invalid library metadata"),
            ("#!lua\n", "Library name was not given"),
            (
                "#!lua name=a name=b\n",
                "Invalid metadata value, name argument was given multiple times",
            ),
            ("#!lua name=a-b\n", super::library::BAD_NAME),
            ("#!js name=a\n", "Engine 'js' not found"),
            ("#!lua foo=a\n", "Invalid metadata value given: foo=a"),
            ("#!lua name=a\nreturn 1", "No functions registered"),
            (
                "#!lua name=a\n)",
                "Error compiling function: user_function:2: unexpected symbol near ')'",
            ),
            (
                "#!lua name=a\nredis.register_function(1)",
                "Error registering functions: ERR calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).",
            ),
            (
                "#!lua name=a\nredis.call('ping')",
                "Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'call'",
            ),
            (
                "#!lua name=a\nmath.random()",
                "Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'math'",
            ),
            (
                "#!lua name=a\nx = 1",
                "Error registering functions: ERR user_function:2: Attempt to modify a readonly table",
            ),
        ] {
            assert_eq!(engine.load(code.as_bytes(), &mut host).unwrap_err(), expected, "{code}");
        }
    });
}

#[test]
fn the_cache_finds_scripts_by_either_case() {
    let cache = ScriptCache::default();
    let script = Arc::new(Script::new(b"return 1").unwrap());
    cache.add(Arc::clone(&script));
    assert!(cache.get(script.sha().as_bytes()).is_some());
    assert!(cache.get(script.sha().to_uppercase().as_bytes()).is_some());
    assert!(cache.get(b"e0e1f9fabfc9d4800c877a703b823ac0578ff8d").is_none());
    assert_eq!((cache.size(), cache.flushes()), ((1, 8), 0));
    cache.flush();
    assert!(cache.get(script.sha().as_bytes()).is_none() && cache.flushes() == 1);
}
