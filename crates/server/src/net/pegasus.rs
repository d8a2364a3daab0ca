//! Listeners and workers of the Pegasus protocol. Each worker is a thread with its own runtime; a connection stays with
//! the worker that accepted it.

use super::thft;
use crate::error::{Error, Result};
use crate::pegasus::Service;
use crate::store::Store;
use std::io;
use std::net::{SocketAddr, SocketAddrV4, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// How long accepting pauses after an error, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The workers. They stop when [`stop`](Workers::stop) is called.
pub struct Workers {
    threads: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
}

/// What all workers share.
struct Shared {
    service: Arc<Service>,
    store: Arc<dyn Store>,
    connections: AtomicUsize,
    connections_max: usize,
}

/// Binds these addresses, and returns the listeners and the addresses with their final ports.
///
/// # Errors
///
/// An address is in use or does not belong to this machine.
pub fn bind(addresses: &[SocketAddrV4]) -> Result<(Vec<TcpListener>, Vec<SocketAddrV4>)> {
    let failed = |address: &SocketAddrV4, e| {
        Error::Io(format!("listening on {address} for Pegasus clients"), e)
    };
    let (mut listeners, mut bound) = (Vec::new(), Vec::new());
    for address in addresses {
        let listener = TcpListener::bind(address).map_err(|e| failed(address, e))?;
        listener.set_nonblocking(true).map_err(|e| failed(address, e))?;
        match listener.local_addr().map_err(|e| failed(address, e))? {
            SocketAddr::V4(address) => bound.push(address),
            SocketAddr::V6(_) => bound.push(*address),
        }
        listeners.push(listener);
    }
    Ok((listeners, bound))
}

impl Workers {
    /// Starts this many workers, which accept at all listeners.
    ///
    /// # Errors
    ///
    /// The system has no threads or file descriptors left.
    pub fn start(
        count: usize,
        listeners: &[TcpListener],
        service: &Arc<Service>,
        store: &Arc<dyn Store>,
        connections_max: usize,
    ) -> Result<Workers> {
        let failed = |e| Error::Io("starting a worker".to_owned(), e);
        let (stop, _) = watch::channel(false);
        let shared = Arc::new(Shared {
            service: service.clone(),
            store: store.clone(),
            connections: AtomicUsize::new(0),
            connections_max,
        });
        let mut threads = Vec::new();
        for at in 0..count.max(1) {
            let listeners: io::Result<Vec<_>> =
                listeners.iter().map(TcpListener::try_clone).collect();
            let (listeners, shared) = (listeners.map_err(failed)?, shared.clone());
            let mut stopped = stop.subscribe();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(failed)?;
            let run = move || {
                runtime.block_on(async {
                    for listener in listeners {
                        tokio::spawn(accept(listener, shared.clone()));
                    }
                    // It ends with an error if the sender is gone, which also means to stop.
                    _ = stopped.wait_for(|is_stopped| *is_stopped).await;
                });
            };
            let thread = std::thread::Builder::new().name(format!("pegasus-{at}"));
            threads.push(thread.spawn(run).map_err(failed)?);
        }
        Ok(Workers { threads, stop })
    }

    /// Closes all connections between two requests, and waits for the threads.
    pub fn stop(self) {
        self.stop.send_replace(true);
        for thread in self.threads {
            // A panic was printed when it happened.
            _ = thread.join();
        }
    }
}

/// One of the connections that may exist. Dropping it gives it back, also when serving panics.
struct Seat(Arc<Shared>);

impl Seat {
    /// Takes a seat, unless all are taken.
    fn take(shared: &Arc<Shared>) -> Option<Seat> {
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        let seat = Seat(shared.clone());
        (before < shared.connections_max).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return eprintln!("accepting Pegasus clients: {e}"),
    };
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(seat) = Seat::take(&shared) else { continue };
        tokio::spawn(async move {
            let shared = &seat.0;
            // Without it small replies wait for the client's acknowledgements.
            _ = stream.set_nodelay(true);
            // A broken connection concerns nobody else.
            _ = thft::serve(stream, Vec::new(), &shared.service, &shared.store).await;
        });
    }
}
