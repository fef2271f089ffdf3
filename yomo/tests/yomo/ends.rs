//! How a server refuses a peer, sends it away, and sends it on; and whom a peer trusts.

use std::path::Path;

use y3_yomo::{Error, Event, Message, Options, Source, StreamFunction, Tls};

use crate::kit::{SECOND, TAG, numbers, observed, options, run, server, server_with, soon};
use crate::message::message;

fn with_credential(address: &str, credential: &str) -> Options {
    Options { credential: Some(credential.into()), ..options(address, "peer") }
}

#[test]
fn a_wrong_credential_is_refused_and_the_right_one_is_not() {
    run(async {
        let Some((_server, address)) = server(&["--token", "open sesame"]).await else { return };
        let wrong = Source::connect(with_credential(&address, "token:guess")).await.unwrap_err();
        assert!(matches!(&wrong, Error::Refused(message) if message == "invalid token: …"), "{wrong}");
        let none = Source::connect(options(&address, "peer")).await.unwrap_err();
        assert!(matches!(&none, Error::Refused(message) if message == "authentication not found: none"), "{none}");
        let nobody = |_: Message| async {};
        let wrong =
            StreamFunction::new(with_credential(&address, "token:guess"), [TAG]).connect(nobody).await.unwrap_err();
        assert!(matches!(&wrong, Error::Refused(_)), "{wrong}");

        let (function, mut seen) = numbers(with_credential(&address, "token:open sesame"), &[TAG]).await;
        let source = Source::connect(with_credential(&address, "token:open sesame")).await.unwrap();
        source.send((TAG, message(7))).await.unwrap();
        assert_eq!(soon(seen.recv()).await, Some(Some(7)));
        assert_eq!(source.close().await.unwrap().unconfirmed, []);
        function.close().await.unwrap();
    });
}

#[test]
fn a_goaway_ends_a_source_which_says_what_may_be_lost() {
    run(async {
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
        let lost = events
            .wait(|event| if let Event::Lost { unconfirmed, .. } = event { Some(unconfirmed.clone()) } else { None });
        assert_eq!(lost.await, 0..written);
        assert_eq!(source.sent().await.unconfirmed, std::slice::from_ref(&(0..written)));
    });
}

#[test]
fn a_goaway_ends_a_function() {
    run(async {
        let Some((_server, address)) = server(&["--goaway-after", "2"]).await else { return };
        let answer = |message: Message| async move { Some((0x34, message.payload)) };
        let mut function = StreamFunction::new(options(&address, "function"), [TAG]).connect(answer).await.unwrap();
        let source = Source::connect(options(&address, "source")).await.unwrap();
        source.send((TAG, message(0))).await.unwrap();
        // The answer is the second data frame that the server gets.
        let error = soon(function.ended()).await.unwrap_err();
        assert!(matches!(&error, Error::GoAway(message) if message == "moved to another house"), "{error}");
    });
}

#[test]
fn a_peer_follows_a_server_that_sends_it_on() {
    run(async {
        let Some((_target, target)) = server(&[]).await else { return };
        let (_first, address) = server(&["--connect-to", &target]).await.unwrap();
        let (via, mut events) = observed(options(&address, "function"));
        let (function, mut seen) = numbers(via, &[TAG]).await;
        let to = events.wait(|event| if let Event::Moved { to } = event { Some(to.clone()) } else { None }).await;
        assert_eq!(to, target);
        let source = Source::connect(options(&address, "source")).await.unwrap();
        source.send((TAG, message(5))).await.unwrap();
        assert_eq!(soon(seen.recv()).await, Some(Some(5)));
        assert_eq!(source.close().await.unwrap().unconfirmed, []);
        function.close().await.unwrap();
    });
}

#[test]
fn a_reserved_tag_is_not_sent() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (function, mut seen) = numbers(options(&address, "function"), &[0xefff, 0xf000, 0xffff, 0x1_0000]).await;
        let source = Source::connect(options(&address, "source")).await.unwrap();
        for tag in [0xf000, 0xffff] {
            let error = source.send((tag, message(0))).await.unwrap_err();
            assert!(matches!(error, Error::ReservedTag(reserved) if reserved == tag), "{error}");
        }
        for (number, tag) in [(1, 0xefff), (2, 0x1_0000)] {
            source.send((tag, message(number))).await.unwrap();
            assert_eq!(soon(seen.recv()).await, Some(Some(number)));
        }
        function.close().await.unwrap();
    });
}

/// A certificate for `localhost` that is its own authority, as files.
fn certificate(folder: &Path) -> (String, String) {
    std::fs::create_dir_all(folder).unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    (certificate.display().to_string(), key.display().to_string())
}

#[test]
fn a_peer_with_an_authority_trusts_only_its_servers() {
    run(async {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
        let (mine, key) = certificate(&folder.join("mine"));
        let (other, _) = certificate(&folder.join("other"));
        let variables = [("YOMO_TLS_CERT_FILE", &*mine), ("YOMO_TLS_KEY_FILE", &*key)];
        let Some((_server, address)) = server_with(&[], &variables).await else { return };
        let trusting = |authority: &str| {
            let tls = Tls::authority(authority);
            Options { tls, ..options(&address, "peer") }
        };
        Source::connect(trusting(&mine)).await.unwrap().close().await.unwrap();
        let error = Source::connect(trusting(&other)).await.unwrap_err();
        assert!(matches!(&error, Error::Protocol(cause) if cause.contains("certificate")), "{error}");
        let error = Source::connect(trusting("/no/such/file.pem")).await.unwrap_err();
        assert!(matches!(&error, Error::Here(cause) if cause.contains("/no/such/file.pem")), "{error}");
    });
}

#[test]
fn a_server_that_asks_for_a_certificate_gets_it() {
    run(async {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
        let (mine, key) = certificate(&folder.join("mutual"));
        let variables = [
            ("YOMO_TLS_CERT_FILE", &*mine),
            ("YOMO_TLS_KEY_FILE", &*key),
            ("YOMO_TLS_CACERT_FILE", &*mine),
            ("YOMO_TLS_VERIFY_PEER", "true"),
        ];
        let Some((_server, address)) = server_with(&[], &variables).await else { return };
        let error = Source::connect(options(&address, "nobody")).await.unwrap_err();
        assert!(matches!(&error, Error::Refused(cause) if cause == "TLS alert CertificateRequired"), "{error:?}");
        let tls = Tls::authority(&mine).identity(&mine, &key);
        let source = Source::connect(Options { tls, ..options(&address, "peer") }).await.unwrap();
        source.close().await.unwrap();
    });
}

#[test]
fn a_server_is_found_by_its_name() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let by_name = address.replace("127.0.0.1", "localhost");
        let source = Source::connect(options(&by_name, "source")).await.unwrap();
        source.close().await.unwrap();
    });
}
