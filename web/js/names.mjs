// Names files: keys with names and types, as docs/spec/names.md has them.
//
// In: the text of a file, rows of a dump. Out: which field a row is, and its value as the type that the file gives.

const VALUES = new Set(["bytes", "text", "bool", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]);
const WORDS = new Set([...VALUES, "pvar", "packets", "map", "one", "of", "usize", "isize"]);
const DEPTH = 64;

/** Reads a names file: `{ fields, types }`. Throws an Error that says what was expected and where. */
export function parseNames(text) {
  const tokens = [...text.replaceAll(/#.*$/gm, (comment) => " ".repeat(comment.length)).matchAll(/[A-Za-z0-9_-]+|\S/g)];
  let at = 0;
  const peek = () => tokens[at]?.[0];
  const fail = (what) => {
    throw new Error(`expected ${what} at ${tokens[at]?.index ?? text.length}`);
  };
  const take = (pattern, what) => (pattern.test(peek() ?? "") ? tokens[at++][0] : fail(what));
  const sign = (mark, what = mark) => (peek() === mark ? at++ : fail(what));

  const key = () => parseInt(take(/^[0-3][0-9a-fA-F]$/, "a key of two hexadecimal digits, 00 to 3f"), 16);
  const name = () => take(/^[A-Za-z_][A-Za-z0-9_-]*$/, "a name");
  const list = (depth, areVariants) => {
    const fields = [];
    sign("{");
    while (peek() !== "}") {
      if (peek() === undefined) fail("a key, or }");
      fields.push(field(depth, areVariants));
    }
    at++;
    return once(fields);
  };
  const once = (fields) => {
    for (const what of ["key", "name"]) {
      if (new Set(fields.map((field) => field[what])).size < fields.length) throw new Error(`a ${what} is there twice`);
    }
    return fields;
  };
  const field = (depth, isVariant) => {
    const found = { key: key(), name: name(), type: null, optional: false };
    if (/^[0-9}?]/.test(peek() ?? "0") === false) found.type = type(depth);
    else if (!isVariant) throw new Error(`\`${found.name}\` has no type; only a variant of \`one of\` may have none`);
    if (peek() === "?") found.optional = Boolean(++at);
    return found;
  };
  const type = (depth) => {
    if (depth > DEPTH) throw new Error("more than 64 levels");
    const word = peek();
    if (word === "{") return { kind: "node", fields: list(depth + 1, false) };
    if (word === "[") {
      at++;
      const item = type(depth + 1);
      sign("]");
      return { kind: "slice", item };
    }
    if (word === "(") {
      at++;
      const items = [];
      while (peek() !== ")") items.push(peek() === undefined ? fail("a type, or )") : type(depth + 1));
      at++;
      return { kind: "tuple", items };
    }
    const read = take(/^[A-Za-z_]/, "a type");
    if (read === "packets") return { kind: "packets", fields: list(depth + 1, false) };
    if (read === "map") return { kind: "map", item: type(depth + 1) };
    if (read === "one") return sign("of"), { kind: "one of", fields: list(depth + 1, true) };
    if (read === "pvar") return { kind: "value", value: `p${take(/^[iu](32|64)$/, "a type")}` };
    if (VALUES.has(read)) return { kind: "value", value: read };
    if (WORDS.has(read)) at--, fail("a type");
    return { kind: "named", name: read };
  };

  const [fields, types] = [[], new Map()];
  while (at < tokens.length) {
    if (tokens[at + 1]?.[0] === "=") {
      const defined = name();
      if (WORDS.has(defined)) throw new Error(`\`${defined}\` is a word of the language, not a name of a type`);
      if (types.has(defined)) throw new Error(`type \`${defined}\` is there twice`);
      at++;
      types.set(defined, type(0));
    } else fields.push(field(0, false));
  }
  check(once(fields), types);
  return { fields, types };
}

/** Types that are used are there, and none is only itself. */
function check(fields, types) {
  const visit = (type) => {
    if (type?.kind === "named" && !types.has(type.name)) throw new Error(`there is no type \`${type.name}\``);
    [type?.item, ...(type?.items ?? []), ...(type?.fields ?? []).map((field) => field.type)].filter(Boolean).forEach(visit);
  };
  fields.forEach((field) => visit(field.type));
  for (const [name, type] of types) {
    visit(type);
    let [next, steps] = [type, 0];
    while (next?.kind === "named" && steps++ <= types.size) next = types.get(next.name);
    if (next?.kind === "named") throw new Error(`type \`${name}\` is only itself`);
  }
}

const resolve = (names, type) => {
  while (type?.kind === "named") type = names.types.get(type.name);
  return type;
};

/** The types that `decode` knows, for those that are shorter on paper only. */
const DECODED = { i8: "i32", i16: "i32", u8: "i32", u16: "i32", text: "str" };

/** The paths of primitives that hold packets, for `open`: those of recursive types eight levels deep, the longest path. */
export function embedded(names) {
  const paths = [];
  const visit = (fields, around, levels) => {
    for (const field of levels < 8 ? fields : []) {
      const path = `${around}${field.key.toString(16).padStart(2, "0")}`;
      let [type, where] = [resolve(names, field.type), path];
      for (; type?.item; type = resolve(names, type.item), levels++) where += type.kind === "map" ? "/*" : "/00";
      if (type?.kind === "packets") paths.push(where);
      if (type?.fields && paths.length < 256) visit(type.fields, where + (type.kind === "packets" ? ":" : "/"), levels + 1);
    }
  };
  visit(names.fields, "", 0);
  return paths;
}

/** A float of 32 bits with the digits that tell it from others. */
function shortest(number) {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((digits) => Math.fround(Number(number.toPrecision(digits))) === number);
  return String(digits ? Number(number.toPrecision(digits)) : number);
}

/** Gives each row that the file names its `name`, and its `value` if it is one: text, or an error in words. */
export function label(rows, names, bytes, y3) {
  const levels = [];
  for (const row of rows) {
    const key = /^0x([0-9a-f]{2})/.exec(row.text)?.[1];
    levels.length = row.depth;
    if (key === undefined) continue;
    const around = row.depth ? levels[row.depth - 1] : { fields: names.fields };
    const place = around?.count ?? 0;
    if (around) around.count = place + 1;
    const field = around?.fields?.find((field) => field.key === parseInt(key, 16));
    const type = resolve(names, field?.type ?? around?.item ?? around?.items?.[place]);
    levels[row.depth] = type && { ...type, count: 0 };
    if (field) row.name = field.name;
    const value = { value: type?.value, "one of": "u32" }[type?.kind];
    if (!value || value === "bytes" || row.fault) continue;
    try {
      const read = y3.decode(bytes.subarray(row.offset, row.end), DECODED[value] ?? value);
      const variant = type.fields?.find((field) => field.type === null && field.key === read);
      row.value = variant ? variant.name : typeof read === "string" ? JSON.stringify(read) : value === "f32" ? shortest(read) : String(read);
    } catch (error) {
      row.value = type.kind === "one of" ? undefined : `not ${value}: ${error.message}`;
    }
  }
  return rows;
}
