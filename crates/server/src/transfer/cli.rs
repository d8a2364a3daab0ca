//! The subcommands `import` and `export` of the server program. The flags of `WorkFlags` name files of logs that have
//! their beginning and end; a running server that receives an import notes it in its own.

use super::directory::{Directory, DirectoryOptions};
use super::export::{Exported, cannot_write, export_commands, export_rdb};
use super::import::{check, import};
use super::progress::print_progress;
use super::remote::{Remote, RemoteOptions};
use super::sink::{Sink, Summary};
use crate::audit::WorkFlags;
use crate::dump::Version;
use crate::error::{Error, Result};
use crate::redis::entries::Existing;
use crate::script::STACK_BYTES;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tempfile::Builder;
use tracing::{error, info};

/// The buffer of a file.
const BUFFER: usize = 1 << 20;

/// Moves data between a data directory and files of Redis.
#[derive(Debug, Parser)]
#[command(name = "ferrolith-server", version)]
struct Program {
    #[command(subcommand)]
    job: Job,
}

#[derive(Debug, Subcommand)]
enum Job {
    /// Import an RDB file of Redis into a data directory or a running server
    Import(Import),
    /// Export a data directory, whose server is stopped, for Redis
    Export(Export),
}

/// What happens to a key that exists already.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnExisting {
    /// The import stops
    Refuse,
    /// It stays as it is
    Keep,
    /// The key of the file replaces it
    Replace,
}

#[derive(Debug, Args)]
struct Import {
    /// The RDB file; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    rdb: PathBuf,
    /// The data directory, whose server is stopped; it is created if it does not exist
    #[arg(long, value_name = "DIR", required_unless_present = "to", conflicts_with = "to")]
    dir: Option<PathBuf>,
    /// A running server: this one, or Redis from 7.0 on
    #[arg(long, value_name = "HOST:PORT")]
    to: Option<String>,
    /// The user at the running server; without, the default one
    #[arg(long, default_value = "", hide_default_value = true, requires = "to")]
    user: String,
    /// A file whose first line is the password at the running server
    #[arg(long = "password-file", value_name = "FILE", requires = "to")]
    password_file: Option<PathBuf>,
    /// What happens to keys and libraries of functions that exist already
    #[arg(long, value_enum, default_value = "refuse")]
    existing: OnExisting,
    /// Import without reading the file to its checksum first, as for the standard input
    #[arg(long = "skip-check")]
    skips_check: bool,
    /// The most memory that one value may take, in megabytes
    #[arg(long = "value-mb", value_name = "MB", default_value_t = 1024)]
    value_mb: usize,
    #[command(flatten)]
    store: StoreFlags,
    #[command(flatten)]
    work: WorkFlags,
}

#[derive(Debug, Args)]
struct StoreFlags {
    /// Megabytes for cached rows, cached blocks and memtables together
    #[arg(long = "memory-mb", value_name = "MB", default_value_t = 512)]
    memory_mb: usize,
    /// The number of databases
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    databases: u16,
    /// The partitions of database 0 when it is created: a power of two
    #[arg(long = "redis-partitions", value_name = "N", default_value_t = 4)]
    partitions: u16,
}

#[derive(Debug, Args)]
struct Export {
    /// The data directory, whose server is stopped
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// The RDB file to write; `-` is the standard output
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "commands",
        conflicts_with = "commands"
    )]
    rdb: Option<PathBuf>,
    /// A file of commands to write, for `redis-cli --pipe`; `-` is the standard output
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
    /// The version of the RDB file: 10 for Redis 7.0, 11 for 7.2, 12 for 7.4
    #[arg(long = "rdb-version", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(10..=12))]
    rdb_version: u16,
    /// Make fields of hashes permanent if the version of the RDB file has none that expire
    #[arg(long = "drop-field-expiries")]
    drops_field_expiries: bool,
    #[command(flatten)]
    store: StoreFlags,
    #[command(flatten)]
    work: WorkFlags,
}

/// Returns whether the arguments of a program, the first of which is its name, name a subcommand.
pub fn is_job(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|word| word == "import" || word == "export")
}

/// Runs a subcommand. Wrong arguments and `--help` end the process.
///
/// # Errors
///
/// A file, a directory or a server cannot be read or written.
pub fn run(args: Vec<OsString>) -> Result<()> {
    // Passwords are in files.
    let call: Vec<_> = args.iter().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    let program = Program::parse_from(args);
    let work = move || match &program.job {
        Job::Import(flags) => flags.work.run(&call, || run_import(flags)),
        Job::Export(flags) => flags.work.run(&call, || run_export(flags)),
    };
    // Libraries of functions are Lua, whose interpreter needs the stack.
    let failed = |error| Error::Io("starting a thread".to_owned(), error);
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).map_err(failed)?;
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn run_import(flags: &Import) -> Result<()> {
    let (rdb, begun) = (flags.rdb.display(), Instant::now());
    let dir = flags.dir.as_ref().map(|dir| dir.display().to_string());
    let to = flags.to.clone().or(dir).unwrap_or_default();
    info!(target: "ferrolith::transfer", kind = "import", %rdb, to, "started");
    let imported = import_file(flags);
    let seconds = begun.elapsed().as_secs();
    match &imported {
        Ok(Summary { keys, functions, bytes }) => info!(
            target: "ferrolith::transfer",
            kind = "import",
            %rdb,
            to,
            keys = keys.written,
            kept = keys.kept,
            expired = keys.expired,
            functions,
            bytes,
            seconds,
            "done"
        ),
        Err(error) => error!(
            target: "ferrolith::transfer",
            kind = "import", %rdb, to, seconds, %error, "failed"
        ),
    }
    print_summary(&imported?);
    Ok(())
}

fn import_file(flags: &Import) -> Result<Summary> {
    let memory_max = flags.value_mb << 20;
    let is_pipe = flags.rdb == Path::new("-");
    let name = flags.rdb.display().to_string();
    let open = || {
        let failed = |error| Error::Io(format!("opening {name}"), error);
        let file = File::open(&flags.rdb).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok::<_, Error>((BufReader::with_capacity(BUFFER, file), length))
    };
    if !is_pipe && !flags.skips_check {
        let (file, length) = open()?;
        let keys = check(file, (&name, Some(length)), memory_max, &mut print_progress)?;
        eprintln!("{name}: {keys} keys, the checksum is right");
    }
    let import_into = |sink: &mut dyn Sink| {
        let (source, length): (Box<dyn Read>, _) = match is_pipe {
            true => (Box::new(BufReader::with_capacity(BUFFER, io::stdin())), None),
            false => {
                open().map(|(file, length)| (Box::new(file) as Box<dyn Read>, Some(length)))?
            }
        };
        let result = import(source, (&name, length), memory_max, sink, &mut print_progress);
        result.map_err(|error| with_advice(error, flags))
    };
    match &flags.to {
        Some(address) => {
            let (mut remote, begun) = (remote(flags, address)?, Instant::now());
            remote.note(&format!("import of {name} started"));
            let result = import_into(&mut remote);
            remote.note(&end_of(&name, &result, begun));
            result
        }
        None => {
            let dir = flags.dir.clone().unwrap_or_default();
            let mut options = options(&flags.store, dir, existing(flags.existing))?;
            options.creates = true;
            let mut directory = Directory::open(&options)?;
            let result = import_into(&mut directory);
            // The first error says why; that of closing follows from it or stands alone.
            let closed = directory.close();
            let summary = result?;
            closed?;
            Ok(summary)
        }
    }
}

/// Returns how an import ended, as the server that received it notes it.
fn end_of(name: &str, result: &Result<Summary>, begun: Instant) -> String {
    let seconds = begun.elapsed().as_secs();
    match result {
        Ok(Summary { keys, functions, bytes }) => format!(
            "import of {name} done in {seconds} s: {} keys, {functions} libraries of functions, {bytes} bytes; {} keys \
             existed, {} had expired",
            keys.written, keys.kept, keys.expired
        ),
        Err(error) => format!("import of {name} failed after {seconds} s: {error}"),
    }
}

fn remote(flags: &Import, address: &str) -> Result<Remote> {
    let password = match &flags.password_file {
        None => String::new(),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Error::Io(format!("reading {}", path.display()), error))?;
            text.lines().next().unwrap_or_default().to_owned()
        }
    };
    Remote::connect(&RemoteOptions {
        address: address.to_owned(),
        user: flags.user.clone(),
        password,
        existing: existing(flags.existing),
    })
}

fn run_export(flags: &Export) -> Result<()> {
    let file = flags.rdb.as_ref().or(flags.commands.as_ref());
    let file = file.map(|file| file.display().to_string()).unwrap_or_default();
    let (dir, begun) = (flags.dir.display(), Instant::now());
    info!(target: "ferrolith::transfer", kind = "export", %dir, file, "started");
    let exported = export_file(flags);
    let seconds = begun.elapsed().as_secs();
    match &exported {
        Ok(Exported { keys, functions, bytes, .. }) => info!(
            target: "ferrolith::transfer",
            kind = "export", %dir, file, keys, functions, bytes, seconds, "done"
        ),
        Err(error) => error!(
            target: "ferrolith::transfer",
            kind = "export", %dir, file, seconds, %error, "failed"
        ),
    }
    let Exported { keys, functions, without_expiries, bytes } = exported?;
    eprintln!("exported {keys} keys and {functions} libraries of functions, {bytes} bytes");
    if without_expiries > 0 {
        eprintln!("in {without_expiries} hashes, fields do not expire any more");
    }
    Ok(())
}

fn export_file(flags: &Export) -> Result<Exported> {
    let options = options(&flags.store, flags.dir.clone(), Existing::Refuse)?;
    let mut directory = Directory::open(&options)?;
    let result = match (&flags.rdb, &flags.commands) {
        (Some(path), _) => write_file(path, |out| {
            let version = Version::from_number(flags.rdb_version).unwrap_or_default();
            let how = (version, flags.drops_field_expiries);
            export_rdb(&mut directory, out, how, &mut print_progress).map(|(exported, _)| exported)
        }),
        (None, Some(path)) => write_file(path, |mut out| {
            export_commands(&mut directory, &mut out, &mut print_progress)
        }),
        (None, None) => Err(Error::Setting("expected --rdb or --commands".to_owned())),
    };
    let closed = directory.close();
    let exported = result?;
    closed?;
    Ok(exported)
}

/// Writes a file, which has its name only when it is complete; `-` is the standard output.
fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<Exported>,
) -> Result<Exported> {
    if path == Path::new("-") {
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        let exported = write(&mut out)?;
        out.flush().map_err(cannot_write)?;
        return Ok(exported);
    }
    let failed = |error| Error::Io(format!("writing {}", path.display()), error);
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As files that a shell creates: others may read them unless the umask forbids it.
    let mode = Permissions::from_mode(0o666);
    let file = Builder::new().permissions(mode).tempfile_in(parent).map_err(failed)?;
    let mut out = BufWriter::with_capacity(BUFFER, file);
    let exported = write(&mut out)?;
    let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(exported)
}

fn options(flags: &StoreFlags, dir: PathBuf, existing: Existing) -> Result<DirectoryOptions> {
    if !(2..=1024).contains(&flags.partitions) || !flags.partitions.is_power_of_two() {
        return Err(Error::Setting(format!(
            "--redis-partitions: expected a power of two from 2 to 1024, found {}",
            flags.partitions
        )));
    }
    Ok(DirectoryOptions {
        dir,
        creates: false,
        memory_mb: flags.memory_mb,
        databases: flags.databases.into(),
        partitions: flags.partitions.into(),
        existing,
    })
}

fn existing(flag: OnExisting) -> Existing {
    match flag {
        OnExisting::Refuse => Existing::Refuse,
        OnExisting::Keep => Existing::Keep,
        OnExisting::Replace => Existing::Replace,
    }
}

/// Adds to the error of an import how it can be continued.
fn with_advice(error: Error, flags: &Import) -> Error {
    match error {
        Error::Setting(text) if matches!(flags.existing, OnExisting::Refuse) => {
            let advice = "to go on, run the import again with --existing keep or replace";
            Error::Setting(format!("{text}; {advice}"))
        }
        error => error,
    }
}

fn print_summary(summary: &Summary) {
    let Summary { keys, functions, bytes } = summary;
    eprintln!(
        "imported {} keys and {functions} libraries of functions from {bytes} bytes",
        keys.written
    );
    if keys.kept + keys.expired > 0 {
        eprintln!("left out: {} that existed, {} that had expired", keys.kept, keys.expired);
    }
}
