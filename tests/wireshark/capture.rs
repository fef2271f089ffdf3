//! Builds capture files from payloads of UDP datagrams, TCP segments or exported PDUs, and returns the fields that
//! `tshark` prints with the dissector, frame by frame.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const PORT: u16 = 6142;

/// The frames of a capture file. Its link type is raw IP or exported PDUs.
pub struct Capture {
    bytes: Vec<u8>,
    sequence: u32,
}

impl Capture {
    /// A new capture of UDP and TCP frames, or `None` without tshark.
    pub fn open() -> Option<Capture> {
        has_tshark().then(Capture::new)
    }

    pub fn new() -> Capture {
        Capture::of_link_type(101)
    }

    /// Exported PDUs, as *Export PDUs to File* writes them.
    pub fn exported() -> Capture {
        Capture::of_link_type(252)
    }

    fn of_link_type(link: u32) -> Capture {
        let mut bytes = Vec::new();
        for word in [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 1 << 18, link] {
            // The version is two little-endian numbers of 16 bits.
            let word = if word == 0x0002_0004 { 0x0004_0002 } else { word };
            bytes.extend(word.to_le_bytes());
        }
        Capture { bytes, sequence: 1 }
    }

    /// A frame of which the capture has only the first `kept` bytes.
    fn frame(&mut self, frame: &[u8], kept: usize) {
        for word in [0, 0, kept, frame.len()] {
            self.bytes.extend(u32::try_from(word).unwrap().to_le_bytes());
        }
        self.bytes.extend(&frame[..kept]);
    }

    fn ip(protocol: u8, transport: &[u8]) -> Vec<u8> {
        let len = u16::try_from(20 + transport.len()).unwrap().to_be_bytes();
        let mut ip = vec![0x45, 0, len[0], len[1], 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        ip.extend(transport);
        ip
    }

    fn udp(payload: &[u8]) -> Vec<u8> {
        let len = u16::try_from(8 + payload.len()).unwrap();
        let header = [40000, PORT, len, 0].map(u16::to_be_bytes).concat();
        Self::ip(17, &[&header, payload].concat())
    }

    pub fn datagram(&mut self, payload: &[u8]) {
        let frame = Self::udp(payload);
        self.frame(&frame, frame.len());
    }

    /// A datagram of which the capture has only the first bytes of the payload.
    pub fn short_datagram(&mut self, payload: &[u8], kept: usize) {
        self.frame(&Self::udp(payload), 28 + kept);
    }

    /// The next segment of the only connection.
    pub fn segment(&mut self, payload: &[u8]) {
        let mut tcp = [40000, PORT].map(u16::to_be_bytes).concat();
        tcp.extend([self.sequence, 1].map(u32::to_be_bytes).concat());
        tcp.extend([0x5018, 0xffff, 0, 0].map(u16::to_be_bytes).concat());
        tcp.extend(payload);
        let frame = Self::ip(6, &tcp);
        self.frame(&frame, frame.len());
        self.sequence += u32::try_from(payload.len()).unwrap();
    }

    /// An exported PDU for the dissector with that name.
    pub fn export(&mut self, dissector: &str, payload: &[u8]) {
        let len = u16::try_from(dissector.len()).unwrap();
        let mut frame = [12, len].map(u16::to_be_bytes).concat();
        frame.extend(dissector.as_bytes());
        frame.extend([0; 4]);
        frame.extend(payload);
        self.frame(&frame, frame.len());
    }

    /// Runs tshark with the dissector on these frames.
    fn run(&self, arguments: &[&str]) -> Output {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = folder.join(format!("y3-{}-{number}.pcap", std::process::id()));
        fs::write(&file, &self.bytes).unwrap();
        let output = Command::new("tshark")
            // Without the user's preferences and plugins.
            .env("WIRESHARK_CONFIG_DIR", folder.join("no-wireshark-preferences"))
            .arg("-n")
            .args(["-X", concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/../docs/wireshark/y3.lua")])
            .arg("-r")
            .arg(&file)
            .args(arguments)
            .output()
            .unwrap();
        fs::remove_file(&file).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !errors.contains("Lua") && !errors.contains(".lua"), "{errors}");
        output
    }

    /// The part of the output of `tshark -V` that shows a protocol in the first frame.
    pub fn tree(&self, protocol: &str, preferences: &[&str]) -> String {
        let output = self.run(&[&["-V"], &*options(preferences)].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let start = text.find(&format!("\n{protocol}\n")).unwrap_or_else(|| panic!("no {protocol} in {text}"));
        let tree: Vec<_> =
            text[start + 1..].lines().enumerate().take_while(|(at, line)| *at == 0 || line.starts_with(' ')).collect();
        tree.into_iter().flat_map(|(_, line)| [line, "\n"]).collect()
    }

    /// The values of these fields in each frame. No frame may have a Lua error or an aborted dissection.
    pub fn fields(&self, fields: &[&str], preferences: &[&str]) -> Vec<Vec<Vec<String>>> {
        let mut arguments = vec!["-T", "fields", "-E", "separator=/t", "-E", "aggregator=\u{7f}"];
        for field in ["_ws.lua.error", "_ws.malformed.expert", "_ws.malformed.dissector_bug"].iter().chain(fields) {
            arguments.extend(["-e", field]);
        }
        arguments.extend(options(preferences));
        let output = self.run(&arguments);
        let rows = String::from_utf8(output.stdout).unwrap();
        let values = |row: &str| -> Vec<Vec<String>> {
            let split = |cell: &str| cell.split('\u{7f}').filter(|value| !value.is_empty()).map(String::from).collect();
            row.split('\t').map(split).collect()
        };
        let frames = rows.lines().enumerate().map(|(number, row)| {
            let mut cells = values(row);
            assert!(cells[..3].iter().all(Vec::is_empty), "frame {}: {row}", number + 1);
            cells.split_off(3)
        });
        frames.collect()
    }
}

fn options<'a>(preferences: &[&'a str]) -> Vec<&'a str> {
    preferences.iter().flat_map(|preference| ["-o", preference]).collect()
}

/// True if tshark is installed. With `Y3_TSHARK=required` a missing tshark is a failure.
fn has_tshark() -> bool {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let output = Command::new("tshark").arg("--version").output().map_err(|error| error.to_string())?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        if version.contains("with Lua") { Ok(()) } else { Err(format!("no Lua in {version}")) }
    });
    if let Err(reason) = found {
        assert!(std::env::var("Y3_TSHARK").as_deref() != Ok("required"), "no tshark, and Y3_TSHARK=required: {reason}");
        eprintln!("skipped: no tshark: {reason}");
    }
    found.is_ok()
}
