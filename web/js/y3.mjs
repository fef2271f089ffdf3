// Y3 packets in JavaScript: the crate y3 as WebAssembly, and the few lines that hand it bytes.
//
// In: bytes as an ArrayBuffer or any view of one, paths as text ("3f/02:01/11"). Out: text, objects, or slices of the bytes given; an Error
// for arguments that are wrong. Faults in packets are values, not exceptions: they stand where they are found.

const toText = new TextDecoder("utf-8", { ignoreBOM: true });
const toBytes = new TextEncoder();

/** The most bytes of an input, and of a chunk, whose hits have to fit too. */
const INPUT = 2 ** 30;
const CHUNK = 2 ** 24;
/** Memory of a module does not shrink: above so many bytes the next call gets a new one. */
const KEPT = 2 ** 26;

/** Only this file makes objects of these classes. */
const OWN = Symbol("y3");

const lengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;

/** Bytes of an ArrayBuffer, of any window, or of a view of one. */
function bytesOf(given) {
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  try {
    lengthOf.call(given);
  } catch {
    throw new TypeError("expected bytes: an ArrayBuffer or a view of one, such as a Uint8Array");
  }
  return new Uint8Array(given);
}

function textOf(given, what) {
  if (typeof given !== "string") throw new TypeError(`expected ${what} as a string`);
  if (/\p{Surrogate}/u.test(given)) throw new TypeError(`${what} has half of a character: a surrogate alone`);
  return given;
}

const listOf = (given) => (Array.isArray(given) ? given : [given]);
const pathsOf = (given) => listOf(given).map((path) => textOf(path, "a path"));

function countOf(given, what) {
  if (typeof given !== "number" || !(given >= 0)) throw new TypeError(`expected ${what} as a number from 0 on`);
  return Math.min(Math.floor(given), 0xffffffff);
}

/** The arguments of a call: each has its length before it. */
function packed(texts) {
  const parts = texts.map((text) => toBytes.encode(text));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  let at = 0;
  for (const part of parts) {
    new DataView(bytes.buffer).setUint32(at, part.length, true);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

/** An instance of the module, and the calls into it. */
class Instance {
  #module;
  #wasm;

  constructor(module) {
    this.#module = module;
    this.#renew();
  }

  #renew() {
    this.#wasm = new WebAssembly.Instance(this.#module, {}).exports;
  }

  #put(room, bytes) {
    const at = room(bytes.length) >>> 0;
    if (at === 0) throw new RangeError(`too large: no memory for ${bytes.length} bytes`);
    new Uint8Array(this.#wasm.memory.buffer, at, bytes.length).set(bytes);
  }

  /** Calls a function with input and arguments: a copy of its answer. */
  call(name, input, texts = [], ...numbers) {
    if (input.length > INPUT) throw new RangeError(`too large: ${input.length} bytes, at most ${INPUT}`);
    const memory = this.#wasm.memory;
    try {
      this.#put(this.#wasm.input, input);
      this.#put(this.#wasm.arguments, packed(texts));
      const answer = this.#wasm[name](...numbers);
      const bytes = new Uint8Array(memory.buffer, this.#wasm.output() >>> 0, answer < 0 ? ~answer : answer).slice();
      if (answer < 0) throw new Error(toText.decode(bytes));
      return bytes;
    } catch (error) {
      // The module stops where it gets no memory, and is of no use then.
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#renew();
      throw new RangeError(`too large: the module has no memory left (${error.message})`);
    }
  }

  text(...call) {
    return toText.decode(this.call(...call));
  }

  json(...call) {
    return JSON.parse(this.text(...call));
  }

  /** Gives memory back after large calls. */
  trim() {
    if (this.#wasm.memory.buffer.byteLength > KEPT) this.#renew();
  }

  resume() {
    return this.#wasm.resume() === 1;
  }
}

/** Loads the module: from beside this file, from a URL, or from bytes. */
export async function load(source = new URL("y3.wasm", import.meta.url)) {
  if (source instanceof URL) {
    source = source.protocol === "file:"
      ? await (await import("node:fs/promises")).readFile(source)
      : await (await fetch(source)).arrayBuffer();
  }
  return new Y3(OWN, await WebAssembly.compile(source));
}

/** A packet at the end of a path. */
export class Hit {
  #y3;
  #names;
  #at;

  constructor(own, found, packet, y3, names, paths) {
    if (own !== OWN) throw new TypeError("hits come from watch");
    [this.path, this.key, this.offset] = [found.path, found.key, found.offset];
    [this.packet, this.value] = [packet, packet.subarray(found.length - found.value)];
    [this.#y3, this.#names, this.#at] = [y3, names, paths[found.path]];
  }

  /** The value as a type, or as the type that the names file of the watch gives it. */
  decode(type) {
    if (type === undefined && !this.#names) throw new TypeError("expected a type, since there is no names file");
    return this.#y3.decode(this.packet, type ?? "", { names: this.#names, at: this.#at });
  }
}

export class Y3 {
  #instance;
  #module;

  constructor(own, module) {
    if (own !== OWN) throw new TypeError("use load()");
    [this.#module, this.#instance] = [module, new Instance(module)];
  }

  #call(kind, ...call) {
    try {
      return this.#instance[kind](...call);
    } finally {
      this.#instance.trim();
    }
  }

  /** The tree of packets as text, a line each, with faults where they are. `open`: "*", or paths of primitives that hold packets. */
  dump(bytes, { open = [], names = "", maxLines = Infinity } = {}) {
    return this.#call("text", "dump", bytesOf(bytes), [textOf(names, "names"), ...pathsOf(open)], countOf(maxLines, "maxLines"));
  }

  /** The same as data. */
  rows(bytes, { open = [], names = "", maxLines = Infinity } = {}) {
    return this.#call("json", "rows", bytesOf(bytes), [textOf(names, "names"), ...pathsOf(open)], countOf(maxLines, "maxLines"));
  }

  /** The packets at the end of these paths, in the order of the bytes: hits, or `{ error, offset }`. */
  watch(bytes, paths, { names = "" } = {}) {
    const [given, list] = [bytesOf(bytes), pathsOf(paths)];
    const found = this.#call("json", "watch", given, [textOf(names, "names"), ...list]);
    return found.map((hit) => ("error" in hit ? hit : new Hit(OWN, hit, given.subarray(hit.offset, hit.offset + hit.length), this, names, list)));
  }

  /** The same for bytes that arrive in chunks. */
  watcher(paths, { names = "", limit = CHUNK } = {}) {
    return new Watcher(OWN, this, this.#module, pathsOf(paths), textOf(names, "names"), countOf(limit, "limit"));
  }

  /** The first error, or null if all of it is sound. */
  check(bytes) {
    return this.#call("json", "check", bytesOf(bytes));
  }

  /** The packets as text that `encode` reads. */
  text(bytes, { open = [], names = "" } = {}) {
    return this.#call("text", "text", bytesOf(bytes), [textOf(names, "names"), ...pathsOf(open)]);
  }

  /** The bytes of such a text. */
  encode(text) {
    return this.#call("call", "encode", toBytes.encode(textOf(text, "packets")));
  }

  /** The value of one packet as a type, in the words of a names file. Without a type, as that of the field `at` a path. */
  decode(packet, type, { names = "", at = "" } = {}) {
    const answer = this.#call("call", "value", bytesOf(packet), [textOf(names, "names"), textOf(type, "a type"), textOf(at, "a path")]);
    const value = answer.subarray(1);
    switch (String.fromCharCode(answer[0])) {
      case "b": return value.slice();
      case "f": return new DataView(value.buffer, value.byteOffset).getFloat64(0, true);
      case "i": return BigInt(toText.decode(value));
      case "t": return toText.decode(value);
      default: return JSON.parse(toText.decode(value));
    }
  }

  /** The packets as JSON, one a line, with the names and types of a names file. */
  json(bytes, names) {
    return this.#call("text", "json", bytesOf(bytes), [textOf(names, "names")]);
  }

  /** The paths of primitives that hold packets. Throws an Error that says where the names file is wrong. */
  embedded(names) {
    return this.#call("json", "names", new Uint8Array(), [textOf(names, "names")]);
  }

  /** What a change of a names file means for those who still have the old one. */
  lint(before, after) {
    return this.#call("json", "lint", new Uint8Array(), [textOf(before, "names"), textOf(after, "names")]);
  }

  /** The bytes of text as people paste it, and how it was read: as the command does, and the text form. */
  read(text, form = "auto") {
    const answer = this.#call("call", "read", toBytes.encode(textOf(text, "text")), [textOf(form, "a form")]);
    const end = answer.indexOf(10);
    return { form: toText.decode(answer.subarray(0, end)), bytes: answer.slice(end + 1) };
  }

  /** Text with all characters escaped that cannot be seen, or change how others are shown. */
  escape(text) {
    return this.#call("text", "escape", toBytes.encode(textOf(text, "text")));
  }
}

/** Watches paths in bytes that arrive in chunks. */
export class Watcher {
  // An instance of its own: nothing has to be freed, and no other call can exhaust it.
  #instance;
  #offset = 0;
  #broken = null;
  #hit;

  constructor(own, y3, module, paths, names, limit) {
    if (own !== OWN) throw new TypeError("use watcher() of what load() gives");
    this.#instance = new Instance(module);
    this.#instance.call("open", new Uint8Array(), [names, ...paths], limit);
    this.#hit = (found, packet) => new Hit(OWN, found, packet, y3, names, paths);
  }

  /** How many bytes were fed. */
  get offset() {
    return this.#offset;
  }

  /** The hits that end in this chunk, which is the next one. */
  feed(chunk) {
    const bytes = bytesOf(chunk);
    if (bytes.length > CHUNK) throw new RangeError(`too large: ${bytes.length} bytes, at most ${CHUNK} at a time`);
    return this.#feed(bytes, 0);
  }

  /** Ends the stream: an error if it must not end here. */
  finish() {
    return this.#feed(new Uint8Array(), 1);
  }

  /** Goes on after the packet with an error; false if that is not possible. */
  resume() {
    return this.#instance.resume();
  }

  #feed(bytes, isEnd) {
    if (this.#broken) throw this.#broken;
    const base = this.#offset;
    let answer;
    try {
      answer = this.#instance.call("feed", bytes, [], isEnd);
    } catch (error) {
      // Hits are lost.
      throw (this.#broken = error);
    }
    this.#offset += bytes.length;
    let at = 4 + new DataView(answer.buffer).getUint32(0, true);
    const found = JSON.parse(toText.decode(answer.subarray(4, at)));
    return found.map((hit) => {
      if ("error" in hit) return hit;
      if (hit.offset >= base) return this.#hit(hit, bytes.subarray(hit.offset - base, hit.offset - base + hit.length));
      return this.#hit(hit, answer.slice(at, (at += hit.length)));
    });
  }
}
