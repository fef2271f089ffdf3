import type { Row, Y3 } from "./y3.mjs";

/** What a packet holds, as docs/spec/names.md has it. */
export interface Type {
  kind: "value" | "node" | "packets" | "slice" | "tuple" | "map" | "one of" | "named";
  value?: string;
  fields?: Field[];
  item?: Type;
  items?: Type[];
  name?: string;
}

export interface Field {
  key: number;
  name: string;
  /** Null for a variant without content. */
  type: Type | null;
  optional: boolean;
}

export interface Names {
  fields: Field[];
  types: Map<string, Type>;
}

/** Reads a names file. Throws an Error that says what was expected and where. */
export function parseNames(text: string): Names;

/** The paths of primitives that hold packets, for `open`. */
export function embedded(names: Names): string[];

/** Gives each row that the file names its name, and its value if it is one. */
export function label(rows: Row[], names: Names, bytes: Uint8Array, y3: Y3): (Row & { name?: string; value?: string })[];
