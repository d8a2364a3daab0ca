use super::*;

fn written(protocol: Protocol, write: impl Fn(&mut Reply)) -> String {
    let mut reply = Reply::new(protocol);
    write(&mut reply);
    String::from_utf8(reply.take()).unwrap()
}

/// Appends a reply; then what it is in RESP2 and in RESP3.
type Case = (fn(&mut Reply), &'static str, &'static str);

#[test]
fn each_kind_has_its_form_in_both_protocols() {
    let cases: [Case; 10] = [
        (|r| r.null(), "$-1\r\n", "_\r\n"),
        (|r| r.null_array(), "*-1\r\n", "_\r\n"),
        (|r| r.boolean(true), ":1\r\n", "#t\r\n"),
        (|r| r.double("1.5"), "$3\r\n1.5\r\n", ",1.5\r\n"),
        (|r| r.big_number("12"), "$2\r\n12\r\n", "(12\r\n"),
        (|r| r.map(2), "*4\r\n", "%2\r\n"),
        (|r| r.set(2), "*2\r\n", "~2\r\n"),
        (|r| r.push(3), "*3\r\n", ">3\r\n"),
        (|r| r.verbatim(b"hi"), "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n"),
        (|r| r.error("ERR a\r\nb"), "-ERR a  b\r\n", "-ERR a  b\r\n"),
    ];
    for (write, two, three) in cases {
        assert_eq!(written(Protocol::Resp2, write), two);
        assert_eq!(written(Protocol::Resp3, write), three);
    }
}

#[test]
fn a_header_can_follow_its_elements() {
    let text = written(Protocol::Resp2, |reply| {
        reply.ok();
        let start = reply.position();
        for i in [7, 12, -3] {
            reply.integer(i);
        }
        reply.array_later(start, 3);
    });
    assert_eq!(text, "+OK\r\n*3\r\n:7\r\n:12\r\n:-3\r\n");
}
