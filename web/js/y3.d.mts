/** Bytes: a buffer, or any view of one. Everything else is a TypeError. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** A fault in packets: where it is, and what is wrong in words. */
export interface Fault {
  offset: number;
  error: string;
}

/** The words of names files for values. */
export type Scalar =
  | "bytes" | "text" | "bool" | "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64"
  | "pvar i32" | "pvar i64" | "pvar u32" | "pvar u64";

/** What a value is in JavaScript: integers of 64 bits are exact. Nodes, slices and variants are text: their JSON. */
export type Value<T> =
  T extends "i64" | "u64" | "pvar i64" | "pvar u64" ? bigint
  : T extends "bool" ? boolean
  : T extends "text" ? string
  : T extends "bytes" ? Uint8Array
  : T extends Scalar ? number
  : number | bigint | boolean | string | Uint8Array;

/** A packet at the end of a path. */
export class Hit {
  private constructor();
  /** The index of the path. */
  path: number;
  key: number;
  /** Where the packet begins. */
  offset: number;
  /** The packet with its header: a slice of the bytes given, not a copy. In a stream a copy if it was split. */
  packet: Uint8Array;
  /** Its value, of the same bytes. */
  value: Uint8Array;
  /** The value as a type; throws an Error if it is none. */
  decode<T extends Scalar>(type: T): Value<T>;
  /** The same for any type of the names file; without one, for the type that the file gives to the path. */
  decode(type?: string): Value<string>;
}

/** A packet of a dump, or bytes that are not read. Texts are escaped. */
export interface Row {
  offset: number;
  /** The end of the bytes of the packet itself: its header, and its value unless that is packets. */
  ownEnd: number;
  /** The end of the packet with all that is inside it. */
  end: number;
  depth: number;
  key: number;
  /** What the bytes after the header are. */
  kind: "value" | "node" | "slice" | "embedded" | "unread";
  /** The length as the header declares it. */
  length: number;
  /** Key, kind and length in words, and what the value may be. */
  text: string;
  fault: string | null;
  /** The name in the names file. */
  name?: string;
  /** The value as the type in the names file. */
  value?: string;
  /** Why it is not of that type. */
  mismatch?: string;
}

export interface OpenOptions {
  /** Primitives whose bytes are read as packets: paths, or "*" for every one that holds packets without a fault. */
  open?: string | string[];
  /** A names file. Its `packets` are opened if `open` says nothing, and paths may have names. */
  names?: string;
}

export interface DumpOptions extends OpenOptions {
  /** Infinity for all. */
  maxLines?: number;
}

/** A change of a names file. */
export interface Change {
  /** The keys that lead there. */
  path: string;
  what: string;
  /** "breaking" is an error for one side, "wrong" another value without an error. */
  verdict: "safe" | "breaking" | "wrong";
}

/** Watches paths in bytes that arrive in chunks, cut anywhere. */
export class Watcher {
  private constructor();
  /** How many bytes were fed. */
  readonly offset: number;
  /** The hits that end in the next chunk, of at most 16 MiB. A chunk that is too large is a RangeError, and is not taken. */
  feed(chunk: Bytes): (Hit | Fault)[];
  /** Ends the stream: a fault if it must not end here. */
  finish(): (Hit | Fault)[];
  /** After a fault: goes on after its packet. False if that is not possible. */
  resume(): boolean;
}

/** Made by `load`. */
export class Y3 {
  private constructor();
  dump(bytes: Bytes, options?: DumpOptions): string;
  rows(bytes: Bytes, options?: DumpOptions): Row[];
  watch(bytes: Bytes, paths: string | string[], options?: { names?: string }): (Hit | Fault)[];
  /** `limit`: the longest value that is joined from chunks, 16 MiB if it is not said. A longer one is a fault. */
  watcher(paths: string | string[], options?: { names?: string; limit?: number }): Watcher;
  check(bytes: Bytes): Fault | null;
  text(bytes: Bytes, options?: OpenOptions): string;
  encode(text: string): Uint8Array;
  decode<T extends Scalar>(packet: Bytes, type: T): Value<T>;
  decode(packet: Bytes, type: string, options?: { names?: string; at?: string }): Value<string>;
  /** A line for each packet. Integers are exact in the text; `JSON.parse` rounds them above 2^53. */
  json(bytes: Bytes, names: string): string;
  /** The paths of primitives that hold packets. Throws an Error that says where the names file is wrong. */
  embedded(names: string): string[];
  lint(before: string, after: string): Change[];
  /** The bytes of text as people paste it: "auto" decides as the command does, and takes the text form too. */
  read(text: string, form?: "auto" | "hex" | "base64" | "text"): { form: string; bytes: Uint8Array };
  escape(text: string): string;
}

/** Loads the module: from beside this file, from a URL, or from bytes. */
export function load(source?: URL | BufferSource): Promise<Y3>;
