//! Starts the children and judges what they say.

use crate::child::NOT_REACHED;
use crate::errors;
use crate::scene::ASK_ROCKSDB;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A child that takes longer hangs. It may wait for the engine 5 seconds in several calls.
const PATIENCE: Duration = Duration::from_secs(25);
/// How often a fault may pass by before that counts: what the background does depends on the moment.
const ATTEMPTS: u32 = 3;

/// In a sample, so many cases of sites that the list does not have.
const UNKNOWN_MAX: usize = 300;
/// What the list says of a broken promise.
const FAILED: &str = "FAILED";
/// Every so many cases the real RocksDB reads what is left, if there is one.
const ASK_EACH: usize = 8;
static NUM_ASKED: AtomicUsize = AtomicUsize::new(0);

const USAGE: &str =
    "usage: os-calls [--sample N] [--part TEXT] [--site TEXT] [--error NAME] [--new] [--jobs N]
                [--rewrite]

  --sample N   runs N random cases; FERROLITH_OS_CALLS_SEED repeats a selection
  --part TEXT, --site TEXT, --error NAME   runs only matching cases
  --new        runs only call sites that are not in the list or that failed when it was written
  --jobs N     number of concurrent child processes (default: 6)
  --rewrite    writes the list of call sites with the outcome of each
";

struct Settings {
    sample: Option<usize>,
    part: String,
    site: String,
    error: String,
    jobs: usize,
    new: bool,
    rewrite: bool,
}

/// A call that fails.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Failure {
    function: String,
    callers: String,
    error: &'static str,
    lasting: bool,
}

/// One call site, one error; and for sites that only failures lead to, the failure that does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    part: String,
    before: Option<Failure>,
    failure: Failure,
}

type Site = (String, String);
/// Where a site is tried: in which part, and after which failure.
type Place = (String, Option<Failure>);

impl Failure {
    fn words(&self) -> [&str; 4] {
        [&self.function, &self.callers, self.error, if self.lasting { "lasting" } else { "once" }]
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [function, callers, error, manner] = self.words();
        write!(f, "{function} {error} {manner} {callers}")
    }
}

impl Case {
    fn site(&self) -> Site {
        (self.failure.function.clone(), self.failure.callers.clone())
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}] {}", self.part, self.failure)?;
        self.before.as_ref().map_or(Ok(()), |before| write!(f, "\n    after {before}"))
    }
}

/// What came of a case.
struct Verdict {
    case: Case,
    /// The outcome's word, or what was broken.
    outcome: Result<String, String>,
    /// The first error that a call returned.
    told: String,
    /// Sites that the child came to.
    seen: Vec<Site>,
}

/// The list in the repository.
#[derive(Default)]
struct List {
    /// Per site the part and the outcomes, as written.
    sites: BTreeMap<Site, (String, String)>,
    /// Function, callers, error (`*`: all), why it fails.
    gaps: Vec<[String; 4]>,
}

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/testdata").join(name)
}

fn columns<const N: usize>(line: &str) -> Option<[String; N]> {
    let parts: Vec<String> = line.split('\t').map(str::to_owned).collect();
    (!line.starts_with('#')).then(|| parts.try_into().ok())?
}

impl List {
    fn read() -> List {
        let text = |name| std::fs::read_to_string(testdata(name)).unwrap_or_default();
        let site = |[function, callers, part, outcomes]: [String; 4]| {
            ((function, callers), (part, outcomes))
        };
        List {
            sites: text("os-calls.txt").lines().filter_map(columns).map(site).collect(),
            gaps: text("os-calls-gaps.txt").lines().filter_map(columns).collect(),
        }
    }

    fn gap(&self, case: &Case) -> Option<&str> {
        let is_it = |[function, callers, error, _]: &&[String; 4]| {
            let failure = &case.failure;
            *function == failure.function
                && *callers == failure.callers
                && (error == failure.error || error == "*")
        };
        self.gaps.iter().find(is_it).map(|[.., why]| why.as_str())
    }

    /// Whether the list says that the database must be reopened after this.
    fn allows_reopening(&self, case: &Case) -> bool {
        let Some((_, outcomes)) = self.sites.get(&case.site()) else { return false };
        let of_error = |word: &&str| word.split('=').next() == Some(case.failure.error);
        outcomes.split(' ').find(of_error).is_some_and(|word| word.contains("reopened"))
    }
}

fn parse(args: &[String]) -> Option<Settings> {
    let mut s = Settings {
        sample: None,
        part: String::new(),
        site: String::new(),
        error: String::new(),
        jobs: 6,
        new: false,
        rewrite: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rewrite" => s.rewrite = true,
            "--new" => s.new = true,
            "--sample" => s.sample = Some(args.next()?.parse().ok()?),
            "--jobs" => s.jobs = args.next()?.parse().ok()?,
            "--part" => s.part = args.next()?.clone(),
            "--site" => s.site = args.next()?.clone(),
            "--error" => s.error = args.next()?.clone(),
            _ => return None,
        }
    }
    Some(s)
}

/// Walks once for the sites, then once per case; true if nothing is broken.
pub fn run(args: &[String]) -> ExitCode {
    let Some(settings) = parse(args) else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let root = place.join(format!("ferrolith-os-calls-{}", std::process::id()));
    let done = std::fs::create_dir_all(&root)
        .map_err(|e| e.to_string())
        .and_then(|()| run_in(&settings, &root));
    let _ = std::fs::remove_dir_all(&root);
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("os-calls: {error}");
            ExitCode::FAILURE
        }
    }
}

fn program() -> Result<Command, String> {
    std::env::current_exe().map(Command::new).map_err(|e| e.to_string())
}

fn run_in(settings: &Settings, root: &Path) -> Result<bool, String> {
    let status = program()?.arg("record").arg(root).status().map_err(|e| e.to_string())?;
    if !status.success() {
        return Err(format!("the run without faults failed: {status}"));
    }
    let text = std::fs::read_to_string(root.join("sites")).map_err(|e| e.to_string())?;
    // The first part that comes to a site tries it.
    let mut sites: BTreeMap<Site, Place> = BTreeMap::new();
    for [part, function, callers] in text.lines().filter_map(columns) {
        sites.entry((function, callers)).or_insert((part, None));
    }
    let list = List::read();
    let walked: BTreeSet<Site> = sites.keys().cloned().collect();
    let all = cases(&sites, |_| true)?;
    let mut chosen = settings.choose(all.clone(), &list);
    if settings.sample.is_some() {
        // No call goes without a fault until somebody writes the list.
        let unknown: Vec<_> =
            all.iter().filter(|case| !list.sites.contains_key(&case.site())).cloned().collect();
        println!("os-calls: {} cases of new sites", unknown.len());
        chosen.extend(unknown.into_iter().take(UNKNOWN_MAX));
    }
    println!("os-calls: {} sites, {} cases of {}", sites.len(), chosen.len(), all.len());
    let mut verdicts = run_all(chosen, settings.jobs, root);
    verdicts.sort_by(|a, b| a.case.cmp(&b.case));
    // What only failures lead to: with the first case that did.
    for verdict in &verdicts {
        for site in &verdict.seen {
            let place = || (verdict.case.part.clone(), Some(verdict.case.failure.clone()));
            sites.entry(site.clone()).or_insert_with(place);
        }
    }
    if settings.sample.is_none() {
        let chosen = settings.choose(cases(&sites, |site| !walked.contains(site))?, &list);
        println!(
            "os-calls: {} sites after a failure, {} cases",
            sites.len() - walked.len(),
            chosen.len()
        );
        verdicts.extend(run_all(chosen, settings.jobs, root));
    }
    let mut good = judge(&verdicts, &list, settings.rewrite);
    if settings.is_whole() && !settings.rewrite {
        good &= compare(&sites, &list);
    }
    if settings.rewrite {
        write_list(&sites, &list, &verdicts, settings.is_whole()).map_err(|e| e.to_string())?;
    }
    Ok(good)
}

/// Every site that was met must be in the list.
fn compare(sites: &BTreeMap<Site, Place>, list: &List) -> bool {
    let new: Vec<_> = sites.keys().filter(|site| !list.sites.contains_key(*site)).collect();
    for (function, callers) in &new {
        eprintln!("os-calls: not in the list: {function} {callers}");
    }
    let missed = list.sites.keys().filter(|site| !sites.contains_key(*site)).count();
    if missed > 0 {
        println!("os-calls: {missed} call sites of the list were not reached in this run");
    }
    if !new.is_empty() {
        eprintln!(
            "os-calls: {} new call sites; `os-calls --rewrite` tests them and adds them to the list",
            new.len()
        );
    }
    new.is_empty()
}

/// Every error of every site that is wanted.
fn cases(
    sites: &BTreeMap<Site, Place>,
    wanted: impl Fn(&Site) -> bool,
) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for (site, (part, before)) in sites.iter().filter(|(site, _)| wanted(site)) {
        let (function, callers) = site;
        let possible =
            errors::of(function).ok_or(format!("no errors are listed for {function}"))?;
        for &error in possible {
            let lasts = errors::while_it_lasts(error, function).is_some();
            for lasting in [Some(false), lasts.then_some(true)].into_iter().flatten() {
                let (function, callers) = (function.clone(), callers.clone());
                let failure = Failure { function, callers, error: errors::name(error), lasting };
                cases.push(Case { part: part.clone(), before: before.clone(), failure });
            }
        }
    }
    Ok(cases)
}

impl Settings {
    /// Whether nothing is left out.
    fn is_whole(&self) -> bool {
        self.sample.is_none()
            && !self.new
            && [&self.part, &self.site, &self.error].iter().all(|s| s.is_empty())
    }

    fn choose(&self, mut cases: Vec<Case>, list: &List) -> VecDeque<Case> {
        let is_done = |case: &Case| {
            let known = list.sites.get(&case.site());
            known.is_some_and(|(_, outcomes)| !outcomes.is_empty() && !outcomes.contains(FAILED))
        };
        cases.retain(|case| {
            !(self.new && is_done(case))
                && case.part.contains(&self.part)
                && format!("{} {}", case.failure.function, case.failure.callers)
                    .contains(&self.site)
                && case.failure.error.contains(&self.error)
        });
        if let Some(n) = self.sample {
            let set =
                std::env::var("FERROLITH_OS_CALLS_SEED").ok().and_then(|seed| seed.parse().ok());
            let seed = set.unwrap_or_else(|| fastrand::u64(..1_000_000));
            println!("os-calls: FERROLITH_OS_CALLS_SEED={seed}");
            fastrand::Rng::with_seed(seed).shuffle(&mut cases);
            cases.truncate(n);
        }
        cases.into()
    }
}

fn run_all(cases: VecDeque<Case>, jobs: usize, root: &Path) -> Vec<Verdict> {
    let (total, started) = (cases.len(), Instant::now());
    let (waiting, verdicts) = (Mutex::new(cases), Mutex::new(Vec::new()));
    let next = || waiting.lock().unwrap_or_else(|e| e.into_inner()).pop_front();
    std::thread::scope(|scope| {
        for job in 0..jobs.max(1) {
            let (next, verdicts) = (&next, &verdicts);
            scope.spawn(move || {
                while let Some(case) = next() {
                    let verdict = run_case(case, &root.join(format!("job{job}")), root);
                    if let Err(what) = &verdict.outcome {
                        println!("os-calls: {}\n    {what}", verdict.case);
                    }
                    let mut verdicts = verdicts.lock().unwrap_or_else(|e| e.into_inner());
                    verdicts.push(verdict);
                    if verdicts.len().is_multiple_of(250) {
                        println!(
                            "os-calls: {} of {total} after {:?}",
                            verdicts.len(),
                            started.elapsed()
                        );
                    }
                }
            });
        }
    });
    verdicts.into_inner().unwrap_or_else(|e| e.into_inner())
}

fn run_case(case: Case, dir: &Path, root: &Path) -> Verdict {
    let mut verdict =
        Verdict { case, outcome: Err(String::new()), told: String::new(), seen: Vec::new() };
    for _ in 0..ATTEMPTS {
        let _ = std::fs::remove_dir_all(dir);
        verdict.outcome = run_child(&verdict.case, dir, root).map(|said| {
            let mut lines = said.lines().map(str::to_owned);
            let outcome = lines.next().unwrap_or_default();
            verdict.told = lines.next().unwrap_or_default();
            verdict.seen = lines.filter_map(|line| columns(&line)).map(|[f, c]| (f, c)).collect();
            outcome
        });
        // A busy machine may be late; who is late each time is stuck.
        let again = match &verdict.outcome {
            Ok(outcome) => outcome == NOT_REACHED,
            Err(what) => what == "hangs" || what.contains("after the cause is gone"),
        };
        if !again {
            break;
        }
    }
    verdict
}

/// Whether there is a real RocksDB, and it opens what this part leaves without further options.
fn can_ask(part: &str) -> bool {
    let options = ["plain tables", "cuckoo tables", "data paths", "repair"];
    std::env::var_os("FERROLITH_ROCKSDB_LIB").is_some() && !options.contains(&part)
}

fn run_child(case: &Case, dir: &Path, root: &Path) -> Result<String, String> {
    let mut command = program()?;
    if NUM_ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(ASK_EACH) && can_ask(&case.part) {
        command.env(ASK_ROCKSDB, "1");
    }
    let mut child = command
        .arg("fail")
        // The report of a failed allocation would print one, under the lock that `sites` needs.
        .env("RUST_BACKTRACE", "0")
        .args([root.join("names").as_os_str(), dir.as_os_str()])
        .arg(&case.part)
        .args(case.before.iter().chain([&case.failure]).flat_map(Failure::words))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    // Read beside the waiting, so that no child waits for room in a pipe.
    let said = std::thread::spawn(move || read_all(&mut out));
    let complained = std::thread::spawn(move || read_all(&mut err));
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("hangs".to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let (said, complained) =
        (said.join().unwrap_or_default(), complained.join().unwrap_or_default());
    match status.success() {
        true => Ok(said),
        false => Err(complaint(&complained, status)),
    }
}

fn read_all(pipe: &mut Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.as_mut().map(|pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a child said last, in one line.
fn complaint(text: &str, status: std::process::ExitStatus) -> String {
    if let Some(at) = text.find("BROKEN: ") {
        return text[at + 8..].trim().replace('\n', " ");
    }
    let lines: Vec<_> = text.lines().take(4).collect();
    format!("{status}: {}", lines.join(" "))
}

fn judge(verdicts: &[Verdict], list: &List, rewrite: bool) -> bool {
    let mut good = true;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for verdict in verdicts {
        let case = &verdict.case;
        let word = match (&verdict.outcome, list.gap(case)) {
            (Err(_), Some(_)) => "known gap".to_owned(),
            (Err(what), None) => {
                eprintln!("os-calls: FAILED {case}\n    {what}");
                good = false;
                FAILED.to_owned()
            }
            (Ok(outcome), _) => {
                let failure = &case.failure;
                // While it lasts, LOG cannot be written, either.
                let is_sync = !failure.lasting
                    && matches!(failure.function.as_str(), "fsync" | "fdatasync")
                    && failure.error != "EINTR";
                let wrong = match outcome.as_str() {
                    // The kernel may have dropped what was not written: nobody can cure that in silence.
                    "cured" if is_sync => {
                        Some("a sync failed, but no error was reported".to_owned())
                    }
                    "reopened" if !rewrite && !list.allows_reopening(case) => Some(format!(
                        "the database had to be reopened, but the list does not expect this: {}",
                        verdict.told
                    )),
                    _ => None,
                };
                if let Some(wrong) = wrong {
                    eprintln!("os-calls: FAILED {case}\n    {wrong}");
                    good = false;
                }
                outcome.clone()
            }
        };
        *counts.entry(word).or_default() += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    println!("os-calls: {}", counts.join(", "));
    good
}

/// Writes the sites with their outcomes; with those of the list that were not met, unless all were looked for.
fn write_list(
    sites: &BTreeMap<Site, Place>,
    list: &List,
    verdicts: &[Verdict],
    whole: bool,
) -> std::io::Result<()> {
    let mut outcomes: BTreeMap<Site, Vec<String>> = BTreeMap::new();
    let mut sorted: Vec<_> = verdicts.iter().collect();
    sorted.sort_by_key(|v| (v.case.failure.error, v.case.failure.lasting));
    for verdict in sorted {
        let of_site = outcomes.entry(verdict.case.site()).or_default();
        let word = verdict.outcome.as_deref().unwrap_or(FAILED).replace(' ', "-");
        let begin = format!("{}=", verdict.case.failure.error);
        match of_site.last_mut().filter(|last| last.starts_with(&begin)) {
            Some(last) if verdict.case.failure.lasting => last.push_str(&format!(",{word}")),
            _ => of_site.push(begin + &word),
        }
    }
    let mut text = String::from(
        "# Every system call site of the engine, with the outcome of each error. Written by\n\
         # `cargo run -p ferrolith-interop --bin os-calls -- --rewrite`; see docs/testing.md.\n\
         # Columns: function; callers, the innermost first; part of the run; per error the \
         outcome of one failure and,\n\
         # after a comma, of a lasting cause.\n",
    );
    let mut lines: BTreeMap<Site, (String, String)> =
        if whole { BTreeMap::new() } else { list.sites.clone() };
    for (site, (part, before)) in sites {
        let known = lines.remove(site);
        let after = before.as_ref().map_or(String::new(), |before| format!(", after {before}"));
        let line = match (outcomes.remove(site), known) {
            (Some(seen), _) => (format!("{part}{after}"), seen.join(" ")),
            (None, Some(known)) => known,
            (None, None) => (format!("{part}{after}"), String::new()),
        };
        lines.insert(site.clone(), line);
    }
    for ((function, callers), (part, outcomes)) in lines {
        text.push_str(&format!("{function}\t{callers}\t{part}\t{outcomes}\n"));
    }
    std::fs::create_dir_all(testdata(""))?;
    std::fs::write(testdata("os-calls.txt"), text)
}
