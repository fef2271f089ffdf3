/** Bytes: an ArrayBuffer or a view of one. Any other argument throws a TypeError. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** A fault in packets: the offset of the fault, and a message. */
export interface Fault {
  offset: number;
  error: string;
}

/** The types of primitive values in names files. */
export type Scalar =
  | "bytes" | "text" | "bool" | "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64"
  | "pvar i32" | "pvar i64" | "pvar u32" | "pvar u64";

/** The JavaScript type of a value. Integers of 64 bits are exact. Nodes, slices and variants are strings of JSON. */
export type Value<T> =
  T extends "i64" | "u64" | "pvar i64" | "pvar u64" ? bigint
  : T extends "bool" ? boolean
  : T extends "text" ? string
  : T extends "bytes" ? Uint8Array
  : T extends Scalar ? number
  : number | bigint | boolean | string | Uint8Array;

/** A packet at a watched path. */
export class Hit {
  private constructor();
  /** The index of the path among the watched paths. */
  path: number;
  key: number;
  /** The offset of the packet in the input. */
  offset: number;
  /** The packet with its header, as a slice of the given bytes. In a stream, a packet that was split across chunks is a copy. */
  packet: Uint8Array;
  /** The value of the packet, as a slice of the same buffer. */
  value: Uint8Array;
  /** Decodes the value. Throws an Error if the value is not of this type. */
  decode<T extends Scalar>(type: T): Value<T>;
  /** Decodes the value as any type of the names file. Without an argument, the names file gives the type of the path. */
  decode(type?: string): Value<string>;
}

/** A packet of a dump, or bytes that cannot be read as packets. Strings are escaped. */
export interface Row {
  offset: number;
  /** The end of the packet's own bytes. These are its header, and its value if the value does not consist of packets. */
  ownEnd: number;
  /** The end of the packet, including all packets inside it. */
  end: number;
  depth: number;
  key: number;
  /** The kind of the bytes after the header. */
  kind: "value" | "node" | "slice" | "embedded" | "unread";
  /** The length that the header declares. */
  length: number;
  /** A description of the key, the kind, the length and the possible meanings of the value. */
  text: string;
  fault: string | null;
  /** The name in the names file. */
  name?: string;
  /** The value, decoded as the type in the names file. */
  value?: string;
  /** The reason why the packet does not match its type in the names file. */
  mismatch?: string;
}

export interface OpenOptions {
  /** The primitives whose bytes are read as packets: paths, or "*" for every primitive that contains packets without a fault. */
  open?: string | string[];
  /** A names file. Paths can use its names. Without `open`, the primitives with the type `packets` in the names file are opened. */
  names?: string;
}

export interface DumpOptions extends OpenOptions {
  /** The maximum number of lines or rows. Infinity means no limit. */
  maxLines?: number;
}

/** A change between two names files. */
export interface Change {
  /** The path of keys to the changed field. */
  path: string;
  what: string;
  /** With "breaking", old or new programs reject some packets. With "wrong", a program can read a wrong value without an error. */
  verdict: "safe" | "breaking" | "wrong";
}

/** Watches paths in bytes that arrive in chunks. A chunk can end anywhere. */
export class Watcher {
  private constructor();
  /** The number of bytes fed so far. */
  readonly offset: number;
  /** Reads the next chunk and returns the hits that end in it. A chunk of more than 16 MiB throws a RangeError and is ignored. */
  feed(chunk: Bytes): (Hit | Fault)[];
  /** Ends the stream. Returns a fault if the stream ends inside a packet. */
  finish(): (Hit | Fault)[];
  /** After a fault, continues after the faulty packet. Returns false if this is not possible. */
  resume(): boolean;
}

/** The codec. `load` creates it. */
export class Y3 {
  private constructor();
  dump(bytes: Bytes, options?: DumpOptions): string;
  rows(bytes: Bytes, options?: DumpOptions): Row[];
  watch(bytes: Bytes, paths: string | string[], options?: { names?: string }): (Hit | Fault)[];
  /** `limit`: the maximum length of a value that is joined from chunks. The default is 16 MiB. A longer value is a fault. */
  watcher(paths: string | string[], options?: { names?: string; limit?: number }): Watcher;
  check(bytes: Bytes): Fault | null;
  text(bytes: Bytes, options?: OpenOptions): string;
  encode(text: string): Uint8Array;
  decode<T extends Scalar>(packet: Bytes, type: T): Value<T>;
  decode(packet: Bytes, type: string, options?: { names?: string; at?: string }): Value<string>;
  /** Returns one line of JSON for each top-level packet. Integers in the text are exact, but `JSON.parse` rounds integers above 2^53. */
  json(bytes: Bytes, names: string): string;
  /** The paths of primitives with the type `packets`. If the names file is invalid, throws an Error with the position. */
  embedded(names: string): string[];
  lint(before: string, after: string): Change[];
  /** Decodes pasted text. With the form "auto", the encoding is detected: hexadecimal, base64, or the text form. */
  read(text: string, form?: "auto" | "hex" | "base64" | "text"): { form: string; bytes: Uint8Array };
  escape(text: string): string;
}

/** Loads the module from a URL or from bytes. By default, the module is loaded from the folder of this file. */
export function load(source?: URL | BufferSource): Promise<Y3>;
