//! TLS: who may connect, what happens to foreign bytes, and files that change while the server runs.

mod hostile;
mod others;
mod reload;
mod traffic;

use crate::redis::{Client, Ours, Value};
use ferrolith_server::clock::SystemClock;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::tls::{ClientCertificates, Tls, TlsSettings};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// An encrypted connection.
pub type Secure = StreamOwned<ClientConnection, TcpStream>;

/// Returns the path of a file that `make.sh` made.
pub fn file(name: &str) -> String {
    format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns settings with the certificate of this name.
pub fn settings(certificate: &str, clients: ClientCertificates) -> TlsSettings {
    TlsSettings {
        cert: file(&format!("{certificate}.pem")),
        key: file(&format!("{certificate}.key")),
        ca: file("ca.pem"),
        clients,
        protocols: String::new(),
    }
}

/// Starts a server with these settings of TLS.
fn start(tls: TlsSettings) -> Ours {
    let tls = Some(Arc::new(Tls::open(tls).unwrap()));
    let settings = Settings { tls, ..Settings::default() };
    Ours::start_in(tempfile::tempdir().unwrap(), Arc::new(SystemClock::new()), settings)
}

fn secure_address(ours: &Ours) -> SocketAddr {
    ours.secure.expect("a listener with TLS")
}

/// Returns how a client connects that trusts `ca.pem` and has the certificate of this name.
pub fn client_config(
    certificate: Option<&str>,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file("ca.pem")).unwrap()).unwrap();
    let provider = Arc::new(rustls_graviola::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots);
    let config = match certificate {
        None => builder.with_no_client_auth(),
        Some(name) => {
            let chain = CertificateDer::from_pem_file(file(&format!("{name}.pem"))).unwrap();
            let key = PrivateKeyDer::from_pem_file(file(&format!("{name}.key"))).unwrap();
            builder.with_client_auth_cert(vec![chain], key).unwrap()
        }
    };
    Arc::new(config)
}

/// Connects and shakes hands. In TLS 1.3, a refused certificate shows when something is read.
pub fn connect_with(address: SocketAddr, config: Arc<ClientConfig>) -> io::Result<Secure> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(30)))?;
    socket.set_nodelay(true)?;
    let name = "localhost".try_into().unwrap();
    let mut connection = ClientConnection::new(config, name).unwrap();
    while connection.is_handshaking() {
        connection.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(connection, socket))
}

/// Connects with any version of the protocol.
pub fn connect(address: SocketAddr, certificate: Option<&str>) -> io::Result<Secure> {
    connect_with(address, client_config(certificate, &[&TLS13, &TLS12]))
}

/// Returns a client of Redis.
fn redis(ours: &Ours, certificate: Option<&str>) -> Client {
    Client::over(connect(secure_address(ours), certificate).unwrap())
}

fn ok() -> Value {
    Value::Simple("OK".into())
}

fn pong() -> Value {
    Value::Simple("PONG".into())
}
