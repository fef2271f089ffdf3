// Y3 packets in JavaScript: the crate y3 as WebAssembly, and the few lines that hand it bytes.
//
// In: bytes as a Uint8Array, paths as text ("3f/02:01/11"). Out: text, objects, or slices of the bytes given; an Error for arguments that
// are wrong. Faults in packets are values, not exceptions: they stand where they are found.

const toText = new TextDecoder();
const toBytes = new TextEncoder();

/** Types that hold integers of 64 bits: BigInt in JavaScript. */
const WIDE = new Set(["i64", "u64", "pi64", "pu64"]);

/** Loads the module: from beside this file, from a URL, or from bytes. */
export async function load(source = new URL("y3.wasm", import.meta.url)) {
  if (source instanceof URL) {
    source = source.protocol === "file:"
      ? await (await import("node:fs/promises")).readFile(source)
      : await (await fetch(source)).arrayBuffer();
  }
  const { instance } = await WebAssembly.instantiate(source, {});
  return new Y3(instance.exports);
}

export class Y3 {
  #wasm;

  constructor(wasm) {
    this.#wasm = wasm;
  }

  #put(room, bytes) {
    const at = room(bytes.length);
    new Uint8Array(this.#wasm.memory.buffer, at, bytes.length).set(bytes);
  }

  /** Calls a function with input and arguments: a copy of its answer. */
  #call(name, input, args = "", ...numbers) {
    this.#put(this.#wasm.input, input);
    this.#put(this.#wasm.arguments, toBytes.encode(args));
    const answer = this.#wasm[name](...numbers);
    const length = answer < 0 ? ~answer : answer;
    const bytes = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.output(), length).slice();
    if (answer < 0) throw new Error(toText.decode(bytes));
    return bytes;
  }

  /** The tree of packets as text, a line each, with faults where they are. `open`: "*", or paths of primitives that hold packets. */
  dump(bytes, { open = [], maxLines = 0x7fffffff } = {}) {
    return toText.decode(this.#call("dump", bytes, lines(open), maxLines));
  }

  /** The same as rows: which bytes are the packet's own, which are inside it, and what is shown of it. */
  rows(bytes, options) {
    const rows = [];
    const open = [];
    for (const line of this.dump(bytes, options).split("\n")) {
      const [, offset, rest] = /^ *(\d+)  (.*)$/s.exec(line) ?? [];
      if (rest === undefined) continue;
      // Eight bytes in hexadecimal and two spaces; then two spaces for each packet around.
      const shown = rest.startsWith("..") ? rest : rest.slice(25);
      const depth = shown.search(/\S/) / 2;
      const at = shown.indexOf(" ! ");
      const [text, fault] = at < 0 ? [shown, null] : [shown.slice(0, at), shown.slice(at + 3)];
      const row = { offset: Number(offset), ownEnd: bytes.length, end: bytes.length, depth, text: text.trim(), fault };
      if (rows.length) rows.at(-1).ownEnd = row.offset;
      // A packet ends at the next row that is no deeper.
      while (open.length && open.at(-1).depth >= depth) open.pop().end = row.offset;
      open.push(row);
      rows.push(row);
    }
    return rows;
  }

  /** The packets at the end of these paths, in the order of the bytes: `{ path, key, offset, value }`, or `{ error, offset }`. */
  watch(bytes, paths) {
    const hits = JSON.parse(toText.decode(this.#call("watch", bytes, lines(paths))));
    return hits.map(({ start, end, ...hit }) => ("error" in hit ? hit : { ...hit, value: bytes.subarray(start, end) }));
  }

  /** The first error, or null if all of it is sound. */
  check(bytes) {
    return JSON.parse(toText.decode(this.#call("check", bytes)));
  }

  /** The packets as text that `encode` reads. */
  text(bytes, { open = [] } = {}) {
    return toText.decode(this.#call("text", bytes, lines(open)));
  }

  /** The bytes of such a text. */
  encode(text) {
    return this.#call("encode", toBytes.encode(text));
  }

  /** The value of one packet as a type: bool i32 i64 u32 u64 pi32 pi64 pu32 pu64 f32 f64 str. */
  decode(packet, type) {
    const json = toText.decode(this.#call("value", packet, type));
    return WIDE.has(type) ? BigInt(json) : numberOf(type, JSON.parse(json));
  }
}

/** Paths, a line each: an index of a path stays that of the caller's list. */
function lines(paths) {
  return [paths].flat().map((path) => {
    if (/[\r\n]/.test(path)) throw new Error(`path ${JSON.stringify(path)}: a path is one line`);
    return `${path}\n`;
  }).join("");
}

/** JSON has no infinities and no NaN: they come as text. */
function numberOf(type, value) {
  return type.startsWith("f") ? Number(value === "inf" ? Infinity : value === "-inf" ? -Infinity : value) : value;
}
