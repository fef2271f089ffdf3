// The package answers the conformance kit: `y3 conform --exec "node web/conform.mjs"`. docs/spec/conformance.md has the protocol.
//
// In: a line of JSON for each row. Out: a line each. Rows of what the package does not export are skipped.
import { createInterface } from "node:readline";
import { load } from "./js/y3.mjs";

const y3 = await load();

/** The package says in words what is wrong; the rows name kinds. */
const KINDS = {
  "input ends inside the packet": "UnexpectedEnd",
  "packet reaches past the end of its node": "Overrun",
  "negative length": "NegativeLength",
  "length field too long": "LengthOverflow",
  "node nested deeper": "DepthLimit",
  "expected a key of 00 to 3f": "ExpectedPacket",
  "expected an item": "ExpectedItem",
  "expected '=', '{' or '['": "ExpectedContent",
  "expected hexadecimal": "InvalidHex",
  "expected i32, u32": "UnknownType",
  "expected a value of the type": "InvalidLiteral",
  "expected a width": "InvalidWidth",
  "text without an end": "UnclosedText",
  "expected \\\"": "InvalidEscape",
  "node, slice or '<<' without an end": "Unclosed",
  "bracket does not close": "Unopened",
  "packet nested deeper than 64": "DepthLimit",
};

class Fault extends Error {
  constructor(kind, offset) {
    super(kind);
    this.answer = [kind, offset];
  }
}

function fault(words, offset) {
  const kind = Object.keys(KINDS).find((known) => words.startsWith(known));
  return new Fault(KINDS[kind] ?? words, offset);
}

const toHex = (bytes) => Buffer.from(bytes).toString("hex");
const keyOf = (key) => key.toString(16).padStart(2, "0");

/** Where the value of a packet begins. */
const valueAt = (row) => (row.kind === "value" ? row.ownEnd - row.length : row.ownEnd);

function checked(bytes, offset = 0) {
  const found = y3.check(bytes);
  if (found) throw fault(found.error, offset + found.offset);
  return bytes;
}

/** Packets without a fault as the rows draw them. */
function shape(bytes) {
  const rows = y3.rows(bytes);
  let at = 0;
  const level = (depth) => {
    const drawn = [];
    while (rows[at]?.depth === depth) {
      const row = rows[at++];
      const inside = {
        value: () => `=${toHex(bytes.subarray(valueAt(row), row.ownEnd))}`,
        node: () => `{${level(depth + 1)}}`,
        slice: () => `[${level(depth + 1)}]`,
      };
      drawn.push(keyOf(row.key) + inside[row.kind]());
    }
    return drawn.join(",");
  };
  return level(0);
}

/** The first packet, if it is all there; where its value begins. */
function first(bytes) {
  const rows = y3.rows(bytes);
  // An empty input has no packet.
  if (!rows.length) throw new Fault("UnexpectedEnd", 0);
  if (rows[0].fault) throw fault(rows[0].fault, y3.check(bytes).offset);
  return { packet: bytes.subarray(0, rows[0].end), row: rows[0], from: valueAt(rows[0]) };
}

/** A length field alone: that of a primitive whose value is not there. */
function lengthOf(field) {
  const [row] = y3.rows(Uint8Array.of(0x01, ...field));
  if (row.fault && !row.fault.startsWith("input ends")) throw fault(row.fault, 0);
  return row.kind === "unread" ? "cut" : row.length;
}

const OPS = {
  length: (_, bytes) => lengthOf(bytes),
  read: (_, bytes) => shape(checked(bytes)),
  one(_, bytes) {
    const { packet } = first(bytes);
    if (packet.length < bytes.length) throw new Fault("TrailingBytes", packet.length);
    return shape(checked(packet));
  },
  children(_, bytes) {
    const { packet, row, from } = first(bytes);
    if (row.kind === "value") throw new Fault("NotANode", 0);
    const [around, inside] = [y3.check(packet), packet.subarray(from)];
    // The depth counts from the children on; what ends outside of the node is seen from the node.
    if (around && fault(around.error).message !== "DepthLimit") throw fault(around.error, around.offset);
    return shape(checked(inside, from));
  },
  embedded(_, bytes) {
    const { packet, from } = first(bytes);
    return shape(checked(packet.subarray(from), from));
  },
  find({ key }, bytes) {
    if (key > 0x3f) throw new Fault("InvalidKey", 0);
    const { packet, row } = first(bytes);
    if (row.kind === "value") throw new Fault("NotANode", 0);
    const [found] = y3.watch(packet, `${keyOf(row.key)}/${keyOf(key)}`);
    if (found?.error) throw fault(found.error, found.offset);
    return found ? `${found.offset}:${toHex(found.value)}` : "none";
  },
  // A shape is the text form. That writes the keys of items as they are, so a row that wants 00 instead is skipped.
  write({ packets }) {
    if (/\[(?!00|\])/.test(packets)) return undefined;
    try {
      return toHex(y3.encode(packets));
    } catch ({ message }) {
      throw message.startsWith("expected a key") ? new Fault("InvalidKey", 0) : new Error(message);
    }
  },
  // A value of that length is written. One of 128 MiB takes ten times as much memory, one of 2 GiB more than a module has.
  write_length({ length }) {
    if (length > 0x100000) return undefined;
    const packet = y3.encode(`01=${"00".repeat(length)}`);
    return toHex(packet.subarray(1, valueAt(y3.rows(packet)[0])));
  },
  watch({ paths, piece }, bytes) {
    if (piece !== undefined) return undefined;
    // No path is no text, which watches nothing.
    if (paths.includes("")) return "refused";
    let found;
    try {
      found = y3.watch(bytes, paths);
    } catch {
      return "refused";
    }
    return found.map((hit) => (hit.error ? fault(hit.error, hit.offset).answer : [hit.path, hit.offset, toHex(hit.value)]));
  },
  to_text: (_, bytes) => y3.text(bytes),
  from_text({ text }) {
    try {
      return toHex(y3.encode(text));
    } catch ({ message }) {
      throw fault(message, Number(/ at byte (\d+) of the text$/.exec(message)[1]));
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line);
  let given;
  try {
    const result = OPS[row.op]?.(row, Uint8Array.from(Buffer.from(row.hex ?? "", "hex")));
    given = result === undefined ? { skip: true } : { result };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    given = { error: error.answer };
  }
  console.log(JSON.stringify({ id: row.id, ...given }));
}
