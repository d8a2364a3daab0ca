//! The program `ferrolith-server`: serves a directory.
//!
//! ```text
//! ferrolith-server import --rdb FILE --dir DIR
//! ferrolith-server export --dir DIR --rdb FILE
//! ferrolith-server --dir DIR [--listen IP:PORT] [--pegasus-listen IP:PORT] [--pegasus-table NAME:PARTITIONS]
//!     [--tls-listen IP:PORT --tls-cert FILE --tls-key FILE --tls-ca FILE]
//! ```

use crate::audit::Audit;
use crate::backup::Places;
use crate::clock::{Clock, SystemClock};
use crate::complaints::Complaints;
use crate::config::{self, Flags, Machine, Source, Variables};
use crate::error::{Error, Result};
use crate::http::{self, App};
use crate::logs::Logs;
use crate::net::workers::{Door, Listener, Workers, bind};
use crate::pegasus::proxy::Proxy;
use crate::pegasus::{Admin, Service};
use crate::redis;
use crate::redis::replica::Mode;
use crate::redis::server::Settings;
use crate::store::local::{LocalStore, StoreOptions, dropped_log_parts};
use crate::store::{Latches, Store};
use crate::tables::Catalogue;
use crate::tls::Tls;
use crate::transfer::cli;
use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{Level, enabled, error, info, warn};

/// How often expired tables are removed and horizons are raised.
const TICK: Duration = Duration::from_secs(5);
/// How long requests over HTTP that run when the server ends may take.
const HTTP_END: Duration = Duration::from_secs(3);

/// Runs the program with these arguments, the first of which is its name. Wrong ones end the process.
pub fn main(args: Vec<OsString>) -> ExitCode {
    let result = if cli::is_job(&args) { cli::run(args) } else { serve(args) };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

/// The log of a server that serves clients.
static LOGS: OnceLock<Arc<Logs>> = OnceLock::new();

/// Reports the error that ends the program: on standard error in any case, and in the log if there is one.
fn report(error: &Error) {
    let logs = LOGS.get();
    if logs.is_some_and(|logs| !logs.is_on_standard_error() || logs.owns_standard_error()) {
        error!(target: "ferrolith::server", %error, "the server ends");
    }
    // A level that hides the event must not hide why the server ended.
    let is_logged = enabled!(target: "ferrolith::server", Level::ERROR);
    if !(is_logged && logs.is_some_and(|logs| logs.owns_standard_error())) {
        eprintln!("ferrolith-server: {error}");
    }
}

/// Serves clients, or prints the settings.
fn serve(args: Vec<OsString>) -> Result<()> {
    let (flags, gathered) = Flags::load_with(args.clone(), &Variables::of_process())?;
    match flags.print_config {
        true => Flags::print(args).map(|text| print!("{text}")),
        false => run(&flags, config::settings(&gathered)),
    }
}

fn run(flags: &Flags, settings_shown: Vec<config::Setting>) -> Result<()> {
    let logs = flags.logs.start()?;
    _ = LOGS.set(logs.clone());
    log_start(flags, &settings_shown);
    Machine::raise_open_files();
    let connections_max = check_machine(flags)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(no_signals)?;
    // Before the files are read: a SIGHUP while the server starts must not end it.
    let hang_ups = handle(&runtime, SignalKind::hangup())?;
    let tls = flags.tls.open()?;
    let audit = flags.audit_log.as_deref().map(Audit::open).transpose()?.map(Arc::new);
    let redis_sockets = Sockets::bind(&flags.redis.listen, &flags.tls.listen)?;
    let pegasus_sockets = Sockets::bind(&flags.pegasus.listen, &flags.tls.pegasus_listen)?;
    let proxies: Vec<_> = flags.pegasus.proxies.iter().map(|(_, address)| *address).collect();
    let (proxy_sockets, proxy_bound) = bind(&proxies)?;
    let http_sockets = Sockets::bind(&flags.http_listen, &flags.tls.http_listen)?;
    let options =
        StoreOptions::new(flags.durability, flags.memory_mb << 20, Flags::BACKGROUND_JOBS);
    let local = LocalStore::open(&flags.dir, options)?;
    for damage in dropped_log_parts(&flags.dir) {
        error!(
            target: "ferrolith::error",
            "damaged write-ahead log, later writes of it are lost: {damage}; to get them back, restore a backup"
        );
    }
    let (store, clock) = (local.clone() as Arc<dyn Store>, Arc::new(SystemClock::new()));
    let catalogue = Arc::new(Catalogue::open(store.clone())?);
    let settings = Settings {
        dir: flags.dir.display().to_string(),
        connections_max,
        config_file: flags.config.clone(),
        tls_port: redis_sockets.encrypted_at.first().map_or(0, SocketAddr::port),
        tls: tls.clone(),
        backup_places: Places::open(
            &flags.backup_dirs,
            &flags.dir,
            flags.backup_credentials.as_deref(),
        )?,
        audit: audit.clone(),
        logs: Some(logs.clone()),
        log_level: flags.logs.log_level.base,
        ..flags.redis.settings(&redis_sockets.plain_at, &redis_sockets.encrypted_at)?
    };
    let server = redis::Server::new(
        store.clone(),
        Arc::new(Latches::default()),
        clock.clone(),
        catalogue.clone(),
        settings,
    );
    server.load_users()?;
    let admin = flags.pegasus.admin(pegasus_sockets.told());
    let admin = Admin::new(store.clone(), clock.clone(), catalogue.clone(), admin)?;
    let admin = admin.with_audit(audit);
    for (name, partitions) in &flags.pegasus.tables {
        admin.ensure_table(name, *partitions)?;
    }
    // Latches of its own: a script of a Redis client never makes a Pegasus client wait.
    let latches = Arc::new(Latches::default());
    let service = Arc::new(Service::new(store.clone(), latches, clock.clone(), admin));
    let server = Arc::new(server);
    let tables = flags.pegasus.proxies.iter().map(|(table, _)| table);
    let proxy_lines = proxy_bound
        .iter()
        .zip(tables.clone())
        .map(|(address, table)| format!("Redis clients of the Pegasus table {table}: {address}\n"));
    let told = [
        redis_sockets.lines("Redis clients"),
        pegasus_sockets.lines("Pegasus clients"),
        proxy_lines.collect(),
        http_sockets.lines("HTTP"),
    ];
    let mut listeners = redis_sockets.listeners(&Door::Redis(server.clone()), tls.as_ref());
    listeners.extend(pegasus_sockets.listeners(&Door::Pegasus(service.clone()), tls.as_ref()));
    listeners.extend(proxy_sockets.into_iter().zip(tables).map(|(socket, table)| {
        let door = Door::Proxy(Arc::new(Proxy::new(service.clone(), table.clone())));
        Listener { socket, door, tls: None }
    }));
    let workers = Workers::start_with(flags.workers, listeners, &store, connections_max)?;
    // Until here, both end the process at once, however long the store takes to open.
    let ends = [SignalKind::terminate(), SignalKind::interrupt()];
    let [terminate, interrupt] = ends.map(|kind| handle(&runtime, kind));
    let signals = Signals { terminate: terminate?, interrupt: interrupt?, hang_ups };
    print!("{}", told.concat());
    let addresses = told.concat().trim_end().replace('\n', ", ");
    info!(target: "ferrolith::server", addresses, "ready");
    let app = App::new(http::Parts {
        server: server.clone(),
        store: local.clone(),
        catalogue,
        pegasus: flags.pegasus_is_on().then(|| service.clone()),
        settings: settings_shown.into_iter().map(Into::into).collect(),
        hosts: flags.http_hosts.clone(),
    });
    let doors = (http_sockets.with(tls.as_ref()), Arc::new(app));
    let serving = serve_http(doors, signals, &local, &*clock, &service, &server);
    let reason = runtime.block_on(serving);
    info!(target: "ferrolith::server", reason, "stopping");
    workers.stop();
    // Requests over HTTP may still read the store, which must not be used any more once it is closed.
    runtime.shutdown_timeout(HTTP_END);
    local.close()?;
    info!(target: "ferrolith::server", "stopped");
    Ok(())
}

/// Logs the version and the settings that are not defaults. Secrets are hidden in them.
fn log_start(flags: &Flags, settings: &[config::Setting]) {
    let chosen = settings.iter().filter(|it| it.source != Source::Default);
    let chosen = chosen.map(|it| format!("{}={}", it.name, it.value.escape_debug()));
    info!(
        target: "ferrolith::server",
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        dir = %flags.dir.display(),
        memory_mb = flags.memory_mb,
        workers = flags.workers,
        durability = %flags.durability,
        settings = chosen.collect::<Vec<_>>().join(" "),
        "starting"
    );
}

/// The signals that the server handles.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    /// SIGHUP.
    hang_ups: Signal,
}

/// Handles a signal from now on, although it may be noticed later.
fn handle(runtime: &Runtime, kind: SignalKind) -> Result<Signal> {
    let _context = runtime.enter();
    signal(kind).map_err(no_signals)
}

fn no_signals(error: std::io::Error) -> Error {
    Error::Io("waiting for signals".to_owned(), error)
}

/// A socket, and what encrypts its connections.
type Socket = (TcpListener, Option<Arc<Tls>>);

/// Refuses settings that the machine cannot bear, and returns the maximum number of connections.
fn check_machine(flags: &Flags) -> Result<usize> {
    let machine = Machine::now();
    for problem in machine.problems(flags) {
        let text = format!("{}: {}: {}", problem.name, problem.what, problem.remedy);
        if problem.is_fatal {
            return Err(Error::Setting(text));
        }
        warn!(target: "ferrolith::server", "{text}");
    }
    Ok(machine.connections_max(flags.connections_max))
}

/// The sockets of a protocol, and their addresses with the final ports.
struct Sockets {
    plain: Vec<TcpListener>,
    plain_at: Vec<SocketAddr>,
    encrypted: Vec<TcpListener>,
    encrypted_at: Vec<SocketAddr>,
}

impl Sockets {
    fn bind<A: Into<SocketAddr> + Copy>(plain: &[A], encrypted: &[A]) -> Result<Sockets> {
        let (plain, plain_at) = bind(plain)?;
        let (encrypted, encrypted_at) = bind(encrypted)?;
        Ok(Sockets { plain, plain_at, encrypted, encrypted_at })
    }

    /// Returns the addresses that clients are told: those without TLS, if there are any.
    fn told(&self) -> &[SocketAddr] {
        if self.plain_at.is_empty() { &self.encrypted_at } else { &self.plain_at }
    }

    /// Returns a line for each address.
    fn lines(&self, name: &str) -> String {
        let plain = self.plain_at.iter().map(|address| format!("{name}: {address}\n"));
        let encrypted = self.encrypted_at.iter();
        plain.chain(encrypted.map(|address| format!("{name} over TLS: {address}\n"))).collect()
    }

    /// Returns the sockets with what encrypts their connections.
    fn with(self, tls: Option<&Arc<Tls>>) -> Vec<Socket> {
        let plain = self.plain.into_iter().map(|socket| (socket, None));
        // Without TLS, no socket needs it.
        let tls = tls.cloned().into_iter();
        let encrypted = self.encrypted.into_iter().zip(tls.cycle());
        let encrypted = encrypted.map(|(socket, tls)| (socket, Some(tls)));
        plain.chain(encrypted).collect()
    }

    fn listeners(self, door: &Door, tls: Option<&Arc<Tls>>) -> Vec<Listener> {
        let sockets = self.with(tls).into_iter();
        sockets.map(|(socket, tls)| Listener { socket, door: door.clone(), tls }).collect()
    }
}

/// Serves HTTP and removes what has expired, until SIGTERM, SIGINT, or SHUTDOWN of a Redis client. Returns
/// which of them ended it.
async fn serve_http(
    (http_sockets, app): (Vec<Socket>, Arc<App>),
    mut signals: Signals,
    store: &LocalStore,
    clock: &dyn Clock,
    service: &Service,
    server: &Arc<redis::Server>,
) -> &'static str {
    if !http_sockets.is_empty() {
        tokio::spawn(http::sample(app.clone()));
    }
    for (socket, tls) in http_sockets {
        tokio::spawn(http::serve(socket, app.clone(), tls));
    }
    let mut ticks = tokio::time::interval(TICK);
    let mut complaints = Complaints::new("removing what has expired");
    loop {
        tokio::select! {
            _ = signals.terminate.recv() => return "SIGTERM",
            _ = signals.interrupt.recv() => return "SIGINT",
            () = server.shutdown.notified() => return "SHUTDOWN",
            _ = signals.hang_ups.recv() => reload(&server.settings),
            _ = ticks.tick() => {
                server.stats.sample(clock.monotonic_us());
                let is_master = server.replication.mode() == Mode::Master;
                let ticked = store.tick(clock, is_master);
                let ticked = ticked.and_then(|()| service.admin().tick());
                if let Some(line) = complaints.note(ticked, clock.monotonic_us()) {
                    warn!(target: "ferrolith::server", "{line}");
                }
            }
        }
    }
}

/// Opens the log and the audit log anew, and reads the files of TLS again, as SIGHUP asks for.
fn reload(settings: &Settings) {
    match settings.logs.as_ref().and_then(|logs| logs.reopen()) {
        None => {}
        Some(Ok(())) => info!(target: "ferrolith::server", "SIGHUP: opened the log anew"),
        Some(Err(error)) => {
            error!(target: "ferrolith::server", %error, "SIGHUP: the log stays the old file");
        }
    }
    match settings.tls.as_ref().map(|tls| tls.change(|_| {})) {
        None => {}
        Some(Ok(())) => info!(target: "ferrolith::tls", "SIGHUP: read the files of TLS again"),
        Some(Err(error)) => {
            error!(target: "ferrolith::tls", %error, "SIGHUP: TLS stays as it was");
        }
    }
    match settings.audit.as_ref().map(|audit| audit.reopen()) {
        None => {}
        Some(Ok(())) => info!(target: "ferrolith::server", "SIGHUP: opened the audit log anew"),
        Some(Err(error)) => {
            error!(target: "ferrolith::server", %error, "SIGHUP: the audit log stays the old file");
        }
    }
}
