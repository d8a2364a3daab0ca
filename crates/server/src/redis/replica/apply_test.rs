use super::*;
use crate::redis::replica::position::{Saved, Target, saved};
use crate::testing::failing::Local;

const ID: &str = "0123456789012345678901234567890123456789";

fn position(offset: u64) -> Position {
    let target = Target { host: "127.0.0.1".to_owned(), port: 6379 };
    Position { target, id: ID.to_owned(), offset, database: 0 }
}

/// Applies commands, each of which has ten bytes in the stream. Returns the error that ended it.
fn apply_all(ours: &Local, from: u64, lines: &[&str]) -> Done {
    let mut applier =
        Applier::new(&ours.server, ours.server.replication.generation(), position(from));
    for (line, offset) in lines.iter().zip((from + 10..).step_by(10)) {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let mut note = |text: &str| panic!("{line}: {text}");
        applier.apply(Args::new(&words), offset, &mut note)?;
    }
    Ok(())
}

/// Returns the position on disk, and what the server replies about a key of databases 0 and 1.
fn state(ours: &mut Local) -> (u64, [String; 2]) {
    let Saved::At(position) = saved(&*ours.store).unwrap() else { panic!("no position") };
    let values = ["0", "1"].map(|index| {
        ours.say(&format!("SELECT {index}"));
        ours.say("GET k")
    });
    (position.offset, values)
}

/// Whichever commit is the last one before a crash: the exchange and the position are both there, or both not.
#[test]
fn databases_are_exchanged_together_with_the_position() {
    let before = ["$4\r\nzero\r\n", "$3\r\none\r\n"].map(str::to_owned);
    let swapped = ["$3\r\none\r\n", "$4\r\nzero\r\n"].map(str::to_owned);
    let written = ["$3\r\nnew\r\n", "$4\r\nzero\r\n"].map(str::to_owned);
    let cases: [(&[&str], _); 3] = [
        (&["SWAPDB 0 1"], &swapped),
        (&["MULTI", "SWAPDB 1 0", "SET k new", "EXEC"], &written),
        (&["MULTI", "SELECT 1", "SET k new", "SWAPDB 0 1", "SELECT 0", "GET k", "EXEC"], &written),
    ];
    for (lines, after) in cases {
        let end = 50 + 10 * lines.len() as u64;
        for commits in 0..3 {
            let dir = tempfile::tempdir().unwrap();
            let mut ours = Local::open(dir.path());
            let setup = ["SET k zero", "SELECT 1", "SET k one", "SELECT 0", "DEL none"];
            apply_all(&ours, 0, &setup).unwrap();
            let setup_ends = state(&mut ours);
            assert_eq!(setup_ends.1, before);
            ours.store.fail_after(commits);
            let result = apply_all(&ours, 50, lines);
            assert_eq!(result.is_ok(), commits > 0, "{lines:?} after {commits} commits");
            let expected = match result {
                Ok(()) => (end, after.clone()),
                Err(_) => setup_ends,
            };
            assert_eq!(state(&mut ours), expected, "{lines:?} after {commits} commits");
            ours.close();
            let mut ours = Local::open(dir.path());
            assert_eq!(state(&mut ours), expected, "{lines:?} after {commits} commits, reopened");
            // The stream goes on behind the position.
            if commits == 0 {
                apply_all(&ours, 50, lines).unwrap();
                assert_eq!(state(&mut ours), (end, after.clone()));
            }
            ours.close();
        }
    }
}
