// Names files in JavaScript: the rows of docs/spec/names.md, and what rows of a dump are called.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { embedded, label, parseNames } from "../js/names.mjs";
import { load } from "../js/y3.mjs";

const y3 = await load();
const read = (path) => readFile(new URL(path, import.meta.url));
const noise = String(await read("../../names/tests/noise.y3n"));

test("the rows of the document are read, or refused", async () => {
  const rows = String(await read("../../docs/spec/names.md")).split("## Rows")[1].matchAll(/^\| `(.*?)` \| (.*)\|$/gm);
  let count = 0;
  for (const [, text, says] of rows) {
    if (says.startsWith("error")) assert.throws(() => parseNames(text), Error, text);
    else parseNames(text);
    count++;
  }
  assert.equal(count, 17);
});

test("a recorded session has names and values", async () => {
  const bytes = new Uint8Array(await read("../../tests/data/noise.y3"));
  const names = parseNames(noise);
  assert.deepEqual(embedded(names), ["3f/02"]);
  const rows = label(y3.rows(bytes, { open: embedded(names), maxLines: 40 }), names, bytes, y3);
  const shown = rows.filter((row) => row.name).map((row) => (row.value ? `${row.name} = ${row.value}` : row.name));
  assert.ok(shown.includes("noise = 45.12"), shown.join("\n"));
  assert.ok(shown.includes('device = "10.0.3.113"'), shown.join("\n"));
  assert.equal(shown[0], "frame");
});

test("a value that is not of the type that the file gives says so", () => {
  const names = parseNames("01 a u8 02 b one of { 01 started } 03 c [text]");
  const bytes = Uint8Array.from([1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 0xc3, 3, 0, 1, 0x61]);
  const [a, b, c, item] = label(y3.rows(bytes), names, bytes, y3);
  assert.match(a.value, /^not u8: /);
  assert.deepEqual([b.name, b.value, c.name, item.value], ["b", "started", "c", '"a"']);
});

test("any text is a names file or an error", () => {
  let state = 7;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >> 16;
  const parts = ["01", "3f", "40", " a ", "{", "}", "[", "]", "(", ")", "?", "=", "one of", "map ", "u32", "pvar i64", "packets", "#", "\n"];
  for (let run = 0; run < 5000; run++) {
    const text = Array.from({ length: next() % 12 }, () => parts[next() % parts.length]).join(" ");
    try {
      embedded(parseNames(text));
    } catch (error) {
      assert.equal(error.constructor, Error, `${text}: ${error.stack}`);
    }
  }
  assert.throws(() => parseNames(`01 a ${"[".repeat(100000)}`), /64 levels/);
});
