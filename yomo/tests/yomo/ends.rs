//! How a server refuses, closes or redirects a peer, and which servers a peer trusts.

use std::path::{Path, PathBuf};

use tokio::time::timeout;
use y3_yomo::{Error, Event, Options, Source, StreamFunction, Tls};

use crate::kit::{SECOND, TAG, come, go, numbers, observed, options, send, server, source};
use crate::message::message;

fn with_credential(address: &str, credential: &str) -> Options {
    Options { credential: Some(credential.into()), ..options(address, "peer") }
}

/// Sends a message from a source to a function.
async fn goes_through(to: Options, from: Options) {
    let (_function, mut seen) = numbers(to, &[TAG]).await;
    let source = Source::connect(from).await.unwrap();
    send(&source, 7..8).await;
    come(&mut seen, 7..8).await;
    assert_eq!(source.close().await.unwrap().unconfirmed, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_credential_is_refused_and_the_right_one_is_not() {
    let Some((_server, address)) = server(&["--token", "open sesame"]).await else { return };
    // A refused peer does not try again.
    let wrong = Options { retry_first: true, ..with_credential(&address, "token:guess") };
    let wrong = timeout(20 * SECOND, Source::connect(wrong)).await.expect("at once").unwrap_err();
    assert!(matches!(&wrong, Error::Refused(message) if message == "invalid token: …"), "{wrong}");
    let none = Source::connect(options(&address, "peer")).await.unwrap_err();
    assert!(matches!(&none, Error::Refused(message) if message == "authentication not found: none"), "{none}");
    let wrong = StreamFunction::new(with_credential(&address, "token:guess"), [TAG]);
    let wrong = wrong.connect(|_| async {}).await.unwrap_err();
    assert!(matches!(&wrong, Error::Refused(_)), "{wrong}");

    let right = with_credential(&address, "token:open sesame");
    goes_through(right.clone(), right).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goaway_ends_a_source_which_says_what_may_be_lost() {
    let Some((_server, address)) = server(&["--goaway-after", "3"]).await else { return };
    let (options, mut events) = observed(options(&address, "source"));
    let source = Source::connect(options).await.unwrap();
    let mut written = 0;
    let error = loop {
        assert!(written < 10_000);
        match source.send((TAG, message(0))).await {
            Ok(number) => assert_eq!(number, written),
            Err(error) => break error,
        }
        written += 1;
        tokio::time::sleep(SECOND / 1000).await;
    };
    assert!(matches!(&error, Error::GoAway(message) if message == "moved to another house"), "{error}");
    assert!(written >= 3);
    assert_eq!(events.lost().await.1, 0..written);
    assert_eq!(source.sent().await.unconfirmed, std::slice::from_ref(&(0..written)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_follows_a_server_that_sends_it_on() {
    let Some((_target, target)) = server(&[]).await else { return };
    let (_first, address) = server(&["--connect-to", &target]).await.unwrap();
    let (via, mut events) = observed(options(&address, "function"));
    goes_through(via, options(&address, "source")).await;
    let to = events.wait(|event| if let Event::Moved { to } = event { Some(to) } else { None }).await;
    assert_eq!(to, target);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_without_a_colon_is_an_error_before_anybody_is_asked() {
    let wrong = with_credential("127.0.0.1:1", "open sesame");
    let started = std::time::Instant::now();
    for error in [
        Source::connect(wrong.clone()).await.unwrap_err(),
        StreamFunction::new(wrong, [TAG]).connect(|_| async {}).await.unwrap_err(),
    ] {
        let cause = "the credential has no colon: it is NAME:SECRET, such as token:SECRET";
        assert_eq!(error.to_string(), cause);
    }
    assert!(started.elapsed() < SECOND, "nobody was asked");
}

/// An authority, and files with its certificates.
struct Authority {
    folder: PathBuf,
    issuer: rcgen::CertifiedIssuer<'static, rcgen::KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut parameters = rcgen::CertificateParams::new([]).unwrap();
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = rcgen::KeyPair::generate().unwrap();
        let issuer = rcgen::CertifiedIssuer::self_signed(parameters, key).unwrap();
        std::fs::write(folder.join("ca.pem"), issuer.pem()).unwrap();
        Authority { folder, issuer }
    }

    fn file(&self) -> String {
        self.folder.join("ca.pem").display().to_string()
    }

    /// Writes the files of a certificate for a name, and of its key.
    fn issue(&self, name: &str) -> (String, String) {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &self.issuer);
        let [chain, secret] = ["pem", "key"].map(|kind| self.folder.join(format!("{name}.{kind}")));
        std::fs::write(&chain, certificate.unwrap().pem()).unwrap();
        std::fs::write(&secret, key.serialize_pem()).unwrap();
        (chain.display().to_string(), secret.display().to_string())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_and_servers_trust_those_of_their_authority_alone_and_servers_by_their_names() {
    let (mine, other) = (Authority::new("mine"), Authority::new("other"));
    let (chain, key) = mine.issue("localhost");
    let variables = [
        ("YOMO_TLS_CERT_FILE", &*chain),
        ("YOMO_TLS_KEY_FILE", &*key),
        ("YOMO_TLS_CACERT_FILE", &mine.file()),
        ("YOMO_TLS_VERIFY_PEER", "true"),
    ];
    let Some(mut server) = go(&["server"], &variables).await else { return };
    let address = server.expect("listening").await;
    let by_name = address.replace("127.0.0.1", "localhost");
    let right = Tls::authority(mine.file());
    let (stranger, secret) = other.issue("stranger");
    let protocol = "the server does not speak YoMo's protocol";
    let (nowhere, empty) = ("/no/such/file.pem", &*key);
    for (address, tls, begins, cause) in [
        (&by_name, Tls::authority(other.file()), protocol, "UnknownIssuer"),
        // The certificate is for the name, not for the address.
        (&address, right.clone(), protocol, "not valid for name \"127.0.0.1\""),
        (&by_name, Tls::authority(nowhere), nowhere, ""),
        (&by_name, Tls::authority(empty), empty, "no certificate in it"),
        (&by_name, right.clone(), "the server refused: TLS alert CertificateRequired", ""),
        (&by_name, right.clone().identity(stranger, secret), "the server refused: TLS alert ", ""),
    ] {
        let error = Source::connect(Options { tls, ..options(address, "peer") }).await.unwrap_err().to_string();
        assert!(error.starts_with(begins) && error.contains(cause), "{error}");
    }
    // The server still works after peers left during handshakes.
    let [to, from] = ["sensor", "other sensor"].map(|name| {
        let (chain, key) = mine.issue(name);
        Options { tls: right.clone().identity(chain, key), ..options(&by_name, name) }
    });
    goes_through(to, from).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_that_are_dropped_while_they_connect_do_not_end_the_server() {
    let Some((_server, address)) = server(&[]).await else { return };
    // A YoMo server exits if a peer connects and leaves before its stream has arrived.
    for microseconds in (0..20_000).step_by(250) {
        let within = std::time::Duration::from_micros(microseconds);
        let _ = timeout(within, Source::connect(options(&address, "hasty"))).await;
    }
    let source = source(&address).await;
    assert_eq!(source.close().await.unwrap().unconfirmed, []);
}
