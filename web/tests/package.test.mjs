// Uses the package as a program in Node does.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { load, Y3 } from "../js/y3.mjs";

const y3 = await load();
const hex = (text) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

test("watches a recorded session and borrows the values", async () => {
  const bytes = new Uint8Array(await readFile(new URL("../../tests/data/noise.y3", import.meta.url)));
  const hits = y3.watch(bytes, ["3f/02:01/10/11"]);
  assert.ok(hits.length > 1000);
  assert.ok(hits.every((hit) => hit.value.buffer === bytes.buffer));
  const [{ offset, value }] = hits;
  const packet = bytes.subarray(offset, value.byteOffset - bytes.byteOffset + value.length);
  assert.equal(Math.round(y3.decode(packet, "f32") * 100), 4512);
});

test("a fault is an item with its offset, and a wrong path an error that names it", () => {
  const [fault] = y3.watch(hex("81 05 11 07 3e 80 00"), "01/11");
  assert.equal(fault.offset, 2);
  assert.match(fault.error, /past the end of its node/);
  assert.equal(y3.check(hex("01 00")), null);
  assert.equal(y3.check(hex("01")).offset, 0);
  assert.throws(() => y3.watch(hex("01 00"), "40"), /path 40: /);
  // An empty path is an error. If it were ignored, the indexes of the other paths would shift.
  for (const paths of ["", [""], ["", "01"], ["01", " "]]) assert.throws(() => y3.watch(hex("01 00"), paths), /path  ?: /);
  assert.throws(() => y3.watch(hex("01 00"), ["02\n03", "01"]), /path 02\\n03: /);
  assert.deepEqual(y3.watch(hex("01 00"), []), []);
  assert.throws(() => y3.decode(hex("01 01 05"), "u128"), /type u128: /);
  assert.throws(() => y3.decode(hex("01 01 05"), "str"), /`text`/);
  assert.throws(() => y3.decode(hex("01 01 05 02 00"), "i32"), /unexpected bytes after the packet at byte 3/);
  assert.throws(() => y3.decode(hex("81 03 02 01 05"), "i32"), /expected .* at byte 0/);
});

test("the text form reads back to the same bytes", () => {
  const bytes = y3.encode('01{11=07 13="a"}');
  assert.deepEqual(bytes, hex("81 06 11 01 07 13 01 61"));
  assert.deepEqual(y3.encode(y3.text(bytes)), bytes);
  assert.throws(() => y3.encode("01{"), Error);
});

test("integers of 64 bits are exact", () => {
  assert.equal(y3.decode(hex("01 08 7f ff ff ff ff ff ff ff"), "i64"), 9223372036854775807n);
  assert.equal(y3.decode(hex("01 01 ff"), "u64"), 18446744073709551615n);
  assert.equal(y3.decode(hex("01 02 81 00"), "pvar i32"), 128);
  assert.equal(y3.decode(hex("01 02 7f c0"), "f32"), NaN);
  assert.equal(y3.decode(hex("01 01 01"), "bool"), true);
  assert.equal(y3.decode(hex("01 03 22 5c 0a"), "text"), '"\\\n');
});

test("rows say which bytes are a packet's own and which are inside it", () => {
  const bytes = hex("84 07 01 01 05 83 04 02 01 ff 02");
  const rows = y3.rows(bytes);
  assert.deepEqual(rows.map(({ offset, ownEnd, end, depth }) => [offset, ownEnd, end, depth]), [
    [0, 2, 9, 0], [2, 5, 5, 1], [5, 7, 9, 1], [7, 9, 9, 2], [9, 11, 11, 0],
  ]);
  assert.equal(rows.filter((row) => row.fault).length, 3);
  assert.equal(rows[0].fault, null);
});

test("no bytes are too strange: any input has rows that cover it once", () => {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >> 16;
  for (let run = 0; run < 500; run++) {
    const bytes = Uint8Array.from({ length: next() % 64 }, () => next() & 0xff);
    const rows = y3.rows(bytes, { open: "*" });
    assert.deepEqual(rows.map((row) => row.offset), rows.map((row, at) => (at ? rows[at - 1].ownEnd : 0)));
    assert.equal(rows.at(-1)?.ownEnd ?? 0, bytes.length);
    y3.watch(bytes, ["*", "01/*", "*/02:*"]);
    y3.text(bytes);
  }
});

test("a text that looks like a fault is none, and no text changes how others are shown", () => {
  const text = "ok ! packet reaches past \u202e\u2066\u200b\u0085\u{e0041}";
  const bytes = Buffer.from(text);
  const [row] = y3.rows(Uint8Array.from([0x13, bytes.length, ...bytes]), { names: "13 device text" });
  assert.equal(row.fault, null);
  for (const shown of [row.text, row.value]) assert.doesNotMatch(shown.replaceAll('"', ""), /\p{Bidi_Control}|\p{Cf}|\p{Cc}/u);
  assert.match(row.value, /^"ok ! packet reaches past \\u\{202e\}/);
});

test("an ArrayBuffer and any view are bytes, and everything else is a TypeError", () => {
  const bytes = hex("00 00 81 05 11 00");
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 6);
  const views = [buffer, new DataView(buffer), new Uint8ClampedArray(buffer), new Int8Array(buffer), Buffer.from(buffer)];
  for (const view of views) assert.equal(y3.check(view).offset, 2, view.constructor.name);
  for (const view of views.slice(0, 2)) assert.ok(y3.watch(view, "01/11").some((hit) => hit.error));
  assert.deepEqual([...y3.watch(hex("01 01 07").buffer.slice(0, 0), "01")], []);
  assert.equal(y3.check(new DataView(buffer, 2, 2)).offset, 0);
  assert.equal(y3.check(new DataView(buffer, 0, 2)), null);
  const wrong = [5, "810511", null, undefined, new Blob([bytes]), Promise.resolve(bytes), [0x81], {}, { byteLength: 0 }, true];
  for (const given of wrong) {
    for (const call of ["check", "dump", "rows", "text"]) assert.throws(() => y3[call](given), TypeError, `${call} ${given}`);
    assert.throws(() => y3.watch(given, "01"), TypeError);
    assert.throws(() => y3.decode(given, "i32"), TypeError);
    assert.throws(() => y3.watcher("01").feed(given), TypeError);
  }
  for (const path of [5, null, undefined, [["01"]], bytes]) assert.throws(() => y3.watch(bytes, path), TypeError);
  for (const text of [5, bytes, "01=\"\ud800\""]) assert.throws(() => y3.encode(text), TypeError);
  assert.throws(() => new Y3(), TypeError);
});

test("too much is an error, and the object goes on", () => {
  const sound = () => assert.equal(y3.check(hex("01 00")), null);
  for (const length of [2 ** 30 + 1, 2 ** 31 - 1]) {
    const large = { [Symbol.toStringTag]: "x" };
    assert.throws(() => y3.check(large), TypeError);
    assert.throws(() => y3.check(new Uint8Array(length)), RangeError);
    sound();
  }
  // The dump of twenty million packets would exceed the maximum length of a string.
  const many = new Uint8Array(60_000_000);
  for (const call of ["dump", "rows"]) {
    assert.throws(() => y3[call](many), /too large/);
    sound();
  }
  assert.throws(() => y3.dump(hex("01 00"), { maxLines: NaN }), TypeError);
  assert.equal(y3.dump(hex("01 00 02 00"), { maxLines: Infinity }).split("\n").length, 2);
  assert.equal(y3.dump(hex("01 00 02 00"), { maxLines: 1 }).split("\n").length, 2);
  assert.equal(y3.rows(hex("01 00 02 00"), { maxLines: 1 }).length, 1);
});

test("a hit has its packet and decodes it as any type, or as that of the names file", () => {
  const names = "01 reading { 11 noise f32 12 count u64 13 device text 14 raw bytes 15 state one of { 01 on } 16 small u8 17 more [u8] }";
  const bytes = y3.encode('01{11=f32(45.12)_4 12=u64(18446744073709551615) 13="a" 14=0001 15=01 16=07 17[00=01 00=02]}');
  const read = (path) => y3.watch(bytes, path, { names })[0].decode();
  assert.equal(Math.round(read("reading/noise") * 100), 4512);
  assert.equal(read("reading/count"), 18446744073709551615n);
  assert.equal(read("reading/device"), "a");
  assert.deepEqual(read("01/14"), hex("00 01"));
  assert.deepEqual([read("01/15"), read("01/16"), read("01/17")], ['"on"', 7, "[1,2]"]);
  const [hit] = y3.watch(bytes, "01/16");
  assert.deepEqual([hit.packet, hit.value, hit.key], [hex("16 01 07"), hex("07"), 0x16]);
  assert.deepEqual([hit.decode("u8"), hit.decode("pvar i64"), hit.decode("bytes")], [7, 7n, hex("07")]);
  assert.throws(() => hit.decode(), TypeError);
  assert.throws(() => y3.watch(bytes, "reading/nois", { names }), /did you mean `noise`/);
  const json = y3.json(bytes, names);
  assert.match(json, /"count":18446744073709551615/);
  assert.deepEqual(y3.embedded("3f frame { 02 payload packets { 01 a u8 } }"), ["0x3f/0x02"]);
  assert.deepEqual(y3.lint("01 a u32", "01 a u64").map(({ path, verdict }) => [path, verdict]), [["01", "wrong"]]);
});

test("a watcher gives the hits of the whole, however the bytes are cut: borrowed where they are whole, joined up to a limit", async () => {
  const bytes = new Uint8Array(await readFile(new URL("../../tests/data/noise.y3", import.meta.url))).subarray(0, 3000);
  const whole = y3.watch(bytes, ["3f/02:01/10/11", "3f/01"]).filter((hit) => !hit.error);
  for (const size of [1, 2, 7, 100, 3000]) {
    const watcher = y3.watcher(["3f/02:01/10/11", "3f/01"]);
    const hits = [];
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.slice(at, at + size);
      for (const hit of watcher.feed(chunk)) {
        const isWhole = hit.offset >= at;
        assert.equal(hit.value.buffer === chunk.buffer, isWhole);
        hits.push(hit);
      }
    }
    assert.equal(watcher.offset, bytes.length);
    assert.ok(hits.length >= whole.length);
    whole.forEach((hit, at) => assert.deepEqual([hits[at].path, hits[at].offset, hits[at].packet], [hit.path, hit.offset, hit.packet]));
    assert.equal(hits[1].decode("f32"), whole[1].decode("f32"));
  }
  const watcher = y3.watcher("01", { limit: 3 });
  assert.deepEqual(watcher.feed(hex("01 03 61")), []);
  assert.equal(watcher.feed(hex("62 63").buffer)[0].decode("text"), "abc");
  assert.match(watcher.feed(hex("01 04 61"))[0].error, /limit|large/);
  assert.equal(watcher.resume(), true);
  assert.deepEqual(watcher.feed(hex("62 63 64")), []);
  assert.equal(watcher.feed(hex("01 01 07"))[0].decode("u8"), 7);
  assert.throws(() => watcher.feed(new Uint8Array(2 ** 24 + 1)), RangeError);
  assert.deepEqual(watcher.feed(hex("01 03")), []);
  assert.match(watcher.finish()[0].error, /input ends inside the packet/);
  assert.throws(() => y3.watcher("40"), /path 40: /);
});

test("streams of fetch are chunks", async () => {
  const response = new Response(new Blob([hex("81 03 11 01 07"), hex("81 03 11 01 08")]));
  const [watcher, seen] = [y3.watcher("01/11"), []];
  for await (const chunk of response.body) seen.push(...watcher.feed(chunk).map((hit) => hit.decode("u8")));
  assert.deepEqual([seen, watcher.finish()], [[7, 8], []]);
});

test("text is read as the command reads it", () => {
  for (const [text, bytes] of [
    ["8103:0201:05", null], ["ABCD//zz", "00 10 83 ff fc f3"], ["//8=", "ff ff"], ["81 03 02 01 05", "81 03 02 01 05"],
    ["0000  81 03 02 01 05   .....", "81 03 02 01 05"], ["[]byte{0x81, 0x0}", "81 00"], ["00000000: 8103 0201 05  .....", "81 03 02 01 05"],
    ['01{11=07 13="a"}', "81 06 11 01 07 13 01 61"], ["81030201zz", null], ["", ""],
  ]) {
    if (bytes === null) assert.throws(() => y3.read(text), /^Error: read as hexadecimal: /, text);
    else assert.deepEqual(y3.read(text).bytes, hex(bytes), text);
  }
  assert.equal(y3.read("gQMCAQU=").form, "base64");
});

test("types: strict TypeScript takes what works and nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "y3-"));
  const from = fileURLToPath(new URL("../js/y3.mjs", import.meta.url));
  const program = `import { load, Y3, Watcher, type Hit } from ${JSON.stringify(from)};
const y3 = await load();
for (const hit of y3.watch(new ArrayBuffer(3), ["01"])) {
  if ("error" in hit) continue;
  const a: bigint = hit.decode("pvar i64"), b: number = hit.decode("u8"), c: string = hit.decode("text"), d: Uint8Array = hit.decode("bytes");
  console.log(a, b, c, d, hit.packet.length);
}
const watcher: Watcher = y3.watcher("01", { limit: 5 });
watcher.feed(new DataView(new ArrayBuffer(1)));
// @ts-expect-error
new Y3();
// @ts-expect-error
new Watcher();
// @ts-expect-error
y3.check("810511");
// @ts-expect-error
y3.check(Promise.resolve(new Uint8Array()));
// @ts-expect-error
const wrong: number = y3.decode(new Uint8Array(), "i64");
`;
  await writeFile(join(folder, "program.mts"), program);
  const tsc = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));
  const { status, stdout } = spawnSync(tsc, ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "", join(folder, "program.mts")], { encoding: "utf8" });
  await rm(folder, { recursive: true });
  assert.equal(status, 0, stdout);
});

test("the tarball has the licences and the README", () => {
  const cwd = fileURLToPath(new URL("../js", import.meta.url));
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json"], { cwd, encoding: "utf8" });
  const files = JSON.parse(stdout)[0].files.map((file) => file.path);
  for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "y3.mjs", "y3.d.mts", "y3.wasm", "package.json"]) assert.ok(files.includes(file), `${file}: ${files}`);
});

test("the module is below 200 KiB, as its README says", async () => {
  const { size } = await stat(new URL("../js/y3.wasm", import.meta.url));
  assert.ok(size < 200 * 1024, `${size} bytes`);
});
