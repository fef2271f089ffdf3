//! The servers that a peer trusts, and its own certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};

/// The servers that a peer trusts, and the peer's own certificate. There is no default, so each program must choose.
///
/// The files are read for each connection, so a renewed certificate is used for the next connection.
///
/// # Examples
/// ```
/// use y3_yomo::Tls;
///
/// let _in_a_laboratory = Tls::dangerously_trust_any();
/// let _one_way = Tls::authority("ca.pem");
/// let _mutual = Tls::authority("ca.pem").identity("sensor.pem", "sensor-key.pem");
/// ```
#[derive(Clone, Debug)]
pub struct Tls {
    /// Without an authority, any server is trusted.
    authority: Option<PathBuf>,
    identity: Option<(PathBuf, PathBuf)>,
}

impl Tls {
    /// Trusts any server, as Go's peers do by default. Traffic is encrypted, but an attacker who can redirect the traffic can
    /// read it.
    #[must_use]
    pub fn dangerously_trust_any() -> Tls {
        Tls { authority: None, identity: None }
    }

    /// Trusts servers whose certificate was issued by an authority in this PEM file. The certificate must be valid for the
    /// host in [`Options::server`](crate::Options::server).
    #[must_use]
    pub fn authority(file: impl Into<PathBuf>) -> Tls {
        Tls { authority: Some(file.into()), identity: None }
    }

    /// Presents a certificate to servers that request one. The PEM files contain the certificate chain and its private key.
    #[must_use]
    pub fn identity(self, chain: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Tls {
        Tls { identity: Some((chain.into(), key.into())), ..self }
    }

    /// Returns the configuration for QUIC: TLS 1.3 with YoMo's protocol name.
    pub(crate) fn config(&self) -> Result<ClientConfig, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| error.to_string())?;
        let builder = match &self.authority {
            None => builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyServer(provider))),
            Some(file) => {
                let mut roots = rustls::RootCertStore::empty();
                for certificate in certificates(file)? {
                    roots.add(certificate).map_err(|error| format!("{}: {error}", file.display()))?;
                }
                builder.with_root_certificates(roots)
            }
        };
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let secret =
                    PrivateKeyDer::from_pem_file(key).map_err(|error| format!("{}: {error}", key.display()))?;
                builder.with_client_auth_cert(certificates(chain)?, secret).map_err(|error| error.to_string())?
            }
        };
        config.alpn_protocols = vec![b"yomo".to_vec()];
        Ok(config)
    }
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = || CertificateDer::pem_file_iter(file)?.collect::<Result<Vec<_>, _>>();
    match read() {
        Ok(certificates) if certificates.is_empty() => Err(format!("{}: no certificate in it", file.display())),
        read => read.map_err(|error| format!("{}: {error}", file.display())),
    }
}

/// Accepts the certificate of any server. The handshake's signature is still verified.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("QUIC has TLS 1.3".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
