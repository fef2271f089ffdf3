//! How a server refuses a peer, sends it away, and sends it on; and whom a peer trusts.

use std::path::{Path, PathBuf};

use y3_yomo::{Error, Event, Message, Options, Sent, Source, StreamFunction, Tls};

use crate::kit::{SECOND, TAG, come, numbers, observed, options, send, server, server_with, soon, source};
use crate::message::message;

fn with_credential(address: &str, credential: &str) -> Options {
    Options { credential: Some(credential.into()), ..options(address, "peer") }
}

/// A message goes from a source to a function.
async fn goes_through(to: Options, from: Options) {
    let (function, mut seen) = numbers(to, &[TAG]).await;
    let source = Source::connect(from).await.unwrap();
    send(&source, 7..8).await;
    come(&mut seen, 7..8).await;
    assert_eq!(source.close().await.unwrap().unconfirmed, []);
    function.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_credential_is_refused_and_the_right_one_is_not() {
    let Some((_server, address)) = server(&["--token", "open sesame"]).await else { return };
    let wrong = Source::connect(with_credential(&address, "token:guess")).await.unwrap_err();
    assert!(matches!(&wrong, Error::Refused(message) if message == "invalid token: …"), "{wrong}");
    let none = Source::connect(options(&address, "peer")).await.unwrap_err();
    assert!(matches!(&none, Error::Refused(message) if message == "authentication not found: none"), "{none}");
    let nobody = |_: Message| async {};
    let wrong = StreamFunction::new(with_credential(&address, "token:guess"), [TAG]).connect(nobody).await.unwrap_err();
    assert!(matches!(&wrong, Error::Refused(_)), "{wrong}");

    let right = with_credential(&address, "token:open sesame");
    goes_through(right.clone(), right).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_version_ends_source_and_function_with_the_servers_words() {
    let Some((_server, address)) = server(&["--refuse", "version 1999 is wanted"]).await else { return };
    let function = StreamFunction::new(options(&address, "function"), [TAG]).connect(|_| async {}).await;
    let patient = Options { retry_first: true, ..options(&address, "source") };
    for error in [Source::connect(patient).await.unwrap_err(), function.unwrap_err()] {
        assert!(matches!(&error, Error::Refused(words) if words == "version 1999 is wanted"), "{error}");
    }
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
async fn a_goaway_ends_a_function() {
    let Some((_server, address)) = server(&["--goaway-after", "2"]).await else { return };
    let answer = |message: Message| async move { Some((0x34, message.payload)) };
    let mut function = StreamFunction::new(options(&address, "function"), [TAG]).connect(answer).await.unwrap();
    let source = source(&address).await;
    send(&source, 0..1).await;
    // The answer is the second data frame that the server gets.
    let error = soon(function.ended()).await.unwrap_err();
    assert!(matches!(&error, Error::GoAway(message) if message == "moved to another house"), "{error}");
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
async fn a_reserved_tag_is_not_sent() {
    let Some((_server, address)) = server(&[]).await else { return };
    let (function, mut seen) = numbers(options(&address, "function"), &[0xefff, 0xf000, 0xffff, 0x1_0000]).await;
    let source = source(&address).await;
    for tag in [0xf000, 0xffff] {
        let error = source.send((tag, message(0))).await.unwrap_err();
        assert!(matches!(error, Error::ReservedTag(reserved) if reserved == tag), "{error}");
    }
    for (number, tag) in [(1, 0xefff), (2, 0x1_0000)] {
        source.send((tag, message(number))).await.unwrap();
        assert_eq!(soon(seen.recv()).await, Some(Some(number)));
    }
    function.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_without_a_colon_is_an_error_and_debug_shows_none() {
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

    let Some((_server, address)) = server(&["--token", "open sesame"]).await else { return };
    let right = with_credential(&address, "token:open sesame");
    let function = StreamFunction::new(right.clone(), [TAG]);
    let shown = format!("{right:?} {function:?} {:?}", Source::connect(right.clone()).await.unwrap());
    let running = function.connect(|_| async {}).await.unwrap();
    let shown = format!("{shown} {running:?}");
    assert!(shown.contains("credential: Some(\"…\")") && !shown.contains("sesame"), "{shown}");
}

/// An authority, and certificates from it, as files.
struct Authority {
    folder: PathBuf,
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut parameters = rcgen::CertificateParams::new([]).unwrap();
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = rcgen::KeyPair::generate().unwrap();
        std::fs::write(folder.join("ca.pem"), parameters.self_signed(&key).unwrap().pem()).unwrap();
        Authority { folder, issuer: rcgen::Issuer::new(parameters, key) }
    }

    fn file(&self) -> String {
        self.folder.join("ca.pem").display().to_string()
    }

    /// The files of a certificate for a name, and of its key.
    fn issue(&self, name: &str) -> (String, String) {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &self.issuer);
        let [chain, secret] = ["pem", "key"].map(|kind| self.folder.join(format!("{name}.{kind}")));
        std::fs::write(&chain, certificate.unwrap().pem()).unwrap();
        std::fs::write(&secret, key.serialize_pem()).unwrap();
        (chain.display().to_string(), secret.display().to_string())
    }
}

fn trusting(address: &str, tls: Tls) -> Options {
    Options { tls, ..options(address, "peer") }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_with_an_authority_trusts_only_its_servers_by_their_names() {
    let (mine, other) = (Authority::new("mine"), Authority::new("other"));
    let (chain, key) = mine.issue("localhost");
    let variables = [("YOMO_TLS_CERT_FILE", &*chain), ("YOMO_TLS_KEY_FILE", &*key)];
    let Some((_server, address)) = server_with(&[], &variables).await else { return };
    let by_name = address.replace("127.0.0.1", "localhost");
    let right = trusting(&by_name, Tls::authority(mine.file()));
    goes_through(right.clone(), right).await;
    for (address, file, is_here, cause) in [
        (&by_name, &other.file(), false, "UnknownIssuer"),
        // The certificate is for the name, not for the address.
        (&address, &mine.file(), false, "not valid for name \"127.0.0.1\""),
        (&address, &"/no/such/file.pem".to_owned(), true, "/no/such/file.pem"),
        (&address, &key, true, "no certificate in it"),
    ] {
        let error = Source::connect(trusting(address, Tls::authority(file))).await.unwrap_err();
        assert!(error.to_string().contains(cause), "{error}");
        assert!(
            if is_here { matches!(error, Error::Here(_)) } else { matches!(error, Error::Protocol(_)) },
            "{error:?}"
        );
    }
    // The server that was left in the middle of handshakes is well.
    let any = trusting(&address, Tls::dangerously_trust_any());
    assert_eq!(Source::connect(any).await.unwrap().close().await.unwrap(), Sent::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_a_certificate_takes_those_of_its_authority_alone() {
    let (mine, other) = (Authority::new("mutual"), Authority::new("stranger"));
    let (chain, key) = mine.issue("localhost");
    let variables = [
        ("YOMO_TLS_CERT_FILE", &*chain),
        ("YOMO_TLS_KEY_FILE", &*key),
        ("YOMO_TLS_CACERT_FILE", &mine.file()),
        ("YOMO_TLS_VERIFY_PEER", "true"),
    ];
    let Some((_server, address)) = server_with(&[], &variables).await else { return };
    let address = address.replace("127.0.0.1", "localhost");
    let nobody = Source::connect(trusting(&address, Tls::authority(mine.file()))).await.unwrap_err();
    assert!(matches!(&nobody, Error::Refused(cause) if cause == "TLS alert CertificateRequired"), "{nobody:?}");
    let (stranger, secret) = other.issue("stranger");
    let tls = Tls::authority(mine.file()).identity(stranger, secret);
    let stranger = Source::connect(trusting(&address, tls)).await.unwrap_err();
    assert!(matches!(&stranger, Error::Refused(cause) if cause.starts_with("TLS alert ")), "{stranger:?}");
    for name in ["sensor", "other sensor"] {
        let (chain, key) = mine.issue(name);
        let tls = Tls::authority(mine.file()).identity(chain, key);
        let source = Source::connect(trusting(&address, tls)).await.unwrap();
        assert_eq!(source.close().await.unwrap(), Sent::default());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_that_are_dropped_while_they_connect_do_not_end_the_server() {
    let Some((_server, address)) = server(&[]).await else { return };
    // A server of YoMo ends if a peer connects and leaves before its stream has arrived.
    for microseconds in (0..20_000).step_by(250) {
        let within = std::time::Duration::from_micros(microseconds);
        let _ = tokio::time::timeout(within, Source::connect(options(&address, "hasty"))).await;
    }
    let source = source(&address).await;
    assert_eq!(source.close().await.unwrap().unconfirmed, []);
}
