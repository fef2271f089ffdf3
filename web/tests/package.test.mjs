// The package as a program in Node uses it.
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import test from "node:test";
import { load } from "../js/y3.mjs";

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
  // Each path counts: one that is left out would shift the indexes of the others.
  for (const paths of ["", [""], ["", "01"], ["01", " "]]) assert.throws(() => y3.watch(hex("01 00"), paths), /path : /);
  assert.throws(() => y3.watch(hex("01 00"), ["02\n03", "01"]), /a path is one line/);
  assert.deepEqual(y3.watch(hex("01 00"), []), []);
  assert.throws(() => y3.decode(hex("01 01 05"), "u128"), /unknown type/);
  assert.throws(() => y3.decode(hex("01 01 05 02 00"), "i32"), /unexpected bytes after the packet at byte 3/);
  assert.throws(() => y3.decode(hex("81 03 02 01 05"), "i32"), /packet is a node, not a primitive at byte 0/);
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
  assert.equal(y3.decode(hex("01 02 81 00"), "pi32"), 128);
  assert.equal(y3.decode(hex("01 02 7f c0"), "f32"), NaN);
  assert.equal(y3.decode(hex("01 01 01"), "bool"), true);
  assert.equal(y3.decode(hex("01 03 22 5c 0a"), "str"), '"\\\n');
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

test("the module is below 100 KiB, as its README says", async () => {
  const { size } = await stat(new URL("../js/y3.wasm", import.meta.url));
  assert.ok(size < 100 * 1024, `${size} bytes`);
});
