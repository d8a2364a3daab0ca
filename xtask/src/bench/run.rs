//! Runs `db_bench --engine=both` for fills, rows and shapes, and keeps the output.

use super::raw::Raw;
use super::rows::{Data, Judge, Row};
use super::{Flags, archive, directory, environment};
use crate::compat::{Failure, place};
use place::Place;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The settings that all runs share.
pub(super) struct Bench<'a> {
    place: &'a Place,
    flags: &'a Flags,
    out: &'a Path,
    program: PathBuf,
    /// The last arguments of each run of db_bench, which override those of the rows.
    overrides: Vec<String>,
    /// The library of the other side: RocksDB's, or an earlier build of Ferrolith's.
    library: PathBuf,
    /// Ferrolith's library, if the other side is Ferrolith too and both are called through the C functions.
    own: Option<PathBuf>,
}

impl<'a> Bench<'a> {
    /// Builds db_bench, with LMDB if a row needs it.
    pub(super) fn build(
        place: &'a Place,
        flags: &'a Flags,
        out: &'a Path,
        lmdb: bool,
    ) -> Result<Bench<'a>, Failure> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&place.root).args(["build", "--quiet", "-p", "ferrolith-bench"]);
        cargo.args((!flags.smoke).then_some("--release"));
        if lmdb {
            // LMDB is C: the only part that needs a compiler for it.
            cargo.args(["--features", "lmdb"]);
        }
        place::check(cargo)?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let target = target.unwrap_or_else(|| place.root.join("target"));
        let library = match &flags.against {
            Some(earlier) => earlier.clone(),
            None => place.real_library(None)?,
        };
        let program = target.join(if flags.smoke { "debug" } else { "release" }).join("db_bench");
        let overrides = match flags.smoke {
            // Without a duration, the number of operations ends a benchmark.
            true => vec!["--duration=0".to_owned()],
            false => Vec::new(),
        };
        let mut bench = Bench { place, flags, out, program, overrides, library, own: None };
        if flags.against.is_some() {
            bench.own = Some(bench.our_library()?);
        }
        Ok(bench)
    }

    /// Fills a data set for both engines.
    pub(super) fn fill(&self, data: &Data) -> Result<(), Failure> {
        self.remove(data)?;
        let flags: Vec<&str> = data.flags.iter().copied().chain([data.fill]).collect();
        self.measure(
            &format!("data-{}", data.name),
            "data",
            &flags,
            1,
            &directory(self.flags, self.place, data),
        )?;
        Ok(())
    }

    /// Deletes a data set.
    pub(super) fn remove(&self, data: &Data) -> Result<(), Failure> {
        let dir = directory(self.flags, self.place, data);
        match fs::remove_dir_all(&dir) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("{}: {e}", dir.display()))
            }
            _ => Ok(()),
        }
    }

    /// Measures one row.
    pub(super) fn row(&self, row: &Row, data: &Data, count: &str) -> Result<(), Failure> {
        let benchmark = format!("--benchmarks={}{}", data.warm, row.judged);
        let mut flags = data.flags.to_vec();
        if !data.fill.is_empty() {
            flags.push("--use_existing_db=1");
        }
        // Most rows run the benchmark that decides them; later flags may override it.
        flags.push(&benchmark);
        flags.extend(row.flags);
        let dir = directory(self.flags, self.place, data);
        let pairs = self.flags.pairs.unwrap_or(5);
        let raw = self.measure(row.name, count, &flags, pairs, &dir)?;
        let name = if row.judge == Judge::Cpu { "CPU s" } else { "ops/sec" };
        let ratio = raw.get(row.judged, name).and_then(|figure| figure.ratio);
        let shown = ratio.map_or("no figures".to_owned(), |ratio| {
            format!(
                "{:.2} [{:.2}..{:.2}], target {}",
                ratio.median, ratio.low, ratio.high, row.target
            )
        });
        eprintln!("    {shown}");
        Ok(())
    }

    /// Measures all kinds on one shape.
    pub(super) fn shape(&self, name: &str, flags: &[&str], count: &str) -> Result<(), Failure> {
        let dir = self.flags.dir.join("matrix");
        let pairs = self.flags.pairs.unwrap_or(3);
        let raw = self.measure(&format!("matrix-{name}"), count, flags, pairs, &dir)?;
        for figure in raw.figures.iter().filter(|figure| figure.name == "ops/sec") {
            if let Some(ratio) = figure.ratio.filter(|ratio| ratio.median < 1.0) {
                eprintln!("    {}: {:.2}", figure.benchmark, ratio.median);
            }
        }
        let _ = fs::remove_dir_all(dir);
        Ok(())
    }

    /// Runs the pairs and keeps the output.
    fn measure(
        &self,
        name: &str,
        count: &str,
        flags: &[&str],
        pairs: u64,
        dir: &Path,
    ) -> Result<Raw, Failure> {
        place::make_dir(dir)?;
        let mut command = Command::new(&self.program);
        command.args(["--engine=both", "--progress_reports=0", "--seed=1"]);
        command.arg(format!("--engine_lib={}", self.library.display()));
        command.args(self.own.iter().map(|own| format!("--own_lib={}", own.display())));
        command.arg(format!("--runs={pairs}")).arg(format!("--db={}", dir.display()));
        for flag in flags.iter().flat_map(|text| text.split_whitespace()) {
            command.arg(expand(flag, self.flags.num, self.flags.seconds));
        }
        command.args(&self.overrides);
        let args: Vec<_> =
            command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let head = self.head(&format!("db_bench {}", args.join(" ")));
        eprintln!("[{count}] {name}");
        let started = Instant::now();
        let output = with_progress(command)?;
        eprintln!("    {:.0} s", started.elapsed().as_secs_f64());
        let text = head + &output;
        self.keep(name, &text)?;
        Ok(Raw::of(text))
    }

    /// Returns the header of a command's output: when, on which machine, and how it was run.
    pub(super) fn head(&self, command: &str) -> String {
        format!(
            "date: {}\ncommit: {}\nload: {}\n$ {command}\n\n",
            environment::now(),
            environment::commit(&self.place.root),
            environment::load(),
        )
    }

    /// Keeps a row's file.
    pub(super) fn keep(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = archive::path(self.out, name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Returns the release of our `librocksdb.so`.
    pub(super) fn our_library(&self) -> Result<PathBuf, Failure> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.place.root);
        cargo.args(["build", "--quiet", "-p", "ferrolith-librocksdb"]);
        cargo.args((!self.flags.smoke).then_some("--release"));
        place::check(cargo)?;
        self.place.our_library(Some(self.program.with_file_name("librocksdb.so")))
    }

    /// Returns the path of RocksDB's library.
    pub(super) fn their_library(&self) -> &Path {
        &self.library
    }
}

/// Runs db_bench and returns its output. The start of each run is also shown, because a row can take half an hour.
fn with_progress(mut command: Command) -> Result<String, Failure> {
    let fail = |command: &Command, e: std::io::Error| format!("{command:?}: {e}");
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().map_err(|e| fail(&command, e))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // Both pipes are read at the same time, so that neither fills up.
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.map(|mut pipe| pipe.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut output = String::new();
    for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
        let line = line.map_err(|e| fail(&command, e))?;
        if let Some(run) = line.strip_prefix("--- ") {
            eprintln!("    {run}");
        }
        output += &line;
        output.push('\n');
    }
    let status = child.wait().map_err(|e| fail(&command, e))?;
    match status.success() {
        true => Ok(output),
        false => Err(format!("{command:?}: {status}\n{}", errors.join().unwrap_or_default())),
    }
}

/// Replaces `{num}`, `{num/4}`, `{num*3/2}`, `{seconds}` and the like by numbers, which are at least 1.
pub(super) fn expand(flag: &str, num: u64, seconds: u64) -> String {
    let Some((before, rest)) = flag.split_once('{') else { return flag.to_owned() };
    let Some((name, after)) = rest.split_once('}') else { return flag.to_owned() };
    let (base, mut steps) = match (name.strip_prefix("num"), name.strip_prefix("seconds")) {
        (Some(steps), _) => (num, steps),
        (None, Some(steps)) => (seconds, steps),
        (None, None) => return flag.to_owned(),
    };
    let mut number = base;
    while let Some((operator, rest)) = steps.split_at_checked(1) {
        let end = rest.find(['*', '/']).unwrap_or(rest.len());
        let by = rest[..end].parse::<u64>().unwrap_or(1).max(1);
        number = if operator == "*" { number.saturating_mul(by) } else { number / by };
        steps = &rest[end..];
    }
    format!("{before}{}{after}", number.max(1))
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn numbers_take_their_places() {
        assert_eq!(expand("--num={num}", 100, 4), "--num=100");
        assert_eq!(expand("--num={num/8}", 100, 4), "--num=12");
        assert_eq!(expand("--num={num*5}", 100, 4), "--num=500");
        assert_eq!(expand("--num={num*3/2}", 100, 4), "--num=150");
        assert_eq!(expand("--num={num/500}", 100, 4), "--num=1");
        assert_eq!(expand("--duration={seconds}", 100, 4), "--duration=4");
        assert_eq!(expand("secs={seconds*150}", 100, 4), "secs=600");
        assert_eq!(expand("--threads=2", 100, 4), "--threads=2");
    }
}
