// Y3 packets in JavaScript: calls the crate y3, which is compiled to WebAssembly.
//
// Bytes are an ArrayBuffer or any view of one, and paths are strings ("3f/02:01/11"). Results are strings, objects, or slices of the given
// bytes. Wrong arguments throw an Error. Faults in packets do not throw: they are in the result, in the order of the bytes.

const toText = new TextDecoder("utf-8", { ignoreBOM: true });
const toBytes = new TextEncoder();

/** The maximum number of bytes of an input, and of a chunk. The hits of a chunk must fit into memory too. */
const INPUT = 2 ** 30;
const CHUNK = 2 ** 24;
/** The memory of an instance never shrinks. If it exceeds this many bytes, a new instance replaces the old one. */
const KEPT = 2 ** 26;

/** Only this file can create objects of these classes. */
const OWN = Symbol("y3");

const lengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;

/** Returns the bytes of an ArrayBuffer, which can come from another window, or of a view of an ArrayBuffer. */
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
  if (/\p{Surrogate}/u.test(given)) throw new TypeError(`${what} contains a surrogate without its pair, which is not a character`);
  return given;
}

const listOf = (given) => (Array.isArray(given) ? given : [given]);
const pathsOf = (given) => listOf(given).map((path) => textOf(path, "a path"));

function countOf(given, what) {
  if (typeof given !== "number" || !(given >= 0)) throw new TypeError(`expected ${what} as a number that is not negative`);
  return Math.min(Math.floor(given), 0xffffffff);
}

/** Encodes the arguments of a call. Each argument follows its length. */
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

  /** Calls a function with input and arguments, and returns a copy of the result. */
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
      // The instance traps if it gets no memory, and cannot be used again.
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

  /** Frees memory after large calls. */
  trim() {
    if (this.#wasm.memory.buffer.byteLength > KEPT) this.#renew();
  }

  resume() {
    return this.#wasm.resume() === 1;
  }
}

/** Loads the module from a URL or from bytes. By default, the module is loaded from the folder of this file. */
export async function load(source = new URL("y3.wasm", import.meta.url)) {
  if (source instanceof URL) {
    source = source.protocol === "file:"
      ? await (await import("node:fs/promises")).readFile(source)
      : await (await fetch(source)).arrayBuffer();
  }
  return new Y3(OWN, await WebAssembly.compile(source));
}

/** A packet at a watched path. */
export class Hit {
  #y3;
  #names;
  #at;

  constructor(own, found, packet, y3, names, paths) {
    if (own !== OWN) throw new TypeError("only watch and watcher create hits");
    [this.path, this.key, this.offset] = [found.path, found.key, found.offset];
    [this.packet, this.value] = [packet, packet.subarray(found.length - found.value)];
    [this.#y3, this.#names, this.#at] = [y3, names, paths[found.path]];
  }

  /** Decodes the value as this type. Without an argument, the names file gives the type of the path. */
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

  /** Returns the packets as a tree, one line for each packet, including faults. `open`: "*", or the paths of primitives that contain packets. */
  dump(bytes, { open = [], names = "", maxLines = Infinity } = {}) {
    return this.#call("text", "dump", bytesOf(bytes), [textOf(names, "names"), ...pathsOf(open)], countOf(maxLines, "maxLines"));
  }

  /** Returns the rows of the dump as objects. */
  rows(bytes, { open = [], names = "", maxLines = Infinity } = {}) {
    return this.#call("json", "rows", bytesOf(bytes), [textOf(names, "names"), ...pathsOf(open)], countOf(maxLines, "maxLines"));
  }

  /** Returns the packets at these paths as hits, and faults as `{ error, offset }`, in the order of the bytes. */
  watch(bytes, paths, { names = "" } = {}) {
    const [given, list] = [bytesOf(bytes), pathsOf(paths)];
    const found = this.#call("json", "watch", given, [textOf(names, "names"), ...list]);
    return found.map((hit) => ("error" in hit ? hit : new Hit(OWN, hit, given.subarray(hit.offset, hit.offset + hit.length), this, names, list)));
  }

  /** Creates a watcher for bytes that arrive in chunks. */
  watcher(paths, { names = "", limit = CHUNK } = {}) {
    return new Watcher(OWN, this, this.#module, pathsOf(paths), textOf(names, "names"), countOf(limit, "limit"));
  }

  /** Returns the first fault, or null if there is none. */
  check(bytes) {
    return this.#call("json", "check", bytesOf(bytes));
  }

  /** Returns the packets in the text form, which `encode` reads. */
  text(bytes, { open = [], names = "" } = {}) {
    return this.#call("text", "text", bytesOf(bytes), [textOf(names, "names"), ...pathsOf(open)]);
  }

  /** Converts the text form to bytes. */
  encode(text) {
    return this.#call("call", "encode", toBytes.encode(textOf(text, "packets")));
  }

  /** Decodes the value of a packet as a type of a names file. If `type` is empty, the names file gives the type of the path `at`. */
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

  /** Returns one line of JSON for each top-level packet, with the names and types of a names file. */
  json(bytes, names) {
    return this.#call("text", "json", bytesOf(bytes), [textOf(names, "names")]);
  }

  /** Returns the paths of primitives with the type `packets`. If the names file is invalid, throws an Error with the position. */
  embedded(names) {
    return this.#call("json", "names", new Uint8Array(), [textOf(names, "names")]);
  }

  /** Returns the changes between two names files, with their effects on programs that still use the old file. */
  lint(before, after) {
    return this.#call("json", "lint", new Uint8Array(), [textOf(before, "names"), textOf(after, "names")]);
  }

  /** Decodes pasted text, and returns the bytes and the encoding. "auto" detects the encoding as the command does, or the text form. */
  read(text, form = "auto") {
    const answer = this.#call("call", "read", toBytes.encode(textOf(text, "text")), [textOf(form, "a form")]);
    const end = answer.indexOf(10);
    return { form: toText.decode(answer.subarray(0, end)), bytes: answer.slice(end + 1) };
  }

  /** Escapes characters that are invisible or change how other characters are shown. */
  escape(text) {
    return this.#call("text", "escape", toBytes.encode(textOf(text, "text")));
  }
}

/** Watches paths in bytes that arrive in chunks. */
export class Watcher {
  // Each watcher has its own instance, so nothing must be freed, and other calls cannot use up its memory.
  #instance;
  #offset = 0;
  #broken = null;
  #hit;

  constructor(own, y3, module, paths, names, limit) {
    if (own !== OWN) throw new TypeError("use the method watcher() of the object that load() returns");
    this.#instance = new Instance(module);
    this.#instance.call("open", new Uint8Array(), [names, ...paths], limit);
    this.#hit = (found, packet) => new Hit(OWN, found, packet, y3, names, paths);
  }

  /** The number of bytes fed so far. */
  get offset() {
    return this.#offset;
  }

  /** Reads the next chunk and returns the hits that end in it. */
  feed(chunk) {
    const bytes = bytesOf(chunk);
    if (bytes.length > CHUNK) throw new RangeError(`too large: ${bytes.length} bytes, at most ${CHUNK} at a time`);
    return this.#feed(bytes, 0);
  }

  /** Ends the stream. Returns a fault if the stream ends inside a packet. */
  finish() {
    return this.#feed(new Uint8Array(), 1);
  }

  /** After a fault, continues after the faulty packet. Returns false if this is not possible. */
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
      // The hits of this chunk are lost, so the watcher cannot continue.
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
