/** A fault in packets: where it is, and what is wrong in words. */
export interface Fault {
  offset: number;
  error: string;
}

/** A packet at the end of a path. */
export interface Hit {
  /** The index of the path. */
  path: number;
  key: number;
  /** Where the packet begins. */
  offset: number;
  /** A slice of the bytes given, not a copy. */
  value: Uint8Array;
}

/** A line of a dump. */
export interface Row {
  offset: number;
  /** The end of the bytes of the packet itself: its header, and its value unless that is packets. */
  ownEnd: number;
  /** The end of the packet with all that is inside it. */
  end: number;
  depth: number;
  text: string;
  fault: string | null;
}

export interface DumpOptions {
  /** Primitives whose bytes are read as packets: paths, or "*" for every one that holds packets without a fault. */
  open?: string | string[];
  maxLines?: number;
}

export type Type = "bool" | "i32" | "i64" | "u32" | "u64" | "pi32" | "pi64" | "pu32" | "pu64" | "f32" | "f64" | "str";

export class Y3 {
  dump(bytes: Uint8Array, options?: DumpOptions): string;
  rows(bytes: Uint8Array, options?: DumpOptions): Row[];
  watch(bytes: Uint8Array, paths: string | string[]): (Hit | Fault)[];
  check(bytes: Uint8Array): Fault | null;
  text(bytes: Uint8Array, options?: { open?: string | string[] }): string;
  encode(text: string): Uint8Array;
  decode(packet: Uint8Array, type: Type): number | bigint | boolean | string;
}

/** Loads the module: from beside this file, from a URL, or from bytes. */
export function load(source?: URL | BufferSource): Promise<Y3>;
