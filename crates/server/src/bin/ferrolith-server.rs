//! `ferrolith-server`: serves a directory.
//!
//! ```text
//! ferrolith-server import --rdb FILE --dir DIR
//! ferrolith-server export --dir DIR --rdb FILE
//! ferrolith-server --dir DIR [--listen IP:PORT] [--pegasus-listen IP:PORT] [--pegasus-table NAME:PARTITIONS]
//! ```

use ferrolith_server::clock::{Clock, SystemClock};
use ferrolith_server::config::Flags;
use ferrolith_server::error::{Error, Result};
use ferrolith_server::net::http;
use ferrolith_server::net::workers::{Door, Workers, bind};
use ferrolith_server::pegasus::{Admin, Service};
use ferrolith_server::redis;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::store::local::{LocalStore, StoreOptions, dropped_log_parts};
use ferrolith_server::store::{Latches, Store};
use ferrolith_server::tables::Catalogue;
use ferrolith_server::transfer::cli;
use std::ffi::OsString;
use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How often expired tables are removed and horizons are raised.
const TICK: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    let result = if cli::is_job(&args) { cli::run(args) } else { serve(args) };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ferrolith-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves clients, or prints the settings.
fn serve(args: Vec<OsString>) -> Result<()> {
    let flags = Flags::load(args.clone())?;
    match flags.print_config {
        true => Flags::print(args).map(|text| print!("{text}")),
        false => run(&flags),
    }
}

fn run(flags: &Flags) -> Result<()> {
    let (redis_sockets, redis_bound) = bind(&flags.redis.listen)?;
    let (pegasus_sockets, pegasus_bound) = bind(&flags.pegasus.listen)?;
    let (http_sockets, http_bound) = bind(&flags.http_listen)?;
    let options = StoreOptions::new(flags.durability, flags.memory_mb << 20, 2);
    let local = LocalStore::open(&flags.dir, options)?;
    for damage in dropped_log_parts(&flags.dir) {
        eprintln!(
            "ferrolith-server: damaged write-ahead log, later writes of it are lost: {damage}; to get them back, \
             restore a backup"
        );
    }
    let (store, clock) = (local.clone() as Arc<dyn Store>, Arc::new(SystemClock::new()));
    let catalogue = Arc::new(Catalogue::open(store.clone())?);
    let settings = Settings {
        dir: flags.dir.display().to_string(),
        connections_max: flags.connections_max,
        config_file: flags.config.clone(),
        ..flags.redis.settings(&redis_bound)?
    };
    let server = redis::Server::new(
        store.clone(),
        Arc::new(Latches::default()),
        clock.clone(),
        catalogue.clone(),
        settings,
    );
    server.load_users()?;
    let admin = flags.pegasus.admin(&pegasus_bound);
    let admin = Admin::new(store.clone(), clock.clone(), catalogue, admin)?;
    for (name, partitions) in &flags.pegasus.tables {
        admin.ensure_table(name, *partitions)?;
    }
    // Latches of its own: a script of a Redis client never makes a Pegasus client wait.
    let latches = Arc::new(Latches::default());
    let service = Arc::new(Service::new(store.clone(), latches, clock.clone(), admin));
    let mut listeners = Vec::new();
    let server = Arc::new(server);
    listeners.extend(redis_sockets.into_iter().map(|it| (it, Door::Redis(server.clone()))));
    listeners.extend(pegasus_sockets.into_iter().map(|it| (it, Door::Pegasus(service.clone()))));
    let workers = Workers::start(flags.workers, listeners, &store, flags.connections_max)?;
    redis_bound.iter().for_each(|address| println!("Redis clients: {address}"));
    pegasus_bound.iter().for_each(|address| println!("Pegasus clients: {address}"));
    http_bound.iter().for_each(|address| println!("HTTP: {address}"));
    let ended = wait_for_end(http_sockets, &local, &*clock, &service, &server);
    workers.stop();
    local.close()?;
    ended
}

/// Waits for SIGTERM, SIGINT, or SHUTDOWN of a Redis client.
fn wait_for_end(
    http_sockets: Vec<TcpListener>,
    store: &LocalStore,
    clock: &dyn Clock,
    service: &Service,
    server: &Arc<redis::Server>,
) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |e| Error::Io("waiting for signals".to_owned(), e);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed)?.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        for socket in http_sockets {
            tokio::spawn(http::serve(socket, server.clone()));
        }
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                _ = terminate.recv() => return Ok(()),
                _ = interrupt.recv() => return Ok(()),
                () = server.shutdown.notified() => return Ok(()),
                _ = ticks.tick() => {
                    server.stats.sample(clock.monotonic_us());
                    let may_drop = server.replication.may_drop_rows(clock.monotonic_us());
                    let ticked = if may_drop { store.tick(clock) } else { Ok(()) };
                    let ticked = ticked.and_then(|()| service.admin().tick());
                    if let Err(error) = ticked {
                        eprintln!("removing what has expired: {error}");
                    }
                }
            }
        }
    })
}
