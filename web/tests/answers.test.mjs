// Compares the results of the Rust libraries and of the JavaScript package for random packets and names files.
// Y3_CASES sets the number of cases, and Y3_SEED the seed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { load } from "../js/y3.mjs";

const y3 = await load();
const root = fileURLToPath(new URL("../..", import.meta.url));
const seed = process.env.Y3_SEED ?? "37";
const cases = process.env.Y3_CASES ?? "10000";

const text = (hex) => Buffer.from(hex, "hex").toString();
const toHex = (bytes) => Buffer.from(bytes).toString("hex");

/** Returns the result of a call, or its error as text. */
function tried(call, show = (value) => value) {
  try {
    return show(call());
  } catch (error) {
    if (error.constructor !== Error) throw error;
    return `!${error.message}`;
  }
}

function shown(value, isFloat) {
  if (value instanceof Uint8Array) return `bytes ${toHex(value)}`;
  if (typeof value === "string") return `text ${value}`;
  if (!isFloat) return String(value);
  if (Number.isNaN(value)) return "nan";
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  return `bits ${bits.getBigUint64(0).toString(16)}`;
}

/** Returns the package's results in the form in which examples/answers.rs prints the results of the libraries. */
function asked(bytes, before, names, path, expected) {
  const wrong = tried(() => y3.embedded(names), () => "");
  if (wrong) return wrong.replace(/^!names file, [0-9]+:[0-9]+: /, "!");
  // In JavaScript, integers and floats have the same type, so the expected answer decides how numbers are formatted.
  const isFloat = /=(bits|nan)/.test(expected);
  const fault = y3.check(bytes);
  const start = `${y3.text(bytes)} ${fault ? `${fault.offset} ${fault.error}` : ""}|`;
  let answer = tried(() => y3.watch(bytes, path, { names }), (hits) => hits.map((hit) =>
    hit.error ? `${hit.offset}?` : `${hit.offset}=${tried(() => hit.decode(), (value) => shown(value, isFloat))},`).join(""));
  answer = answer.replace(`!path ${path}: `, "!");
  answer += `|${tried(() => y3.json(bytes, names))}`;
  const changes = tried(() => y3.lint(before, names), (changes) => changes.map(({ path, what }) => `;${path} ${what}`).join(""));
  return start + answer + (changes.startsWith("!") ? "" : changes);
}

test("random packets and names files have one answer in Rust and in JavaScript", async () => {
  const run = spawn("cargo", ["run", "--quiet", "--locked", "--package", "y3-web", "--example", "answers", "--", seed, cases], {
    cwd: root, stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(run, "close");
  let [place, values, refused] = [0, 0, 0];
  for await (const line of createInterface({ input: run.stdout })) {
    const [packets, before, names, path, answer] = line.split("\t");
    const expected = text(answer);
    const given = asked(Uint8Array.from(Buffer.from(packets, "hex")), text(before), text(names), path, expected);
    assert.equal(given, expected, `seed ${seed}, case ${place}: ${packets} ${path}\n${text(names)}`);
    place += 1;
    values += /=(text|bits|bytes|-?[0-9])/.test(expected);
    refused += expected.startsWith("!");
  }
  assert.deepEqual([(await closed)[0], place], [0, Number(cases)]);
  console.log(`# ${cases} cases, ${values} with values, ${refused} refused`);
  assert.ok(values > cases / 50 && refused < cases, `${values} values, ${refused} refused`);
});
