// The page: decodes the input, shows the packets as rows, and marks the bytes of a row and the row of a byte. For security, everything from
// the input is inserted as text, never as HTML.
import { load } from "../js/y3.mjs";

/** The number of rows to add at a time, and the number of bytes to show. More would make the page slow. */
const ROWS = 1000;
const BYTES = 1024;
/** The maximum length of the input in a link. */
const LINK = 32 * 1024;

/** Two frames with readings. The second one is incomplete. */
const SAMPLE = "bf 1c 01 01 07 02 17 81 15 90 13\n11 04 42 34 7a e1 12 01 7f 13 08 31 30 2e 30 2e 33 2e 37\nbf 09 02 07 81 05 11 04 42 2a";

const get = (id) => document.getElementById(id);
const [input, form, paths, open, named, tree, more, panel, said] = ["input", "form", "paths", "open", "names", "tree", "more", "bytes", "said"].map(get);
const y3 = await load(Uint8Array.from(atob(MODULE), (character) => character.charCodeAt(0)));

/** The current content of the page: the bytes, their rows, the hits, and the offset of the first byte in the panel. */
let bytes = new Uint8Array();
let rows = [];
let hits = [];
let first = 0;
/** The bytes from a file. They are used until the user types an input. */
let dropped = null;

/** The names file, and the primitives that are shown as packets. */
const options = () => ({ names: named.value, open: open.checked ? "*" : [] });

/** Returns the bytes, and how the input was read. */
function read() {
  if (dropped) return [dropped.bytes, `${y3.escape(dropped.name)}: ${dropped.bytes.length} bytes`];
  if (input.value === "") return [new Uint8Array(), "no input"];
  const { bytes, form: how } = y3.read(input.value, form.value);
  return [bytes, `read as ${how}`];
}

function say(text, isBad = false) {
  said.textContent = text;
  said.classList.toggle("bad", isBad);
}

/** Shows the packets, up to the first error. */
function update() {
  [bytes, rows, hits, first] = [new Uint8Array(), [], [], 0];
  try {
    let how;
    [bytes, how] = read();
    rows = y3.rows(bytes, { ...options(), maxLines: 20 * ROWS });
    const fault = y3.check(bytes);
    let message = `${bytes.length} bytes, ${how}. ${fault ? `First fault: ${fault.error}` : bytes.length ? "No fault." : ""}`;
    const wanted = paths.value.split(/[\s,]+/).filter((path) => path);
    if (wanted.length) {
      hits = y3.watch(bytes, wanted, { names: named.value }).filter((hit) => !hit.error);
      message = `${hits.length} ${hits.length === 1 ? "hit" : "hits"}. ${message}`;
    }
    say(message, Boolean(fault));
  } catch (error) {
    say(error.message, true);
  }
  draw();
}

function draw() {
  tree.replaceChildren();
  // An empty element must not have the role of a tree.
  for (const [name, value] of [["role", "tree"], ["aria-label", "Packets"]]) {
    if (rows.length) tree.setAttribute(name, value);
    else tree.removeAttribute(name);
  }
  drawRows(0);
  drawBytes();
}

function drawRows(from) {
  const marked = new Set(hits.map((hit) => hit.offset));
  const part = document.createDocumentFragment();
  rows.slice(from, from + ROWS).forEach((row, at) => {
    const line = document.createElement("div");
    line.className = marked.has(row.offset) ? "row hit" : "row";
    line.setAttribute("role", "treeitem");
    line.setAttribute("aria-level", row.depth + 1);
    line.tabIndex = from + at === 0 ? 0 : -1;
    line.dataset.row = from + at;
    line.append(`${String(row.offset).padStart(5)}  ${"  ".repeat(row.depth)}`);
    if (row.name || row.value) {
      const name = document.createElement("b");
      name.textContent = `${[row.name, row.value].filter((part) => part !== undefined).join(" = ")}  `;
      line.append(name);
    }
    line.append(row.text);
    for (const wrong of [row.mismatch, row.fault]) {
      if (!wrong) continue;
      const fault = document.createElement("span");
      fault.className = "fault";
      fault.textContent = ` ! ${wrong}`;
      line.append(fault);
    }
    part.append(line);
  });
  tree.append(part);
  const left = rows.length - from - ROWS;
  more.hidden = left <= 0;
  more.textContent = `${left} more`;
  more.onclick = () => drawRows(from + ROWS);
}

function drawBytes() {
  panel.replaceChildren();
  const inHit = (at) => hits.some((hit) => at >= hit.offset && at < hit.value.byteOffset - bytes.byteOffset + hit.value.length);
  const near = hits.length < 1000;
  for (let line = first; line < Math.min(first + BYTES, bytes.length); line += 16) {
    const shown = document.createElement("div");
    const at = document.createElement("span");
    at.className = "at";
    at.textContent = line.toString(16).padStart(6, "0");
    shown.append(at);
    for (let place = line; place < Math.min(line + 16, bytes.length); place++) {
      const byte = document.createElement("span");
      byte.className = near && inHit(place) ? "byte hit" : "byte";
      byte.dataset.at = place;
      byte.textContent = bytes[place].toString(16).padStart(2, "0");
      shown.append(byte);
    }
    panel.append(shown);
  }
}

/** Marks a row and its bytes. */
function mark(index) {
  for (const marked of document.querySelectorAll(".own, .inside")) marked.classList.remove("own", "inside");
  const row = rows[index];
  if (!row) return;
  if (row.offset < first || row.offset >= first + BYTES) {
    first = row.offset - (row.offset % 16);
    drawBytes();
  }
  tree.querySelector(`[data-row="${index}"]`)?.classList.add("own");
  for (let next = index + 1; rows[next] && rows[next].depth > row.depth && next < index + ROWS; next++) {
    tree.querySelector(`[data-row="${next}"]`)?.classList.add("inside");
  }
  for (const byte of panel.querySelectorAll(".byte")) {
    const at = Number(byte.dataset.at);
    if (at >= row.offset && at < row.ownEnd) byte.classList.add("own");
    else if (at >= row.ownEnd && at < row.end) byte.classList.add("inside");
  }
}

/** Returns the index of a byte's row: the last row that begins at the byte or before it. */
function rowOf(at) {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].offset <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function link() {
  const text = dropped ? btoa(Array.from(dropped.bytes, (byte) => String.fromCharCode(byte)).join("")) : input.value;
  if (text.length > LINK) throw new Error(`the input has ${text.length} characters, and a link can contain at most ${LINK}`);
  const parts = new URLSearchParams({ input: text });
  if (dropped) parts.set("form", "base64");
  else if (form.value !== "auto") parts.set("form", form.value);
  if (paths.value) parts.set("paths", paths.value);
  if (open.checked) parts.set("open", "1");
  if (named.value) parts.set("names", named.value);
  return `${location.href.split("#")[0]}#${parts}`;
}

const copies = {
  text: () => y3.text(bytes, options()),
  json: () => y3.json(bytes, named.value),
  rust: () => `[${Array.from(bytes, (byte) => `0x${byte.toString(16).padStart(2, "0")}`).join(", ")}]`,
  link,
};

async function copy(kind) {
  try {
    const text = copies[kind]();
    await navigator.clipboard.writeText(text);
    say(`copied ${text.length} characters`);
  } catch (error) {
    say(`not copied: ${error.message}`, true);
  }
}

/** Calls `then` with the content of a file, or shows that the file cannot be read. */
async function take(file, read, then) {
  if (!file) return;
  let content;
  try {
    content = await read(file);
  } catch (error) {
    return say(`${y3.escape(file.name)} cannot be read: ${y3.escape(error.message)}`, true);
  }
  then(content, file.name);
  update();
}

const takeInput = (file) => take(file, (file) => file.arrayBuffer(), (buffer, name) => {
  dropped = { name, bytes: new Uint8Array(buffer) };
  input.value = "";
});

function follow() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (!parts.has("input")) return;
  dropped = null;
  input.value = parts.get("input");
  form.value = ["hex", "base64", "text"].find((name) => name === parts.get("form")) ?? "auto";
  paths.value = parts.get("paths") ?? "";
  open.checked = parts.get("open") === "1";
  named.value = parts.get("names") ?? "";
  named.closest("details").open = Boolean(named.value);
  update();
}

input.addEventListener("input", () => ((dropped = null), update()));
for (const control of [form, open]) control.addEventListener("change", update);
for (const text of [paths, named]) text.addEventListener("input", update);
get("names-file").addEventListener("change", ({ target }) => take(target.files[0], (file) => file.text(), (text) => (named.value = text)));
get("file").addEventListener("change", ({ target }) => takeInput(target.files[0]));
get("sample").addEventListener("click", () => ((dropped = null), (input.value = SAMPLE), (form.value = "hex"), update()));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => (event.preventDefault(), takeInput(event.dataTransfer.files[0])));
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));
for (const event of ["mouseover", "focusin"]) {
  tree.addEventListener(event, ({ target }) => target.closest(".row") && mark(Number(target.closest(".row").dataset.row)));
}
panel.addEventListener("mouseover", ({ target }) => {
  if (!target.dataset.at) return;
  const row = rowOf(Number(target.dataset.at));
  mark(row);
  tree.querySelector(`[data-row="${row}"]`)?.scrollIntoView({ block: "nearest" });
});
tree.addEventListener("keydown", (event) => {
  const line = event.target.closest(".row");
  const next = { ArrowDown: line?.nextElementSibling, ArrowUp: line?.previousElementSibling, Home: tree.firstElementChild, End: tree.lastElementChild }[event.key];
  if (next === undefined || !line) return;
  event.preventDefault();
  if (!next) return;
  [line.tabIndex, next.tabIndex] = [-1, 0];
  next.focus();
});
addEventListener("hashchange", follow);
follow();
if (!input.value) update();
document.documentElement.dataset.ready = "1";
