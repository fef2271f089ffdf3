//! QUIC: the same bytes in a stream of a QUIC connection.
//!
//! In: addresses, and a certificate made for the run. Out: endpoints.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// The name in the certificate.
const NAME: &str = "localhost";

/// A server's endpoint, and the certificate that clients have to trust.
///
/// # Errors
/// The address is taken.
pub fn server(address: SocketAddr) -> anyhow::Result<(Endpoint, CertificateDer<'static>)> {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
    let certificate = made.cert.der().clone();
    let config = ServerConfig::with_single_cert(vec![certificate.clone()], key)?;
    let endpoint = Endpoint::server(config, address).with_context(|| crate::program::taken(address))?;
    Ok((endpoint, certificate))
}

/// Whether a stream ended because a side closed the connection without an error.
pub fn is_closed(error: &std::io::Error) -> bool {
    use quinn::{ConnectionError, ReadError};
    match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(ReadError::ConnectionLost(ConnectionError::ApplicationClosed(close))) => close.error_code == 0u32.into(),
        Some(ReadError::ConnectionLost(ConnectionError::LocallyClosed)) => true,
        _ => false,
    }
}

/// A connection to a server with that certificate.
///
/// # Errors
/// Nobody answers, or another certificate.
pub async fn connect(
    address: SocketAddr,
    certificate: CertificateDer<'static>,
) -> anyhow::Result<(Endpoint, Connection)> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate)?;
    let own = SocketAddr::new(
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { std::net::Ipv6Addr::UNSPECIFIED.into() },
        0,
    );
    let mut endpoint = Endpoint::client(own)?;
    endpoint.set_default_client_config(ClientConfig::with_root_certificates(Arc::new(roots))?);
    let connection =
        endpoint.connect(address, NAME)?.await.with_context(|| format!("no QUIC connection to {address}"))?;
    Ok((endpoint, connection))
}
