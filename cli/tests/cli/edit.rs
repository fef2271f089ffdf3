//! The output of `y3 edit` and `y3 encode`.

use y3::edit::Edit;
use y3::{Path, path};

use crate::process::{File, Running, command, folder, hex, unhex, y3};
use crate::{FAULTY, NOISE, RECORDING};

#[test]
fn keep_and_remove_write_what_the_library_writes() {
    const PATHS: [Path; 2] = [path!(0x3f, 0x02 => 0x01, 0x10, 0x13), path!(0x31, 0x02)];
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    Edit::keep(PATHS).apply(RECORDING, &mut kept).unwrap();
    PATHS.into_iter().fold(Edit::new(), Edit::remove).apply(RECORDING, &mut rest).unwrap();
    let run = y3(&["edit", "--keep", "3f/02:01/10/13", "--keep", "31/02", NOISE], b"");
    assert!(run.code == 0 && run.bytes == kept, "{}", run.errors);
    let run = y3(&["edit", "--remove", "3f/02:01/10/13", "--remove", "31/02", NOISE], b"");
    assert!(run.code == 0 && run.bytes == rest, "{}", run.errors);
    // Text that is written in several pieces can be read back.
    for encoding in ["hex", "base64"] {
        let run = y3(&["edit", "--remove", "3f/02:01/10/13", "--remove", "31/02", "--to", encoding, NOISE], b"");
        let back = y3(&["edit", "--keep", "*", "--from", encoding], &run.bytes);
        assert!(back.code == 0 && back.bytes == rest, "{encoding}: {}", back.errors);
    }
}

#[test]
fn packets_are_set_inserted_appended_and_renamed_in_each_outermost_one() {
    let bytes = "8106020105020106 8103020107 8300";
    let all = ["--append", "1=04=", "--remove", "3", "--set", "1/2=ff", "--insert", "1/2=01="];
    for (edits, written) in [
        (&["--set", "01/02=i32(300)"][..], "81070202012c020106 810402 02012c 8300"),
        (&["--set", "0x1/2=\"a\\nb\""], "810802 03610a62020106 810502 03610a62 8300"),
        (&["--set", "1/2{03=00}"], "8108820303010002 0106 81058203030100 8300"),
        (&["--set", "1/2=", "--set", "1/2=ff"], "81060201ff020106 81030201ff 8300"),
        (&["--insert", "1/2=01=\"a\""], "8109010161020105020106 8106010161020107 8300"),
        (&["--append", "1=3=bool(true)"], "8109020105020106030101 8106020107030101 8300"),
        (&["--rename", "1/2=0x03"], "8106030105030106 8103030107 8300"),
        // The order of the arguments does not matter.
        (&all, "810a01000201ff0201060400 810701000201ff0400"),
    ] {
        let run = y3(&[&["edit", "--to", "hex"][..], edits].concat(), &unhex(&bytes.replace(' ', "")));
        assert_eq!((run.code, run.text().replace('\n', "")), (0, written.replace(' ', "")), "{edits:?} {}", run.errors);
    }
    // If the packet does not exist, the input is unchanged, and the exit code is 1. The message also appears if another
    // edit was made.
    for (set, code) in [(&["--set", "1/3=00"][..], 1), (&["--set", "1/2=00", "--insert", "1/3=01=00"], 0)] {
        let run = y3(&[&["edit"][..], set].concat(), &unhex("81060201050201068103020107"));
        assert_eq!((run.code, &*run.errors), (code, "y3: standard input: there is no packet at 0x01/0x03\n"));
    }
}

/// A path with `**` edits all matching paths in each top-level packet.
#[test]
fn any_number_of_keys_is_edited_at_any_depth() {
    let edited = |arguments: &[&str], bytes: &str| {
        let run = y3(&[&["edit", "--to", "hex"][..], arguments].concat(), &unhex(&bytes.replace(' ', "")));
        (run.code, run.text().replace('\n', ""), run.errors)
    };
    let is = |code: i32, bytes: &str| (code, bytes.replace(' ', ""), String::new());
    let bytes = "8108 110107 8203 110108 110109 1300";
    assert_eq!(edited(&["--remove", "**/11"], bytes), is(0, "8102 8200 1300"));
    assert_eq!(edited(&["--remove", "01/**/11"], bytes), is(0, "8102 8200 110109 1300"));
    assert_eq!(edited(&["--keep", "**/02/11"], bytes), is(0, "8105 8203 110108"));
    assert_eq!(edited(&["--keep", "**/3f"], bytes), is(1, ""));
    assert_eq!(edited(&["--rename", "**/11=12", "--remove", "13"], bytes), is(0, "8108 120107 8203 120108 120109"));
    // A packet is written only once in each top-level packet.
    assert_eq!(edited(&["--set", "**/11=u32(5)"], bytes), is(0, "8108 110105 8203 110108 110105 1300"));
    assert_eq!(edited(&["--append", "**/02=20="], bytes), is(0, "810a 110107 8205 110108 2000 110109 1300"));
    let (code, text, errors) = edited(&["--insert", "**/15=20=00"], bytes);
    assert_eq!(
        (code, &*text, &*errors),
        (1, &*bytes.replace(' ', ""), "y3: standard input: there is no packet at **/15\n")
    );
    // A packet that cannot be searched, or is too deep for an edit, is not written.
    let deep = "8112 8210 830e 840c 850a 8608 8706 8804 8902 1100";
    for (bytes, at) in [("8102 1105", "at byte 2"), (deep, "at byte 18")] {
        let (code, text, errors) = edited(&["--remove", "**/11"], bytes);
        assert!((code, &*text) == (3, "") && errors.contains(at), "{errors}");
    }
}

#[test]
fn a_set_that_is_no_packet_is_wrong_use() {
    for (flag, arguments) in [
        ("--set", &["1/2", "1/2=0", "1/2=00,3=00", "x/2=00", "1/40=00", "=00", "1/2=nope(1)", "1/2{", ""][..]),
        ("--insert", &["1/2", "1/2=", "1/2=00", "1/2=01=00,02=00", "x/2=01=00", "=01=00", "1{01=00}"]),
        ("--append", &["1", "1=", "1=00", "1/=01=00", "1=40=00"]),
        ("--rename", &["1", "1=", "1=40", "=1", "1=1/2"]),
    ] {
        for argument in arguments {
            let run = y3(&["edit", flag, argument], b"");
            assert_eq!((run.code, run.bytes.len()), (2, 0), "{flag} {argument}: {}", run.errors);
            assert!(run.errors.contains(flag), "{}", run.errors);
        }
    }
    let many: Vec<_> = (0..65).flat_map(|_| ["--set", "1=00"]).collect();
    let run = y3(&[&["edit"][..], &many].concat(), b"");
    assert!(run.code == 2 && run.errors.contains("at most 64"), "{}", run.errors);
}

/// Edits can remove secrets, so a faulty packet must not be written.
#[test]
fn a_packet_with_a_fault_on_the_way_is_not_passed_on() {
    let bytes = [&[0x01, 0x01, 0x07][..], &FAULTY].concat();
    let run = y3(&["edit", "--remove", "04/03/02"], &bytes);
    assert_eq!((run.code, run.bytes), (3, vec![0x01, 0x01, 0x07]), "{}", run.errors);
    assert!(run.errors.contains("at byte 8: in 0x04, packet 0x03 at byte 8 declares 4 bytes"), "{}", run.errors);
    // The top-level packets have no fault in the bytes that are read.
    let run = y3(&["edit", "--keep", "01"], &bytes[..12]);
    assert_eq!((run.code, run.bytes), (0, vec![0x01, 0x01, 0x07]), "{}", run.errors);
    // The path enters bytes that are not packets.
    let run = y3(&["edit", "--remove", "3f/02:01"], &unhex("bf0402020105"));
    assert!(run.code == 3 && run.bytes.is_empty() && run.errors.contains("at byte 4"), "{}", run.errors);
}

#[test]
fn any_bytes_are_the_same_after_dump_and_encode() {
    for bytes in [RECORDING, &FAULTY, &[0x01], &[0xff; 9], &[0x41, 0x80, 0x01, 0x07]] {
        for arguments in
            [&["dump", "--text"][..], &["dump", "--text", "--open-all"], &["dump", "-t", "--open", "3f/02"]]
        {
            let text = y3(&[arguments, &["--from", "raw"]].concat(), bytes);
            let back = y3(&["encode"], &text.bytes);
            assert!(back.bytes == bytes, "{arguments:?}: {} {}", text.text(), back.errors);
        }
    }
}

#[test]
fn an_encoding_is_chosen_by_a_flag() {
    let text = b"01{11=f32(45.12)} # a comment";
    assert_eq!(y3(&["encode"], text).bytes, unhex("8106110442347ae1"));
    assert_eq!(y3(&["encode", "--to", "hex"], text).text(), "8106110442347ae1\n");
    assert_eq!(y3(&["encode", "--to", "base64"], text).text(), "gQYRBEI0euE=\n");
    assert_eq!(y3(&["encode", "--to", "raw"], text).bytes.len(), 8);
}

#[test]
fn text_that_is_wrong_writes_nothing() {
    for (text, place) in [
        ("01{", ""),
        ("01=0", ""),
        ("{\"hex\":\"0100\"}\n{\"hex\":\"01\n", "line 2: "),
        ("{\"hex\":\"0100\"}\n\n{\"tag\":1}\n", "line 3: the line has no string \"hex\""),
        ("{\"hex\":\"010\"}", "line 1: \"hex\""),
        ("{\"hex\":7}", "line 1: "),
        ("{}", "line 1: "),
        ("\u{1b}[2J", ""),
    ] {
        let run = y3(&["encode"], text.as_bytes());
        assert_eq!((run.code, hex(&run.bytes).as_str()), (3, ""), "{text}");
        assert!(run.errors.contains(place) && !run.errors.contains('\u{1b}'), "{}", run.errors);
    }
    let run = y3(&["encode"], b"01=\xff");
    assert_eq!((run.code, run.errors.as_str()), (3, "y3: standard input: not UTF-8 at byte 3\n"));
}

/// Otherwise the command would read its own output for ever.
#[test]
#[cfg(unix)]
fn an_output_that_is_the_input_is_refused() {
    use std::process::Stdio;
    let file = File::new("same", RECORDING);
    let open = || std::fs::OpenOptions::new().read(true).append(true).open(&file.0).unwrap();
    for arguments in [&["edit", "--keep", "3f/01"][..], &["watch", "3f/01", "--json"], &["dump"]] {
        for (name, input) in [(Some(file.name()), Stdio::null()), (None, Stdio::from(open()))] {
            let mut command = command(arguments);
            command.args(name).stdin(input).stdout(open());
            let output = command.output().unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.code() == Some(2) && error.ends_with(": the input is also the output\n"), "{error}");
        }
    }
    assert!(std::fs::read(&file.0).unwrap() == RECORDING);
    // A terminal or /dev/null can be both input and output.
    let mut command = command(&["check"]);
    command.arg("/dev/null").stdout(std::fs::File::create("/dev/null").unwrap());
    assert_eq!(command.output().unwrap().status.code(), Some(0));
}

/// Returns the temporary files that a replacement can leave in the folder.
#[cfg(unix)]
fn others_in(folder: &std::path::Path) -> Vec<std::ffi::OsString> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.as_encoded_bytes().starts_with(b".y3-")).collect()
}

#[test]
#[cfg(unix)]
fn a_file_edited_in_place_keeps_its_mode_and_the_links_to_it() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let folder = folder();
    let (file, link, hard) = (folder.path().join("a.y3"), folder.path().join("link"), folder.path().join("hard"));
    let removed = {
        let mut removed = Vec::new();
        Edit::new().remove(path!(0x3f, 0x02)).apply(RECORDING, &mut removed).unwrap();
        removed
    };
    std::fs::write(&file, RECORDING).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o4751)).unwrap();
    symlink("a.y3", &link).unwrap();
    let edit = |arguments: &[&str], name: &std::path::Path| {
        y3(&[&["edit", "--in-place"][..], arguments, &[name.to_str().unwrap()]].concat(), b"")
    };

    let owner = std::fs::metadata(&file).unwrap().uid();
    let run = edit(&["--remove", "3f/02"], &link);
    assert_eq!((run.code, run.bytes.len(), run.errors.as_str()), (0, 0, ""));
    assert!(std::fs::read(&file).unwrap() == removed);
    let metadata = std::fs::metadata(&file).unwrap();
    assert_eq!((metadata.mode() & 0o7777, metadata.uid()), (0o4751, owner));
    assert_eq!(std::fs::read_link(&link).unwrap(), std::path::Path::new("a.y3"));

    // If nothing changes, the file is not replaced.
    let before = metadata.ino();
    assert_eq!(edit(&["--remove", "3f/02"], &file).code, 1);
    assert_eq!(edit(&["--keep", "15"], &file).code, 1);
    assert_eq!(std::fs::metadata(&file).unwrap().ino(), before);
    assert!(std::fs::read(&file).unwrap() == removed);
    // The other hard link would keep the old bytes.
    std::fs::hard_link(&file, &hard).unwrap();
    let run = edit(&["--remove", "3f/01"], &file);
    assert!(run.code == 2 && run.errors.contains("hard links"), "{}", run.errors);
    std::fs::remove_file(&hard).unwrap();
    // After a fault, the file is unchanged.
    std::fs::write(&file, [&[0x01, 0x01, 0x07][..], &FAULTY].concat()).unwrap();
    let run = edit(&["--remove", "01", "--remove", "04/03/02"], &file);
    assert!(run.code == 3 && std::fs::read(&file).unwrap().len() == 14, "{}", run.errors);
    // Encoded text, pipes, and anything that is not a file.
    std::fs::write(&file, "8103020105").unwrap();
    let run = edit(&["--remove", "01"], &file);
    assert!(run.code == 2 && run.errors.contains("is encoded text"), "{}", run.errors);
    for name in ["-", "tcp://localhost:1", "/dev/null", folder.path().to_str().unwrap(), "no/such/file"] {
        let run = y3(&["edit", "--in-place", "--remove", "01", name], b"");
        assert_eq!(run.code, 2, "{name}: {}", run.errors);
    }
    assert_eq!(y3(&["edit", "--in-place", "--to", "hex", "--remove", "01", "x"], b"").code, 2);
    assert_eq!(others_in(folder.path()).len(), 0);
}

/// Bytes that another program writes during the edit are not lost, even if that program resets the modification time.
#[test]
#[cfg(unix)]
fn a_file_that_changes_while_it_is_edited_in_place_is_left_as_it_is() {
    use std::os::unix::fs::FileExt;
    let folder = folder();
    // No edit changes the packet at the end.
    let (file, bytes) = (folder.path().join("a.y3"), [&RECORDING.repeat(10)[..], &[0x01, 0x01, 0x07]].concat());
    // The other program changes one byte, or appends bytes.
    for (end, back, change) in [(&[0x01, 0x01, 0x08][..], 1, &[0x08][..]), (&[0x01, 0x00], 0, &[0x01, 0x00])] {
        let mut refused = 0;
        for _ in 0..20 {
            std::fs::write(&file, &bytes).unwrap();
            // File systems round times, so the test waits.
            std::thread::sleep(std::time::Duration::from_millis(20));
            let mut running = Running::start(&["edit", "--in-place", "--remove", "3f/02", file.to_str().unwrap()]);
            while running.is_running() && others_in(folder.path()).is_empty() {}
            let open = std::fs::File::options().write(true).open(&file).unwrap();
            let before = open.metadata().unwrap();
            open.write_all_at(change, before.len() - back).unwrap();
            open.set_modified(before.modified().unwrap()).unwrap();
            let (code, _, errors) = running.end();
            if code == 2 {
                refused += 1;
                assert!(errors[0].contains("was changed by another program during the edit"), "{errors:?}");
            }
            assert!(std::fs::read(&file).unwrap().ends_with(end));
        }
        assert!(refused > 0);
    }
}

#[test]
#[cfg(unix)]
fn a_file_edited_in_place_keeps_its_extended_attributes() {
    let folder = folder();
    let file = folder.path().join("a.y3");
    std::fs::write(&file, RECORDING).unwrap();
    let attributes = [("user.origin", &b"lab \xff"[..]), ("user.empty", b"")];
    for (name, value) in attributes {
        if let Err(error) = xattr::set(&file, name, value) {
            return println!("skipped: no extended attributes here: {error}");
        }
    }
    let run = y3(&["edit", "--in-place", "--remove", "3f/02", file.to_str().unwrap()], b"");
    assert!(run.code == 0 && std::fs::read(&file).unwrap().len() < RECORDING.len(), "{}", run.errors);
    for (name, value) in attributes {
        assert_eq!(xattr::get(&file, name).unwrap().as_deref(), Some(value), "{name}");
    }
}

/// The file never has a mixture of old and new bytes.
#[test]
#[cfg(unix)]
fn a_file_edited_in_place_has_all_of_its_old_or_new_bytes_when_the_command_is_killed() {
    use std::time::{Duration, Instant};
    let folder = folder();
    let (file, mut old) = (folder.path().join("a.y3"), RECORDING.repeat(3));
    let edit = ["edit", "--in-place", "--remove", "3f/02", file.to_str().unwrap()];
    // The file grows until an edit takes long enough to be killed halfway, even on a busy machine.
    let whole = loop {
        std::fs::write(&file, &old).unwrap();
        let begun = Instant::now();
        assert_eq!(y3(&edit, b"").code, 0);
        let whole = begun.elapsed();
        if whole >= Duration::from_millis(60) || old.len() > 32 << 20 {
            break whole;
        }
        old = old.repeat(2);
    };
    let mut new = Vec::new();
    Edit::new().remove(path!(0x3f, 0x02)).apply(&old, &mut new).unwrap();
    let (mut kept, mut replaced) = (0, 0);
    for kill in 0_u32..60 {
        std::fs::write(&file, &old).unwrap();
        let running = Running::start(&edit);
        std::thread::sleep(whole * kill / 50);
        if kill == 59 {
            // One run is not killed.
            assert_eq!(running.end().0, 0);
        } else if kill % 4 == 0 {
            running.interrupt();
            running.end();
        } else {
            drop(running);
        }
        match std::fs::read(&file).unwrap() {
            bytes if bytes == old => kept += 1,
            bytes if bytes == new => replaced += 1,
            bytes => panic!("{} bytes after kill {kill}", bytes.len()),
        }
    }
    assert!(kept > 0 && replaced > 0, "{kept} {replaced}");
    // Only SIGKILL leaves a temporary file, and later runs ignore it.
    let left = folder.path().join(".y3-Ab12Cd");
    std::fs::write(&left, b"left").unwrap();
    std::fs::write(&file, &old).unwrap();
    let others = others_in(folder.path());
    assert_eq!(y3(&edit, b"").code, 0);
    assert!(std::fs::read(&file).unwrap() == new && std::fs::read(&left).unwrap() == b"left");
    assert_eq!(others_in(folder.path()), others);
    // The help says so.
    assert!(y3(&["edit", "--help"], b"").text().contains("After SIGKILL"));
}
