//! The sweep: every case of `ferrolith_interop::sweep`, on the real RocksDB and on our `librocksdb.so`.
//!
//! Both must say the same. What may differ stands in `sweep_allowed.tsv` with its reason; an allowance that nothing
//! needs fails the test. Where the real library dies or hangs, ours must only not do so.

use ferrolith_interop::peers;
use ferrolith_interop::sweep::{cases, fits};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A case needs milliseconds; one that needs longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Kilobytes of address space of a child: a huge value must not take the machine's memory.
const ADDRESS_SPACE_KB: &str = "8000000";

/// So many cases at once, so that a process with leaked handles does not become old.
const BATCH: usize = 200;

/// What a library said in one case.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Line(String),
    Died(String),
}

impl Said {
    fn text(&self) -> &str {
        match self {
            Said::Line(text) | Said::Died(text) => text,
        }
    }
}

/// Directories of the cases: in memory where that is possible, as syncs are most of their time.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

fn start(
    library: &Path,
    group: &str,
    dir: &Path,
    first: usize,
    last: usize,
) -> (Child, Receiver<String>) {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\"; ulimit -c 0; exec \"$@\"", ADDRESS_SPACE_KB])
        .args([env!("CARGO_BIN_EXE_interop-peer"), "sweep"])
        .arg(library)
        .arg(group)
        .arg(dir)
        .args([first.to_string(), last.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    (child, receiver)
}

/// Runs cases `first..last`, in as many children as their deaths ask for.
fn run(library: &Path, group: &str, mut first: usize, last: usize) -> Vec<Said> {
    let mut said = Vec::new();
    while first < last {
        let dir = scratch();
        let (mut child, lines) = start(library, group, dir.path(), first, last.min(first + BATCH));
        let end = loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    if let Some(line) = line.strip_prefix("end ") {
                        said.push(Said::Line(
                            line.split_once(' ').map_or("", |(_, line)| line).to_owned(),
                        ));
                        first += 1;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break Some("hangs".to_owned());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait().unwrap();
                    break (!status.success()).then(|| format!("dies: {status}"));
                }
            }
        };
        if let Some(end) = end {
            said.push(Said::Died(end));
            first += 1;
        }
    }
    said
}

/// An allowed difference.
struct Allowance {
    case: String,
    ours: String,
    line: String,
}

fn allowances(group: &str) -> Vec<Allowance> {
    let lines = include_str!("sweep_allowed.tsv").lines().filter(|line| !line.starts_with('#'));
    let parse = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [of, case, ours, reason] = columns[..] else { panic!("expected 4 columns: {line:?}") };
        assert!(!reason.trim().is_empty(), "an allowance needs a reason: {line:?}");
        (of == group).then(|| Allowance { case: case.into(), ours: ours.into(), line: line.into() })
    };
    lines.filter_map(parse).collect()
}

/// Whether ours says what theirs says. An error of ours may go on with a detail behind RocksDB's words.
fn same(theirs: &Said, ours: &Said) -> bool {
    let (theirs, ours) = match (theirs, ours) {
        (Said::Line(theirs), Said::Line(ours)) => (theirs, ours),
        (theirs, ours) => return matches!((theirs, ours), (Said::Died(_), Said::Line(_))),
    };
    let (mut theirs, mut ours) = (theirs.split(" | "), ours.split(" | "));
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => return true,
            (Some(theirs), Some(ours)) => {
                let more = ours.strip_prefix(theirs).unwrap_or("no");
                if !(more.is_empty() || more.starts_with(':') || theirs.ends_with(':'))
                    || more == "no"
                {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

fn sweep(group: &str) {
    let (theirs, ours) = (peers::library().unwrap(), peers::our_library().unwrap());
    let cases = cases(group);
    let count = cases.len();
    let (theirs, ours) = std::thread::scope(|scope| {
        let theirs = scope.spawn(|| run(&theirs, group, 0, count));
        let ours = run(&ours, group, 0, count);
        (theirs.join().unwrap(), ours)
    });
    let allowances = allowances(group);
    let mut used = vec![false; allowances.len()];
    let mut different = Vec::new();
    let mut died = 0;
    for ((case, theirs), ours) in cases.iter().zip(&theirs).zip(&ours) {
        died += usize::from(matches!(theirs, Said::Died(_)));
        if same(theirs, ours) {
            continue;
        }
        let allows = |a: &Allowance| fits(&a.case, &case.name) && fits(&a.ours, ours.text());
        let mut allowed = false;
        for (allowance, used) in allowances.iter().zip(&mut used) {
            if matches!(ours, Said::Line(_)) && allows(allowance) {
                (allowed, *used) = (true, true);
            }
        }
        if !allowed {
            different.push(format!(
                "{}\n    theirs {}\n    ours   {}",
                case.name,
                theirs.text(),
                ours.text()
            ));
        }
    }
    eprintln!("{group}: {} cases; the real library died or hung in {died}", cases.len());
    let unused = allowances.iter().zip(&used).filter(|(_, used)| !**used);
    let unused: Vec<_> = unused.map(|(allowance, _)| allowance.line.as_str()).collect();
    assert!(
        different.is_empty() && unused.is_empty(),
        "{group}: {} differences\n{}\nallowed and not needed: {unused:#?}",
        different.len(),
        different.join("\n")
    );
}

#[test]
fn setters() {
    sweep("setters");
}

#[test]
fn option_strings() {
    sweep("strings");
}

#[test]
fn properties() {
    sweep("properties");
}

#[test]
fn situations() {
    assert!(cases("situations").len() >= 150);
    sweep("situations");
}
