//! `ferrolith-server`: serves a directory.
//!
//! ```text
//! ferrolith-server --dir DIR [--listen IP:PORT] [--pegasus-listen IP:PORT] [--pegasus-table NAME:PARTITIONS]
//! ```

use clap::Parser;
use ferrolith_server::clock::{Clock, SystemClock};
use ferrolith_server::config::{PegasusFlags, RedisFlags};
use ferrolith_server::error::{Error, Result};
use ferrolith_server::net::workers::{Door, Workers, bind};
use ferrolith_server::pegasus::{Admin, Service};
use ferrolith_server::redis;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::store::local::{LocalStore, StoreOptions};
use ferrolith_server::store::{Durability, Latches, Store};
use ferrolith_server::tables::Catalogue;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How often expired tables are removed and horizons are raised.
const TICK: Duration = Duration::from_secs(5);

/// Serves Redis and Pegasus clients from a directory.
#[derive(Debug, Parser)]
#[command(name = "ferrolith-server", version)]
struct Flags {
    /// The directory of the data
    #[arg(long, default_value = "ferrolith-data")]
    dir: PathBuf,
    /// When writes reach the device: always (before the reply), every:MS, or os
    #[arg(long, default_value = "every:1000")]
    durability: Durability,
    /// Megabytes for cached blocks and memtables together
    #[arg(long = "memory-mb", default_value_t = 512)]
    memory_mb: usize,
    /// Threads that serve connections
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// The maximum number of connections; further ones are closed
    #[arg(long = "max-connections", default_value_t = 10_000)]
    connections_max: usize,
    #[command(flatten)]
    redis: RedisFlags,
    #[command(flatten)]
    pegasus: PegasusFlags,
}

fn main() -> ExitCode {
    match run(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ferrolith-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<()> {
    let (redis_sockets, redis_bound) = bind(&flags.redis.listen)?;
    let (pegasus_sockets, pegasus_bound) = bind(&flags.pegasus.listen)?;
    let options = StoreOptions::new(flags.durability, flags.memory_mb << 20, 2);
    let local = LocalStore::open(&flags.dir, options)?;
    let (store, clock) = (local.clone() as Arc<dyn Store>, Arc::new(SystemClock::new()));
    let catalogue = Arc::new(Catalogue::open(store.clone())?);
    let latches = Arc::new(Latches::default());
    let settings = Settings {
        dir: flags.dir.display().to_string(),
        connections_max: flags.connections_max,
        ..flags.redis.settings(&redis_bound)?
    };
    let server = redis::Server::new(
        store.clone(),
        latches.clone(),
        clock.clone(),
        catalogue.clone(),
        settings,
    );
    let admin = flags.pegasus.admin(&pegasus_bound);
    let admin = Admin::new(store.clone(), clock.clone(), catalogue, admin)?;
    for (name, partitions) in &flags.pegasus.tables {
        admin.ensure_table(name, *partitions)?;
    }
    let service = Arc::new(Service::new(store.clone(), latches, clock.clone(), admin));
    let mut listeners = Vec::new();
    let server = Arc::new(server);
    listeners.extend(redis_sockets.into_iter().map(|it| (it, Door::Redis(server.clone()))));
    listeners.extend(pegasus_sockets.into_iter().map(|it| (it, Door::Pegasus(service.clone()))));
    let workers = Workers::start(flags.workers, listeners, &store, flags.connections_max)?;
    redis_bound.iter().for_each(|address| println!("Redis clients: {address}"));
    pegasus_bound.iter().for_each(|address| println!("Pegasus clients: {address}"));
    let ended = wait_for_end(&local, &*clock, &service, &server);
    workers.stop();
    local.close()?;
    ended
}

/// Waits for SIGTERM, SIGINT, or SHUTDOWN of a Redis client.
fn wait_for_end(
    store: &LocalStore,
    clock: &dyn Clock,
    service: &Service,
    server: &redis::Server,
) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |e| Error::Io("waiting for signals".to_owned(), e);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed)?.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                _ = terminate.recv() => return Ok(()),
                _ = interrupt.recv() => return Ok(()),
                () = server.shutdown.notified() => return Ok(()),
                _ = ticks.tick() => {
                    server.stats.sample(clock.monotonic_us());
                    let ticked = store.tick(clock).and_then(|()| service.admin().tick());
                    if let Err(error) = ticked {
                        eprintln!("removing what has expired: {error}");
                    }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn flags_have_different_names() {
        Flags::command().debug_assert();
    }
}
