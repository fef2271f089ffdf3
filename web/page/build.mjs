// Writes one HTML file that contains the style, the program, the package's JavaScript and the module. The file's security policy allows
// only these: no other script, no connection, no form.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";

const read = (name) => readFile(new URL(name, import.meta.url), "utf8");
const sha = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const wasm = (await readFile(new URL("../js/y3.wasm", import.meta.url))).toString("base64");
const library = (await read("../js/y3.mjs")).replaceAll(/^export |^import .*\n/gm, "");
const style = await read("page.css");
const program = `const MODULE = "${wasm}";\n${library}\n${(await read("page.mjs")).replaceAll(/^import .*\n/gm, "")}`;
const policy = [
  "default-src 'none'",
  `script-src ${sha(program)} 'wasm-unsafe-eval'`,
  `style-src ${sha(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const page = (await read("page.html"))
  .replace("POLICY", () => policy)
  .replace("STYLE", () => `<style>${style}</style>`)
  .replace("PROGRAM", () => `<script type="module">${program}</script>`);
await mkdir(new URL("../dist/", import.meta.url), { recursive: true });
await writeFile(new URL("../dist/y3.html", import.meta.url), page);
