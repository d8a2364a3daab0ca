//! Listeners and workers. Each worker is a thread with its own runtime; a connection stays with one worker. The first
//! worker accepts, and gives connections to all in turn.

use super::stream::Stream;
use super::{handshake, protocol_error, proxy, resp, thft};
use crate::complaints::Complaints;
use crate::error::{Error, Result};
use crate::logs::Gate;
use crate::pegasus::Service;
use crate::pegasus::proxy::Proxy;
use crate::redis::{self, parameters::Id};
use crate::store::Store;
use crate::tls::Tls;
use std::cell::RefCell;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tracing::field::display;
use tracing::{debug, error, trace, warn};

/// How long accepting pauses after an error, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long the removal of expired keys pauses.
const EXPIRY_PAUSE: Duration = Duration::from_millis(100);

/// Connections that cannot be served cannot fill the log.
static REFUSED: Gate = Gate::ten_a_second();

/// Who serves the connections of a listener.
#[derive(Clone)]
pub enum Door {
    /// The Pegasus protocol.
    Pegasus(Arc<Service>),
    /// RESP.
    Redis(Arc<redis::Server>),
    /// RESP, for commands on a Pegasus table.
    Proxy(Arc<Proxy>),
}

impl Door {
    fn clients(&self) -> &'static str {
        match self {
            Door::Pegasus(_) => "Pegasus clients",
            Door::Redis(_) => "Redis clients",
            Door::Proxy(_) => "Redis clients of a Pegasus table",
        }
    }
}

/// Where clients connect.
pub struct Listener {
    /// The bound socket.
    pub socket: TcpListener,
    /// Who serves its connections.
    pub door: Door,
    /// The TLS configuration; `None` for plain connections.
    pub tls: Option<Arc<Tls>>,
}

/// The workers. They stop when [`stop`](Workers::stop) is called.
pub struct Workers {
    threads: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
    redis: Option<Arc<redis::Server>>,
    /// The thread that follows another server.
    replica: Option<JoinHandle<()>>,
}

/// What all workers share.
struct Shared {
    store: Arc<dyn Store>,
    redis: Option<Arc<redis::Server>>,
    connections: AtomicUsize,
    connections_max: usize,
}

/// A connection on its way to its worker.
struct Arrival {
    stream: TcpStream,
    door: Door,
    tls: Option<Arc<Tls>>,
    seat: Seat,
}

/// Binds these addresses, and returns the listeners and the addresses with their final ports.
///
/// # Errors
///
/// An address is in use or does not belong to this machine.
pub fn bind<A: Into<SocketAddr> + Copy>(
    addresses: &[A],
) -> Result<(Vec<TcpListener>, Vec<SocketAddr>)> {
    let (mut listeners, mut bound) = (Vec::new(), Vec::new());
    for address in addresses {
        let address = (*address).into();
        let failed = |e| Error::Io(format!("listening on {address}"), e);
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        bound.push(listener.local_addr().map_err(failed)?);
        listeners.push(listener);
    }
    Ok((listeners, bound))
}

impl Workers {
    /// Starts workers as [`start_with`](Workers::start_with), with listeners that do not encrypt.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn start(
        count: usize,
        listeners: Vec<(TcpListener, Door)>,
        store: &Arc<dyn Store>,
        connections_max: usize,
    ) -> Result<Workers> {
        let plain = |(socket, door)| Listener { socket, door, tls: None };
        let listeners = listeners.into_iter().map(plain).collect();
        Workers::start_with(count, listeners, store, connections_max)
    }

    /// Starts this many workers, which serve the connections of all listeners.
    ///
    /// # Errors
    ///
    /// The system has no threads or file descriptors left.
    pub fn start_with(
        count: usize,
        listeners: Vec<Listener>,
        store: &Arc<dyn Store>,
        connections_max: usize,
    ) -> Result<Workers> {
        let failed = |e| Error::Io("starting a worker".to_owned(), e);
        let (stop, _) = watch::channel(false);
        let connections = AtomicUsize::new(0);
        let redis = listeners.iter().find_map(|listener| match &listener.door {
            Door::Redis(server) => Some(server.clone()),
            Door::Pegasus(_) | Door::Proxy(_) => None,
        });
        let store = store.clone();
        let shared = Arc::new(Shared { store, redis, connections, connections_max });
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..count.max(1)).map(|_| mpsc::unbounded_channel()).unzip();
        let replica = shared.redis.as_ref().map(start_replica).transpose()?;
        let mut accepting = Some((listeners, senders));
        let mut threads = Vec::new();
        for (at, arrivals) in receivers.into_iter().enumerate() {
            let (shared, stopped, accepting) = (shared.clone(), stop.subscribe(), accepting.take());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(failed)?;
            let run = move || {
                let local = tokio::task::LocalSet::new();
                local.block_on(&runtime, work(shared, arrivals, accepting, stopped));
            };
            let thread = std::thread::Builder::new()
                .name(format!("worker-{at}"))
                .stack_size(crate::script::STACK_BYTES);
            threads.push(thread.spawn(run).map_err(failed)?);
        }
        Ok(Workers { threads, stop, redis: shared.redis.clone(), replica })
    }

    /// Closes all connections between two requests, ends scripts without their writes, and waits for the threads.
    pub fn stop(self) {
        self.stop.send_replace(true);
        if let Some(server) = &self.redis {
            server.scripts.stop();
            server.replication.stop();
            server.backups.close();
            server.loads.close();
        }
        for thread in self.threads.into_iter().chain(self.replica) {
            // A panic was printed when it happened.
            _ = thread.join();
        }
        if let Some(server) = &self.redis {
            server.script_threads.join();
        }
    }
}

/// Takes up the server's role, and starts the thread that follows another server.
fn start_replica(server: &Arc<redis::Server>) -> Result<JoinHandle<()>> {
    server.open_role()?;
    let server = server.clone();
    let thread = std::thread::Builder::new()
        .name("replica".to_owned())
        .stack_size(crate::script::STACK_BYTES);
    let run = move || redis::replica::run(&server);
    thread.spawn(run).map_err(|e| Error::Io("starting a thread".to_owned(), e))
}

type Senders = Vec<mpsc::UnboundedSender<Arrival>>;

/// The main function of a worker.
async fn work(
    shared: Arc<Shared>,
    mut arrivals: mpsc::UnboundedReceiver<Arrival>,
    accepting: Option<(Vec<Listener>, Senders)>,
    mut stopped: watch::Receiver<bool>,
) {
    let accepts = accepting.is_some();
    if let Some((listeners, senders)) = accepting {
        let turn = Rc::new(AtomicUsize::new(0));
        for listener in listeners {
            let (shared, senders, turn) = (shared.clone(), senders.clone(), turn.clone());
            tokio::task::spawn_local(accept(listener, shared, senders, turn));
        }
    }
    let worker = shared.redis.as_ref().map(|server| Rc::new(RefCell::new(server.worker())));
    if let (true, Some(server), Some(worker)) = (accepts, &shared.redis, &worker) {
        tokio::task::spawn_local(remove_expired(server.clone(), worker.clone()));
    }
    loop {
        tokio::select! {
            // It ends with an error if the sender is gone, which also means to stop.
            _ = stopped.wait_for(|is_stopped| *is_stopped) => return,
            arrival = arrivals.recv() => match arrival {
                Some(arrival) => {
                    tokio::task::spawn_local(serve(arrival, shared.clone(), worker.clone()));
                }
                None => return,
            },
        }
    }
}

/// Removes expired keys whose events clients wait for.
async fn remove_expired(server: Arc<redis::Server>, worker: Rc<RefCell<redis::Worker>>) {
    let mut complaints = Complaints::new("removing expired keys");
    loop {
        tokio::time::sleep(EXPIRY_PAUSE).await;
        let removed = server.remove_expired(&mut worker.borrow_mut());
        let removed = removed.map_err(|failure| failure.text().into_owned());
        if let Some(line) = complaints.note(removed, server.clock.monotonic_us()) {
            warn!(target: "ferrolith::server", "{line}");
        }
    }
}

/// One of the connections that may exist. Dropping it gives it back, also when serving panics.
struct Seat(Arc<Shared>);

impl Seat {
    /// Takes a seat, unless all are taken.
    fn take(shared: &Arc<Shared>, door: &Door) -> Option<Seat> {
        const MAX: Id = Id::of("maxclients");
        let max = match door {
            Door::Pegasus(_) | Door::Proxy(_) => shared.connections_max,
            Door::Redis(server) => usize::try_from(server.parameters.number(MAX)).unwrap_or(0),
        };
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        let seat = Seat(shared.clone());
        (before < max).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: Listener, shared: Arc<Shared>, senders: Senders, turn: Rc<AtomicUsize>) {
    let Listener { socket, door, tls } = listener;
    let socket = match tokio::net::TcpListener::from_std(socket) {
        Ok(socket) => socket,
        Err(e) => {
            return error!(target: "ferrolith::client", error = %e, "accepting {}", door.clients());
        }
    };
    loop {
        let stream = match socket.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                if let Some(skipped) = REFUSED.pass() {
                    warn!(target: "ferrolith::client", %error, skipped, "accepting {}", door.clients());
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(seat) = Seat::take(&shared, &door) else {
            if let Some(skipped) = REFUSED.pass() {
                let clients = door.clients();
                warn!(
                    target: "ferrolith::client",
                    clients,
                    skipped,
                    "connection refused: the maximum number of connections is reached (maxclients, --max-connections)"
                );
            }
            if let Door::Redis(server) = &door {
                server.stats.refused.fetch_add(1, Ordering::Relaxed);
                // As much as the socket takes: it is closed at once. Without a handshake, TLS has no text.
                if tls.is_none() {
                    _ = stream.try_write(b"-ERR max number of clients reached\r\n");
                }
            }
            continue;
        };
        if let Door::Redis(server) = &door {
            server.stats.connections.fetch_add(1, Ordering::Relaxed);
        }
        let at = turn.fetch_add(1, Ordering::Relaxed) % senders.len().max(1);
        let (Ok(stream), Some(sender)) = (stream.into_std(), senders.get(at)) else { continue };
        // A worker that stopped needs no connections.
        _ = sender.send(Arrival { stream, door: door.clone(), tls: tls.clone(), seat });
    }
}

/// Serves a connection on the worker that it was given to.
async fn serve(arrival: Arrival, shared: Arc<Shared>, worker: Option<Rc<RefCell<redis::Worker>>>) {
    let Arrival { stream, door, tls, seat } = arrival;
    let Ok(stream) = tokio::net::TcpStream::from_std(stream) else { return };
    // Without it small replies wait for the client's acknowledgements.
    _ = stream.set_nodelay(true);
    let stream = match tls {
        None => Stream::Plain(stream),
        // In a box, so that connections without TLS have no room for it.
        Some(tls) => match Box::pin(handshake::shake_hands(stream, &tls)).await {
            Some(stream) => stream,
            None => return,
        },
    };
    let client = stream.addresses().ok().map(|(client, _)| client);
    let clients = door.clients();
    trace!(target: "ferrolith::client", client = client.map(display), clients, "connected");
    let served = match (door, worker) {
        (Door::Pegasus(service), _) => thft::serve(stream, client, &service, &shared.store).await,
        (Door::Redis(server), Some(worker)) => resp::serve(stream, &server, &worker).await,
        (Door::Redis(_), None) => Ok(()),
        (Door::Proxy(table), _) => proxy::serve(stream, &table, &shared.store).await,
    };
    // A broken connection concerns nobody else.
    match served {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::InvalidData => protocol_error(client, &error),
        Err(error) => {
            let client = client.map(display);
            debug!(target: "ferrolith::client", client, clients, %error, "connection broken");
        }
    }
    trace!(target: "ferrolith::client", client = client.map(display), clients, "disconnected");
    drop(seat);
}
